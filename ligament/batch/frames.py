"""Messages between a run and its workers: the length, then the bytes."""

from __future__ import annotations

import struct
from typing import IO

_LENGTH = struct.Struct(">Q")


def write_frame(stream: IO[bytes], content: bytes) -> None:
    """Write one message."""
    stream.write(_LENGTH.pack(len(content)) + content)
    stream.flush()


def read_frame(stream: IO[bytes]) -> bytes | None:
    """Read one message; None where the other side is gone, in the middle of one too."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    content = stream.read(length)
    return content if len(content) == length else None
