"""Where every node lies when the simulation starts, and what it belongs to."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats, Ints
from ligament.gltf.animation import Pose as TreePose
from ligament.gltf.tree import NodeTree
from ligament.physics.scene import Pose


class Placement:
    """World placement of all nodes in one pose of the tree.

    A node's frame is its world position and the product of the local rotations, so that no scale,
    negative or not, turns anything. `stretch` (N, 3, 3) is the rest of the world matrix, seen in
    that frame: scale, and shear where uneven scales stand above rotations.
    """

    def __init__(self, tree: NodeTree, pose: TreePose) -> None:
        self.tree = tree
        matrices = tree.world_matrices(pose.translation, pose.rotation, pose.scale)
        self.translation: Floats = matrices[..., :3, 3]
        self.rotation: Floats = tree.world_rotations(pose.rotation)
        axes = tf.to_matrix(self.rotation)
        self.stretch: Floats = np.swapaxes(axes, -1, -2) @ matrices[..., :3, :3]

    def of(self, node: int) -> Pose:
        """Return the frame of a node in the world."""
        return Pose(self.translation[node], self.rotation[node])

    def within(self, node: int, frame: Pose) -> Pose:
        """Return the frame of a node as seen from another frame."""
        return relative(frame, self.of(node))

    def held(self, holders: Ints) -> Held:
        """Return all nodes as seen from the nodes that hold them (N,), or (-1) from themselves."""
        own = np.arange(len(holders))
        holders = np.where(holders < 0, own, holders)
        frame = Pose(self.translation[holders], self.rotation[holders])
        seen = relative(frame, Pose(self.translation, self.rotation))
        translation, rotation = np.asarray(seen.translation), np.asarray(seen.rotation)
        translation[holders == own] = 0.0
        rotation[holders == own] = (0.0, 0.0, 0.0, 1.0)
        return Held(translation, rotation)


class Held(NamedTuple):
    """Frames of all nodes as seen from what holds them: (N, 3) and (N, 4)."""

    translation: Floats
    rotation: Floats

    def of(self, node: int) -> Pose:
        """Return the frame of one node."""
        return Pose(self.translation[node], self.rotation[node])


def relative(frame: Pose, pose: Pose) -> Pose:
    """Return `pose` as seen from `frame`; both of one or of many."""
    back = tf.conjugate(frame.rotation)
    offset = tf.rotate(back, pose.translation - frame.translation)
    return Pose(offset, tf.multiply(back, pose.rotation))
