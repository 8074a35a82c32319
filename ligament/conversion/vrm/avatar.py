"""An avatar during conversion: its VRM 0.x extension, the new document, and losses."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from ligament.extensions.humanoid import vrm
from ligament.gltf import objects, pointers
from ligament.gltf.document import Document
from ligament.gltf.objects import read_view
from ligament.gltf.references import read_index
from ligament.gltf.tree import NodeTree
from ligament.losses import Loss

T = TypeVar("T")

ROOT = f"/extensions/{vrm.NAME}"


class Avatar:
    """The old extension `raw` of `original`, and `document`, the copy that gets the new ones."""

    def __init__(self, original: Document) -> None:
        self.original, self.document = original, original.copy()
        self.raw: dict[str, Any] = original.extension(vrm.NAME) or {}
        self.losses: list[Loss] = []
        self.document.json["extensions"].pop(vrm.NAME, None)

    @cached_property
    def tree(self) -> NodeTree:
        """The original nodes."""
        return NodeTree(self.original)

    @cached_property
    def children(self) -> list[list[int]]:
        """The children of the original nodes."""
        return [node.children for node in self.original.views("nodes", objects.Node)]

    @cached_property
    def world(self) -> npt.NDArray[np.float64]:
        """The world matrices (N, 4, 4) of these nodes at rest."""
        return np.asarray(self.tree.world_matrices())

    @cached_property
    def bones(self) -> dict[str, int]:
        """Bone → node, by the names of 1.0."""
        entries = vrm.human_bones(self.original)
        found = ((entry.bone, read_index(entry.node)) for entry in entries)
        count = len(self.original.array("nodes"))
        return {bone: node for bone, node in found if node is not None and node < count}

    @cached_property
    def users(self) -> dict[int, list[int]]:
        """Mesh → the nodes that show it."""
        users: dict[int, list[int]] = {}
        for node, raw in enumerate(self.original.array("nodes")):
            mesh = read_index(raw.get("mesh")) if isinstance(raw, dict) else None
            if mesh is not None:
                users.setdefault(mesh, []).append(node)
        return users

    def lose(self, place: str, what: str, reason: str, effect: str) -> None:
        """Record something that VRM 1.0 does not express; `place` is in the old extension."""
        self.losses.append(Loss(f"{ROOT}{place}", what, reason, effect))

    def part(self, name: str) -> dict[str, Any]:
        """Return a member of the old extension if it is an object, else {}."""
        value = self.raw.get(name)
        return value if isinstance(value, dict) else {}

    def read(self, raw: dict[str, Any], name: str, kind: type[T], default: T, place: str) -> T:
        """Return a member of an object at `place` in the old extension; refuse a wrong type."""
        return read_view(raw.get(name, default), kind, pointers.join(f"{ROOT}{place}", name))

    def report_unread(self, raw: dict[str, Any], read: Collection[str], place: str) -> None:
        """Report the members that are not read."""
        for name in raw:
            if name not in read:
                here = pointers.join(place, name)
                reason = "VRM 1.0 has no such member"
                self.lose(here, f"the member {name}", reason, "no pose changes")

    def replace(self, name: str, content: dict[str, Any]) -> None:
        """Write an extension at the root, which replaces the old one in the lists."""
        root = self.document.json
        root.setdefault("extensions", {})[name] = content
        for member in ("extensionsUsed", "extensionsRequired"):
            names = root.get(member)
            if isinstance(names, list) and vrm.NAME in names:
                root[member] = [name if known == vrm.NAME else known for known in names]
        self.document.use_extension(name)


def enumerate_objects(value: Any) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of an array with their places."""
    for index, item in enumerate(value if isinstance(value, list) else ()):
        if isinstance(item, dict):
            yield index, item


def vector(value: Any) -> tuple[float, float, float]:
    """Read {x, y, z} of 0.x, whose Z is reversed: it comes from a left-handed engine."""
    members = value if isinstance(value, dict) else {}
    x, y, z = (
        float(v) if isinstance(v := members.get(name), int | float) else 0.0 for name in "xyz"
    )
    return x, y, -z if z else 0.0
