"""Spools: tables as raw columns on disk, produced by workers and read for .npz files.

A folder holds one file of raw numbers per column and a list of contents. It is read in pieces,
whatever its size.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import msgspec
import numpy as np
import numpy.typing as npt

from ligament.datasets.columns import Array, Attributes, Column, conformed, rows_within
from ligament.errors import FormatError

CONTENTS = "contents.json"
PIECE_BYTES = 1 << 22
"""Bytes read at once, at least one row."""


class Spooled(msgspec.Struct):
    """A table in a spool; `texts` are the columns of strings."""

    name: str
    columns: dict[str, tuple[str, tuple[int, ...]]]
    rows: int = 0
    attributes: dict[str, Any] = {}
    texts: dict[str, list[str]] = {}

    def kinds(self) -> dict[str, Column]:
        """Return the columns."""
        return {name: Column(*kind) for name, kind in self.columns.items()}


class Spool:
    """A folder of raw columns, being written."""

    def __init__(self, folder: Path, attributes: Attributes) -> None:
        folder.mkdir()
        self.folder, self.attributes = folder, dict(attributes)
        self._tables: list[SpoolTable] = []

    def table(
        self, name: str, columns: Mapping[str, Column], attributes: Attributes | None = None
    ) -> SpoolTable:
        """Begin a table."""
        about = Spooled(
            name, {k: (v.dtype, v.shape) for k, v in columns.items()}, 0, dict(attributes or {})
        )
        self._tables.append(SpoolTable(self.folder, len(self._tables), about))
        return self._tables[-1]

    def close(self) -> None:
        """Write the list of contents, without which the folder counts as incomplete."""
        for table in self._tables:
            table.close()
        contents = (self.attributes, [table.about for table in self._tables])
        (self.folder / CONTENTS).write_bytes(msgspec.json.encode(contents))

    def abandon(self) -> None:
        """Close all files."""
        for table in self._tables:
            table.close()


class SpoolTable:
    """Raw columns that grow."""

    def __init__(self, folder: Path, index: int, about: Spooled) -> None:
        self.about, self._columns = about, about.kinds()
        self._streams: dict[str, IO[bytes]] = {}
        for number, (name, column) in enumerate(self._columns.items()):
            if column.is_text:
                about.texts[name] = []
            else:
                self._streams[name] = open(_raw(folder, index, number), "xb")  # noqa: SIM115

    def append(self, rows: Mapping[str, npt.ArrayLike]) -> None:
        """Add rows: column → (n, …), the same n for all."""
        arrays = conformed(self._columns, rows)
        for name, array in arrays.items():
            if name in self._streams:
                self._streams[name].write(np.ascontiguousarray(array).data)
            else:
                self.about.texts[name] += map(str, array)
        self.about.rows += len(next(iter(arrays.values()), ()))

    def close(self) -> None:
        """Close the files."""
        for stream in self._streams.values():
            stream.close()


class SpoolReader:
    """A complete spool."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            contents = (folder / CONTENTS).read_bytes()
            self.attributes, self.tables = msgspec.json.decode(
                contents, type=tuple[dict[str, Any], list[Spooled]]
            )
        except (OSError, msgspec.MsgspecError) as fault:
            raise FormatError(
                "is not a complete part", file=folder, remedy="make it again"
            ) from fault

    def raw(self, table: Spooled, name: str) -> Path:
        """Return the file with the numbers of a column."""
        return _raw(self.folder, self.tables.index(table), list(table.columns).index(name))

    def pieces(self, table: Spooled) -> Iterator[dict[str, Array]]:
        """Yield the rows of a table, a few at a time."""
        columns = table.kinds()
        step = rows_within(columns, PIECE_BYTES)
        for start in range(0, table.rows, step):
            count = min(step, table.rows - start)
            yield {name: self._slice(table, name, start, count) for name in columns}

    def _slice(self, table: Spooled, name: str, start: int, count: int) -> Array:
        column = Column(*table.columns[name])
        if column.is_text:
            return np.array(table.texts[name][start : start + count], object)
        array = np.fromfile(
            self.raw(table, name),
            dtype=column.dtype,
            count=count * column.length,
            offset=start * column.bytes,
        )
        return array.reshape(count, *column.shape)


def _raw(folder: Path, table: int, column: int) -> Path:
    return folder / f"{table}-{column}.raw"
