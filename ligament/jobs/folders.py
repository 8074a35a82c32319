"""Output folders: one run at a time in each, and what an interrupted run left behind."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ligament.datasets.dataset import clear_unfinished
from ligament.errors import FileError, warn
from ligament.files import make_folder

LOCK = ".batch.lock"
WORK_LOCK = ".run.lock"
HANDSHAKE = ".handshake.000000000000.new"
"""The file that a run on a cluster keeps in its output folder; a leftover once it has ended."""

PATIENCE = 15.0
"""Seconds to wait for the workers of a dead run to notice that it ended."""

_NOT_A_LINK: int = getattr(os, "O_NOFOLLOW", 0)
"""Through a link, the file that it leads to would be truncated."""

_LEFTOVER = re.compile(r"\..+\.[0-9a-f]{12}\.(part|new|old)")


@contextlib.contextmanager
def locked(path: Path) -> Iterator[int]:
    """Hold a lock file, which the system releases however the process ends.

    Yield the file descriptor: processes that inherit it keep the lock until they end, too.
    """
    descriptor = _opened(path)
    try:
        _acquire(descriptor, path)
        _sign(descriptor)
        yield descriptor
    finally:
        os.close(descriptor)


def clear_leftovers(folder: Path) -> int:
    """Remove unfinished files and folders of a killed run; return how many."""
    count = 0
    for where, folders, names in os.walk(folder):
        for name in filter(_LEFTOVER.fullmatch, names):
            with contextlib.suppress(OSError):
                Path(where, name).unlink()
                count += 1
        for name in filter(_LEFTOVER.fullmatch, folders[:]):
            folders.remove(name)
            shutil.rmtree(Path(where, name), ignore_errors=True)
            count += 1
    return count


def output_folder(out_dir: str | os.PathLike[str]) -> Path:
    """Make an output folder and return its absolute path."""
    folder = make_folder(Path(os.path.normpath(Path(out_dir).absolute())))
    if not os.access(folder, os.W_OK):
        raise FileError("cannot be written", file=folder, remedy="choose another folder")
    return folder


@contextlib.contextmanager
def work_folder(target: Path, *, resume: bool) -> Iterator[Path]:
    """Yield a locked folder next to a data set being written.

    It is empty unless resumed, removed in the end, and kept if the block fails.
    """
    folder = target.with_name(f".{target.name[:50]}.work")
    try:
        folder.mkdir(exist_ok=True)
    except OSError as fault:
        reason = fault.strerror or str(fault)
        raise FileError(
            f"cannot be written ({reason})", file=folder, remedy="check its permissions"
        ) from fault
    with locked(folder / WORK_LOCK):
        clear_unfinished(target)
        if not resume:
            _clear(folder)
        yield folder
        shutil.rmtree(folder, ignore_errors=True)


def _clear(folder: Path) -> None:
    for entry in folder.iterdir():
        if entry.is_dir():
            shutil.rmtree(entry, ignore_errors=True)
        elif entry.name != WORK_LOCK:
            entry.unlink()


def _opened(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | _NOT_A_LINK, 0o666)
    except OSError as fault:
        reason = fault.strerror or str(fault)
        raise FileError(
            f"cannot be written ({reason})", file=path, remedy="choose another --out-dir"
        ) from fault


def _sign(descriptor: int) -> None:
    """Record the lock's holder; the lock holds even if the disk is full."""
    holder = json.dumps({"pid": os.getpid(), "host": socket.gethostname()})
    with contextlib.suppress(OSError):
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, holder.encode(), 0)


def _acquire(descriptor: int, path: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while not _try_lock(descriptor, path):
        holder = _holder(path)
        if _is_alive(holder) or time.monotonic() > deadline:
            who = f"process {holder.get('pid', '?')} on {holder.get('host', 'another machine')}"
            raise FileError(
                f"another run is using this folder ({who})",
                file=path.parent,
                remedy="wait for it to end, or choose another --out-dir",
            )
        time.sleep(0.05)


def _try_lock(descriptor: int, path: Path) -> bool:
    """Lock without waiting; also True, with a warning, on a disk without locks."""
    try:
        _lock(descriptor)
    except (BlockingIOError, PermissionError):
        return False
    except OSError as fault:
        message = (
            f"{path.parent} cannot be locked ({fault.strerror}): run one batch at a time there"
        )
        warn(message)
    return True


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        os.lseek(descriptor, 1 << 20, os.SEEK_SET)  # after the text, which others may read
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        os.lseek(descriptor, 0, os.SEEK_SET)
else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _holder(path: Path) -> dict[str, Any]:
    with contextlib.suppress(OSError, ValueError):
        content = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(content, dict):
            return content
    return {}


def _is_alive(holder: dict[str, Any]) -> bool:
    """Tell whether the holder is alive; one on another machine is assumed to be."""
    if holder.get("host") != socket.gethostname() or sys.platform == "win32":
        return bool(holder)  # on Windows, asking with signal 0 would end the process
    try:
        os.kill(int(holder["pid"]), 0)
    except (ProcessLookupError, KeyError, ValueError):
        return False
    except OSError:
        return True
    return True
