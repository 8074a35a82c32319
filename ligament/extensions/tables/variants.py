"""Objects of several forms: named by their type, or told by their members.

`{"type": "box", "box": {...}}` holds one of several others.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from ligament.extensions.fields import Fields
from ligament.extensions.tables.rows import Json, Places, Row
from ligament.extensions.tables.rules import Rule
from ligament.extensions.tables.table import ANYTHING, Table, merge

if TYPE_CHECKING:
    from ligament.extensions.tables.arrays import Arrays
    from ligament.extensions.tables.objects import Form


class Variant:
    """The tables by type; absent parameters are the defaults, except for the `needed` types.

    Objects of `is_typed` variants require `type`; in others the only parameters tell it.
    `compound_code` is for objects with parameters of several types. `eras` are the types of one
    revision only. `others` are the rows of members beside the parameters, `rules` those between
    them, as far as schemas state them.
    """

    plain = None
    """Variants take the careful reader; their parameters do not."""

    def __init__(
        self,
        tables: Mapping[str, Table],
        *,
        about: str = "",
        compound_code: str,
        needed: Collection[str] = (),
        is_typed: bool = True,
        eras: Mapping[str, StrEnum] | None = None,
        others: Collection[Row] = (),
        rules: Collection[Rule] = (),
    ) -> None:
        self.tables, self.about, self.needed, self.is_typed = tables, about, needed, is_typed
        self.compound_code, self.eras = compound_code, eras or {}
        self.others, self.rules = others, rules
        self.names: frozenset[str] = frozenset(
            {"type", "name", *tables, *(n for row in others for n in row.names)}
        )

    @property
    def kinds(self) -> Collection[str]:
        """The types that objects may have."""
        return self.tables.keys()

    def at(self, revision: StrEnum) -> Variant:
        """Return the variant with the types that one revision has, of those that share it."""
        if not self.eras:
            return self
        there = {k: t for k, t in self.tables.items() if self.eras.get(k, revision) is revision}
        return self.changed(there)

    def changed(self, tables: Mapping[str, Table], **options: Any) -> Variant:
        """Return the variant with other tables, or options."""
        known: dict[str, Any] = {
            "about": self.about,
            "compound_code": self.compound_code,
            "needed": self.needed,
            "is_typed": self.is_typed,
            "eras": self.eras,
            "others": self.others,
            "rules": self.rules,
        }
        return type(self)(tables, **(known | options))

    def read(self, fields: Fields, arrays: Arrays, index: int = 0) -> Any:
        """Read one object; None, with a finding, where it cannot be understood."""
        fields.only(self.names)
        fields.string("name", None)
        kind = self._kind(fields)
        if kind is None:
            self._look_into(fields, arrays)
            return None
        if kind not in fields and kind in self.needed:
            fields.required(kind)
            return None
        empty = Fields({}, f"{fields.pointer}/{kind}", fields.findings)
        content = fields.object(kind) if kind in fields else empty
        return None if content is None else self._of(kind, content, fields, arrays)

    def _of(self, kind: str, content: Fields, fields: Fields, arrays: Arrays) -> Any:
        return self.finish(self.tables[kind].read(content, arrays), fields)

    def finish(self, value: Any, fields: Fields) -> Any:
        """Return the value with what the object around it adds."""
        return value

    def _look_into(self, fields: Fields, arrays: Arrays) -> None:
        """Report errors in the parameters of an object whose type is unknown."""
        for name in self.tables:
            content = fields.object(name) if name in fields else None
            if content is not None:
                self._of(name, content, fields, arrays)

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

    def write(self, value: Any, places: Places) -> Json:
        """Return the JSON of a value."""
        kind = self.kind(value)
        content = self.tables[kind].write(value, places)
        return {"type": kind, kind: content}

    def schema(self) -> Json:
        """Return the JSON Schema of the object."""
        kinds = [*self.tables]
        properties: Json = {
            "type": {"description": "Selects the object that applies.", "enum": kinds},
            "name": {"type": "string"},
            **{kind: table.schema() for kind, table in self.tables.items()},
            **ANYTHING,
        }
        for row in self.others:
            properties |= row.schema()
        result: Json = {
            **({"description": self.about} if self.about else {}),
            "type": "object",
            "properties": properties,
            **({"required": ["type"]} if self.is_typed else {}),
            "additionalProperties": False,
            "allOf": [self._chosen(kind, kinds) for kind in kinds] + self._implied(kinds),
        }
        return merge(result, [c for rule in self.rules for c in rule.schema(properties)])

    def _chosen(self, kind: str, kinds: list[str]) -> Json:
        then: Json = {"properties": {other: False for other in kinds if other != kind}}
        then |= {"required": [kind]} if kind in self.needed else {}
        return {"if": {"properties": {"type": {"const": kind}}, "required": ["type"]}, "then": then}

    def _implied(self, kinds: list[str]) -> list[Json]:
        """Return the condition that the only parameters tell the type."""
        if self.is_typed:
            return []
        only = {"oneOf": [{"required": [kind]} for kind in kinds]}
        return [{"if": {"not": {"required": ["type"]}}, "then": only}]

    def walk(self, at: str = "") -> Iterator[tuple[str, Row]]:
        """Yield pattern and row of every member of the parameters."""
        for kind, table in self.tables.items():
            yield from table.walk(f"{at}/{kind}")

    def objects(self, at: str = "") -> Iterator[tuple[str, Form]]:
        """Yield pattern and form of the object `at` and of its parameters."""
        yield at, self
        for kind, table in self.tables.items():
            yield from table.objects(f"{at}/{kind}")


class Either:
    """Objects of an older or a newer form, as their members tell; the newer one is written.

    `is_older` tells it from the JSON, and `condition` is the same as a schema. Regular objects are
    of the newer form, so that it may have none that is older.
    """

    def __init__(
        self,
        older: Any,
        newer: Table,
        *,
        is_older: Callable[[Mapping[str, Any]], bool],
        condition: Json,
    ) -> None:
        self.older, self.newer, self.about, self.plain = older, newer, newer.about, newer.plain
        self._is_older, self._condition = is_older, condition

    @property
    def names(self) -> frozenset[str]:
        """The JSON names that objects of either form may have."""
        names: frozenset[str] = self.older.names | self.newer.names
        return names

    def at(self, revision: StrEnum) -> Either:
        """Return the forms that one revision has."""
        older, newer = self.older.at(revision), self.newer.at(revision)
        return Either(older, newer, is_older=self._is_older, condition=self._condition)

    def table(self, raw: Mapping[str, Any]) -> Any:
        """Return the table of an object."""
        form = self.older if self._is_older(raw) else self.newer
        return form.table(raw) if isinstance(form, Either) else form

    def read(self, fields: Fields, arrays: Arrays, index: int = 0) -> Any:
        """Read any object; None, with a finding, if it is of no use."""
        return self.table(fields.raw).read(fields, arrays, index)

    def write(self, view: Any, places: Places) -> Json:
        """Return the JSON of a view."""
        return self.newer.write(view, places)

    def schema(self) -> Json:
        """Return the JSON Schema of the object."""
        older, newer = self.older.schema(), self.newer.schema()
        return {"type": "object", "if": self._condition, "then": older, "else": newer}

    def walk(self, at: str = "") -> Iterator[tuple[str, Row]]:
        """Yield pattern and row of every member of either form."""
        yield from self.older.walk(at)
        yield from self.newer.walk(at)

    def objects(self, at: str = "") -> Iterator[tuple[str, Form]]:
        """Yield pattern and form of the object `at` in either form, and of those below it."""
        yield from self.older.objects(at)
        yield from self.newer.objects(at)
