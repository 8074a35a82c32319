"""Regular objects: a reader for each table, compiled once per document.

Nearly all objects of nearly all files have known members only, of the right types and in range.
msgspec converts them in lists, and a function of one statement, as one would write it by hand,
makes their views: calling a converter for each row would take twice the time.

No name of a file enters the code, only names of rows and of values that are bound here.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Sequence
from types import CodeType
from typing import TYPE_CHECKING, Any

import msgspec

from ligament.extensions.tables.rows import IrregularError
from ligament.extensions.tables.rules import Says

if TYPE_CHECKING:
    from ligament.extensions.fields import Fields
    from ligament.extensions.tables.arrays import Arrays
    from ligament.extensions.tables.table import Table

BATCH = 1_000
"""Objects that are converted together: few enough to stay in the processor's cache."""

PARTS = 10
"""Parts of a list that has odd objects, which are converted again each for itself."""

ODD = (IrregularError, LookupError)
"""Exceptions of the reader of regular objects for those that need the careful one."""

Quick = Callable[[Any, int, str], Any]
"""Reads a regular object, given its place in an array or its node, and its pointer."""


class Regular:
    """Stands for the cursor on a regular object, and answers no question."""

    def __getattr__(self, name: str) -> Any:
        raise IrregularError

    def __contains__(self, name: str) -> bool:
        raise IrregularError


def compile_reader(table: Table, arrays: Arrays, build: Callable[..., Any]) -> Quick:
    """Return the reader of regular objects of a table in one document, and what it ends in."""
    names: dict[str, Any] = {"build": build, "regular": Regular(), "IrregularError": IrregularError}

    def bind(value: Any) -> str:
        if value is None:
            return "None"
        name = f"value_{len(names)}"
        names[name] = value
        return name

    plains = {row.attribute: row.plain() or [] for row in table.rows}
    defaults = {name: default for plain in plains.values() for name, _, default in plain}
    values = []
    for row in table.rows:
        plain = plains[row.attribute]
        place = f"plain.{plain[0][0]}" if len(plain) == 1 else "plain"
        value = row.expression(place, arrays, bind) if plain else bind(row.default)
        values.append(f"{row.attribute}={value}")
    tests = [rule.odd(defaults, lambda name: bind(defaults[name])) for rule in table.rules]
    odd = " or ".join(f"({test})" for test in tests if test)
    said = [f"{bind(rule.say)}(regular, values)" for rule in table.rules if isinstance(rule, Says)]
    given = ", ".join(values)
    if said:
        said, given = [f"values = dict({given})", *said], "**values"
    source = f"""
def view(plain, index, pointer):
    if {odd or False}:
        raise IrregularError
    {"; ".join(said)}
    return build(index, pointer, {given})
"""
    exec(_code(source, f"<{table.view.__name__}>"), names)
    reader: Quick = names["view"]
    return reader


@functools.cache
def _code(source: str, name: str) -> CodeType:
    """Compile a reader once for all documents: their arrays are bound, not written in the code."""
    return compile(source, name, "exec")


def convert_all(contents: Sequence[Any], kind: Any) -> Iterator[Any]:
    """Convert JSON objects, many at once; None for those that are not regular.

    A `kind` of None has no regular objects.
    """
    if kind is None:
        return itertools.repeat(None, len(contents))
    starts = range(0, len(contents), BATCH)
    return itertools.chain.from_iterable(
        _converted(contents[start : start + BATCH], kind) for start in starts
    )


def read_all(objects: Sequence[tuple[Table, Fields, int]], arrays: Arrays) -> Iterator[Any]:
    """Read objects of several tables, each with its place; None for those of no use."""
    contents: dict[Table, list[Any]] = {}
    for table, fields, _ in objects:
        contents.setdefault(table, []).append(fields.raw)
    plains = {table: convert_all(found, table.plain) for table, found in contents.items()}
    for table, fields, place in objects:
        plain = next(plains[table])
        if plain is None:
            yield table.read_carefully(fields, arrays, place)
            continue
        try:
            view = arrays.quick(table)(plain, place, fields.pointer)
        except ODD:
            view = table.read_carefully(fields, arrays, place)
        yield view


def _converted(contents: Sequence[Any], kind: Any) -> Sequence[Any]:
    """Convert a list; if an element does not fit, continue with its parts."""
    try:
        converted: list[Any] = msgspec.convert(contents, list[kind])
    except (msgspec.ValidationError, RecursionError):
        if len(contents) == 1:
            return [None]
        size = -(-len(contents) // PARTS)
        starts = range(0, len(contents), size)
        return [item for i in starts for item in _converted(contents[i : i + size], kind)]
    return converted
