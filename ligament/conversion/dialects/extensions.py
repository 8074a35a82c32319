"""Physics extensions of a document: finding, removing, adding and listing them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ligament.errors import ContentError
from ligament.extensions.registry import PHYSICS
from ligament.gltf import pointers
from ligament.gltf.document import Document


def physics_objects(document: Document) -> Iterator[tuple[str, Any]]:
    """Yield (pointer, content) of all physics extensions at the root and on nodes."""
    owners = [("", document.json)]
    owners += [(f"/nodes/{index}", node) for index, node in enumerate(document.array("nodes"))]
    for pointer, owner in owners:
        extensions = owner.get("extensions") if isinstance(owner, dict) else None
        for name, content in extensions.items() if isinstance(extensions, dict) else ():
            if name in PHYSICS:
                yield f"{pointer}/extensions/{name}", content


def remove_physics(document: Document) -> None:
    """Remove all physics extensions from the nodes and the root; the lists of names stay."""
    for owner in (document.json, *document.array("nodes")):
        extensions = owner.get("extensions") if isinstance(owner, dict) else None
        if isinstance(extensions, dict):
            for name in PHYSICS:
                extensions.pop(name, None)
            if not extensions:
                del owner["extensions"]


def rename_used(document: Document) -> None:
    """Update the lists of extensions, new names at the position of the first old one.

    Extensions stay required if the old ones were.
    """
    present = {pointers.split(pointer)[-1] for pointer, _ in physics_objects(document)}
    names = [name for name in PHYSICS if name in present]
    for member in ("extensionsUsed", "extensionsRequired"):
        raw = document.json.get(member)
        listed = raw if isinstance(raw, list) else []
        old = [place for place, name in enumerate(listed) if name in PHYSICS]
        if member == "extensionsRequired" and not old:
            continue
        place = old[0] if old else len(listed)
        kept = [name for name in listed if name not in PHYSICS]
        document.json[member] = [*kept[:place], *names, *kept[place:]]
        if not document.json[member]:
            del document.json[member]


def add_extension(owner: dict[str, Any], name: str, content: dict[str, Any]) -> None:
    """Add an extension to a node or the root, merged with an existing one."""
    extensions = owner.setdefault("extensions", {})
    if not isinstance(extensions, dict):
        found = pointers.found(extensions)
        raise ContentError(f"found extensions {found}", remedy="they must be an object")
    present = extensions.get(name)
    extensions[name] = {**(present if isinstance(present, dict) else {}), **content}
