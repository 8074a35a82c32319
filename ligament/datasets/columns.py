"""The parts of a data set: stores of tables, whose columns hold an array in every row."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from ligament.errors import ContentError

Array: TypeAlias = npt.NDArray[Any]
Rows: TypeAlias = Mapping[str, Array]
"""Column → some of its rows (n, …)."""

TEXT = "text"
"""The type of columns that hold strings."""

Attributes: TypeAlias = Mapping[str, Any]
"""Plain JSON about a table or a whole data set."""


class Column(NamedTuple):
    """A column: the type of its numbers (as NumPy names it, or TEXT) and the shape of one row."""

    dtype: str
    shape: tuple[int, ...] = ()

    @property
    def is_text(self) -> bool:
        """Whether it holds strings."""
        return self.dtype == TEXT

    @property
    def length(self) -> int:
        """The number of values in a row."""
        return math.prod(self.shape)

    @property
    def bytes(self) -> int:
        """The size of a row; strings are assumed to be short."""
        return 64 if self.is_text else self.length * np.dtype(self.dtype).itemsize

    def conform(self, name: str, values: npt.ArrayLike) -> Array:
        """Return rows (n, …) in the type of this column; ContentError where the shape differs."""
        array = np.asarray(values, dtype=object if self.is_text else self.dtype)
        if array.shape[1:] != self.shape or array.ndim == 0:
            raise ContentError(
                f"rows of the column {name!r} have the shape {array.shape[1:]}",
                remedy=f"it was declared with {self.shape}",
            )
        return array


def conformed(columns: Mapping[str, Column], rows: Mapping[str, npt.ArrayLike]) -> dict[str, Array]:
    """Return rows of all columns in their types; ContentError unless all have the same length."""
    if rows.keys() != columns.keys():
        listed = ", ".join(columns)
        raise ContentError(f"rows have the columns {', '.join(rows)}", remedy=f"give {listed}")
    arrays = {name: column.conform(name, rows[name]) for name, column in columns.items()}
    if len({len(array) for array in arrays.values()}) > 1:
        lengths = {name: len(array) for name, array in arrays.items()}
        raise ContentError(f"columns of different lengths: {lengths}", remedy="give whole rows")
    return arrays


def rows_within(columns: Mapping[str, Column], size: int) -> int:
    """Return the number of rows that fit in `size` [bytes], at least one."""
    return max(1, size // max(1, sum(column.bytes for column in columns.values())))


class Blocks:
    """Regroups the rows of a column, which come in pieces of any length, into blocks of `rows`.

    The bytes written then do not depend on the pieces, and no block is written twice.
    """

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self._pieces: list[Array] = []
        self._count = 0

    def add(self, piece: Array) -> Iterator[Array]:
        """Yield the blocks that a piece completes."""
        while self._count + len(piece) >= self.rows:
            needed = self.rows - self._count
            yield np.concatenate([*self._pieces, piece[:needed]])
            piece, self._pieces, self._count = piece[needed:], [], 0
        if len(piece):
            self._pieces.append(piece.copy())  # the caller may reuse its memory
            self._count += len(piece)

    def rest(self) -> Iterator[Array]:
        """Yield the last, incomplete block, if any."""
        if self._pieces:
            yield np.concatenate(self._pieces)
            self._pieces, self._count = [], 0


class Table(Protocol):
    """A table to which rows are appended."""

    def append(self, rows: Mapping[str, npt.ArrayLike]) -> None:
        """Add rows: column → (n, …), the same n for all."""

    def close(self) -> None:
        """Write buffered rows; nothing can be added afterwards."""


class Store(Protocol):
    """A data set being written."""

    def table(
        self, name: str, columns: Mapping[str, Column], attributes: Attributes | None = None
    ) -> Table:
        """Begin a table; `name` may be a path, as `motions/hero/walk`."""

    def close(self) -> None:
        """Finish all tables."""

    def abandon(self) -> None:
        """Close all files; the data set is incomplete and unusable."""
