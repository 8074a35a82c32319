"""Frames: the rotation of every node's axes, and the resulting node tree.

Let every node's world matrix become world·own⁻¹ for a constant rotation `own`. A local transform
T·R·S then becomes above·T·R·S·own⁻¹, where `above` is the frame of the parent, and everything in
the space of the node is rotated by `own`; the world looks as before. With own = rest world
rotation of every node, all rest rotations are the identity. A root that turns a whole humanoid
keeps its rotation, and those below it are measured from there.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.gltf.document import Document
from ligament.gltf.tree import NodeTree

IDENTITY: Floats = np.array([0.0, 0.0, 0.0, 1.0])

TOLERANCE = 1e-6
"""Rotations closer than this [rad] count as equal: rounding in single precision adds up to as much
in a chain of bones, and moves a point a metre away by a micrometre."""


def near(a: Floats, b: Floats) -> Any:
    """Tell which of the rotations (…, 4) are equal within the tolerance."""
    return tf.angle_between(a, b) <= TOLERANCE


class Frames:
    """The frames of all nodes of a document.

    `rest` (N, 4) are the frames that make every rest rotation the identity, and `rest_above` (N, 4)
    those of the parents; `own` and `above` (N, 4) are the frames in use. `sockets` are the nodes
    that get a static parent, whose frame is their `above`; `ends` maps nodes whose `own` is not
    `rest` to the children that move below a static child with the frame `rest`.
    """

    def __init__(self, tree: NodeTree, root: int = -1) -> None:
        world = tree.world_rotations()
        if root >= 0:
            below = [n for n in range(len(tree)) if root in (n, *tree.ancestors(n))]
            world[below] = tf.multiply(tf.conjugate(world[root]), world[below])
        self.tree = tree
        self.rest: Floats = np.where(near(world, IDENTITY)[:, None], IDENTITY, world)
        is_root = tree.parents[:, None] < 0
        self.rest_above: Floats = np.where(is_root, IDENTITY, self.rest[tree.parents])
        self.own, self.above = self.rest.copy(), self.rest_above.copy()
        self.sockets: set[int] = set()
        self.ends: dict[int, list[int]] = {}

    def is_rotated(self, node: int) -> bool:
        """Tell whether contents of a node must be rotated."""
        return not near(self.frame(node), IDENTITY)

    def frame(self, node: int) -> Floats:
        """Return the own frame of a node, the identity for nodes added since."""
        own: Floats = self.own[node] if node < len(self.own) else IDENTITY
        return own

    def part_children(self, loose: Collection[int], static: Collection[int]) -> None:
        """Give the children of nodes with a special frame the frame that they expect.

        Those that are `loose` absorb the difference themselves, others go below a static child.
        `static` nodes are special for the sake of their only child.
        """
        special = set(np.flatnonzero(~near(self.own, self.rest)).tolist()) - set(static)
        for child in np.flatnonzero(np.isin(self.tree.parents, sorted(special))).tolist():
            parent = int(self.tree.parents[child])
            if child in loose:
                self.above[child] = self.own[parent]
            else:
                self.ends.setdefault(parent, []).append(child)

    def local_rotations(self) -> Floats:
        """Return the new rest rotations (N, 4), snapped to the identity where they are close."""
        rotation = tf.multiply(tf.multiply(self.above, self.tree.rotation), tf.conjugate(self.own))
        local: Floats = np.where(near(rotation, IDENTITY)[:, None], IDENTITY, rotation)
        return local


def rotated_scale(own: Floats, scale: Floats) -> Floats | None:
    """Return the diagonals of own·S·own⁻¹ for scales (K, 3), None where one is not diagonal.

    Uniform scales stay, others follow permuted axes; everything else would shear.
    """
    if not np.ptp(scale, axis=-1).any() or near(own, IDENTITY):
        return scale
    matrix = tf.to_matrix(own)
    sheared = np.einsum("ij,kj,lj->kil", matrix, scale, matrix)
    diagonal: Floats = np.einsum("kii->ki", sheared)
    rest = np.abs(sheared - diagonal[:, :, None] * np.eye(3)).max(axis=(1, 2))
    if (rest > TOLERANCE * np.abs(scale).max(axis=1)).any():
        return None
    return diagonal


def refuse_shear(document: Document, frames: Frames) -> None:
    """Raise ContentError for a node whose matrix shears, or whose scale would when rotated."""
    tree = frames.tree
    for node, raw in enumerate(document.array("nodes")):
        if "matrix" in raw:
            matrix = np.array(raw["matrix"], float).reshape(4, 4).T
            parts = tf.compose(tree.translation[node], tree.rotation[node], tree.scale[node])
            if np.abs(matrix - parts).max() > TOLERANCE * np.abs(matrix).max():
                raise document.error(
                    f"{tree.label(node)} has a matrix that shears",
                    f"/nodes/{node}/matrix",
                    "it must be a translation, a rotation and a scale",
                )
    for node in np.flatnonzero(np.ptp(tree.scale, axis=1)).tolist():
        if rotated_scale(frames.own[node], tree.scale[node][None]) is None:
            raise shear(document, tree, node, f"/nodes/{node}")


def shear(document: Document, tree: NodeTree, node: int, pointer: str) -> Exception:
    """Build the error about a scale that cannot be rotated."""
    return document.error(
        f"{tree.label(node)} has a non-uniform scale, which would shear without its rest rotation",
        pointer,
        "apply the scale in the modelling program, or make it uniform",
    )


def write_nodes(document: Document, frames: Frames) -> None:
    """Write the new transforms, and insert the static nodes that special frames need."""
    nodes = document.array("nodes")
    tree, rotation = frames.tree, frames.local_rotations()
    translation = tf.rotate(frames.above, tree.translation)
    moved = ~near(frames.above, IDENTITY)
    changed = moved | ~near(frames.own, IDENTITY) | ~near(tree.rotation, rotation)
    is_written = np.array(["rotation" in node for node in nodes], bool)
    changed |= is_written & (rotation == IDENTITY).all(axis=1)
    for node in np.flatnonzero(changed).tolist():
        raw = nodes[node]
        scale = rotated_scale(frames.own[node], tree.scale[node][None])
        assert scale is not None  # refuse_shear has passed
        _write(raw, "translation", translation[node], np.zeros(3), keep=not moved[node])
        _write(raw, "rotation", rotation[node], IDENTITY)
        _write(raw, "scale", scale[0], np.ones(3), keep=bool((scale == tree.scale[node]).all()))
        raw.pop("matrix", None)
    for node in sorted(frames.sockets):
        _insert_above(document, frames, node)
    for node, children in frames.ends.items():
        _insert_below(document, frames, node, children)


def add_node(document: Document, raw: dict[str, Any], part: str, rotation: Floats) -> int:
    """Append a static node that belongs to the node `raw`; return its index."""
    node: dict[str, Any] = {"name": f"{raw['name']} {part}"} if raw.get("name") else {}
    if not near(rotation, IDENTITY):
        node["rotation"] = rotation.tolist()
    nodes = document.array("nodes")
    nodes.append(node)
    return len(nodes) - 1


def _write(
    raw: dict[str, Any], name: str, value: Floats, default: Floats, *, keep: bool = False
) -> None:
    """Write a member of a node, or omit it where it is the default."""
    if keep and "matrix" not in raw:
        return
    if (value == default).all():
        raw.pop(name, None)
    else:
        raw[name] = value.tolist()


def _insert_above(document: Document, frames: Frames, node: int) -> None:
    nodes = document.array("nodes")
    rotation = tf.multiply(frames.rest_above[node], tf.conjugate(frames.above[node]))
    socket = add_node(document, nodes[node], "socket", rotation)
    parent = int(frames.tree.parents[node])
    scenes = [scene.get("nodes", []) for scene in document.array("scenes")]
    for siblings in [nodes[parent]["children"]] if parent >= 0 else scenes:
        siblings[:] = [socket if child == node else child for child in siblings]
    nodes[socket]["children"] = [node]


def _insert_below(document: Document, frames: Frames, node: int, children: list[int]) -> None:
    raw = document.array("nodes")[node]
    rotation = tf.multiply(frames.own[node], tf.conjugate(frames.rest[node]))
    end = add_node(document, raw, "end", rotation)
    # A child may have a socket by now, which is then the direct child.
    left = [child for child in raw["children"] if child < len(frames.own) and child not in children]
    below = [child for child in raw["children"] if child not in left]
    raw["children"] = [*left, end]
    document.array("nodes")[end]["children"] = below
