"""Springs and dampers: soft limits, which act beyond their bounds, and drives, which always act.

Each is a motor of the engine; `forms` says of what kind.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from ligament.arrays import Floats
from ligament.extensions.declarations import Drive
from ligament.physics import metrics
from ligament.physics.engines.rapier import linalg
from ligament.physics.engines.rapier.joints.effective_mass import Inertias, Yielding
from ligament.physics.engines.rapier.joints.engine_joints import UNBOUNDED, MotorJoint
from ligament.physics.engines.rapier.joints.motors import (
    CALMING,
    DISAGREEMENT,
    FIRM,
    Form,
    disagreement,
    engine_damping,
)
from ligament.physics.engines.rapier.joints.rows import (
    UNCOUNTED,
    Indices,
    Memory,
    Motion,
    RowTable,
)

_REACH: Final = 1.5
"""Angles [rad] further away than this are not shown to the engine, which takes the shorter way."""

_STALE: Final = 1e-3
"""Turn [rad] of frame or gradient after which a motor is set up again."""

_SHIFTED: Final = 5e-3
"""Shift [m] after which a motor is set up again."""

_FAST: Final = 0.7
"""Turn [rad] in a step from which on a body turns too fast for lines that are fixed to it."""

_NEVER: Final = np.iinfo(np.int64).max // 2
"""A step that does not come."""


class SpringRows:
    """The soft rows and drives of a scene: `which` of the table; `drives` has None for limits.

    `substeps` (n,) are the times [s] in which the engine goes over the joints of each row once.
    """

    def __init__(
        self,
        table: RowTable,
        which: Indices,
        drives: Sequence[Drive | None],
        inertias: Inertias,
        step: float,
        substeps: Floats,
    ) -> None:
        self._table, self.which, self._inertias = table, which, inertias
        inertias.place(which)
        self._step, self._substeps = step, substeps
        entries = [table.entries[i] for i in which]
        self.of_drive = {(e.joint, e.row.drive): i for i, e in enumerate(entries)}
        rows = [entry.row for entry in entries]
        self._is_linear = table.is_linear[which]
        self._axes = [row.limit.linear_axes or row.limit.angular_axes for row in rows]
        self._has_several = np.array([len(axes) > 1 for axes in self._axes], dtype=bool)
        self._is_twist = np.array([len(row.limit.angular_axes) == 1 for row in rows], dtype=bool)
        self._is_drive = np.array([drive is not None for drive in drives], dtype=bool)
        self._low, self._high = table.minimum[which], table.maximum[which]
        self._always = self._is_drive | (self._low == self._high)
        sources = [drive or row.limit for drive, row in zip(drives, rows, strict=True)]
        self._stiffness = np.array([source.stiffness for source in sources], dtype=np.float64)
        self._damping = np.array([source.damping for source in sources], dtype=np.float64)
        self._force = np.array([d.max_force if d else math.inf for d in drives], dtype=np.float64)
        by_mass = [d is not None and d.mode == "acceleration" for d in drives]
        self._by_mass = np.array(by_mass, dtype=bool)
        self._is_firm = np.zeros(len(which), dtype=bool)
        self._motors: Sequence[MotorJoint] = ()
        self._form = np.zeros(len(which), dtype=np.int64)
        targets = [(d.position_target, d.velocity_target) if d else (0.0, 0.0) for d in drives]
        self.target, self.velocity = np.array(targets, dtype=np.float64).reshape(-1, 2).T.copy()
        self.due = np.zeros(len(which), dtype=np.int64)
        self.side = np.zeros(len(which), dtype=np.int64)
        self.value = np.full(len(which), np.nan)
        self.is_set = np.zeros(len(which), dtype=bool)
        self.axis = np.zeros(len(which), dtype=np.int64)
        self.aimed = np.zeros((len(which), 10))

    @property
    def memory(self) -> list[Memory]:
        """What the next step depends on."""
        targets = [self.target, self.velocity]
        return [*targets, self.due, self.side, self.value, self.is_set, self.axis, self.aimed]

    def choose(self, motion: Motion, passes: int) -> list[Form]:
        """Decide what kind of motor each row needs, from how it stands at the start.

        `passes` is how often the engine goes over all joints before bodies move.
        """
        is_slow = np.zeros(len(self.which), dtype=bool)
        for place in range(3):
            axes = [self._axes[i][place % len(self._axes[i])] for i in range(len(self.which))]
            slope = np.eye(3)[axes]
            given = self._inertias.yielding(self.which, motion.position, motion.rotation, slope)
            stiffness, _ = self._gains(np.arange(len(self.which)), given.mass)
            self._is_firm |= stiffness * self._step**2 > FIRM * given.mass
            is_slow |= self._is_slow(given, passes)
        fixed = [self._table.entries[i].row.engine_axis is not None for i in self.which]
        apart = ~self._is_linear | self._inertias.cannot_turn(self.which)
        is_slow &= apart | ~(self._is_firm & self._has_several)
        form = np.where(is_slow, Form.LINE, np.where(fixed, Form.FIXED, Form.ABOUT))
        is_center = self._is_firm & self._has_several & apart & (self._high == 0)
        self._form = np.where(is_center, Form.CENTER, form)
        return [Form(form) for form in self._form.tolist()]

    def _is_slow(self, given: Yielding, passes: int) -> npt.NDArray[np.bool_]:
        """Tell where motor and locks would disagree, and a line helps, along some directions."""
        gains = self._gains(np.arange(len(self.which)), given.mass)
        missing = disagreement(*gains, given, self._substeps, passes)
        return given.helps & (missing > np.where(self._is_firm, DISAGREEMENT[1], DISAGREEMENT[0]))

    def bind(self, motors: Sequence[MotorJoint]) -> None:
        """Take the motors, one per row."""
        self._motors = motors
        self.axis[:] = [motor.axis for motor in motors]

    def recall(self) -> None:
        """Tell the motors what was restored."""
        for motor, axis in zip(self._motors, self.axis.tolist(), strict=True):
            motor.axis = axis

    def retarget(self, row: int, position: float, velocity: float) -> None:
        """Give a drive new targets [m or rad, m/s or rad/s]."""
        self.target[row], self.velocity[row] = position, velocity
        self.forget(np.array([row]))

    def forget(self, some: Indices) -> None:
        """Have rows set up anew before the next step."""
        self._inertias.place(self.which[some])
        self.is_set[some] = False
        self.due[some] = 0

    def update(self, now: int, some: Indices, motion: Motion) -> None:
        """Prepare some of the rows (indices into these) for step `now`."""
        which = self.which[some]
        raw = self._table.values(which, motion.position, motion.rotation)
        slope = self._table.slopes(which, motion.position, motion.rotation)
        rate = self._table.rates(which, slope, motion)
        finite = linalg.indices(np.isfinite(raw + rate))
        some, motion, raw, rate = some[finite], motion.pick(finite), raw[finite], rate[finite]
        value = self._whole_turns(some, raw)
        side = self._sides(some, value + rate * self._step / 2)
        self._switch(some, np.where(self._is_pressed(some), self.side[some], side))
        active = linalg.indices(self.side[some])
        if len(active):
            self._pull(some[active], motion.pick(active), raw[active], value[active])
        self.due[some] = self._next(now, some, motion, value)

    def _gains(self, some: Indices, mass: Floats) -> tuple[Floats, Floats]:
        """Return stiffness and damping, times the effective mass in acceleration mode."""
        by_mass = self._by_mass[some]
        scale = np.where(by_mass & np.isfinite(mass), mass, np.where(by_mass, 0.0, 1.0))
        return self._stiffness[some] * scale, self._damping[some] * scale

    def _whole_turns(self, some: Indices, value: Floats) -> Floats:
        """Follow twists over whole turns."""
        twists = self._is_twist[some]
        if twists.any():
            rows, fresh = some[twists], value[twists]
            bounds = self._low[rows], self._high[rows]
            value = value.copy()
            value[twists] = metrics.followed(fresh, self.value[rows], *bounds)
        self.value[some] = value
        return value

    def _sides(self, some: Indices, middle: Floats) -> npt.NDArray[np.int64]:
        """Return 1 or −1 where the upper or lower bound is passed in mid-step, 1 for drives."""
        above, below = middle > self._high[some], middle < self._low[some]
        return np.where(above | self._always[some], 1, np.where(below, -1, 0))

    def _is_pressed(self, some: Indices) -> npt.NDArray[np.bool_]:
        """Tell which springs still pushed back at the end of the last step, and are too stiff to
        show by their deflection that a load holds them there.
        """
        is_pressed = self._is_firm[some] & ~self._always[some] & (self.side[some] != 0)
        for i in linalg.indices(is_pressed).tolist():
            is_pressed[i] = self._motors[some[i]].impulse * self.side[some[i]] > 0
        return np.asarray(is_pressed)

    def _switch(self, some: Indices, side: npt.NDArray[np.int64]) -> None:
        changed = self.side[some] != side
        self.is_set[some[changed]] = False
        for i, now in zip(some[changed].tolist(), side[changed].tolist(), strict=True):
            if (now == 0) != (self.side[i] == 0):
                self._motors[i].enable(now != 0)
        self.side[some] = side

    def _pull(self, some: Indices, motion: Motion, raw: Floats, value: Floats) -> None:
        """Set up the motors for which something has changed."""
        before = self._table.slope[self.which[some]]
        at, turn = motion.ahead((self._step - self._substeps[some]) / 2)
        slope = self._table.slopes(self.which[some], at, turn)
        stand = np.concatenate([_STALE * at / _SHIFTED, turn, slope], axis=1)
        moved = np.abs(stand - self.aimed[some]).max(axis=1, initial=0.0) > _STALE
        follows = (self._form[some] != Form.FIXED) | self._by_mass[some]
        fresh = linalg.indices(~self.is_set[some] | (follows & moved) | self._is_far(some, value))
        if not len(fresh):
            return
        drift = self._table.values(self.which[some], at, turn) - raw
        turns = np.where(self._is_linear[some], 0.0, np.round(drift / (2 * np.pi)))
        value = (value + drift - 2 * np.pi * turns)[fresh]
        some, at, turn, slope = some[fresh], at[fresh], turn[fresh], slope[fresh]
        self.aimed[some], self.is_set[some] = stand[fresh], True
        given = self._inertias.yielding(self.which[some], at, turn, slope)
        fast = _length(motion.angular_velocity[fresh]) * self._step > _FAST
        scale = self._aim(some, at, turn, slope, given, fast)
        strength = self._strength(some, before[fresh], slope)
        self._set(some, value, scale, given.mass, strength)

    def _strength(self, some: Indices, before: Floats, slope: Floats) -> Floats:
        """Return what part of their gains motors keep whose direction changes within a step.

        A force that stays as it is while its direction goes around would drive, not brake. A
        distance or angle that goes through zero only changes its sign.
        """
        change = np.minimum(_length(slope - before), _length(slope + before))
        change *= 2 / np.maximum(_length(slope), 1e-9)
        kept = linalg.bounded(1.5 - change, 0.0, 1.0)
        aimed = (self._form[some] == Form.ABOUT) | (self._form[some] == Form.LINE)
        return np.where(aimed, kept, 1.0)

    def _set(
        self, some: Indices, value: Floats, scale: Floats, mass: Floats, strength: Floats
    ) -> None:
        """Give the motors their targets, gains and forces.

        Rows are `scale` times shorter than what they measure; those that were aimed count from
        `value`.
        """
        stiffness, damping = self._engine_gains(some, mass, strength)
        error = self._error(some, value)
        reach = np.where(self.axis[some] < 3, np.inf, _REACH)
        shown = linalg.bounded(error, -reach, reach)
        total = damping + self._substeps[some] * stiffness
        # What cannot be shown as a distance to the target is made up for by speed towards it.
        missing = stiffness * (error - shown) / np.where(total > 0, total, 1.0)
        velocity = np.where(self._is_drive[some], self.velocity[some], 0.0) + missing
        fixed, center = self._form[some] == Form.FIXED, self._form[some] == Form.CENTER
        place = value + shown
        place -= np.where(self._is_linear[some], 0.0, 2 * np.pi * np.round(place / (2 * np.pi)))
        target = np.where(center, 0.0, np.where(fixed, place, shown / scale))
        velocity[center] = 0.0
        # A motor without gains would hold its speed with all the force that it has.
        force = np.where(total > 0, np.minimum(self._force[some] * scale, UNBOUNDED), 0.0)
        columns = (target, velocity / scale, stiffness * scale**2, damping * scale**2, force)
        for i, *numbers in zip(some.tolist(), *(c.tolist() for c in columns), strict=True):
            self._motors[i].pull(*numbers)

    def _engine_gains(self, some: Indices, mass: Floats, strength: Floats) -> tuple[Floats, Floats]:
        """Return stiffness and damping to ask of the engine."""
        stiffness, damping = (gain * strength for gain in self._gains(some, mass))
        is_distance = self._is_linear[some] & self._has_several[some]
        calming = np.where(is_distance & (self._form[some] == Form.FIXED), CALMING, 0.0)
        substep = self._substeps[some]
        return stiffness, engine_damping(stiffness, damping, mass, substep, calming)

    def _error(self, some: Indices, value: Floats) -> Floats:
        """Return how far the targets are from values."""
        bound = np.where(self.side[some] > 0, self._high[some], self._low[some])
        return np.where(self._is_drive[some], self.target[some], bound) - value

    def _is_far(self, some: Indices, value: Floats) -> npt.NDArray[np.bool_]:
        """Tell which motors about fixed axes have targets out of the engine's reach."""
        hinge = (self._form[some] == Form.FIXED) & ~self._is_linear[some]
        is_far = np.abs(self._error(some, value)) > _REACH
        return np.asarray(hinge & is_far & (self._stiffness[some] > 0))

    def _aim(
        self,
        some: Indices,
        at: Floats,
        turn: Floats,
        slope: Floats,
        given: Yielding,
        fast: npt.NDArray[np.bool_],
    ) -> Floats:
        """Turn the frames of motors that are not fixed; return the scales of all.

        A line is fixed to a body, and no use while that turns `fast`.
        """
        scale = np.ones(len(some))
        form, linear = self._form[some], self._is_linear[some]
        has_line = (form == Form.LINE) & (linear | (given.is_line & ~fast))
        about = linalg.indices((form != Form.FIXED) & (form != Form.CENTER) & ~has_line)
        if len(about):
            scale[about] = self._aim_about(some[about], turn[about], slope[about])
        for i in linalg.indices(form == Form.CENTER).tolist():
            self._aim_center(int(some[i]), turn[i])
        line = linalg.indices(has_line)
        if len(line):
            plain = np.pad(slope[line], ((0, 0), (0, 3)))
            chosen = np.where(fast[line, None] & linear[line, None], plain, given.line[line])
            scale[line] = self._aim_line(some[line], at[line], turn[line], chosen)
        return scale

    def _aim_center(self, row: int, turn: Floats) -> None:
        """Put frames on each other; where the third axis may turn, B's is turned back about it."""
        which, table = self.which[row], self._table
        back = np.array([0.0, 0.0, 0.0, 1.0])
        if not self._is_linear[row] and len(self._axes[row]) == 2:
            (third,) = {0, 1, 2} - set(self._axes[row])
            back[third], back[3] = -turn[third], turn[3]
            back /= max(math.hypot(turn[third], turn[3]), 1e-9)
        in_b = linalg.multiply(table.rotation_b[[which]], back[None])[0]
        self._motors[row].place(
            (tuple(table.translation_a[which]), tuple(table.rotation_a[which])),
            (tuple(table.translation_b[which]), tuple(in_b)),
        )

    def _aim_about(self, some: Indices, turn: Floats, slope: Floats) -> Floats:
        which, table = self.which[some], self._table
        length = np.sqrt(linalg.dot(slope, slope))
        aim = linalg.turn_x_to(slope / length[:, None])
        in_a = linalg.multiply(table.rotation_a[which], aim)
        in_b = linalg.multiply(
            table.rotation_b[which], linalg.multiply(linalg.conjugate(turn), aim)
        )
        self._place(some, 3, table.translation_a[which], in_a, table.translation_b[which], in_b)
        return length

    def _aim_line(self, some: Indices, at: Floats, turn: Floats, line: Floats) -> Floats:
        """Put the frames on the lines of action of forces given at the origins of frames B."""
        which, table = self.which[some], self._table
        force, couple = line[:, :3], line[:, 3:]
        size = np.sqrt(linalg.dot(force, force))
        aim = linalg.turn_x_to(force / size[:, None])
        off = linalg.cross(force, couple) / (size**2)[:, None]
        from_b = linalg.rotate(linalg.conjugate(turn), off)
        self._place(
            some,
            0,
            table.translation_a[which] + linalg.rotate(table.rotation_a[which], at + off),
            linalg.multiply(table.rotation_a[which], aim),
            table.translation_b[which] + linalg.rotate(table.rotation_b[which], from_b),
            table.rotation_b[which],
        )
        return size

    def _place(
        self, some: Indices, axis: int, at_a: Floats, turn_a: Floats, at_b: Floats, turn_b: Floats
    ) -> None:
        self.axis[some] = axis
        columns = (some, at_a, turn_a, at_b, turn_b)
        for i, a, q, b, p in zip(*(column.tolist() for column in columns), strict=True):
            self._motors[i].act_along(axis)
            self._motors[i].place((tuple(a), tuple(q)), (tuple(b), tuple(p)))

    def _next(
        self, now: int, some: Indices, motion: Motion, value: Floats
    ) -> npt.NDArray[np.int64]:
        """Return the steps at which rows must be looked at again."""
        low, high, side = self._low[some], self._high[some], self.side[some]
        inside = np.minimum(high - value, value - low)
        way = np.where(side == 0, inside, np.where(side > 0, value - high, low - value))
        way = np.where(self._is_drive[some], _REACH - np.abs(self._error(some, value)), way)
        follows = (self._form[some] != Form.FIXED) | self._by_mass[some]
        way = np.where(follows & (side != 0), 0.0, way)
        way = np.where(self._is_twist[some], np.minimum(way, UNCOUNTED), way)
        which = self.which[some]
        speed = self._table.speeds(which, motion)
        steps = now + self._table.patience(which, way, speed, self._step)
        drifts = self._is_drive[some] & ~self._is_linear[some] & (self._stiffness[some] > 0)
        rests = self._always[some] & ~follows & ~drifts
        return np.where(rests, _NEVER, steps)


def _length(vectors: Floats) -> Floats:
    return np.asarray(np.sqrt(linalg.dot(vectors, vectors)))
