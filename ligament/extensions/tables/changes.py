"""Differences between two views of one table, in the words of their rows."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import Any, NamedTuple

from ligament.extensions.tables.rows import Row
from ligament.extensions.tables.table import Table


class Difference(NamedTuple):
    """A member that differs: its words, with the unit, and both values as JSON."""

    what: str
    before: Any
    after: Any


def differences(
    table: Table, one: Any, other: Any, same: Callable[[Any, Any], bool] = operator.eq
) -> Iterator[Difference]:
    """Yield the members in which two views differ; those of no view are None."""
    for row in table.rows:
        before, after = (_value(row, view) for view in (one, other))
        if not same(before, after):
            words = row.words or row.attribute.replace("_", " ")
            yield Difference(f"{words} [{row.unit}]" if row.unit else words, before, after)


def _value(row: Row, view: Any) -> Any:
    value = None if view is None else getattr(view, row.attribute)
    if isinstance(value, frozenset):
        return sorted(value) if value != row.default else None
    if isinstance(value, StrEnum):
        return str(value)
    return [*value] if isinstance(value, tuple) else value
