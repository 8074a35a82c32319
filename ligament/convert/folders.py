"""Folders of files beside an output, each named after its content.

A file of such a name never changes, so that an output and its folder agree at every moment: new
files come before the output that names them, and those of the old output go after it is replaced.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from ligament.errors import FileError
from ligament.files import write_atomic

_DIGITS = 16
_OURS = re.compile(rf"\.?[0-9a-f]{{{_DIGITS}}}\.[a-z]+(\.[0-9a-f]+\.part)?")
"""Names of contents, and of what a process that was killed left of one."""


def name_of(content: bytes, suffix: str) -> str:
    """Return the name of a file: one content, one name. `suffix` is like "png"."""
    return f"{hashlib.sha256(content).hexdigest()[:_DIGITS]}.{suffix}"


@contextlib.contextmanager
def placed(folder: Path, files: Mapping[str, bytes]) -> Iterator[None]:
    """Put files into a folder by the names of their contents, and take them back on failure.

    The block writes the output that names them. Without files there is no folder afterwards. One
    that holds anything but such files is refused, for what is not needed any more is removed.
    """
    _require_ours(folder)
    with _told(folder), _alone(folder.parent):
        before = {entry.name for entry in folder.iterdir()} if folder.is_dir() else set()
        kept = before
        try:
            _write(folder, files)
            yield
            kept = set(files)
        finally:
            _remove(folder, (before | files.keys()) - kept)


@contextlib.contextmanager
def _told(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as fault:
        reason = fault.strerror or str(fault)
        remedy = "name an output in a folder that exists and can be written"
        raise FileError(f"cannot be written ({reason})", file=folder, remedy=remedy) from fault


@contextlib.contextmanager
def _alone(parent: Path) -> Iterator[None]:
    """Let one process at a time exchange folders here, where the system has such locks."""
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
    folder.mkdir(exist_ok=True)
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
            "would be replaced, and holds more than files named after their content",
            file=folder,
            remedy="move it away, or name another output",
        )
