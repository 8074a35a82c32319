"""Meshes that an editor has made for colliders: equal ones stand in the file once."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterable
from typing import Any

import numpy as np

from ligament.author.fitting import append_collider_mesh
from ligament.errors import EditError
from ligament.gltf import references
from ligament.gltf.document import Document
from ligament.gltf.reindex import remove
from ligament.physics.shapes import Hull, Mesh


class InvisibleMeshes:
    """Adds meshes that no node shows, and takes them away when no collider needs them any more.

    Meshes that were in the file before are never removed. `dropped` counts those that were.
    """

    def __init__(self, document: Document) -> None:
        self.document, self.dropped = document, 0
        self._made: dict[bytes, dict[str, Any]] = {}

    def share(self, shape: Hull | Mesh, name: str) -> int:
        """Return the index of a mesh of this surface, added if there is none yet."""
        content = (shape.points.astype(np.float32), np.asarray(shape.triangles))
        key = hashlib.sha256(b"".join(part.tobytes() for part in content)).digest()
        index = self._index(self._made.get(key))
        if index is None:
            index = append_collider_mesh(self.document, shape, name=name)
            self._made[key] = self.document.array("meshes")[index]
        return index

    def release(self, index: int) -> None:
        """Remove a mesh that this has made and that nothing refers to any more."""
        meshes = self.document.array("meshes")
        is_made = any(meshes[index] is made for made in self._made.values())
        if not is_made or self._is_used("/meshes", index):
            return
        accessors = {a for p in meshes[index]["primitives"] for a in _accessors(p)}
        # Where something in the file forbids to move indices, what nothing needs does no harm.
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
