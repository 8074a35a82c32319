"""Data sets as one .npz: an array for every column, called `table/column`."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy

from ligament.datasets.columns import Attributes, Column
from ligament.datasets.spool import Spool, Spooled, SpoolReader, SpoolTable
from ligament.files import open_atomic

ATTRIBUTES = "attributes"
"""The array that holds the attributes of the whole and of each table, as JSON."""


class NpzStore:
    """Spools columns until all are complete, since a .npz states their sizes first."""

    def __init__(self, path: Path, attributes: Attributes) -> None:
        self._path, self._folder = path, path.with_name(f"{path.name}.spool")
        self._spool = Spool(self._folder, attributes)

    def table(
        self, name: str, columns: Mapping[str, Column], attributes: Attributes | None = None
    ) -> SpoolTable:
        """Begin a table."""
        return self._spool.table(name, columns, attributes)

    def close(self) -> None:
        """Write all columns into one file."""
        self._spool.close()
        reader = SpoolReader(self._folder)
        with zipfile.ZipFile(self._path, "x", zipfile.ZIP_STORED) as archive:
            about = {"": reader.attributes, **{t.name: t.attributes for t in reader.tables}}
            _add(archive, ATTRIBUTES, np.array(json.dumps(about)))
            for table in reader.tables:
                for name, column in table.kinds().items():
                    _add_column(archive, reader, table, name, column, f"{table.name}/{name}")
        shutil.rmtree(self._folder)

    def abandon(self) -> None:
        """Close all files."""
        self._spool.abandon()


def write_flat(
    path: Path,
    reader: SpoolReader,
    table: Spooled,
    names: Mapping[str, str],
    lists: Mapping[str, np.ndarray[Any, Any]],
) -> None:
    """Write one table as a .npz of its columns, renamed by `names`, together with `lists`."""
    with open_atomic(path) as stream, zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        for name, column in table.kinds().items():
            _add_column(archive, reader, table, name, column, names.get(name, name))
        for key, array in lists.items():
            _add(archive, key, array)


def _add_column(
    archive: zipfile.ZipFile,
    reader: SpoolReader,
    table: Spooled,
    name: str,
    column: Column,
    key: str,
) -> None:
    if column.is_text:
        _add(archive, key, np.array(table.texts[name], np.str_))
        return
    shape = (table.rows, *column.shape)
    header = {
        "descr": npy.dtype_to_descr(np.dtype(column.dtype)),
        "fortran_order": False,
        "shape": shape,
    }
    with _entry(archive, key) as stream, open(reader.raw(table, name), "rb") as source:
        npy.write_array_header_1_0(stream, header)
        shutil.copyfileobj(source, stream, 1 << 20)


def _add(archive: zipfile.ZipFile, key: str, array: np.ndarray[Any, Any]) -> None:
    with _entry(archive, key) as stream:
        npy.write_array(stream, array, allow_pickle=False)


def _entry(archive: zipfile.ZipFile, key: str) -> IO[bytes]:
    """Open an entry without a date, so that equal content gives equal bytes."""
    return archive.open(zipfile.ZipInfo(f"{key}.npy"), "w", force_zip64=True)
