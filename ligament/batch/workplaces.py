"""A folder beside a data set in the making, in which a killed run finds what it had done."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path

from ligament.batch.datasets.writing import clear_unfinished
from ligament.batch.locks import locked
from ligament.errors import FileError

LOCK = ".run.lock"


@contextlib.contextmanager
def workplace(target: Path, *, resume: bool) -> Iterator[Path]:
    """Give the folder, locked; it is empty unless resumed, and stays where the block fails."""
    folder = target.with_name(f".{target.name[:50]}.work")
    try:
        folder.mkdir(exist_ok=True)
    except OSError as fault:
        reason = fault.strerror or str(fault)
        raise FileError(f"cannot be written ({reason})", file=folder, remedy="clear it") from fault
    with locked(folder / LOCK):
        clear_unfinished(target)
        if not resume:
            _clear(folder)
        yield folder
        shutil.rmtree(folder, ignore_errors=True)


def _clear(folder: Path) -> None:
    for entry in folder.iterdir():
        if entry.is_dir():
            shutil.rmtree(entry, ignore_errors=True)
        elif entry.name != LOCK:
            entry.unlink()
