"""Snapshots: the engine's own bytes, and the memories of all stages."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import msgspec
import rapier3d as rp

from ligament.errors import SimulationError
from ligament.physics.engines import Vector
from ligament.physics.engines.rapier.workarounds.panics import is_panic


@contextlib.contextmanager
def reading() -> Iterator[None]:
    """Turn faults of memories that belong to another scene into errors."""
    try:
        yield
    except (TypeError, ValueError, KeyError, IndexError, AttributeError) as error:
        raise SimulationError("the snapshot belongs to another scene") from error


class Saved(msgspec.Struct, array_like=True, frozen=True, kw_only=True):
    """Everything that a running simulation needs to continue.

    `parts` and `stages` are written by `records`: the changed parts of the scene, and the memory of
    each stage by its name.
    """

    world: bytes
    bodies: int
    steps: int
    gravity: Vector
    forced: list[int]
    parts: bytes
    stages: bytes

    def encode(self) -> bytes:
        """Return a snapshot."""
        return msgspec.msgpack.encode(self)

    @classmethod
    def decode(cls, snapshot: bytes) -> Saved:
        """Read a snapshot."""
        try:
            return msgspec.msgpack.decode(snapshot, type=cls)
        except msgspec.MsgspecError as error:
            raise SimulationError(f"these bytes are not a snapshot: {error}") from None

    def restored_world(self, bodies: int) -> rp.PhysicsWorld:
        """Return the engine's world of the scene with so many bodies."""
        if self.bodies != bodies:
            raise SimulationError("the snapshot belongs to another scene")
        try:
            return rp.PhysicsWorld.restore(self.world)
        except BaseException as error:
            if not (isinstance(error, rp.RapierError) or is_panic(error)):
                raise
            raise SimulationError(f"the engine cannot read the snapshot: {error}") from None
