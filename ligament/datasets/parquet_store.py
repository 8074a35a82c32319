"""Data sets as Parquet: a folder with a file for every table, arrays as tensors of fixed shape."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ligament.datasets.columns import (
    Array,
    Attributes,
    Blocks,
    Column,
    conformed,
    rows_within,
)
from ligament.errors import MissingExtraError

GROUP_BYTES = 1 << 24
"""Bytes of a row group before compression; it holds at least one row."""

MAX_ROWS = 1 << 17
ATTRIBUTES = "_attributes.json"
"""The file of the data set's attributes; Parquet readers skip names that begin with _."""

METADATA = b"ligament"
"""The key of a table's attributes in the metadata of its file."""


class ParquetStore:
    """A folder of Parquet files."""

    def __init__(self, folder: Path, attributes: Attributes) -> None:
        _arrow()
        self._folder = folder
        self._tables: list[ParquetTable] = []
        folder.mkdir()
        text = json.dumps(dict(attributes), indent=1)
        (folder / ATTRIBUTES).write_text(text + "\n", encoding="utf-8")

    def table(
        self, name: str, columns: Mapping[str, Column], attributes: Attributes | None = None
    ) -> ParquetTable:
        """Begin a file; columns of empty rows, which Parquet cannot hold, are left out."""
        path = self._folder / f"{name}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        self._tables.append(ParquetTable(path, columns, attributes or {}))
        return self._tables[-1]

    def close(self) -> None:
        """Finish all files."""
        for table in self._tables:
            table.close()

    def abandon(self) -> None:
        """Close all files as they are."""
        for table in self._tables:
            table.abandon()


class ParquetTable:
    """A Parquet file that grows by groups of rows."""

    def __init__(self, path: Path, columns: Mapping[str, Column], attributes: Attributes) -> None:
        arrow, parquet = _arrow()
        self._columns = columns
        self._kept = {name: column for name, column in columns.items() if column.length}
        rows = min(rows_within(self._kept, GROUP_BYTES), MAX_ROWS)
        self._blocks = {name: Blocks(rows) for name in self._kept}
        fields = [arrow.field(name, _type_of(column)) for name, column in self._kept.items()]
        metadata = {METADATA: json.dumps(dict(attributes)).encode()}
        self._schema = arrow.schema(fields, metadata=metadata)
        self._writer = parquet.ParquetWriter(
            path, self._schema, compression="zstd", **_encodings(self._kept)
        )

    def append(self, rows: Mapping[str, npt.ArrayLike]) -> None:
        """Add rows: column → (n, …), the same n for all."""
        arrays = conformed(self._columns, rows)
        self._write(self._blocks[name].add(arrays[name]) for name in self._kept)

    def close(self) -> None:
        """Write the last group of rows and the end of the file."""
        if self._writer.is_open:
            self._write(blocks.rest() for blocks in self._blocks.values())
            self._writer.close()

    def abandon(self) -> None:
        """Close the file without the buffered rows."""
        self._writer.close()

    def _write(self, blocks: Iterable[Iterable[Array]]) -> None:
        """Write row groups; all columns complete theirs at the same time."""
        arrow, _ = _arrow()
        for group in zip(*blocks, strict=True):
            arrays = [
                _as_arrow(column, block)
                for column, block in zip(self._kept.values(), group, strict=True)
            ]
            batch = arrow.Table.from_arrays(arrays, schema=self._schema)
            self._writer.write_table(batch, row_group_size=max(1, len(batch)))


def _encodings(columns: Mapping[str, Column]) -> dict[str, Any]:
    """Return the encodings: a dictionary for text, byte-stream split for floats.

    Simulated floats hardly repeat, so a dictionary of them costs time and space; their leading
    bytes are similar, which helps the compressor once they are stored together.
    """
    texts = [name for name, column in columns.items() if column.is_text]
    reals = [
        f"{name}.list.element" if column.shape else name
        for name, column in columns.items()
        if not column.is_text and np.dtype(column.dtype).kind == "f"
    ]
    return {"use_dictionary": texts or False, "use_byte_stream_split": reals or False}


def _type_of(column: Column) -> Any:
    arrow, _ = _arrow()
    if column.is_text:
        return arrow.string()
    value = arrow.from_numpy_dtype(np.dtype(column.dtype))
    return arrow.fixed_shape_tensor(value, column.shape) if column.shape else value


def _as_arrow(column: Column, block: Array) -> Any:
    arrow, _ = _arrow()
    kind = _type_of(column)
    if not column.shape:
        return arrow.array(block.tolist() if column.is_text else block, kind)
    flat = arrow.array(np.ascontiguousarray(block).reshape(-1))
    storage = arrow.FixedSizeListArray.from_arrays(flat, column.length)
    return arrow.ExtensionArray.from_storage(kind, storage)


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as fault:
        raise MissingExtraError(
            ".parquet data sets need pyarrow", remedy="pip install ligament[data]"
        ) from fault
    return pyarrow, parquet
