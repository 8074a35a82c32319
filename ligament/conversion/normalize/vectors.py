"""Vectors and rotations of extensions in the space of a node."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.conversion.normalize.frames import Frames
from ligament.extensions.humanoid import vrm, vrmc_vrm
from ligament.extensions.members import PLACES
from ligament.extensions.registry import VRMC_SPRING_BONE, VRMC_SPRING_BONE_LIMIT
from ligament.extensions.spring_bones.collider import SHAPE
from ligament.extensions.spring_bones.secondary_animation import Mirrored
from ligament.extensions.tables import patterns
from ligament.extensions.tables.rows import Row
from ligament.extensions.tables.table import Table
from ligament.gltf import pointers, references
from ligament.gltf.document import Document
from ligament.gltf.objects import read_view

_LIMIT = VRMC_SPRING_BONE_LIMIT
_SHAPED = f"/extensions/{VRMC_SPRING_BONE}"

_PLACES: list[tuple[str, Table]] = [
    *((place.pattern, place.table) for of in PLACES.values() for place in of),
    # Drafts have no member shape, and colliders in groups.
    *((f"{_SHAPED}/{place}", SHAPE) for place in ("colliders/*", "colliderGroups/*/colliders/*")),
]
_TURNING = {
    pattern: row
    for place, form in _PLACES
    for pattern, row in patterns.turning(place, form).items()
}
_ROTATED = frozenset(
    {"offsetFromHeadBone", "firstPersonBoneOffset"}
    | {pattern.rpartition("/")[2] for pattern in _TURNING}
)

# VRM 0.x writes vectors, unlike nodes, in a left-handed space, with z reversed.
_MIRRORED = np.array([1.0, 1.0, -1.0])


def rotate_vectors(document: Document, frames: Frames) -> None:
    """Rotate all vectors with the frames of their nodes."""
    rotator = _Rotator(document, frames)
    rotator.refuse_animated()
    rotator.rotate_members()
    rotator.rotate_gaze()
    rotator.refuse_limits()


class _Rotator:
    """Finds vectors in extensions of any version, and rotates them."""

    def __init__(self, document: Document, frames: Frames) -> None:
        self.document, self.frames = document, frames

    def rotate_members(self) -> None:
        """Rotate what tables say turns: properties of bodies, colliders of spring bones."""
        nodes = [node for node in range(len(self.frames.own)) if self.frames.is_rotated(node)]
        for pattern, row in _TURNING.items():
            path = pointers.split(pattern)
            if path[0] != "nodes":
                self._rotate_all("", self.document.json, path, None, row)
                continue
            for node in nodes:
                raw = self.document.array("nodes")[node]
                self._rotate_all(f"/nodes/{node}", raw, path[2:], node, row)

    def rotate_gaze(self) -> None:
        """Rotate the origin of the gaze, an offset from the head bone."""
        entries = {entry.bone: entry.node for entry in vrmc_vrm.human_bones(self.document)}
        pointer = f"/extensions/{vrmc_vrm.NAME}/lookAt"
        self._change(pointer, "offsetFromHeadBone", 3, references.read_index(entries.get("head")))
        pointer = f"/extensions/{vrm.NAME}/firstPerson"
        bone = pointers.find(self.document.json, f"{pointer}/firstPersonBone")
        self._rotate_named(f"{pointer}/firstPersonBoneOffset", references.read_index(bone))

    def refuse_limits(self) -> None:
        """Raise for limits of spring bones whose axes cannot rotate."""
        for pointer, _ in self._items(f"{_SHAPED}/springs"):
            for place, joint in self._items(f"{pointer}/joints"):
                self._refuse_limit(place, references.read_index(joint.get("node")))

    def _rotate_all(
        self, pointer: str, value: Any, path: list[str], node: int | None, row: Row
    ) -> None:
        """Rotate the members at a path below a value.

        The node of an object is its member `node`, else that of the object around it.
        """
        name, *rest = path
        if name == "*":
            for index, item in enumerate(value if isinstance(value, list) else ()):
                self._rotate_all(f"{pointer}/{index}", item, rest, node, row)
        elif isinstance(value, dict):
            node = references.read_index(value["node"]) if "node" in value else node
            if not rest:
                self._rotate_row(pointer, value, node, row)
            elif name in value:
                self._rotate_all(f"{pointer}/{name}", value[name], rest, node, row)

    def _rotate_row(self, pointer: str, holder: Any, node: int | None, row: Any) -> None:
        if isinstance(row, Mirrored):
            self._rotate_named(f"{pointer}/{row.name}", node)
            return
        # The axes of inertia default to those of the node.
        is_meant = row.name != "inertiaOrientation" or "inertiaDiagonal" in holder
        default = np.array(row.default, float) if row.default and is_meant else np.zeros(3)
        size = row.count or 3
        self._change(pointer, row.name, size, node, default if default.any() else None)

    def refuse_animated(self) -> None:
        """Raise ContentError for an animated vector that would have to be rotated."""
        for reference in references.references(self.document):
            if not reference.is_pointer:
                continue
            segments = pointers.split(reference.holder[reference.key])
            rotated = reference.target != "/nodes" or self.frames.is_rotated(reference.index)
            if rotated and segments[0] != "materials" and not _ROTATED.isdisjoint(segments):
                raise self.document.error(
                    "animates a vector in the space of a node whose axes change",
                    reference.pointer,
                    "remove the channel first",
                )

    def _items(self, pointer: str) -> Iterator[tuple[str, Any]]:
        """Yield pointer and object for the objects of a list, if there is one."""
        items = pointers.find(self.document.json, pointer)
        for index, item in enumerate(items if isinstance(items, list) else ()):
            if isinstance(item, dict):
                yield f"{pointer}/{index}", item

    def _change(
        self, pointer: str, name: str, size: int, node: int | None, default: Floats | None = None
    ) -> None:
        """Rotate the member `name` of the object at `pointer` with the frame of a node."""
        holder = pointers.find(self.document.json, pointer)
        if node is None or not isinstance(holder, dict) or not self._is_rotated(node):
            return
        if name in holder:
            values = read_view(holder[name], list[float], f"{pointer}/{name}")
            if len(values) != size:
                raise self.document.error(
                    f"found {len(values)} numbers", f"{pointer}/{name}", f"it must be {size}"
                )
            default = np.array(values)
        if default is not None:
            holder[name] = _CHANGES[size](self.frames.own[node], default).tolist()

    def _rotate_named(self, pointer: str, node: int | None) -> None:
        """Rotate a vector of VRM 0.x, which names its components."""
        holder = pointers.find(self.document.json, pointer)
        if node is None or not isinstance(holder, dict) or not self._is_rotated(node):
            return
        kind = dict[str, float]
        values = read_view({k: v for k, v in holder.items() if k in "xyz"}, kind, pointer)
        vector = np.array([values.get(name, 0.0) for name in "xyz"])
        rotated = tf.rotate(self.frames.own[node], vector * _MIRRORED) * _MIRRORED
        holder |= dict(zip("xyz", rotated.tolist(), strict=True))

    def _refuse_limit(self, pointer: str, node: int | None) -> None:
        """Raise for a limit measured from the arc between +Y and the bone, which cannot rotate."""
        limit = pointers.find(self.document.json, f"{pointer}/extensions/{_LIMIT}/limit")
        if not isinstance(limit, dict) or node is None or not self._is_rotated(node):
            return
        for kind, content in limit.items():
            if kind != "cone" or (isinstance(content, dict) and "rotation" in content):
                raise self.document.error(
                    f"the axes of this {kind} limit depend on the axes of "
                    f"{self.frames.tree.label(node)} at rest",
                    f"{pointer}/extensions/{_LIMIT}/limit/{kind}",
                    "remove it, or use a cone without rotation",
                )

    def _is_rotated(self, node: int) -> bool:
        return node < len(self.frames.own) and self.frames.is_rotated(node)


def _rotated_tensor(own: Floats, tensor: Floats) -> Floats:
    matrix = tf.to_matrix(own)
    rotated: Floats = (matrix @ tensor.reshape(3, 3) @ matrix.T).reshape(9)
    return rotated


_CHANGES: dict[int, Callable[[Floats, Floats], Floats]] = {
    3: tf.rotate,
    4: tf.multiply,
    9: _rotated_tensor,
}
"""The effect of a frame on a vector, a rotation and a tensor, by their size."""
