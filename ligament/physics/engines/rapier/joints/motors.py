"""Engine motors that implement springs: their parameters, form, damping and frames.

The engine's springs are implicit, which adds damping of h·k (h being the duration of an iteration).
That much is subtracted as long as the spring is soft enough for the iteration.

A motor acts on one row, and the engine solves it separately from the locks of the joint. Where a
body hangs on a long arm, the two would need many passes to agree: a couple would rotate the light
body first, and the locks would drag its mass along later. Such motors push along the line that
loads the locks least.

A distance or angle that is pulled to zero by a firm spring is pulled along all of its axes. The
force is the same, k times the distance to the centre; only damping acts sideways as well. A body
that rotates when pushed off its centre would mix the axes; its motor keeps to one direction.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import IntEnum
from typing import Final

import numpy as np

from ligament.arrays import Bools, Floats, Indices
from ligament.extensions.rigid_bodies import Drive
from ligament.physics.engines.rapier import linalg
from ligament.physics.engines.rapier.effort.settings import RapierSettings
from ligament.physics.engines.rapier.joints.effective_mass import EffectiveMasses, RowResponse
from ligament.physics.engines.rapier.joints.engine_joints import WIDEST, MotorJoint
from ligament.physics.engines.rapier.joints.plan import axes_of
from ligament.physics.engines.rapier.joints.rows import RelativeMotion, RowTable

SOFT: Final = (0.1, 0.5)
"""h²k/m up to which the engine's own damping is subtracted in full, and from which not at all."""

EXTRA_DAMPING: Final = 8.0
"""Multiple of the engine's own damping that the spring of a distance gets on top where it is too
stiff for the iteration.

Such a spring would undo all stretch since the last iteration at once, with an impulse that adds
energy to rotating bodies. With this damping it undoes a tenth. Rest is not affected.
"""

_LEAST: Final = 2e-3
"""Fraction of the engine's own damping that always remains: it has no spring without any."""

FIRM: Final = 0.1
"""h²k/m, with the whole step, above which a spring holds its place as a lock does.

The remaining distance or angle is then smaller than the motion of a step, and its direction does
not persist to the next one.
"""

DISAGREEMENT: Final = (1e-3, 1e-5)
"""Fraction of a motor's force that may be missing after an iteration's passes; for firm ones.

The missing force shows as a deflection, however stiff the spring is.
"""


_REACH: Final = 1.5
"""Angles [rad] beyond this are not passed to the engine, which takes the shorter way."""


class MotorForm(IntEnum):
    """How the engine applies a spring."""

    FIXED = 0
    """Along or about an axis of the joint's own frames, which never changes."""

    GRADIENT = 1
    """About the gradient of the metric."""

    LINE = 2
    """Along the line that loads the locks of the joint least."""

    CENTER = 3
    """Along or about all of its axes, towards a centre that it hardly leaves."""


def engine_damping(
    stiffness: Floats,
    damping: Floats,
    mass: Floats,
    iteration: Floats,
    extra: Floats | float = 0.0,
) -> Floats:
    """Return the damping to request from the engine so that a spring has the given one.

    Springs that are too stiff for the iteration get `extra` times the engine's own in addition.
    """
    own = iteration * stiffness
    ratio = np.where(stiffness > 0, iteration * own / mass, 0.0)
    share = np.clip((SOFT[1] - ratio) / (SOFT[1] - SOFT[0]), -np.asarray(extra), 1.0)
    return np.maximum(damping - share * own, (_LEAST - 1) * own)


def missing_force(
    stiffness: Floats, damping: Floats, response: RowResponse, iteration: Floats, passes: int
) -> Floats:
    """Return the fraction of a motor's force that is missing after the passes of an iteration.

    Each pass leaves the fraction by which the row alone is lighter than with its locks, less the
    share of the difference that a soft spring hides.
    """
    own = engine_damping(stiffness, damping, response.mass, iteration)
    softness = 1 / (iteration * (own + iteration * stiffness))
    left = 1 - (1 / response.mass + softness) / (1 / response.alone + softness)
    return np.asarray(np.nan_to_num(left) ** passes)


class Motors:
    """The motors of some rows: `which` of the table, with the form (n,) and engine joint of each.

    `axis` (n,) is the engine axis that each acts along or about at present.
    """

    def __init__(
        self, table: RowTable, which: Indices, form: Indices, joints: Sequence[MotorJoint]
    ) -> None:
        self._table, self._which, self.form, self.joints = table, which, form, joints
        self._is_linear = table.is_linear[which]
        self.is_fixed, self.is_center = form == MotorForm.FIXED, form == MotorForm.CENTER
        self.is_line = form == MotorForm.LINE
        self.is_realigned = ~self.is_fixed & ~self.is_center
        self.has_only_fixed = bool(self.is_fixed.all())
        self._axes = [axes_of(table.entries[i].row.limit) for i in which]
        self.axis = np.array([joint.axis for joint in joints], dtype=np.int64)

    def recall(self) -> None:
        """Pass restored values to the engine joints."""
        for joint, axis in zip(self.joints, self.axis.tolist(), strict=True):
            joint.axis = axis

    def align(
        self,
        some: Indices,
        position: Floats,
        rotation: Floats,
        gradient: Floats,
        response: RowResponse,
        is_fast: Bools,
    ) -> Floats:
        """Rotate the frames of motors that are not fixed; return the scales (n,) of all.

        The engine's rows are unit vectors: a scale is the length of the gradient or force that a
        row replaces. A line is fixed to a body, and of no use while that rotates fast.
        """
        scale = np.ones(len(some))
        if self.has_only_fixed:
            return scale
        linear, has_line = self._is_linear[some], self.is_line[some]
        if has_line.any():
            has_line &= linear | (response.is_line & ~is_fast)
        is_realigned = self.is_realigned[some]
        about = linalg.indices(is_realigned & ~has_line)
        if len(about):
            scale[about] = self._align_gradient(some[about], rotation[about], gradient[about])
        for i in linalg.indices(self.is_center[some]).tolist():
            self._align_center(int(some[i]), rotation[i])
        line = linalg.indices(has_line)
        if len(line):
            plain = np.pad(gradient[line], ((0, 0), (0, 3)))
            keeps_direction = is_fast[line, None] & linear[line, None]
            chosen = np.where(keeps_direction, plain, response.line[line])
            scale[line] = self._align_line(some[line], position[line], rotation[line], chosen)
        return scale

    def _align_center(self, row: int, rotation: Floats) -> None:
        """Make the frames coincide, with B rotated back about the third axis if that is free."""
        which, table = self._which[row], self._table
        back = np.array([0.0, 0.0, 0.0, 1.0])
        if not self._is_linear[row] and len(self._axes[row]) == 2:
            (third,) = {0, 1, 2} - set(self._axes[row])
            back[third], back[3] = -rotation[third], rotation[3]
            back /= max(math.hypot(rotation[third], rotation[3]), 1e-9)
        in_b = linalg.multiply(table.rotation_b[[which]], back[None])[0]
        self.joints[row].place(
            (tuple(table.translation_a[which]), tuple(table.rotation_a[which])),
            (tuple(table.translation_b[which]), tuple(in_b)),
        )

    def _align_gradient(self, some: Indices, rotation: Floats, gradient: Floats) -> Floats:
        which, table = self._which[some], self._table
        length = linalg.length(gradient)
        along = linalg.x_axis_to(gradient / length[:, None])
        seen = linalg.multiply(linalg.conjugate(rotation), along)
        in_a = linalg.multiply(table.rotation_a[which], along)
        in_b = linalg.multiply(table.rotation_b[which], seen)
        self._place(some, 3, table.translation_a[which], in_a, table.translation_b[which], in_b)
        return length

    def _align_line(
        self, some: Indices, position: Floats, rotation: Floats, wrench: Floats
    ) -> Floats:
        """Put the frames on the lines of action of forces given at the origins of frames B."""
        which, table = self._which[some], self._table
        force, couple = wrench[:, :3], wrench[:, 3:]
        size = linalg.length(force)
        along = linalg.x_axis_to(force / size[:, None])
        offset = linalg.cross(force, couple) / (size**2)[:, None]
        from_b = linalg.rotate(linalg.conjugate(rotation), offset)
        self._place(
            some,
            0,
            table.translation_a[which] + linalg.rotate(table.rotation_a[which], position + offset),
            linalg.multiply(table.rotation_a[which], along),
            table.translation_b[which] + linalg.rotate(table.rotation_b[which], from_b),
            table.rotation_b[which],
        )
        return size

    def _place(
        self, some: Indices, axis: int, at_a: Floats, in_a: Floats, at_b: Floats, in_b: Floats
    ) -> None:
        self.axis[some] = axis
        columns = (some, at_a, in_a, at_b, in_b)
        for i, a, q, b, p in zip(*(column.tolist() for column in columns), strict=True):
            self.joints[i].set_axis(axis)
            self.joints[i].place((tuple(a), tuple(q)), (tuple(b), tuple(p)))


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
        is_near = self.is_drive[some] & (farthest < WIDEST)
        return np.where(is_near, np.inf, _REACH)

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
