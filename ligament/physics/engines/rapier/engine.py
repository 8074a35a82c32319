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
from ligament.physics.collision.tracker import OverlapTracker, TrackerState
from ligament.physics.engines import Contacts, Overlap, Problem, RayHit, Request, State, Vector
from ligament.physics.engines.constant_motion import ConstantMotion
from ligament.physics.engines.poses import as_pose, vector
from ligament.physics.engines.rapier.effort.settings import RapierSettings, choose
from ligament.physics.engines.rapier.joints.scene_joints import Parts, SceneJoints
from ligament.physics.engines.rapier.state.bodies import BodySource, StateReader, as_state
from ligament.physics.engines.rapier.state.contacts import ContactListener, read_contacts
from ligament.physics.engines.rapier.state.driven import DrivenBodies, set_kind, set_mass
from ligament.physics.engines.rapier.state.rays import cast_ray
from ligament.physics.engines.rapier.state.snapshots import Saved
from ligament.physics.engines.rapier.workarounds.crossings import Crossings
from ligament.physics.engines.rapier.workarounds.landings import Landings
from ligament.physics.engines.rapier.workarounds.panics import is_panic
from ligament.physics.engines.rapier.workarounds.rolling import Rolling, RollingShape
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
            self._joints = SceneJoints(self._parts, self._built, self.settings, self._source)
        except BaseException as error:
            self._raise_panic(error)
        self._most_mobile_scene = mobile_scene or scene
        self._moving: MovingColliders | None = None
        constant = [(i, b) for i, b in enumerate(scene.bodies) if is_constant(b)]
        self._driven = DrivenBodies(
            {i: ConstantMotion.of(b) for i, b in constant}, self.settings.step
        )
        self._rolling = self._make_rolling(self._most_mobile_scene)
        self._spinning = self._make_spinning(self._most_mobile_scene)
        self._landings = self._make_landings(self._most_mobile_scene)
        self._crossings = self._make_crossings(self._most_mobile_scene)
        self._forced: set[int] = set()
        self._listener = ContactListener(self._built.collider_indices) if contacts else None
        has_sensors = any(c.is_sensor for c in scene.colliders)
        left_out = {problem.collider for problem in self.problems}
        self._tracker = OverlapTracker(scene, left_out) if has_sensors else None
        self._frozen: list[int] = []
        self._lost: list[int] = []
        self._reader = StateReader(
            _start(scene), [i for i, b in enumerate(scene.bodies) if is_moving(b)]
        )
        self._bind(world)
        if self._crossings is not None:
            self._crossings.start()
        self._rest_speeds = rest_speeds(scene)
        self._set_rest_speeds()
        for body in self._built.lost:
            self._freeze(body)

    def _make_rolling(self, scene: Scene) -> Rolling | None:
        if self.settings.native or not any(
            isinstance(c.shape, RollingShape) for c in scene.colliders
        ):
            return None
        return Rolling(scene, self._built.colliders, self.settings.step)

    def _make_spinning(self, scene: Scene) -> Spinning | None:
        corrections = self._built.corrections
        if corrections.spins is None and not corrections.curved:
            return None
        spinning = Spinning(scene, self._built.colliders, corrections.curved)
        return spinning if spinning.is_needed else None

    def _make_landings(self, scene: Scene) -> Landings | None:
        landings = None if self.settings.native else Landings(scene)
        return landings if landings is not None and landings.is_needed else None

    def _make_crossings(self, scene: Scene) -> Crossings | None:
        crossings = Crossings(scene, self._built.masks, self._built.tiles)
        return crossings if crossings.is_needed else None

    def _bind(self, world: rp.PhysicsWorld) -> None:
        """Bind to everything in a world, new or restored."""
        self._world = world
        survive_forks(self, world)
        if self._listener is not None:
            self._listener.listen(world)
        world.physics_hooks = self._built.hooks
        self._built.corrections.set_gravity(self._gravity)
        self._source.bind(world)
        self._bodies = self._source.bodies
        self._driven.bind(self._bodies)
        self._joints.bind(world)
        if self._moving is not None or self._built.carriers:
            self._changing().bind(world)
        if self._rolling is not None:
            self._rolling.bind(world, self._source)
        if self._spinning is not None:
            self._spinning.bind(world, self._source)
        if self._landings is not None:
            self._landings.bind(world, self._source)
        if self._crossings is not None:
            self._crossings.bind(self._source)
        self._reader.bind(world, self._source, frozen=self._frozen)
        self._is_query_stale = True

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
        later = [] if self._moving is None else self._moving.problems
        return (*self._built.problems, *later)

    @property
    def gravity(self) -> Vector:
        """Gravity [m/s²]."""
        return self._gravity

    @gravity.setter
    def gravity(self, gravity: Vector) -> None:
        self._gravity = vector(gravity)
        self._world.gravity = rp.Vec3(*self._gravity)
        self._built.corrections.set_gravity(self._gravity)
        self._set_rest_speeds()
        self._world.wake_up_all()

    def _set_rest_speeds(self) -> None:
        for each in zip(self._bodies, self._scene.bodies, self._rest_speeds, strict=True):
            set_rest_speed(*each, self._gravity)

    def step(self, count: int = 1) -> None:
        """Advance by some steps with forces applied in all; raise SimulationError on failure."""
        if self._is_broken:
            raise SimulationError("the engine failed earlier", remedy="build the scene again")
        self._track_jumps()
        for _ in range(count):
            self._step_once()
        if self._forced:
            self._stop_forces()

    def _step_once(self) -> None:
        try:
            self._prepare_step()
            self._world.step()
        except BaseException as error:
            self._raise_panic(error)
        self._steps += 1
        self._reader.note_step()
        self._is_query_stale = False
        self._driven.after_step()
        self._restore_bodies()
        if self._listener is not None:
            self._listener.collect(self._steps - 1)
        if not (quarantine := self._world.quarantine).is_empty():
            for handle in quarantine.bodies:
                self._freeze(handle.index)
        if self._tracker is not None:
            self._tracker.update(self._steps, self._read())

    def _prepare_step(self) -> None:
        self._built.corrections.before_step()
        self._driven.before_step(self._steps)
        if self._moving is not None:
            self._moving.before_step(self._driven.targets)
        self._joints.before_step()
        if self._rolling is not None:
            self._rolling.before_step(self._steps)
        if self._spinning is not None and (hooks := self._built.hooks) is not None:
            self._spinning.before_step(self._steps, hooks.is_asked)
        if self._landings is not None:
            self._landings.before_step()

    def _restore_bodies(self) -> None:
        """Restore bodies that passed through walls, and groups thrown by an impact."""
        found = self._crossings.after_step() if self._crossings is not None else []
        found += self._joints.after_step(is_pushed=bool(self._forced))
        for body in found:
            self._reader.note(body)

    def _stop_forces(self) -> None:
        for body in self._forced:
            self._bodies[body].reset_forces(False)
            self._bodies[body].reset_torques(False)
        self._forced.clear()

    def state(self) -> State:
        """Return the current poses and velocities (arrays that later steps do not change)."""
        return as_state(self._read().copy())

    def _read(self) -> Floats:
        """Return the current states (B, 13) of all bodies."""
        reader = self._reader
        reader.read()
        for body in reader.runaways():
            self._freeze(body)
        self._driven.write(reader.state)
        return reader.rows

    def _restore_tracker(self, state: TrackerState | None) -> None:
        if self._tracker is None or state is None:
            return
        if self._moving is not None:
            for i, collider in enumerate(self._scene.colliders):
                if collider.changes and self._is_usable(i):
                    self._tracker.set_collider(i, self._moving[i])
        self._tracker.restore(state, self._reader.rows)

    def _track_jumps(self) -> None:
        """Examine a state that no step led to: the start, or after a teleport."""
        if self._tracker is not None and self._tracker.is_stale:
            self._tracker.update(self._steps, self._read(), is_jump=True)

    def overlaps(self) -> list[Overlap]:
        """Return the changes since the last call, up to and including the current state."""
        self._track_jumps()
        found = self._tracker.take() if self._tracker is not None else []
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
        return read_contacts(self._world, self.settings.step)

    def lost(self) -> list[int]:
        """Return the bodies that became non-finite since the last call and were frozen."""
        lost, self._lost = self._lost, []
        return lost

    def _freeze(self, body: int) -> None:
        if body not in self._frozen:
            self._frozen.append(body)
            self._lost.append(body)
            self._driven.motions.pop(body, None)
            self._reader.freeze(body)

    def drive_body(self, body: int, translation: Floats, rotation: Floats) -> None:
        """Move a driven body to a pose by the end of the next step, pushing others."""
        self._driven.move(body, as_pose(translation, rotation))

    def place_collider(self, collider: int, translation: Floats, rotation: Floats) -> None:
        """Move a collider to a pose within its body by the end of the next step."""
        value = dataclasses.replace(self._changing()[collider], pose=Pose(translation, rotation))
        self.set_collider(collider, value)

    def set_collider(self, collider: int, value: Collider, *, jumps: bool = False) -> None:
        """Set a new shape, pose or material of a collider; a shape without extent disables it.

        Its surface arrives there at the end of the next step, pushing others; one that `jumps` is
        there at once and pushes nothing. The body and the filter stay unchanged.
        """
        self._track_jumps()
        self._changing().set(collider, value, jumps=jumps)
        self._is_query_stale = True
        if self._tracker is not None and self._is_usable(collider):
            self._tracker.set_collider(collider, value)
            self._tracker.is_stale = jumps

    def _is_usable(self, collider: int) -> bool:
        return all(problem.collider != collider for problem in self.problems)

    def _changing(self) -> MovingColliders:
        """Return the object that changes colliders, created on demand."""
        if self._moving is None:
            self._moving = MovingColliders(self._most_mobile_scene, self._built, self.settings.step)
            self._moving.bind(self._world)
        return self._moving

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
        before = self._scene.bodies[body]
        self._parts.set_body(body, value)
        if body in self._frozen:
            return
        handle = self._bodies[body]
        if value.mass is not before.mass:
            if body in self._driven.motions:
                self._driven.set_center(body, vector(value.mass.center), self._steps)
            set_mass(handle, self._world.colliders, before.mass, value.mass)
            self._changing().set_mass(body, value.mass)
            self._joints.revise_body(body)
        if value.kind is not before.kind:
            set_kind(handle, body, value, self._driven, self._steps)
            self._joints.rebuild()
        handle.gravity_scale = value.gravity_factor
        self._reader.note(body)
        velocities = value.linear_velocity, value.angular_velocity
        if not np.array_equal(velocities, (before.linear_velocity, before.angular_velocity)):
            self.set_velocity(body, *velocities)
        set_rest_speed(handle, value, self._rest_speeds[body], self._gravity)
        handle.wake_up()

    def set_pose(self, body: int, translation: Floats, rotation: Floats) -> None:
        """Teleport a body."""
        there = as_pose(translation, rotation)
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
        if self._tracker is not None:
            self._tracker.is_stale = True
        self._driven.teleport(body, there, self._steps)
        if self._crossings is not None:
            self._crossings.start()
        if self._moving is not None:
            self._moving.teleport(body, there)
        self._joints.body_teleported(body)

    def set_velocity(self, body: int, linear: Floats, angular: Floats) -> None:
        """Set the velocity of the centre of mass [m/s] and the angular velocity [rad/s]."""
        if body in self._driven.motions:
            self._driven.set_velocity(body, vector(linear), vector(angular), self._steps)
        elif self._scene.bodies[body].is_free:
            self._bodies[body].linvel = rp.Vec3(*vector(linear))
            self._bodies[body].angvel = rp.Vec3(*vector(angular))
            self._reader.note(body)

    def apply_force(self, body: int, force: Floats, point: Floats | None = None) -> None:
        """Apply a force [N] during the next step, at the centre of mass or a world point [m]."""
        self._forced.add(body)
        if point is None:
            self._bodies[body].add_force(vector(force))
        else:
            self._bodies[body].add_force_at_point(vector(force), vector(point))

    def apply_torque(self, body: int, torque: Floats) -> None:
        """Apply a torque [N m] during the next step."""
        self._forced.add(body)
        self._bodies[body].add_torque(vector(torque))

    def apply_impulse(self, body: int, impulse: Floats, point: Floats | None = None) -> None:
        """Apply an impulse [N s], at the centre of mass or at a world point [m]."""
        if point is None:
            self._bodies[body].apply_impulse(vector(impulse))
        else:
            self._bodies[body].apply_impulse_at_point(vector(impulse), vector(point))
        self._reader.note(body)

    def cast_ray(self, origin: Floats, direction: Floats, reach: float) -> RayHit | None:
        """Return the nearest solid collider within `reach` [m] along a unit direction."""
        if self._is_query_stale:
            self._world.update_query_pipeline()
            self._is_query_stale = False
        hit = cast_ray(self._world, vector(origin), vector(direction), reach, self._round_shape)
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
        value = self._scene.colliders[index] if self._moving is None else self._moving[index]
        shape = value.shape
        if not isinstance(shape, Hull) or round_shape(shape) is None:
            return None
        return convex(shape)

    def snapshot(self) -> bytes:
        """Return the whole state, for `restore`."""
        self._reader.read()
        return Saved(
            world=self._world.snapshot(),
            joints=self._joints.state(),
            state=self._reader.rows.tobytes(),
            seen=self._crossings.seen.tobytes() if self._crossings is not None else b"",
            steps=self._steps,
            gravity=self._gravity,
            motions=self._driven.motions,
            targets=self._driven.targets,
            poses=self._driven.poses,
            colliders=b"" if self._moving is None else self._moving.state(),
            forced=sorted(self._forced),
            overlaps=self._tracker.state() if self._tracker is not None else None,
            contacts=self._listener.waiting if self._listener is not None else [],
            foreseen=self._listener.foreseen if self._listener is not None else [],
            frozen=self._frozen,
            lost=self._lost,
            parts=self._parts.saved(),
            engine_joints=self._joints.saved(),
        ).encode()

    def restore(self, snapshot: bytes) -> None:
        """Return to a snapshot of the same scene; the simulation continues bit for bit."""
        saved = Saved.decode(snapshot)
        world = saved.restored_world(self._reader.rows.nbytes)
        self._steps, self._gravity = saved.steps, saved.gravity
        self._driven.motions, self._driven.targets = saved.motions, saved.targets
        self._driven.poses = saved.poses
        self._forced = set(saved.forced)
        if self._listener is not None:
            self._listener.waiting, self._listener.foreseen = saved.contacts, saved.foreseen
        self._frozen, self._lost = saved.frozen, saved.lost
        self._reader.rows[:] = np.frombuffer(saved.state).reshape(self._reader.rows.shape)
        self._parts.restore(saved.parts)
        if self._crossings is not None:
            self._crossings.seen[:] = np.frombuffer(saved.seen).reshape(self._crossings.seen.shape)
        self._bind(world)
        if self._moving is not None or saved.colliders:
            self._changing().restore(saved.colliders)
        self._restore_tracker(saved.overlaps)
        self._joints.restore(world, saved)
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
