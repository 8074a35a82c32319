"""Hard limits of angles that the engine does not measure: rows along the gradient.

The engine pushes back once a bound is passed, one iteration late: at an angular velocity ω, and
with iterations of h seconds, an angle passes its bound by up to ω·h for a moment: 0.3° at 10 rad/s.
The same holds for the hinges and cones that the engine holds alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from ligament.arrays import Bools, Floats, Indices
from ligament.physics import metrics
from ligament.physics.engines.rapier import linalg
from ligament.physics.engines.rapier.effort.settings import RapierSettings
from ligament.physics.engines.rapier.joints.engine_joints import WIDEST, GradientJoint
from ligament.physics.engines.rapier.joints.rows import (
    COUNTABLE_TURN,
    BodyStates,
    RelativeMotion,
    RowTable,
    next_full_check,
)
from ligament.physics.engines.rapier.stage import Memory

_STALE: Final = (1e-2, 0.7)
"""Rotation [rad] after which a row is realigned: the minimum, and per gap.

Until it has rotated by as much as its gap, a misaligned row stops nothing too early or too late. At
the bound, the error is proportional to the square of this.
"""

_FORESEEN: Final = 2.0
"""Most steps ahead for which rows are aligned."""

_NEAR: Final = 0.1
"""Distance [rad] from a bound within which a row is solved together with the locks of its joint."""


class AngularLimits:
    """The hard angular rows of a scene: `which` of the table, each with its joint."""

    def __init__(
        self,
        table: RowTable,
        which: Indices,
        joints: Sequence[GradientJoint],
        settings: RapierSettings,
    ) -> None:
        self._table, self.which, self._joints, self._step = table, which, joints, settings.step
        # The engine reads poses at the start of each iteration.
        self._middle = (1 - 1 / settings.iterations) / 2
        limits = [table.entries[i].row.limit for i in which]
        self._is_twist = np.array([len(m.angular_axes) == 1 for m in limits], dtype=bool)
        self._note_bounds()
        self.due = np.zeros(len(which), dtype=np.int64)
        self.aligned = np.zeros((len(which), 4))
        self.value = np.full(len(which), np.nan)
        self.waits_for = table.rotations(which, 1.0)

    observes = True

    @property
    def memory(self) -> list[Memory]:
        """Arrays that the next step depends on."""
        return [self.due, self.aligned, self.value, self.waits_for.left]

    def _note_bounds(self) -> None:
        self._low, self._high = self._table.minimum[self.which], self._table.maximum[self.which]
        self._counts_turns = metrics.counts_turns(self._low, self._high) & self._is_twist

    def revise(self, some: Indices) -> None:
        """Adopt changed bounds of some rows."""
        self._note_bounds()
        self.reset(some)

    def recall(self) -> None:
        """Do nothing: the engine joints are restored already."""

    def reset(self, some: Indices) -> None:
        """Mark rows to be set up again before the next step."""
        self.aligned[some] = 0.0
        self.due[some] = 0

    def update(self, now: int, some: Indices, bodies: BodyStates) -> None:
        """Realign some of the rows (indices into these) for step `now`, unless they still are.

        They wait until they may have rotated so far that they must be realigned, or counted.
        """
        which = self.which[some]
        motion = self._table.motion(which)
        raw = self._table.values(which, motion.position, motion.rotation)
        value = self._count_turns(some, raw)
        gap = np.minimum(self._high[some] - value, value - self._low[some])
        turn = linalg.length(motion.angular_velocity) * self._step
        moved = linalg.angle_between(motion.rotation, self.aligned[some])
        allowed = linalg.bounded(_STALE[1] * gap, _STALE[0], WIDEST / 2)
        fresh = linalg.indices(moved + turn > allowed)
        if len(fresh):
            # Rows are exact in the middle of the interval for which they are aligned.
            ahead = allowed[fresh] / np.maximum(turn[fresh], 1e-9)
            steps = linalg.bounded(ahead, self._middle, _FORESEEN)
            is_near = gap[fresh] < _NEAR
            self._align(some[fresh], motion.pick(fresh), raw[fresh], value[fresh], steps, is_near)
            moved[fresh] = -turn[fresh] * steps
        countable = np.where(self._counts(some), COUNTABLE_TURN, np.inf)
        self.waits_for.left[0, some] = np.minimum(allowed - moved, countable)
        self.due[some] = next_full_check(now)

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

    def _align(
        self,
        some: Indices,
        motion: RelativeMotion,
        raw: Floats,
        value: Floats,
        steps: Floats,
        is_near: Bools,
    ) -> None:
        """Align rows with the gradient after some steps (n,), which may be fractions."""
        which = self.which[some]
        position, rotation = motion.ahead(steps * self._step)
        self.aligned[some] = rotation
        gradient = self._table.gradients(which, position, rotation)
        length = linalg.length(gradient)
        drift = self._table.values(which, position, rotation) - raw
        middle = value + drift - 2 * np.pi * np.round(drift / (2 * np.pi))
        low = linalg.bounded((self._low[some] - middle) / length, -WIDEST, WIDEST)
        high = linalg.bounded((self._high[some] - middle) / length, -WIDEST, WIDEST)
        along = linalg.x_axis_to(gradient / length[:, None])
        frame_a = linalg.multiply(self._table.rotation_a[which], along)
        seen = linalg.multiply(linalg.conjugate(rotation), along)
        frame_b = linalg.multiply(self._table.rotation_b[which], seen)
        columns = (some, frame_a, frame_b, low, high, is_near)
        for i, a, b, *bounds, shares in zip(*(c.tolist() for c in columns), strict=True):
            joint = self._joints[i]
            joint.align(tuple(a), tuple(b))
            joint.set_bounds(*bounds)
            joint.share_locks(shares)
