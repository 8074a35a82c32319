"""Snapshots: the engine's own bytes, and the additional state in Python."""

from __future__ import annotations

import dataclasses
from typing import TypeAlias

import msgspec
import numpy as np
import rapier3d as rp

from ligament.arrays import Bools, Floats, Ints
from ligament.errors import SimulationError
from ligament.extensions.rigid_bodies import Drive, Limit, MotionKind
from ligament.physics.collision.tracker import TrackerState
from ligament.physics.engines import Overlap, Vector
from ligament.physics.engines.constant_motion import ConstantMotion
from ligament.physics.engines.poses import Quaternion, RigidPose, quaternion, vector
from ligament.physics.engines.rapier.workarounds.panics import is_panic
from ligament.physics.mass import MassProperties
from ligament.physics.scene import Body, Joint

Memory: TypeAlias = Floats | Ints | Bools
"""An array that the next step depends on, kept in snapshots."""


class SavedBody(msgspec.Struct, array_like=True, frozen=True):
    """The saved values of a body, except for its pose, which is that of the start."""

    kind: MotionKind
    mass: float
    center: Vector
    inertia: Vector
    orientation: Quaternion
    linear_velocity: Vector
    angular_velocity: Vector
    gravity_factor: float

    @classmethod
    def of(cls, body: Body) -> SavedBody:
        """Return the values of a body that a snapshot keeps."""
        mass = body.mass
        return cls(
            body.kind,
            float(mass.mass),
            vector(mass.center),
            vector(mass.inertia),
            quaternion(mass.orientation),
            vector(body.linear_velocity),
            vector(body.angular_velocity),
            float(body.gravity_factor),
        )

    def restored(self, body: Body) -> Body:
        """Return a body with the saved values."""
        numbers = (np.array(v) for v in (self.center, self.inertia, self.orientation))
        return dataclasses.replace(
            body,
            kind=self.kind,
            mass=MassProperties(self.mass, *numbers),
            linear_velocity=np.array(self.linear_velocity),
            angular_velocity=np.array(self.angular_velocity),
            gravity_factor=self.gravity_factor,
        )


class SavedJoint(msgspec.Struct, array_like=True, frozen=True):
    """The saved values of a joint, except for its frames, which move on their own."""

    limits: tuple[Limit, ...]
    drives: tuple[Drive, ...]
    ignores: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, joint: Joint) -> SavedJoint:
        """Return the values of a joint that a snapshot keeps."""
        return cls(tuple(joint.limits), tuple(joint.drives), joint.ignores)

    def restored(self, joint: Joint) -> Joint:
        """Return a joint with the saved values."""
        return dataclasses.replace(
            joint, limits=self.limits, drives=self.drives, ignores=self.ignores
        )


class SavedParts(msgspec.Struct, array_like=True, frozen=True):
    """Changed parts by index, and joints that are approaching other bounds."""

    bodies: dict[int, SavedBody] = {}
    joints: dict[int, SavedJoint] = {}
    goals: dict[int, SavedJoint] = {}
    approaching: list[int] = []


class SavedJoints(msgspec.Struct, array_like=True, frozen=True):
    """Engine joints created after the start.

    Their indices and generations, the form and firmness of those that are motors, and those that
    keep two bodies apart.
    """

    handles: list[tuple[int, int]] = []
    forms: list[int] = []
    is_firm: list[bool] = []
    separators: list[tuple[int, int, int, int]] = []


class Saved(msgspec.Struct, array_like=True, frozen=True, kw_only=True):
    """Everything that a running simulation needs to continue."""

    world: bytes
    joints: bytes
    state: bytes
    seen: bytes
    steps: int
    gravity: Vector
    motions: dict[int, ConstantMotion]
    targets: dict[int, RigidPose]
    poses: dict[int, RigidPose]
    colliders: bytes
    forced: list[int]
    overlaps: TrackerState | None
    contacts: list[Overlap]
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
            raise SimulationError("the snapshot belongs to another scene")
        try:
            return rp.PhysicsWorld.restore(self.world)
        except BaseException as error:
            if not (isinstance(error, rp.RapierError) or is_panic(error)):
                raise
            raise SimulationError(f"the engine cannot read the snapshot: {error}") from None
