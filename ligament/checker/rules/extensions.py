"""Rules about extensions: declared objects in valid places, with valid indices."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, TypeAlias

from ligament.checker.subject import Subject
from ligament.extensions.fields import unresolved
from ligament.extensions.registry import EXTENSIONS, PHYSICS, VRMC_NODE_CONSTRAINT, Place, places_of
from ligament.findings import Finding, finding
from ligament.gltf import pointers, references
from ligament.gltf.document import Document

MEMBERS = {"mesh": "meshes", "skin": "skins", "camera": "cameras"}


Places: TypeAlias = dict[str, dict[str, str]]
"""Extension → kind of place (or "elsewhere") → the first pointer there."""

ELSEWHERE = "elsewhere"

EXTENDED = {name: entry.places for name, entry in EXTENSIONS.items() if entry.places}
"""The places of motion extensions."""

OPTIONAL = frozenset((*PHYSICS, VRMC_NODE_CONSTRAINT))
"""Extensions that a file can be shown without."""


_SHAPE = re.compile(r"(?:/extensions/[^/]+)?/(?:shapes|colliders)/[0-9]+$")


def extension_rules(subject: Subject) -> Iterator[Finding]:
    """Yield extensions that are undeclared, required without need, or misplaced."""
    places = _places(subject)
    used, required = (_listed(subject, name) for name in ("extensionsUsed", "extensionsRequired"))
    yield from _undeclared(places, used)
    for name, where in places.items():
        for place, pointer in where.items():
            if name in EXTENDED and place not in EXTENDED[name]:
                message, remedy = f"{name} does not extend this", f"move it to {places_of(name)}"
                yield finding("UNEXPECTED_EXTENSION_OBJECT", pointer, message, remedy)
    listed = set(used.values())
    for index, name in required.items():
        pointer = f"/extensionsRequired/{index}"
        if name not in listed:
            message, remedy = f"{name} is required, but not used", "list it in extensionsUsed"
            yield finding("UNUSED_EXTENSION_REQUIRED", pointer, message, remedy)
        elif name in OPTIONAL:
            message = f"{name} is required, so programs that do not know it refuse the file"
            remedy = "keep it in extensionsUsed alone"
            yield finding("EXTENSION_REQUIRED_NEEDLESSLY", pointer, message, remedy)


def _undeclared(places: Places, used: dict[int, str]) -> Iterator[Finding]:
    listed = set(used.values())
    for name, where in places.items():
        # The rules about node constraints report this themselves.
        if name not in listed and name in EXTENSIONS and name != VRMC_NODE_CONSTRAINT:
            if EXTENSIONS[name].misspells in listed - {""}:
                continue
            message, remedy = f"{name} is not in extensionsUsed", "list every extension in use"
            yield finding("UNDECLARED_EXTENSION", next(iter(where.values())), message, remedy)


def _listed(subject: Subject, name: str) -> dict[int, str]:
    return {i: item for i, item in enumerate(subject.array(name)) if isinstance(item, str)}


def _places(subject: Subject) -> Places:
    """Find every extension and the first place of each kind; most places are nodes."""
    places: Places = {}
    for name in _names(subject.json):
        places.setdefault(name, {})[Place.ROOT] = pointers.join("/extensions", name)
    for name, carried in subject.carriers.items():
        first, _ = carried[0]
        places.setdefault(name, {})[Place.NODE] = pointers.join(f"/nodes/{first}/extensions", name)
    rest = {name: value for name, value in subject.json.items() if name != "nodes"}
    for pointer, value in _objects(rest):
        if pointer:
            kind = Place.SHAPE if _SHAPE.match(pointer) else ELSEWHERE
            for name in _names(value):
                place = pointers.join(f"{pointer}/extensions", name)
                places.setdefault(name, {}).setdefault(kind, place)
    return places


def _objects(root: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (JSON pointer, object) of every object, skipping the many numbers."""
    pending: list[tuple[str, Any]] = [("", root)]
    while pending:
        pointer, value = pending.pop()
        if isinstance(value, dict):
            yield pointer, value
            items: Iterable[tuple[str | int, Any]] = value.items()
        else:
            items = enumerate(value)
        below = [(pointers.join(pointer, k), v) for k, v in items if type(v) in (dict, list)]
        pending += reversed(below)


def _names(raw: dict[str, Any]) -> list[str]:
    extensions = raw.get("extensions")
    return [*extensions] if isinstance(extensions, dict) else []


def object_rules(subject: Subject) -> Iterator[Finding]:
    """Yield extensions of the root and of elements of its arrays that are not objects."""
    for path, extensions in _odd_extensions(subject.json):
        odd: dict[tuple[str, ...], Any] = {(): extensions}
        if isinstance(extensions, dict):
            odd = {(k,): value for k, value in extensions.items() if not isinstance(value, dict)}
        for name, value in odd.items():
            message, remedy = f"found {pointers.found(value)}", "it must be an object"
            pointer = pointers.join("", *path, "extensions", *name)
            yield finding("TYPE_MISMATCH", pointer, message, remedy)


def _odd_extensions(root: dict[str, Any]) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Yield path and extensions of the root and of elements, if any of these are no objects."""
    yield (), root.get("extensions", {})
    for name, array in root.items():
        elements = array if isinstance(array, list) else ()
        carried = [e["extensions"] for e in elements if type(e) is dict and "extensions" in e]
        if _are_objects(carried) and _are_objects(chain.from_iterable(map(dict.values, carried))):
            continue
        for index, element in enumerate(elements):
            if isinstance(element, dict) and "extensions" in element:
                yield (name, index), element["extensions"]


def _are_objects(values: Iterable[Any]) -> bool:
    return {*map(type, values)} <= {dict}


def index_rules(subject: Subject) -> Iterator[Finding]:
    """Yield indices out of range, in any extension."""
    lengths = {name: len(items) for name, items in references.arrays(subject.document).items()}
    yield from _of_nodes(subject)
    for reference in references.references(Document(_uncovered_parts(subject))):
        count = lengths.get(reference.target, 0)
        if reference.index >= count:
            yield unresolved(reference.pointer, reference.index, reference.target, count)


def _of_nodes(subject: Subject) -> Iterator[Finding]:
    """Check what nodes refer to, except what other rules check."""
    for member, array in MEMBERS.items():
        count = len(subject.array(array))
        for place in subject.nodes_with(member):
            index = references.read_index(subject.nodes[place][member])
            if index is not None and index >= count:
                yield unresolved(f"/nodes/{place}/{member}", index, f"/{array}", count)


def _uncovered_parts(subject: Subject) -> dict[str, Any]:
    """Return the document without the parts that other rules cover, which are most of it."""
    others = [carried for name, carried in subject.carriers.items() if name not in EXTENDED]
    slim = {name: value for name, value in subject.json.items() if name != "nodes"}
    if subject.sound_scenes:
        scenes = enumerate(subject.array("scenes"))
        slim["scenes"] = [
            {**scene, "nodes": []} if i in subject.sound_scenes else scene for i, scene in scenes
        ]
    if others:
        nodes = subject.array("nodes")
        slim["nodes"] = [{}] * len(nodes)
        for node in {node for carried in others for node, _ in carried}:
            slim["nodes"][node] = nodes[node]
    return slim
