"""World poses of all nodes from the state of running bodies."""

from __future__ import annotations

import numpy as np

from ligament.drawing.poses import NodePoses, posed, tracked_poses
from ligament.physics.engines import State
from ligament.physics.scene import Scene
from ligament.play.physical import Bodies, is_simulated
from ligament.play.sprung import PhysicalSprings, moves_springs
from ligament.play.tracks import local_tracks
from ligament.rig.animator import Animator


class PoseSolver:
    """Computes the poses of all nodes from the state of the bodies."""

    def __init__(self, stage: Animator, scene: Scene) -> None:
        self.stage, self.tree = stage, stage.tree
        self._moving = np.flatnonzero([is_simulated(body) for body in scene.bodies])
        self._nodes = np.array([scene.bodies[i].node for i in self._moving], np.int64)
        self._springs = PhysicalSprings(stage) if moves_springs(stage, self._nodes) else None

    def at(self, time: float, state: State) -> NodePoses:
        """Return the poses at a time [s] of the animations with bodies in a state."""
        bodies = Bodies(
            self._nodes,
            state.translation[None, self._moving],
            state.rotation[None, self._moving],
        )
        if self._springs is not None:
            pose = self._springs.at(time, bodies)
            return posed(self.tree, *(values[0] for values in pose))
        tracks = local_tracks(self.stage, np.array([time]), bodies)
        return tracked_poses(self.tree, tracks, 0)
