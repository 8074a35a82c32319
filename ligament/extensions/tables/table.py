"""Tables: the rows of one object, the rules between them, and what becomes of their values."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, get_type_hints

import msgspec
from msgspec import NODEFAULT, Struct, structs

from ligament.extensions.fields import Fields
from ligament.extensions.tables.regular import ODD
from ligament.extensions.tables.rows import Places, Row, Text
from ligament.extensions.tables.rules import Json, Rule

if TYPE_CHECKING:
    from ligament.extensions.tables.arrays import Arrays

NAME = Text(name="name")
"""A label of elements of arrays, of no meaning."""

ANYTHING: Json = {"extensions": True, "extras": True}

Build = Callable[..., Any]
"""Makes the view: takes the place (a node or an index), the pointer, and values by attribute."""

Split = Callable[[Any], Any]
"""Makes of a view that is something else the object with the attributes of the rows."""


class Part(Struct, frozen=True, gc=False):
    """An object on a node, and where it was read."""

    node: int
    pointer: str = ""


@dataclasses.dataclass(frozen=True)
class Item:
    """An element of a list, its place there, and where it was read."""

    index: int = 0
    pointer: str = ""


class Table:
    """All that is known about one kind of object in one dialect.

    `view` is the class whose annotations are the rows. `build` makes of place, pointer and values
    what readers return: the class itself unless the values become something else, which `split`
    undoes for the writer; a view that is no Part and no Item has a `pointer` at most. `named`
    objects may have a name. `about` is the first line of the class's docstring unless given.
    `is_open` objects may have any other members. `unread` are rows of members whose indices are
    kept up to date, though no table reads them.
    """

    def __init__(
        self,
        view: Any,
        *rules: Rule,
        about: str = "",
        build: Build | None = None,
        split: Split | None = None,
        named: bool = False,
        is_open: bool = False,
        rows: Iterable[Row | None] | Mapping[str, Row] | None = None,
        unread: Iterable[Row] = (),
    ) -> None:
        self.view, self.rules, self.named, self.is_open = view, rules, named, is_open
        self.about = about or (view.__doc__ or "").partition("\n")[0]
        if isinstance(rows, Mapping):
            rows = [_added(attribute, row) for attribute, row in rows.items()]
        self.rows = tuple(row for row in (_rows(view) if rows is None else rows) if row is not None)
        self.unread, self._split = tuple(unread), split
        self.build: Build = build or _builder(view)
        self.options: dict[str, Any] = {"about": self.about, "build": build, "split": split}
        self.options |= {"named": named, "is_open": is_open, "unread": self.unread}

    def changed(
        self,
        *rules: Rule,
        build: Build | None = None,
        about: str = "",
        **rows: Row | Table | Mapping[str, Any] | None,
    ) -> Table:
        """Return the table of another dialect: rows replaced, changed in some columns, or absent.

        Rules, if any are given, replace all of them. A row for an attribute that the table lacks is
        a new one.
        """
        known = {row.attribute for row in self.rows}
        changed = [_changed(row, rows.get(row.attribute, {})) for row in self.rows]
        added = [_added(name, row) for name, row in rows.items() if name not in known]
        given = {"about": about, "build": build}
        options = self.options | {name: value for name, value in given.items() if value}
        return Table(self.view, *(rules or self.rules), rows=[*changed, *added], **options)

    def fixed(self) -> Table:
        """Return the table of a dialect in which no member may be animated."""
        fixed: dict[str, Any] = {r.attribute: {"animated": False} for r in self.rows if r.animated}
        return self.changed(**fixed)

    def at(self, revision: StrEnum) -> Table:
        """Return the table with the rows that one revision has, of those that share it."""
        rows = [row.at(revision) for row in self.rows]
        return Table(self.view, *self.rules, rows=rows, **self.options)

    def table(self, raw: Mapping[str, Any]) -> Table:
        """Return the table of an object, where there are several."""
        return self

    def row(self, attribute: str) -> Row:
        """Return the row of an attribute."""
        return next(row for row in self.rows if row.attribute == attribute)

    @cached_property
    def names(self) -> frozenset[str]:
        """The JSON names that the object may have; all others are unknown."""
        rows = (*self.rows, NAME) if self.named else self.rows
        return frozenset(name for row in rows for name in row.names)

    @cached_property
    def required(self) -> tuple[str, ...]:
        """The JSON names that the object must have, where there is only one name."""
        return tuple(row.name for row in self.rows if row.required and len(row.names) == 1)

    @cached_property
    def plain(self) -> type[Struct] | None:
        """The class of regular objects, by JSON names; None where all take the careful reader."""
        plains = [row.plain() for row in self.rows]
        if any(plain is None or row.others for plain, row in zip(plains, self.rows, strict=True)):
            return None
        members = [member for plain in plains for member in plain or ()]
        members += [("name", str, "")] if self.named else []
        members += [("extensions", Any, None), ("extras", Any, None)]
        fields: dict[str, Any] = {
            name: (name, kind) if name in self.required else (name, kind, default)
            for name, kind, default in members
        }
        return msgspec.defstruct(
            f"Plain{self.view.__name__}",
            fields.values(),
            kw_only=True,
            gc=False,
            forbid_unknown_fields=not self.is_open or not self.names <= fields.keys(),
        )

    def read(self, fields: Fields, arrays: Arrays, index: int = 0) -> Any:
        """Read any object; None, with a finding, if it is of no use."""
        if self.plain is not None:
            try:
                plain = msgspec.convert(fields.raw, self.plain)
                return arrays.quick(self)(plain, index, fields.pointer)
            except (msgspec.ValidationError, RecursionError, *ODD):
                pass
        return self.read_carefully(fields, arrays, index)

    def read_carefully(self, fields: Fields, arrays: Arrays, index: int = 0) -> Any:
        """Read an object row by row, with every finding."""
        if not self.is_open:
            fields.only(self.names)
        required = (row for row in self.rows if row.required and not row.code)
        fields.required(*(row.present(fields) for row in required))
        if self.named:
            fields.string("name", None)
        for rule in self.rules:
            if unread := rule.before(fields):
                rest = {name: value for name, value in fields.raw.items() if name not in unread}
                fields = Fields(rest, fields.pointer, fields.findings)
        values, faulty = dict[str, Any](), set[str]()
        for row in self.rows:
            before = len(fields.findings)
            values[row.attribute] = row.read_at(fields, arrays, index)
            faulty |= {row.name} if len(fields.findings) > before else set()
        for rule in self.rules:
            if not rule.after(fields, values, faulty, arrays):
                return None
        if any(row.required and values[row.attribute] is None for row in self.rows):
            return None
        return self.build(index, fields.pointer, **values)

    def write(self, view: Any, places: Places) -> Json:
        """Return the JSON of a view: members that are not the default, in the order of the rows."""
        view = view if self._split is None else self._split(view)
        content: Json = {}
        for row, attribute, unwritten in self._written:
            value = getattr(view, attribute)
            if value == unwritten and not (row.beside and getattr(view, row.beside)):
                continue
            if value is not None and (found := row.json(value, places)) is not None:
                content[row.name] = found
        return content

    @cached_property
    def _written(self) -> list[tuple[Row, str, Any]]:
        """The rows, their attributes, and the values that are not written."""
        return [
            (row, row.attribute, NODEFAULT if row.is_written or row.required else row.default)
            for row in self.rows
        ]

    def unknown(self, raw: Mapping[str, Any]) -> Json:
        """Return the members that no row understands: names, extras, extensions, all others."""
        known = self.names - {"name"}
        return {name: value for name, value in raw.items() if name not in known}

    def schema(self) -> Json:
        """Return the JSON Schema (draft 2020-12) of the object."""
        properties: Json = dict(NAME.schema()) if self.named else {}
        for row in self.rows:
            properties |= row.schema()
        result: Json = {"description": self.about, "type": "object"}
        result["properties"] = properties if self.is_open else {**ANYTHING, **properties}
        required = [name for name in self.required if name in properties]
        result |= {"required": required} if required else {}
        result |= {} if self.is_open else {"additionalProperties": False}
        return merge(result, self.conditions(properties))

    def conditions(self, names: Collection[str]) -> list[Json]:
        """Return the conditions on an object with some of the members."""
        return [condition for rule in self.rules for condition in rule.schema(names)]

    def walk(self, at: str = "") -> Iterator[tuple[str, Row]]:
        """Yield pattern and row of every member of the object `at`, and of those below it."""
        for pattern, table in self.objects(at):
            for row in (*table.rows, *table.unread):
                yield from ((f"{pattern}/{name}", member) for name, member in row.members())
            for row in table.unread:
                for place, below in row.objects(pattern):
                    yield from below.walk(place)

    def objects(self, at: str = "") -> Iterator[tuple[str, Table]]:
        """Yield pattern and table of the object `at` and of those below it."""
        yield at, self
        for row in self.rows:
            yield from row.objects(at)


def merge(result: Json, conditions: list[Json]) -> Json:
    """Add conditions to a schema, side by side where their keywords do not collide."""
    keywords = [keyword for condition in conditions for keyword in condition]
    rest = []
    for condition in conditions:
        if all(keywords.count(word) == 1 and word not in result for word in condition):
            result |= condition
        else:
            rest.append(condition)
    return result | ({"allOf": rest} if rest else {})


def _rows(view: Any) -> Iterator[Row]:
    """Read the annotations of a class."""
    fields = structs.fields(view) if issubclass(view, Struct) else dataclasses.fields(view)
    defaults = {field.name: field.default for field in fields}
    for attribute, hint in get_type_hints(view, include_extras=True).items():
        for row in (m for m in getattr(hint, "__metadata__", ()) if isinstance(m, Row)):
            default = defaults[attribute]
            default = None if default in (NODEFAULT, dataclasses.MISSING) else default
            name = row.name or camel(attribute)
            yield row.changed(attribute=attribute, name=name, default=default)


def _changed(row: Row, change: Row | Table | Mapping[str, Any] | None) -> Row | None:
    if change is None:
        return None
    if isinstance(change, Table):
        return row.changed(table=change)
    if isinstance(change, Row):
        default = row.default if change.default is None else change.default
        name = change.name or row.name
        return change.changed(attribute=row.attribute, name=name, default=default)
    return row.changed(**change)


def _added(attribute: str, row: Row | Table | Mapping[str, Any] | None) -> Row:
    if not isinstance(row, Row):
        raise TypeError(attribute)
    return row.changed(attribute=attribute, name=row.name or camel(attribute))


def _builder(view: Any) -> Build:
    if issubclass(view, (Part, Item)):
        return view  # type: ignore[no-any-return]
    if "pointer" in getattr(view, "__annotations__", ()):
        return lambda _index, pointer, **values: view(pointer=pointer, **values)
    return lambda _index, _pointer, **values: view(**values)


def camel(attribute: str) -> str:
    """Return the JSON name of an attribute."""
    head, *tail = attribute.split("_")
    return head + "".join(word.capitalize() for word in tail)
