"""A running simulation: step, push, drive, inspect and rewind a document."""

from __future__ import annotations

import copy
import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from ligament.arguments import checked, names_of
from ligament.arrays import Floats, Ints
from ligament.errors import (
    ContentError,
    LimitError,
    SimulationError,
    StrictError,
    counted,
    nearest,
)
from ligament.extensions.physics import read_physics
from ligament.extensions.rigid_bodies import Physics
from ligament.gltf.document import Document
from ligament.gltf.load import AnyDocument, as_document
from ligament.gltf.tree import find_carriers, scene_members
from ligament.losses import Loss
from ligament.options import calls
from ligament.options.groups import Stepping
from ligament.physics.animated_joints import fought_joints
from ligament.physics.crowding import FEW, require_room
from ligament.physics.engines import Contacts, Engine, State, engine_losses, make_engine
from ligament.physics.events import Event, EventLog
from ligament.physics.joint_state import JointValues
from ligament.physics.placement import Placement
from ligament.physics.scene import Body, Scene
from ligament.physics.scene_builder import Built, build_scene
from ligament.physics.shapes import Shape
from ligament.physics.unplayed import find_unplayed
from ligament.play.animated import AnimatedParts
from ligament.play.driven import DrivenParts
from ligament.play.handles import BodyHandle, Handles, JointHandle, values_of
from ligament.play.physics_tracks import PhysicsTracks
from ligament.play.saved_simulation import SavedSimulation, is_own, require_harmless
from ligament.play.sprung import parts_on_physical_springs
from ligament.rig.animator import Animator


class Hit(NamedTuple):
    """A ray's hit: the collider's node, its body's node (None: static), and the point [m]."""

    node: int
    body: int | None
    distance: float
    point: Floats
    normal: Floats


class Simulation:
    """The bodies, joints and triggers of a document in motion.

        sim = Simulation(load("door.glb"))
        for _ in range(60):
            sim.apply_force("Door", (0, 0, 5))
            sim.step()
        print(sim.time, sim.translation)

    `nodes` (N,) are the nodes of the bodies; `translation` (N, 3) [m], `rotation` (N, 4) xyzw,
    `linear_velocity` [m/s] and `angular_velocity` [rad/s] (N, 3) are current world values. `bodies`
    and `joints` are those of the file by name: `sim.bodies["Door"].translation`,
    `sim.joints["Hinge"].angles`. A node is given by its index or its name.

    One `step` is one frame at `rate` [Hz], in which the engine takes `substeps` steps: by default
    as many as the scene needs at the requested `quality`. `settings` is the engine's own settings
    object for finer control. `contacts` records contact events as well as trigger events. `lost`
    are the nodes of bodies that became non-finite and stay where they were. `strict` refuses a
    scene that the engine does not play exactly, instead of warning.
    """

    @calls.taking(Stepping)
    def __init__(self, document: AnyDocument, options: Stepping) -> None:
        document = as_document(document)
        self.document, self.rate, self._engine_name = document, options.rate, options.engine
        self._make_engine = partial(
            make_engine,
            engine=options.engine,
            rate=options.rate,
            substeps=options.substeps,
            quality=options.quality,
            contacts=options.contacts,
            settings=options.settings,
        )
        self.stage = Animator(
            document,
            animations=names_of(options.animations),
            loop=options.loop,
            rate=options.rate,
            spring_mode=options.spring_mode,
        )
        carriers = find_carriers(document)
        physics = read_physics(document, omi_stiffness=options.omi_stiffness, carriers=carriers)
        unplayed = find_unplayed(
            document,
            physics,
            carriers=carriers,
            tree=self.stage.tree,
            playing=self.stage.playing,
        )
        self._tracks: PhysicsTracks | None = None
        if any(clip.properties for clip in self.stage.clips):
            self._tracks = PhysicsTracks(document, physics, self.stage.clips, loop=options.loop)
            physics = self._tracks.declarations()
        built = _build(self.stage, options.scene, physics)
        if len(built.scene.colliders) > FEW:
            try:
                require_room(built.scene, document.limits)
            except LimitError as fault:
                raise fault.located(document.path) from None
        self._reshaping = built.reshaping
        pointless = () if self._tracks is None else self._tracks.findings
        losses = engine_losses(
            built.scene, options.engine, rate=options.rate, quality=options.quality
        )
        if options.strict and losses:
            raise _refusal(document, options.engine, losses)
        stage = self.stage
        fought = fought_joints(stage.tree, stage.clips, stage.driven, physics, stage.unsprung)
        document.warn_of((*physics.findings, *built.findings, *unplayed, *pointless, *fought))
        for loss in losses:
            document.warn(f"{loss.what}: {loss.reason}; {loss.effect}", loss.pointer)
        if self.stage.springs is not None:
            self._warn_of_springs(built.scene)
        self._begin(built.scene, _vector(options.gravity, "gravity"))

    def __repr__(self) -> str:
        name = self.document.path.name if self.document.path else "new document"
        bodies = counted(len(self._declared), "body", "bodies")
        joints = counted(len(self.scene.joints), "joint")
        engine = f"on {self._engine_name}"
        return f"<ligament.Simulation of {name} at {self.time:g} s: {bodies}, {joints}, {engine}>"

    def with_scene(self, scene: Scene) -> Simulation:
        """Return the start of a simulation of this document with another scene.

        The scene has the same nodes and differs in numbers (masses, velocities, materials, poses of
        bodies); all options are the same, and gravity has its current value.
        """
        other = copy.copy(self)
        other._begin(scene, self.gravity, like=self.engine)
        return other

    def _begin(
        self, scene: Scene, gravity: tuple[float, float, float], like: Engine | None = None
    ) -> None:
        """Reset everything to the start of a scene; `like` runs a similar one."""
        self.frame, self.lost = 0, list[int]()
        self._targets: dict[tuple[int, int], tuple[float, float]] = {}
        self._animated = self._animate(scene)
        states: tuple[Scene, ...] = ()
        if self._animated is not None:
            scene, states = self._animated.start, self._animated.states()
        self.scene = scene
        self.engine = self._make_engine(scene, gravity=gravity, states=states, like=like)
        self._warn_of_unsupported()
        self.substeps = self.engine.substeps
        self._step_time = 1 / (self.rate * self.substeps)
        self._problems = 0
        self._warn_of_problems()
        self._log = EventLog(scene)
        self._driven = self._drive(scene)
        if self._animated is not None:
            self._animated.rewind(0, self._step_time, self._driven)
        self._declared = np.flatnonzero([body.is_declared for body in scene.bodies])
        self._body_at = {body.node: i for i, body in enumerate(scene.bodies)}
        self._joint_at = {joint.node: i for i, joint in enumerate(scene.joints)}
        self._state: State | None = None
        self._pushes: list[Callable[[], None]] = []
        self._steps = 0

    def _drive(self, scene: Scene) -> DrivenParts | None:
        """Return the parts of a scene that animations or constraints move, if any."""
        if not self.stage.changed and self._reshaping is None:
            return None
        driven = DrivenParts(scene, self.stage, self._step_time, self._reshaping)
        return driven if driven else None

    def _animate(self, scene: Scene) -> AnimatedParts | None:
        """Return the parts of a scene that animations change, if any."""
        if self._tracks is None or not self._tracks.channels:
            return None
        stretch = Placement(self.stage.tree, self.stage.start()).unsigned
        stretched = () if self._reshaping is None else self._reshaping.colliders
        animated = AnimatedParts(self._tracks, scene, stretch, stretched)
        animated.targets = self._targets
        return animated

    def _warn_of_unsupported(self) -> None:
        """Warn of animated physics that an external engine cannot change."""
        missing = [] if self._animated is None else self._animated.missing_methods(self.engine)
        if missing:
            self._animated = None
            message = f"the engine has no {' and no '.join(missing)}, so animated physics"
            self.document.warn(f"{message} stays as it is at the start", "/animations")

    # --- state ---

    @property
    def time(self) -> float:
        """Time since the start [s]."""
        return self.frame / self.rate

    @property
    def nodes(self) -> Ints:
        """The nodes of the bodies (N,)."""
        return np.array([self.scene.bodies[i].node for i in self._declared], np.int64)

    @property
    def state(self) -> State:
        """Poses and velocities of all bodies of `scene`, including static ones."""
        if self._state is None:
            self._state = self.engine.state()
            if self._driven is not None:
                self._driven.correct(self._state, self._steps)
        return self._state

    @property
    def translation(self) -> Floats:
        """World positions of the body nodes (N, 3) [m]."""
        return self.state.translation[self._declared]

    @property
    def rotation(self) -> Floats:
        """World rotations of the body nodes (N, 4) xyzw."""
        return self.state.rotation[self._declared]

    @property
    def linear_velocity(self) -> Floats:
        """World velocities of the centres of mass (N, 3) [m/s]."""
        return self.state.linear_velocity[self._declared]

    @property
    def angular_velocity(self) -> Floats:
        """World angular velocities (N, 3) [rad/s]."""
        return self.state.angular_velocity[self._declared]

    @property
    def events(self) -> tuple[Event, ...]:
        """Trigger events so far, and contact events if requested."""
        for step, overlaps in groupby(self.engine.overlaps(), key=attrgetter("step")):
            self._log.record(step * self._step_time, list(overlaps))
        return tuple(self._log.events)

    @property
    def bodies(self) -> Handles[BodyHandle]:
        """The bodies of the file, by index or name, in the order of `nodes`."""
        return Handles("bodies", [BodyHandle(self, int(i)) for i in self._declared])

    @property
    def joints(self) -> Handles[JointHandle]:
        """The joints of the file, by index or name."""
        return Handles("joints", [JointHandle(self, i) for i in range(len(self.scene.joints))])

    @property
    def joint_values(self) -> JointValues:
        """Values of all limits (L,), positions and velocities (D,) of all drives, in order."""
        return values_of(self.joints)

    @property
    def scene_bodies(self) -> Sequence[Body]:
        """All bodies of `scene`, with their current masses and kinds."""
        scene = self.scene if self._animated is None else self._animated.scene
        reshaped = None if self._driven is None else self._driven.reshaped
        if reshaped is None or not reshaped.masses:
            return scene.bodies
        return [
            dataclasses.replace(body, mass=reshaped.masses.get(i, body.mass))
            for i, body in enumerate(scene.bodies)
        ]

    def moving_bounds(self, times: Floats) -> dict[tuple[int, int], tuple[Floats, Floats]]:
        """Bounds (F,) of animated limits at some times [s], by joint and limit.

        Joints are indices of `scene.joints`, limits those of the joint's `limits`.
        """
        return {} if self._animated is None else self._animated.bounds(times)

    def unscaled_shapes(self) -> dict[int, Shape]:
        """Return the unscaled shapes of the colliders that an animation resizes, by index."""
        return {} if self._reshaping is None else self._reshaping.unscaled(self.scene)

    def contacts(self) -> Contacts:
        """Contacts between solid shapes now: positions and forces [N]."""
        return self.engine.contacts()

    @property
    def gravity(self) -> tuple[float, float, float]:
        """Gravity [m/s²]; it can be changed at any time."""
        return self.engine.gravity

    @gravity.setter
    def gravity(self, value: Sequence[float]) -> None:
        self.engine.gravity = _vector(value, "gravity")

    # --- time ---

    def step(self) -> None:
        """Advance by one frame, 1 / `rate` seconds."""
        if self._animated is None and self._driven is None and not self._pushes:
            self.engine.step(self.substeps)
            self._steps += self.substeps
        else:
            for _ in range(self.substeps):
                self._advance()
        self._pushes.clear()
        self.frame += 1
        self._state = None
        self._warn_of_lost()
        self._warn_of_problems()

    def _advance(self) -> None:
        if self._animated is not None:
            self._animated.advance(self.engine, self._steps + 1, self._step_time, self._driven)
        if self._driven is not None:
            self._driven.advance(self.engine, self._steps + 1)
        for push in self._pushes:
            push()
        self.engine.step()
        self._steps += 1
        if self._driven is not None:
            self._driven.arrive(self.engine, self._steps)

    def _warn_of_springs(self, scene: Scene) -> None:
        for node in parts_on_physical_springs(self.stage, scene):
            message = f"{self.stage.tree.label(node)} is on spring bones that simulated bodies move"
            effect = "it follows only their animation while physics runs"
            self.document.warn(f"{message}: {effect}", f"/nodes/{node}")

    def _warn_of_lost(self) -> None:
        for body in self.engine.lost():
            node = self.scene.bodies[body].node
            self.lost.append(node)
            label = self.stage.tree.label(node)
            message = f"{label} became non-finite or went out of range at {self.time:g} s"
            self.document.warn(f"{message}; it stays where it was", f"/nodes/{node}")

    def _warn_of_problems(self) -> None:
        for collider, message in self.engine.problems[self._problems :]:
            node = self.scene.colliders[collider].node
            when = f" from {self.time:g} s on" if self.frame else ""
            label = self.stage.tree.label(node)
            self.document.warn(f"{label} is left out{when}: {message}", f"/nodes/{node}")
            self._problems += 1

    # --- control ---

    @checked
    def apply_force(
        self, node: int | str, force: Sequence[float], point: Sequence[float] | None = None
    ) -> None:
        """Apply a force [N] for the next frame, at the centre of mass or a world point [m]."""
        where = None if point is None else _floats(point, "the point")
        body, push = self._pushed(node), _floats(force, "the force")
        self._pushes.append(partial(self.engine.apply_force, body, push, where))

    @checked
    def apply_torque(self, node: int | str, torque: Sequence[float]) -> None:
        """Apply a torque [N m] during the next frame."""
        body, moment = self._pushed(node), _floats(torque, "the torque")
        self._pushes.append(partial(self.engine.apply_torque, body, moment))

    @checked
    def apply_impulse(
        self, node: int | str, impulse: Sequence[float], point: Sequence[float] | None = None
    ) -> None:
        """Apply an impulse [N s], at the centre of mass or at a world point [m]."""
        where = None if point is None else _floats(point, "the point")
        self.engine.apply_impulse(self._pushed(node), _floats(impulse, "the impulse"), where)
        self._state = None

    @checked
    def set_pose(
        self, node: int | str, translation: Sequence[float], rotation: Sequence[float]
    ) -> None:
        """Teleport a body: world position [m] and rotation xyzw."""
        turn = _floats(rotation, "the rotation", 4)
        if not np.isclose(np.linalg.norm(turn), 1.0, atol=1e-3):
            raise ContentError(f"the rotation is {turn.tolist()}", remedy="give a unit quaternion")
        self.engine.set_pose(self._body(node), _floats(translation, "the position"), turn)
        self._state = None

    @checked
    def set_velocity(
        self,
        node: int | str,
        linear: Sequence[float] = (0.0, 0.0, 0.0),
        angular: Sequence[float] = (0.0, 0.0, 0.0),
    ) -> None:
        """Set the velocity of the centre of mass [m/s] and the angular velocity [rad/s]."""
        velocities = _floats(linear, "the velocity"), _floats(angular, "the angular velocity")
        self.engine.set_velocity(self._body(node), *velocities)
        self._state = None

    @checked
    def set_drive_target(
        self,
        joint: int | str,
        *,
        position: float | None = None,
        velocity: float | None = None,
        drive: int = 0,
    ) -> None:
        """Set new targets [m or rad, m/s or rad/s] for a drive of the joint on a node.

        Omitted targets stay unchanged.
        """
        index = self._joint_at.get(self._node(joint))
        if index is None:
            raise self._unknown(joint, "no joint", self._joint_at)
        drives = self.scene.joints[index].drives
        if not 0 <= drive < len(drives):
            remedy = f"the joint has {len(drives)} drives"
            raise ContentError(f"there is no drive {drive}", file=self.document.path, remedy=remedy)
        for value in (position, velocity):
            if value is not None and not math.isfinite(value):
                raise ContentError(f"the drive target is {value}", remedy="give a finite number")
        start = (drives[drive].position_target, drives[drive].velocity_target)
        before = self._targets.get((index, drive), start)
        target = (
            before[0] if position is None else position,
            before[1] if velocity is None else velocity,
        )
        self._targets[index, drive] = target
        self.engine.set_drive_target(index, drive, *target)

    @checked
    def cast_ray(
        self,
        origin: Sequence[float],
        direction: Sequence[float],
        *,
        reach: float = math.inf,
    ) -> Hit | None:
        """Return the nearest solid collider within `reach` [m] along a direction."""
        along = _floats(direction, "the direction")
        length = float(np.linalg.norm(along))
        if length == 0:
            raise ContentError(
                "the direction has zero length", remedy="give one with a length above 0"
            )
        found = self.engine.cast_ray(_floats(origin, "the origin"), along / length, reach)
        if found is None:
            return None
        collider = self.scene.colliders[found.collider]
        body = self.scene.bodies[collider.body]
        owner = body.node if body.is_declared else None
        return Hit(collider.node, owner, found.distance, found.point, found.normal)

    # --- snapshots ---

    def snapshot(self) -> bytes:
        """Return the whole state; `restore` returns to it and continues bit for bit."""
        return SavedSimulation(
            parts=_parts(self.scene),
            frame=self.frame,
            steps=self._steps,
            targets=[(*drive, *target) for drive, target in self._targets.items()],
            lost=self.lost,
            log=self._log.state(),
            engine=self.engine.snapshot(),
        ).sealed()

    @checked
    def restore(self, snapshot: bytes) -> None:
        """Return to a snapshot of this simulation, or of another one of the same document.

        Other or modified bytes are refused with SimulationError; nothing in them is executed.
        Snapshots from other processes are first restored, and stepped once, in a fork of this one.
        """
        saved = SavedSimulation.opened(snapshot)
        if saved.parts != _parts(self.scene):
            raise SimulationError("the snapshot belongs to another scene")
        if not is_own(snapshot):
            require_harmless(saved, self._restore_and_step)
        self._restore(saved)

    def _restore_and_step(self, saved: SavedSimulation) -> None:
        self._restore(saved)
        self.step()

    def _restore(self, saved: SavedSimulation) -> None:
        self.engine.restore(saved.engine)
        self.frame, self._steps, self.lost = saved.frame, saved.steps, saved.lost
        self._targets = {(joint, drive): (p, v) for joint, drive, p, v in saved.targets}
        self._log.restore(saved.log)
        self._state = None
        if self._animated is not None:
            self._animated.targets = self._targets
            self._animated.rewind(self._steps, self._step_time, self._driven)

    # --- names ---

    def _body(self, node: int | str) -> int:
        body = self._body_at.get(self._node(node))
        if body is None:
            raise self._unknown(node, "no body", self._body_at)
        return body

    def _pushed(self, node: int | str) -> int:
        """Return the body to push, and warn if pushing it has no effect."""
        index = self._body(node)
        body = self.scene_bodies[index]
        if not body.is_free:
            label, description = self.stage.tree.label(body.node), str(body.kind)
            description = "moved by an animation" if body.is_driven else description
            message = f"{label} is {description}: forces and impulses do not move it"
            self.document.warn(f"{message}; a dynamic body is moved", f"/nodes/{body.node}")
        return index

    def _node(self, node: int | str) -> int:
        if not isinstance(node, str):
            return int(node)
        names = self.stage.tree.names
        found = [i for i, name in enumerate(names) if name == node]
        if len(found) != 1:
            what = "no node has" if not found else f"{len(found)} nodes have"
            listed = ", ".join(map(str, found[:8]))
            remedy = (
                f"give the index of one: {listed}" if found else nearest(node, filter(None, names))
            )
            raise ContentError(f"{what} the name {node!r}", file=self.document.path, remedy=remedy)
        return found[0]

    def _unknown(self, node: int | str, what: str, known: Mapping[int, int]) -> ContentError:
        nodes = [self.stage.tree.label(i) for i in sorted(known) if i >= 0]
        listed = ", ".join(nodes[:8]) + (", …" if len(nodes) > 8 else "") or "none"
        message = f"there is {what} on {node!r}"
        return ContentError(message, file=self.document.path, remedy=f"there are {listed}")


def _build(stage: Animator, scene: int | None, physics: Physics) -> Built:
    document = stage.document
    return build_scene(
        document,
        physics,
        tree=stage.tree,
        pose=stage.start(),
        animated=stage.animated,
        weights={node: values[0] for node, values in stage.weights(np.zeros(1)).items()},
        members=scene_members(document, stage.tree, scene),
    )


def _parts(scene: Scene) -> tuple[int, int, int, int]:
    """Return the numbers of parts of a scene, which tell its snapshots from those of others."""
    return len(scene.bodies), len(scene.colliders), len(scene.triggers), len(scene.joints)


def _refusal(document: Document, engine: str, losses: Sequence[Loss]) -> StrictError:
    count = len(losses)
    message = f"{engine} does not play {count} thing{'s' * (count != 1)} exactly, first {losses[0]}"
    return StrictError(
        message,
        losses=losses,
        file=document.path,
        remedy="use another engine or quality, or leave out strict",
    )


def _floats(values: Sequence[float], what: str, count: int = 3) -> Floats:
    try:
        array = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.shape != (count,) or not np.isfinite(array).all():
        raise ContentError(f"{what} is {values}", remedy=f"give {count} finite numbers")
    return array


def _vector(values: Sequence[float], what: str) -> tuple[float, float, float]:
    x, y, z = _floats(values, what).tolist()
    return x, y, z
