"""Colliders of spring bones and their shapes: spheres, capsules, and planes where extended."""

import dataclasses
import math
from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Literal, TypeAlias

from ligament.extensions.fields import Fields, Vector
from ligament.extensions.registry import VRMC_SPRING_BONE_EXTENDED_COLLIDER as EXTENDED
from ligament.extensions.tables.arrays import Arrays
from ligament.extensions.tables.objects import Nested
from ligament.extensions.tables.rows import (
    Bind,
    Choice,
    Flag,
    Index,
    Number,
    Numbers,
    Plain,
    refuse,
)
from ligament.extensions.tables.rules import OneOf, Rule, Says, Values
from ligament.extensions.tables.table import Table
from ligament.gltf import pointers

ShapeKind: TypeAlias = Literal["sphere", "capsule", "plane"]

ORIGIN: Vector = (0.0, 0.0, 0.0)
FORWARD: Vector = (0.0, 0.0, 1.0)

UNIT = 1e-3
"""Tolerance of the length of a direction, which must be 1."""

_LENGTH: Any = {"unit": "m", "animated": False}
_VECTOR: Any = {**_LENGTH, "turns": True}


@dataclasses.dataclass(frozen=True, kw_only=True)
class Collider:
    """A collider that tails stay out of, or within (`inside`); lengths [m] in its node's space.

    `tail` is the other end of a capsule, `normal` the direction out of a plane. `radius` is
    measured in the world.
    """

    node: Annotated[int, Index(array="/nodes", required=True, essential=True)] = -1
    kind: ShapeKind
    normal: Annotated[Vector, Numbers(animated=False, turns=True, about="Out of a plane.")] = (
        FORWARD
    )
    offset: Annotated[Vector, Numbers(**_VECTOR, about="In the space of the node.")] = ORIGIN
    radius: Annotated[float, Number(**_LENGTH, least=0.0)] = 0.0
    tail: Annotated[Vector, Numbers(**_VECTOR, about="The other end of a capsule.")] = ORIGIN
    inside: Annotated[bool, Flag(animated=False, about="Tails stay within.")] = False
    pointer: str = ""


def _unit(fields: Fields, values: Values) -> bool:
    """Say that a normal has another length than 1; one without a length makes no plane."""
    length = math.hypot(*values["normal"])
    if abs(length - 1) > UNIT:
        message = f"the normal has a length of {length:.4g}"
        fields.report("SPRING_BONE_NORMAL", message, "it must have length 1", "normal")
    return length > 0


def _shape(kind: ShapeKind, *absent: str, rules: Iterable[Rule] = ()) -> Table:
    """Return the table of a kind of shape, which becomes a collider without a node."""

    def build(_index: int, pointer: str, **values: Any) -> Collider:
        values.setdefault("tail", values["offset"])
        return Collider(kind=kind, pointer=pointer, **values)

    rows: dict[str, Any] = dict.fromkeys(("node", *absent))
    return Table(Collider, *rules, build=build, about=f"A {kind}.", is_open=True).changed(**rows)


SPHERE = _shape("sphere", "normal", "tail")
CAPSULE = _shape("capsule", "normal")
PLANE = _shape("plane", "radius", "tail", "inside", rules=[Says(_unit)])
SHAPES = {"sphere": SPHERE, "capsule": CAPSULE, "plane": PLANE}


def present(owner: Fields | None, kinds: Iterable[str]) -> list[str]:
    """Return the kinds of objects that are present."""
    return [] if owner is None else [kind for kind in kinds if kind in owner]


def _one(*kinds: str, about: str) -> Table:
    def build(_index: int, _pointer: str, **shapes: Collider | None) -> Collider | None:
        return next((shape for shape in shapes.values() if shape is not None), None)

    rows = {kind: Nested(table=SHAPES[kind]) for kind in kinds}
    return Table(Collider, OneOf(*kinds), build=build, about=about, is_open=True, rows=rows)


PLAIN = ("sphere", "capsule")
SHAPE = _one(*PLAIN, about="A sphere or a capsule.")

EXTENDED_COLLIDER = Table(
    Collider,
    about="A shape that replaces the plain one, which is for programs without support.",
    is_open=True,
    rows={
        "specVersion": Choice.of("1.0", required=True),
        "shape": Nested(table=_one(*SHAPES, about="One shape.")),
    },
)


class Shape(Nested, frozen=True, kw_only=True):
    """A shape, or the extended one of an extension in its place.

    If the version of that is not 1.0, or it does not hold exactly one shape, the plain one is used.
    """

    def plain(self) -> list[Plain]:
        return [*(super().plain() or ()), ("extensions", Any, None)]

    def expression(self, value: str, arrays: Arrays, bind: Bind) -> str:
        plain = super().expression(f"{value}.{self.name}", arrays, bind)
        is_odd = f"{value}.{self.name} is None or {value}.extensions is not None"
        return f"{bind(refuse)}() if {is_odd} else {plain}"

    def read_at(self, fields: Fields, arrays: Arrays, index: int) -> Any:
        shape = self._extended(fields) or self._plain(fields)
        has_node = Fields(fields.raw, "", []).index("node", arrays.target("/nodes")) is not None
        if shape is None or not has_node:
            return None
        return SHAPES[shape.pointer.rpartition("/")[2]].read(shape, arrays)

    def _extended(self, fields: Fields) -> Fields | None:
        extended = fields.extension(EXTENDED)
        if extended is None:
            return None
        version, owner = extended.raw.get("specVersion"), extended.object(self.name)
        kinds = present(owner, SHAPES)
        shape = owner.object(kinds[0]) if owner is not None and len(kinds) == 1 else None
        if version == "1.0" and shape is not None:
            return shape
        found = f"specVersion {pointers.found(version)}"
        what = "not exactly one shape" if version == "1.0" else found
        message = f"the extended collider has {what}: the fallback shape is used"
        remedy = 'write "1.0" and exactly one shape'
        extended.report("SPRING_BONE_EXTENDED_COLLIDER", message, remedy)
        return None

    def _plain(self, fields: Fields) -> Fields | None:
        """Return the first shape; report if there is not exactly one."""
        owner = fields.object(self.name)
        kinds = present(owner, PLAIN)
        if len(kinds) != 1:
            message = f"found {' and '.join(kinds) or 'none'} of sphere and capsule"
            fields.report("SPRING_BONE_SHAPE", message, "a collider has exactly one shape")
        return owner.object(kinds[0]) if owner is not None and kinds else None

    def objects(self, at: str) -> Iterator[tuple[str, Table]]:
        yield from super().objects(at)
        yield from EXTENDED_COLLIDER.objects(f"{at}/extensions/{EXTENDED}")


def _collider(_index: int, pointer: str, *, node: int, shape: Collider | None) -> Collider | None:
    return None if shape is None else dataclasses.replace(shape, node=node, pointer=pointer)


_ROWS = {"node": Table(Collider).row("node"), "shape": Shape(table=SHAPE)}
COLLIDER = Table(Collider, build=_collider, is_open=True, rows=_ROWS)
