"""Constants of springs and drives: gains, bounds, reach, and the forms of their motors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from ligament.arrays import Bools, Floats, Indices
from ligament.extensions.declarations import Drive
from ligament.physics.engines.rapier.effort.settings import RapierSettings
from ligament.physics.engines.rapier.joints.effective_mass import EffectiveMasses
from ligament.physics.engines.rapier.joints.motors import (
    DISAGREEMENT,
    FIRM,
    SOFT,
    MotorForm,
    engine_damping,
    missing_force,
)
from ligament.physics.engines.rapier.joints.plan import axes_of
from ligament.physics.engines.rapier.joints.rows import RelativeMotion, RowTable

_REACH: Final = 1.5
"""Angles [rad] beyond this are not passed to the engine, which takes the shorter way."""

_HALF_TURN: Final = 3.0
"""Angle [rad] up to which the engine's motor about a hinge's own axis is exact: a drive that the
bounds of its hinge keep within it needs no updates."""


class SpringParameters:
    """Constants (n,) of the springs and drives among the rows `which` of a table.

    `drives` has None for limits; `hinge_ranges` (n, 2) [rad] are the hard bounds of the hinges that
    they act on, else infinite; `iteration` [s] is the duration of one solver iteration for the
    joints of each row.
    """

    def __init__(
        self,
        table: RowTable,
        which: Indices,
        drives: Sequence[Drive | None],
        hinge_ranges: Floats,
        iteration: Floats,
        settings: RapierSettings,
    ) -> None:
        self.which, self.step, self.iteration = which, settings.step, iteration
        self.hinge_ranges, self._passes = hinge_ranges, settings.passes
        self.native, self.drives = settings.native, drives
        rows = [table.entries[i].row for i in which]
        axes = [axes_of(row.limit) for row in rows]
        self.is_linear = table.is_linear[which]
        self.is_twist = np.array([len(row.limit.angular_axes) == 1 for row in rows], dtype=bool)
        self.has_several_axes = np.array([len(each) > 1 for each in axes], dtype=bool)
        self.has_fixed_axis = np.array([row.engine_axis is not None for row in rows], dtype=bool)
        self.directions = np.array([[each[i % len(each)] for i in range(3)] for each in axes], int)
        self.is_drive = np.array([drive is not None for drive in drives], dtype=bool)
        by_mass = [d is not None and d.mode == "acceleration" for d in drives]
        self.is_by_mass = np.array(by_mass, dtype=bool)
        self.set_gains(table, drives)

    def set_gains(self, table: RowTable, drives: Sequence[Drive | None]) -> None:
        """Adopt bounds and gains of rows and drives."""
        rows = [table.entries[i].row for i in self.which]
        self.low, self.high = table.minimum[self.which], table.maximum[self.which]
        self.always_acts = self.is_drive | (self.low == self.high)
        sources = [drive or row.limit for drive, row in zip(drives, rows, strict=True)]
        self.stiffness = np.array([source.stiffness for source in sources], dtype=np.float64)
        self.damping = np.array([source.damping for source in sources], dtype=np.float64)
        self.force = np.array([d.max_force if d else math.inf for d in drives], dtype=np.float64)

    def gains(self, some: Indices, mass: Floats) -> tuple[Floats, Floats]:
        """Return stiffness and damping, times the effective mass in acceleration mode."""
        by_mass = self.is_by_mass[some]
        scale = np.where(by_mass & np.isfinite(mass), mass, np.where(by_mass, 0.0, 1.0))
        return self.stiffness[some] * scale, self.damping[some] * scale

    def reach(self, some: Indices, target: Floats) -> Floats:
        """Return the largest angle [rad] to a target that may be passed to the engine."""
        farthest = np.abs(self.hinge_ranges[some] - target[:, None]).max(axis=1)
        is_near = self.is_drive[some] & (farthest < _HALF_TURN)
        return np.where(is_near | self.native, np.inf, _REACH)

    def is_soft(self, some: Indices, mass: Floats) -> Bools:
        """Tell which springs are soft for the iteration with any mass above the given one.

        The engine's own damping is then subtracted from them as a whole.
        """
        return np.asarray(self.iteration[some] ** 2 * self.stiffness[some] < 0.5 * SOFT[0] * mass)

    def are_soft(self, masses: EffectiveMasses) -> bool:
        """Tell whether no spring is firm or slow in any direction, in any pose, with any locks."""
        if self.is_linear.any():
            return False
        everything, position = np.arange(len(self.which)), np.zeros(3)
        mass = masses.least(self.which, position, np.eye(3)[:1])
        loose = self.stiffness * self.step**2 < 0.5 * FIRM * mass
        if self.is_by_mass.any() or not (loose & self.is_soft(everything, mass)).all():
            return False
        own = engine_damping(self.stiffness, self.damping, mass, self.iteration)
        softness = 1 / (self.iteration * (own + self.iteration * self.stiffness))
        missing = 1 / (1 + mass * softness)
        return bool((missing**self._passes < 0.5 * min(DISAGREEMENT)).all())

    def forms(
        self, masses: EffectiveMasses, motion: RelativeMotion | None
    ) -> tuple[Indices, Bools]:
        """Return the motor form (n,) of each row and whether it is firm, in the start pose.

        Those that `are_soft` need no motion.
        """
        everything = np.arange(len(self.which))
        is_firm = np.zeros(len(self.which), dtype=bool)
        is_slow = np.zeros(len(self.which), dtype=bool)
        axes = {tuple(each): each for each in self.directions.reshape(-1, 3).T}
        for axis in axes.values() if motion is not None else ():
            assert motion is not None
            gradient = np.eye(3)[axis]
            response = masses.response(self.which, motion.position, motion.rotation, gradient)
            gains = self.gains(everything, response.mass)
            is_firm |= gains[0] * self.step**2 > FIRM * response.mass
            missing = missing_force(*gains, response, self.iteration, self._passes)
            disagrees = missing > np.where(is_firm, *DISAGREEMENT[::-1])
            if disagrees.any():
                is_slow |= response.helps & disagrees
        is_separable = ~self.is_linear | masses.is_rotation_locked(self.which)
        is_slow &= is_separable | ~(is_firm & self.has_several_axes)
        is_fixed = self.has_fixed_axis | (self.native & ~self.has_several_axes)
        fixed = np.where(is_fixed, MotorForm.FIXED, MotorForm.GRADIENT)
        is_slow &= not self.native
        is_center = is_firm & self.has_several_axes & is_separable & (self.high == 0)
        form = np.where(is_slow, MotorForm.LINE, fixed)
        return np.where(is_center, MotorForm.CENTER, form), is_firm
