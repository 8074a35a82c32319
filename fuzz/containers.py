"""glTF files taken apart and put together, without the code that is tested."""

from __future__ import annotations

import json
import struct
from typing import Any, NamedTuple

JSON_CHUNK, BIN_CHUNK = 0x4E4F534A, 0x004E4942


class Parts(NamedTuple):
    """The JSON of a file, its BIN chunk, and whether the file is a GLB."""

    root: dict[str, Any]
    binary: bytes | None
    is_glb: bool


def take_apart(data: bytes) -> Parts | None:
    """Return the parts of a file; None where it is too broken to have any."""
    try:
        text, binary = _chunks(data) if data[:4] == b"glTF" else (data, None)
        root = json.loads(text)
    except (ValueError, struct.error, RecursionError):
        return None
    return Parts(root, binary, data[:4] == b"glTF") if isinstance(root, dict) else None


def put_together(parts: Parts) -> bytes:
    """Write the parts as a file again; NaN and infinities stand in its text as such."""
    text = json.dumps(parts.root, separators=(",", ":")).encode()
    if not parts.is_glb:
        return text
    body = _chunk(JSON_CHUNK, text, b" ")
    body += b"" if parts.binary is None else _chunk(BIN_CHUNK, parts.binary, b"\0")
    return struct.pack("<4sII", b"glTF", 2, 12 + len(body)) + body


def _chunks(data: bytes) -> tuple[bytes, bytes | None]:
    length, kind = struct.unpack_from("<II", data, 12)
    if kind != JSON_CHUNK:
        raise ValueError("the first chunk is not the JSON")
    rest = 20 + length
    if rest + 8 > len(data):
        return data[20:rest], None
    size, _ = struct.unpack_from("<II", data, rest)
    return data[20:rest], data[rest + 8 : rest + 8 + size]


def _chunk(kind: int, data: bytes, filler: bytes) -> bytes:
    data += filler * (-len(data) % 4)
    return struct.pack("<II", len(data), kind) + data
