"""What must be right about a document before it can be edited."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ligament.errors import EditError, LigamentError
from ligament.extensions.declarations import Dialect, NodeGeometry, Physics
from ligament.extensions.physics import read_physics
from ligament.gltf import objects, pointers, references
from ligament.gltf.document import Document

NEWEST = frozenset({Dialect.KHR, Dialect.KHR_2024_10})
"""Files of October 2024 that name shapes only are files of the newest revision too."""

_MEND = "mend it first (ligament check tells more)"


def require_sound(document: Document) -> None:
    """Raise EditError where what is there already is broken, or written in an older form."""
    for message, pointer in _structure(document):
        raise EditError(message, file=document.path, pointer=pointer, remedy=_MEND)
    physics = read_physics(document)
    _require_newest(document, physics)
    for finding in physics.findings:
        if finding.severity == "error":
            message, remedy = finding.message, f"{finding.remedy}; {_MEND}"
            raise EditError(message, file=document.path, pointer=finding.pointer, remedy=remedy)


def _structure(document: Document) -> Iterator[tuple[str, str]]:
    """Yield what an edit would stumble over, with its place."""
    try:
        nodes = document.views("nodes", objects.Node)
        scenes = document.views("scenes", objects.Scene)
        document.views("animations", objects.Animation)
        meshes = document.views("meshes", objects.Mesh)
    except LigamentError as fault:
        yield fault.message, fault.pointer or ""
        return
    for index, node in enumerate(nodes):
        if node.mesh is not None and node.mesh >= len(meshes):
            yield f"there is no mesh {node.mesh}", f"/nodes/{index}/mesh"
    for index, scene in enumerate(scenes):
        if any(root >= len(nodes) for root in scene.nodes):
            yield "a root is no node", f"/scenes/{index}/nodes"
    main = document.json.get("scene", 0)
    if type(main) is not int or (scenes and not 0 <= main < len(scenes)):
        yield f"there is no scene {main!r}", "/scene"
    yield from _extensions(document)
    yield from _oddities(document)


def _oddities(document: Document) -> Iterator[tuple[str, str]]:
    """Yield what readers are lenient about: members of null, and indices such as 1.0."""
    for index, node in enumerate(document.array("nodes")):
        for name, value in node.items():
            if value is None:
                yield "found null", f"/nodes/{index}/{name}"
    for reference in references.references(document):
        value = reference.holder[reference.key]
        if isinstance(value, float):
            yield f"found {value}, which is no index as files write them", reference.pointer


def _extensions(document: Document) -> Iterator[tuple[str, str]]:
    used: Any = document.json.get("extensionsUsed", [])
    if not isinstance(used, list):
        yield f"found {pointers.kind_of(used)}", "/extensionsUsed"
    owners = {"": document.json}
    owners |= {f"/nodes/{i}": node for i, node in enumerate(document.array("nodes"))}
    for place, owner in owners.items():
        held = owner.get("extensions", {})
        if not isinstance(held, dict):
            yield f"found {pointers.kind_of(held)}", f"{place}/extensions"
            continue
        for name, content in held.items():
            if not isinstance(content, dict):
                yield f"found {pointers.kind_of(content)}", f"{place}/extensions/{name}"


def _require_newest(document: Document, physics: Physics) -> None:
    old = set(physics.dialects) - NEWEST
    sources = [collider.geometry for collider in physics.colliders.values()]
    sources += [trigger.geometry for trigger in physics.triggers.values()]
    if any(isinstance(source, NodeGeometry) for source in sources):
        old.add(Dialect.KHR_2024_10)
    if old:
        raise EditError(
            f"the file has physics of {', '.join(sorted(old))} already",
            file=document.path,
            remedy=f"convert it to the newest form first (ligament convert --to {Dialect.KHR})",
        )
