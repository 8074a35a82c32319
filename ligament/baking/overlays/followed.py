"""World poses of the nodes that overlays follow, over a recording."""

from __future__ import annotations

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats, Ints
from ligament.drawing.geometry import Spans
from ligament.gltf.tree import NodeTree
from ligament.recording import Recording

CONSTANT = 1e-5
"""Relative change of a scale or offset below which it is rounding."""

CHUNK = 1 << 18
"""Approximate number of transforms processed at once."""


class Followed:
    """World positions (F, K, 3) [m] and matrices (F, K, 3, 3) of some nodes (K,)."""

    def __init__(self, tree: NodeTree, recording: Recording, nodes: Ints) -> None:
        self._columns = {int(node): column for column, node in enumerate(nodes)}
        frames, size = len(recording.times), max(1, CHUNK // max(1, len(tree)))
        parts = [
            _world(tree, recording, nodes, slice(start, start + size))
            for start in range(0, frames, size)
        ]
        self._matrices, self._rotations = (
            np.concatenate(part) for part in zip(*parts, strict=True)
        )

    def _of(self, node: int) -> tuple[Floats, Floats, Floats]:
        """Return positions (F, 3), rotations (F, 4) and the remaining stretch (F, 3, 3)."""
        column = self._columns[node]
        matrices, rotation = self._matrices[:, column], self._rotations[:, column]
        stretch = np.swapaxes(np.asarray(tf.to_matrix(rotation)), 1, 2) @ matrices[:, :3, :3]
        return matrices[:, :3, 3], rotation, stretch

    def scale(self, node: int) -> Floats:
        """Return the scale (3,) of a node at the start, signs included."""
        return np.asarray(np.diagonal(self._of(node)[2][0]))

    def size(self, node: int) -> float:
        """Return the mean scale of a node at the start."""
        return float(np.abs(np.linalg.det(self._of(node)[2][0])) ** (1 / 3)) or 1.0

    def is_rigid(self, node: int) -> bool:
        """Tell whether a node's scale is along its axes and constant."""
        stretch = self._of(node)[2]
        largest, scale = np.abs(stretch[0]).max(), np.diagonal(stretch[0])
        off = np.abs(stretch - np.diag(scale)).max()
        return bool(np.abs(scale).min() > CONSTANT * largest and off <= CONSTANT * largest)

    def attached(self, node: int, place: Floats, rotation: Floats, resizes: bool) -> Spans:
        """Return the world poses (F, …) of a frame fixed to a node."""
        position, turned, stretch = self._of(node)
        scale = np.diagonal(stretch, axis1=1, axis2=2) if resizes else np.ones_like(position)
        return Spans(
            np.asarray(position + tf.rotate(turned, place)),
            np.asarray(tf.multiply(turned, np.broadcast_to(rotation, turned.shape))),
            scale,
        )

    def between(self, start: int, end: int) -> Floats:
        """Return the positions (F, 2, 3) [m] of two nodes."""
        return np.stack([self._of(start)[0], self._of(end)[0]], axis=1)

    def offset(self, start: int, end: int) -> Floats | None:
        """Return the position (3,) of a node in the space of another; None if it changes."""
        matrices, places = self._matrices[:, self._columns[start]], self._of(end)[0]
        linear = matrices[:, :3, :3]
        sizes = np.abs(np.linalg.det(linear))
        if sizes.min(initial=np.inf) <= 1e-18 * max(1.0, float(sizes.max(initial=0.0))):
            return None
        seen = np.linalg.solve(linear, (places - matrices[:, :3, 3])[..., None])[..., 0]
        reach = np.abs(seen).max()
        return seen[0] if np.abs(seen - seen[0]).max() <= CONSTANT * max(reach, 1e-9) else None


def _world(
    tree: NodeTree, recording: Recording, nodes: Ints, frames: slice
) -> tuple[Floats, Floats]:
    local = []
    for rest, track in (
        (tree.translation, recording.local_translation),
        (tree.rotation, recording.local_rotation),
        (tree.scale, recording.local_scale),
    ):
        moved = track[frames]
        values = np.repeat(rest[None], len(moved), axis=0)
        values[:, recording.local_nodes] = moved
        local.append(values)
    matrices = np.asarray(tree.world_matrices(*local))
    return matrices[:, nodes], np.asarray(tree.world_orientations(local[1]))[:, nodes]
