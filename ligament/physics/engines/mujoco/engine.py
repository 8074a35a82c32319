"""MuJoCo as an `Engine`: stepping, state, control and snapshots."""

from __future__ import annotations

import dataclasses
from typing import Any, Final, NamedTuple

import mujoco
import numpy as np

from ligament.arrays import Floats
from ligament.errors import ContentError, SimulationError
from ligament.extensions.shapes import Sphere
from ligament.physics.collision.tracker import OverlapTracker, TrackerState
from ligament.physics.engines import (
    Contacts,
    Overlap,
    Problem,
    RayHit,
    Request,
    State,
    Vector,
    records,
)
from ligament.physics.engines.mujoco.arena import arena_is_full, forward, require_room
from ligament.physics.engines.mujoco.closing import Closing
from ligament.physics.engines.mujoco.compile import Compiled, compile_scene
from ligament.physics.engines.mujoco.fidelity import choose_substeps
from ligament.physics.engines.mujoco.flight import Flight
from ligament.physics.engines.mujoco.motion import DrivenBodies
from ligament.physics.engines.mujoco.reading import StateReader
from ligament.physics.scene import Body, Collider, Joint, Pose, Scene
from ligament.physics.shapes import has_extent

_SOLID_GROUPS: Final = np.array([1, 1, 0, 1, 0, 1], np.uint8)
"""Groups of geoms that rays hit: neither visual ones nor sensors."""

FARTHEST: Final = float(mujoco.mjMAXVAL)
"""Positions [m] above which MuJoCo gives up."""

# MuJoCo's warnings would go to a file in the working directory; the engine raises errors instead.
mujoco.set_mju_user_warning(lambda message: None)

_INTEGRATION: Final = int(mujoco.mjtState.mjSTATE_INTEGRATION)
_NOTHING: Final = Sphere(1e-3)


class _Saved(NamedTuple):
    """A snapshot: MuJoCo's state, changes of the scene, and the engine's own memory."""

    scene: bytes
    gravity: Vector
    state: bytes
    geoms: tuple[Floats, Floats]
    targets: dict[tuple[int, int], tuple[float, float]]
    steps: int
    driven: dict[str, Any]
    tracker: TrackerState | None
    touching: frozenset[tuple[int, int]]
    pending: list[Overlap]
    closing: Any


class MujocoEngine:
    """A running simulation of one scene in MuJoCo: an `Engine`."""

    def __init__(self, scene: Scene, request: Request) -> None:
        if request.settings is not None:
            remedy = "leave settings out"
            raise ContentError("settings for an engine that has none", remedy=remedy)
        self._scene, self._gravity = scene, request.gravity
        self.substeps = choose_substeps(_playable(scene), request)
        self._step = 1 / (request.rate * self.substeps)
        self.problems: tuple[Problem, ...] = ()
        self._steps = 0
        self._is_outdated, self._compiled_at = False, 0
        self._touching: frozenset[tuple[int, int]] = frozenset()
        self._pending: list[Overlap] = []
        self._listens = request.contacts
        self._targets: dict[tuple[int, int], tuple[float, float]] = {}
        self._saved_scene: tuple[Scene, bytes] | None = None
        self._wanted: dict[int, Floats] = {}
        self._bind(compile_scene(_playable(scene), np.array(self._gravity), self._step))
        if self._model.nkey:
            mujoco.mj_resetDataKeyframe(self._model, self._data, 0)
        forward(self._model, self._data)
        self._closing = Closing.find(self._model, self._data, 0)
        self._driven = DrivenBodies(scene, self._compiled, self._step)
        sensors = any(collider.is_sensor for collider in scene.colliders)
        self._tracker = OverlapTracker(scene) if sensors else None

    def _bind(self, compiled: Compiled) -> None:
        self._compiled, self._model = compiled, compiled.model
        self._compiled_scene, self._biases = self._scene, compiled.model.actuator_biasprm.copy()
        self._data = mujoco.MjData(self._model)
        self._flight = Flight(self._scene, compiled, self._data)
        self._forced = False
        self._rows: Floats | None = None
        self._reader = StateReader(self._scene, compiled, self._data)

    # --- time ---

    @property
    def gravity(self) -> Vector:
        """Gravity [m/s²]."""
        return self._gravity

    @gravity.setter
    def gravity(self, gravity: Vector) -> None:
        x, y, z = (float(value) for value in gravity)
        self._gravity = (x, y, z)
        self._model.opt.gravity[:] = self._gravity

    def step(self, count: int = 1) -> None:
        """Advance by some steps; raise SimulationError if MuJoCo gives up."""
        if self._is_outdated:
            self._update()
        if self._wanted:
            self._set_wanted_velocities()
        if self._tracker is not None:
            self._track_jumps()
        try:
            if self._is_plain:
                self._flight.step(count)
                self._steps += count
            else:
                for _ in range(count):
                    self._step_once()
        except mujoco.FatalError:
            raise arena_is_full(self._data) from None
        require_room(self._data)
        self._rows = None
        if self._forced:
            self._data.xfrc_applied[:] = 0.0
            self._forced = False
        if not _is_within_reach(self._data.qpos):
            found = "a pose is not finite, or out of range"
            raise SimulationError(f"MuJoCo failed in step {self._steps}: {found}")

    def _step_once(self) -> None:
        if self._closing is not None and not self._closing.before_step(self._steps):
            self._closing = None
        self._driven.before_step(self._data, self._steps)
        self._flight.step(1)
        self._driven.after_step(self._data)
        self._steps += 1
        if self._tracker is not None:
            self._rows = None
            self._tracker.update(self._steps, self._read())
        if self._listens:
            self._listen()

    @property
    def _is_plain(self) -> bool:
        """Whether nothing has to be done between two steps."""
        has_parts = not self._driven.is_empty or self._closing is not None
        return not has_parts and self._tracker is None and not self._listens

    def _update(self) -> None:
        """Recompile the scene if parts of it changed, and continue from the same state."""
        if not self._is_outdated:
            return
        self._is_outdated = False
        before, rows, model = self._data, self._read().copy(), self._model
        self._bind(compile_scene(_playable(self._scene), np.array(self._gravity), self._step))
        if len(before.qpos) != len(self._data.qpos):
            raise SimulationError("MuJoCo cannot change the axes of a joint while it runs")
        if self._model.nkey:
            self._data.ctrl[:] = self._model.key_ctrl[0]
        self._data.qpos[:], self._data.qvel[:] = before.qpos, before.qvel
        self._apply_targets()
        forward(self._model, self._data)
        since = min(self._steps - self._compiled_at, self.substeps)
        self._compiled_at = self._steps
        self._closing = Closing.renewed(
            self._model, self._data, self._steps, model, self._closing, since
        )
        self._driven.rebind(self._scene, self._compiled, rows, self._steps)

    # --- state ---

    def state(self) -> State:
        """Return the current poses and velocities (arrays that later steps do not change)."""
        rows = self._read().copy()
        return State(rows[:, :3], rows[:, 3:7], rows[:, 7:10], rows[:, 10:13])

    def _read(self) -> Floats:
        """Return the current states (B, 13) of all bodies."""
        self._set_wanted_velocities()
        if self._rows is None:
            self._rows = self._reader.read()
            self._driven.write(self._rows)
        return self._rows

    def overlaps(self) -> list[Overlap]:
        """Return the changes since the last call, up to and including the current state."""
        self._track_jumps()
        if self._listens and not self._steps:
            self._listen()
        pending, self._pending = self._pending, []
        if self._tracker is not None:
            pending = sorted(pending + self._tracker.take(), key=lambda overlap: overlap.step)
        return pending

    def _track_jumps(self) -> None:
        """Update the overlaps of a state that no step produced: the start, or after a teleport."""
        if self._tracker is not None and self._tracker.is_stale:
            self._tracker.update(self._steps, self._read(), is_jump=True)

    def _listen(self) -> None:
        """Record which colliders began to touch, and which no longer do."""
        contact = self._data.contact
        pairs = self._compiled.colliders[contact.geom[contact.dist <= 0]]
        now = frozenset((a, b) for a, b in np.sort(pairs, axis=1).tolist())
        for started, changed in ((True, now - self._touching), (False, self._touching - now)):
            self._pending += [Overlap(a, b, started, self._steps) for a, b in sorted(changed)]
        self._touching = now

    def contacts(self) -> Contacts:
        """Return the contacts of the last step."""
        points, normals, forces, force = [], [], [], np.zeros(6)
        for i in range(self._data.ncon):
            mujoco.mj_contactForce(self._model, self._data, i, force)
            if force[0] > 0:
                contact = self._data.contact[i]
                points.append(contact.pos.copy())
                normals.append(contact.frame[:3].copy())
                forces.append(float(force[0]))
        return Contacts(
            np.array(points, np.float64).reshape(-1, 3),
            np.array(normals, np.float64).reshape(-1, 3),
            np.array(forces, np.float64),
        )

    def lost(self) -> list[int]:
        """Return nothing: MuJoCo solves all bodies at once, and fails as a whole."""
        return []

    def cast_ray(self, origin: Floats, direction: Floats, reach: float) -> RayHit | None:
        """Return the nearest solid collider within `reach` [m] along a unit direction."""
        self._read()
        start, along = np.array(origin, np.float64), np.array(direction, np.float64)
        geom, normal = np.full(1, -1, np.int32), np.zeros(3)
        distance = mujoco.mj_ray(
            self._model, self._data, start, along, _SOLID_GROUPS, True, -1, geom, normal
        )
        if distance < 0 or distance > reach:
            return None
        found = int(self._compiled.colliders[geom[0]])
        return RayHit(found, float(distance), start + distance * along, normal)

    # --- changes from outside ---

    def drive_body(self, body: int, translation: Floats, rotation: Floats) -> None:
        """Move a driven body to a pose by the end of the next step, pushing others."""
        self._driven.move(body, translation, rotation)

    def place_frame(self, joint: int, side: int, translation: Floats, rotation: Floats) -> None:
        """Do nothing: MuJoCo's joints are fixed to their bodies, which the losses report."""

    def place_collider(self, collider: int, translation: Floats, rotation: Floats) -> None:
        """Move a collider to a pose within its body by the end of the next step."""
        self._update()
        pose, before = Pose(translation, rotation), self._scene.colliders[collider]
        self._compiled.move_geoms(self._scene, collider, pose)
        self._replace_collider(collider, dataclasses.replace(before, pose=pose), jumps=False)
        self._rows = None

    def set_collider(self, collider: int, value: Collider, *, jumps: bool = False) -> None:
        """Set a new shape, pose or material of a collider; a shape without extent disables it."""
        self._replace_collider(collider, value, jumps=jumps)
        self._is_outdated = True

    def _replace_collider(self, collider: int, value: Collider, *, jumps: bool) -> None:
        if self._tracker is not None:
            self._track_jumps()
            self._tracker.set_collider(collider, value)
            self._tracker.is_stale = jumps
        colliders = list(self._scene.colliders)
        colliders[collider] = value
        self._scene = dataclasses.replace(self._scene, colliders=tuple(colliders))

    def set_body(self, body: int, value: Body) -> None:
        """Set another mass, gravity factor or kind of a body, from the next step on."""
        bodies = list(self._scene.bodies)
        before = bodies[body]
        bodies[body] = dataclasses.replace(value, pose=before.pose)
        self._change(bodies=tuple(bodies))
        was, now = _velocity(before), _velocity(value)
        if not np.array_equal(was, now):
            self.set_velocity(body, now[:3], now[3:])

    def set_joint(self, joint: int, value: Joint) -> None:
        """Set other limits and drives of a joint; their targets replace those set before."""
        joints = list(self._scene.joints)
        joints[joint] = value
        self._targets = {key: each for key, each in self._targets.items() if key[0] != joint}
        self._change(joints=tuple(joints))

    def _change(self, **parts: Any) -> None:
        self._scene = dataclasses.replace(self._scene, **parts)
        self._is_outdated = True

    def set_pose(self, body: int, translation: Floats, rotation: Floats) -> None:
        """Teleport a body; one on a joint moves as far as the joint allows."""
        self._update()
        if self._tracker is not None:
            self._tracker.is_stale = True
        address = self._compiled.free.get(body)
        if address is None:
            raise ContentError(
                "MuJoCo cannot teleport a body that a joint holds",
                remedy="move the body that carries the joints, or use another engine",
            )
        self._driven.teleport(body, translation, rotation, self._steps)
        place = int(self._model.jnt_qposadr[self._model.dof_jntid[address]])
        self._data.qpos[place : place + 3] = translation
        self._data.qpos[place + 3 : place + 7] = np.roll(rotation, 1)
        forward(self._model, self._data)
        self._rows = None

    def set_velocity(self, body: int, linear: Floats, angular: Floats) -> None:
        """Set the velocity of the centre of mass [m/s] and the angular velocity [rad/s].

        Components that joints do not allow are removed as by an impact, once for all bodies that
        are given a velocity before the next query.
        """
        self._update()
        if not self._driven.set_velocity(body, linear, angular, self._steps):
            self._wanted[body] = np.concatenate([linear, angular])

    def _set_wanted_velocities(self) -> None:
        """Give bodies the velocities that were set, with the least change of the others."""
        if not self._wanted:
            return
        wanted, self._wanted = self._wanted, {}
        rows, model = self._read(), self._model
        changes = []
        for body, velocity in wanted.items():
            index, change = self._compiled.bodies[body], velocity - rows[body, 7:13]
            axes = self._data.ximat[index].reshape(3, 3)
            spin = axes @ (model.body_inertia[index] * (axes.T @ change[3:]))
            changes.append(np.concatenate([model.body_mass[index] * change[:3], spin]))
        for body, change in zip(wanted, changes, strict=True):
            self._kick(body, change)

    def apply_force(self, body: int, force: Floats, point: Floats | None = None) -> None:
        """Apply a force [N] during the next step, at the centre of mass or at a world point [m]."""
        self._update()
        index = self._compiled.bodies[body]
        self._data.xfrc_applied[index, :3] += force
        if point is not None:
            self._read()
            arm = np.asarray(point) - self._data.xipos[index]
            self._data.xfrc_applied[index, 3:] += np.cross(arm, force)
        self._forced = True

    def apply_torque(self, body: int, torque: Floats) -> None:
        """Apply a torque [N m] during the next step."""
        self._update()
        self._data.xfrc_applied[self._compiled.bodies[body], 3:] += torque
        self._forced = True

    def apply_impulse(self, body: int, impulse: Floats, point: Floats | None = None) -> None:
        """Apply an impulse [N s], at the centre of mass or at a world point [m]."""
        self._read()
        arm = np.zeros(3)
        if point is not None:
            arm = np.asarray(point) - self._data.xipos[self._compiled.bodies[body]]
        self._kick(body, np.concatenate([impulse, np.cross(arm, impulse)]))

    def _kick(self, body: int, change: Floats) -> None:
        """Change the momentum (6,) of a body at its centre of mass."""
        self._update()
        model, data = self._model, self._data
        index = int(self._compiled.bodies[body])
        if not model.nv or not model.body_weldid[index]:
            return
        forward(model, data)
        jacobian = np.zeros((6, model.nv))
        mujoco.mj_jacBodyCom(model, data, jacobian[:3], jacobian[3:], index)
        answer = np.zeros((6, model.nv))
        mujoco.mj_solveM(model, data, answer, jacobian)
        data.qvel += answer.T @ change
        self._rows = None

    def set_drive_target(self, joint: int, drive: int, position: float, velocity: float) -> None:
        """Set new targets of a drive [m or rad, m/s or rad/s]."""
        self._update()
        self._targets[joint, drive] = (position, velocity)
        self._apply_targets()

    def _apply_targets(self) -> None:
        """Pass the current targets of drives to the actuators."""
        biases, control = self._model.actuator_biasprm, self._data.ctrl
        for key, (position, velocity) in self._targets.items():
            actuator = self._compiled.actuators.get(key)
            if actuator is None:
                continue
            has_position = biases[actuator, 1] != 0
            control[actuator] = position if has_position else velocity
            if has_position:
                biases[actuator, 0] = -biases[actuator, 2] * velocity

    # --- snapshots ---

    def snapshot(self) -> bytes:
        """Return the whole state, for `restore`."""
        self._update()
        self._set_wanted_velocities()
        state = np.empty(mujoco.mj_stateSize(self._model, _INTEGRATION))
        mujoco.mj_getState(self._model, self._data, state, _INTEGRATION)
        saved = _Saved(
            scene=self._encoded_scene(),
            gravity=self._gravity,
            state=state.tobytes(),
            geoms=(self._model.geom_pos.copy(), self._model.geom_quat.copy()),
            targets=dict(self._targets),
            steps=self._steps,
            driven=self._driven.state(),
            tracker=None if self._tracker is None else self._tracker.state(),
            touching=self._touching,
            pending=list(self._pending),
            closing=None if self._closing is None else self._closing.state,
        )
        return records.encode(tuple(saved))

    def _encoded_scene(self) -> bytes:
        """Return the scene as bytes, encoded once for all its snapshots."""
        if self._saved_scene is None or self._saved_scene[0] is not self._scene:
            self._saved_scene = (self._scene, records.encode(self._scene))
        return self._saved_scene[1]

    def _is_compiled(self, scene: bytes) -> bool:
        """Tell whether the model is that of a saved scene, so that only its state is restored."""
        return self._scene is self._compiled_scene and self._encoded_scene() == scene

    def restore(self, snapshot: bytes) -> None:
        """Return to a snapshot of the same scene; the simulation continues bit for bit."""
        saved = _decoded(snapshot)
        self._is_outdated, self._wanted = False, {}
        if self._closing is not None:
            self._closing.end()
        if self._is_compiled(saved.scene):
            mujoco.mj_resetData(self._model, self._data)
            self._model.actuator_biasprm[:] = self._biases
            self._rows, self._forced = None, False
        else:
            self._scene = records.decode(saved.scene)
            self._saved_scene = (self._scene, saved.scene)
            self._bind(compile_scene(_playable(self._scene), np.array(saved.gravity), self._step))
        self.gravity = saved.gravity
        self._model.geom_pos[:], self._model.geom_quat[:] = saved.geoms
        self._targets = dict(saved.targets)
        self._apply_targets()
        mujoco.mj_setState(self._model, self._data, np.frombuffer(saved.state), _INTEGRATION)
        self._steps, self._touching, self._pending = (
            saved.steps,
            saved.touching,
            list(saved.pending),
        )
        self._closing = Closing.restored(self._model, saved.closing)
        self._driven.restore(saved.driven, self._compiled)
        if self._tracker is not None and saved.tracker is not None:
            self._tracker.restore(saved.tracker, self._read())


def _is_within_reach(positions: Floats) -> bool:
    """Tell whether all positions are finite and within range, by their squares if possible."""
    near = np.vdot(positions, positions) < FARTHEST**2  # vdot raises no warnings
    return bool(near or np.abs(positions).max(initial=0.0) < FARTHEST)


def _decoded(snapshot: bytes) -> _Saved:
    """Read a snapshot; raise SimulationError for other bytes."""
    parts = records.decode(snapshot)
    if not isinstance(parts, tuple) or len(parts) != len(_Saved._fields):
        raise SimulationError("these bytes are not a snapshot")
    return _Saved(*parts)


def _velocity(body: Body) -> Floats:
    return np.concatenate([body.linear_velocity, body.angular_velocity])


def _playable(scene: Scene) -> Scene:
    """Return a scene in which shapes without extent push nothing."""
    if all(has_extent(collider.shape) for collider in scene.colliders):
        return scene
    colliders = tuple(
        c if has_extent(c.shape) else dataclasses.replace(c, shape=_NOTHING, is_sensor=True)
        for c in scene.colliders
    )
    return dataclasses.replace(scene, colliders=colliders)
