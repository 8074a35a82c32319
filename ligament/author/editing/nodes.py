"""Nodes of a document under construction: lookup by name or index, world poses, additions."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.errors import EditError, nearest
from ligament.extensions.rigid_bodies import GeometrySource
from ligament.extensions.shapes import ImplicitShape
from ligament.gltf.document import Document
from ligament.gltf.tree import NodeTree, half_turns
from ligament.physics.scene import Pose

NodeRef: TypeAlias = int | str
"""A node by its index, or by its name where only one node has it."""

SINGULAR_DETERMINANT = 1e-12
"""A matrix whose determinant is below this, relative to its largest element, has no inverse."""

DIGITS = 1e-14
"""Components below this, relative to the largest of a vector, are rounding errors."""


class _World(NamedTuple):
    """World matrix (4, 4) and orientation (4,) of a node, and that of unrotated children."""

    matrix: Floats
    orientation: Floats
    of_children: Floats


_ORIGIN: Final = _World(np.eye(4), np.array([0, 0, 0, 1.0]), np.array([0, 0, 0, 1.0]))


class Nodes:
    """Parents, names and poses of nodes; adding one takes constant time.

    The JSON is authoritative: if the number of its nodes has changed, as after a direct edit, the
    tree is read again.
    """

    def __init__(self, document: Document) -> None:
        self.document = document
        self._worlds: dict[int, _World] | None = None
        self._read()

    def _read(self) -> None:
        if self._worlds is not None:
            self._worlds.clear()
        self.tree = NodeTree(self.document)
        self._parents: list[int] = self.tree.parents.tolist()
        self._named: dict[str, list[int]] = {}
        for index, name in enumerate(self.tree.names):
            if name is not None:
                self._named.setdefault(name, []).append(index)

    @property
    def raw(self) -> list[dict[str, Any]]:
        """The JSON of the nodes."""
        nodes = self.document.array("nodes")
        if len(nodes) != len(self._parents):
            self._read()
        return nodes

    def find(self, node: Any, what: str = "node") -> int:
        """Return the index of a node; EditError suggests names that exist."""
        nodes = self.raw
        if isinstance(node, str):
            return self._by_name(node, what)
        is_index = isinstance(node, int | np.integer) and not isinstance(node, bool)
        if not is_index or not 0 <= node < len(nodes):
            valid = f"give a name, or an index from 0 to {len(nodes) - 1}"
            raise self.error(f"there is no {what} {node!r}", valid if nodes else "add nodes first")
        return int(node)

    def _by_name(self, name: str, what: str) -> int:
        found = self._named.get(name, [])
        if not found:
            message = f"there is no {what} with the name {name!r}"
            raise self.error(message, nearest(name, self._named))
        if len(found) > 1:
            listed = ", ".join(str(index) for index in found[:8])
            message = f"{len(found)} nodes have the name {name!r}"
            raise self.error(message, f"give the index of one: {listed}")
        return found[0]

    def label(self, node: int) -> str:
        """Return a node's name and index for a message."""
        name = self.raw[node].get("name")
        return f"{name!r} (node {node})" if name else f"node {node}"

    def name(self, node: int) -> str:
        """Return the name of a node, "node 3" where it has none."""
        return str(self.raw[node].get("name") or f"node {node}")

    def unused(self, name: str) -> str:
        """Return a name that no node has yet: the wanted one, numbered if need be."""
        count, result = 1, name
        while result in self._named:
            count += 1
            result = f"{name} {count}"
        return result

    def upward(self, node: int) -> Iterator[int]:
        """Yield a node and its ancestors."""
        while node >= 0:
            yield node
            node = self._parents[node]

    def downward(self, node: int) -> Iterator[int]:
        """Yield a node and its descendants."""
        pending = [node]
        while pending:
            at = pending.pop()
            yield at
            pending += self.raw[at].get("children", ())[::-1]

    @contextmanager
    def settled(self) -> Iterator[Nodes]:
        """Cache world poses within a block in which only this object edits the nodes."""
        self._worlds = {}
        try:
            yield self
        finally:
            self._worlds = None

    def _settled(self, node: int, known: dict[int, _World]) -> _World:
        """Return the world pose of a node, from cached ones."""
        path = [*itertools.takewhile(lambda at: at not in known, self.upward(node))]
        for at in reversed(path):
            above, local = known.get(self._parents[at], _ORIGIN), self._local(at)
            orientation = np.asarray(tf.multiply(above.of_children, local[1]))
            known[at] = _World(
                above.matrix @ np.asarray(tf.compose(*local)),
                orientation,
                np.asarray(tf.multiply(orientation, half_turns(local[2]))),
            )
        return known[node]

    def _world(self, node: int) -> _World:
        return self._settled(node, {} if self._worlds is None else self._worlds)

    def matrix(self, node: int) -> Floats:
        """Return the world matrix (4, 4) of a node at rest."""
        return self._world(node).matrix.copy()

    def rotation(self, node: int) -> Floats:
        """Return the orientation (4,) of a node in the world (`NodeTree.world_orientations`)."""
        return self._world(node).orientation.copy()

    def signs(self, node: int) -> Floats:
        """Return the signs (3,) of a node's own scale; a matrix has none."""
        scale = self.raw[node].get("scale", (1, 1, 1))
        return np.where(np.array(scale, float) < 0, -1.0, 1.0)

    def stretch(self, node: int, source: GeometrySource | None = None) -> Floats:
        """Return the stretch (3, 3) of a node, or of a geometry there, in the node's own frame."""
        axes = np.asarray(tf.to_matrix(self.rotation(node)))
        stretch = np.asarray(axes.T @ self.matrix(node)[:3, :3])
        return stretch * self.signs(node) if isinstance(source, ImplicitShape) else stretch

    def within(self, node: int, pose: Pose) -> Pose:
        """Return the local pose that gives a child of a node a world pose."""
        matrix = self.matrix(node)
        size = np.abs(matrix[:3, :3]).max()
        if not abs(tf.determinant(matrix[:3, :3])) > SINGULAR_DETERMINANT * size**3:
            message = f"{self.label(node)} has a scale of 0 along an axis"
            raise self.error(message, "use scales above 0 on it and its ancestors")
        position = np.linalg.solve(matrix[:3, :3], pose.translation - matrix[:3, 3])
        return Pose(
            np.asarray(position, np.float64),
            np.asarray(tf.multiply(tf.conjugate(self._world(node).of_children), pose.rotation)),
        )

    def add(
        self,
        name: str,
        parent: int | None,
        pose: Pose,
        scenes: Sequence[int] = (),
        *,
        scale: Floats | None = None,
    ) -> int:
        """Append a node below a parent, or (None) to the roots of scenes; return its index."""
        nodes = self.document.growing_array("nodes")
        index = len(nodes)
        node: dict[str, Any] = {"name": name}
        if np.any(pose.translation):
            node["translation"] = _clean(pose.translation)
        if np.any(pose.rotation[:3]):
            node["rotation"] = _clean(np.asarray(tf.normalize(pose.rotation)))
        if scale is not None and np.any(scale != 1):
            node["scale"] = _clean(scale)
        nodes.append(node)
        self._parents.append(-1 if parent is None else parent)
        self._named.setdefault(name, []).append(index)
        if parent is not None:
            nodes[parent].setdefault("children", []).append(index)
        for scene in scenes:
            self.document.array("scenes")[scene].setdefault("nodes", []).append(index)
        return index

    def drop_last(self) -> None:
        """Remove the last node, which nothing but its parent or scenes may refer to."""
        nodes = self.raw
        index = len(nodes) - 1
        owners = [(nodes[self._parents[index]], "children")] if self._parents[index] >= 0 else []
        owners += [(scene, "nodes") for scene in self.document.json.get("scenes", ())]
        for owner, member in owners:
            if index in owner.get(member, ()):
                owner[member].remove(index)
                if not owner[member]:
                    del owner[member]
        self._named[nodes[index]["name"]].remove(index)
        if not self._named[nodes[index]["name"]]:
            del self._named[nodes[index]["name"]]
        nodes.pop()
        self._parents.pop()
        if self._worlds:
            self._worlds.pop(index, None)

    def scenes(self, node: int) -> frozenset[int]:
        """Return the scenes that a node is in."""
        listed = enumerate(self.document.json.get("scenes", ()))
        above = set(self.upward(node))
        return frozenset(i for i, scene in listed if above.intersection(scene.get("nodes", ())))

    def error(self, message: str, remedy: str) -> EditError:
        """Build an error about this document."""
        return EditError(message, file=self.document.path, remedy=remedy)

    def _local(self, node: int) -> tuple[Floats, Floats, Floats]:
        raw = self.raw[node]
        if "matrix" in raw:
            columns = np.array(raw["matrix"], float).reshape(4, 4)
            translation, rotation, scale = tf.decompose(columns.T)
            return np.asarray(translation), np.asarray(rotation), np.asarray(scale)
        rotation = np.array(raw.get("rotation", (0, 0, 0, 1)), float)
        return (
            np.array(raw.get("translation", (0, 0, 0)), float),
            np.asarray(tf.normalize(rotation)),
            np.array(raw.get("scale", (1, 1, 1)), float),
        )


def _clean(numbers: Floats) -> list[float]:
    """Return numbers without rounding noise in their last digits."""
    least = DIGITS * float(np.abs(numbers).max())
    return [float(f"{x:.13g}") + 0.0 if abs(x) > least else 0.0 for x in numbers.tolist()]
