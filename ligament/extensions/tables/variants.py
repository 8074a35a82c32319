"""Objects of several forms: named by their type, or told by their members.

`{"type": "box", "box": {...}}` holds one of several others.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar

from ligament.extensions.fields import Fields
from ligament.extensions.tables.objects import Nested
from ligament.extensions.tables.rows import Choice, Json, Places, Row
from ligament.extensions.tables.rules import Rule, translate
from ligament.extensions.tables.table import Table

if TYPE_CHECKING:
    from ligament.extensions.tables.arrays import Arrays


class Parameters(Nested, frozen=True, kw_only=True):
    """The parameters of a type; objects of a `needed` type must have them."""

    essential: bool = True
    needed: bool = False


@dataclasses.dataclass(eq=False)
class Variant(Table):
    """The tables by type; absent parameters are the defaults, except for the `needed` types.

    Objects of `is_typed` variants require `type`; in others the only parameters tell it.
    `compound_code` is for objects with parameters of several types. `eras` are the types of one
    revision only. `others` are the rows of members beside the parameters, `rules` those between
    them, as far as schemas state them. `kinds` are the types, if not all have parameters.
    """

    plain: ClassVar = None
    """Variants take the careful reader; their parameters do not."""

    tables: Mapping[str, Table]
    _: dataclasses.KW_ONLY
    about: str
    compound_code: str
    needed: Collection[str] = ()
    is_typed: bool = True
    eras: Mapping[str, StrEnum] = dataclasses.field(default_factory=dict)
    others: Collection[Row] = ()
    rules: tuple[Rule, ...] = ()
    kinds: Collection[str] = ()

    def __post_init__(self) -> None:
        said: Any = {"required": self.is_typed, "about": "Selects the object that applies."}
        kind = Choice.of(*(self.kinds or self.tables), attribute="type", name="type", **said)
        rows: list[Row] = [kind]
        for name, table in self.tables.items():
            one: Any = {"attribute": name, "name": name, "needed": name in self.needed}
            era = self.eras.get(name)
            rows.append(Parameters(table=table, since=era, until=era, **one))
        rows += self.others
        super().__init__(Variant, *self.rules, about=self.about, named=True, rows=rows)

    def at(self, revision: StrEnum) -> Table:
        if not self.eras:
            return self
        there = {k: t for k, t in self.tables.items() if self.eras.get(k, revision) is revision}
        others = [row for each in self.others if (row := each.at(revision))]
        return dataclasses.replace(self, tables=there, others=others)

    def read(self, fields: Fields, arrays: Arrays, index: int = 0) -> Any:
        fields.only(self.names)
        fields.string("name", None)
        kind = self._kind(fields)
        if kind is None:
            self._look_into(fields, arrays)
        elif kind in fields or kind not in self.needed:
            empty = Fields({}, f"{fields.pointer}/{kind}", fields.findings)
            content = fields.object(kind) if kind in fields else empty
            if content is not None:
                return self.finish(self.tables[kind].read(content, arrays), fields)
        else:
            fields.required(kind)
        return None

    def finish(self, value: Any, fields: Fields) -> Any:
        """Return the value with what the object around it adds."""
        return value

    def _look_into(self, fields: Fields, arrays: Arrays) -> None:
        """Report errors in the parameters of an object whose type is unknown."""
        for name, table in self.tables.items():
            content = fields.object(name)
            if content is not None:
                table.read(content, arrays)

    def _kind(self, fields: Fields) -> str | None:
        """Return the type; if it is absent, infer it from the only object of parameters."""
        present = [name for name in self.tables if name in fields]
        if "type" not in fields and (self.is_typed or not present):
            fields.required("type")
        if len(present) > 1:
            message = f"found {' and '.join(present)} in one shape"
            fields.report(self.compound_code, message, "write one shape for each")
        if "type" not in fields:
            return present[0] if len(present) == 1 else None
        kind = fields.choice("type", [*self.tables], None)
        if kind is not None and len(present) == 1 and kind not in present:
            fields.misplaced(present[0], f"the type is {kind}: name or remove one of them")
        return kind

    def kind(self, value: Any) -> str:
        """Return the type of a value."""
        return type(value).__name__.lower()

    def write(self, view: Any, places: Places) -> Json:
        kind = self.kind(view)
        return {"type": kind, kind: self.tables[kind].write(view, places)}

    def conditions(self, names: Collection[str]) -> list[Json]:
        """Return the conditions that the type selects the parameters, or the only ones tell it."""
        kinds, typed = [*self.tables], {"required": ["type"]}
        result: list[Json] = []
        for kind in kinds:
            then: Json = {"properties": {other: False for other in kinds if other != kind}}
            then |= {"required": [kind]} if kind in self.needed else {}
            result.append({"if": {"properties": {"type": {"const": kind}}, **typed}, "then": then})
        only = {"oneOf": [{"required": [kind]} for kind in kinds]}
        result += [] if self.is_typed else [{"if": {"not": typed}, "then": only}]
        return [*result, *super().conditions(names)]


class Either(Table):
    """The table of the newer of two forms, which is written, and the older one it may still have.

    `condition`, a schema, tells the older form. Regular objects are of the newer form, so that it
    may have none that is older.
    """

    def __init__(self, older: Table, newer: Table, condition: Json) -> None:
        super().__init__(newer.view, *newer.rules, rows=newer.rows, **newer.options)
        self.older, self.newer, self._condition = older, newer, condition
        test = translate(condition, lambda name: f"{name!r} in raw", "raw")
        self._is_older = eval(f"lambda raw: isinstance(raw, dict) and {test}")
        self.names = older.names | newer.names

    def at(self, revision: StrEnum) -> Table:
        return Either(self.older.at(revision), self.newer.at(revision), self._condition)

    def table(self, raw: Mapping[str, Any]) -> Table:
        return (self.older if self._is_older(raw) else self.newer).table(raw)

    def read(self, fields: Fields, arrays: Arrays, index: int = 0) -> Any:
        return self.table(fields.raw).read(fields, arrays, index)

    def schema(self) -> Json:
        older, newer = self.older.schema(), self.newer.schema()
        return {"type": "object", "if": self._condition, "then": older, "else": newer}

    def objects(self, at: str = "") -> Iterator[tuple[str, Table]]:
        yield from self.older.objects(at)
        yield from self.newer.objects(at)
