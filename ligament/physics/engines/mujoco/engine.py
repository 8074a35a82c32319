"""MuJoCo as an `Engine`: stepping, state, control and snapshots."""

from __future__ import annotations

import dataclasses
from typing import Any, Final

import mujoco
import numpy as np

from ligament.arrays import Floats
from ligament.errors import ContentError, SimulationError
from ligament.physics.collision.tracker import OverlapTracker
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
from ligament.physics.engines.mujoco.arena import (
    arena_is_full,
    forward,
    is_within_reach,
    require_room,
)
from ligament.physics.engines.mujoco.closing import Closing
from ligament.physics.engines.mujoco.compile import compile_scene, playable
from ligament.physics.engines.mujoco.drives import differs_in_targets
from ligament.physics.engines.mujoco.fidelity import choose_substeps
from ligament.physics.engines.mujoco.motion import DrivenBodies
from ligament.physics.engines.mujoco.pushes import kick, push, set_velocities
from ligament.physics.engines.mujoco.reading import StateReader
from ligament.physics.engines.mujoco.snapshots import (
    EncodedScene,
    Saved,
    decode,
    read_state,
    write_state,
)
from ligament.physics.engines.mujoco.stepping import Stepping
from ligament.physics.engines.mujoco.touching import Touching, hit_by_ray, read_contacts
from ligament.physics.scene import Body, Collider, Joint, Pose, Scene

# MuJoCo's warnings would go to a file in the working directory; the engine raises errors instead.
mujoco.set_mju_user_warning(lambda message: None)

_NO_TORQUE: Final = np.zeros(3)


class MujocoEngine:
    """A running simulation of one scene in MuJoCo: an `Engine`."""

    def __init__(self, scene: Scene, request: Request) -> None:
        if request.settings is not None:
            remedy = "leave settings out"
            raise ContentError("settings for an engine that has none", remedy=remedy)
        self._scene, self._gravity = scene, request.gravity
        self.substeps = choose_substeps(playable(scene), request)
        self._step = 1 / (request.rate * self.substeps)
        self.problems: tuple[Problem, ...] = ()
        self._steps = 0
        self._is_outdated, self._compiled_at = False, 0
        self._touching = Touching()
        self._listens = request.contacts
        self._encoded = EncodedScene()
        self._wanted: dict[int, Floats] = {}
        self._bind()
        if self._model.nkey:
            mujoco.mj_resetDataKeyframe(self._model, self._data, 0)
        forward(self._model, self._data)
        self._closing = Closing.find(self._model, self._data, 0, self._compiled.scales)
        self._driven = DrivenBodies(scene, self._compiled, self._step)
        sensors = any(collider.is_sensor for collider in scene.colliders)
        self._tracker = OverlapTracker(scene) if sensors else None

    def _bind(self) -> None:
        """Compile the scene, and make everything that refers to the model."""
        compiled = compile_scene(playable(self._scene), np.array(self._gravity), self._step)
        self._compiled, self._model = compiled, compiled.model
        self._compiled_scene = self._scene
        self._data = mujoco.MjData(self._model)
        self._stepping = Stepping(self._scene, compiled, self._data)
        self._drives = self._stepping.drives
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
            self._step_through(count)
        except mujoco.FatalError:
            raise arena_is_full(self._data) from None
        require_room(self._data)
        self._rows = None
        if self._forced:
            self._data.xfrc_applied[:] = 0.0
            self._forced = False
        if not is_within_reach(self._data.qpos):
            found = "a pose is not finite, or out of range"
            raise SimulationError(f"MuJoCo failed in step {self._steps}: {found}")

    def _step_through(self, count: int) -> None:
        while count:
            ahead = self._steps % self.substeps
            if not ahead:
                self._stepping.begin_frame()
            if self._is_plain:
                run = min(count, self.substeps - ahead)
                self._stepping.step(run)
                self._steps += run
            else:
                run = 1
                self._step_once()
            count -= run

    def _step_once(self) -> None:
        if self._closing is not None and not self._closing.before_step(self._steps):
            self._closing = None
        self._driven.before_step(self._data, self._steps)
        self._stepping.step(1)
        self._driven.after_step(self._data)
        self._steps += 1
        if self._tracker is not None:
            self._rows = None
            self._tracker.update(self._steps, self._read())
        if self._listens:
            self._touching.update(self._compiled, self._data, self._steps)

    @property
    def _is_plain(self) -> bool:
        """Whether nothing has to be done between two steps."""
        has_parts = not self._driven.is_empty or self._closing is not None
        is_watched = self._tracker is not None or self._listens
        return not has_parts and not is_watched and self._stepping.is_plain

    def _update(self) -> None:
        """Recompile the scene if parts of it changed, and continue from the same state."""
        if not self._is_outdated:
            return
        self._is_outdated = False
        before, rows, model = self._data, self._read().copy(), self._model
        targets = self._drives.targets
        self._bind()
        if len(before.qpos) != len(self._data.qpos):
            raise SimulationError("MuJoCo cannot change the axes of a joint while it runs")
        if self._model.nkey:
            self._data.ctrl[:] = self._model.key_ctrl[0]
        self._data.qpos[:], self._data.qvel[:] = before.qpos, before.qvel
        self._drives.targets = targets
        self._drives.apply()
        forward(self._model, self._data)
        since = min(self._steps - self._compiled_at, self.substeps)
        self._compiled_at = self._steps
        scales, previous = self._compiled.scales, self._closing
        self._closing = Closing.renewed(
            self._model, self._data, self._steps, scales, model, previous, since
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
            self._touching.update(self._compiled, self._data, self._steps)
        pending = self._touching.take()
        if self._tracker is not None:
            pending = sorted(pending + self._tracker.take(), key=lambda overlap: overlap.step)
        return pending

    def _track_jumps(self) -> None:
        """Update the overlaps of a state that no step produced: the start, or after a teleport."""
        if self._tracker is not None and self._tracker.is_stale:
            self._tracker.update(self._steps, self._read(), is_jump=True)

    def contacts(self) -> Contacts:
        """Return the contacts of the last step."""
        return read_contacts(self._model, self._data)

    def lost(self) -> list[int]:
        """Return nothing: MuJoCo solves all bodies at once, and fails as a whole."""
        return []

    def cast_ray(self, origin: Floats, direction: Floats, reach: float) -> RayHit | None:
        """Return the nearest solid collider within `reach` [m] along a unit direction."""
        self._read()
        return hit_by_ray(self._compiled, self._data, origin, direction, reach)

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
        self._update()
        joints = list(self._scene.joints)
        before, joints[joint] = joints[joint], value
        self._drives.forget(joint)
        self._change(joints=tuple(joints))
        if differs_in_targets(before, value):
            self._is_outdated, self._compiled_scene = False, self._scene
            self._drives.take_targets(joint, value)

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
        set_velocities(self._compiled, self._data, self._read(), wanted)
        self._rows = None

    def apply_force(self, body: int, force: Floats, point: Floats | None = None) -> None:
        """Apply a force [N] during the next step, at the centre of mass or at a world point [m]."""
        self._push(body, force, _NO_TORQUE, point)

    def apply_torque(self, body: int, torque: Floats) -> None:
        """Apply a torque [N m] during the next step."""
        self._push(body, _NO_TORQUE, torque, None)

    def _push(self, body: int, force: Floats, torque: Floats, point: Floats | None) -> None:
        self._update()
        if point is not None:
            self._read()
        push(self._data, int(self._compiled.bodies[body]), force, torque, point)
        self._forced = True

    def apply_impulse(self, body: int, impulse: Floats, point: Floats | None = None) -> None:
        """Apply an impulse [N s], at the centre of mass or at a world point [m]."""
        self._read()
        arm = np.zeros(3)
        if point is not None:
            arm = np.asarray(point) - self._data.xipos[self._compiled.bodies[body]]
        self._update()
        change = np.concatenate([impulse, np.cross(arm, impulse)])
        kick(self._model, self._data, int(self._compiled.bodies[body]), change)
        self._rows = None

    def set_drive_target(self, joint: int, drive: int, position: float, velocity: float) -> None:
        """Set new targets of a drive [m or rad, m/s or rad/s]."""
        self._update()
        self._drives.set_target(joint, drive, position, velocity)

    # --- snapshots ---

    def snapshot(self) -> bytes:
        """Return the whole state, for `restore`."""
        self._update()
        self._set_wanted_velocities()
        saved = Saved(
            scene=self._encoded.encode(self._scene),
            gravity=self._gravity,
            state=read_state(self._model, self._data),
            geoms=(self._model.geom_pos.copy(), self._model.geom_quat.copy()),
            drives=self._drives.state(),
            steps=self._steps,
            driven=self._driven.state(),
            tracker=None if self._tracker is None else self._tracker.state(),
            touching=self._touching.state(),
            frame=self._stepping.frame,
            closing=None if self._closing is None else self._closing.state,
        )
        return records.encode(tuple(saved))

    def restore(self, snapshot: bytes) -> None:
        """Return to a snapshot of the same scene; the simulation continues bit for bit."""
        saved = decode(snapshot)
        self._is_outdated, self._wanted = False, {}
        if self._closing is not None:
            self._closing.end()
        is_same = self._encoded.encode(self._scene) == saved.scene
        if is_same and self._scene is self._compiled_scene:
            mujoco.mj_resetData(self._model, self._data)
            self._rows, self._forced = None, False
        else:
            self._scene = self._encoded.decode(saved.scene)
            self._gravity = saved.gravity
            self._bind()
        self.gravity = saved.gravity
        self._model.geom_pos[:], self._model.geom_quat[:] = saved.geoms
        self._drives.restore(saved.drives)
        write_state(self._model, self._data, saved.state)
        self._steps = saved.steps
        self._touching.restore(saved.touching)
        self._stepping.frame = saved.frame
        self._closing = Closing.restored(self._model, saved.closing)
        self._driven.restore(saved.driven, self._compiled)
        if self._tracker is not None and saved.tracker is not None:
            self._tracker.restore(saved.tracker, self._read())


def _velocity(body: Body) -> Floats:
    return np.concatenate([body.linear_velocity, body.angular_velocity])
