"""Parts of KHR_physics_rigid_bodies in the JSON: on nodes, and in arrays that nodes share."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, Literal, TypeAlias

import msgspec

from ligament.author.invisible import InvisibleMeshes
from ligament.author.objects import Object
from ligament.errors import EditError
from ligament.extensions.registry import KHR_IMPLICIT_SHAPES as SHAPES
from ligament.extensions.registry import KHR_PHYSICS_RIGID_BODIES as BODIES
from ligament.gltf import pointers, references
from ligament.gltf.document import Document
from ligament.gltf.reindex import remove

Member: TypeAlias = Literal["motion", "collider", "trigger", "joint"]
SharedKind: TypeAlias = Literal["shapes", "physicsMaterials", "collisionFilters", "physicsJoints"]

MEMBERS: tuple[Member, ...] = ("motion", "collider", "trigger", "joint")

_ROOTS: dict[SharedKind, str] = {
    "physicsMaterials": BODIES,
    "collisionFilters": BODIES,
    "physicsJoints": BODIES,
    "shapes": SHAPES,
}


class Parts:
    """Reads and writes what nodes carry; equal objects stand in the file once."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._places: dict[SharedKind, tuple[int, dict[bytes, int]]] = {}
        self.meshes = InvisibleMeshes(document)

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
        """Take a part off a node, and what it alone referred to out of the shared arrays."""
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
        self._tell_used()

    def share(self, kind: SharedKind, element: Object) -> int:
        """Return the index of an element of a shared array that equals this one, added if new."""
        array, key = self._array(kind), _key(element)
        length, places = self._places.get(kind, (-1, {}))
        if length != len(array):
            places = {_key(x): i for i, x in reversed(list(enumerate(array)))}
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
        """Remove an element of a shared array that nothing refers to any more."""
        pointer = self._pointer(kind)
        found = references.references(self.document)
        if any(r.target == pointer and r.index == index for r in found):
            return
        # Extensions that are not known do not count in arrays of this one. Where something else
        # in the file forbids to move indices, an element that nothing needs does no harm.
        with contextlib.suppress(EditError):
            remove(self.document, pointer, [index], allow_unknown=True)
            self._places.pop(kind, None)

    def _array(self, kind: SharedKind) -> list[Any]:
        """Return a shared array, made where the document has none."""
        pointer = self._pointer(kind)
        if pointer == "/shapes":
            return self.document.array("shapes")
        owner = self.document.json.setdefault("extensions", {}).setdefault(_ROOTS[kind], {})
        array: list[Any] = owner.setdefault(kind, [])
        return array

    def _pointer(self, kind: SharedKind) -> str:
        """Find an array; shapes may stand in the core already, as glTF 2.1 wants them."""
        pointer = f"/extensions/{_ROOTS[kind]}/{kind}"
        is_core = kind == "shapes" and isinstance(self.document.json.get("shapes"), list)
        return (
            "/shapes" if is_core and pointers.find(self.document.json, pointer) is None else pointer
        )

    def disuse(self, extension: str) -> None:
        """Take an extension out of extensionsUsed and extensionsRequired."""
        for member in ("extensionsUsed", "extensionsRequired"):
            listed = self.document.json.get(member, [])
            if extension in listed:
                listed.remove(extension)
                if not listed:
                    del self.document.json[member]

    def _tell_used(self) -> None:
        """List in extensionsUsed what is used still, of the extensions that are ours."""
        roots = self.document.json.get("extensions", {})
        if BODIES not in roots and not any(True for m in MEMBERS for _ in self.nodes_with(m)):
            self.disuse(BODIES)
        if SHAPES not in roots:
            self.disuse(SHAPES)


def _named(part: Object) -> list[tuple[SharedKind, int]]:
    """List what a part refers to in shared arrays."""
    found: list[tuple[SharedKind, Any]] = [
        ("shapes", part.get("geometry", {}).get("shape")),
        ("physicsMaterials", part.get("physicsMaterial")),
        ("collisionFilters", part.get("collisionFilter")),
        ("physicsJoints", part.get("joint")),
    ]
    return [(kind, index) for kind, index in found if isinstance(index, int)]


def _key(element: Object) -> bytes:
    return msgspec.json.encode(element, order="sorted")
