"""Folders of numbered files beside an output: written beside and put in place all at once."""

from __future__ import annotations

import contextlib
import re
import secrets
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from ligament.errors import FileError
from ligament.files import write_atomic


@contextlib.contextmanager
def placed(folder: Path, files: Mapping[str, bytes], ours: re.Pattern[str]) -> Iterator[None]:
    """Put files into a folder by their names, and take them back where the block fails.

    Without files there is no folder afterwards. One that holds anything but what `ours` matches
    is refused, for it is replaced as a whole.
    """
    _require_ours(folder, ours)
    token = secrets.token_hex(6)
    beside, old = (folder.parent / f".{folder.name[:50]}.{token}.{end}" for end in ("new", "old"))
    try:
        _write(beside, files)
        with _exchanged(beside, folder, old):
            yield
    finally:
        for leftover in (beside, old):
            shutil.rmtree(leftover, ignore_errors=True)


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    if not files:
        return
    try:
        folder.mkdir()
    except OSError as fault:
        reason = fault.strerror or str(fault)
        remedy = "name an output in a folder that exists and can be written"
        raise FileError(f"cannot be written ({reason})", file=folder, remedy=remedy) from fault
    for name, content in files.items():
        write_atomic(folder / name, [content])


@contextlib.contextmanager
def _exchanged(new: Path, place: Path, old: Path) -> Iterator[None]:
    """Move `new` (if it exists) to `place`, and what was there to `old`; back on failure."""
    has_old = place.is_dir()
    if has_old:
        place.rename(old)
    try:
        if new.is_dir():
            new.rename(place)
        yield
    except BaseException:
        if place.is_dir():
            place.rename(new)
        if has_old:
            old.rename(place)
        raise


def _require_ours(folder: Path, ours: re.Pattern[str]) -> None:
    if not folder.exists() and not folder.is_symlink():
        return
    is_plain = folder.is_dir() and not folder.is_symlink()
    if not is_plain or not all(ours.fullmatch(entry.name) for entry in folder.iterdir()):
        raise FileError(
            "would be replaced, and holds more than numbered files",
            file=folder,
            remedy="move it away, or name another output",
        )
