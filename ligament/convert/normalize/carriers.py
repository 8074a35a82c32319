"""Static children that carry what cannot be turned as data, and the references that follow it."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.convert.normalize.contents import (
    BODIES,
    INSTANCING,
    NODE_COLLIDER,
    Contents,
    role_of,
)
from ligament.convert.normalize.skeleton import IDENTITY, Frames, add_node, near
from ligament.gltf import pointers, references
from ligament.gltf.document import Document
from ligament.gltf.pointer_patterns import Path
from ligament.gltf.references import Reference

_REFUSED = ("AGI_articulations", "MSFT_lod")


class Carriers:
    """Moves what cannot be turned as data to static children whose frame leaves it as it was."""

    def __init__(self, document: Document, frames: Frames) -> None:
        self.document, self.frames = document, frames
        self.nodes = document.array("nodes")
        self._found: dict[int, list[tuple[Floats, int]]] = defaultdict(list)
        self._moved: dict[tuple[int, Path], int] = {}

    def carry(self, contents: Contents) -> None:
        """Move all that must be moved, and make the references to it follow.

        What is made of the meshes at and below a node turns with those.
        """
        for node in range(len(self.frames.own)):
            self._refuse(node)
            for path in list(contents.fixed(node)):
                made_of = contents.geometry_node(node, path)
                frame = IDENTITY if made_of is None else self.frames.frame(made_of)
                if not near(frame, self.frames.own[node]):
                    self._move(node, path, self._carrier(node, frame))
        for reference in list(references.references(self.document)):
            if reference.target == "/nodes" and self._place(reference) != reference.index:
                reference.point_to(self._place(reference))

    def _refuse(self, node: int) -> None:
        """Raise ContentError for an extension that moves the node, or another one in its place."""
        stays = near(self.frames.above[node], IDENTITY) and not self.frames.is_turned(node)
        for name in self.nodes[node].get("extensions", {}):
            if name in _REFUSED and not stays:
                raise self.document.error(
                    f"{name} depends on the axes of {self.frames.tree.label(node)} at rest",
                    pointers.join("/nodes", node, "extensions", name),
                    "remove the extension first",
                )

    def _carrier(self, node: int, frame: Floats) -> int:
        for known, index in self._found[node]:
            if near(known, frame):
                return index
        rotation = tf.multiply(self.frames.own[node], tf.conjugate(frame))
        index = add_node(self.document, self.nodes[node], "content", rotation)
        self.nodes[node].setdefault("children", []).append(index)
        self._found[node].append((frame, index))
        return index

    def _move(self, node: int, path: Path, carrier: int) -> None:
        self._moved[node, path] = carrier
        paths: list[Path] = [path]
        if path == ("mesh",):
            paths += [("weights",), ("extensions", INSTANCING)]
        for one in paths:
            _transplant(self.nodes[node], self.nodes[carrier], one)

    def _place(self, reference: Reference) -> int:
        """Return where that which a reference is after is now."""
        node, role = reference.index, role_of(reference)
        path: Path = ()
        if role == "frame" and self.frames.is_turned(node):
            return self._carrier(node, IDENTITY)
        if role == "member":
            member = pointers.split(reference.holder[reference.key])[2:]
            path = tuple(member[: 3 if member[1:2] and member[1] in BODIES else 2])
            path = ("mesh",) if member[:1] == ["weights"] or INSTANCING in path else path
        elif role == "trigger":
            path = (*reference.path[2:4], "trigger")
        elif role in ("mesh", "collider"):
            path = ("mesh",) if role == "mesh" else ("extensions", NODE_COLLIDER)
        return self._moved.get((node, path), node)


def _transplant(source: dict[str, Any], target: dict[str, Any], path: Path) -> None:
    """Move a member from one object to the same place in another; objects left empty go."""
    head, *rest = path
    if head not in source:
        return
    if not rest:
        target[head] = source.pop(head)
        return
    _transplant(source[head], target.setdefault(head, {}), tuple(rest))
    for side in (source, target):
        if not side[head]:
            del side[head]
