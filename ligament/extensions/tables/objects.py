"""Rows that hold objects of another table: one, a list of them, or one for each of some names."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from msgspec import Meta

from ligament.extensions.fields import Fields
from ligament.extensions.tables.rows import Bind, Json, Places, Plain, Row, refuse
from ligament.extensions.tables.table import Table

if TYPE_CHECKING:
    from ligament.extensions.tables.arrays import Arrays


class Holder(Row, frozen=True, kw_only=True):
    """A row that holds objects of a table."""

    table: Table
    below: ClassVar[str] = ""
    """The pattern of the objects below the member."""

    def at(self, revision: StrEnum) -> Row | None:
        row = super().at(revision)
        return None if row is None else row.changed(table=self.table.at(revision))

    def objects(self, at: str) -> Iterator[tuple[str, Table]]:
        yield from self.table.objects(f"{at}/{self.name}{self.below}")


class Nested(Holder, frozen=True, kw_only=True):
    """An object of another table, at the same place.

    An `essential` one takes its owner along when it is removed.
    """

    essential: bool = False

    def plain(self) -> list[Plain] | None:
        return None if self.table.plain is None else [(self.name, self.table.plain, None)]

    def expression(self, value: str, arrays: Arrays, bind: Bind) -> str:
        below = (
            f"{bind(arrays.quick(self.table))}({value}, index, pointer + {bind(f'/{self.name}')})"
        )
        return f"None if {value} is None else {below}"

    def read(self, fields: Fields, arrays: Arrays) -> Fields | None:
        """Return a cursor on the object."""
        return fields.object(self.name)

    def read_at(self, fields: Fields, arrays: Arrays, index: int) -> Any:
        content = super().read_at(fields, arrays, index)
        return None if content is None else self.table.read(content, arrays, index)

    def json(self, value: Any, places: Places) -> Any:
        return self.table.write(value, places)

    def content(self) -> Json:
        return self.table.schema()


class Extending(Nested, frozen=True, kw_only=True):
    """The object of another extension, of the row's name; objects with any have no regular form."""

    @property
    def names(self) -> tuple[str, ...]:
        return ()

    def plain(self) -> list[Plain] | None:
        return [("extensions", Any, None)]

    def expression(self, value: str, arrays: Arrays, bind: Bind) -> str:
        return f"{value} if {value} is None else {bind(refuse)}()"

    def read(self, fields: Fields, arrays: Arrays) -> Fields | None:
        return fields.extension(self.name)

    def schema(self) -> dict[str, Json]:
        return {"extensions": {"properties": {self.name: self.content()}}}

    def members(self) -> Iterator[tuple[str, Row]]:
        yield f"extensions/{self.name}", self

    def objects(self, at: str) -> Iterator[tuple[str, Table]]:
        return super().objects(f"{at}/extensions")


class Each(Holder, frozen=True, kw_only=True):
    """A list of objects, at least `least` if it is present; those of no use are left out.

    An `essential` list takes its object along when its last element is removed.
    """

    below = "/*"
    essential: bool = False
    least: int = 1

    def plain(self) -> list[Plain] | None:
        kind = self.table.plain
        if kind is None:
            return None
        return [(self.name, Annotated[list[kind], Meta(min_length=self.least)], ())]  # type: ignore[valid-type]

    def expression(self, value: str, arrays: Arrays, bind: Bind) -> str:
        place = bind(f"/{self.name}/")
        item = f"{bind(arrays.quick(self.table))}(item, i, f'{{pointer}}{{{place}}}{{i}}')"
        return f"tuple([{item} for i, item in enumerate({value})])"

    def read(self, fields: Fields, arrays: Arrays) -> Any:
        if self.least == 0 and fields.raw.get(self.name) == []:
            return ()
        items = (
            self.table.read(item, arrays, index)
            for index, item in enumerate(fields.objects(self.name))
            if item is not None
        )
        return tuple(item for item in items if item is not None)

    def json(self, value: Any, places: Places) -> Any:
        return [self.table.write(item, places) for item in value]

    def content(self) -> Json:
        return {"type": "array", "items": self.table.schema(), "minItems": self.least}


class Map(Holder, frozen=True, kw_only=True):
    """Objects by name, as the bones of a humanoid, which tables state but do not read.

    Schemas know the names in `known` alone, if there are any, and ask for those in `needed`.
    """

    below = "/*"
    known: tuple[str, ...] = ()
    needed: tuple[str, ...] = ()

    def plain(self) -> None:
        return None

    def content(self) -> Json:
        each = self.table.schema()
        if not self.known:
            return {"type": "object", "additionalProperties": each}
        needed = {"required": [*self.needed]} if self.needed else {}
        return {"type": "object", "properties": dict.fromkeys(self.known, each), **needed}
