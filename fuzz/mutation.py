"""Files changed at random: the bytes, the numbers in a buffer, or one member of the JSON."""

from __future__ import annotations

import random
import struct

from fuzz.containers import Parts, put_together, take_apart
from fuzz.trees import change

BYTES_ALONE = 0.08
"""How often only bytes are changed, though the file could be taken apart."""

BUFFER = 0.2
"""How often the change is in the buffer."""

_FLOATS = [0.0, -1.0, 1.0, 1e-30, 1e9, 1e30, 3e38, float("nan"), float("inf")]
_WORDS = [struct.pack("<f", value) for value in _FLOATS] + [b"\0\0\0\0", b"\xff" * 4, b"\0\0\0\x80"]


def mutate_document(data: bytes, dice: random.Random) -> bytes:
    """Change a .gltf or .glb file in one to four ways."""
    parts = take_apart(data)
    if parts is None or dice.random() < BYTES_ALONE:
        return mutate_bytes(data, dice)
    try:
        for _ in range(dice.choice((1, 1, 1, 2, 4))):
            parts = _changed(parts, dice)
        return put_together(parts)
    except (ValueError, RecursionError):  # nested more deeply than can be written here
        return data


def mutate_bytes(data: bytes, dice: random.Random) -> bytes:
    """Cut a file, turn bits over, or put a run of it elsewhere."""
    if not data:
        return bytes([dice.randrange(256)])
    damaged = bytearray(data)
    for _ in range(dice.choice((1, 1, 2, 8))):
        at = dice.choice((dice.randrange(len(damaged)), dice.randrange(min(32, len(damaged)))))
        match dice.randrange(4):
            case 0:
                damaged[at] ^= 1 << dice.randrange(8)
            case 1:
                damaged[at : at + 4] = dice.choice(_WORDS)
            case 2:
                run = damaged[at : at + dice.randrange(1, 64)]
                there = dice.randrange(len(damaged))
                damaged[there:there] = run
            case _ if at:
                del damaged[at : at + dice.choice((1, 4, 64, len(damaged)))]
    return bytes(damaged)


def _changed(parts: Parts, dice: random.Random) -> Parts:
    if parts.binary and dice.random() < BUFFER:
        return parts._replace(binary=_with_other_numbers(parts.binary, dice))
    change(parts.root, dice)
    return parts


def _with_other_numbers(binary: bytes, dice: random.Random) -> bytes:
    """Replace words of the buffer, or cut it short."""
    if dice.random() < 0.1:
        return binary[: dice.randrange(len(binary))]
    damaged = bytearray(binary)
    for _ in range(dice.choice((1, 3, 20))):
        at = dice.randrange(len(binary)) // 4 * 4
        damaged[at : at + 4] = dice.choice(_WORDS)
    return bytes(damaged[: len(binary)])
