"""Limits of the angle of a whole rotation, held by cones.

A rotation by θ about n rotates any axis e across n by θ as well, and every other axis by less. So
cones around a few axes across n hold the angle, never too early, and the engine follows them in
every iteration: as the rotation continues about another n, one of them is still nearly across it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
import rapier3d as rp

from ligament.arrays import Floats, Indices
from ligament.physics.engines import Vector
from ligament.physics.engines.poses import Quaternion
from ligament.physics.engines.rapier import linalg
from ligament.physics.engines.rapier.effort.settings import RapierSettings
from ligament.physics.engines.rapier.joints.engine_joints import AXES, JointFactory, mask
from ligament.physics.engines.rapier.joints.rows import BodyStates, RowTable
from ligament.physics.engines.rapier.state.snapshots import Memory

_COUNT: Final = 4
"""Cones per row, evenly spaced over half a turn about n."""

_STALE: Final = 5e-3
"""Change of n [rad] after which the cones are realigned."""

_NEAR: Final = 0.3
"""Distance [rad] from the bound within which cones are realigned."""


class ConeJoints:
    """The cones of one row as engine joints, with the locks that they share."""

    def __init__(self, factory: JointFactory, maximum: float, shares: frozenset[int]) -> None:
        builder = (
            factory.builder(shares)
            .limits(AXES[4], -1.0, maximum)
            .coupled_axes(mask(frozenset({4, 5})))
        )
        self.shareable = self.shares = shares
        self._handles = [factory.insert(builder) for _ in range(_COUNT)]
        self.anchor_a: Vector = (0.0, 0.0, 0.0)
        self.anchor_b: Vector = (0.0, 0.0, 0.0)

    def bind(self, world: rp.PhysicsWorld) -> None:
        """Bind to the joints in a world."""
        self._data = [world.impulse_joints[handle].data for handle in self._handles]

    def set_contacts(self, is_enabled: bool) -> None:
        """Let the two bodies collide, or not."""
        for data in self._data:
            data.contacts_enabled = is_enabled

    def set_maximum(self, maximum: float) -> None:
        """Give all cones another bound [rad]."""
        for data in self._data:
            data.set_limits(AXES[4], -1.0, maximum)

    def align(self, rotations: Sequence[tuple[Quaternion, Quaternion]]) -> None:
        """Rotate the frames of all cones, each given in its body."""
        for data, (rotation_a, rotation_b) in zip(self._data, rotations, strict=True):
            data.local_frame1 = (self.anchor_a, rotation_a)
            data.local_frame2 = (self.anchor_b, rotation_b)

    def unlock(self) -> None:
        """Lock only the axes that are shared at present."""
        for data in self._data:
            data.locked_axes = mask(self.shares)


class RotationLimits:
    """The rows for the angle of a whole rotation: `which` of the table, each with its cones."""

    def __init__(
        self, table: RowTable, which: Indices, cones: Sequence[ConeJoints], settings: RapierSettings
    ) -> None:
        self._table, self.which, self._cones, self._step = table, which, cones, settings.step
        self._middle = (settings.step - settings.step / settings.iterations) / 2
        self._high = table.maximum[which]
        self.due = np.zeros(len(which), dtype=np.int64)
        self.aligned = np.zeros((len(which), 3))

    observes = True
    waits_for = None

    @property
    def memory(self) -> list[Memory]:
        """Arrays that the next step depends on."""
        return [self.due, self.aligned]

    def reset(self, some: Indices) -> None:
        """Mark rows to be set up again before the next step."""
        self.aligned[some] = 0.0
        self.due[some] = 0

    def revise(self, some: Indices) -> None:
        """Adopt changed bounds of some rows."""
        self._high[some] = self._table.maximum[self.which[some]]
        for i in some.tolist():
            self._cones[i].set_maximum(float(self._high[i]))
        self.reset(some)

    def recall(self) -> None:
        """Do nothing: the engine joints are restored already."""

    def update(self, now: int, some: Indices, bodies: BodyStates) -> None:
        """Align the cones of some rows with the rotation in the middle of step `now`."""
        which = self.which[some]
        motion = self._table.motion(which)
        value = self._table.values(which, motion.position, motion.rotation)
        gap = self._high[some] - value
        _, rotation = motion.ahead(np.full(len(some), self._middle))
        axis = self._table.gradients(which, motion.position, rotation)
        change = axis - self.aligned[some]
        is_new = ~self.aligned[some].any(axis=1)
        stale = (linalg.dot(change, change) > _STALE**2) & (gap < _NEAR)
        fresh = linalg.indices(is_new | stale)
        if len(fresh):
            self.aligned[some[fresh]] = axis[fresh]
            self._align(some[fresh], axis[fresh])
        speed = self._table.speeds(which, motion)
        self.due[some] = now + self._table.idle_steps(which, gap - _NEAR, speed, self._step)

    def _align(self, some: Indices, axis: Floats) -> None:
        which = self.which[some]
        rotations = []
        for across in _across(axis):
            along = linalg.x_axis_to(across)
            both = (self._table.rotation_a[which], self._table.rotation_b[which])
            rotations.append([linalg.multiply(frame, along).tolist() for frame in both])
        for position, i in enumerate(some.tolist()):
            self._cones[i].align([(tuple(a[position]), tuple(b[position])) for a, b in rotations])


def _across(axis: Floats) -> list[Floats]:
    """Return unit vectors (n, 3) across unit vectors (n, 3), evenly spaced about them."""
    least = np.eye(3)[np.argmin(np.abs(axis), axis=1)]
    first = linalg.cross(axis, least)
    first /= linalg.length(first)[:, None]
    second = linalg.cross(axis, first)
    angles = [math.pi * i / _COUNT for i in range(_COUNT)]
    return [math.cos(angle) * first + math.sin(angle) * second for angle in angles]
