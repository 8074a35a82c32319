"""Hard limits of angles: rows along the gradient, and stops at bounds.

The engine pushes back only after a bound is passed, one iteration late. If a row will reach its
bound within the coming step, it is locked at the bound for that step: it stops there without
passing it, and from the next step on the bound holds it from one side only, as it should.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from ligament.arrays import Bools, Floats, Indices
from ligament.physics import metrics
from ligament.physics.engines import CLOSING_SPEED
from ligament.physics.engines.rapier import linalg
from ligament.physics.engines.rapier.effort.settings import RapierSettings
from ligament.physics.engines.rapier.joints.engine_joints import GradientJoint
from ligament.physics.engines.rapier.joints.plan import RowKind
from ligament.physics.engines.rapier.joints.rows import (
    COUNTABLE_TURN,
    BodyStates,
    RelativeMotion,
    RowTable,
    next_full_check,
)
from ligament.physics.engines.rapier.state.snapshots import Memory

_REACH: Final = 3.0
"""Angles [rad] beyond this are not passed to the engine, which does not count whole turns."""

_STALE: Final = (1e-2, 0.7)
"""Rotation [rad] after which a row is realigned: the minimum, and per gap.

Until it has rotated by as much as its gap, a misaligned row stops nothing too early or too late. At
the bound, the error is proportional to the square of this.
"""

_FORESEEN: Final = 2.0
"""Most steps ahead for which rows are aligned."""

SLOW: Final = 2e-4
"""Change per iteration [rad] that the engine may handle late."""

PAST_BOUND: Final = 2e-6
"""Distance [rad] of stops past the bound, so that the bound holds from then on."""

_AHEAD: Final = 4.0
"""Steps before a possible arrival at which a row is examined, to know its acceleration."""

OFF: Final = 0.02
"""Distance [rad] outside the bounds above which Python returns a row; the engine may be slow."""

AT_BOUND: Final = 0.02
"""Distance [rad] from a bound within which a row has stopped there and moves to the other."""

_NEAR: Final = 0.1
"""Distance [rad] from a bound within which a row is solved with the locks of its joint."""


class AngularLimits:
    """The hard angular rows of a scene except hinges: `which` of the table, each with its joint."""

    def __init__(
        self,
        table: RowTable,
        which: Indices,
        joints: Sequence[GradientJoint],
        settings: RapierSettings,
    ) -> None:
        self._table, self.which, self._joints = table, which, joints
        self._step, iteration = settings.step, settings.step / settings.iterations
        # The engine reads poses at the start of each iteration.
        self._middle, self._slow = (1 - 1 / settings.iterations) / 2, SLOW / iteration
        rows = [table.entries[i].row for i in which]
        self._has_gradient = np.array([row.kind is RowKind.ANGLE for row in rows], dtype=bool)
        self._is_twist = np.array([len(row.limit.angular_axes) == 1 for row in rows], dtype=bool)
        self._note_bounds()
        free = [row.limit.free_axis for row in rows]
        self._is_swing = np.array([axis is not None for axis in free], dtype=bool)
        about = [row.limit.angular_axes[0] for row in rows]
        self._axis = np.array(
            [own if axis is None else axis for own, axis in zip(about, free, strict=True)], np.intp
        )
        self.due = np.zeros(len(which), dtype=np.int64)
        self.is_stopping = np.zeros(len(which), dtype=bool)
        self.aligned = np.zeros((len(which), 4))
        self.value = np.full(len(which), np.nan)
        self.rate = np.zeros(len(which))
        self.seen = np.full(len(which), -2, dtype=np.int64)
        self.is_joined = np.ones(len(which), dtype=bool)
        self.waits_for = table.rotations(which, _AHEAD, 1.0)

    observes = True

    @property
    def memory(self) -> list[Memory]:
        """Arrays that the next step depends on."""
        known = [self.value, self.rate, self.seen, self.waits_for.left]
        return [self.due, self.is_stopping, self.is_joined, self.aligned, *known]

    def _note_bounds(self) -> None:
        self._low, self._high = self._table.minimum[self.which], self._table.maximum[self.which]
        self._counts_turns = metrics.counts_turns(self._low, self._high) & self._is_twist

    def revise(self, some: Indices) -> None:
        """Adopt changed bounds of some rows."""
        self._note_bounds()
        self.reset(some)

    def recall(self) -> None:
        """Pass restored values to the engine joints."""
        for joint, is_joined in zip(self._joints, self.is_joined.tolist(), strict=True):
            joint.is_joined = is_joined

    def reset(self, some: Indices) -> None:
        """Mark rows to be set up again before the next step."""
        self.aligned[some] = 0.0
        self.due[some] = 0

    def update(self, now: int, some: Indices, bodies: BodyStates) -> None:
        """Prepare some of the rows (indices into these) for step `now`."""
        self._end_stops(some)
        which = self.which[some]
        motion = self._table.motion(which)
        raw = self._table.values(which, motion.position, motion.rotation)
        value = self._count_turns(some, raw)
        gap = np.minimum(self._high[some] - value, value - self._low[some])
        angular_speed = linalg.length(motion.angular_velocity)
        steepness = self._steepness(some, motion)
        speed = angular_speed * steepness
        # Only rows that are fast enough for their gap need a closer look; NaN compares false.
        near = _AHEAD * self._step * speed
        may_stop = (gap < near) & (gap > PAST_BOUND) & (speed > self._slow)
        stops = self._return(some, motion, value)
        close = linalg.indices(may_stop)
        if len(close):
            stops[close] = self._stop_at_bounds(now, some[close], motion.pick(close), value[close])
        span = self._high[some] - self._low[some]
        distance = np.where(np.abs(gap) < AT_BOUND, np.minimum(span, 10.0), gap)
        distance = np.where(self._counts(some), np.minimum(distance, COUNTABLE_TURN), distance)
        left = np.full((2, len(some)), np.inf)
        # Rows that are slow for their gap are examined again when they may have come closer.
        left[0] = np.where(distance < near, distance / 2 + near, distance) / steepness
        stay = linalg.indices(~stops & self._has_gradient[some])
        if len(stay):
            picked = motion.pick(stay)
            drift = angular_speed[stay] * self._step
            left[1, stay] = self._realign(
                some[stay], picked, raw[stay], value[stay], gap[stay], drift
            )
        self.waits_for.left[:, some] = left
        self.due[some] = np.where(may_stop | stops, now + 1, next_full_check(now))

    def _steepness(self, some: Indices, motion: RelativeMotion) -> Floats:
        """Return how much faster than the frames a metric may change, as twist does in a swing.

        The components of a swing do so by the square of that.
        """
        along = motion.rotation[np.arange(len(some)), self._axis[some]]
        w = motion.rotation[:, 3]
        tilt = np.where(self._is_twist[some], along * along + w * w, 1.0)
        tilt = np.where(self._is_swing[some], tilt * tilt, tilt)
        return 1 / np.sqrt(np.maximum(tilt, 0.01))

    def _mean_rate(self, now: int, some: Indices, rate: Floats) -> Floats:
        """Return rates of change over the coming step, if they grow as in the last."""
        grown = np.where(self.seen[some] == now - 1, rate - self.rate[some], 0.0) / 2
        self.rate[some], self.seen[some] = rate, now
        # A row that slows down may still arrive, and one at rest does not start to move.
        return rate + np.where(
            grown * rate > 0, linalg.bounded(grown, -np.abs(rate), np.abs(rate)), 0.0
        )

    def _count_turns(self, some: Indices, value: Floats) -> Floats:
        """Add whole turns where the bounds reach past half a turn, or once the angle has.

        The twist of a free body that swings all the way round comes back as it was.
        """
        counts = self._counts(some)
        if counts.any():
            rows, bounds = some[counts], self._table.turn_bounds[self.which[some[counts]]]
            value = value.copy()
            value[counts] = metrics.followed(value[counts], self.value[rows], bounds)
        self.value[some] = value
        return value

    def _counts(self, some: Indices) -> Bools:
        has_turned = self._is_twist[some] & (np.abs(self.value[some]) > math.pi)
        return np.asarray(self._counts_turns[some] | has_turned)

    def _end_stops(self, some: Indices) -> None:
        for i in some[self.is_stopping[some]].tolist():
            self._joints[i].unlock()
            self.is_stopping[i] = False
            self.aligned[i] = 0

    def _stop_at_bounds(
        self, now: int, some: Indices, motion: RelativeMotion, value: Floats
    ) -> Bools:
        """Lock rows at the bounds that they will reach within the step; return which those are."""
        which = self.which[some]
        gradient = self._table.gradients(which, motion.position, motion.rotation)
        rate = self._mean_rate(now, some, self._table.rates(which, gradient, motion))
        arrival = _arrival(value, rate, self._low[some], self._high[some])
        stops = (arrival <= self._step) & (np.abs(rate) > self._slow)
        these = linalg.indices(stops)
        if len(these):
            some, rising = some[these], rate[these] > 0
            high, low = self._high[some] + PAST_BOUND, self._low[some] - PAST_BOUND
            bound = np.where(rising, high, low)
            self._lock(some, motion.pick(these), arrival[these], bound)
        return stops

    def _return(self, some: Indices, motion: RelativeMotion, value: Floats) -> Bools:
        """Move rows that are far outside back at a limited speed; return which those are."""
        inside = linalg.bounded(value, self._low[some], self._high[some])
        # A cone keeps its own bounds while it stops, and would pull in another direction.
        is_off = self._has_gradient[some] & (np.abs(value - inside) > OFF)
        these = linalg.indices(is_off)
        if len(these):
            pace = self._table.pace[self.which[some[these]]]
            most = np.maximum(CLOSING_SPEED * self._step, pace)
            bound = linalg.bounded(inside[these], value[these] - most, value[these] + most)
            self._lock(some[these], motion.pick(these), np.zeros(len(these)), bound)
        return is_off

    def _lock(self, some: Indices, motion: RelativeMotion, arrival: Floats, bound: Floats) -> None:
        """Lock rows at bounds that they reach after times `arrival` [s]."""
        which = self.which[some]
        position, rotation = motion.ahead(arrival)
        value = self._table.values(which, position, rotation)
        gradient = self._table.gradients(which, position, rotation)
        length = linalg.length(gradient)
        missing = _wrapped(bound - value) / length
        frame_a, frame_b = self._frames(which, rotation, gradient / length[:, None], -missing)
        columns = (some, frame_a, frame_b)
        for i, a, b in zip(*(column.tolist() for column in columns), strict=True):
            self._joints[i].lock(tuple(a), tuple(b))
        self.is_stopping[some] = True

    def _realign(
        self,
        some: Indices,
        motion: RelativeMotion,
        raw: Floats,
        value: Floats,
        gap: Floats,
        drift: Floats,
    ) -> Floats:
        """Realign rows with the coming gradient, unless they already are.

        `drift` is how far [rad] they rotate in a step. Returns how far [rad] rows may rotate until
        they must be realigned again.
        """
        moved = linalg.angle_between(motion.rotation, self.aligned[some])
        allowed = linalg.bounded(_STALE[1] * gap, _STALE[0], _REACH / 2)
        fresh = linalg.indices(moved + drift > allowed)
        if len(fresh):
            picked = motion.pick(fresh)
            # Rows are exact in the middle of the interval for which they are aligned.
            turn = drift[fresh]
            steps = linalg.bounded(allowed[fresh] / np.maximum(turn, 1e-9), self._middle, _FORESEEN)
            self._align(some[fresh], picked, raw[fresh], value[fresh], gap[fresh], steps)
            moved[fresh] = -turn * steps
        return allowed - moved

    def _align(
        self,
        some: Indices,
        motion: RelativeMotion,
        raw: Floats,
        value: Floats,
        gap: Floats,
        steps: Floats,
    ) -> None:
        """Align rows with the gradient after some steps (n,), which may be fractions."""
        which = self.which[some]
        position, rotation = motion.ahead(steps * self._step)
        self.aligned[some] = rotation
        gradient = self._table.gradients(which, position, rotation)
        length = linalg.length(gradient)
        middle = value + _wrapped(self._table.values(which, position, rotation) - raw)
        low = linalg.bounded((self._low[some] - middle) / length, -_REACH, _REACH)
        high = linalg.bounded((self._high[some] - middle) / length, -_REACH, _REACH)
        frames = self._frames(which, rotation, gradient / length[:, None], np.zeros(len(some)))
        self.is_joined[some] = gap < _NEAR
        columns = (some, *frames, low, high, self.is_joined[some])
        for i, a, b, *bounds, is_near in zip(*(c.tolist() for c in columns), strict=True):
            joint = self._joints[i]
            joint.align(tuple(a), tuple(b))
            joint.set_bounds(*bounds)
            joint.join_locks(is_near)

    def _frames(
        self, which: Indices, rotation: Floats, direction: Floats, angle: Floats
    ) -> tuple[Floats, Floats]:
        """Return rotations of both frames in their bodies, with X along the direction.

        When frame B has `rotation` in frame A, the rows' frames differ by `angle` [rad] about X.
        """
        along = linalg.x_axis_to(direction)
        about = np.zeros((len(which), 3))
        about[:, 0] = angle
        there = linalg.multiply(along, linalg.from_vector(about))
        seen = linalg.multiply(linalg.conjugate(rotation), there)
        return (
            linalg.multiply(self._table.rotation_a[which], along),
            linalg.multiply(self._table.rotation_b[which], seen),
        )


def _arrival(value: Floats, rate: Floats, low: Floats, high: Floats) -> Floats:
    """Return the times [s] after which values reach the bounds that they move towards."""
    ahead = np.where(rate > 0, high - value, low - value)
    return np.where(rate == 0, np.inf, ahead / np.where(rate == 0, 1.0, rate))


def _wrapped(difference: Floats) -> Floats:
    """Return differences of angles without whole turns."""
    return np.asarray(difference - 2 * np.pi * np.round(difference / (2 * np.pi)))
