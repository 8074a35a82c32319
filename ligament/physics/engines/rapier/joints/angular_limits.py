"""Hard limits of angles that need help: rows aimed along the gradient, and landings.

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

from ligament.arrays import Floats
from ligament.physics import metrics
from ligament.physics.engines.rapier import linalg
from ligament.physics.engines.rapier.effort.settings import RapierSettings
from ligament.physics.engines.rapier.joints.engine_joints import CLOSING_SPEED, AimedJoint, Landing
from ligament.physics.engines.rapier.joints.plan import Role
from ligament.physics.engines.rapier.joints.rows import (
    UNCOUNTED,
    Indices,
    Memory,
    Motion,
    RowTable,
)

_REACH: Final = 3.0
"""Angles [rad] further away than this are not shown to the engine, which knows no whole turns."""

_STALE: Final = (1e-2, 0.7)
"""Turn [rad] after which a row is aimed again: least, and per gap.

Before it has turned by as much as its gap, a row that is not aimed well stops nothing too early
or too late. At the bound, the error goes with the square of this.
"""

_SLOW: Final = 2e-4
"""Changes per substep [rad] that the engine may notice late."""

_BEYOND: Final = 2e-6
"""Landings aim this much [rad] past the bound, so that the bound holds from then on."""

_CALM: Final = (0.05, 4)
"""Rows that were slower than this [rad/s] twice are looked at every so many steps at most."""

_OFF: Final = 0.02
"""Rows this far [rad] outside their bounds are led back; the engine may be slow about it."""

_AT_BOUND: Final = 0.02
"""Rows this close [rad] to a bound have landed there, and are on the way to the other one."""

_NEAR: Final = 0.1
"""Rows this close [rad] to a bound are solved together with the locks of their joint."""


class HardRows:
    """The hard rows of a scene: `which` of the table, each with its joint of the engine."""

    def __init__(
        self,
        table: RowTable,
        which: Indices,
        joints: Sequence[Landing],
        settings: RapierSettings,
    ) -> None:
        self._table, self.which, self._joints = table, which, joints
        self._own = {i: j for i, j in enumerate(joints) if isinstance(j, AimedJoint)}
        self._step, substep = settings.step, settings.step / settings.iterations
        # The engine looks at poses at the beginning of each substep.
        self._middle, self._slow = (self._step - substep) / 2, _SLOW / substep
        rows = [table.entries[i].row for i in which]
        self._is_ours = np.array([row.role is Role.HARD for row in rows], dtype=bool)
        self._hinge = np.array([row.engine_axis or 0 for row in rows], dtype=np.intp)
        self._low, self._high = table.minimum[which], table.maximum[which]
        past = (self._low < -math.pi) | (self._high > math.pi)
        self._is_twist = np.array([len(row.limit.angular_axes) == 1 for row in rows], dtype=bool)
        self._counts_turns = past & self._is_twist
        axes = [row.limit.angular_axes[0] for row in rows]
        self._axis = np.array(axes, dtype=np.intp)
        self.due = np.zeros(len(which), dtype=np.int64)
        self.is_landing = np.zeros(len(which), dtype=bool)
        self.aimed = np.zeros((len(which), 4))
        self.value = np.full(len(which), np.nan)
        self.rate = np.zeros(len(which))
        self.seen = np.full(len(which), -2, dtype=np.int64)
        self.speed = np.full(len(which), np.inf)
        self.is_joined = np.ones(len(which), dtype=bool)

    @property
    def memory(self) -> list[Memory]:
        """What the next step depends on."""
        known = [self.value, self.rate, self.seen, self.speed]
        return [self.due, self.is_landing, self.is_joined, self.aimed, *known]

    def recall(self) -> None:
        """Tell the joints what was restored."""
        for i, joint in self._own.items():
            joint.is_joined = bool(self.is_joined[i])

    def forget(self, some: Indices) -> None:
        """Have rows set up anew before the next step."""
        self.aimed[some] = 0.0
        self.due[some] = 0

    def update(self, now: int, some: Indices, motion: Motion) -> None:
        """Prepare some of the rows (indices into these) for step `now`."""
        self._end_landings(some)
        which = self.which[some]
        raw = self._table.values(which, motion.position, motion.rotation)
        value = self._whole_turns(some, raw)
        gap = np.minimum(self._high[some] - value, value - self._low[some])
        spin = np.sqrt(linalg.dot(motion.angular_velocity, motion.angular_velocity))
        speed = spin * self._steepness(some, motion)
        # Only what moves fast enough for its gap needs a closer look; NaN compares false.
        may_land = (gap < 4 * self._step * speed) & (gap > _BEYOND) & (speed > self._slow)
        lands = self._lead(some, motion, value)
        close = linalg.indices(may_land)
        if len(close):
            lands[close] = self._land(now, some[close], motion.pick(close), value[close])
        span = self._high[some] - self._low[some]
        way = np.where(np.abs(gap) < _AT_BOUND, np.minimum(span, 10.0), gap)
        way = np.where(self._counts_turns[some], np.minimum(way, UNCOUNTED), way)
        stay = linalg.indices(~lands & self._is_ours[some])
        if len(stay):
            picked = motion.pick(stay)
            drift = spin[stay] * self._step
            left = self._aim(some[stay], picked, raw[stay], value[stay], gap[stay], drift)
            way[stay] = np.minimum(way[stay], left)
        # Once before it may arrive, so that it is known by how much it speeds up.
        wait = np.maximum(self._table.patience(which, way, speed, self._step) - 1, 1)
        is_calm = (speed < _CALM[0]) & (self.speed[some] < _CALM[0])
        self.speed[some] = speed
        wait = np.where(is_calm, np.maximum(wait, _CALM[1]), wait)
        self.due[some] = now + np.where(may_land | lands, 1, wait)

    def _steepness(self, some: Indices, motion: Motion) -> Floats:
        """Return by how much more than the frames a metric may change: twist does, in a swing."""
        along = motion.rotation[np.arange(len(some)), self._axis[some]]
        w = motion.rotation[:, 3]
        tilt = np.where(self._is_twist[some], along * along + w * w, 1.0)
        return 1 / np.sqrt(np.maximum(tilt, 0.01))

    def _mean_rate(self, now: int, some: Indices, rate: Floats) -> Floats:
        """Return rates of change over the coming step, if they grow as they did in the last."""
        grown = np.where(self.seen[some] == now - 1, rate - self.rate[some], 0.0) / 2
        self.rate[some], self.seen[some] = rate, now
        # What slows down may yet arrive, and what stands still does not start to.
        return rate + np.where(
            grown * rate > 0, linalg.bounded(grown, -np.abs(rate), np.abs(rate)), 0.0
        )

    def _whole_turns(self, some: Indices, value: Floats) -> Floats:
        """Count turns where the bounds reach past half a turn."""
        counts = self._counts_turns[some]
        if counts.any():
            rows, fresh = some[counts], value[counts]
            bounds = self._low[rows], self._high[rows]
            value = value.copy()
            value[counts] = metrics.followed(fresh, self.value[rows], *bounds)
            self.value[some] = value
        return value

    def _end_landings(self, some: Indices) -> None:
        for i in some[self.is_landing[some]].tolist():
            self._joints[i].unlock()
            self.is_landing[i] = False
            self.aimed[i] = 0

    def _land(
        self, now: int, some: Indices, motion: Motion, value: Floats
    ) -> npt.NDArray[np.bool_]:
        """Lock rows at the bounds that they will meet within the step; tell which those are."""
        which = self.which[some]
        slope = self._table.slopes(which, motion.position, motion.rotation)
        rate = self._mean_rate(now, some, self._table.rates(which, slope, motion))
        arrival = _arrival(value, rate, self._low[some], self._high[some])
        lands = (arrival <= self._step) & (np.abs(rate) > self._slow)
        these = linalg.indices(lands)
        if len(these):
            some, rising = some[these], rate[these] > 0
            bound = np.where(rising, self._high[some] + _BEYOND, self._low[some] - _BEYOND)
            self._stop(some, motion.pick(these), arrival[these], bound)
        return lands

    def _lead(self, some: Indices, motion: Motion, value: Floats) -> npt.NDArray[np.bool_]:
        """Lead rows that are far outside back at a limited speed; tell which those are."""
        inside = linalg.bounded(value, self._low[some], self._high[some])
        # A cone keeps its own bounds while it lands, and would pull another way.
        leads = self._is_ours[some] | (self._hinge[some] > 0)
        is_off = leads & (np.abs(value - inside) > _OFF)
        these = linalg.indices(is_off)
        if len(these):
            way = CLOSING_SPEED * self._step
            stop = linalg.bounded(inside[these], value[these] - way, value[these] + way)
            self._stop(some[these], motion.pick(these), np.zeros(len(these)), stop)
        return is_off

    def _stop(self, some: Indices, motion: Motion, arrival: Floats, bound: Floats) -> None:
        """Lock rows at bounds where they are after times `arrival` [s]."""
        which = self.which[some]
        position, rotation = motion.ahead(arrival)
        value = self._table.values(which, position, rotation)
        slope = self._table.slopes(which, position, rotation)
        length = np.sqrt(linalg.dot(slope, slope))
        missing = _wrapped(bound - value) / length
        turn_a, turn_b = self._turns(which, rotation, slope / length[:, None], -missing)
        hinges = linalg.indices(self._hinge[some])
        if len(hinges):
            about = np.eye(3)[self._hinge[some[hinges]] - 3] * bound[hinges, None]
            turn = linalg.turn_by(about)
            turn_a[hinges] = linalg.multiply(self._table.rotation_a[which[hinges]], turn)
        columns = (some, turn_a, turn_b)
        for i, a, b in zip(*(column.tolist() for column in columns), strict=True):
            self._joints[i].land(tuple(a), tuple(b))
        self.is_landing[some] = True

    def _aim(
        self,
        some: Indices,
        motion: Motion,
        raw: Floats,
        value: Floats,
        gap: Floats,
        drift: Floats,
    ) -> Floats:
        """Aim rows along the gradient in the middle of the step, where they are not already.

        `drift` is how far [rad] they turn in a step. Returns how far [rad] rows may turn until
        they must be aimed again.
        """
        moved = _angle(motion.rotation, self.aimed[some])
        allowed = linalg.bounded(_STALE[1] * gap, _STALE[0], _REACH / 2)
        fresh = linalg.indices(moved + drift > allowed)
        if len(fresh):
            picked = motion.pick(fresh)
            self._aim_fresh(some[fresh], picked, raw[fresh], value[fresh], gap[fresh])
            moved[fresh] = drift[fresh] / 2
        return allowed - moved

    def _aim_fresh(
        self, some: Indices, motion: Motion, raw: Floats, value: Floats, gap: Floats
    ) -> None:
        which = self.which[some]
        position, rotation = motion.ahead(np.full(len(some), self._middle))
        self.aimed[some] = rotation
        slope = self._table.slopes(which, position, rotation)
        length = np.sqrt(linalg.dot(slope, slope))
        middle = value + _wrapped(self._table.values(which, position, rotation) - raw)
        low = linalg.bounded((self._low[some] - middle) / length, -_REACH, _REACH)
        high = linalg.bounded((self._high[some] - middle) / length, -_REACH, _REACH)
        turns = self._turns(which, rotation, slope / length[:, None], np.zeros(len(some)))
        self.is_joined[some] = gap < _NEAR
        columns = (some, *turns, low, high, self.is_joined[some])
        for i, a, b, *bounds, is_near in zip(*(c.tolist() for c in columns), strict=True):
            joint = self._own[i]
            joint.aim(tuple(a), tuple(b))
            joint.bound(*bounds)
            joint.join_locks(is_near)

    def _turns(
        self, which: Indices, rotation: Floats, direction: Floats, angle: Floats
    ) -> tuple[Floats, Floats]:
        """Return rotations of both frames in their bodies, with X along the direction.

        Where frame B has `rotation` in frame A, the rows' frames are `angle` [rad] apart about X.
        """
        aim = linalg.turn_x_to(direction)
        about = np.zeros((len(which), 3))
        about[:, 0] = angle
        seen = linalg.multiply(
            linalg.conjugate(rotation), linalg.multiply(aim, linalg.turn_by(about))
        )
        return (
            linalg.multiply(self._table.rotation_a[which], aim),
            linalg.multiply(self._table.rotation_b[which], seen),
        )


def _arrival(value: Floats, rate: Floats, low: Floats, high: Floats) -> Floats:
    """Return after what times [s] values reach the bounds that they go towards."""
    ahead = np.where(rate > 0, high - value, low - value)
    return np.where(rate == 0, np.inf, ahead / np.where(rate == 0, 1.0, rate))


def _wrapped(difference: Floats) -> Floats:
    """Return differences of angles without whole turns."""
    return np.asarray(difference - 2 * np.pi * np.round(difference / (2 * np.pi)))


def _angle(rotation: Floats, before: Floats) -> Floats:
    """Return the angles [rad] between rotations, roughly; large where one is unset."""
    near, far = rotation - before, rotation + before
    return 2 * np.sqrt(np.minimum(linalg.dot(near, near), linalg.dot(far, far)))
