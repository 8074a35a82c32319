"""Spring bones with physics: springs below bodies follow the bodies."""

from __future__ import annotations

import math

import numpy as np

from ligament.arrays import Floats, Ints
from ligament.gltf.animation import Pose as TreePose
from ligament.gltf.tree import NodeTree, below
from ligament.physics.scene import Scene
from ligament.play.physical import Bodies, is_simulated, physical_pose, placed
from ligament.rig.animator import Animator
from ligament.rig.springs.posing import Pose
from ligament.rig.springs.spring_bones import Mode
from ligament.rig.springs.state import State


def sprung_pose(stage: Animator, pose: TreePose, bodies: Bodies, rotation: Floats) -> TreePose:
    """Return a pose (F, N, …) with bodies placed, and the springs' rotations (F, J, 4)."""
    pose = physical_pose(stage, pose, bodies)
    if stage.springs is None:
        return pose
    pose.rotation[:, stage.springs.springs.nodes] = rotation
    return placed(stage, pose, bodies) if len(bodies.nodes) else pose


def moves_springs(stage: Animator, nodes: Ints) -> bool:
    """Tell whether spring bones or their colliders are below any of the given nodes."""
    if stage.springs is None or not len(nodes):
        return False
    springs = stage.springs.springs
    sites = [*springs.nodes.tolist(), *(collider.node for collider in springs.colliders)]
    return bool(below(stage.tree, nodes.tolist())[sites].any())


def parts_on_physical_springs(stage: Animator, scene: Scene) -> list[int]:
    """Return nodes of driven parts on springs that follow simulated bodies, in ascending order.

    While physics runs, such parts follow the springs as moved by animation alone.
    """
    free = [body.node for body in scene.bodies if is_simulated(body)]
    if stage.springs is None or not moves_springs(stage, np.array(free, np.int64)):
        return []
    springs, is_moved = stage.springs.springs, below(stage.tree, free)
    meets_bodies = bool(is_moved[[collider.node for collider in springs.colliders]].any())
    swung = {node for node in springs.nodes.tolist() if meets_bodies or is_moved[node]}
    parts = {
        *(body.node for body in scene.bodies if body.is_driven),
        *(collider.node for collider in scene.colliders if collider.moves),
        *(frame.node for j in scene.joints for frame in (j.a, j.b) if frame.moves),
    }
    return sorted(node for node in parts if _hangs_on(stage.tree, node, swung, {*free}))


def _hangs_on(tree: NodeTree, node: int, some: set[int], ends: set[int]) -> bool:
    """Tell whether one of some nodes is met on the way up, before a node that ends the search."""
    for above in (node, *tree.ancestors(node)):
        if above in some or above in ends:
            return above in some
    return False


class PhysicalSprings:
    """Spring bones below bodies, updated frame by frame as physics moves the bodies."""

    def __init__(self, stage: Animator) -> None:
        assert stage.springs is not None
        self.stage, self.track = stage, stage.springs
        self._state: State | None = None
        self._time, self._rotation = -math.inf, np.zeros((1, 0, 4))

    def poses(self, times: Floats, bodies: Bodies) -> TreePose:
        """Return the local transforms (F, N, …) of all nodes through all frames."""
        pose = physical_pose(self.stage, self.stage.unsprung(times), bodies)
        rate = 1 / (times[1] - times[0]) if len(times) > 1 else self.track.rate
        mode: Mode = "reference" if np.isclose(rate, self.track.rate) else "steady"
        resets = self.stage.resets(times, 1 / rate, mode=mode).any(axis=1)
        rotation = self.track.springs.swing(
            pose.rotation, pose.translation, pose.scale, rate=rate, mode=mode, resets=resets
        )
        return sprung_pose(self.stage, pose, bodies, rotation)

    def at(self, time: float, bodies: Bodies) -> TreePose:
        """Return the transforms at a time [s], one update after the last frame, else at rest."""
        times, step = np.array([time]), 1 / self.track.rate
        pose = physical_pose(self.stage, self.stage.unsprung(times), bodies)
        if time != self._time:
            goes_on = abs(time - self._time - step) < 1e-6
            given = Pose(pose.translation[None], pose.rotation[None], pose.scale[None])
            marks = self.stage.resets(times, step, mode="reference")
            rotation, self._state = self.track.springs.advance(
                self._state if goes_on else None, given, step, marks
            )
            self._time, self._rotation = time, np.asarray(rotation[0])
        return sprung_pose(self.stage, pose, bodies, self._rotation)
