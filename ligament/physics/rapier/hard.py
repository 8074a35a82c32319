"""Hard limits that need help: rows aimed along the gradient, and landings.

The engine pushes back only what has passed a bound, one substep late. Where a row will arrive
at its bound within the coming step, it is locked at the bound for that step: it lands there
without passing it, and from the next step on the bound holds it from one side only, as it should.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from ligament.physics import metrics
from ligament.physics.engine import Settings
from ligament.physics.rapier import batch
from ligament.physics.rapier.plan import Role
from ligament.physics.rapier.rowjoint import UNBOUNDED, AimedJoint, Landing
from ligament.physics.rapier.rows import Floats, Indices, Memory, RowTable, Sight, patience

_REACH: Final = 3.0
"""Angles [rad] further away than this are not shown to the engine, which knows no whole turns."""

_STALE: Final = (1e-3, 0.2)
"""Least and largest turn [rad] (or change of direction) after which a row is aimed again."""

_SLOW: Final = 1e-4
"""Changes per substep [rad or m] that the engine may notice late."""

_BEYOND: Final = 2e-6
"""Landings aim this much [rad or m] past the bound, so that the bound holds from then on."""


class HardRows:
    """The hard rows of a scene: `which` of the table, each with its joint of the engine."""

    def __init__(
        self,
        table: RowTable,
        which: Indices,
        joints: Sequence[Landing],
        settings: Settings,
    ) -> None:
        self._table, self.which, self._joints = table, which, joints
        self._step, self._slow = settings.step, _SLOW * settings.iterations / settings.step
        roles = [table.entries[i].row.role for i in which]
        self._is_ours = np.array([role is Role.HARD for role in roles], dtype=bool)
        self._is_linear = table.is_linear[which]
        self._low, self._high = table.minimum[which], table.maximum[which]
        past = (self._low < -math.pi) | (self._high > math.pi)
        one = [len(table.entries[i].row.limit.angular_axes) == 1 for i in which]
        self._counts_turns = past & np.array(one, dtype=bool)
        self.due = np.zeros(len(which), dtype=np.int64)
        self.is_landing = np.zeros(len(which), dtype=bool)
        self.aimed = np.zeros((len(which), 4))
        self.value = np.full(len(which), np.nan)
        self.rate = np.zeros(len(which))
        self.seen = np.full(len(which), -2, dtype=np.int64)

    @property
    def memory(self) -> list[Memory]:
        """What the next step depends on."""
        return [self.due, self.is_landing, self.aimed, self.value, self.rate, self.seen]

    def forget(self, some: Indices) -> None:
        """Have rows set up anew before the next step."""
        self.aimed[some] = 0.0
        self.due[some] = 0

    def update(self, now: int, some: Indices, sight: Sight) -> None:
        """Prepare some of the rows (indices into these) for step `now`."""
        finite = np.isfinite(sight.value + sight.rate)
        some, sight = some[finite], sight.pick(np.flatnonzero(finite))
        value = self._whole_turns(some, sight.value)
        low, high = self._low[some], self._high[some]
        self._end_landings(some)
        rate = self._mean_rate(now, some, sight.rate)
        arrival = _arrival(value, rate, low, high)
        lands = (arrival <= self._step) & (np.abs(rate) > self._slow)
        self._land(some[lands], sight.pick(np.flatnonzero(lands)), arrival[lands])
        gap = np.minimum(high - value, value - low)
        stay = np.flatnonzero(~lands & self._is_ours[some])
        self._aim(some[stay], sight.pick(stay), value[stay], gap[stay])
        speed = sight.speed(self._is_linear[some])
        way = np.where(self._is_ours[some], np.minimum(gap, _STALE[1]), gap)
        self.due[some] = now + np.where(lands, 1, patience(way, speed, self._step))

    def _mean_rate(self, now: int, some: Indices, rate: Floats) -> Floats:
        """Return rates of change over the coming step, if they grow as they did in the last."""
        grown = np.where(self.seen[some] == now - 1, rate - self.rate[some], 0.0) / 2
        self.rate[some], self.seen[some] = rate, now
        # What slows down may yet arrive, and what stands still does not start to.
        return rate + np.where(grown * rate > 0, np.clip(grown, -np.abs(rate), np.abs(rate)), 0.0)

    def _whole_turns(self, some: Indices, value: Floats) -> Floats:
        """Count turns where the bounds reach past half a turn."""
        counts = self._counts_turns[some]
        if counts.any():
            rows, fresh = some[counts], value[counts]
            last = self.value[rows]
            first = metrics.nearest_turn(fresh, self._low[rows], self._high[rows])
            value = value.copy()
            value[counts] = np.where(np.isnan(last), first, metrics.continued(fresh, last))
        self.value[some] = value
        return value

    def _end_landings(self, some: Indices) -> None:
        for i in some[self.is_landing[some]].tolist():
            self._joints[i].unlock()
            self.is_landing[i] = False
            self.aimed[i] = 0

    def _land(self, some: Indices, sight: Sight, arrival: Floats) -> None:
        """Lock rows at the bounds that they will meet after times `arrival` [s]."""
        if not len(some):
            return
        which = self.which[some]
        rising = sight.rate > 0
        bound = np.where(rising, self._high[some] + _BEYOND, self._low[some] - _BEYOND)
        position, rotation = sight.ahead(arrival)
        value, slope = self._table.measure(which, position, metrics.shortest(rotation))
        length = np.sqrt(batch.dot(slope, slope))
        missing = _wrapped(bound - value, self._is_linear[some]) / length
        turns = self._turns(which, rotation, slope / length[:, None], -missing)
        for i, turn_a, turn_b, stop in zip(
            some.tolist(), *(part.tolist() for part in turns), bound.tolist(), strict=True
        ):
            self._joints[i].land(tuple(turn_a), tuple(turn_b), stop)
        self.is_landing[some] = True

    def _aim(self, some: Indices, sight: Sight, value: Floats, gap: Floats) -> None:
        """Aim rows along the gradient in the middle of the step, where they are not already."""
        half = np.full(len(some), self._step / 2)
        position, rotation = sight.ahead(half)
        which = self.which[some]
        middle, slope = self._table.measure(which, position, metrics.shortest(rotation))
        linear = self._is_linear[some]
        shown = np.where(linear[:, None], np.pad(slope, ((0, 0), (0, 1))), rotation)
        stale = np.clip(gap * _STALE[1], *_STALE)
        moved = _chord(shown, self.aimed[some], linear)
        fresh = np.flatnonzero(moved > stale)
        if not len(fresh):
            return
        self.aimed[some[fresh]] = shown[fresh]
        length = np.sqrt(batch.dot(slope, slope))
        shift = value + _wrapped(middle - sight.value, linear)
        low = np.where(linear, self._low[some], (self._low[some] - shift) / length)
        high = np.where(linear, self._high[some], (self._high[some] - shift) / length)
        turns = self._turns(
            which[fresh], rotation[fresh], (slope / length[:, None])[fresh], np.zeros(len(fresh))
        )
        reach = np.where(linear, UNBOUNDED, _REACH)
        bounds = np.clip(low, -reach, reach)[fresh], np.clip(high, -reach, reach)[fresh]
        for i, turn_a, turn_b, least, most in zip(
            some[fresh].tolist(), *(part.tolist() for part in (*turns, *bounds)), strict=True
        ):
            joint = self._joints[i]
            assert isinstance(joint, AimedJoint)
            joint.aim(tuple(turn_a), tuple(turn_b))
            joint.bound(least, most)

    def _turns(
        self, which: Indices, rotation: Floats, direction: Floats, angle: Floats
    ) -> tuple[Floats, Floats]:
        """Return rotations of both frames in their bodies, with X along the direction.

        Where frame B has `rotation` in frame A, the rows' frames are `angle` [rad] apart about X.
        """
        aim = batch.turn_x_to(direction)
        about = np.zeros((len(which), 3))
        about[:, 0] = angle
        seen = batch.multiply(batch.conjugate(rotation), batch.multiply(aim, batch.turn_by(about)))
        return (
            batch.multiply(self._table.rotation_a[which], aim),
            batch.multiply(self._table.rotation_b[which], seen),
        )


def _arrival(value: Floats, rate: Floats, low: Floats, high: Floats) -> Floats:
    """Return after what times [s] values inside their bounds reach one; infinite if never."""
    ahead = np.where(rate > 0, high - value, low - value)
    time = ahead / np.where(rate == 0, 1.0, rate)
    inside = (value < high - _BEYOND) & (value > low + _BEYOND) & (rate != 0)
    return np.where(inside, time, np.inf)


def _wrapped(difference: Floats, linear: npt.NDArray[np.bool_]) -> Floats:
    """Return differences of angles without whole turns, those of lengths as they are."""
    turns = np.round(difference / (2 * np.pi))
    return np.where(linear, difference, difference - 2 * np.pi * turns)


def _chord(shown: Floats, before: Floats, linear: npt.NDArray[np.bool_]) -> Floats:
    """Return the angle between two rotations (or directions), roughly; large where unset."""
    near = shown - before
    far = shown + before
    square = np.where(
        linear, batch.dot(near, near), 4 * np.minimum(batch.dot(near, near), batch.dot(far, far))
    )
    return np.sqrt(square)
