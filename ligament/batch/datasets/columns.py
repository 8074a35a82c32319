"""What a data set is made of: tables, whose columns hold an array in every row."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ligament.errors import ContentError

Array: TypeAlias = npt.NDArray[Any]
Rows: TypeAlias = Mapping[str, Array]
"""Column → some rows of it (n, …)."""

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
        """How many values are in a row."""
        return math.prod(self.shape)

    @property
    def bytes(self) -> int:
        """How large a row is; strings are taken to be short."""
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
    """Return rows of all columns, as many of each."""
    if rows.keys() != columns.keys():
        listed = ", ".join(columns)
        raise ContentError(f"rows have the columns {', '.join(rows)}", remedy=f"give {listed}")
    arrays = {name: column.conform(name, rows[name]) for name, column in columns.items()}
    if len({len(array) for array in arrays.values()}) > 1:
        lengths = {name: len(array) for name, array in arrays.items()}
        raise ContentError(f"columns of different lengths: {lengths}", remedy="give whole rows")
    return arrays


def rows_within(columns: Mapping[str, Column], size: int) -> int:
    """Return how many rows take no more than `size` [bytes], at least one."""
    return max(1, size // max(1, sum(column.bytes for column in columns.values())))


class Blocks:
    """Regroups the rows of a column, which come in pieces of any length, into blocks of `rows`.

    What is written then does not depend on how it came, and no block is written twice.
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
            self._pieces.append(piece.copy())  # the caller may use its memory again
            self._count += len(piece)

    def rest(self) -> Iterator[Array]:
        """Yield what is left at the end, if anything is."""
        if self._pieces:
            yield np.concatenate(self._pieces)
            self._pieces, self._count = [], 0
