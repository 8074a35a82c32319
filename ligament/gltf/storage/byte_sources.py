"""Byte sources (memory, file ranges, data URIs), read on demand, and buffers made of them.

Files are read, never mapped: a mapped file that another program truncates crashes the process.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import os
import stat
import threading
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from ligament.errors import ContentError, FileError, FormatError, LigamentError
from ligament.files import Bytes
from ligament.gltf.storage.uris import percent_decoded

BLOCK = 1 << 20


class Content(Protocol):
    """Bytes that can be written somewhere."""

    def size(self) -> int:
        """Return the number of bytes, without reading them where possible."""

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

    `stamp` is the state of the file when its layout was read: if the file has changed since, the
    range holds other bytes, and reading it is an error.
    """

    def __init__(
        self, path: Path, offset: int = 0, length: int | None = None, *, stamp: Stamp | None = None
    ) -> None:
        self.path = path.absolute()  # the working folder may change before the read
        self._offset = offset
        self._length = length
        self._stamp = stamp
        self._data: memoryview | None = None
        self.identity = os.path.realpath(path)
        with _lock:
            _unread.add(self)

    def size(self) -> int:
        """Return the number of bytes in the range, or in the whole file now."""
        if self._data is not None:
            return len(self._data)
        if self._length is not None:
            return self._length
        try:
            state = self.path.stat()
        except OSError as fault:
            raise unreadable(self.path, fault) from fault
        self._refuse_special(state)
        return max(0, state.st_size - self._offset)

    def read(self) -> memoryview:
        """Return the bytes, from the file at the first call and from memory later."""
        if self._data is None:
            self._data = memoryview(b"".join(self._stream(None)))
            with _lock:
                _unread.discard(self)
        return self._data

    def blocks(self) -> Iterator[Bytes]:
        """Yield the bytes in blocks; they are not kept."""
        if self._data is not None:
            yield self._data
        else:
            yield from self._stream(BLOCK)

    def _stream(self, block: int | None) -> Iterator[bytes]:
        try:
            with open(self.path, "rb", opener=_open_at_once) as stream:
                state = os.fstat(stream.fileno())
                self._refuse_special(state)
                if self._stamp is not None and stamp_of(state) != self._stamp:
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

    def _refuse_special(self, state: os.stat_result) -> None:
        if not stat.S_ISREG(state.st_mode):
            raise FileError(
                "is a folder, a device or a pipe", file=self.path, remedy="name a regular file"
            )


class _Read(Protocol):
    def __call__(self, size: int, /) -> bytes: ...


Stamp = tuple[int, int, int]

_unread: weakref.WeakSet[FileRange] = weakref.WeakSet()
_lock = threading.Lock()


def stamp_of(state: os.stat_result) -> Stamp:
    """Return a stamp that changes when a file is rewritten or replaced."""
    return state.st_ino, state.st_size, state.st_mtime_ns


def keep_before_replacing(path: Path) -> None:
    """Read every range of `path` that live documents still need from it."""
    identity = os.path.realpath(path)
    with _lock:
        sources = [source for source in _unread if source.identity == identity]
    for source in sources:
        # A range that can no longer be read is lost already; its reader will get the error.
        with contextlib.suppress(LigamentError):
            source.read()


def unreadable(path: Path, fault: OSError) -> FileError:
    """Build the error for a file that the system cannot read."""
    reason = fault.strerror or str(fault)
    return FileError(f"cannot be read ({reason})", file=path, remedy="check the path")


def is_data_uri(uri: str) -> bool:
    """Return whether a URI contains its data."""
    return uri[:5].lower() == "data:"


def decode_data_uri(uri: str) -> bytes:
    """Return the bytes of a `data:` URI (RFC 2397), base64 or percent-encoded."""
    header, comma, payload = uri.partition(",")
    if not comma:
        raise FormatError("the data URI has no comma", remedy="use data:TYPE;base64,DATA")
    if not header.lower().endswith(";base64"):
        return percent_decoded(payload)
    try:
        return base64.b64decode(percent_decoded(payload), validate=True)
    except (binascii.Error, ValueError) as fault:
        raise FormatError(
            f"the data URI is not valid base64 ({fault})", remedy="encode the bytes again"
        ) from fault


def encode_data_uri(data: memoryview, media_type: str) -> str:
    """Write bytes as a base64 `data:` URI."""
    return f"data:{media_type};base64,{base64.b64encode(data).decode('ascii')}"


def _open_at_once(path: str, flags: int) -> int:
    """Open a file without waiting for the other end if it is a pipe."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


class BufferData:
    """Bytes of a buffer, read lazily; appending never moves existing bytes."""

    def __init__(self, source: Source | None, length: int) -> None:
        self._source = source
        self._base = length
        self._tail: list[bytes] = []
        self._length = length
        self._joined: memoryview | None = None

    @property
    def length(self) -> int:
        """The length [bytes], which is the value of `byteLength`."""
        return self._length

    @property
    def exists(self) -> bool:
        """Whether the buffer has bytes: a fallback buffer (EXT_meshopt_compression) has none."""
        return self._source is not None or bool(self._tail)

    @property
    def changed(self) -> bool:
        """Whether anything was appended since the buffer was read from its file."""
        return bool(self._tail)

    def read(self) -> memoryview:
        """Return all bytes, read-only."""
        if self._joined is None or len(self._joined) != self._length:
            base = self._read_base()
            self._joined = memoryview(b"".join((base, *self._tail))) if self._tail else base
        return self._joined

    def append(self, data: Bytes, *, alignment: int = 4) -> int:
        """Add bytes at the next multiple of `alignment`; return their offset [bytes]."""
        data = bytes(data)  # the caller may modify its array later
        padding = -self._length % alignment
        if padding:
            self._tail.append(b"\0" * padding)
        offset = self._length + padding
        self._tail.append(data)
        self._length = offset + len(data)
        return offset

    def size(self) -> int:
        """Return the number of bytes of `blocks` (an unchanged source keeps its padding)."""
        if self._source is None or self._tail:
            return self._length
        return self._source.size()

    def blocks(self) -> Iterator[Bytes]:
        """Yield the bytes to be saved, without reading an unchanged source into memory."""
        if self._source is None or self._tail:
            yield self.read()
        else:
            yield from self._source.blocks()

    def fork(self) -> BufferData:
        """Return an independent buffer that shares the current bytes."""
        twin = BufferData(self._source, self._base)
        twin._tail, twin._length, twin._joined = list(self._tail), self._length, self._joined
        return twin

    def _read_base(self) -> memoryview:
        data = memoryview(b"") if self._source is None else self._source.read()
        if len(data) < self._base:
            raise ContentError(
                f"declares {self._base} bytes, {len(data)} exist",
                remedy="fix byteLength or fetch the whole buffer",
            )
        return data[: self._base]
