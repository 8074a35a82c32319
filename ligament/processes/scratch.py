"""Temporary folders of processes, locked by their owners: those of owners that were killed go."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Final

PREFIX: Final = "ligament-process-"


class Scratch:
    """A temporary folder, which is locked until it is removed or this process ends."""

    def __init__(self) -> None:
        self._lock: int | None = None
        while self._lock is None:  # another process may sweep a folder that is not locked yet
            self.path = tempfile.mkdtemp(prefix=PREFIX)
            if sys.platform == "win32":
                return
            self._lock = _lock(self.path)

    def remove(self) -> None:
        """Remove the folder and all that is in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock is not None:
            os.close(self._lock)


def sweep() -> None:
    """Remove folders whose owners have been killed; those of other users stay."""
    paths: list[Path] = []
    with contextlib.suppress(OSError):  # no place for temporary files
        paths += Path(tempfile.gettempdir()).glob(f"{PREFIX}*")
    for path in paths if sys.platform != "win32" else ():
        if (lock := _lock(path)) is not None:
            if os.fstat(lock).st_uid == os.getuid():
                shutil.rmtree(path, ignore_errors=True)
            os.close(lock)


if sys.platform != "win32":
    import fcntl

    def _lock(path: str | Path) -> int | None:
        """Lock a folder; None if it is locked, gone or a link."""
        with contextlib.suppress(OSError):
            lock = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY)
            with contextlib.suppress(OSError):
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.path.samestat(os.stat(path), os.fstat(lock)):
                    return lock
            os.close(lock)
        return None
