"""Answers as text for people: lines and tables that are safe to print."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

import msgspec

from ligament.errors import LONGEST, shortened, visible

MARGIN = "  "
"""The space between the columns of a table."""


class Table(msgspec.Struct):
    """Cells in columns."""

    heads: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]

    def __str__(self) -> str:
        """Align the columns; cells that are too long for their share of a line are shortened."""
        from rich.cells import cell_len

        most = LONGEST // len(self.heads) - len(MARGIN)
        rows = [[shortened(cell, most) for cell in row] for row in (self.heads, *self.rows)]
        widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
        return "\n".join(
            MARGIN.join(
                cell + " " * (width - cell_len(cell))
                for cell, width in zip(row, widths, strict=True)
            ).rstrip()
            for row in rows
        )


Line: TypeAlias = str | Table


class Answer:
    """An answer that prints as the command that gives it does."""

    def lines(self) -> Iterator[Line]:
        """Yield what the command prints."""
        raise NotImplementedError

    def __str__(self) -> str:
        """Join the lines."""
        return joined(self.lines())


def joined(lines: Iterable[Line]) -> str:
    """Join lines to a text."""
    return "\n".join(map(str, lines))


def plain(text: object, longest: int = LONGEST) -> str:
    """Replace control characters (terminal codes, line ends, direction marks) with visible ones.

    A text that is too long loses its middle.
    """
    return shortened(visible(shortened(str(text), longest)), longest)


def size(count: float) -> str:
    """Format a number of bytes for people."""
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000 or unit == "GB":
            break
        count /= 1000
    return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
