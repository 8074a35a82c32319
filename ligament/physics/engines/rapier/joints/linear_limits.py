"""Least and fixed distances, held by rods: springs so stiff that they settle within a substep.

The engine follows their direction by itself, which a row that we aim would miss while bodies go
around each other. A rod pushes and pulls; where only a least distance is asked for, it is there
while it has to push. Frames that are too close or too far at the start are led to their distance
at a limited speed, by a lock that leaves no velocity behind.

Ranges with one bound: the engine needs two, so the other is moved on before it is reached.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from ligament.arrays import Floats
from ligament.physics.engines.rapier import linalg
from ligament.physics.engines.rapier.effort.settings import RapierSettings
from ligament.physics.engines.rapier.joints.effective_mass import Inertias
from ligament.physics.engines.rapier.joints.engine_joints import (
    CLOSING_SPEED,
    UNBOUNDED,
    LineLock,
    MotorJoint,
    PartJoint,
)
from ligament.physics.engines.rapier.joints.plan import WINDOW
from ligament.physics.engines.rapier.joints.rows import Indices, Memory, Motion, RowTable

_FULL: Final = 0.75
"""Part of the width that may be used before it is doubled."""


class WindowRows:
    """The rows with one bound: `which` of the table, each with the part that holds it."""

    def __init__(
        self, table: RowTable, which: Indices, parts: Sequence[PartJoint], settings: RapierSettings
    ) -> None:
        self._table, self.which, self._parts, self._step = table, which, parts, settings.step
        limits = [table.entries[i].row.limit for i in which]
        self._axes = [limit.linear_axes[0] for limit in limits]
        self._sides = np.array([1 if math.isinf(limit.maximum) else -1 for limit in limits])
        self._bounds = np.where(self._sides > 0, table.minimum[which], table.maximum[which])
        self.due = np.zeros(len(which), dtype=np.int64)
        self.width = np.full(len(which), WINDOW)

    @property
    def memory(self) -> list[Memory]:
        """What the next step depends on."""
        return [self.due, self.width]

    def recall(self) -> None:
        """Tell the parts what was restored."""
        for i in range(len(self.which)):
            self._parts[i].note_width(*self._where(i))

    def _where(self, row: int) -> tuple[int, float, int, float]:
        width = float(self.width[row])
        return self._axes[row], float(self._bounds[row]), int(self._sides[row]), width

    def update(self, now: int, some: Indices, motion: Motion) -> None:
        """Widen those of some rows that have nearly used up their width."""
        which = self.which[some]
        value = self._table.values(which, motion.position, motion.rotation)
        used = np.nan_to_num((value - self._bounds[some]) * self._sides[some])
        full = used > _FULL * self.width[some]
        for i, way in zip(some[full].tolist(), used[full].tolist(), strict=True):
            self.width[i] *= 2.0 ** math.ceil(math.log2(way / (_FULL * self.width[i])) + 1e-9)
            self._parts[i].widen(*self._where(i))
        left = _FULL * self.width[some] - used
        speed = self._table.speeds(which, motion)
        self.due[some] = now + self._table.patience(which, left, speed, self._step)


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
        settings: RapierSettings,
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
        changed = linalg.indices(self.is_on[some] != wanted)
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
        these = linalg.indices(led)
        if len(these):
            way = CLOSING_SPEED * self._step
            length = self._length[some[these]]
            there = linalg.bounded(length, value[these] - way, value[these] + way)
            self._hold(some[these], slope[these], there)

    def _hold(self, some: Indices, slope: Floats, length: Floats) -> None:
        table, which = self._table, self.which[some]
        turn = linalg.multiply(table.rotation_a[which], linalg.turn_x_to(slope))
        reach = linalg.rotate(table.rotation_a[which], slope * length[:, None])
        at_a = table.translation_a[which] + reach
        columns = (some, at_a, turn, table.translation_b[which], table.rotation_b[which])
        for i, a, q, b, p in zip(*(column.tolist() for column in columns), strict=True):
            self._joints[i][1].hold((tuple(a), tuple(q)), (tuple(b), tuple(p)))
