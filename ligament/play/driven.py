"""Driven parts of a scene: bodies, colliders, joint frames and shapes that an animation changes."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Bools, Floats, Indices
from ligament.extensions.declarations import GeometrySource
from ligament.gltf.animation import Pose as TreePose
from ligament.gltf.tree import below
from ligament.physics.engines import Engine, State
from ligament.physics.geometry import GeometryReader
from ligament.physics.mass import MassProperties, Part
from ligament.physics.placement import Placement, relative
from ligament.physics.reshaping import Reshaping
from ligament.physics.scene import Collider, Pose, Scene
from ligament.physics.shapes import Shape
from ligament.play.tracks import Bodies, is_simulated, lineage, physical_pose
from ligament.rig.animator import Animator

AHEAD = 64
"""Engine steps that are sampled at once."""

_SAME = 1e-9
"""Stretches that differ by less than this, relative to their size, differ by rounding."""


class Sampled(NamedTuple):
    """A run of steps, the first of which is the one before `first`: poses, and what jumps."""

    first: int
    pose: TreePose
    placement: Placement
    jumps: Bools
    weights: dict[int, Floats]
    deforms_at_once: Bools

    @property
    def has_jumps(self) -> bool:
        """Whether anything jumps in any of the steps."""
        return bool(self.jumps.any() or self.deforms_at_once.any())


class DrivenParts:
    """Gives the engine the poses and shapes of animated things, one step ahead.

    `step` [s] is the time of one step of the engine. What is animated below a body that the engine
    moves goes with that body; for this its pose after the step is estimated from its velocity.
    `scene` has the parts as they are now; `sources` are the geometries of colliders that have
    others than they were declared with, and those `renewed` got theirs for the coming step;
    `masses` are those that bodies got with the last one.
    """

    def __init__(self, scene: Scene, stage: Animator, step: float, reshaping: Reshaping) -> None:
        self.scene, self.stage, self.step, self._reshaping = scene, stage, step, reshaping
        self._bodies = [i for i, body in enumerate(scene.bodies) if body.is_driven]
        self._reshaped = reshaping.colliders
        self._placed = [
            i
            for i, collider in enumerate(scene.colliders)
            if collider.moves and i not in reshaping.colliders
        ]
        self._frames = [
            (i, side)
            for i, joint in enumerate(scene.joints)
            for side, frame in enumerate((joint.a, joint.b))
            if frame.moves
        ]
        self._free = [body.node for body in scene.bodies if is_simulated(body)]
        self._follow_physics()
        self._sampled: Sampled | None = None
        self.sources: dict[int, GeometrySource] = {}
        self.renewed: set[int] = set()
        self.masses: dict[int, MassProperties] = {}

    def __bool__(self) -> bool:
        """Tell whether an animation changes anything."""
        return bool(self._bodies or self._placed or self._frames or self._reshaped)

    # --- what depends on bodies that the engine moves ---

    def _follow_physics(self) -> None:
        """Find the driven bodies that follow simulated ones, and the latter."""
        scene, tree = self.scene, self.stage.tree
        pairs = [(c.source, c.destination) for c in self.stage.constraints.constraints]
        follows, bent = below(tree, self._free), np.zeros(len(tree), bool)
        for _ in pairs:
            bent = below(tree, [end for source, end in pairs if follows[source]])
            follows |= bent
        self._bent = bent
        self._followers = [i for i in self._bodies if follows[scene.bodies[i].node]]
        needed = [scene.bodies[i].node for i in self._followers]
        joints = [joint for joint in self._reshaping.joints if follows[joint]]
        if bent.any() or joints:
            needed = list(range(len(tree)))
        wanted = set(lineage(tree, np.array(needed, np.int64)).tolist())
        chosen = [i for i, b in enumerate(scene.bodies) if is_simulated(b) and b.node in wanted]
        self._leaders: Indices = np.array(chosen, np.intp)
        self._leading = np.array([scene.bodies[i].node for i in chosen], np.int64)
        self._centers = np.array([scene.bodies[i].mass.center for i in chosen]).reshape(-1, 3)
        self._depends = bool(chosen) and bool(self._followers or joints or bent.any())

    def _present(self, state: State) -> Bodies:
        """Return where the bodies that others follow are."""
        rotation = tf.normalize(state.rotation[self._leaders])
        return Bodies(self._leading, state.translation[None, self._leaders], rotation[None])

    def _estimated(self, state: State) -> Bodies:
        """Return where the bodies that others follow will be after a step, by their velocities."""
        at, rotation, linear, angular = (part[self._leaders] for part in state)
        center = at + tf.rotate(rotation, self._centers) + linear * self.step
        turned = tf.multiply(tf.exp(angular * self.step), rotation)
        place = center - tf.rotate(turned, self._centers)
        return Bodies(self._leading, np.asarray(place)[None], np.asarray(turned)[None])

    def _physical(self, row: TreePose, bodies: Bodies) -> TreePose:
        """Return the local transforms (N, …) of all nodes with bodies where they are."""
        pose = physical_pose(self.stage, TreePose(*(x[None] for x in row)), bodies)
        return TreePose(*(x[0] for x in pose))

    def correct(self, state: State, step: int) -> None:
        """Put the bodies that follow simulated ones exactly where they belong after a step."""
        if not self._followers or not self._depends:
            return
        sampled, row = self._at(step)
        pose = self._physical(_row(sampled.pose, row), self._present(state))
        placement = Placement(self.stage.tree, pose)
        for body in self._followers:
            node = self.scene.bodies[body].node
            state.translation[body] = placement.translation[node]
            state.rotation[body] = placement.rotation[node]

    # --- one step ---

    def advance(self, engine: Engine, step: int) -> None:
        """Have everything driven on its way to where it is after a step (counted from 1)."""
        if self:
            self._tell(engine, step, jumping=False)

    def arrive(self, engine: Engine, step: int) -> None:
        """Put what jumps in a step where it is after it: so long, it stays where it was."""
        if self and self._at(step)[0].has_jumps:
            self._tell(engine, step, jumping=True)

    def _tell(self, engine: Engine, step: int, *, jumping: bool) -> None:
        """Tell the engine about what jumps in a step, or about what does not."""
        sampled, row = self._at(step)
        placement = moving = _Placed(sampled.placement, row)
        pose = _row(sampled.pose, row)
        if self._depends:
            state = engine.state()
            bodies = self._present(state) if jumping else self._estimated(state)
            pose = self._physical(pose, bodies)
            moving = _Placed(Placement(self.stage.tree, pose), None)
        jumps = sampled.jumps[row - 1]
        for body in self._bodies:
            node = self.scene.bodies[body].node
            if jumps[node] == jumping:
                move = engine.set_pose if jumping else engine.drive_body
                there = moving.of(node)
                move(body, there.translation, there.rotation)
        for i in self._placed:
            collider = self.scene.colliders[i]
            if jumps[collider.node] == jumping:
                placed = moving if self._bent[collider.node] else placement
                value = dataclasses.replace(collider, pose=self._within(placed, collider))
                engine.set_collider(i, value, jumps=jumping)
        for i, side in self._frames:
            joint = self.scene.joints[i]
            frame = (joint.a, joint.b)[side]
            if jumps[frame.node] == jumping:
                holder = self.scene.bodies[frame.body].node
                placed = moving if self._bent[frame.node] else placement
                there = placed.within(frame.node, holder)
                engine.place_frame(i, side, there.translation, there.rotation)
        if self._reshaped:
            self._reshape(engine, sampled, row, pose, jumping=jumping)

    def _within(self, placed: _Placed, collider: Collider) -> Pose:
        """Return the pose of a collider in its body."""
        if not collider.moves:
            return collider.pose
        return placed.within(collider.node, self.scene.bodies[collider.body].node)

    # --- shapes ---

    def _reshape(
        self, engine: Engine, sampled: Sampled, row: int, pose: TreePose, *, jumping: bool
    ) -> None:
        """Give the engine the shapes that changed, and the masses that follow from them."""
        stretch, jumps = sampled.placement.stretch, sampled.jumps[row - 1]
        placed, reader = _Placed(sampled.placement, row), None
        if self._reshaping.deforming and (self._depends or self._deforms(sampled, row)):
            weights = {node: values[row] for node, values in sampled.weights.items()}
            reader = self._reshaping.posed(pose, weights)
        reshaped = set()
        for i in self._reshaped:
            collider = self.scene.colliders[i]
            node = collider.node
            is_stretched = _differs(stretch[row, node], stretch[row - 1, node])
            is_stretched = is_stretched or i in self.renewed
            is_deformed = reader is not None and i in self._reshaping.deforming
            at_once = jumps[node] or (is_deformed and sampled.deforms_at_once[row - 1])
            if bool(at_once) is not jumping:
                continue
            within = self._within(placed, collider)
            if is_stretched or is_deformed:
                shape = self._shape(i, node, stretch[row, node], reader)
                value = dataclasses.replace(collider, shape=shape, pose=within)
                engine.set_collider(i, value, jumps=jumping)
                reshaped.add(collider.body)
            elif collider.moves:
                engine.place_collider(i, within.translation, within.rotation)
        for body in self._reshaping.weighed:
            if body in reshaped:
                self._weigh(engine, body, placed, reader)
        self.renewed.clear()

    def _shape(
        self, index: int, node: int, stretch: Floats, reader: GeometryReader | None
    ) -> Shape:
        source = self.sources.get(index)
        return self._reshaping.shape(index, node, stretch, reader, source)

    def _deforms(self, sampled: Sampled, row: int) -> bool:
        """Tell whether anything that surfaces are made of changes in a step."""
        changing = (*sampled.pose, *sampled.weights.values())
        return any(not np.array_equal(values[row], values[row - 1]) for values in changing)

    def _weigh(
        self, engine: Engine, index: int, placed: _Placed, reader: GeometryReader | None
    ) -> None:
        """Give a body the mass that its shapes have now."""
        body, parts = self.scene.bodies[index], []
        for i, collider in enumerate(self.scene.colliders):
            if collider.body == index and not collider.is_sensor:
                shape, pose = collider.shape, self._within(placed, collider)
                if i in self._reshaped:
                    stretch = placed.stretch(collider.node)
                    shape = self._shape(i, collider.node, stretch, reader)
                parts.append(Part(shape, pose.translation, pose.rotation))
        mass = self._reshaping.mass(index, placed.stretch(body.node), parts)
        if mass is not None:
            self.masses[index] = mass
            engine.set_body(index, dataclasses.replace(body, mass=mass))

    def _at(self, step: int) -> tuple[Sampled, int]:
        """Return the samples of the run of steps that contains one, and its row there."""
        ahead = max(1, min(AHEAD, (1 << 20) // max(1, len(self.stage.tree))))
        first = step - step % ahead
        if self._sampled is None or self._sampled.first != first:
            before = max(0, first - 1)
            times = np.append(before, np.arange(first, first + ahead)) * self.step
            pose = self.stage.pose(times)
            self._sampled = Sampled(
                first,
                pose,
                Placement(self.stage.tree, pose),
                self.stage.jumps(times, self._free),
                self.stage.weights(times) if self._reshaping.deforming else {},
                self.stage.deforms_at_once(times),
            )
        return self._sampled, step - first + 1


class _Placed:
    """World frames of all nodes: those of one row of a placement, or of one that has no rows."""

    def __init__(self, placement: Placement, row: int | None) -> None:
        self._translation, self._rotation, self._stretch = (
            values if row is None else values[row]
            for values in (placement.translation, placement.rotation, placement.stretch)
        )

    def of(self, node: int) -> Pose:
        """Return the frame of a node."""
        return Pose(self._translation[node], self._rotation[node])

    def stretch(self, node: int) -> Floats:
        """Return the stretch (3, 3) of a node."""
        return np.asarray(self._stretch[node])

    def within(self, node: int, holder: int) -> Pose:
        """Return the frame of a node in the frame of the node that holds it (-1: the world)."""
        return self.of(node) if holder < 0 else relative(self.of(holder), self.of(node))


def _row(pose: TreePose, row: int) -> TreePose:
    return TreePose(*(values[row] for values in pose))


def _differs(a: Floats, b: Floats) -> bool:
    """Tell whether two stretches (3, 3) differ by more than rounding."""
    return bool(np.abs(a - b).max() > _SAME * np.abs(a).max())
