"""The named object that a JSON pointer leads into: what people know a place by."""

from __future__ import annotations

import dataclasses
from typing import Any

from ligament.gltf import pointers

KINDS = {
    "nodes": "node",
    "meshes": "mesh",
    "skins": "skin",
    "animations": "animation",
    "accessors": "accessor",
    "materials": "material",
    "scenes": "scene",
    "images": "image",
    "textures": "texture",
    "cameras": "camera",
}
"""Arrays at the root of a document, and what an element of them is called."""


@dataclasses.dataclass(frozen=True)
class Owner:
    """An object of the document: what it is, its index, and its name if it has one."""

    kind: str
    index: int
    name: str | None

    def __str__(self) -> str:
        """Write it as people say it: node 3 "Hips"."""
        return f"{self.kind} {self.index}" + (f' "{self.name}"' if self.name else "")


def owner_of(root: Any, pointer: str) -> Owner | None:
    """Return the object of a top-level array that `pointer` leads to or into.

    >>> owner_of({"nodes": [{"name": "Hips"}]}, "/nodes/0/rotation")
    Owner(kind='node', index=0, name='Hips')
    """
    array, *rest = pointers.split(pointer) or [""]
    if array not in KINDS or not rest or not isinstance(pointers.find(root, f"/{array}"), list):
        return None
    element = pointers.find(root, pointers.join("", array, rest[0]))
    if not isinstance(element, dict):
        return None
    name = element.get("name")
    return Owner(KINDS[array], int(rest[0]), name if isinstance(name, str) and name else None)
