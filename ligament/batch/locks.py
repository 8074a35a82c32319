"""One run at a time in a folder of outputs; what a dead run left half done is cleared away."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import socket
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ligament.errors import FileError, LigamentWarning

PATIENCE = 15.0
"""How long [s] to wait for the workers of a run that is dead to notice it."""

_NOT_A_LINK: int = getattr(os, "O_NOFOLLOW", 0)
"""A link would have the file that it leads to emptied."""

_LEFTOVER = re.compile(r"\..+\.[0-9a-f]{12}\.(part|new|old)")


@contextlib.contextmanager
def locked(path: Path) -> Iterator[int]:
    """Hold the lock in a file, which the system gives back however the process ends.

    Gives the file descriptor: processes that inherit it keep the lock until they have ended too.
    """
    descriptor = _opened(path)
    try:
        _acquire(descriptor, path)
        _sign(descriptor)
        yield descriptor
    finally:
        os.close(descriptor)


def clear_leftovers(folder: Path) -> int:
    """Remove files and folders that were being written when a run was killed; returns how many."""
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


def _opened(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | _NOT_A_LINK, 0o666)
    except OSError as fault:
        reason = fault.strerror or str(fault)
        raise FileError(
            f"cannot be written ({reason})", file=path, remedy="name another --out-dir"
        ) from fault


def _sign(descriptor: int) -> None:
    """Write down who holds a lock, which counts even on a disk without room for that."""
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
                f"another batch is at work here ({who})",
                file=path.parent,
                remedy="wait for it to end, or name another --out-dir",
            )
        time.sleep(0.05)


def _try_lock(descriptor: int, path: Path) -> bool:
    """Lock without waiting; True as well on a disk that has no locks, with a warning."""
    try:
        _lock(descriptor)
    except (BlockingIOError, PermissionError):
        return False
    except OSError as fault:
        message = (
            f"{path.parent} cannot be locked ({fault.strerror}): run one batch at a time there"
        )
        warnings.warn(message, LigamentWarning, stacklevel=2)
    return True


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        os.lseek(descriptor, 1 << 20, os.SEEK_SET)  # beyond the text, which others may read
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
    """Tell whether a run is known to live; one on another machine is taken to."""
    if holder.get("host") != socket.gethostname() or sys.platform == "win32":
        return bool(holder)  # on Windows, asking with signal 0 would end the process
    try:
        os.kill(int(holder["pid"]), 0)
    except (ProcessLookupError, KeyError, ValueError):
        return False
    except OSError:
        return True
    return True
