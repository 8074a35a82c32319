"""VRMC_node_constraint: 1.0, 1.0-beta and 1.0-draft, read into one list of constraints.

The draft puts `rotation` at the root of the extension or inside `constraint`; earlier drafts had
`position` too, which is kept but not read. A constraint is removed with its source.

`inspect` returns all findings about constraints; `read_constraints` raises the first error among
them and warns about the rest.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Generator, Iterator
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from ligament.extensions import registry
from ligament.findings import Finding, finding
from ligament.gltf import pointers
from ligament.gltf.document import Document

NAME: Final = registry.VRMC_NODE_CONSTRAINT

Kind = Literal["roll", "aim", "rotation"]
Flavour = Literal["1.0", "1.0-beta", "1.0-draft"]

KINDS: tuple[Kind, ...] = ("roll", "aim", "rotation")
FLAVOURS: tuple[Flavour, ...] = ("1.0", "1.0-beta", "1.0-draft")
AXES: dict[str, tuple[str, ...]] = {
    "roll": ("X", "Y", "Z"),
    "aim": ("PositiveX", "NegativeX", "PositiveY", "NegativeY", "PositiveZ", "NegativeZ"),
}


@dataclasses.dataclass(frozen=True)
class Constraint:
    """One constraint: the rotation of node `destination` follows node `source`.

    `axis` is "X" for roll, "PositiveX" for aim, None for rotation. `freeze_axes` says which axes
    of the draft are constrained; in 1.0 all are. `pointer` is the place it was read from.
    """

    destination: int
    source: int
    kind: Kind
    axis: str | None
    weight: float
    freeze_axes: tuple[bool, bool, bool]
    flavour: Flavour
    pointer: str


Reading: TypeAlias = Generator[Finding, None, Any]
"""Yields findings while reading, and returns what was read (of no use after an error)."""


def read_constraints(document: Document, *, strict: bool = True) -> list[Constraint]:
    """Read all constraints in the order of their destinations.

    Raise ContentError for the first that cannot be understood; if not `strict`, warn about each and
    leave it out. Warn, once each and at the first place, about 1.0-beta, 1.0-draft (whose players
    never agreed), a draft without a rotation, which has no effect, and a draft's weight outside
    [0, 1], which extrapolates.
    """
    document.array("nodes")
    constraints, findings = inspect(document)
    for found in findings:
        if found.severity == "error":
            if strict:
                raise document.error(found.message, found.pointer, found.remedy)
            document.warn(f"{found.message}; {found.remedy}; not played", found.pointer)
    odd = [found for found in findings if found.severity != "error"]
    first_of_each = {found.code: found for found in reversed(odd)}
    for found in reversed(first_of_each.values()):
        document.warn(f"{found.message}; {found.remedy}", found.pointer)
    return constraints


def inspect(document: Document) -> tuple[list[Constraint], list[Finding]]:
    """Return the constraints that can be understood, and all findings; never raises."""
    constraints, findings = [], []
    nodes = document.json.get("nodes")
    count = len(nodes) if isinstance(nodes, list) else 0
    for node, raw in _extended(nodes):
        constraint, odd = _collect_findings(_constraint(raw, node, count))
        findings += odd
        if constraint is not None and all(found.severity != "error" for found in odd):
            constraints.append(constraint)
    return constraints, findings


def undeclared(document: Document) -> Iterator[Finding]:
    """Yield a finding if nodes carry the extension but `extensionsUsed` does not list it."""
    used = document.json.get("extensionsUsed")
    node = next((node for node, _ in _extended(document.json.get("nodes"))), None)
    if node is not None and not (isinstance(used, list) and NAME in used):
        message = f"{NAME} is not listed in extensionsUsed"
        yield finding(
            "NODE_CONSTRAINT_NOT_USED", _pointer(node), message, "list every extension in use"
        )


def _extended(nodes: Any) -> Iterator[tuple[int, Any]]:
    """Yield (node, content) of every node that carries the extension."""
    for node, raw in enumerate(nodes if isinstance(nodes, list) else ()):
        extensions = raw.get("extensions") if isinstance(raw, dict) else None
        if isinstance(extensions, dict) and NAME in extensions:
            yield node, extensions[NAME]


def _pointer(node: int) -> str:
    return pointers.join("/nodes", node, "extensions", NAME)


def _collect_findings(reading: Reading) -> tuple[Constraint | None, list[Finding]]:
    findings = []
    while True:
        try:
            findings.append(next(reading))
        except StopIteration as end:
            return end.value, findings


def _constraint(raw: Any, node: int, count: int) -> Reading:
    here = _pointer(node)
    if not (yield from _is_object(raw, here)):
        return None
    flavour = yield from _flavour(raw, here)
    if flavour not in FLAVOURS:
        return None
    choose = _draft_rotation if flavour == "1.0-draft" else _only_kind
    chosen = yield from choose(raw, here)
    if chosen is None or not (yield from _is_object(chosen.content, chosen.pointer)):
        return None
    return Constraint(
        destination=node,
        source=(yield from _source(chosen, node, count)),
        kind=chosen.kind,
        axis=(yield from _axis(chosen)),
        weight=(yield from _weight(chosen, flavour)),
        freeze_axes=(yield from _freeze_axes(chosen, flavour)),
        flavour=flavour,
        pointer=chosen.pointer,
    )


class _Chosen(NamedTuple):
    """The object that holds the parameters of the constraint."""

    kind: Kind
    content: Any
    pointer: str


def _is_object(raw: Any, pointer: str) -> Reading:
    if not isinstance(raw, dict):
        message = f"found {pointers.found(raw)}"
        yield finding("NODE_CONSTRAINT_TYPE", pointer, message, "it must be an object")
    return isinstance(raw, dict)


def _flavour(raw: dict[str, Any], here: str) -> Reading:
    flavour, place = raw.get("specVersion"), f"{here}/specVersion"
    valid = f"it must be one of {', '.join(FLAVOURS)}"
    if "specVersion" not in raw:
        yield finding("NODE_CONSTRAINT_SPEC_VERSION", here, "specVersion is missing", valid)
    elif flavour not in FLAVOURS:
        yield finding(
            "NODE_CONSTRAINT_SPEC_VERSION", place, f"found {pointers.found(flavour)}", valid
        )
    elif flavour == "1.0-beta":
        yield finding("NODE_CONSTRAINT_BETA", place, "1.0-beta is read as 1.0", "write 1.0")
    elif flavour == "1.0-draft":
        message = "players implement 1.0-draft differently"
        yield finding("NODE_CONSTRAINT_DRAFT", place, message, "convert it to 1.0")
    return flavour


def _only_kind(raw: dict[str, Any], here: str) -> Reading:
    """Return the one of roll, aim and rotation that 1.0 requires; report any other number."""
    if "constraint" not in raw:
        yield finding(
            "NODE_CONSTRAINT_MISSING", here, "constraint is missing", "add roll, aim or rotation"
        )
        return None
    content, place = raw["constraint"], f"{here}/constraint"
    if not (yield from _is_object(content, place)):
        return None
    kinds = [kind for kind in KINDS if kind in content]
    if len(kinds) != 1:
        found = f"found {' and '.join(kinds) or 'none'} of roll, aim and rotation"
        yield finding("NODE_CONSTRAINT_KIND", place, found, "it must hold exactly one")
        return None
    return _Chosen(kinds[0], content[kinds[0]], f"{place}/{kinds[0]}")


def _draft_rotation(raw: dict[str, Any], here: str) -> Reading:
    """Return the rotation: in `constraint` (as in the draft's example) or beside it (its table).

    The table calls it required, the text below the table does not: without it nothing happens.
    """
    content = raw.get("constraint")
    if "constraint" in raw and not (yield from _is_object(content, f"{here}/constraint")):
        return None
    if isinstance(content, dict) and "rotation" in content:
        return _Chosen("rotation", content["rotation"], f"{here}/constraint/rotation")
    if "rotation" in raw:
        return _Chosen("rotation", raw["rotation"], f"{here}/rotation")
    yield finding(
        "NODE_CONSTRAINT_DRAFT_EMPTY",
        here,
        "there is no rotation, so the constraint does nothing",
        "add one",
    )
    return None


def _source(chosen: _Chosen, node: int, count: int) -> Reading:
    place, valid = f"{chosen.pointer}/source", f"it must be a node, 0 to {count - 1}"
    if "source" not in chosen.content:
        yield finding("NODE_CONSTRAINT_SOURCE", chosen.pointer, "source is missing", valid)
        return -1
    source = _number(chosen.content["source"])
    if source is None or not source.is_integer() or not 0 <= source < count:
        found = f"found {pointers.found(chosen.content['source'])}"
        yield finding("NODE_CONSTRAINT_SOURCE", place, found, valid)
        return -1
    if source == node:
        found = "a node cannot follow itself"
        yield finding("NODE_CONSTRAINT_SELF", place, found, "the source must be another node")
    return int(source)


def _axis(chosen: _Chosen) -> Reading:
    if chosen.kind == "rotation":
        return None
    member, names = f"{chosen.kind}Axis", AXES[chosen.kind]
    axis, valid = chosen.content.get(member), f"it must be one of {', '.join(names)}"
    if member not in chosen.content:
        yield finding("NODE_CONSTRAINT_AXIS", chosen.pointer, f"{member} is missing", valid)
    elif axis not in names:
        place = f"{chosen.pointer}/{member}"
        yield finding("NODE_CONSTRAINT_AXIS", place, f"found {pointers.found(axis)}", valid)
    return axis


def _weight(chosen: _Chosen, flavour: Flavour) -> Reading:
    """Read the weight, a number in [0, 1]; the draft names no range."""
    raw, place = chosen.content.get("weight", 1.0), f"{chosen.pointer}/weight"
    weight, found = _number(raw), f"found {pointers.found(raw)}"
    if weight is None:
        yield finding("NODE_CONSTRAINT_WEIGHT", place, found, "it must be a finite number")
    elif not 0 <= weight <= 1 and flavour == "1.0-draft":
        message = f"{found}, outside 0 to 1, so the rotation is extrapolated"
        yield finding("NODE_CONSTRAINT_DRAFT_WEIGHT", place, message, "use a number from 0 to 1")
    elif not 0 <= weight <= 1:
        yield finding("NODE_CONSTRAINT_WEIGHT", place, found, "it must be from 0 to 1")
    return weight


def _freeze_axes(chosen: _Chosen, flavour: Flavour) -> Reading:
    """Read which axes are constrained; the draft called the member `axes` for a time."""
    member = "axes" if "freezeAxes" not in chosen.content else "freezeAxes"
    if flavour != "1.0-draft" or member not in chosen.content:
        return (True, True, True)
    axes = chosen.content[member]
    fits = isinstance(axes, list) and len(axes) == 3 and all(isinstance(a, bool) for a in axes)
    if not fits:
        place, found = f"{chosen.pointer}/{member}", f"found {pointers.found(axes)}"
        yield finding(
            "NODE_CONSTRAINT_FREEZE_AXES", place, found, "it must be three booleans, for X, Y and Z"
        )
    return tuple(axes) if fits else (True, True, True)


def _number(raw: Any) -> float | None:
    """Return a finite JSON number, else None."""
    if isinstance(raw, bool) or not isinstance(raw, (int, float)):
        return None
    try:
        value = float(raw)
    except OverflowError:
        return None
    return value if math.isfinite(value) else None
