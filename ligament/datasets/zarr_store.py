"""Data sets as Zarr 3: a group for every table, an array for every column."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ligament.datasets.columns import Array, Attributes, Blocks, Column, conformed
from ligament.errors import MissingExtraError

if TYPE_CHECKING:
    import zarr

CHUNK_BYTES = 1 << 20
"""Bytes of a chunk before compression; it holds at least one row."""

MAX_ROWS = 1 << 16


class ZarrStore:
    """A Zarr group in a folder."""

    def __init__(self, folder: Path, attributes: Attributes) -> None:
        self._root: zarr.Group = _zarr().open_group(
            str(folder), mode="w-", attributes=dict(attributes), zarr_format=3
        )
        self._tables: list[ZarrTable] = []

    def table(
        self, name: str, columns: Mapping[str, Column], attributes: Attributes | None = None
    ) -> ZarrTable:
        """Begin a group with empty arrays."""
        group = self._root.create_group(name, attributes=dict(attributes or {}))
        self._tables.append(ZarrTable(group, columns))
        return self._tables[-1]

    def close(self) -> None:
        """Finish all tables."""
        for table in self._tables:
            table.close()

    def abandon(self) -> None:
        """Do nothing: no file is open between two calls."""


class ZarrTable:
    """Arrays that grow along their first axis, each by whole chunks."""

    def __init__(self, group: zarr.Group, columns: Mapping[str, Column]) -> None:
        self._columns = columns
        self._arrays = {name: _make_array(group, name, col) for name, col in columns.items()}
        self._blocks = {name: Blocks(self._arrays[name].chunks[0]) for name in columns}

    def append(self, rows: Mapping[str, npt.ArrayLike]) -> None:
        """Add rows: column → (n, …), the same n for all."""
        for name, values in conformed(self._columns, rows).items():
            for block in self._blocks[name].add(values):
                _extend(self._arrays[name], block)

    def close(self) -> None:
        """Write the last, incomplete chunks."""
        for name, blocks in self._blocks.items():
            for block in blocks.rest():
                _extend(self._arrays[name], block)


def _make_array(group: zarr.Group, name: str, column: Column) -> zarr.Array[Any]:
    rows = min(max(1, CHUNK_BYTES // max(1, column.bytes)), MAX_ROWS)
    return group.create_array(
        name,
        shape=(0, *column.shape),
        chunks=(rows, *(max(1, size) for size in column.shape)),
        dtype=str if column.is_text else np.dtype(column.dtype),
    )


def _extend(array: zarr.Array[Any], block: Array) -> None:
    start = array.shape[0]
    array.resize((start + len(block), *array.shape[1:]))
    if block.size:
        array[start:] = block


def _zarr() -> Any:
    try:
        import zarr
    except ImportError as fault:
        raise MissingExtraError(
            ".zarr data sets need zarr", remedy="pip install ligament[data]"
        ) from fault
    return zarr
