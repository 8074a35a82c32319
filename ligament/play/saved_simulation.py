"""Simulation snapshots: sealed bytes that are read without executing anything in them."""

from __future__ import annotations

import functools
import hashlib
import os
import warnings
from collections.abc import Callable
from typing import Final

import msgspec

from ligament.errors import SimulationError
from ligament.physics.events import LogState
from ligament.processes import Bounds, Channel, Child, DiedError

_MAGIC: Final = b"ligament snapshot 1\n"
_DIGEST: Final = 16

_MOST_OWN: Final = 100_000
"""Most snapshots known to be from this process; older ones are tested like foreign ones."""

_MEMORY: Final = 1 << 30

_SECONDS: Final = 5.0
_SECONDS_PER_PART: Final = 0.01
"""Time for a test of foreign bytes: about 100 times that of a frame of a pile of boxes."""

_own_seals: dict[bytes, None] = {}


class SavedSimulation(msgspec.Struct, array_like=True, frozen=True, kw_only=True):
    """The state from which a simulation continues.

    `parts` counts bodies, colliders, triggers and joints; `targets` are drive targets: joint,
    drive, position, velocity. `engine` is the engine's own snapshot.
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
        seal = _digest(content)
        _own_seals[seal] = None
        if len(_own_seals) > _MOST_OWN:
            del _own_seals[next(iter(_own_seals))]
        return b"".join((_MAGIC, seal, content))

    @classmethod
    def opened(cls, snapshot: bytes) -> SavedSimulation:
        """Read a snapshot; raise SimulationError for bytes that are not an intact snapshot."""
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


def is_own(snapshot: bytes) -> bool:
    """Tell whether this process took a snapshot, so that its engine can safely load it."""
    return snapshot[len(_MAGIC) : _START] in _own_seals


def require_harmless(saved: SavedSimulation, attempt: Callable[[SavedSimulation], object]) -> None:
    """Raise SimulationError if using a foreign snapshot fails in a fork of this process.

    Engines trust their snapshots: forged ones crash the process, exhaust memory or never end.
    Systems that cannot fork skip this test.
    """
    if not hasattr(os, "fork"):
        return
    seconds = _SECONDS + _SECONDS_PER_PART * sum(saved.parts)
    work = functools.partial(_try, saved, attempt)
    with Child.fork(work, Bounds(seconds=seconds, memory=_MEMORY)) as child:
        try:
            child.receive()
        except DiedError as fault:
            remedy = "restore what `snapshot` returned"
            message = "the engine cannot go on from the snapshot"
            raise SimulationError(message, remedy=remedy) from fault


def _try(
    saved: SavedSimulation, attempt: Callable[[SavedSimulation], object], channel: Channel
) -> None:
    warnings.simplefilter("ignore")
    warnings.simplefilter("error", RuntimeWarning)  # numbers out of range
    attempt(saved)
    channel.send(b"")


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=_DIGEST).digest()
