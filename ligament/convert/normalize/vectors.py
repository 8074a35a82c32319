"""Vectors and rotations of extensions in the space of a node."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.convert.normalize.contents import BODIES
from ligament.convert.normalize.frames import IDENTITY, Frames
from ligament.extensions.humanoid import vrm, vrmc_vrm
from ligament.extensions.registry import (
    VRMC_SPRING_BONE,
    VRMC_SPRING_BONE_EXTENDED_COLLIDER,
    VRMC_SPRING_BONE_LIMIT,
)
from ligament.gltf import pointers, references
from ligament.gltf.document import Document
from ligament.gltf.objects import read_view

_LIMIT = VRMC_SPRING_BONE_LIMIT
_EXTENDED = VRMC_SPRING_BONE_EXTENDED_COLLIDER
_MOTION_VECTORS = ("centerOfMass", "linearVelocity", "angularVelocity")
_COLLIDER_VECTORS = ("offset", "tail", "normal")
_ROTATED = frozenset(
    {*_MOTION_VECTORS, *_COLLIDER_VECTORS, "inertiaOrientation", "inertiaTensor"}
    | {"offsetFromHeadBone", "firstPersonBoneOffset"}
)

# VRM 0.x writes vectors, unlike nodes, in a left-handed space, with z reversed.
_MIRRORED = np.array([1.0, 1.0, -1.0])


def rotate_vectors(document: Document, frames: Frames) -> None:
    """Rotate all vectors with the frames of their nodes."""
    rotator = _Rotator(document, frames)
    rotator.refuse_animated()
    rotator.rotate_motions()
    rotator.rotate_avatars()
    rotator.rotate_spring_bones()


class _Rotator:
    """Finds vectors in extensions of any version, and rotates them."""

    def __init__(self, document: Document, frames: Frames) -> None:
        self.document, self.frames = document, frames

    def rotate_motions(self) -> None:
        """Rotate the mass properties and velocities of bodies."""
        for node in range(len(self.frames.own)):
            for name in BODIES if self.frames.is_rotated(node) else ():
                pointer = f"/nodes/{node}/extensions/{name}"
                body = pointers.find(self.document.json, pointer)
                if isinstance(body, dict) and "type" in body:  # OMI 2023: flat on the node
                    self._rotate_motion(body, pointer, node)
                elif isinstance(body, dict) and isinstance(body.get("motion"), dict):
                    self._rotate_motion(body["motion"], f"{pointer}/motion", node)

    def rotate_avatars(self) -> None:
        """Rotate the origin of the gaze, an offset from the head bone."""
        entries = {entry.bone: entry.node for entry in vrmc_vrm.human_bones(self.document)}
        pointer = f"/extensions/{vrmc_vrm.NAME}/lookAt"
        self._rotate(pointer, "offsetFromHeadBone", references.read_index(entries.get("head")))
        pointer = f"/extensions/{vrm.NAME}/firstPerson"
        bone = pointers.find(self.document.json, f"{pointer}/firstPersonBone")
        self._rotate_named(f"{pointer}/firstPersonBoneOffset", references.read_index(bone))

    def rotate_spring_bones(self) -> None:
        """Rotate the colliders of spring bones."""
        root = f"/extensions/{VRMC_SPRING_BONE}"
        for pointer, collider in self._items(f"{root}/colliders"):
            self._rotate_collider(pointer, _node_of(collider))
        for pointer, group in self._items(f"{root}/colliderGroups"):
            for place, _ in self._items(f"{pointer}/colliders"):  # drafts
                self._rotate_collider(place, _node_of(group))
        for pointer, group in self._items(
            f"/extensions/{vrm.NAME}/secondaryAnimation/colliderGroups"
        ):
            for place, _ in self._items(f"{pointer}/colliders"):
                self._rotate_named(f"{place}/offset", _node_of(group))
        for pointer, _ in self._items(f"{root}/springs"):
            for place, joint in self._items(f"{pointer}/joints"):
                self._refuse_limit(place, _node_of(joint))

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

    def _rotate(
        self, pointer: str, name: str, node: int | None, default: Floats | None = None
    ) -> None:
        """Rotate the vector `name` of the object at `pointer` with the frame of a node."""
        self._change(pointer, name, 3, node, tf.rotate, default)

    def _change(
        self,
        pointer: str,
        name: str,
        size: int,
        node: int | None,
        change: Callable[[Floats, Floats], Floats],
        default: Floats | None = None,
    ) -> None:
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
            holder[name] = change(self.frames.own[node], default).tolist()

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

    def _rotate_motion(self, motion: dict[str, Any], pointer: str, node: int) -> None:
        for name in _MOTION_VECTORS:
            self._rotate(pointer, name, node)
        # The axes of inertia default to those of the node.
        default = IDENTITY if "inertiaDiagonal" in motion else None
        self._change(pointer, "inertiaOrientation", 4, node, tf.multiply, default)
        self._change(pointer, "inertiaTensor", 9, node, _rotated_tensor)

    def _rotate_collider(self, pointer: str, node: int | None) -> None:
        """Rotate the shapes of a collider, including the fallbacks of extended ones."""
        for place in ("", "/shape", f"/extensions/{_EXTENDED}/shape"):
            for kind in ("sphere", "capsule", "plane"):
                at = f"{pointer}{place}/{kind}"
                normal = np.array([0.0, 0.0, 1.0]) if kind == "plane" else None
                self._rotate(at, "offset", node)
                self._rotate(at, "tail", node)
                self._rotate(at, "normal", node, normal)

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


def _node_of(holder: dict[str, Any]) -> int | None:
    return references.read_index(holder.get("node"))


def _rotated_tensor(own: Floats, tensor: Floats) -> Floats:
    matrix = tf.to_matrix(own)
    rotated: Floats = (matrix @ tensor.reshape(3, 3) @ matrix.T).reshape(9)
    return rotated
