"""Creation of data sets, written under a temporary name and renamed when complete."""

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
from ligament.arguments import checked
from ligament.datasets import parquet_store
from ligament.datasets.columns import Attributes, Store
from ligament.datasets.npz_store import NpzStore
from ligament.datasets.parquet_store import ParquetStore
from ligament.datasets.spool import Spool
from ligament.datasets.zarr_store import ZarrStore
from ligament.errors import ContentError, FileError

STORES: Mapping[str, Callable[[Path, Attributes], Store]] = {
    ".zarr": ZarrStore,
    ".parquet": ParquetStore,
    ".npz": NpzStore,
}
"""Stores by suffix."""

SIGNATURE = "ligament"
"""The attribute that marks our data sets, with the version that wrote them."""


MARKERS: Mapping[str, tuple[str, ...]] = {
    "zarr.json": ("attributes",),
    parquet_store.ATTRIBUTES: (),
}
"""Files that make a folder a data set, and their members that hold the signature."""


@checked
@contextlib.contextmanager
def create_dataset(
    path: str | os.PathLike[str], attributes: Attributes | None = None
) -> Iterator[Store]:
    """Yield a data set to fill, which gets its name when the block ends without an error.

    The suffix selects the format: `.zarr` (a folder, Zarr 3), `.parquet` (a folder of files) or
    `.npz`. Memory holds one chunk of each table. A data set of that name is replaced; a folder of
    anything else is refused.

    >>> with create_dataset("walks.zarr") as data:
    ...     table = data.table("walks", {"time": Column("f4"), "place": Column("f4", (3,))})
    ...     table.append({"time": [0.0, 0.1], "place": [[0, 0, 0], [0, 0, 1]]})
    """
    target = Path(path)
    check_dataset(target)
    make, about = STORES[target.suffix.lower()], {SIGNATURE: __version__, **(attributes or {})}
    with _replacing(target) as partial, _completed(make(partial, about)) as store:
        yield store


@contextlib.contextmanager
def create_spool(path: Path, attributes: Attributes | None = None) -> Iterator[Store]:
    """Yield a spool to fill, a folder that gets its name when the block ends without an error."""
    with _replacing(path) as partial, _completed(Spool(partial, attributes or {})) as spool:
        yield spool


def clear_unfinished(path: Path) -> None:
    """Remove leftovers of killed runs; the caller must be the data set's only writer."""
    for leftover in path.parent.glob(f".{glob.escape(path.name[:50])}.{'[0-9a-f]' * 12}.*"):
        _remove(leftover)


def check_dataset(path: Path) -> None:
    """Refuse a name that cannot become a data set, before any work is done."""
    if path.suffix.lower() not in STORES:
        raise ContentError(
            f"{path.name} has no data set suffix", remedy=f"use one of {', '.join(STORES)}"
        )
    if not path.parent.is_dir():
        raise FileError("cannot be written", file=path, remedy="its folder must exist")
    if not os.access(path.parent, os.W_OK):
        raise FileError("cannot be written", file=path, remedy="its folder must be writable")
    if path.is_file() and path.suffix.lower() != ".npz":
        raise FileError("is a file", file=path, remedy="move it away: the data set is a folder")
    if path.is_dir() and any(path.iterdir()) and not _is_ours(path):
        raise FileError(
            "is a folder without a data set of Ligament",
            file=path,
            remedy="move it away, or choose another name",
        )


@contextlib.contextmanager
def _replacing(target: Path) -> Iterator[Path]:
    """Yield a free name next to the target; what is written there replaces the target."""
    token = secrets.token_hex(6)
    stem = target.parent / f".{target.name[:50]}.{token}"
    partial, old = Path(f"{stem}.new"), Path(f"{stem}.old")
    try:
        yield partial
        if target.is_dir() and not target.is_symlink():  # a folder cannot be replaced in one step
            target.rename(old)
        os.replace(partial, target)
    except OSError as fault:
        _put_back(old, target)
        reason = fault.strerror or str(fault)
        remedy = "choose a writable path on a disk with free space"
        raise FileError(f"cannot be written ({reason})", file=target, remedy=remedy) from fault
    finally:
        for leftover in (partial, old, Path(f"{partial}.spool")):
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
    """Tell whether a folder is one of our data sets."""
    for name in MARKERS:
        with contextlib.suppress(OSError):
            if is_signed(name, (folder / name).read_bytes()):
                return True
    return False


def is_signed(marker: str, content: bytes) -> bool:
    """Tell whether a file makes its folder one of our data sets."""
    with contextlib.suppress(ValueError, TypeError, KeyError, RecursionError):
        members = json.loads(content)
        for member in MARKERS[marker]:
            members = members[member]
        return SIGNATURE in members
    return False
