"""Driven parts of a scene: bodies, colliders, joint frames and shapes that animations move."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Bools, Indices
from ligament.gltf.animation import Pose as TreePose
from ligament.gltf.tree import NodeTree, below
from ligament.physics.engines import Engine, State
from ligament.physics.placement import Placement
from ligament.physics.reshaping import Reshaping
from ligament.physics.scene import Scene
from ligament.play.physical import Bodies, is_simulated, lineage, physical_pose
from ligament.play.reshaped import ReshapedParts
from ligament.play.sampling import Placed, Sampler
from ligament.rig.animator import Animator


class DrivenParts:
    """Moves animated bodies, colliders and shapes in the engine, one step ahead.

    `step` [s] is the length of an engine step. Parts animated below a simulated body move with that
    body; its pose after the step is estimated from its velocity. `scene` holds the current parts;
    `reshaped` are those whose shapes change.
    """

    def __init__(
        self, scene: Scene, stage: Animator, step: float, reshaping: Reshaping | None
    ) -> None:
        self.scene, self.stage, self.step = scene, stage, step
        self._bodies = [i for i, body in enumerate(scene.bodies) if body.is_driven]
        self.reshaped = None if reshaping is None else ReshapedParts(scene, reshaping)
        self._placed = [
            i
            for i, collider in enumerate(scene.colliders)
            if collider.moves and not (reshaping is not None and i in reshaping.colliders)
        ]
        self._frames = [
            (i, side)
            for i, joint in enumerate(scene.joints)
            for side, frame in enumerate((joint.a, joint.b))
            if frame.moves
        ]
        self._free = [body.node for body in scene.bodies if is_simulated(body)]
        self._sampler = Sampler(stage, step, self._free)
        self._follow_physics([] if reshaping is None else reshaping.joints)

    def __bool__(self) -> bool:
        """Tell whether animations move anything."""
        has_parts = self._bodies or self._placed or self._frames
        return bool(has_parts) or self.reshaped is not None

    # --- parts that depend on simulated bodies ---

    def _follow_physics(self, joints: Collection[int]) -> None:
        """Find the driven bodies and skin joints that follow simulated bodies, and those bodies."""
        scene, tree = self.scene, self.stage.tree
        pairs = [(c.source, c.destination) for c in self.stage.constraints.constraints]
        follows = _reached(tree, self._free, pairs) if pairs else below(tree, self._free)
        bent = below(tree, [end for source, end in pairs if follows[source]])
        self._bent = bent
        self._followers = [i for i in self._bodies if follows[scene.bodies[i].node]]
        needed = [scene.bodies[i].node for i in self._followers]
        frames = [(scene.joints[i].a, scene.joints[i].b)[side].node for i, side in self._frames]
        is_bent = bent[[*needed, *(scene.colliders[i].node for i in self._placed), *frames]].any()
        self._skins_follow = any(follows[joint] for joint in joints)
        if is_bent or self._skins_follow:
            needed = list(range(len(tree)))
        wanted = set(lineage(tree, np.array(needed, np.int64)).tolist())
        chosen = [i for i, b in enumerate(scene.bodies) if is_simulated(b) and b.node in wanted]
        self._leaders: Indices = np.array(chosen, np.intp)
        self._leading = np.array([scene.bodies[i].node for i in chosen], np.int64)
        self._centers = np.array([scene.bodies[i].mass.center for i in chosen]).reshape(-1, 3)
        self._depends = bool(chosen) and bool(self._followers or self._skins_follow or is_bent)

    def _present(self, state: State) -> Bodies:
        """Return the current poses of the bodies that others follow."""
        rotation = tf.normalize(state.rotation[self._leaders])
        return Bodies(self._leading, state.translation[None, self._leaders], rotation[None])

    def _estimated(self, state: State) -> Bodies:
        """Estimate from velocities where the bodies that others follow will be after a step."""
        at, rotation, linear, angular = (part[self._leaders] for part in state)
        center = at + tf.rotate(rotation, self._centers) + linear * self.step
        turned = tf.multiply(tf.exp(angular * self.step), rotation)
        place = center - tf.rotate(turned, self._centers)
        return Bodies(self._leading, np.asarray(place)[None], np.asarray(turned)[None])

    def _physical(self, row: TreePose, bodies: Bodies) -> TreePose:
        """Return the local transforms (N, …) of all nodes with bodies at their current poses."""
        pose = physical_pose(self.stage, TreePose(*(x[None] for x in row)), bodies)
        return TreePose(*(x[0] for x in pose))

    def correct(self, state: State, step: int) -> None:
        """Place the bodies that follow simulated ones exactly, after a step."""
        if not self._followers or not self._depends:
            return
        sampled, row = self._sampler.at(step)
        pose = self._physical(sampled.row(row), self._present(state))
        placement = Placement(self.stage.tree, pose)
        for body in self._followers:
            node = self.scene.bodies[body].node
            state.translation[body] = placement.translation[node]
            state.rotation[body] = placement.rotation[node]

    # --- one step ---

    def advance(self, engine: Engine, step: int) -> None:
        """Move all driven parts toward their poses at the end of a step (counted from 1)."""
        self._update_engine(engine, step, jumping=False)

    def arrive(self, engine: Engine, step: int) -> None:
        """Place parts that jump in a step at their new poses; until then they stay."""
        if self._sampler.at(step)[0].has_jumps:
            self._update_engine(engine, step, jumping=True)

    def _update_engine(self, engine: Engine, step: int, *, jumping: bool) -> None:
        """Update the engine with the parts that jump in a step, or with those that do not."""
        sampled, row = self._sampler.at(step)
        placement = moving = Placed(sampled.placement, row)
        pose = None
        if self._depends:
            state = engine.state()
            bodies = self._present(state) if jumping else self._estimated(state)
            pose = self._physical(sampled.row(row), bodies)
            moving = Placed(Placement(self.stage.tree, pose))
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
                within = placed.within(collider.node, self.scene.bodies[collider.body].node)
                value = dataclasses.replace(collider, pose=within)
                engine.set_collider(i, value, jumps=jumping)
        for i, side in self._frames:
            joint = self.scene.joints[i]
            frame = (joint.a, joint.b)[side]
            if jumps[frame.node] == jumping:
                holder = self.scene.bodies[frame.body].node
                placed = moving if self._bent[frame.node] else placement
                there = placed.within(frame.node, holder)
                engine.place_frame(i, side, there.translation, there.rotation)
        if self.reshaped is not None:
            followed = pose if self._skins_follow else None
            self.reshaped.update_engine(engine, sampled, row, pose=followed, jumping=jumping)


def _reached(tree: NodeTree, roots: Sequence[int], pairs: Sequence[tuple[int, int]]) -> Bools:
    """Return the nodes (N,) at or below roots, or below one that a constraint turns after those.

    `pairs` are the sources and destinations of the constraints.
    """
    onward: dict[int, list[int]] = {}
    for node, parent in enumerate(tree.parents.tolist()):
        onward.setdefault(parent, []).append(node)
    for source, destination in pairs:
        onward.setdefault(source, []).append(destination)
    reached, waiting = np.zeros(len(tree), bool), list(roots)
    while waiting:
        node = waiting.pop()
        if not reached[node]:
            reached[node] = True
            waiting += onward.get(node, ())
    return reached
