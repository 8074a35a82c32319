"""Rods: linear limits with a least or fixed distance.

Distances are held by rods: springs so stiff that they settle within an iteration. The engine
follows their direction itself, which a row realigned from Python would miss while bodies orbit
each other. A rod pushes and pulls; for a mere minimum distance it is enabled only while it has to
push. Frames that are too close or too far at the start are moved to their distance at a limited
speed, by a lock that leaves no velocity behind.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from ligament.arrays import Bools, Floats, Indices
from ligament.physics.engines import CLOSING_SPEED
from ligament.physics.engines.rapier import linalg
from ligament.physics.engines.rapier.effort.settings import RapierSettings
from ligament.physics.engines.rapier.joints.effective_mass import EffectiveMasses
from ligament.physics.engines.rapier.joints.engine_joints import (
    UNBOUNDED,
    MotorJoint,
    PlaneLock,
)
from ligament.physics.engines.rapier.joints.rows import NEVER, BodyStates, RowTable
from ligament.physics.engines.rapier.stage import Memory

_STIFF: Final = 1e3
"""h²k/m of a rod: each iteration divides the error by this."""

_OFF: Final = 5e-3
"""Error [m] above which a rod is closed at a limited speed."""


class Rods:
    """The rods of a scene: `which` of the table, each with a motor, and a lock that closes it."""

    def __init__(
        self,
        table: RowTable,
        which: Indices,
        joints: Sequence[tuple[MotorJoint, PlaneLock]],
        masses: EffectiveMasses,
        settings: RapierSettings,
    ) -> None:
        self._table, self.which, self._joints = table, which, joints
        self._masses, self._step = masses, settings.step
        self._iteration = settings.step / settings.iterations
        self._note_bounds()
        masses.place(which)
        self.due = np.zeros(len(which), dtype=np.int64)
        self.is_on = np.zeros(len(which), dtype=bool)
        self.is_closing = np.zeros(len(which), dtype=bool)

    observes = True
    waits_for = None

    @property
    def memory(self) -> list[Memory]:
        """Arrays that the next step depends on."""
        return [self.due, self.is_on, self.is_closing]

    def reset(self, some: Indices) -> None:
        """Mark rows to be set up again before the next step."""
        self._masses.place(self.which[some])
        self.due[some] = 0

    def _note_bounds(self) -> None:
        self._length = self._table.minimum[self.which]
        self._is_fixed = np.isfinite(self._table.maximum[self.which])

    def revise(self, some: Indices) -> None:
        """Adopt changed lengths of some rows."""
        self._note_bounds()
        self.is_on[some] = False  # so that they are switched on with the new length
        self.reset(some)

    def recall(self) -> None:
        """Do nothing: the engine joints are restored already."""

    def update(self, now: int, some: Indices, bodies: BodyStates) -> None:
        """Prepare some of the rows (indices into these) for step `now`."""
        which = self.which[some]
        motion = self._table.motion(which)
        value = self._table.values(which, motion.position, motion.rotation)
        gradient = self._table.gradients(which, motion.position, motion.rotation)
        rate = self._table.rates(which, gradient, motion)
        error = value - self._length[some]
        is_off = (error < -_OFF) | (self._is_fixed[some] & (error > _OFF))
        self._close(some, is_off, gradient, value)
        wanted = self._is_fixed[some] | (error + rate * self._step < 0) | self._pushes(some)
        masses = self._masses.response(which, motion.position, motion.rotation, gradient).alone
        self._switch(some, wanted & ~is_off & np.isfinite(value), masses)
        speed = self._table.speeds(which, motion)
        idle = self._table.idle_steps(which, error, speed, self._step)
        rests = self._is_fixed[some] & ~is_off
        self.due[some] = np.where(rests, NEVER, now + np.where(wanted | is_off, 1, idle))

    def _pushes(self, some: Indices) -> Bools:
        """Return which rods had to push at the end of the last step."""
        found = [bool(self.is_on[i]) and self._joints[i][0].impulse < 0 for i in some.tolist()]
        return np.array(found, dtype=bool)

    def _switch(self, some: Indices, wanted: Bools, mass: Floats) -> None:
        changed = linalg.indices(self.is_on[some] != wanted)
        self.is_on[some] = wanted
        for i, is_on, weight in zip(
            some[changed].tolist(), wanted[changed].tolist(), mass[changed].tolist(), strict=True
        ):
            motor, _ = self._joints[i]
            motor.enable(is_on)
            if is_on:
                stiffness = _STIFF * min(weight, UNBOUNDED) / self._iteration**2
                motor.set_target(float(self._length[i]), 0.0, stiffness, 0.0, UNBOUNDED)

    def _close(self, some: Indices, is_off: Bools, gradient: Floats, value: Floats) -> None:
        """Move rods that are off towards their length, along their directions."""
        for i in some[self.is_closing[some] & ~is_off].tolist():
            self._joints[i][1].release()
        self.is_closing[some] = is_off
        these = linalg.indices(is_off)
        if len(these):
            pace = self._table.pace[self.which[some[these]]]
            most = np.maximum(CLOSING_SPEED * self._step, pace)
            length = self._length[some[these]]
            there = linalg.bounded(length, value[these] - most, value[these] + most)
            self._hold(some[these], gradient[these], there)

    def _hold(self, some: Indices, gradient: Floats, length: Floats) -> None:
        table, which = self._table, self.which[some]
        rotation = linalg.multiply(table.rotation_a[which], linalg.x_axis_to(gradient))
        reach = linalg.rotate(table.rotation_a[which], gradient * length[:, None])
        at_a = table.translation_a[which] + reach
        columns = (some, at_a, rotation, table.translation_b[which], table.rotation_b[which])
        for i, a, q, b, p in zip(*(column.tolist() for column in columns), strict=True):
            self._joints[i][1].hold((tuple(a), tuple(q)), (tuple(b), tuple(p)))
