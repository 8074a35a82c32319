"""Rapier as an `Engine`: stepping, state, control and snapshots."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from operator import attrgetter
from typing import NoReturn

import numpy as np
import rapier3d as rp

from ligament.arrays import Floats
from ligament.errors import ContentError, SimulationError
from ligament.options.names import EARTH
from ligament.physics.collision.convex import Convex, convex
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
from ligament.physics.engines.constant_motion import ConstantMotion
from ligament.physics.engines.poses import as_pose, vector
from ligament.physics.engines.rapier.effort.settings import RapierSettings, choose
from ligament.physics.engines.rapier.joints.scene_joints import Parts, SceneJoints
from ligament.physics.engines.rapier.stage import Stage
from ligament.physics.engines.rapier.state.bodies import BodySource
from ligament.physics.engines.rapier.state.contacts import ContactListener, read_contacts
from ligament.physics.engines.rapier.state.driven import DrivenBodies, set_kind, set_mass
from ligament.physics.engines.rapier.state.rays import cast_ray
from ligament.physics.engines.rapier.state.reader import StateReader, as_state
from ligament.physics.engines.rapier.state.snapshots import Saved, reading
from ligament.physics.engines.rapier.state.triggers import Triggers
from ligament.physics.engines.rapier.workarounds.closing import ClosingGroups
from ligament.physics.engines.rapier.workarounds.crossings import Crossings
from ligament.physics.engines.rapier.workarounds.free_rotation import FreeRotations
from ligament.physics.engines.rapier.workarounds.gyroscopic import GyroscopicTorques
from ligament.physics.engines.rapier.workarounds.landings import Landings
from ligament.physics.engines.rapier.workarounds.panics import is_panic
from ligament.physics.engines.rapier.workarounds.round_contacts import round_shape
from ligament.physics.engines.rapier.workarounds.spinning import Spinning
from ligament.physics.engines.rapier.world.build import (
    BuiltWorld,
    build_world,
    is_constant,
    is_moving,
    rest_speeds,
    set_rest_speed,
    survive_forks,
)
from ligament.physics.engines.rapier.world.moving import MovingColliders
from ligament.physics.engines.rapier.world.origin import middle, shifted, shifted_pose
from ligament.physics.scene import Body, Collider, Joint, Pose, Scene
from ligament.physics.shapes import Hull


def make_engine(scene: Scene, request: Request) -> RapierEngine:
    """Return a simulation with the effort that the scene needs, or that the caller requests."""
    substeps, chosen = choose(
        scene, rate=request.rate, quality=request.quality, states=request.states
    )
    substeps = request.substeps or substeps
    settings = chosen if request.settings is None else request.settings
    if not isinstance(settings, RapierSettings):
        remedy = "give a RapierSettings"
        raise ContentError(f"settings of type {type(settings).__name__}", remedy=remedy)
    settings = dataclasses.replace(settings, step=1 / (request.rate * substeps))
    return RapierEngine(
        scene,
        settings,
        request.gravity,
        contacts=request.contacts,
        substeps=substeps,
        mobile_scene=_most_mobile_scene(scene, request.states) if request.states else None,
        like=request.like if isinstance(request.like, RapierEngine) else None,
    )


def _has_velocity(body: Body) -> bool:
    return bool(np.any(body.linear_velocity) or np.any(body.angular_velocity))


def _most_mobile_scene(scene: Scene, states: Sequence[Scene]) -> Scene:
    """Return a scene in which every body is free, or moving, that is so in any of its states."""
    bodies = [
        max(each, key=lambda body: (body.is_free, _has_velocity(body)))
        for each in zip(scene.bodies, *(state.bodies for state in states), strict=True)
    ]
    return dataclasses.replace(scene, bodies=tuple(bodies))


class RapierEngine:
    """A running simulation of one scene: an `Engine`."""

    _built: BuiltWorld
    _bodies: list[rp.RigidBody]

    def __init__(
        self,
        scene: Scene,
        settings: RapierSettings | None = None,
        gravity: Vector = EARTH,
        *,
        contacts: bool = False,
        substeps: int = 1,
        mobile_scene: Scene | None = None,
        like: RapierEngine | None = None,
    ) -> None:
        # A plan of colliders holds for one origin.
        self._origin: Floats = middle(mobile_scene or scene) if like is None else like._origin
        scene = shifted(scene, self._origin)
        mobile_scene = None if mobile_scene is None else shifted(mobile_scene, self._origin)
        self._parts, self.settings = Parts(scene), settings or RapierSettings()
        self.substeps = substeps
        self._gravity = vector(gravity)
        self._steps = 0
        self._is_broken = False
        try:
            self._built = build_world(
                scene,
                self.settings,
                self._gravity,
                contacts=contacts,
                mobile_scene=mobile_scene,
                like=None if like is None else like._built.plan,
            )
            world, handles = self._built.world, self._built.bodies
            self._source = BodySource(handles)
            self._source.bind(world)
            self._joints = SceneJoints(
                self._parts, self._built, self.settings, self._source, self._rebuild
            )
        except BaseException as error:
            self._raise_panic(error)
        self._forced: set[int] = set()
        self._make_stages(mobile_scene or scene, contacts=contacts)
        self._bind(world)
        self._rest_speeds = rest_speeds(scene)
        self._set_rest_speeds()
        for body in self._built.lost:
            self._freeze(body)

    def _make_stages(self, scene: Scene, *, contacts: bool) -> None:
        """Make the stages of a step, in their order; `scene` is the most mobile one."""
        built, settings, current = self._built, self.settings, self._scene
        moving = [i for i, body in enumerate(current.bodies) if is_moving(body)]
        motions = {i: ConstantMotion.of(b) for i, b in enumerate(current.bodies) if is_constant(b)}
        self._reader = StateReader(_start(current), moving)
        self._driven = DrivenBodies(motions, settings.step)
        self._moving = MovingColliders(scene, built, self._driven, settings.step)
        self._listener = ContactListener(built.collider_indices) if contacts else None
        self._triggers = Triggers(current, self._moving, self._read)
        stages: list[Stage | None] = [
            self._reader,
            self._driven,
            self._moving,
            Crossings(scene, built.masks, built.tiles),
            FreeRotations(current, settings.step),
            self._joints,
        ]
        if current.joints and sum(body.is_free for body in scene.bodies) > 1:
            stages.append(ClosingGroups(current, settings.step))
        if current.joints and not settings.native:
            stages.append(GyroscopicTorques(current, settings.step))
        if not settings.native:
            stages.append(Landings(scene))
        stages += [self._make_spinning(scene), built.corrections, self._listener, self._triggers]
        self._stages = [stage for stage in stages if stage is not None and stage.is_needed]

    def _make_spinning(self, scene: Scene) -> Spinning | None:
        corrections, hooks = self._built.corrections, self._built.hooks
        if hooks is None or (corrections.spins is None and not corrections.curved):
            return None
        return Spinning(scene, self._built.colliders, corrections.curved, self._asks_hooks)

    def _asks_hooks(self, collider: int) -> bool:
        """Tell whether pairs of a collider, by the engine's index, need the hook in any case."""
        hooks = self._built.hooks
        return hooks is not None and hooks.is_asked(collider)

    def _bind(self, world: rp.PhysicsWorld) -> None:
        """Bind to everything in a world, new or restored."""
        self._world = world
        survive_forks(self, world)
        world.physics_hooks = self._built.hooks
        self._source.bind(world)
        self._bodies = self._source.bodies
        for stage in self._stages:
            stage.bind(world, self._source)
        self._is_query_stale = True

    def _rebuild(self) -> None:
        """Let all stages adopt a scene with other masses, kinds of bodies, or joints."""
        for stage in self._stages:
            stage.rebuild(self._scene)

    @property
    def _scene(self) -> Scene:
        """The current scene."""
        return self._parts.scene

    def _raise_panic(self, error: BaseException) -> NoReturn:
        """Turn a fault inside the engine into an error; the remaining world is not used."""
        if not is_panic(error):
            raise error
        self._is_broken = True
        when = f"in step {self._steps + 1}" if self._steps else "at the start"
        raise SimulationError(f"the engine failed {when}: {error}") from None

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The colliders left out or disabled, and why."""
        return self._moving.all_problems

    @property
    def gravity(self) -> Vector:
        """Gravity [m/s²]."""
        return self._gravity

    @gravity.setter
    def gravity(self, gravity: Vector) -> None:
        self._gravity = vector(gravity)
        self._world.gravity = rp.Vec3(*self._gravity)
        self._set_rest_speeds()
        self._world.wake_up_all()

    def _set_rest_speeds(self) -> None:
        for each in zip(self._bodies, self._scene.bodies, self._rest_speeds, strict=True):
            set_rest_speed(*each, self._gravity)

    def step(self, count: int = 1) -> None:
        """Advance by some steps with forces applied in all; raise SimulationError on failure."""
        if self._is_broken:
            raise SimulationError("the engine failed earlier", remedy="build the scene again")
        self._triggers.track_jumps(self._steps)
        for _ in range(count):
            self._step_once()
        if self._forced:
            self._stop_forces()

    def _step_once(self) -> None:
        try:
            for stage in self._stages:
                stage.before_step(self._steps)
            self._world.step()
        except BaseException as error:
            self._raise_panic(error)
        self._steps += 1
        self._is_query_stale = False
        quarantine = self._world.quarantine
        if not quarantine.is_empty():
            for handle in quarantine.bodies:
                self._freeze(handle.index)
        for stage in self._stages:
            for body in stage.after_step(self._steps):
                self._reader.note(body)

    def _stop_forces(self) -> None:
        for body in self._forced:
            self._bodies[body].reset_forces(False)
            self._bodies[body].reset_torques(False)
        self._forced.clear()

    def state(self) -> State:
        """Return the current poses and velocities (arrays that later steps do not change)."""
        state = as_state(self._read().copy())
        state.translation[...] += self._origin
        return state

    def _read(self) -> Floats:
        """Return the current states (B, 13) of all bodies."""
        reader = self._reader
        reader.read()
        for body in reader.runaways():
            self._freeze(body)
        self._driven.write(reader.state)
        return reader.rows

    def overlaps(self) -> list[Overlap]:
        """Return the changes since the last call, up to and including the current state."""
        found = self._triggers.take(self._steps)
        return sorted(found + self._contact_overlaps(), key=attrgetter("step"))

    def _contact_overlaps(self) -> list[Overlap]:
        if self._listener is None:
            return []
        try:
            copy = rp.PhysicsWorld.restore(self._world.snapshot())
            copy.physics_hooks = self._built.hooks
            return self._listener.take(copy, self._steps)
        except BaseException as error:
            self._raise_panic(error)

    def contacts(self) -> Contacts:
        """Return the contacts of the last step."""
        contacts = read_contacts(self._world, self.settings.step)
        contacts.points[...] += self._origin
        return contacts

    def lost(self) -> list[int]:
        """Return the bodies that became non-finite since the last call and were frozen."""
        lost, self._reader.lost = self._reader.lost, []
        return lost

    def _freeze(self, body: int) -> None:
        if body not in self._reader.frozen:
            self._driven.motions.pop(body, None)
            self._reader.freeze(body)

    def drive_body(self, body: int, translation: Floats, rotation: Floats) -> None:
        """Move a driven body to a pose by the end of the next step, pushing others."""
        self._driven.move(body, as_pose(translation - self._origin, rotation))

    def place_collider(self, collider: int, translation: Floats, rotation: Floats) -> None:
        """Move a collider to a pose within its body by the end of the next step."""
        value = dataclasses.replace(self._moving[collider], pose=Pose(translation, rotation))
        self.set_collider(collider, value)

    def set_collider(self, collider: int, value: Collider, *, jumps: bool = False) -> None:
        """Set a new shape, pose or material of a collider; a shape without extent disables it.

        Its surface arrives there at the end of the next step, pushing others; one that `jumps` is
        there at once and pushes nothing. The body and the filter stay unchanged.
        """
        self._triggers.track_jumps(self._steps)
        self._moving.set(collider, value, jumps=jumps)
        self._is_query_stale = True
        self._triggers.set_collider(collider, value, jumps=jumps)

    def place_frame(self, joint: int, side: int, translation: Floats, rotation: Floats) -> None:
        """Move frame A (side 0) or B (side 1) of a joint within its body."""
        self._joints.place_frame(joint, side, translation, rotation)

    def set_drive_target(self, joint: int, drive: int, position: float, velocity: float) -> None:
        """Set new targets of a drive [m or rad, m/s or rad/s]."""
        self._joints.set_drive_target(joint, drive, position, velocity)

    def set_joint(self, joint: int, value: Joint) -> None:
        """Set other limits, drives, and ignored collisions of a joint."""
        self._joints.set_joint(joint, value)

    def set_body(self, body: int, value: Body) -> None:
        """Set another mass, gravity factor, kind or velocity of a body; its pose stays."""
        value = dataclasses.replace(value, pose=shifted_pose(value.pose, self._origin))
        before = self._scene.bodies[body]
        self._parts.set_body(body, value)
        if body in self._reader.frozen:
            return
        handle = self._bodies[body]
        if value.mass is not before.mass:
            if body in self._driven.motions:
                self._driven.set_center(body, vector(value.mass.center), self._steps)
            set_mass(handle, self._world.colliders, before.mass, value.mass)
            self._moving.set_mass(body, value.mass)
            self._joints.revise_body(body)
            self._rebuild()
        if value.kind is not before.kind:
            set_kind(handle, body, value, self._driven, self._steps)
            self._joints.remake()
            self._rebuild()
        handle.gravity_scale = value.gravity_factor
        self._reader.note(body)
        velocities = value.linear_velocity, value.angular_velocity
        if not np.array_equal(velocities, (before.linear_velocity, before.angular_velocity)):
            self.set_velocity(body, *velocities)
        set_rest_speed(handle, value, self._rest_speeds[body], self._gravity)
        handle.wake_up()

    def set_pose(self, body: int, translation: Floats, rotation: Floats) -> None:
        """Teleport a body."""
        there = as_pose(translation - self._origin, rotation)
        self._bodies[body].position = rp.Isometry3(*there)
        # The world centre of mass would be that of the old pose until the next step.
        self._bodies[body].recompute_mass_properties_from_colliders(self._world.colliders)
        if self._scene.bodies[body].is_free:
            self._bodies[body].wake_up()
        else:
            self._world.wake_up_all()  # it may be in the midst of what sleeps
        state = self._reader.state
        state.translation[body], state.rotation[body] = there
        self._reader.note(body)
        self._is_query_stale = True
        for stage in self._stages:
            stage.teleport(body, there, self._steps)

    def set_velocity(self, body: int, linear: Floats, angular: Floats) -> None:
        """Set the velocity of the centre of mass [m/s] and the angular velocity [rad/s]."""
        if body in self._driven.motions:
            self._driven.set_velocity(body, vector(linear), vector(angular), self._steps)
        elif self._scene.bodies[body].is_free:
            self._bodies[body].linvel = rp.Vec3(*vector(linear))
            self._bodies[body].angvel = rp.Vec3(*vector(angular))
            self._reader.note(body)

    def _seen(self, point: Floats) -> Vector:
        """Return a point of the world as seen from the local origin."""
        return vector(np.asarray(point) - self._origin)

    def apply_force(self, body: int, force: Floats, point: Floats | None = None) -> None:
        """Apply a force [N] during the next step, at the centre of mass or a world point [m]."""
        self._forced.add(body)
        if point is None:
            self._bodies[body].add_force(vector(force))
        else:
            self._bodies[body].add_force_at_point(vector(force), self._seen(point))

    def apply_torque(self, body: int, torque: Floats) -> None:
        """Apply a torque [N m] during the next step."""
        self._forced.add(body)
        self._bodies[body].add_torque(vector(torque))

    def apply_impulse(self, body: int, impulse: Floats, point: Floats | None = None) -> None:
        """Apply an impulse [N s], at the centre of mass or at a world point [m]."""
        if point is None:
            self._bodies[body].apply_impulse(vector(impulse))
        else:
            self._bodies[body].apply_impulse_at_point(vector(impulse), self._seen(point))
        self._reader.note(body)

    def cast_ray(self, origin: Floats, direction: Floats, reach: float) -> RayHit | None:
        """Return the nearest solid collider within `reach` [m] along a unit direction."""
        if self._is_query_stale:
            self._world.update_query_pipeline()
            self._is_query_stale = False
        start = self._seen(origin)
        hit = cast_ray(self._world, start, vector(direction), reach, self._round_shape)
        if hit is None:
            return None
        distance, axis, collider = hit
        # A ray that starts inside has no normal there: use the direction it came from.
        normal = np.array(axis) if distance > 0 else -np.asarray(direction)
        point = np.asarray(origin) + distance * np.asarray(direction)
        return RayHit(self._built.collider_indices[collider], distance, point, normal)

    def _round_shape(self, collider: int) -> Convex | None:
        """Return the shape that the hull of a collider approximates."""
        index = self._built.collider_indices[collider]
        shape = self._moving[index].shape
        if not isinstance(shape, Hull) or round_shape(shape) is None:
            return None
        return convex(shape)

    def snapshot(self) -> bytes:
        """Return the whole state, for `restore`."""
        return Saved(
            world=self._world.snapshot(),
            bodies=len(self._bodies),
            steps=self._steps,
            gravity=self._gravity,
            forced=sorted(self._forced),
            parts=records.encode(self._parts.memory),
            stages=records.encode({type(s).__name__: s.memory for s in self._stages}),
        ).encode()

    def restore(self, snapshot: bytes) -> None:
        """Return to a snapshot of the same scene; the simulation continues bit for bit."""
        saved = Saved.decode(snapshot)
        world = saved.restored_world(len(self._bodies))
        parts, memories = records.decode(saved.parts), records.decode(saved.stages)
        with reading():
            had_changed = self._parts.has_changed
            self._parts.restore(parts)
            self._bind(world)
            self._steps, self._gravity = saved.steps, saved.gravity
            self._forced = set(saved.forced)
            if had_changed or self._parts.has_changed:
                self._rebuild()
            for stage in self._stages:
                stage.restore(memories[type(stage).__name__])
        self._is_broken = False


def _start(scene: Scene) -> State:
    """Return the initial state of a scene."""
    bodies = scene.bodies
    moves = np.array([is_moving(b) for b in bodies], bool).reshape(-1, 1)
    return State(
        np.array([b.pose.translation for b in bodies], float).reshape(-1, 3),
        np.array([b.pose.rotation for b in bodies], float).reshape(-1, 4),
        np.where(moves, np.array([b.linear_velocity for b in bodies], float).reshape(-1, 3), 0.0),
        np.where(moves, np.array([b.angular_velocity for b in bodies], float).reshape(-1, 3), 0.0),
    )
