"""The angle of a whole rotation, kept below a bound by cones.

A rotation by θ about n turns any axis e across n by θ as well, and every other axis by less. So
cones around a few axes across n hold the angle, never too early, and the engine follows them in
every substep: as the rotation goes on about another n, one of them is still nearly across it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
import rapier3d as rp

from ligament.arrays import Floats
from ligament.physics.engines.rapier import linalg
from ligament.physics.engines.rapier.effort.settings import RapierSettings
from ligament.physics.engines.rapier.joints.engine_joints import AXES, mask
from ligament.physics.engines.rapier.joints.rows import Indices, Memory, Motion, RowTable
from ligament.physics.engines.rapier.poses import Quaternion, Vector

_COUNT: Final = 4
"""Cones per row, evenly spaced over half a turn about n."""

_STALE: Final = 5e-3
"""Turn of n [rad] after which the cones follow."""

_NEAR: Final = 0.3
"""How far [rad] from the bound cones begin to follow."""


class Cones:
    """The cones of one row as joints of the engine, with the locks that they share."""

    def __init__(
        self,
        world: rp.PhysicsWorld,
        bodies: tuple[rp.RigidBodyHandle, rp.RigidBodyHandle],
        maximum: float,
        shares: frozenset[int],
        *,
        contacts: bool,
    ) -> None:
        builder = (
            rp.GenericJointBuilder(mask(shares))
            .limits(AXES[4], -1.0, maximum)
            .coupled_axes(mask(frozenset({4, 5})))
            .contacts_enabled(contacts)
        )
        joints = world.impulse_joints
        self.wanted = self.shares = shares
        self._handles = [joints.insert(*bodies, builder.build()) for _ in range(_COUNT)]
        self.anchor_a: Vector = (0.0, 0.0, 0.0)
        self.anchor_b: Vector = (0.0, 0.0, 0.0)
        self.bind(world)

    def bind(self, world: rp.PhysicsWorld) -> None:
        """Take hold of the joints in a world."""
        self._data = [world.impulse_joints[handle].data for handle in self._handles]

    def aim(self, turns: Sequence[tuple[Quaternion, Quaternion]]) -> None:
        """Turn the frames of all cones, each given in its body."""
        for data, (turn_a, turn_b) in zip(self._data, turns, strict=True):
            data.local_frame1 = (self.anchor_a, turn_a)
            data.local_frame2 = (self.anchor_b, turn_b)

    def unlock(self) -> None:
        """Lock what is shared at present, and nothing else."""
        for data in self._data:
            data.locked_axes = mask(self.shares)


class TotalRows:
    """The rows for the angle of a whole rotation: `which` of the table, each with its cones."""

    def __init__(
        self, table: RowTable, which: Indices, cones: Sequence[Cones], settings: RapierSettings
    ) -> None:
        self._table, self.which, self._cones, self._step = table, which, cones, settings.step
        self._middle = (settings.step - settings.step / settings.iterations) / 2
        self._high = table.maximum[which]
        self.due = np.zeros(len(which), dtype=np.int64)
        self.aimed = np.zeros((len(which), 3))

    @property
    def memory(self) -> list[Memory]:
        """What the next step depends on."""
        return [self.due, self.aimed]

    def forget(self, some: Indices) -> None:
        """Have rows set up anew before the next step."""
        self.aimed[some] = 0.0
        self.due[some] = 0

    def update(self, now: int, some: Indices, motion: Motion) -> None:
        """Turn the cones of some rows to where the rotation will be in the middle of the step."""
        which = self.which[some]
        value = self._table.values(which, motion.position, motion.rotation)
        gap = self._high[some] - value
        _, rotation = motion.ahead(np.full(len(some), self._middle))
        axis = self._table.slopes(which, motion.position, rotation)
        change = axis - self.aimed[some]
        is_new = ~self.aimed[some].any(axis=1)
        stale = (linalg.dot(change, change) > _STALE**2) & (gap < _NEAR)
        fresh = linalg.indices(is_new | stale)
        if len(fresh):
            self.aimed[some[fresh]] = axis[fresh]
            self._aim(some[fresh], axis[fresh])
        speed = self._table.speeds(which, motion)
        self.due[some] = now + self._table.patience(which, gap - _NEAR, speed, self._step)

    def _aim(self, some: Indices, axis: Floats) -> None:
        which = self.which[some]
        turns = []
        for across in _across(axis):
            turn = linalg.turn_x_to(across)
            both = (self._table.rotation_a[which], self._table.rotation_b[which])
            turns.append([linalg.multiply(frame, turn).tolist() for frame in both])
        for position, i in enumerate(some.tolist()):
            self._cones[i].aim([(tuple(a[position]), tuple(b[position])) for a, b in turns])


def _across(axis: Floats) -> list[Floats]:
    """Return unit vectors (n, 3) across unit vectors (n, 3), evenly spaced about them."""
    least = np.eye(3)[np.argmin(np.abs(axis), axis=1)]
    first = linalg.cross(axis, least)
    first /= np.sqrt(linalg.dot(first, first))[:, None]
    second = linalg.cross(axis, first)
    angles = [math.pi * i / _COUNT for i in range(_COUNT)]
    return [math.cos(angle) * first + math.sin(angle) * second for angle in angles]
