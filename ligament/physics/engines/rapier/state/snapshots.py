"""Snapshots: the engine's own bytes, and what Python knows besides."""

from __future__ import annotations

from typing import TypeAlias

import msgspec
import rapier3d as rp

from ligament.arrays import Bools, Floats, Ints
from ligament.errors import SimulationError
from ligament.physics.engines import Overlap, Vector
from ligament.physics.engines.rapier.poses import RigidPose
from ligament.physics.engines.rapier.state.driven import ConstantMotion
from ligament.physics.engines.rapier.state.parts import SavedParts
from ligament.physics.engines.rapier.workarounds.panics import is_panic

Memory: TypeAlias = Floats | Ints | Bools
"""An array that the next step depends on, kept in snapshots."""


class SavedJoints(msgspec.Struct, array_like=True, frozen=True):
    """Engine joints that were made after the start.

    Their indices and generations, the form and firmness of those that are motors, and those that
    keep two bodies apart.
    """

    handles: list[tuple[int, int]] = []
    forms: list[int] = []
    is_firm: list[bool] = []
    separators: list[tuple[int, int, int, int]] = []


class Saved(msgspec.Struct, array_like=True, frozen=True, kw_only=True):
    """Everything that a running simulation needs to go on from where it was."""

    world: bytes
    joints: bytes
    state: bytes
    steps: int
    gravity: Vector
    motions: dict[int, ConstantMotion]
    targets: dict[int, RigidPose]
    poses: dict[int, RigidPose]
    colliders: bytes
    forced: list[int]
    overlaps: list[Overlap]
    foreseen: list[Overlap]
    frozen: list[int]
    lost: list[int]
    parts: SavedParts = SavedParts()
    engine_joints: SavedJoints | None = None

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

    def restored_world(self, size: int) -> rp.PhysicsWorld:
        """Return the engine's world of the scene whose state has that size [bytes]."""
        if len(self.state) != size:
            raise SimulationError("the snapshot is of another scene")
        try:
            return rp.PhysicsWorld.restore(self.world)
        except BaseException as error:
            if not (isinstance(error, rp.RapierError) or is_panic(error)):
                raise
            raise SimulationError(f"the engine cannot read the snapshot: {error}") from None
