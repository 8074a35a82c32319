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
    IrregularError,
    Number,
    Numbers,
    Plain,
    refuse,
)
from ligament.extensions.tables.rules import OneOf
from ligament.extensions.tables.table import Table
from ligament.gltf import pointers

ShapeKind: TypeAlias = Literal["sphere", "capsule", "plane"]

ORIGIN: Vector = (0.0, 0.0, 0.0)
FORWARD: Vector = (0.0, 0.0, 1.0)

UNIT = 1e-3
"""Tolerance of the length of a direction, which must be 1."""

_LENGTH: Any = {"unit": "m", "animated": False}
_VECTOR: Any = {**_LENGTH, "turns": True}


class Normal(Numbers, frozen=True, kw_only=True):
    """A direction, whose length must be 1; without one it is None."""

    def expression(self, value: str, arrays: Arrays, bind: Bind) -> str:
        return f"{bind(_of_length_1)}({value})"

    def read(self, fields: Fields, arrays: Arrays) -> Any:
        normal = super().read(fields, arrays)
        length = math.hypot(*normal)
        if abs(length - 1) > UNIT:
            message = f"the normal has a length of {length:.4g}"
            fields.report("SPRING_BONE_NORMAL", message, "it must have length 1", self.name)
        return normal if length else None


def _of_length_1(vector: Vector) -> Vector:
    if not abs(math.hypot(*vector) - 1) <= UNIT:
        raise IrregularError
    return vector


@dataclasses.dataclass(frozen=True, kw_only=True)
class Collider:
    """A collider that tails stay out of, or within (`inside`); lengths [m] in its node's space.

    `tail` is the other end of a capsule, `normal` the direction out of a plane. `radius` is
    measured in the world.
    """

    node: Annotated[int, Index(array="/nodes", required=True, essential=True)] = -1
    kind: ShapeKind
    normal: Annotated[Vector, Normal(animated=False, turns=True, about="Out of a plane.")] = FORWARD
    offset: Annotated[Vector, Numbers(**_VECTOR, about="In the space of the node.")] = ORIGIN
    radius: Annotated[float, Number(**_LENGTH, least=0.0)] = 0.0
    tail: Annotated[Vector, Numbers(**_VECTOR, about="The other end of a capsule.")] = ORIGIN
    inside: Annotated[bool, Flag(animated=False, about="Tails stay within.")] = False
    pointer: str = ""


def _shape(kind: ShapeKind, *absent: str) -> Table:
    """Return the table of a kind of shape, which becomes a collider without a node."""

    def build(_index: int, pointer: str, **values: Any) -> Collider | None:
        if values.get("normal", FORWARD) is None:
            return None
        values.setdefault("tail", values["offset"])
        return Collider(kind=kind, pointer=pointer, **values)

    rows: dict[str, Any] = dict.fromkeys(("node", *absent))
    return Table(Collider, build=build, about=f"A {kind}.", is_open=True).changed(**rows)


SPHERE = _shape("sphere", "normal", "tail")
CAPSULE = _shape("capsule", "normal")
PLANE = _shape("plane", "radius", "tail", "inside")
SHAPES = {"sphere": SPHERE, "capsule": CAPSULE, "plane": PLANE}


def _only(_index: int, _pointer: str, **shapes: Collider | None) -> Collider | None:
    return next((shape for shape in shapes.values() if shape is not None), None)


_PLAIN = ("sphere", "capsule")
_ROWS = [Nested(attribute=kind, name=kind, table=table) for kind, table in SHAPES.items()]


def _one(*rows: Nested, about: str) -> Table:
    rule = OneOf(*(row.name for row in rows))
    return Table(Collider, rule, build=_only, about=about, is_open=True, rows=rows)


SHAPE = _one(*_ROWS[:2], about="A sphere or a capsule.")

EXTENDED_COLLIDER = Table(
    Collider,
    about="A shape that replaces the plain one, which is for programs without support.",
    is_open=True,
    rows=[
        Choice(attribute="version", name="specVersion", choices={"1.0": "1.0"}, required=True),
        Nested(attribute="shape", name="shape", table=_one(*_ROWS, about="One shape.")),
    ],
)


def only(owner: Fields | None, kinds: Iterable[str]) -> tuple[list[str], Fields | None]:
    """Return the kinds of objects that are present, and the object if there is one alone."""
    present = [] if owner is None else [kind for kind in kinds if kind in owner]
    if owner is None or len(present) != 1:
        return present, None
    return present, owner.object(present[0])


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
        found = self._extended(fields) or self._plain(fields)
        has_node = Fields(fields.raw, "", []).index("node", arrays.target("/nodes")) is not None
        if found is None or not has_node:
            return None
        kind, shape = found
        return SHAPES[kind].read(shape, arrays)

    def _extended(self, fields: Fields) -> tuple[str, Fields] | None:
        extended = fields.extension(EXTENDED)
        if extended is None:
            return None
        version = extended.raw.get("specVersion")
        kinds, shape = only(extended.object(self.name), SHAPES)
        if version == "1.0" and shape is not None:
            return kinds[0], shape
        what = "not exactly one shape"
        if version != "1.0":
            what = f"specVersion {pointers.found(version)}"
        message = f"the extended collider has {what}: the fallback shape is used"
        remedy = 'write "1.0" and exactly one shape'
        extended.report("SPRING_BONE_EXTENDED_COLLIDER", message, remedy)
        return None

    def _plain(self, fields: Fields) -> tuple[str, Fields] | None:
        """Return the kind of the shape in use and the shape; report if there is not exactly one."""
        owner = fields.object(self.name)
        kinds = [] if owner is None else [k for k in _PLAIN if k in owner]
        if len(kinds) != 1:
            message = f"found {' and '.join(kinds) or 'none'} of sphere and capsule"
            fields.report("SPRING_BONE_SHAPE", message, "a collider has exactly one shape")
        shape = None if owner is None or not kinds else owner.object(kinds[0])
        return None if shape is None else (kinds[0], shape)

    def objects(self, at: str) -> Iterator[tuple[str, Table]]:
        yield from super().objects(at)
        yield from EXTENDED_COLLIDER.objects(f"{at}/extensions/{EXTENDED}")


def _collider(_index: int, pointer: str, *, node: int, shape: Collider | None) -> Collider | None:
    return None if shape is None else dataclasses.replace(shape, node=node, pointer=pointer)


COLLIDER = Table(
    Collider,
    build=_collider,
    is_open=True,
    rows=[
        Table(Collider).row("node"),
        Shape(attribute="shape", name="shape", table=SHAPE),
    ],
)
