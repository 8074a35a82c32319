"""Data sets written beside their name and renamed: a reader sees the old one or the new one."""

from __future__ import annotations

import contextlib
import glob
import json
import os
import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from ligament import __version__
from ligament.batch.datasets import parquet_store
from ligament.batch.datasets.columns import Attributes
from ligament.batch.datasets.npz_store import NpzStore
from ligament.batch.datasets.parquet_store import ParquetStore
from ligament.batch.datasets.spool import Spool
from ligament.batch.datasets.stores import Store
from ligament.batch.datasets.zarr_store import ZarrStore
from ligament.errors import ContentError, FileError

STORES: Mapping[str, Callable[[Path, Attributes], Store]] = {
    ".zarr": ZarrStore,
    ".parquet": ParquetStore,
    ".npz": NpzStore,
}
"""The forms of data sets by suffix."""

SIGNATURE = "ligament"
"""The attribute that tells a data set of ours, with the version that wrote it."""


@contextlib.contextmanager
def create_dataset(
    path: str | os.PathLike[str], attributes: Attributes | None = None
) -> Iterator[Store]:
    """Give a data set to fill, which gets its name when the block ends without an error.

    The suffix chooses the form: `.zarr` (a folder, Zarr 3), `.parquet` (a folder of files) or
    `.npz`. Memory holds one chunk of each table. A data set of that name is replaced; a folder
    that is none is refused.

    >>> with create_dataset("walks.zarr") as data:
    ...     table = data.table("walks", {"time": Column("f4"), "place": Column("f4", (3,))})
    ...     table.append({"time": [0.0, 0.1], "place": [[0, 0, 0], [0, 0, 1]]})
    """
    target = Path(path)
    check_dataset(target)
    make, about = STORES[target.suffix.lower()], {SIGNATURE: __version__, **(attributes or {})}
    with placed_beside(target) as beside, _completed(make(beside, about)) as store:
        yield store


@contextlib.contextmanager
def create_spool(path: Path, attributes: Attributes | None = None) -> Iterator[Store]:
    """Give a spool to fill, a folder that gets its name when the block ends without an error."""
    with placed_beside(path) as beside, _completed(Spool(beside, attributes or {})) as spool:
        yield spool


def clear_unfinished(path: Path) -> None:
    """Remove what killed runs left of a data set; nobody else may be writing it."""
    for leftover in path.parent.glob(f".{glob.escape(path.name[:50])}.{'[0-9a-f]' * 12}.*"):
        _remove(leftover)


def check_dataset(path: Path) -> None:
    """Refuse a name that cannot become a data set, before any work is done."""
    if path.suffix.lower() not in STORES:
        raise ContentError(
            f"{path.name} has no suffix of a data set", remedy=f"use one of {', '.join(STORES)}"
        )
    if not path.parent.is_dir():
        raise FileError("cannot be written", file=path, remedy="its folder must exist")
    if not os.access(path.parent, os.W_OK):
        raise FileError("cannot be written", file=path, remedy="its folder must be writable")
    if path.is_file() and path.suffix.lower() != ".npz":
        raise FileError("is a file", file=path, remedy="move it away: the data set is a folder")
    if path.is_dir() and any(path.iterdir()) and not _is_ours(path):
        raise FileError(
            "is a folder that holds no data set of Ligament",
            file=path,
            remedy="move it away, or name another",
        )


@contextlib.contextmanager
def placed_beside(target: Path) -> Iterator[Path]:
    """Give a free name beside the target; what is written there takes the target's place."""
    token = secrets.token_hex(6)
    stem = target.parent / f".{target.name[:50]}.{token}"
    beside, old = Path(f"{stem}.new"), Path(f"{stem}.old")
    try:
        yield beside
        if target.is_dir() and not target.is_symlink():  # a folder cannot be replaced in one step
            target.rename(old)
        os.replace(beside, target)
    except OSError as fault:
        _put_back(old, target)
        reason = fault.strerror or str(fault)
        remedy = "name an output that can be written, on a disk with room"
        raise FileError(f"cannot be written ({reason})", file=target, remedy=remedy) from fault
    finally:
        for leftover in (beside, old, Path(f"{beside}.spool")):
            _remove(leftover)


@contextlib.contextmanager
def _completed(store: Store) -> Iterator[Store]:
    try:
        yield store
        store.close()
    except BaseException:
        store.abandon()
        raise


def _put_back(old: Path, target: Path) -> None:
    with contextlib.suppress(OSError):
        if old.is_dir() and not target.exists():
            old.rename(target)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink()


def _is_ours(folder: Path) -> bool:
    """Tell whether a folder is a data set that was written here."""
    for name, members in (("zarr.json", ("attributes",)), (parquet_store.ATTRIBUTES, ())):
        with contextlib.suppress(OSError, ValueError, TypeError, KeyError):
            content = json.loads((folder / name).read_text(encoding="utf-8"))
            for member in members:
                content = content[member]
            if SIGNATURE in content:
                return True
    return False
