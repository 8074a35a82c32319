"""Atomic files: written under a temporary name and renamed, so readers never see a partial file."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
import shutil
import stat
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import IO

from ligament.errors import FileError

_created: ContextVar[list[Path]] = ContextVar("created")
"""Files and folders that the innermost block of `all_or_nothing` has created so far."""

_O_TMPFILE: int = getattr(os, "O_TMPFILE", 0)

Bytes = bytes | bytearray | memoryview


_BLOCK = 1 << 20

_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
_FORBIDDEN = frozenset('<>:"/\\|?*')
_LONGEST = 160  # bytes; endings and the name of a file being written need room below 255


def read_at_most(stream: IO[bytes], count: int) -> bytes:
    """Read a stream to its end, but no more than `count` bytes.

    `stream.read(count)` would allocate all of them at once, however short the stream is.
    """
    blocks = []
    while count and (block := stream.read(min(count, _BLOCK))):
        blocks.append(block)
        count -= len(block)
    return b"".join(blocks)


def local_name(text: str) -> str:
    """Return a file name as this system spells it, in UTF-8 if its encoding has no such letter."""
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return os.fsdecode(text.encode("utf-8", "surrogateescape"))
    return text


def safe_name(text: str) -> str:
    """Return a file name that is valid on every system."""
    name = "".join("_" if _is_bad(character) else character for character in text)
    name = re.sub(r"[. ]+$", "_", name) or "_"
    if _RESERVED.fullmatch(name):
        name = f"_{name}"
    if len(name.encode()) <= _LONGEST:
        return name
    suffix = Path(name).suffix if len(Path(name).suffix) <= 8 else ""
    kept = name.encode()[: _LONGEST - 16].decode(errors="ignore")
    return f"{kept}-{short_hash(text)}{suffix}"


def _is_bad(character: str) -> bool:
    return character in _FORBIDDEN or unicodedata.category(character)[0] == "C"


def short_hash(text: str) -> str:
    """Return ten hexadecimal digits that tell texts apart."""
    return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()[:10]


def name_text(name: str) -> str:
    """Return a file name as text, decoded as UTF-8 whatever the system's encoding."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def local_path(path: str | os.PathLike[str]) -> Path:
    """Return a path as this system spells it."""
    return Path(local_name(os.fspath(path)))


def write_atomic(path: str | os.PathLike[str], pieces: Iterable[Bytes]) -> None:
    """Write the pieces in order and replace `path` with the result in one step.

    A symbolic link at `path` is replaced, not followed. On any failure the old file stays as it
    was and no temporary file is left.
    """
    with open_atomic(path) as stream:
        for piece in pieces:
            stream.write(piece)


def open_atomic(path: str | os.PathLike[str]) -> contextlib.AbstractContextManager[IO[bytes]]:
    """Yield a binary stream whose content becomes `path` when the block ends without an error."""
    return _temporary_file(local_path(path), os.replace)


def require_place(path: Path) -> None:
    """Refuse an output path that cannot be written, before any work is done."""
    if not path.parent.is_dir():
        remedy = f"the folder {path.parent} must exist"
        raise FileError("cannot be written", file=path, remedy=remedy)
    if not os.access(path.parent, os.W_OK):
        remedy = f"the folder {path.parent} must be writable"
        raise FileError("cannot be written", file=path, remedy=remedy)
    if path.is_dir():
        raise FileError("is a folder", file=path, remedy="name a file to write")
    refuse_special(path)


def refuse_special(path: Path) -> None:
    """Refuse to replace a device, a pipe or a link to one with a file."""
    if is_special(path):
        raise FileError("is a device or a pipe", file=path, remedy="name a file to write")


def is_special(path: Path) -> bool:
    """Whether the path is a device, a pipe, a socket or a link to one."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):  # reading or writing will report it
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def make_folder(folder: Path) -> Path:
    """Create a folder and its parents if missing; return it."""
    try:
        for level in reversed([level for level in folder.parents if not level.exists()]):
            _make(level)
        _make(folder)
    except OSError as fault:
        raise FileError(
            f"the folder cannot be created ({fault.strerror})", file=folder, remedy="name another"
        ) from fault
    return folder


def _make(folder: Path) -> None:
    is_new = not folder.exists()
    folder.mkdir(exist_ok=True)
    if is_new:
        _note(folder)


def _note(path: Path) -> None:
    created = _created.get(None)
    if created is not None:
        created.append(path)


@contextlib.contextmanager
def all_or_nothing() -> Iterator[None]:
    """Remove the files and folders that the block creates if it fails; replaced files stay."""
    outer, created = _created.get(None), list[Path]()
    token = _created.set(created)
    try:
        yield
    except BaseException:
        for path in reversed(created):
            with contextlib.suppress(OSError):  # a folder may hold files of others
                path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
        created.clear()
        raise
    finally:
        _created.reset(token)
        if outer is not None:
            outer.extend(created)


def create_atomic(path: Path, pieces: Iterable[Bytes]) -> bool:
    """Write `path` unless it exists; return True if this call created it."""
    if os.path.lexists(path):
        return False
    try:
        with _temporary_file(path, _claim) as stream:
            for piece in pieces:
                stream.write(piece)
    except _NameTakenError:
        return False
    return True


class _NameTakenError(Exception):
    """The name of a new file is already taken."""


@contextlib.contextmanager
def _temporary_file(target: Path, give_name: Callable[[Path, Path], None]) -> Iterator[IO[bytes]]:
    """Yield a stream to an unnamed file, which gets its name when it is complete."""
    refuse_special(target)
    temporary = _temporary_name(target)
    try:
        with open(temporary, "xb", opener=_opener(target)) as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
            if not temporary.exists():
                _name(stream.fileno(), temporary)
        is_new = not os.path.lexists(target)
        give_name(temporary, target)
        if is_new:
            _note(target)
    except OSError as fault:
        raise _cannot_write(target, fault.strerror or str(fault)) from fault
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def _name(descriptor: int, path: Path) -> None:
    """Name an unnamed file; where that is not possible, name a copy of it."""
    content = f"/proc/self/fd/{descriptor}"
    try:
        os.link(content, path, src_dir_fd=descriptor)  # with a folder, the link is followed
    except OSError:
        mode = stat.S_IMODE(os.fstat(descriptor).st_mode)
        with (
            open(content, "rb") as source,
            open(path, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as copy,
        ):
            shutil.copyfileobj(source, copy)
            copy.flush()
            os.fsync(copy.fileno())


def _temporary_name(target: Path) -> Path:
    if "\0" in str(target):
        raise _cannot_write(target, "the name contains a null character")
    # Fifty characters take at most 200 bytes; most systems allow names of 255.
    return target.parent / f".{target.name[:50]}.{secrets.token_hex(6)}.part"


def _claim(temporary: Path, target: Path) -> None:
    """Give a finished file its name unless another process took it first."""
    try:
        os.link(temporary, target)
    except OSError:
        if os.path.lexists(target):
            raise _NameTakenError from None
        os.replace(temporary, target)  # without hard links, a race after the test remains


def _opener(target: Path) -> Callable[[str, int], int]:
    """Open with the permissions of the file being replaced, or those of a new file."""

    def open_alike(path: str, flags: int) -> int:
        mode = _permissions(target)
        descriptor = _opened(path, flags, 0o666 if mode is None else mode)
        if mode is not None and os.chmod in os.supports_fd:
            with contextlib.suppress(OSError):  # the system has already applied the umask
                os.chmod(descriptor, mode)  # noqa: PTH101
        return descriptor

    return open_alike


def _opened(path: str, flags: int, mode: int) -> int:
    """Open an unnamed file where supported: nothing is left behind if this process dies."""
    if _O_TMPFILE and Path("/proc/self/fd").is_dir():
        with contextlib.suppress(OSError):
            return os.open(Path(path).parent, os.O_WRONLY | _O_TMPFILE | os.O_CLOEXEC, mode)
    return os.open(path, flags, mode)


def _permissions(target: Path) -> int | None:
    with contextlib.suppress(OSError):
        found = target.stat(follow_symlinks=False).st_mode
        if stat.S_ISREG(found):
            return stat.S_IMODE(found) & 0o777
    return None


def _cannot_write(path: Path, reason: str) -> FileError:
    return FileError(f"cannot be written ({reason})", file=path, remedy=_remedy(path))


def _remedy(path: Path) -> str:
    if not path.parent.is_dir():
        return f"the folder {path.parent} must exist"
    return "name a writable output, on a disk with free space"
