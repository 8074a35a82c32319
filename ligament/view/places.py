"""Where everything is at one time: all nodes in the world, and what is fixed to them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats, Ints
from ligament.extensions.declarations import MotionKind
from ligament.gltf.tree import NodeTree
from ligament.physics.engines import State
from ligament.physics.scene import Body, Frame, Pose, Scene
from ligament.play.tracks import Bodies, local_tracks
from ligament.recording import LocalTracks, Recording
from ligament.rig.animator import Animator

WORLD = -1
"""The row of `Places` that stands for the world."""


class Places(NamedTuple):
    """World positions (N + 1, 3) [m], rotations (N + 1, 4) and scales (N + 1, 3) of all nodes.

    The last row is the world itself. Where an uneven scale above a rotation shears, the scale is
    what is left along the turned axes.
    """

    translation: Floats
    rotation: Floats
    scale: Floats


class Attachments(NamedTuple):
    """Frames fixed to nodes: holders (K,), positions (K, 3) [m] and rotations (K, 4) in them."""

    holders: Ints
    translation: Floats
    rotation: Floats

    @classmethod
    def of(cls, frames: Iterable[tuple[int, Pose]]) -> Attachments:
        """Gather pairs of a node and a pose in its frame."""
        listed = list(frames)
        return cls(
            np.array([node for node, _ in listed], np.int64),
            np.array([pose.translation for _, pose in listed], np.float64).reshape(-1, 3),
            np.array([pose.rotation for _, pose in listed], np.float64).reshape(-1, 4),
        )

    @classmethod
    def at(cls, nodes: Iterable[int]) -> Attachments:
        """Gather the frames of nodes themselves."""
        still = Pose(np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0]))
        return cls.of((node, still) for node in nodes)

    def world(self, places: Places) -> tuple[Floats, Floats]:
        """Return where the frames are: positions (K, 3) and rotations (K, 4)."""
        turn = places.rotation[self.holders]
        offset = tf.rotate(turn, self.translation)
        return places.translation[self.holders] + offset, tf.multiply(turn, self.rotation)


class Placer:
    """Turns what physics says of bodies into places of all nodes."""

    def __init__(self, stage: Animator, scene: Scene) -> None:
        self.stage, self.tree = stage, stage.tree
        self._moving = np.flatnonzero([is_moved_by_forces(body) for body in scene.bodies])
        self._nodes = np.array([scene.bodies[i].node for i in self._moving], np.int64)

    def at(self, time: float, state: State) -> Places:
        """Return the places at a time [s] of the animations with bodies in a state."""
        bodies = Bodies(
            self._nodes,
            state.translation[None, self._moving],
            state.rotation[None, self._moving],
        )
        tracks = local_tracks(self.stage, np.array([time]), bodies)
        return _places(self.tree, tracks, 0)


def recorded_places(tree: NodeTree, recording: Recording) -> Iterator[Places]:
    """Yield the places of every frame of a recording."""
    tracks = LocalTracks(
        recording.local_nodes,
        recording.local_translation,
        recording.local_rotation,
        recording.local_scale,
    )
    for frame in range(len(recording.times)):
        yield _places(tree, tracks, frame)


def rest_places(tree: NodeTree) -> Places:
    """Return the places of all nodes as the file has them."""
    return _with_world(tree, tree.translation, tree.rotation, tree.scale)


def is_moved_by_forces(body: Body) -> bool:
    """Tell whether the engine says where a body is, and not an animation or nothing at all."""
    return body.is_declared and body.kind is not MotionKind.STATIC and not body.is_driven


def frame_of(scene: Scene, frame: Frame) -> tuple[int, Pose]:
    """Return what holds an attachment frame, its body or an animated node, and where in it."""
    if frame.moves:
        return frame.node, Pose(np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0]))
    return scene.bodies[frame.body].node, frame.pose


def _places(tree: NodeTree, tracks: LocalTracks, frame: int) -> Places:
    local = [tree.translation, tree.rotation, tree.scale]
    if len(tracks.nodes):
        local = [rest.copy() for rest in local]
        for values, track in zip(local, tracks[1:], strict=True):
            values[tracks.nodes] = track[frame]
    return _with_world(tree, *local)


def _with_world(tree: NodeTree, *local: Floats) -> Places:
    world = tree.world_transforms(*local)
    origin = ([0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0], [1.0, 1.0, 1.0])
    return Places(*(np.vstack([all_, last]) for all_, last in zip(world, origin, strict=True)))
