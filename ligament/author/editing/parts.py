"""Parts of KHR_physics_rigid_bodies in the JSON: on nodes, and in the arrays that they share."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterable, Iterator
from typing import Any, Literal, TypeAlias

import numpy as np

from ligament.author.editing.serialization import Object
from ligament.errors import ContentError, EditError
from ligament.extensions.registry import KHR_IMPLICIT_SHAPES as SHAPES
from ligament.extensions.registry import KHR_PHYSICS_RIGID_BODIES as BODIES
from ligament.gltf import jsontext, pointers, references
from ligament.gltf.accessors import ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER, append_accessor
from ligament.gltf.document import Document
from ligament.gltf.reindex import remove
from ligament.physics.shapes import Hull, Mesh

Member: TypeAlias = Literal["motion", "collider", "trigger", "joint"]
SharedKind: TypeAlias = Literal["shapes", "physicsMaterials", "collisionFilters", "physicsJoints"]

MEMBERS: tuple[Member, ...] = ("motion", "collider", "trigger", "joint")

_ROOTS: dict[SharedKind, str] = {
    "physicsMaterials": BODIES,
    "collisionFilters": BODIES,
    "physicsJoints": BODIES,
    "shapes": SHAPES,
}

# glTF 2.0 (3.7.2.1) reserves the largest index of two bytes for primitive restart.
_SHORT_INDICES = 65535


class Parts:
    """Reads and writes the parts of nodes; equal shared objects are written once."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._places: dict[SharedKind, tuple[int, dict[bytes, int]]] = {}
        self.meshes = ColliderMeshes(document)

    def on(self, node: int, member: Member) -> Object | None:
        """Return the part that a node carries, if any."""
        raw = self.document.array("nodes")[node]
        found = raw.get("extensions", {}).get(BODIES, {}).get(member)
        return found if isinstance(found, dict) else None

    def put(self, node: int, member: Member, content: Object) -> None:
        """Give a node a part."""
        raw = self.document.array("nodes")[node]
        raw.setdefault("extensions", {}).setdefault(BODIES, {})[member] = content
        self.document.use_extension(BODIES)

    def nodes_with(self, member: Member) -> Iterator[int]:
        """Yield the nodes that carry a part of this kind."""
        for node in range(len(self.document.array("nodes"))):
            if self.on(node, member) is not None:
                yield node

    def take(self, node: int, member: Member) -> None:
        """Remove a part from a node, and the shared elements that only it referred to."""
        raw = self.document.array("nodes")[node]
        extension = raw["extensions"][BODIES]
        part = extension.pop(member)
        named = _named(part)
        if not extension:
            del raw["extensions"][BODIES]
        if not raw["extensions"]:
            del raw["extensions"]
        for kind, index in named:
            self.release(kind, index)
        if (mesh := part.get("geometry", {}).get("mesh")) is not None:
            self.meshes.release(mesh)
        self._update_used()

    def share(self, kind: SharedKind, element: Object) -> int:
        """Return the index of an equal element in a shared array; add the element if it is new."""
        array, key = self._array(kind), jsontext.key(element)
        length, places = self._places.get(kind, (-1, {}))
        if length != len(array):
            places = {jsontext.key(x): i for i, x in reversed(list(enumerate(array)))}
        index = places.setdefault(key, len(array))
        if index == len(array):
            array.append(element)
            self.document.use_extension(_ROOTS[kind])
        self._places[kind] = len(array), places
        return index

    def shared(self, kind: SharedKind, index: int) -> Object:
        """Return an element of a shared array."""
        element: Object = self._array(kind)[index]
        return element

    def release(self, kind: SharedKind, index: int) -> None:
        """Remove an element of a shared array unless it is still referred to."""
        pointer = self._pointer(kind)
        found = references.references(self.document)
        if any(r.target == pointer and r.index == index for r in found):
            return
        # Unknown extensions do not index the arrays of this one. Where something else in the file
        # forbids changing indices, an unused element does no harm.
        with contextlib.suppress(EditError):
            remove(self.document, pointer, [index], allow_unknown=True)
            self._places.pop(kind, None)

    def _array(self, kind: SharedKind) -> list[Any]:
        """Return a shared array; create it if the document has none."""
        pointer = self._pointer(kind)
        if pointer == "/shapes":
            return self.document.array("shapes")
        owner = self.document.json.setdefault("extensions", {}).setdefault(_ROOTS[kind], {})
        array: list[Any] = owner.setdefault(kind, [])
        return array

    def _pointer(self, kind: SharedKind) -> str:
        """Return the pointer of an array; shapes may be in the core already, as in glTF 2.1."""
        pointer = f"/extensions/{_ROOTS[kind]}/{kind}"
        is_core = kind == "shapes" and isinstance(self.document.json.get("shapes"), list)
        return (
            "/shapes" if is_core and pointers.find(self.document.json, pointer) is None else pointer
        )

    def drop_extension(self, extension: str) -> None:
        """Remove an extension from extensionsUsed and extensionsRequired."""
        self.document.drop_extensions([extension])

    def _update_used(self) -> None:
        """Remove the physics extensions from extensionsUsed after their last use."""
        roots = self.document.json.get("extensions", {})
        if BODIES not in roots and not any(True for m in MEMBERS for _ in self.nodes_with(m)):
            self.drop_extension(BODIES)
        if SHAPES not in roots:
            self.drop_extension(SHAPES)


def _named(part: Object) -> list[tuple[SharedKind, int]]:
    """List the elements of shared arrays that a part refers to."""
    found: list[tuple[SharedKind, Any]] = [
        ("shapes", part.get("geometry", {}).get("shape")),
        ("physicsMaterials", part.get("physicsMaterial")),
        ("collisionFilters", part.get("collisionFilter")),
        ("physicsJoints", part.get("joint")),
    ]
    return [(kind, index) for kind, index in found if isinstance(index, int)]


class ColliderMeshes:
    """Adds meshes that no node shows, once each, and removes them after their last use.

    Meshes from the original file are never removed. `dropped` counts the removed ones.
    """

    def __init__(self, document: Document) -> None:
        self.document, self.dropped = document, 0
        self._made: dict[bytes, dict[str, Any]] = {}

    def share(self, shape: Hull | Mesh, name: str) -> int:
        """Return the index of a mesh of this surface; add the mesh if it is new."""
        content = (shape.points.astype(np.float32), np.asarray(shape.triangles))
        key = hashlib.sha256(b"".join(part.tobytes() for part in content)).digest()
        index = self._index(self._made.get(key))
        if index is None:
            index = append_collider_mesh(self.document, shape, name=name)
            self._made[key] = self.document.array("meshes")[index]
        return index

    def release(self, index: int) -> None:
        """Remove a mesh that was made here unless it is still referred to."""
        meshes = self.document.array("meshes")
        is_made = any(meshes[index] is made for made in self._made.values())
        if not is_made or self._is_used("/meshes", index):
            return
        accessors = {a for p in meshes[index]["primitives"] for a in _accessors(p)}
        # Where something in the file forbids changing indices, an unused mesh does no harm.
        with contextlib.suppress(EditError):
            remove(self.document, "/meshes", [index], allow_unknown=True)
            self.dropped += 1
            self._remove_unused("/accessors", accessors)

    def _remove_unused(self, pointer: str, indices: Iterable[int]) -> None:
        """Remove accessors, and then their views; the bytes stay until the file is pruned."""
        unused = [index for index in sorted(indices) if not self._is_used(pointer, index)]
        elements = self.document.array(pointer.removeprefix("/"))
        views = {elements[index].get("bufferView") for index in unused}
        remove(self.document, pointer, unused, allow_unknown=True)
        if pointer == "/accessors":
            self._remove_unused("/bufferViews", views - {None})

    def _is_used(self, pointer: str, index: int) -> bool:
        found = references.references(self.document)
        return any(r.target == pointer and r.index == index for r in found)

    def _index(self, mesh: dict[str, Any] | None) -> int | None:
        places = enumerate(self.document.array("meshes"))
        return next((index for index, other in places if other is mesh), None)


def _accessors(primitive: dict[str, Any]) -> list[int]:
    return [*primitive["attributes"].values(), primitive["indices"]]


def append_collider_mesh(document: Document, shape: Hull | Mesh, *, name: str | None = None) -> int:
    """Append a mesh of the surface of a hull or a mesh, for a collider's `geometry.mesh`.

    Returns its index. No node shows it; points (P, 3) [m] are in the space of the collider's node,
    and only those that triangles use are written.
    """
    if not len(shape.triangles):
        raise ContentError(
            "the shape has no triangles", remedy="give a hull or a mesh with triangles"
        )
    used, corners = np.unique(shape.triangles, return_inverse=True)
    index_type = np.uint16 if len(used) < _SHORT_INDICES else np.uint32
    points = append_accessor(
        document, shape.points[used].astype(np.float32), target=ARRAY_BUFFER, bounds=True
    )
    indices = append_accessor(
        document, corners.ravel().astype(index_type), target=ELEMENT_ARRAY_BUFFER
    )
    mesh: dict[str, Any] = {"name": name} if name else {}
    mesh["primitives"] = [{"attributes": {"POSITION": points}, "indices": indices}]
    meshes = document.growing_array("meshes")
    meshes.append(mesh)
    return len(meshes) - 1
