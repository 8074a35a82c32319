"""Snapshots of a simulation: sealed bytes, which are read without running anything in them."""

from __future__ import annotations

import hashlib
from typing import Final

import msgspec

from ligament.errors import SimulationError
from ligament.physics.events import LogState

_MAGIC: Final = b"ligament snapshot 1\n"
_DIGEST: Final = 16


class SavedSimulation(msgspec.Struct, array_like=True, frozen=True, kw_only=True):
    """What a simulation goes on from.

    `parts` are the numbers of bodies, colliders, triggers and joints; `targets` those of drives:
    joint, drive, position, velocity. `engine` is the engine's own snapshot.
    """

    parts: tuple[int, int, int, int]
    frame: int
    steps: int
    targets: list[tuple[int, int, float, float]]
    lost: list[int]
    log: LogState
    engine: bytes

    def sealed(self) -> bytes:
        """Return a snapshot."""
        content = msgspec.msgpack.encode(self)
        return b"".join((_MAGIC, _digest(content), content))

    @classmethod
    def opened(cls, snapshot: bytes) -> SavedSimulation:
        """Read a snapshot; SimulationError for bytes that are none, or not as they were written."""
        data = snapshot if isinstance(snapshot, bytes) else b""
        head, seal, content = data[: len(_MAGIC)], data[len(_MAGIC) :][:_DIGEST], data[_START:]
        if head != _MAGIC:
            remedy = "restore what `snapshot` of this version returned"
            raise SimulationError("these bytes are not a snapshot", remedy=remedy)
        if seal != _digest(content):
            raise SimulationError("the snapshot is damaged", remedy="restore another one")
        try:
            return msgspec.msgpack.decode(content, type=cls)
        except (msgspec.MsgspecError, RecursionError) as fault:
            raise SimulationError(f"these bytes are not a snapshot: {fault}") from fault


_START: Final = len(_MAGIC) + _DIGEST


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=_DIGEST).digest()
