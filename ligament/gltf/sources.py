"""Bytes that are read when they are needed: in memory, in a range of a file, in a data URI.

Files are read, never mapped: a mapped file that another program shortens ends the process.
"""

from __future__ import annotations

import base64
import binascii
import os
import urllib.parse
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from ligament.errors import FileError, FormatError
from ligament.files import Bytes

BLOCK = 1 << 20


class Content(Protocol):
    """Bytes that can be written somewhere."""

    def size(self) -> int:
        """Return how many bytes there are, without reading them where that is possible."""

    def blocks(self) -> Iterator[Bytes]:
        """Yield all bytes in order without keeping them in memory."""


class Source(Content, Protocol):
    """Bytes that can be read."""

    def read(self) -> memoryview:
        """Return all bytes, read-only; the same memory at every call."""


class Memory:
    """Bytes that are already in memory."""

    def __init__(self, data: bytes | bytearray | memoryview) -> None:
        self._data = memoryview(data).cast("B").toreadonly()

    def size(self) -> int:
        """Return the number of bytes."""
        return len(self._data)

    def read(self) -> memoryview:
        """Return the bytes."""
        return self._data

    def blocks(self) -> Iterator[Bytes]:
        """Yield the bytes as one block."""
        yield self._data


class DataUri:
    """Bytes inside a `data:` URI, decoded at the first read."""

    def __init__(self, uri: str) -> None:
        self._uri = uri
        self._data: memoryview | None = None

    def size(self) -> int:
        """Return the number of decoded bytes."""
        return len(self.read())

    def read(self) -> memoryview:
        """Return the decoded bytes."""
        if self._data is None:
            self._data = memoryview(decode_data_uri(self._uri))
        return self._data

    def blocks(self) -> Iterator[Bytes]:
        """Yield the decoded bytes as one block."""
        yield self.read()


class FileRange:
    """A range of a file, read at the first use or just before the file is replaced.

    `stamp` is the state of the file when its layout was read: a range of a file that has changed
    since means other bytes, so that reading it is an error.
    """

    def __init__(
        self, path: Path, offset: int = 0, length: int | None = None, *, stamp: Stamp | None = None
    ) -> None:
        self.path = path
        self._offset = offset
        self._length = length
        self._stamp = stamp
        self._data: memoryview | None = None
        _unread.setdefault(_identity(path), weakref.WeakSet()).add(self)

    def size(self) -> int:
        """Return the number of bytes in the range, or in the whole file now."""
        if self._data is not None:
            return len(self._data)
        if self._length is not None:
            return self._length
        try:
            return max(0, self.path.stat().st_size - self._offset)
        except OSError as fault:
            raise unreadable(self.path, fault) from fault

    def read(self) -> memoryview:
        """Return the bytes, from the file at the first call and from memory later."""
        if self._data is None:
            self._data = memoryview(b"".join(self._stream(None)))
            _forget(self)
        return self._data

    def blocks(self) -> Iterator[Bytes]:
        """Yield the bytes in blocks; they are not kept."""
        if self._data is not None:
            yield self._data
        else:
            yield from self._stream(BLOCK)

    def _stream(self, block: int | None) -> Iterator[bytes]:
        try:
            with self.path.open("rb") as stream:
                if self._stamp is not None and stamp_of(stream.fileno()) != self._stamp:
                    raise FileError("the file has changed since it was loaded", file=self.path)
                stream.seek(self._offset)
                yield from self._take(stream.read, block)
        except OSError as fault:
            raise unreadable(self.path, fault) from fault

    def _take(self, read: _Read, block: int | None) -> Iterator[bytes]:
        if self._length is None:
            while data := read(block or -1):
                yield data
            return
        left = self._length
        while left:
            data = read(min(left, block or left))
            if not data:
                raise FileError("the file is shorter than when it was loaded", file=self.path)
            left -= len(data)
            yield data


class _Read(Protocol):
    def __call__(self, size: int, /) -> bytes: ...


Stamp = tuple[int, int, int]

_unread: dict[str, weakref.WeakSet[FileRange]] = {}


def stamp_of(file: int | Path) -> Stamp:
    """Return what changes when a file is rewritten or replaced."""
    state = os.stat(file)
    return state.st_ino, state.st_size, state.st_mtime_ns


def keep_before_replacing(path: Path) -> None:
    """Read every range of `path` that live documents still need from it."""
    for source in list(_unread.get(_identity(path), ())):
        source.read()


def unreadable(path: Path, fault: OSError) -> FileError:
    """Build the error for a file that the system does not give."""
    reason = fault.strerror or str(fault)
    return FileError(f"cannot be read ({reason})", file=path, remedy="name a readable file")


def is_data_uri(uri: str) -> bool:
    """Tell whether a URI carries its bytes itself."""
    return uri[:5].lower() == "data:"


def decode_data_uri(uri: str) -> bytes:
    """Return the bytes of a `data:` URI (RFC 2397), base64 or percent-encoded."""
    header, comma, payload = uri.partition(",")
    if not comma:
        raise FormatError("the data URI has no comma", remedy="use data:TYPE;base64,DATA")
    if not header.lower().endswith(";base64"):
        return urllib.parse.unquote_to_bytes(payload)
    try:
        return base64.b64decode(urllib.parse.unquote(payload), validate=True)
    except (binascii.Error, ValueError) as fault:
        raise FormatError(
            f"the data URI is not valid base64 ({fault})", remedy="encode the bytes again"
        ) from fault


def encode_data_uri(data: memoryview, media_type: str) -> str:
    """Write bytes as a base64 `data:` URI."""
    return f"data:{media_type};base64,{base64.b64encode(data).decode('ascii')}"


def _identity(path: Path) -> str:
    return os.path.realpath(path)


def _forget(source: FileRange) -> None:
    waiting = _unread.get(_identity(source.path))
    if waiting is not None:
        waiting.discard(source)
        if not waiting:
            del _unread[_identity(source.path)]
