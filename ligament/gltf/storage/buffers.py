"""Buffers: bytes from their source, and those appended since."""

from __future__ import annotations

from collections.abc import Iterator

from ligament.errors import ContentError
from ligament.files import Bytes
from ligament.gltf.storage.byte_sources import Source


class BufferData:
    """Bytes of a buffer, read lazily; appending never moves what is there."""

    def __init__(self, source: Source | None, length: int) -> None:
        self._source = source
        self._base = length
        self._tail: list[bytes] = []
        self._length = length
        self._joined: memoryview | None = None

    @property
    def length(self) -> int:
        """The number of bytes, as `byteLength` must say [bytes]."""
        return self._length

    @property
    def exists(self) -> bool:
        """Whether there are bytes at all: a fallback buffer (EXT_meshopt_compression) has none."""
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
        """Add bytes at the next multiple of `alignment`; returns their offset [bytes]."""
        data = bytes(data)  # the caller may go on to change what it gave
        padding = -self._length % alignment
        if padding:
            self._tail.append(b"\0" * padding)
        offset = self._length + padding
        self._tail.append(data)
        self._length = offset + len(data)
        return offset

    def size(self) -> int:
        """Return how many bytes `blocks` yields (an unchanged source keeps its padding)."""
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
        """Return an independent buffer that shares what is there now."""
        twin = BufferData(self._source, self._base)
        twin._tail, twin._length, twin._joined = list(self._tail), self._length, self._joined
        return twin

    def _read_base(self) -> memoryview:
        data = memoryview(b"") if self._source is None else self._source.read()
        if len(data) < self._base:
            raise ContentError(
                f"declares {self._base} bytes, {len(data)} are there",
                remedy="fix byteLength or fetch the whole buffer",
            )
        return data[: self._base]
