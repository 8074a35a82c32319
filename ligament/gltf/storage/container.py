"""File containers: plain JSON text, or GLB (header and chunks), recognised by content."""

from __future__ import annotations

import dataclasses
import io
import os
import stat
import struct
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, Literal

from ligament.errors import FileError, FormatError, LigamentError, LimitError
from ligament.files import Bytes, read_at_most
from ligament.gltf.storage.byte_sources import (
    Content,
    FileRange,
    Memory,
    Source,
    stamp_of,
    unreadable,
)
from ligament.limits import DEFAULT, Limits

MAGIC = b"glTF"
JSON_CHUNK = 0x4E4F534A
BIN_CHUNK = 0x004E4942
GLB_SUFFIXES = frozenset({".glb", ".vrm", ".vrma"})

Form = Literal["gltf", "glb"]

_HEADER = struct.Struct("<4sII")
_CHUNK_HEADER = struct.Struct("<II")


@dataclasses.dataclass(frozen=True)
class Chunk:
    """One GLB chunk that is neither the JSON nor the binary buffer."""

    type: int
    data: Source


@dataclasses.dataclass(frozen=True)
class Container:
    """The parts of a file: its JSON text, the BIN chunk if there is one, and all other chunks.

    `ignored` is the number of bytes after the end that the GLB header declares.
    """

    form: Form
    text: bytes
    binary: Source | None = None
    chunks: tuple[Chunk, ...] = ()
    ignored: int = 0


def open_container(path: Path, *, limits: Limits = DEFAULT) -> Container:
    """Read the layout and the JSON text of a file; the other chunks stay on disk until used."""
    try:
        with path.open("rb") as stream:
            state = os.fstat(stream.fileno())
            if stat.S_ISCHR(state.st_mode) or stat.S_ISBLK(state.st_mode):
                raise FileError("is a device, which may be endless", remedy="name a file")
            if not stat.S_ISREG(state.st_mode):
                return parse_container(read_at_most(stream, limits.file_bytes + 1), limits=limits)
            stamp = stamp_of(state)
            return _read(
                stream, state.st_size, lambda o, n: FileRange(path, o, n, stamp=stamp), limits
            )
    except OSError as fault:
        raise unreadable(path, fault) from fault
    except LigamentError as fault:
        raise fault.located(path) from None


def parse_container(data: bytes, *, limits: Limits = DEFAULT) -> Container:
    """Split a file that is already in memory."""
    view = memoryview(data)
    return _read(io.BytesIO(data), len(data), lambda o, n: Memory(view[o : o + n]), limits)


def glb_pieces(text: bytes, binary: Content | None, chunks: Iterable[Chunk]) -> Iterator[Bytes]:
    """Yield the bytes of a GLB file, without holding the chunks in memory."""
    text += b" " * (-len(text) % 4)
    parts: list[tuple[int, int, Iterable[Bytes]]] = [(JSON_CHUNK, len(text), (text,))]
    if binary is not None:
        parts.append((BIN_CHUNK, binary.size(), binary.blocks()))
    parts.extend((chunk.type, chunk.data.size(), chunk.data.blocks()) for chunk in chunks)
    total = _HEADER.size + sum(_CHUNK_HEADER.size + length + -length % 4 for _, length, _ in parts)
    if total >= 1 << 32:
        raise LimitError(
            f"{total} bytes do not fit into a GLB file (its length has 32 bits)",
            remedy="save as .gltf instead",
        )
    yield _HEADER.pack(MAGIC, 2, total)
    for kind, length, blocks in parts:
        yield _CHUNK_HEADER.pack(length + -length % 4, kind)
        yield from _exactly(length, blocks)
        yield b"\0" * (-length % 4)


def _exactly(length: int, blocks: Iterable[Bytes]) -> Iterator[Bytes]:
    """Yield blocks; raise FileError if their length is not the one in the header."""
    for block in blocks:
        length -= len(block)
        yield block
    if length:
        raise FileError("a file changed while it was copied", remedy="save again")


def _read(
    stream: IO[bytes], size: int, part: Callable[[int, int], Source], limits: Limits
) -> Container:
    limits.require("file_bytes", size, "bytes in the file")
    head = stream.read(_HEADER.size)
    if not head.startswith(MAGIC):
        return Container("gltf", head + _read_json(stream, size - len(head), limits))
    end = _declared_end(head, size)
    text: bytes | None = None
    binary: Source | None = None
    chunks: list[Chunk] = []
    while stream.tell() < end:
        kind, length = _chunk_header(stream, end)
        if text is None:
            if kind != JSON_CHUNK:
                raise FormatError(
                    f"the first chunk has type {kind:#010x}", remedy="it must be the JSON chunk"
                )
            text = _read_json(stream, length, limits)
            continue
        data = part(stream.tell(), length)
        stream.seek(length, io.SEEK_CUR)
        if kind == BIN_CHUNK and binary is None and not chunks:
            binary = data
        else:
            chunks.append(Chunk(kind, data))
            limits.require("chunks", len(chunks), "chunks besides JSON and BIN")
    if text is None:
        raise FormatError("there is no JSON chunk", remedy="a GLB file starts with one")
    return Container("glb", text, binary, tuple(chunks), size - end)


def _read_json(stream: IO[bytes], length: int, limits: Limits) -> bytes:
    limits.require("text_bytes", length, "bytes of JSON text")
    return stream.read(length)


def _declared_end(head: bytes, size: int) -> int:
    if len(head) < _HEADER.size:
        raise FormatError("the GLB header is truncated", remedy="it must have 12 bytes")
    _, version, length = _HEADER.unpack(head)
    if version != 2:
        raise FormatError(f"the GLB version is {version}", remedy="only version 2 is supported")
    if length > size:
        raise FormatError(
            f"the GLB header declares {length} bytes, the file has {size}",
            remedy="the file is truncated: fetch or export it again",
        )
    return int(length)


def _chunk_header(stream: IO[bytes], end: int) -> tuple[int, int]:
    offset = stream.tell()
    left = end - offset - _CHUNK_HEADER.size
    if left < 0:
        raise FormatError(
            f"the chunk header at byte {offset} is truncated", remedy="it has 8 bytes"
        )
    length, kind = _CHUNK_HEADER.unpack(stream.read(_CHUNK_HEADER.size))
    if length > left:
        raise FormatError(
            f"the chunk at byte {offset} declares {length} bytes, {left} follow",
            remedy="the file is truncated: fetch or export it again",
        )
    return kind, length
