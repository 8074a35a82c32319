"""World poses of all nodes at one time, and of frames attached to nodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats, Ints
from ligament.gltf.tree import NodeTree
from ligament.physics.engines import State
from ligament.physics.scene import Frame, Pose, Scene
from ligament.play.physical import Bodies, is_simulated
from ligament.play.sprung import LedSprings, leads_springs
from ligament.play.tracks import local_tracks
from ligament.recording import LocalTracks, Recording
from ligament.rig.animator import Animator

WORLD = -1
"""The row of `NodePoses` that stands for the world."""

IDENTITY = Pose(np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0]))


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


class PoseSolver:
    """Computes the poses of all nodes from the state of the bodies."""

    def __init__(self, stage: Animator, scene: Scene) -> None:
        self.stage, self.tree = stage, stage.tree
        self._moving = np.flatnonzero([is_simulated(body) for body in scene.bodies])
        self._nodes = np.array([scene.bodies[i].node for i in self._moving], np.int64)
        self._springs = LedSprings(stage) if leads_springs(stage, self._nodes) else None

    def at(self, time: float, state: State) -> NodePoses:
        """Return the poses at a time [s] of the animations with bodies in a state."""
        bodies = Bodies(
            self._nodes,
            state.translation[None, self._moving],
            state.rotation[None, self._moving],
        )
        if self._springs is not None:
            pose = self._springs.at(time, bodies)
            return _with_world(self.tree, *(values[0] for values in pose))
        tracks = local_tracks(self.stage, np.array([time]), bodies)
        return _poses(self.tree, tracks, 0)


def recorded_poses(tree: NodeTree, recording: Recording) -> Iterator[NodePoses]:
    """Yield the poses of every frame of a recording."""
    tracks = LocalTracks(
        recording.local_nodes,
        recording.local_translation,
        recording.local_rotation,
        recording.local_scale,
    )
    for frame in range(len(recording.times)):
        yield _poses(tree, tracks, frame)


def rest_poses(tree: NodeTree) -> NodePoses:
    """Return the poses of all nodes as stored in the file."""
    return _with_world(tree, tree.translation, tree.rotation, tree.scale)


def attachment(scene: Scene, frame: Frame) -> tuple[int, Pose]:
    """Return the node that holds a joint frame, its body or an animated node, and its pose."""
    if frame.moves:
        return frame.node, IDENTITY
    return scene.bodies[frame.body].node, frame.pose


def _poses(tree: NodeTree, tracks: LocalTracks, frame: int) -> NodePoses:
    local = [tree.translation, tree.rotation, tree.scale]
    if len(tracks.nodes):
        local = [rest.copy() for rest in local]
        for values, track in zip(local, tracks[1:], strict=True):
            values[tracks.nodes] = track[frame]
    return _with_world(tree, *local)


def _with_world(tree: NodeTree, *local: Floats) -> NodePoses:
    world = tree.world_transforms(*local)
    origin = ([0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0], [1.0, 1.0, 1.0])
    return NodePoses(*(np.vstack([all_, last]) for all_, last in zip(world, origin, strict=True)))
