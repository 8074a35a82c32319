"""Changes that repairs make, and the objects that they examine.

Anything else in a broken file is skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ligament.gltf import pointers


class Change(NamedTuple):
    """One edit: the JSON pointer in the repaired document, and what was done there."""

    pointer: str
    what: str


Objects = Iterator[tuple[str, dict[str, Any]]]
"""JSON pointers, and the objects that they refer to."""


def elements(owner: dict[str, Any], pointer: str, name: str) -> Objects:
    """Yield the objects in an array member of `owner`, which is at `pointer`."""
    array = owner.get(name)
    for index, element in enumerate(array if isinstance(array, list) else ()):
        if isinstance(element, dict):
            yield pointers.join(pointer, name, index), element


def nodes(root: dict[str, Any]) -> Objects:
    """Yield the nodes."""
    return elements(root, "", "nodes")


def extensions(owner: dict[str, Any], pointer: str) -> Objects:
    """Yield the extensions of an object at `pointer`."""
    found = owner.get("extensions")
    for name, extension in found.items() if isinstance(found, dict) else ():
        if isinstance(extension, dict):
            yield pointers.join(pointer, "extensions", name), extension


def all_extensions(root: dict[str, Any]) -> Objects:
    """Yield every `extensions` member of a document, in textual order.

    The content of `extras` is the user's own, not glTF.
    """
    pending: list[tuple[str, Any]] = [("", root)]
    while pending:
        pointer, item = pending.pop()
        if isinstance(item, dict):
            below = [(pointers.join(pointer, k), v) for k, v in item.items() if k != "extras"]
            if isinstance(item.get("extensions"), dict):
                yield f"{pointer}/extensions", item["extensions"]
        else:
            below = [(f"{pointer}/{i}", element) for i, element in enumerate(item)]
        pending += [(p, v) for p, v in reversed(below) if isinstance(v, (dict, list))]
