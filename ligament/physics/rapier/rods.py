"""Least and fixed distances, held by rods: springs so stiff that they settle within a substep.

The engine follows their direction by itself, which a row that we aim would miss while bodies go
around each other. A rod pushes and pulls; where only a least distance is asked for, it is there
while it has to push. Frames that are too close or too far at the start are led to their distance
at a limited speed, by a lock that leaves no velocity behind.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from ligament.arrays import Floats
from ligament.physics.engine import Settings
from ligament.physics.rapier import batch
from ligament.physics.rapier.inertia import Inertias
from ligament.physics.rapier.parts import CLOSING_SPEED
from ligament.physics.rapier.rowjoint import UNBOUNDED, LineLock, MotorJoint
from ligament.physics.rapier.rows import Indices, Memory, Motion, RowTable

_STIFF: Final = 1e3
"""h²k/m of a rod: what is left of an error after each substep is the inverse of this."""

_OFF: Final = 5e-3
"""Errors [m] from here on are led away."""

_NEVER: Final = 2**60
"""A step that does not come."""


class RodRows:
    """The rods of a scene: `which` of the table, each with a motor, and a lock to lead it."""

    def __init__(
        self,
        table: RowTable,
        which: Indices,
        joints: Sequence[tuple[MotorJoint, LineLock]],
        inertias: Inertias,
        settings: Settings,
    ) -> None:
        self._table, self.which, self._joints = table, which, joints
        self._inertias, self._step = inertias, settings.step
        self._substep = settings.step / settings.iterations
        self._length = table.minimum[which]
        self._is_fixed = np.isfinite(table.maximum[which])
        inertias.place(which)
        self.due = np.zeros(len(which), dtype=np.int64)
        self.is_on = np.zeros(len(which), dtype=bool)
        self.is_led = np.zeros(len(which), dtype=bool)

    @property
    def memory(self) -> list[Memory]:
        """What the next step depends on."""
        return [self.due, self.is_on, self.is_led]

    def forget(self, some: Indices) -> None:
        """Have rows set up anew before the next step."""
        self._inertias.place(self.which[some])
        self.due[some] = 0

    def update(self, now: int, some: Indices, motion: Motion) -> None:
        """Prepare some of the rows (indices into these) for step `now`."""
        which = self.which[some]
        value = self._table.values(which, motion.position, motion.rotation)
        slope = self._table.slopes(which, motion.position, motion.rotation)
        rate = self._table.rates(which, slope, motion)
        error = value - self._length[some]
        led = (error < -_OFF) | (self._is_fixed[some] & (error > _OFF))
        self._lead(some, led, slope, value)
        wanted = self._is_fixed[some] | (error + rate * self._step < 0) | self._pushes(some)
        masses = self._inertias.yielding(which, motion.position, motion.rotation, slope).alone
        self._switch(some, wanted & ~led & np.isfinite(value), masses)
        speed = self._table.speeds(which, motion)
        wait = np.where(wanted | led, 1, self._table.patience(which, error, speed, self._step))
        rests = self._is_fixed[some] & ~led
        self.due[some] = np.where(rests, _NEVER, now + wait)

    def _pushes(self, some: Indices) -> npt.NDArray[np.bool_]:
        """Tell which rods had to push at the end of the last step."""
        found = [bool(self.is_on[i]) and self._joints[i][0].impulse < 0 for i in some.tolist()]
        return np.array(found, dtype=bool)

    def _switch(self, some: Indices, wanted: npt.NDArray[np.bool_], mass: Floats) -> None:
        changed = batch.indices(self.is_on[some] != wanted)
        self.is_on[some] = wanted
        for i, is_on, weight in zip(
            some[changed].tolist(), wanted[changed].tolist(), mass[changed].tolist(), strict=True
        ):
            motor, _ = self._joints[i]
            motor.enable(is_on)
            if is_on:
                stiffness = _STIFF * min(weight, UNBOUNDED) / self._substep**2
                motor.pull(float(self._length[i]), 0.0, stiffness, 0.0, UNBOUNDED)

    def _lead(
        self, some: Indices, led: npt.NDArray[np.bool_], slope: Floats, value: Floats
    ) -> None:
        """Lead rows that are off, along the directions in which they are."""
        for i in some[self.is_led[some] & ~led].tolist():
            self._joints[i][1].release()
        self.is_led[some] = led
        these = batch.indices(led)
        if len(these):
            way = CLOSING_SPEED * self._step
            length = self._length[some[these]]
            there = batch.bounded(length, value[these] - way, value[these] + way)
            self._hold(some[these], slope[these], there)

    def _hold(self, some: Indices, slope: Floats, length: Floats) -> None:
        table, which = self._table, self.which[some]
        turn = batch.multiply(table.rotation_a[which], batch.turn_x_to(slope))
        reach = batch.rotate(table.rotation_a[which], slope * length[:, None])
        at_a = table.translation_a[which] + reach
        columns = (some, at_a, turn, table.translation_b[which], table.rotation_b[which])
        for i, a, q, b, p in zip(*(column.tolist() for column in columns), strict=True):
            self._joints[i][1].hold((tuple(a), tuple(q)), (tuple(b), tuple(p)))
