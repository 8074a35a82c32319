"""Hard limits of hinges: stops at the bounds of an angle about a fixed axis.

The engine enforces the bounds of a hinge itself, but only pushes back after one is passed. So the
hinge is locked at the bound for the step in which it arrives there (see `angular_limits`). Its axis
needs no gradient, and few hinges are due at a time, so plain numbers are ten times as fast as
arrays.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from ligament.arrays import Indices
from ligament.physics import metrics
from ligament.physics.engines import CLOSING_SPEED, Vector
from ligament.physics.engines.poses import (
    Quaternion,
    conjugate,
    multiply,
    quaternion,
    rotate,
)
from ligament.physics.engines.rapier.effort.settings import RapierSettings
from ligament.physics.engines.rapier.joints.angular_limits import (
    AT_BOUND,
    OFF,
    PAST_BOUND,
    SLOW,
)
from ligament.physics.engines.rapier.joints.engine_joints import LockJoint
from ligament.physics.engines.rapier.joints.rows import COUNTABLE_TURN, BodyStates, RowTable
from ligament.physics.engines.rapier.state.snapshots import Memory

CALM_HINGE: Final = (0.05, 4)
"""Speed [rad/s] below which, twice in a row, a hinge is calm; fewest steps between its checks."""

_TURN = 2 * math.pi
_AXES: tuple[Vector, ...] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


class HingeLimits:
    """The hinges with bounds: `which` rows of the table, each with the lock that holds it."""

    def __init__(
        self, table: RowTable, which: Indices, joints: Sequence[LockJoint], settings: RapierSettings
    ) -> None:
        self._table, self.which, self._joints = table, which, joints
        self._step, self._slow = settings.step, SLOW * settings.iterations / settings.step
        limits = [table.entries[i].row.limit for i in which]
        self._axes = [limit.angular_axes[0] for limit in limits]
        self._bounds = [(limit.minimum, limit.maximum) for limit in limits]
        self._ends = [(int(table.a[i]), int(table.b[i])) for i in which]
        self._frames: dict[int, tuple[Quaternion, Quaternion]] = {}
        self.due = np.zeros(len(which), dtype=np.int64)
        self.is_stopping = np.zeros(len(which), dtype=bool)
        self.value = np.full(len(which), np.nan)
        self.rate = np.zeros(len(which))
        self.seen = np.full(len(which), -2, dtype=np.int64)
        self.speed = np.full(len(which), np.inf)

    observes = False
    waits_for = None

    @property
    def memory(self) -> list[Memory]:
        """Arrays that the next step depends on."""
        return [self.due, self.is_stopping, self.value, self.rate, self.seen, self.speed]

    def revise(self, some: Indices) -> None:
        """Adopt changed bounds of some rows."""
        for i in some.tolist():
            limit = self._table.entries[self.which[i]].row.limit
            self._bounds[i] = limit.minimum, limit.maximum
        self.reset(some)

    def recall(self) -> None:
        """Drop cached frames, which may differ; the engine joints are restored already."""
        self._frames.clear()

    def reset(self, some: Indices) -> None:
        """Mark rows to be set up again before the next step."""
        self._frames.clear()
        self.due[some] = 0

    def update(self, now: int, some: Indices, bodies: BodyStates) -> None:
        """Prepare some of the rows (indices into these) for step `now`."""
        for i in some.tolist():
            if self.is_stopping[i]:
                self._joints[i].unlock_hinge()
                self.is_stopping[i] = False
            value, rate = self._measure(i, bodies)
            self.value[i] = value = self._followed(i, value)
            idle = self._prepare(now, i, value, rate)
            # Hinges that are examined in the same steps share the work.
            power = 1 << (idle.bit_length() - 1) if len(self.which) > 1 else 1
            self.due[i] = (now + idle) & -power

    def _followed(self, row: int, value: float) -> float:
        """Return an angle [rad] over whole turns."""
        if math.isnan(last := float(self.value[row])):
            return float(metrics.nearest_turn(value, *self._table.turn_bounds[self.which[row]]))
        return value + _TURN * round((last - value) / _TURN) if math.isfinite(value) else value

    def _measure(self, row: int, bodies: BodyStates) -> tuple[float, float]:
        """Return the angle [rad] of a hinge and its rate of change [rad/s]."""
        axis, (a, b) = self._axes[row], self._ends[row]
        rotation_a, (ux, uy, uz) = bodies.rotating(a)
        rotation_b, (vx, vy, vz) = bodies.rotating(b)
        in_a, in_b = self._frames.get(row) or self._note_frames(row)
        frame_a = multiply(rotation_a, in_a)
        between = multiply(conjugate(frame_a), multiply(rotation_b, in_b))
        angle = 2 * math.atan2(between[axis], between[3])
        x, y, z = rotate(frame_a, _AXES[axis])
        rate = (vx - ux) * x + (vy - uy) * y + (vz - uz) * z
        return angle - _TURN * round(angle / _TURN), rate

    def _note_frames(self, row: int) -> tuple[Quaternion, Quaternion]:
        """Return the rotations of the frames of a hinge in their bodies."""
        which = self.which[row]
        in_a, in_b = self._table.rotation_a[which], self._table.rotation_b[which]
        self._frames[row] = quaternion(in_a), quaternion(in_b)
        return self._frames[row]

    def _prepare(self, now: int, row: int, value: float, rate: float) -> int:
        """Stop or return a hinge if necessary; return the steps until the next check."""
        low, high = self._bounds[row]
        gap, speed = min(high - value, value - low), abs(rate)
        if not math.isfinite(value + rate):
            return 1
        inside = min(max(value, low), high)
        if abs(value - inside) > OFF:
            most = max(CLOSING_SPEED * self._step, float(self._table.pace[self.which[row]]))
            self._lock(row, min(max(inside, value - most), value + most))
            return 1
        was_calm, self.speed[row] = self.speed[row] < CALM_HINGE[0], speed
        if PAST_BOUND < gap < 4 * self._step * speed and speed > self._slow:
            self._stop_at_bound(now, row, value, rate)
            return 1
        distance = min(high - low, 10.0) if abs(gap) < AT_BOUND else gap
        distance = min(distance, COUNTABLE_TURN)
        # Examine it once before it may arrive, so that its acceleration is known.
        idle = max(self._table.idle_step(int(self.which[row]), distance, speed, self._step) - 1, 1)
        return max(idle, CALM_HINGE[1]) if was_calm and speed < CALM_HINGE[0] else idle

    def _stop_at_bound(self, now: int, row: int, value: float, rate: float) -> None:
        """Lock a hinge at the bound if it will meet it within the step."""
        low, high = self._bounds[row]
        grown = (rate - float(self.rate[row])) / 2 if self.seen[row] == now - 1 else 0.0
        self.rate[row], self.seen[row] = rate, now
        # A hinge that slows down may still arrive; else its rate keeps growing as in the last step.
        mean = rate + math.copysign(min(abs(grown), abs(rate)), rate) * (grown * rate > 0)
        bound = high if mean > 0 else low
        if abs(mean) > self._slow and (bound - value) / mean <= self._step:
            self._lock(row, bound + math.copysign(PAST_BOUND, mean))

    def _lock(self, row: int, angle: float) -> None:
        rotation = tuple(self._table.rotation_a[self.which[row]].tolist())
        axis = self._axes[row]
        x, y, z = (math.sin(angle / 2) if i == axis else 0.0 for i in range(3))
        frame = multiply(rotation, (x, y, z, math.cos(angle / 2)))
        self._joints[row].lock_hinge(3 + axis, frame)
        self.is_stopping[row] = True
