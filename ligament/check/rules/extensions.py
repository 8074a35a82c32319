"""Which extensions a file says that it uses, and where they stand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

from ligament.check.subject import Subject
from ligament.extensions.registry import EXTENSIONS, PHYSICS, VRMC_NODE_CONSTRAINT, Place
from ligament.findings import Finding, finding
from ligament.gltf import pointers
from ligament.gltf.references import known_extensions

Places: TypeAlias = dict[str, dict[str, str]]
"""Extension → kind of place (or "elsewhere") → the first pointer there."""

ELSEWHERE = "elsewhere"

EXTENDED = {name: entry.places for name, entry in EXTENSIONS.items() if entry.places}
"""The places of the extensions of motion."""

OPTIONAL = frozenset((*PHYSICS, VRMC_NODE_CONSTRAINT))
"""Extensions without which a file is still worth showing."""


_SHAPE = re.compile(r"(?:/extensions/[^/]+)?/(?:shapes|colliders)/[0-9]+$")


def extension_rules(subject: Subject) -> Iterator[Finding]:
    """Yield extensions that are not declared, required for nothing, or out of place."""
    places = _places(subject)
    used, required = (_listed(subject, name) for name in ("extensionsUsed", "extensionsRequired"))
    yield from _undeclared(places, used)
    for name, where in places.items():
        for place, pointer in where.items():
            if name in EXTENDED and place not in EXTENDED[name]:
                message, remedy = f"{name} does not extend this", "move it to the root or to a node"
                yield finding("UNEXPECTED_EXTENSION_OBJECT", pointer, message, remedy)
    for index, name in required.items():
        pointer = f"/extensionsRequired/{index}"
        if name not in used.values():
            message, remedy = f"{name} is required, but not used", "list it in extensionsUsed"
            yield finding("UNUSED_EXTENSION_REQUIRED", pointer, message, remedy)
        elif name in OPTIONAL:
            message = f"{name} is required, so programs that do not know it refuse the file"
            remedy = "keep it in extensionsUsed alone"
            yield finding("EXTENSION_REQUIRED_NEEDLESSLY", pointer, message, remedy)


def _undeclared(places: Places, used: dict[int, str]) -> Iterator[Finding]:
    listed = set(used.values())
    known = known_extensions()
    for name, where in places.items():
        # Rules about node constraints say it in their own words.
        if name not in listed and name in known and name != VRMC_NODE_CONSTRAINT:
            if EXTENSIONS[name].misspells in listed:
                continue
            message, remedy = f"{name} is not in extensionsUsed", "list every extension in use"
            yield finding("UNDECLARED_EXTENSION", next(iter(where.values())), message, remedy)


def _listed(subject: Subject, name: str) -> dict[int, str]:
    return {i: item for i, item in enumerate(subject.array(name)) if isinstance(item, str)}


def _places(subject: Subject) -> Places:
    """Find every extension and the first place of each kind; nodes are most of what there is."""
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
    """Yield (JSON pointer, object) of every object; numbers, which are many, are passed over."""
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
