"""Springs and dampers: soft limits, which act beyond their bounds, and drives, which always act.

Each is a motor of the engine (see `motors`).
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from ligament.arrays import Bools, Floats, Indices, Ints
from ligament.extensions.rigid_bodies import Drive
from ligament.physics import metrics
from ligament.physics.engines.rapier import linalg
from ligament.physics.engines.rapier.joints.effective_mass import EffectiveMasses
from ligament.physics.engines.rapier.joints.engine_joints import UNBOUNDED
from ligament.physics.engines.rapier.joints.motors import (
    EXTRA_DAMPING,
    Motors,
    SpringParameters,
    engine_damping,
)
from ligament.physics.engines.rapier.joints.rows import (
    COUNTABLE_TURN,
    NEVER,
    BodyStates,
    RelativeMotion,
    RowTable,
)
from ligament.physics.engines.rapier.stage import Memory

_STALE: Final = 1e-3
"""Rotation [rad] of frame or gradient after which a motor is set up again."""

_MOVED: Final = 5e-3
"""Displacement [m] after which a motor is set up again."""

_FAST: Final = 0.7
"""Rotation [rad] in a step above which a body is too fast for lines that are fixed to it."""


STIFFNESS_MIN: Final = 0.3
"""h (h k + c) / m, with an iteration's h, above which other joints change the force of a spring."""

CHANGE_MIN: Final = 1e-4
"""Part by which a given force must change before the engine gets it, which wakes bodies."""


class Law(NamedTuple):
    """Springs (n,): force = stiffness · error + damping · (goal − speed), at most so large."""

    stiffness: Floats
    damping: Floats
    error: Floats
    goal: Floats
    most: Floats


class Springs:
    """The springs and drives of a scene in motion.

    `given` (n,) [N or N m] is the part of their forces that bodies get as external forces (see
    `reactions`). `side` (n,) is 1 or −1 where a spring acts at its upper or lower bound, 0 where it
    is idle.
    """

    def __init__(
        self,
        table: RowTable,
        parameters: SpringParameters,
        masses: EffectiveMasses,
        motors: Motors,
        is_firm: Bools,
    ) -> None:
        self._table, self._parameters, self._masses = table, parameters, masses
        self._motors, self.is_firm, self._drives = motors, is_firm, list(parameters.drives)
        self.which = which = parameters.which
        follows_mass = parameters.is_by_mass & (not parameters.native)
        self._is_realigned = ~motors.is_fixed | follows_mass
        self._has_firm, self._has_realigned = is_firm.any(), self._is_realigned.any()
        self._needs_response = not motors.has_only_fixed or bool(parameters.is_by_mass.any())
        entries = [table.entries[i] for i in which]
        self.of_drive = {(e.joint, e.row.drive): i for i, e in enumerate(entries)}
        targets = [
            (d.position_target, d.velocity_target) if d else (0.0, 0.0) for d in self._drives
        ]
        self.target, self.velocity = np.array(targets, dtype=np.float64).reshape(-1, 2).T.copy()
        self.due = np.zeros(len(which), dtype=np.int64)
        self.side = np.zeros(len(which), dtype=np.int64)
        self.value = np.full(len(which), np.nan)
        self.is_set = np.zeros(len(which), dtype=bool)
        self.aligned = np.zeros((len(which), 10))
        self.given, self._numbers = np.zeros(len(which)), np.zeros((len(which), 8))

    observes = True
    waits_for = None

    @property
    def memory(self) -> list[Memory]:
        """Arrays that the next step depends on."""
        motors = [self.is_set, self._motors.axis, self.aligned, self.given, self._numbers]
        return [self.target, self.velocity, self.due, self.side, self.value, *motors]

    def recall(self) -> None:
        """Pass restored values to the engine joints."""
        self._motors.recall()

    def set_range(self, row: int, hinge_range: tuple[float, float]) -> None:
        """Replace the bounds of the hinge of a row, to be adopted by `revise`."""
        self._parameters.hinge_ranges[row] = hinge_range

    def set_drive(self, row: int, drive: Drive) -> None:
        """Replace the drive of a row, to be adopted by `revise`."""
        self._drives[row] = drive
        self.target[row], self.velocity[row] = drive.position_target, drive.velocity_target

    def revise(self, some: Indices) -> None:
        """Adopt changed bounds and gains of some rows."""
        self._parameters.set_gains(self._table, self._drives)
        self.reset(some)

    def set_target(self, row: int, position: float, velocity: float) -> None:
        """Give a drive new targets [m or rad, m/s or rad/s]."""
        self.target[row], self.velocity[row] = position, velocity
        self.reset(np.array([row]))

    def reset(self, some: Indices) -> None:
        """Mark rows to be set up again before the next step."""
        self._masses.place(self.which[some])
        self.is_set[some] = False
        self.due[some] = 0

    def update(self, now: int, some: Indices, bodies: BodyStates) -> None:
        """Prepare some of the rows (indices into these) for step `now`."""
        which = self.which[some]
        motion = self._table.motion(which)
        raw = self._table.values(which, motion.position, motion.rotation)
        gradient = self._table.gradients(which, motion.position, motion.rotation)
        rate = self._table.rates(which, gradient, motion)
        finite = linalg.indices(np.isfinite(raw + rate))
        if len(finite) < len(some):
            some, motion, raw, rate = some[finite], motion.pick(finite), raw[finite], rate[finite]
        value = self._count_turns(some, raw)
        side = self._sides(some, value + rate * self._parameters.step / 2)
        if self._has_firm:
            side = np.where(self._is_pressed(some), self.side[some], side)
        self._switch(some, side)
        reach = self._parameters.reach(some, self.target[some])
        self.due[some] = self._next_update(now, some, motion, value, reach)
        active = linalg.indices(self.side[some])
        if len(active) < len(some):
            some, motion, reach = some[active], motion.pick(active), reach[active]
            raw, value, rate = raw[active], value[active], rate[active]
        if len(active):
            self._set_up(some, motion, raw, value, rate, reach)

    def _count_turns(self, some: Indices, value: Floats) -> Floats:
        """Track twists over whole turns."""
        twists = self._parameters.is_twist[some]
        if twists.any():
            rows, bounds = some[twists], self._table.turn_bounds[self.which[some[twists]]]
            value = value.copy()
            value[twists] = metrics.followed(value[twists], self.value[rows], bounds)
        self.value[some] = value
        return value

    def _sides(self, some: Indices, middle: Floats) -> Ints:
        """Return 1 or −1 where the upper or lower bound is passed in mid-step, 1 for drives."""
        above, below = middle > self._parameters.high[some], middle < self._parameters.low[some]
        return np.where(above | self._parameters.always_acts[some], 1, np.where(below, -1, 0))

    def _is_pressed(self, some: Indices) -> Bools:
        """Tell which springs still pushed back at the end of the last step, though too stiff to
        deflect visibly under their load.
        """
        can_leave = ~self._parameters.always_acts[some]
        is_pressed = self.is_firm[some] & can_leave & (self.side[some] != 0)
        for i in linalg.indices(is_pressed).tolist():
            is_pressed[i] = self._motors.joints[some[i]].impulse * self.side[some[i]] > 0
        return np.asarray(is_pressed)

    def _switch(self, some: Indices, side: Ints) -> None:
        changed = self.side[some] != side
        self.is_set[some[changed]] = False
        for i, now in zip(some[changed].tolist(), side[changed].tolist(), strict=True):
            if (now == 0) != (self.side[i] == 0):
                self._motors.joints[i].enable(now != 0)
        self.side[some] = side

    def _set_up(
        self,
        some: Indices,
        motion: RelativeMotion,
        raw: Floats,
        value: Floats,
        rate: Floats,
        reach: Floats,
    ) -> None:
        """Set up the motors for which something has changed."""
        step, which = self._parameters.step, self.which[some]
        position, rotation = motion.ahead((step - self._parameters.iteration[some]) / 2)
        gradient = self._table.gradients(which, position, rotation)
        alignment = np.concatenate([_STALE * position / _MOVED, rotation, gradient], axis=1)
        is_stale = ~self.is_set[some] | self._is_far(some, value, reach)
        if self._has_realigned:
            moved = np.abs(alignment - self.aligned[some]).max(axis=1, initial=0.0) > _STALE
            is_stale |= self._is_realigned[some] & moved
        fresh = linalg.indices(is_stale)
        if not len(fresh):
            return None
        drift = self._table.values(which, position, rotation) - raw
        turns = np.where(self._parameters.is_linear[some], 0.0, np.round(drift / (2 * np.pi)))
        value = (value + drift - 2 * np.pi * turns)[fresh]
        some, gradient, rate = some[fresh], gradient[fresh], rate[fresh]
        pose = position[fresh], rotation[fresh]
        self.aligned[some], self.is_set[some] = alignment[fresh], True
        if (mass := self._soft_mass(some, pose[0], gradient)) is not None:
            return self._set_motors(some, value, rate, np.ones(len(some)), mass, reach[fresh])
        response = self._masses.response(self.which[some], *pose, gradient)
        is_fast = linalg.length(motion.angular_velocity[fresh]) * step > _FAST
        scale = self._motors.align(some, *pose, gradient, response, is_fast)
        mass, reach = response.mass, reach[fresh]
        return self._set_motors(some, value, rate, scale, mass, reach)

    def _soft_mass(self, some: Indices, position: Floats, gradient: Floats) -> Floats | None:
        """Return lower bounds (n,) of effective masses if these suffice to set up the motors."""
        if self._needs_response:
            return None
        mass = self._masses.least(self.which[some], position, gradient)
        return mass if self._parameters.is_soft(some, mass).all() else None

    def _set_motors(
        self,
        some: Indices,
        value: Floats,
        rate: Floats,
        scale: Floats,
        mass: Floats,
        reach: Floats,
    ) -> None:
        """Give the motors their targets, gains and forces.

        Rows are `scale` times shorter than what they measure; realigned ones count from `value`.
        """
        parameters = self._parameters
        gains = parameters.gains(some, mass)
        stiffness, damping = self._engine_gains(some, mass, *gains)
        error = self._error(some, value)
        reach = np.where(self._motors.axis[some] < 3, np.inf, reach)
        shown = linalg.bounded(error, -reach, reach)
        total = damping + parameters.iteration[some] * stiffness
        # The distance to the target beyond the engine's reach is replaced by speed towards it.
        missing = stiffness * (error - shown) / np.where(total > 0, total, 1.0)
        near = np.where(parameters.is_drive[some], self.velocity[some], 0.0)
        wanted = near + stiffness * error / np.where(total > 0, total, 1.0)
        excess = wanted - self._countable_speed(some, wanted, rate, total, mass)
        velocity = near + missing - np.where(missing != 0, excess, 0.0)
        self.is_set[some] = missing == 0
        goal = value + shown
        turns = np.round(goal / (2 * np.pi))
        target = goal - np.where(parameters.is_linear[some], 0.0, 2 * np.pi * turns)
        force = parameters.force[some]
        if not self._motors.has_only_fixed:
            fixed, center = self._motors.is_fixed[some], self._motors.is_center[some]
            target = np.where(center, 0.0, np.where(fixed, target, shown / scale))
            velocity[center] = 0.0
            velocity, force = velocity / scale, force * scale
            stiffness, damping = stiffness * scale**2, damping * scale**2
        # A motor without gains would hold its speed with its full force.
        force = np.where(total > 0, np.minimum(force, UNBOUNDED), 0.0)
        columns = (target, velocity, stiffness, damping, force, scale, *gains)
        self._numbers[some] = np.stack(columns, axis=1)
        self._set_engine(some)

    def _set_engine(self, some: Indices) -> None:
        """Set some motors, less what bodies are given anyway, along the gradients of the rows."""
        numbers, iteration = self._numbers[some], self._parameters.iteration[some]
        target, velocity, stiffness, damping, force, scale, *_ = numbers.T
        given, gradient = self.given[some] * scale, self._table.gradient[self.which[some]]
        total = damping + iteration * stiffness
        velocity = velocity - given / np.where(total > 0, total, np.inf)
        force = np.maximum(force - np.abs(given), 0.0)
        columns = (target, velocity, stiffness, damping, force, gradient)
        for i, *each in zip(some.tolist(), *(c.tolist() for c in columns), strict=True):
            self._motors.joints[i].set_target(*each)

    # --- springs that always act, as rows of a system of equations ---

    @property
    def is_linear(self) -> Bools:
        """Which of them (n,) act along axes."""
        return np.asarray(self._parameters.is_linear)

    @property
    def always_acts(self) -> Bools:
        """Which of them (n,) act at any value."""
        return np.asarray(self._parameters.always_acts)

    @np.errstate(divide="ignore", over="ignore")  # what no force moves has an infinite mass
    def is_stiff(self) -> Bools:
        """Tell which forces (n,) depend on what other joints do in an iteration."""
        parameters = self._parameters
        mass = self._masses.least(self.which, np.zeros(3), np.eye(3)[:1])
        gained = np.where(parameters.is_by_mass, 1.0, 1 / mass)
        h = parameters.iteration
        hardness = h * (h * parameters.stiffness + parameters.damping) * gained
        return np.asarray(hardness > STIFFNESS_MIN)

    def joint_of(self, row: int) -> int:
        """Return the joint of the scene that a row belongs to."""
        joint: int = self._table.entries[self.which[row]].joint
        return joint

    def law(self, some: Indices, bodies: BodyStates) -> tuple[Floats, Law]:
        """Return the gradients (n, 3) of some rows in frames A, and the laws of their forces."""
        which = self.which[some]
        self._table.observe(which, bodies)
        motion = self._table.motion(which)
        gradient = self._table.gradients(which, motion.position, motion.rotation)
        raw = self._table.values(which, motion.position, motion.rotation)
        error = self._error(some, self._count_turns(some, raw))
        goal = np.where(self._parameters.is_drive[some], self.velocity[some], 0.0)
        stiffness, damping = self._numbers[some, 6:].T
        return gradient, Law(stiffness, damping, error, goal, self._parameters.force[some])

    def give(self, some: Indices, force: Floats) -> Floats:
        """Note the forces that bodies are given for some rows; return them as noted."""
        before = self.given[some]
        fresh = np.abs(force - before) > CHANGE_MIN * np.abs(force)
        self.given[some] = np.where(fresh, force, before)
        if fresh.any():
            self._set_engine(some[fresh])
        return self.given[some]

    def _countable_speed(
        self, some: Indices, wanted: Floats, rate: Floats, total: Floats, mass: Floats
    ) -> Floats:
        """Limit speeds that motors aim at, so that no step ends too fast for turns to be counted.

        `rate` is the present speed; bodies that are faster by themselves are not slowed down.
        """
        parameters, sign = self._parameters, np.sign(wanted)
        iteration, step = parameters.iteration[some], parameters.step
        left = np.maximum(COUNTABLE_TURN / step - sign * rate, 0.0)
        kept = (mass / (mass + iteration * total)) ** (step / iteration)
        is_weak = parameters.force[some] * step < left * mass
        most = np.where(is_weak, np.inf, sign * rate + left / np.maximum(1 - kept, 1e-9))
        return sign * np.minimum(np.abs(wanted), most)

    def _engine_gains(
        self, some: Indices, mass: Floats, stiffness: Floats, damping: Floats
    ) -> tuple[Floats, Floats]:
        """Return the stiffness and damping to set in the engine."""
        parameters = self._parameters
        is_distance = parameters.is_linear[some] & parameters.has_several_axes[some]
        extra = np.where(is_distance & self._motors.is_fixed[some], EXTRA_DAMPING, 0.0)
        iteration = parameters.iteration[some]
        return stiffness, engine_damping(stiffness, damping, mass, iteration, extra)

    def _error(self, some: Indices, value: Floats) -> Floats:
        """Return how far the targets are from values."""
        parameters = self._parameters
        bound = np.where(self.side[some] > 0, parameters.high[some], parameters.low[some])
        return np.where(parameters.is_drive[some], self.target[some], bound) - value

    def _is_far(self, some: Indices, value: Floats, reach: Floats) -> Bools:
        """Tell which motors about fixed axes have targets out of the engine's reach."""
        is_hinge = self._motors.is_fixed[some] & ~self._parameters.is_linear[some]
        is_far = np.abs(self._error(some, value)) > reach
        return np.asarray(is_hinge & is_far & (self._parameters.stiffness[some] > 0))

    def _next_update(
        self, now: int, some: Indices, motion: RelativeMotion, value: Floats, reach: Floats
    ) -> Ints:
        """Return the steps at which rows must be examined again."""
        parameters, which, side = self._parameters, self.which[some], self.side[some]
        is_drive, is_realigned = parameters.is_drive[some], self._is_realigned[some]
        drifts = is_drive & ~parameters.is_linear[some] & (parameters.stiffness[some] > 0)
        drifts &= np.isfinite(reach)
        rests = parameters.always_acts[some] & ~is_realigned & ~drifts
        if rests.all():
            return np.full(len(some), NEVER)
        low, high = parameters.low[some], parameters.high[some]
        inside = np.minimum(high - value, value - low)
        distance = np.where(side == 0, inside, np.where(side > 0, value - high, low - value))
        distance = np.where(is_drive, reach - np.abs(self._error(some, value)), distance)
        distance = np.where(is_realigned & (side != 0), 0.0, distance)
        is_twist = parameters.is_twist[some]
        distance = np.where(is_twist, np.minimum(distance, COUNTABLE_TURN), distance)
        speed = self._table.speeds(which, motion)
        steps = now + self._table.idle_steps(which, distance, speed, parameters.step)
        return np.where(rests, NEVER, steps)
