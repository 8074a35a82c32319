"""Files written beside their target and renamed: a reader sees the old one or the new one."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

from ligament.errors import FileError

Bytes = bytes | bytearray | memoryview


def write_atomic(path: str | os.PathLike[str], pieces: Iterable[Bytes]) -> None:
    """Write the pieces one after another and replace `path` with the result in one step.

    A symbolic link at `path` is replaced, not followed. On any failure the old file stays as it
    was and nothing is left beside it.
    """
    with open_atomic(path) as stream:
        for piece in pieces:
            stream.write(piece)


@contextlib.contextmanager
def open_atomic(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Give a binary stream whose content becomes `path` when the block ends without an error."""
    target = Path(path)
    beside = _beside(target)
    try:
        with open(beside, "xb", opener=_opener(target)) as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(beside, target)
    except OSError as fault:
        raise _cannot_write(target, fault) from fault
    finally:
        with contextlib.suppress(OSError):
            beside.unlink()


def create_atomic(path: Path, pieces: Iterable[Bytes]) -> bool:
    """Write `path` unless something stands there already; True when this call created it."""
    beside = _beside(path)
    if os.path.lexists(path):
        return False
    try:
        write_atomic(beside, pieces)
        _claim(beside, path)
    except FileExistsError:
        return False
    except OSError as fault:
        raise _cannot_write(path, fault) from fault
    finally:
        with contextlib.suppress(OSError):
            beside.unlink()
    return True


def _claim(beside: Path, path: Path) -> None:
    """Give a finished file its name unless another process took it first."""
    try:
        os.link(beside, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links: the gap between test and rename stays
        if os.path.lexists(path):
            raise FileExistsError(path) from None
        os.replace(beside, path)


def _beside(target: Path) -> Path:
    return target.with_name(f".{target.name[:100]}.{secrets.token_hex(6)}.part")


def _opener(target: Path) -> _Opener:
    """Open with the permissions of the file being replaced, or those of a new file."""
    mode = 0o666
    with contextlib.suppress(OSError):
        found = target.stat(follow_symlinks=False)
        if stat.S_ISREG(found.st_mode):
            mode = stat.S_IMODE(found.st_mode)
    return _Opener(mode)


class _Opener:
    def __init__(self, mode: int) -> None:
        self.mode = mode

    def __call__(self, path: str, flags: int) -> int:
        return os.open(path, flags, self.mode)


def _cannot_write(path: Path, fault: OSError) -> FileError:
    reason = fault.strerror or str(fault)
    return FileError(f"cannot be written ({reason})", file=path, remedy=_remedy(path))


def _remedy(path: Path) -> str:
    if not path.parent.is_dir():
        return f"the folder {path.parent} must exist"
    return "name an output that can be written, on a disk with room"
