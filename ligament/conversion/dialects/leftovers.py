"""Leftovers: members of physics objects that no reader understands, kept by the conversion.

Names, extras, extensions and unknown members move to the object that replaces their own; those
that no object takes are losses.
"""

from __future__ import annotations

import functools
import re
from collections import defaultdict
from collections.abc import Collection, Iterator
from typing import Any

from ligament.conversion.dialects.extensions import physics_objects
from ligament.extensions.members import PLACES
from ligament.extensions.registry import PHYSICS
from ligament.extensions.rigid_bodies import Collider, Physics, Trigger
from ligament.extensions.tables.patterns import target
from ligament.extensions.tables.rows import Element
from ligament.gltf import jsontext, pointers
from ligament.gltf.document import Document
from ligament.gltf.references import read_index
from ligament.losses import Loss


def _understood() -> dict[str, frozenset[str]]:
    """Return the members that readers understand, by the pattern of their object."""
    understood: dict[str, frozenset[str]] = {}
    for place in (place for name in PHYSICS for place in PLACES.get(name, ())):
        for pattern, table in place.table.objects(place.pattern):
            understood[pattern] = understood.get(pattern, frozenset()) | table.names - {"name"}
    return understood


_UNDERSTOOD = _understood()
_NUMBER = re.compile(r"/\d+(?=/|$)")


def _understood_at(pointer: str) -> frozenset[str]:
    """Return the members that readers understand in an object; names stay as they are."""
    return _UNDERSTOOD.get(_NUMBER.sub("/*", pointer), frozenset())


HARMLESS = frozenset(
    {
        "EMPTY_ENTITY",
        "KHR_RIGID_BODIES_COLLISION_FILTER_INVALID_FILTER_SET",
        "KHR_RIGID_BODIES_TRIGGER_NODES_INVALID",
        "NUMBER_INFINITE",
        "OMI_PHYSICS_BODY_MISSING_COLLIDER",
        "OMI_PHYSICS_JOINT_CONSTRAINT_NO_AXES_CONSTRAINED",
        "OMI_PHYSICS_JOINT_NOT_UNDER_DYNAMIC",
        "OMI_PHYSICS_SHAPE_AMBIGUOUS_HEIGHT",
        "PHYSICS_DIALECT_MIXED",
        "PHYSICS_INERTIA_ORIENTATION_ALONE",
        "ROTATION_NON_UNIT",
        "SHARES_NODE_WITH",
    }
)
"""Codes of findings that do not prevent a reader from using the content."""

MATERIALS, FILTERS, DESCRIPTIONS = "physicsMaterials", "collisionFilters", "physicsJoints"
SHAPES = "shapes"
"""Kinds of elements, by the newest names of their arrays."""

_RENAMED = {"physicsJointLimits": DESCRIPTIONS, "colliders": SHAPES}


def _elements() -> dict[tuple[str, str], list[tuple[str, str, list[str]]]]:
    """Return where parts of nodes name elements of a kind: a member, in an object below, of arrays.

    The first array that a file has counts.
    """
    found = defaultdict[tuple[str, str], list[tuple[str, str, list[str]]]](list)
    for place in (place for name in PHYSICS for place in PLACES.get(name, ())):
        for pattern, row in place.table.walk(place.pattern):
            if isinstance(row, Element):
                holder, _, member = pattern.rpartition("/")
                part = holder.removesuffix("/geometry").removesuffix("/shape")
                arrays = target(row.array, place.root).split(" | ")
                kind = arrays[0].rpartition("/")[2]
                below = holder.removeprefix(part).removeprefix("/")
                found[part, _RENAMED.get(kind, kind)].append((below, member, arrays))
    return dict(found)


_ELEMENTS = _elements()


class Leftovers:
    """Finds the unknown members of the objects of a document, and records which were taken."""

    def __init__(self, document: Document, physics: Physics) -> None:
        self._document, self._physics = document, physics
        self._find = functools.lru_cache(100)(functools.partial(pointers.find, document.json))
        self._taken: set[str] = set()
        self._kept: dict[str, str] = {}
        self._refused: dict[str, str] = {}
        self._used: set[str] = set()
        self._shapes: dict[str, str] = {}

    def of(self, *places: str, into: Collection[str]) -> dict[str, Any]:
        """Take the unknown members of the objects at some pointers; the first have precedence.

        Members with a meaning `into` the new object, by its names, would change it: they stay.
        """
        result: dict[str, Any] = {}
        for pointer in places:
            raw = self._find(pointer) if pointer else None
            if not isinstance(raw, dict):
                continue
            members = _unknown(raw, _understood_at(pointer))
            if members.keys().isdisjoint(result):
                self._taken.add(pointer)
                refused = {name for name in members if name in into and name != "name"}
                for name, value in members.items():
                    place = pointers.join(pointer, name)
                    (self._refused if name in refused else self._kept)[place] = name
                    if name not in refused:
                        result[name] = value
        cloned: dict[str, Any] = jsontext.clone(result) if result else result
        return cloned

    def element(self, part: str, kind: str) -> str:
        """Return the pointer of the element of a kind that a part of a node names, "" for none."""
        raw, (*_, within) = self._find(part), part.split("/", 3)
        if not isinstance(raw, dict):  # an index, with the material next to it
            raw = self._find(part.rpartition("/")[0])
        for below, member, arrays in _ELEMENTS.get((f"/nodes/*/{within}", kind), ()):
            holder = raw.get(below) if below and isinstance(raw, dict) else raw
            index = read_index(holder.get(member)) if isinstance(holder, dict) else None
            there = next((a for a in arrays if isinstance(self._find(a), list)), "")
            if there and index is not None and index < len(self._find(there)):
                return f"{there}/{index}"
        return ""

    def shape(self, part: str) -> str:
        """Return the pointer of the shape that a collider or trigger is made of."""
        if part not in self._shapes:
            raw, members = self._find(part), ("geometry", "shape", "collider")
            in_place = isinstance(raw, dict) and not any(m in raw for m in members)  # as in 2022
            self._shapes[part] = part if in_place else self.element(part, SHAPES)
        return self._shapes[part]

    def parameters(self, shape: str) -> str:
        """Return the pointer of the object with the sizes of a shape, "" where it is flat."""
        raw = self._find(shape)
        kind = str(raw.get("type")) if shape and isinstance(raw, dict) else ""
        return pointers.join(shape, kind) if kind and isinstance(raw.get(kind), dict) else ""

    def losses(self) -> Iterator[Loss]:
        """Yield losses: members not taken, unused objects, and content that no reader accepts."""
        for finding in self._physics.findings:
            if finding.severity in ("error", "warning") and not self._is_harmless(finding):
                what = f"{finding.message} ({finding.code})"
                yield Loss(finding.pointer, what, "it was not understood", finding.remedy)
        for pointer, name in self._refused.items():
            if pointer in self._kept:
                continue
            reason = f"the new object has another member {name}"
            yield Loss(pointer, f"the member {name}", reason, "no motion changes")
        self._used = self._uses()
        for pointer, content in physics_objects(self._document):
            yield from self._unused_members(pointer, content)

    def _uses(self) -> set[str]:
        """Return the pointers of all elements that something on a node uses."""
        physics = self._physics
        places = {place for item in physics.colliders.values() for place in self._named(item)}
        places |= {place for item in physics.triggers.values() for place in self._named(item)}
        for joint in physics.joints.values():
            limits = (limit.pointer for limit in joint.limits)
            places |= {self.element(joint.pointer, DESCRIPTIONS), *limits}
        return places

    def _named(self, item: Collider | Trigger) -> tuple[str, str, str]:
        place = item.pointer
        material, filter_ = (self.element(place, kind) for kind in (MATERIALS, FILTERS))
        return material, filter_, self.shape(place)

    def _is_harmless(self, finding: Any) -> bool:
        holder, _, member = finding.pointer.rpartition("/")
        is_unknown = finding.code == "UNEXPECTED_PROPERTY" and member not in _understood_at(holder)
        return is_unknown or finding.code in HARMLESS

    def _unused_members(self, pointer: str, content: Any) -> Iterator[Loss]:
        pending = [(pointer, content)]
        while pending:
            pointer, content = pending.pop()
            below: list[tuple[str, Any]] = []
            if isinstance(content, list):
                below = [(f"{pointer}/{index}", item) for index, item in enumerate(content)]
            elif isinstance(content, dict) and self._is_unused(pointer):
                yield Loss(pointer, "an element", "nothing uses it", "no motion changes")
            elif isinstance(content, dict):
                understood = _understood_at(pointer)
                for name in _unknown(content, understood) if pointer not in self._taken else ():
                    yield Loss(
                        pointers.join(pointer, name),
                        f"the member {name}",
                        "the object that contains it has no counterpart",
                        "no motion changes",
                    )
                below = [
                    (f"{pointer}/{name}", value)
                    for name, value in content.items()
                    if isinstance(value, dict | list) and name in understood
                ]
                below += _physics_on(pointer, content)
            pending.extend(reversed(below))

    def _is_unused(self, pointer: str) -> bool:
        is_element = pointer.startswith("/extensions/") and pointer.count("/") == 4
        return is_element and pointer not in self._used


def _unknown(raw: dict[str, Any], understood: frozenset[str]) -> dict[str, Any]:
    """Return the members that no reader understands; of extensions, those that are not physics."""
    if raw.keys() <= understood:
        return {}
    members = {name: value for name, value in raw.items() if name not in understood}
    extensions = members.get("extensions")
    if isinstance(extensions, dict):
        members["extensions"] = {k: v for k, v in extensions.items() if k not in PHYSICS}
        if not members["extensions"]:
            del members["extensions"]
    return members


def _physics_on(pointer: str, content: dict[str, Any]) -> list[tuple[str, Any]]:
    """Return the physics extensions of a shape."""
    extensions = content.get("extensions")
    return [
        (f"{pointer}/extensions/{name}", extension)
        for name, extension in (extensions.items() if isinstance(extensions, dict) else ())
        if name in PHYSICS
    ]
