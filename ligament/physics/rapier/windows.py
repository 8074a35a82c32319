"""Ranges with one bound: the engine needs two, so the other is moved on before it is reached."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from ligament.physics.engine import Settings
from ligament.physics.rapier.parts import PartJoint
from ligament.physics.rapier.plan import WINDOW
from ligament.physics.rapier.rows import Indices, Memory, Motion, RowTable

_FULL: Final = 0.75
"""Part of the width that may be used before it is doubled."""


class WindowRows:
    """The rows with one bound: `which` of the table, each with the part that holds it."""

    def __init__(
        self, table: RowTable, which: Indices, parts: Sequence[PartJoint], settings: Settings
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
