"""Worlds in MuJoCo Warp: one set of arrays on a device, one graph per frame."""

from __future__ import annotations

import contextlib
import math
import re
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, Final

import mujoco
import mujoco_warp as mjw
import numpy as np
import warp as wp
from array_api_compat import array_namespace

from ligament import transforms as tf
from ligament.arrays import Bools
from ligament.errors import ContentError, SimulationError
from ligament.extensions.rigid_bodies import Drive, Limit
from ligament.physics.engines import Vector
from ligament.physics.engines.mujoco.arena import forward
from ligament.physics.engines.mujoco.compile import Compiled, compile_scene
from ligament.physics.engines.mujoco.flight import SLOW
from ligament.physics.engines.mujoco_warp import kernels
from ligament.physics.engines.mujoco_warp.variation import Starts, starts, varied_surfaces
from ligament.physics.scene import Frame, Joint, Scene

CONTACTS_PER_GEOM: Final = 8
"""Default room for contacts of a world, per geom."""

FEWEST_CONTACTS, MOST_CONTACTS = 32, 1024
"""The smallest and largest such room."""

ROWS_PER_CONTACT: Final = 3
"""Constraints of a contact with friction."""

_NO_MEMORY: Final = re.compile("alloc|out of memory|acquire primary context", re.IGNORECASE)
"""Words in Warp's errors when memory runs out, or another program uses all of it."""

_KINDS = mjw.OverflowType
_OVERFLOW_KINDS: Final = int(
    _KINDS.NEFC | _KINDS.NJMAX_NNZ | _KINDS.BROADPHASE | _KINDS.NARROWPHASE
)
"""Kinds of overflow that drop contacts or constraints."""


class WarpWorlds:
    """Many worlds of one scene on a device; arrays have the worlds first.

    `bodies` are the bodies of the scene in the arrays, in order; `drives` and `limits` are
    (joint, index) of those that can be driven and measured. A frame has `substeps` steps of `step`
    [s]. Between two frames MuJoCo Warp has done the first half of a step, up to where forces are
    known: poses, velocities and contacts are current, and no work is done twice.
    """

    def __init__(
        self,
        scene: Scene,
        scenes: Sequence[Scene],
        gravities: Sequence[Vector],
        *,
        step: float,
        substeps: int,
        bodies: Sequence[int],
        drives: Sequence[tuple[int, int]],
        limits: Sequence[tuple[int, int]],
        device: str | None = None,
        contacts: int | None = None,
    ) -> None:
        self._device = _device(device)
        self._scene, self._count, self._substeps = scene, len(scenes), substeps
        self._step = step
        paired = varied_surfaces(scene, scenes)
        compiled = compile_scene(scene, np.array(gravities[0]), step, paired=paired, senses=True)
        compiled.model.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)
        self._compiled = compiled
        found = starts(compiled, scene, scenes, gravities)
        self._room = _room(compiled, contacts)
        with _bounded_memory(), wp.ScopedDevice(self._device):
            self._upload(found)
            self._make_arrays(np.array(bodies, np.int32))
            self._make_flight()
            self._make_joints(drives, limits)
            self._make_targets([_targets(each, drives) for each in scenes])
            self._graph: Any = None
            self.reset(None)

    # --- set-up ---

    def _upload(self, found: Starts) -> None:
        """Copy model and data to the device."""
        model, worlds = self._compiled.model, self._count
        sizes = {name: worlds for name in found.fields if name != "gravity"}
        if model.nu:
            sizes["actuator_biasprm"] = worlds
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about friction below MuJoCo's minimum
                self._model = mjw.put_model(model, batch_sizes=sizes)
        except (NotImplementedError, ValueError) as fault:
            raise SimulationError(f"MuJoCo Warp rejects the scene: {fault}") from None
        for name, values in found.fields.items():
            owner = self._model.opt if name == "gravity" else self._model
            array = getattr(owner, name)
            made = wp.array(np.asarray(values, np.float32), dtype=array.dtype)
            made._is_batched = True
            setattr(owner, name, made)
        self._model.opt.warn_overflow = 0
        # Without this flag, boxes touch at other points than in MuJoCo.
        self._model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_NATIVECCD
        contacts, rows = self._room
        data = mujoco.MjData(model)
        forward(model, data)
        try:
            self._data = mjw.put_data(model, data, nworld=worlds, nconmax=contacts, njmax=rows)
        except ValueError:  # contacts of the start do not fit
            raise _capacity_error(contacts) from None
        self._qpos, self._qvel = (
            wp.array(values.astype(np.float32)) for values in (found.qpos, found.qvel)
        )
        if found.masses_vary:
            mjw.set_const(self._model, self._data)

    def _make_arrays(self, bodies: Any) -> None:
        shape, model = (self._count, len(bodies)), self._compiled.model
        self._bodies = wp.array(self._compiled.bodies[bodies].astype(np.int32))
        kinds = (wp.vec3, wp.quat, wp.vec3, wp.vec3)
        self._poses = tuple(wp.zeros(shape, dtype=kind) for kind in kinds)
        self.translation, self.rotation, self.linear_velocity, self.angular_velocity = (
            _floats(array) for array in self._poses
        )
        self._pushes = tuple(wp.zeros(shape, dtype=wp.vec3) for _ in range(4))
        self._given = wp.zeros(shape, dtype=wp.vec3)
        self._failed = wp.zeros(self._count, dtype=wp.bool)
        self._touched = wp.zeros((self._count, model.nbody), dtype=wp.bool)
        self._touching = wp.zeros(shape, dtype=wp.bool)
        self._lacks_room = wp.zeros(1, dtype=wp.bool)
        self._colliders = wp.array(self._compiled.colliders.astype(np.int32))
        sensors = [each.is_sensor for each in self._scene.colliders]
        of_geom = np.array([*sensors, False])[self._compiled.colliders]
        self._is_sensor = wp.array(of_geom, dtype=wp.bool)
        triggers = [trigger.colliders for trigger in self._scene.triggers]
        starts = np.cumsum([0, *map(len, triggers)], dtype=np.int32)
        members = np.array([i for each in triggers for i in each], np.int32)
        self._triggers = [wp.array(starts), wp.array(members, dtype=int)]
        self._inside = wp.zeros((self._count, len(triggers)), dtype=wp.bool)
        self._sensed = wp.zeros((self._count, max(len(sensors), 1)), dtype=wp.bool)

    def _make_flight(self) -> None:
        """Prepare the free-flight data; see `ligament.physics.engines.mujoco.flight`."""
        compiled, model = self._compiled, self._compiled.model
        bodies = [i for i in compiled.alone if math.isfinite(self._scene.bodies[i].mass.mass)]
        self._free = len(bodies)
        owners = compiled.bodies[bodies]
        dofs = np.array([compiled.free[i] for i in bodies], np.int32)
        moments = model.body_inertia[owners]
        spread = moments.max(axis=1, initial=0.0) - moments.min(axis=1, initial=np.inf)
        axes = tf.to_matrix(np.roll(model.body_iquat[owners], -1, axis=1))
        self._flight = [
            wp.array(dofs, dtype=int),
            wp.array(model.jnt_qposadr[model.dof_jntid[dofs]].astype(np.int32), dtype=int),
            wp.array(owners.astype(np.int32), dtype=int),
            wp.array((1.0 - model.body_gravcomp[owners]).astype(np.float32), dtype=float),
            wp.array(spread <= 1e-6 * moments.max(axis=1, initial=0.0), dtype=wp.bool),
            wp.array(np.asarray(axes, np.float32).reshape(-1, 3, 3), dtype=wp.mat33),
        ]
        self._before = wp.zeros_like(self._data.qvel)

    def _make_joints(
        self, drives: Sequence[tuple[int, int]], limits: Sequence[tuple[int, int]]
    ) -> None:
        joints, model, actuators = (
            self._scene.joints,
            self._compiled.model,
            self._compiled.actuators,
        )
        self._limits = [_metric(joints[j].limits[i]) for j, i in limits]
        self._limit_inputs = [
            self._ends([joints[j] for j, _ in limits]),
            wp.array([kind for kind, _, _ in self._limits], dtype=int),
            wp.array([axes for _, axes, _ in self._limits], dtype=wp.vec3i),
            wp.array([free for _, _, free in self._limits], dtype=int),
        ]
        self._limit_values = wp.zeros((self._count, len(limits)), dtype=float)
        own = [joints[j].drives[i] for j, i in drives]
        angular = [int(kernels.LINEAR_ONE if d.type == "linear" else kernels.TWIST) for d in own]
        self._drive_inputs = [
            self._ends([joints[j] for j, _ in drives]),
            wp.array(angular, dtype=int),
            wp.array([drive.axis for drive in own], dtype=int),
        ]
        shape = (self._count, len(drives))
        self._drive_values = [wp.zeros(shape, dtype=float) for _ in range(2)]
        found = [actuators.get(key, -1) for key in drives]
        bias = [model.actuator_biasprm[a] if a >= 0 else np.zeros(3) for a in found]
        self._controls = [
            wp.array(found, dtype=int),
            wp.array([bool(each[1] != 0) for each in bias], dtype=wp.bool),
            wp.array([float(-each[2]) for each in bias], dtype=float),
        ]

    def _ends(self, joints: Sequence[Joint]) -> Any:
        rows = []
        for joint in joints:
            ends = kernels.Ends()
            ends.body_a, ends.translation_a, ends.rotation_a = self._end(joint.a)
            ends.body_b, ends.translation_b, ends.rotation_b = self._end(joint.b)
            rows.append(ends)
        return wp.array(rows, dtype=kernels.Ends)

    def _end(self, frame: Frame) -> tuple[int, Any, Any]:
        """Return the model's body of a frame, and its pose there."""
        translation, rotation = frame.pose.translation, frame.pose.rotation
        if frame.body in self._compiled.fixed:
            pose = self._scene.bodies[frame.body].pose
            translation = pose.translation + tf.rotate(pose.rotation, translation)
            rotation = np.asarray(tf.multiply(pose.rotation, rotation))
        body = int(self._compiled.bodies[frame.body])
        return body, wp.vec3(*map(float, translation)), wp.quat(*map(float, rotation))

    # --- time ---

    def step(self, frames: int) -> None:
        """Advance all worlds that have not failed."""
        with _bounded_memory(), wp.ScopedDevice(self._device):
            for _ in range(frames):
                if self._graph is None:
                    self._frame()
                    self._capture()
                else:
                    wp.capture_launch(self._graph)

    def _capture(self) -> None:
        """Record a frame as a graph, on devices that support it."""
        if wp.get_device(self._device).is_cuda:
            with wp.ScopedCapture() as capture:
                self._frame()
            self._graph = capture.graph

    def _frame(self) -> None:
        """Run the steps of a frame: second halves with forces, then first halves up to the next."""
        rate = 1 / self._step
        shape = self._poses[0].shape
        for index in range(self._substeps):
            if index < 2:
                # Impulses are forces of the first step alone.
                inputs = [self._bodies, *self._pushes, 0.0 if index else rate]
                wp.launch(kernels.push_bodies, shape, inputs, [self._data.xfrc_applied])
            if self._free:
                wp.copy(self._before, self._data.qvel)
            mjw.step2(self._model, self._data)
            if self._free:
                self._correct_flight()
            self._half_step()
        for array in (*self._pushes, self._data.xfrc_applied):
            array.zero_()
        self._finish_frame()

    def _half_step(self) -> None:
        data, contact = self._data, self._data.contact
        mjw.step1(self._model, data)
        inputs = [data.nacon, contact.efc_address, contact.dim, contact.worldid, contact.friction]
        wp.launch(kernels.lower_targets, data.naconmax, inputs, [data.efc.aref])
        if self._free:
            self._mark_touched()

    def _correct_flight(self) -> None:
        model, data = self._model, self._data
        inputs = [*self._flight, SLOW, self._step, model.opt.gravity]
        inputs += [model.body_mass, model.body_inertia, self._touched, self._before]
        outputs = [data.xfrc_applied, data.qpos, data.qvel]
        wp.launch(kernels.correct_flight, (self._count, self._free), inputs, outputs)

    def _mark_touched(self) -> None:
        data = self._data
        self._touched.zero_()
        self._sensed.zero_()
        inputs = [data.nacon, data.contact.geom, data.contact.worldid, data.contact.dist]
        inputs += [self._model.geom_bodyid, self._colliders, self._is_sensor]
        outputs = [self._touched, self._sensed]
        wp.launch(kernels.mark_touched, data.naconmax, inputs, outputs)

    def _finish_frame(self) -> None:
        """Find worlds that failed, and write the poses of the others."""
        data = self._data
        wp.launch(
            kernels.find_failed, self._count, [data.qpos, data.qvel, self._qpos], [self._failed]
        )
        wp.launch(
            kernels.record_overflow,
            self._count,
            [data.overflow, _OVERFLOW_KINDS],
            [self._lacks_room],
        )
        inputs = [self._bodies, self._model.body_rootid, self._failed, *self._kinematics()]
        wp.launch(kernels.gather_poses, self._poses[0].shape, inputs, list(self._poses))

    def _kinematics(self) -> list[Any]:
        data = self._data
        return [data.xpos, data.xquat, data.xipos, data.subtree_com, data.cvel]

    def reset(self, worlds: Any | None) -> None:
        """Reset some worlds to their start, or all; a mask on the device stays there."""
        chosen = np.ones(self._count, bool) if worlds is None else worlds
        with wp.ScopedDevice(self._device):
            if worlds is None:
                self._require_room()
                self._data.overflow.zero_()
            mask, data = _on_device(chosen, wp.bool), self._data
            inputs = [mask, self._qpos, self._qvel, *self._start_targets]
            outputs = [data.qpos, data.qvel, *self._targets, data.qacc_warmstart, self._failed]
            wp.launch(kernels.put_back, self._count, inputs, outputs)
            self._apply_targets()
            self._half_step()
            self._finish_frame()

    # --- control ---

    def set_targets(self, positions: Any | None, velocities: Any | None, first: int = 0) -> None:
        """Set new targets of drives."""
        with wp.ScopedDevice(self._device):
            for column, values in enumerate((positions, velocities)):
                if values is not None:
                    columns = self._targets[column][:, first : first + values.shape[1]]
                    wp.copy(columns, _on_device(values, float))
            self._apply_targets()

    def _make_targets(self, targets: Sequence[Sequence[Sequence[float]]]) -> None:
        """Copy the initial targets of all worlds to the device."""
        rows = np.array(targets, np.float32).reshape(self._count, -1, 2)
        self._start_targets = [
            wp.array(np.ascontiguousarray(rows[:, :, i]), dtype=float, ndim=2) for i in range(2)
        ]
        self._targets = [wp.clone(each) for each in self._start_targets]

    def _apply_targets(self) -> None:
        inputs = [*self._controls, *self._targets]
        outputs = [self._data.ctrl, self._model.actuator_biasprm]
        wp.launch(kernels.set_controls, self._targets[0].shape, inputs, outputs)

    def push(self, forces: Any | None, torques: Any | None) -> None:
        """Apply forces and torques in the next frame."""
        self._add((forces, torques), self._pushes[:2])

    def kick(self, impulses: Any | None, angular: Any | None) -> None:
        """Apply impulses, with the first step of the next frame."""
        self._add((impulses, angular), self._pushes[2:])

    def _add(self, values: Sequence[Any], arrays: Sequence[Any]) -> None:
        with wp.ScopedDevice(self._device):
            for value, array in zip(values, arrays, strict=True):
                if value is not None:
                    wp.copy(_floats(self._given), _on_device(value, float))
                    wp.launch(kernels.add_vectors, array.shape, [self._given], [array])

    # --- state ---

    def joint_values(self) -> tuple[Any, Any, Any]:
        """Measure all limits and drives."""
        inputs = [self._failed, self._model.body_rootid, *self._kinematics()]
        with wp.ScopedDevice(self._device):
            own = self._limit_inputs + inputs
            wp.launch(kernels.measure_limits, self._limit_values.shape, own, [self._limit_values])
            own = self._drive_inputs + inputs
            wp.launch(kernels.measure_drives, self._drive_values[0].shape, own, self._drive_values)
        return self._limit_values, *self._drive_values

    def touching(self) -> Any:
        """Return which bodies touch something solid."""
        with wp.ScopedDevice(self._device):
            self._mark_touched()
            inputs = [self._bodies, self._failed, self._touched]
            wp.launch(kernels.choose_touched, self._touching.shape, inputs, [self._touching])
        return self._touching

    def inside(self) -> Any:
        """Return which triggers are occupied."""
        with wp.ScopedDevice(self._device):
            self._mark_touched()
            inputs = [*self._triggers, self._failed, self._sensed]
            wp.launch(kernels.choose_sensed, self._inside.shape, inputs, [self._inside])
        return self._inside

    def failed(self) -> Bools:
        """Return which worlds became non-finite."""
        self._require_room()
        return np.asarray(self._failed.numpy(), bool)

    def _require_room(self) -> None:
        """Refuse to continue if contacts were dropped for lack of room."""
        if self._lacks_room.numpy()[0]:
            self._lacks_room.zero_()
            raise _capacity_error(self._room[0])

    def close(self) -> None:
        """Release the arrays with this object."""


def _device(name: str | None) -> str:
    """Return the name of an existing device."""
    # Warp reports devices and every module on the standard output, where results go.
    level, wp.config.log_level = wp.config.log_level, wp.LOG_ERROR
    wp.init()
    wp.config.log_level = max(level, wp.LOG_WARNING)
    if name is None:
        return "cuda:0" if wp.is_cuda_available() else "cpu"
    try:
        return str(wp.get_device(name))
    except (ValueError, RuntimeError):
        devices = ", ".join(str(device) for device in wp.get_devices())
        raise ContentError(f"unknown device {name[:60]!r}", remedy=f"use {devices}") from None


def _capacity_error(room: int) -> SimulationError:
    message = f"a world has more contacts than its capacity of {room}"
    return SimulationError(message, remedy=f"use contact_room={4 * room} (--contact-room)")


@contextlib.contextmanager
def _bounded_memory() -> Iterator[None]:
    """Report in one line that the memory of the device or the host is insufficient."""
    try:
        yield
    except (RuntimeError, MemoryError) as fault:
        message = (str(fault).splitlines() or [""])[0][:200]
        if isinstance(fault, RuntimeError) and not _NO_MEMORY.search(message):
            raise
        remedy = "use fewer worlds at once, or a smaller contact_room"
        raise SimulationError(f"the device is out of memory: {message}", remedy=remedy) from None


def _room(compiled: Compiled, contacts: int | None) -> tuple[int, int]:
    """Return the room for contacts and for constraints of one world."""
    model = compiled.model
    if contacts is None:
        wanted = CONTACTS_PER_GEOM * model.ngeom
        contacts = min(max(wanted, FEWEST_CONTACTS), MOST_CONTACTS) if model.ngeom > 1 else 1
    others = 6 * model.neq + model.njnt + model.ntendon + model.nv
    return contacts, ROWS_PER_CONTACT * contacts + others


def _floats(array: Any) -> Any:
    """Return an array of vectors as one of numbers, sharing its memory."""
    size = array.dtype._length_
    return wp.array(
        ptr=array.ptr,
        dtype=float,
        shape=(*array.shape, size),
        device=array.device,
        copy=False,
    )


def _on_device(values: Any, kind: Any) -> Any:
    """Return an array of any library as Warp's, without a copy if its type matches."""
    if isinstance(values, wp.array):
        if values.dtype is not (wp.bool if kind is wp.bool else wp.float32):
            found = f"an array of Warp's {values.dtype.__name__}"
            raise ContentError(found, remedy=f"give one of {kind.__name__}")
        return values
    if isinstance(values, np.ndarray) and kind is wp.bool:
        return wp.array(values, dtype=kind)
    if isinstance(values, np.ndarray):
        with np.errstate(over="ignore"):  # only the worlds with such values fail
            return wp.array(np.ascontiguousarray(values, np.float32), dtype=kind)
    if hasattr(values, "detach"):  # torch does not export arrays that track gradients
        values = values.detach()
    own = array_namespace(values)
    wanted = own.bool if kind is wp.bool else own.float32
    if values.dtype != wanted:
        values = own.astype(values, wanted)
    return wp.from_dlpack(values)


def _targets(scene: Scene, drives: Sequence[tuple[int, int]]) -> list[list[float]]:
    own: list[Drive] = [scene.joints[joint].drives[index] for joint, index in drives]
    return [[drive.position_target, drive.velocity_target] for drive in own]


def _metric(limit: Limit) -> tuple[int, tuple[int, int, int], int]:
    """Return the kind of a limit's metric, its axes as flags, and its first or free axis."""
    axes = limit.linear_axes or limit.angular_axes
    x, y, z = (int(axis in axes) for axis in range(3))
    flags = (x, y, z)
    if limit.linear_axes:
        kind = kernels.LINEAR_ONE if len(axes) == 1 else kernels.LINEAR_MORE
        return int(kind), flags, axes[0]
    if len(axes) == 1:
        if limit.free_axis is not None:
            return int(kernels.SWING), flags, limit.free_axis
        return int(kernels.TWIST), flags, axes[0]
    if len(axes) == 2:
        return int(kernels.CONE), flags, 3 - sum(axes)
    return int(kernels.ANGLE), flags, 0
