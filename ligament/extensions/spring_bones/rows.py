"""Rows of spring bones: gravity of two members, directions, vectors of VRM 0.x, colliders."""

import functools
import math
from collections.abc import Iterable, Iterator
from typing import Annotated, Any

from msgspec import Meta, Struct

from ligament.extensions.fields import Fields, Vector
from ligament.extensions.tables.arrays import Arrays
from ligament.extensions.tables.rows import (
    LARGEST,
    Bind,
    Indices,
    IrregularError,
    Json,
    Number,
    Numbers,
    Plain,
    Row,
)

Finite = Annotated[float, Meta(ge=-LARGEST, le=LARGEST)]

UNIT = 1e-3
"""Tolerance of the length of a direction, which must be 1."""

KEPT = "/colliders of use"
"""The places of colliders among those that were read, as an array of its own."""


class Gravity(Row, frozen=True, kw_only=True):
    """A speed along gravity: a power times a direction, whose length should be 1 if `is_unit`."""

    power: Row
    direction: Row
    is_unit: bool = True

    @property
    def names(self) -> tuple[str, ...]:
        return (self.power.name, self.direction.name)

    def plain(self) -> list[Plain] | None:
        power, direction = self.power.plain(), self.direction.plain()
        return None if power is None or direction is None else power + direction

    def expression(self, value: str, arrays: Arrays, bind: Bind) -> str:
        rows = (self.power, self.direction)
        values = (row.expression(f"{value}.{row.name}", arrays, bind) for row in rows)
        return f"{bind(self._regular)}({', '.join(values)})"

    def _regular(self, power: float, direction: Vector) -> Vector:
        if self.is_unit and power and not abs(math.hypot(*direction) - 1) <= UNIT:
            raise IrregularError
        x, y, z = direction
        return power * x, power * y, power * z

    def read(self, fields: Fields, arrays: Arrays) -> Any:
        power = self.power.read(fields, arrays)
        x, y, z = direction = self.direction.read(fields, arrays)
        length = math.hypot(*direction)
        if self.is_unit and power and abs(length - 1) > UNIT:
            message = f"gravityDir has a length of {length:.4g}, which multiplies"
            fields.report("SPRING_BONE_GRAVITY", message, "use a length of 1", "gravityDir")
        return power * x, power * y, power * z

    def schema(self) -> dict[str, Json]:
        return {**self.power.schema(), **self.direction.schema()}

    def walk(self, at: str) -> Iterator[tuple[str, Row]]:
        yield from self.power.walk(at)
        yield from self.direction.walk(at)


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


class Angles(Row, frozen=True, kw_only=True):
    """Two angles, or one that is both; larger ones than `most` mean these."""

    members: tuple[str, ...] = ("angle",)
    most: tuple[float, float] = (math.pi, math.pi)

    @property
    def names(self) -> tuple[str, ...]:
        return self.members

    def plain(self) -> list[Plain]:
        return [(name, Annotated[float, Meta(ge=0, le=LARGEST)], math.pi) for name in self.members]

    def expression(self, value: str, arrays: Arrays, bind: Bind) -> str:
        owner = value.partition(".")[0]
        angles = (f"{owner}.{name}" for name in (self.members[0], self.members[-1]))
        return (
            f"({', '.join(f'min({a}, {most})' for a, most in zip(angles, self.most, strict=True))})"
        )

    def read(self, fields: Fields, arrays: Arrays) -> Any:
        angles = [fields.number(name, math.pi, minimum=0) for name in self.members]
        return min(angles[0], self.most[0]), min(angles[-1], self.most[1])

    def walk(self, at: str) -> Iterator[tuple[str, Row]]:
        for name in self.members:
            row = Number(name=name, unit="rad", least=0.0, required=True, animated=False)
            yield f"{at}/{name}", row

    def schema(self) -> dict[str, Json]:
        return {row.name: row.content() for _, row in self.walk("")}


class Named(Struct, gc=False):
    """A regular vector of VRM 0.x."""

    x: Finite = 0.0
    y: Finite = 0.0
    z: Finite = 0.0


class Mirrored(Numbers, frozen=True, kw_only=True):
    """A vector of VRM 0.x: an object of x, y and z, in a left-handed space, with z reversed."""

    animated: bool = False

    def plain(self) -> list[Plain]:
        return [(self.name, Named, None)]

    def expression(self, value: str, arrays: Arrays, bind: Bind) -> str:
        vector = f"({value}.x, {value}.y, -{value}.z if {value}.z else 0.0)"
        return f"{bind(self.default)} if {value} is None else {vector}"

    def read(self, fields: Fields, arrays: Arrays) -> Any:
        own = fields.object(self.name)
        if own is None:
            return self.default
        x, y, z = (own.number(axis, 0.0) for axis in "xyz")
        return x, y, -z if z else 0.0

    def content(self) -> Json:
        return {"type": "object", "properties": {axis: {"type": "number"} for axis in "xyz"}}


class Colliders(Indices, frozen=True, kw_only=True):
    """The colliders of the groups that are named, in the order in which they push."""

    def expression(self, value: str, arrays: Arrays, bind: Bind) -> str:
        chosen = super().expression(value, arrays, bind)
        return f"{bind(functools.partial(_of_groups, arrays, self.array))}({chosen})"

    def read(self, fields: Fields, arrays: Arrays) -> Any:
        return _of_groups(arrays, self.array, super().read(fields, arrays))


def _of_groups(arrays: Arrays, array: str, chosen: tuple[int, ...]) -> tuple[int, ...]:
    groups, places = arrays.catalogue(array).items, arrays.catalogue(KEPT).items
    members = [place for group in chosen for place in groups[group] or ()]
    return tuple(places[member] for member in members if places[member] is not None)


def only(owner: Fields | None, kinds: Iterable[str]) -> tuple[list[str], Fields | None]:
    """Return the kinds of objects that are present, and the object if there is one alone."""
    present = [] if owner is None else [kind for kind in kinds if kind in owner]
    if owner is None or len(present) != 1:
        return present, None
    return present, owner.object(present[0])
