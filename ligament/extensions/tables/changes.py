"""Differences between two views of one table, in the words of their rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ligament.extensions.tables.objects import Each
from ligament.extensions.tables.table import Table


class Difference(NamedTuple):
    """A member that differs: its words, its unit, and both values."""

    what: str
    unit: str
    before: Any
    after: Any


def differences(table: Table, one: Any, other: Any) -> Iterator[Difference]:
    """Yield the members in which two views differ; lists of one length, item by item."""
    for row in table.rows:
        before, after = (getattr(view, row.attribute) for view in (one, other))
        words = row.words or row.attribute.replace("_", " ")
        if isinstance(row, Each) and isinstance(row.table, Table) and len(before) == len(after):
            for place, (was, now) in enumerate(zip(before, after, strict=True)):
                for change in differences(row.table, was, now):
                    yield change._replace(what=f"{words} {place}: {change.what}")
        elif before != after:
            yield Difference(words, row.unit, before, after)
