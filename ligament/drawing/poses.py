"""World poses of all nodes at one time, and of frames attached to nodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats, Ints
from ligament.gltf.tree import NodeTree
from ligament.physics.scene import Frame, Pose, Scene
from ligament.recording import LocalTracks, Recording

WORLD: Final = -1
"""The row of `NodePoses` that stands for the world."""

IDENTITY: Final = Pose(np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0]))


class NodePoses(NamedTuple):
    """World positions (N + 1, 3) [m], rotations (N + 1, 4) and scales (N + 1, 3) of all nodes.

    The last row is the world itself. Under shear (an uneven scale above a rotation), the scale is
    that along the rotated axes.
    """

    translation: Floats
    rotation: Floats
    scale: Floats


class Attachments(NamedTuple):
    """Frames fixed to nodes (K,), with positions (K, 3) [m] and rotations (K, 4) in them."""

    nodes: Ints
    translation: Floats
    rotation: Floats

    @classmethod
    def of(cls, frames: Iterable[tuple[int, Pose]]) -> Attachments:
        """Make attachments of pairs of a node and a pose in its frame."""
        listed = list(frames)
        return cls(
            np.array([node for node, _ in listed], np.int64),
            np.array([pose.translation for _, pose in listed], np.float64).reshape(-1, 3),
            np.array([pose.rotation for _, pose in listed], np.float64).reshape(-1, 4),
        )

    @classmethod
    def at(cls, nodes: Iterable[int]) -> Attachments:
        """Make attachments of the nodes' own frames."""
        return cls.of((node, IDENTITY) for node in nodes)

    def world(self, poses: NodePoses) -> tuple[Floats, Floats]:
        """Return world positions (K, 3) [m] and rotations (K, 4)."""
        rotation = poses.rotation[self.nodes]
        offset = tf.rotate(rotation, self.translation)
        return poses.translation[self.nodes] + offset, tf.multiply(rotation, self.rotation)


def recorded_poses(tree: NodeTree, recording: Recording) -> Iterator[NodePoses]:
    """Yield the poses of every frame of a recording."""
    tracks = LocalTracks(
        recording.local_nodes,
        recording.local_translation,
        recording.local_rotation,
        recording.local_scale,
    )
    for frame in range(len(recording.times)):
        yield tracked_poses(tree, tracks, frame)


def tracked_poses(tree: NodeTree, tracks: LocalTracks, frame: int) -> NodePoses:
    """Return the poses of one frame of local tracks."""
    local = [tree.translation, tree.rotation, tree.scale]
    if len(tracks.nodes):
        local = [rest.copy() for rest in local]
        for values, track in zip(local, tracks[1:], strict=True):
            values[tracks.nodes] = track[frame]
    return posed(tree, *local)


def rest_poses(tree: NodeTree) -> NodePoses:
    """Return the rest poses of all nodes."""
    return posed(tree, tree.translation, tree.rotation, tree.scale)


def posed(tree: NodeTree, *local: Floats) -> NodePoses:
    """Return the world poses of all nodes under local transforms, with that of the world."""
    world = tree.world_transforms(*local)
    origin = ([0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0], [1.0, 1.0, 1.0])
    return NodePoses(*(np.vstack([all_, last]) for all_, last in zip(world, origin, strict=True)))


def attachment(scene: Scene, frame: Frame) -> tuple[int, Pose]:
    """Return the node that holds a joint frame, its body or an animated node, and its pose."""
    if frame.moves:
        return frame.node, IDENTITY
    return scene.bodies[frame.body].node, frame.pose
