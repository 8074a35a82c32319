"""Driven parts of a scene: bodies, colliders and joint frames that an animation moves."""

from __future__ import annotations

import numpy as np

from ligament.physics.engines import Engine
from ligament.physics.placement import Placement, relative
from ligament.physics.scene import Pose, Scene
from ligament.rig.animator import Animator

AHEAD = 64
"""Engine steps that are sampled at once."""


class DrivenParts:
    """Gives the engine the poses of animated things, one step ahead.

    `step` [s] is the time of one step of the engine.
    """

    def __init__(self, scene: Scene, stage: Animator, step: float) -> None:
        self.scene, self.stage, self.step = scene, stage, step
        self._bodies = [i for i, body in enumerate(scene.bodies) if body.is_driven]
        self._colliders = [i for i, collider in enumerate(scene.colliders) if collider.moves]
        self._frames = [
            (i, side)
            for i, joint in enumerate(scene.joints)
            for side, frame in enumerate((joint.a, joint.b))
            if frame.moves
        ]
        self._sampled: tuple[int, Placement] | None = None

    def __bool__(self) -> bool:
        """Tell whether an animation moves anything."""
        return bool(self._bodies or self._colliders or self._frames)

    def advance(self, engine: Engine, step: int) -> None:
        """Tell the engine where everything driven is at the end of a step (counted from 1)."""
        if not self:
            return
        placement, row = self._placement(step)
        for body in self._bodies:
            node = self.scene.bodies[body].node
            engine.drive_body(body, placement.translation[row, node], placement.rotation[row, node])
        for i in self._colliders:
            collider = self.scene.colliders[i]
            pose = _within(placement, row, collider.node, self.scene.bodies[collider.body].node)
            engine.place_collider(i, pose.translation, pose.rotation)
        for i, side in self._frames:
            joint = self.scene.joints[i]
            frame = (joint.a, joint.b)[side]
            pose = _within(placement, row, frame.node, self.scene.bodies[frame.body].node)
            engine.place_frame(i, side, pose.translation, pose.rotation)

    def _placement(self, step: int) -> tuple[Placement, int]:
        """Return the placements of the run of steps that contains one, and its row there."""
        ahead = max(1, min(AHEAD, (1 << 20) // max(1, len(self.stage.tree))))
        first = step - step % ahead
        if self._sampled is None or self._sampled[0] != first:
            times = np.arange(first, first + ahead, dtype=np.float64) * self.step
            self._sampled = first, Placement(self.stage.tree, self.stage.pose(times))
        return self._sampled[1], step - first


def _within(placement: Placement, row: int, node: int, holder: int) -> Pose:
    """Return the frame of a node in the frame of the node that holds it (-1: the world)."""
    pose = Pose(placement.translation[row, node], placement.rotation[row, node])
    if holder < 0:
        return pose
    frame = Pose(placement.translation[row, holder], placement.rotation[row, holder])
    return relative(frame, pose)
