"""The reference page: every member of every object, in the words of the tables."""

from __future__ import annotations

import math
from collections.abc import Iterable
from enum import StrEnum
from typing import Any

from ligament.extensions.tables.objects import Form
from ligament.extensions.tables.rows import LARGEST, Index, Indices, Number, Row
from ligament.extensions.tables.table import Table

HEAD = "| member | default | unit | range | animated | since | until | |\n|-|-|-|-|-|-|-|-|"


class _Nowhere:
    """Places of elements that are named in no default."""

    def place(self, array: str, element: Any) -> int:
        raise LookupError(array)


def section(title: str, form: Form, level: int = 2) -> str:
    """Return the section of one kind of object."""
    about = form.about if isinstance(form, Table) else ""
    lines = [f"{'#' * level} {title}", "", *([about, ""] if about else []), HEAD]
    return "\n".join([*lines, *members(form)])


def members(form: Form) -> Iterable[str]:
    """Yield a line of the table for each member of an object and of those below it."""
    for pattern, row in form.walk():
        cells = (
            f"`{pattern.removeprefix('/')}`",
            "required" if row.required else _default(row),
            row.unit,
            _range(row),
            "yes" if row.animated else "",
            _revision(row.since),
            _revision(row.until),
            _about(row),
        )
        yield f"| {' | '.join(cells)} |"


def _default(row: Row) -> str:
    if not row.is_defined or row.default == ():
        return ""
    value = row.json(row.default, _Nowhere())
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _range(row: Row) -> str:
    if not isinstance(row, Number):
        return ""
    bounds = []
    if row.least is not None and row.least > -LARGEST:
        bounds.append(f"{'above' if row.is_above else 'from'} {row.least:g}")
    if row.most is not None and row.most < LARGEST:
        bounds.append(f"to {row.most:g}")
    if row.zero == math.inf:
        bounds.append("0: infinite")
    return ", ".join(bounds)


def _revision(revision: StrEnum | None) -> str:
    return "" if revision is None else f"`{revision}`"


def _about(row: Row) -> str:
    array = row.array if isinstance(row, Index | Indices) else ""
    target = f"Index in `{array.replace(' | ', '`, `')}`" if array else ""
    return ". ".join(text for text in (row.about.rstrip("."), target) if text)
