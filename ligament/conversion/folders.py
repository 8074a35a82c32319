"""Content-addressed files in a folder next to an output.

A file named after its content never changes, so that an output and its folder are consistent at
any moment: new files are written before the output that names them, and files that only the old
output needed are removed after it has been replaced.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from ligament.errors import FileError
from ligament.files import make_folder, write_atomic

_DIGITS = 16
_OURS = re.compile(rf"\.?[0-9a-f]{{{_DIGITS}}}\.[a-z]+(\.[0-9a-f]+\.part)?")
"""Content-addressed names, and those of temporary files that a killed process left behind."""


def name_of(content: bytes, suffix: str) -> str:
    """Return the file name for some content; `suffix` is like "png"."""
    return f"{hashlib.sha256(content).hexdigest()[:_DIGITS]}.{suffix}"


@contextlib.contextmanager
def stored(folder: Path, files: Mapping[str, bytes]) -> Iterator[None]:
    """Put files into a folder while the output that names them is written in the block.

    If the block fails, new files are removed; if it succeeds, files no longer needed are. A folder
    without files is removed. One that holds anything but content-addressed files is refused.
    """
    _require_ours(folder)
    with _write_errors(folder), _alone(folder.parent):
        before = {entry.name for entry in folder.iterdir()} if folder.is_dir() else set()
        kept = before
        try:
            _write(folder, files)
            yield
            kept = set(files)
        finally:
            _remove(folder, (before | files.keys()) - kept)


@contextlib.contextmanager
def _write_errors(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as fault:
        reason = fault.strerror or str(fault)
        remedy = "name an output in a folder that exists and can be written"
        raise FileError(f"cannot be written ({reason})", file=folder, remedy=remedy) from fault


@contextlib.contextmanager
def _alone(parent: Path) -> Iterator[None]:
    """Lock the parent folder against other processes, where the system supports it."""
    try:
        import fcntl

        descriptor = os.open(parent, os.O_RDONLY)
    except (ImportError, OSError):
        yield
        return
    try:
        with contextlib.suppress(OSError):  # some network disks have none
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    if not files:
        return
    make_folder(folder)
    for name, content in files.items():
        path = folder / name
        if not (path.is_file() and path.read_bytes() == content):
            write_atomic(path, [content])


def _remove(folder: Path, names: set[str]) -> None:
    with contextlib.suppress(OSError):
        for name in names:
            (folder / name).unlink(missing_ok=True)
        folder.rmdir()  # refused by the system while there is anything in it


def _require_ours(folder: Path) -> None:
    if not folder.exists() and not folder.is_symlink():
        return
    is_plain = folder.is_dir() and not folder.is_symlink()
    if not is_plain or not all(_OURS.fullmatch(entry.name) for entry in folder.iterdir()):
        raise FileError(
            "would be replaced, and contains more than files named after their content",
            file=folder,
            remedy="move it away, or name another output",
        )
