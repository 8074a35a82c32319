"""Constraint rows of a scene as arrays: their frames, metrics, gradients and rates."""

from __future__ import annotations

import dataclasses
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, Protocol

import numpy as np

from ligament.arrays import Floats, Indices, Ints
from ligament.extensions.rigid_bodies import Limit
from ligament.physics import metrics
from ligament.physics.engines.rapier import linalg
from ligament.physics.engines.rapier.joints.engine_joints import LocalFrame
from ligament.physics.engines.rapier.joints.plan import ConstraintRow, RowKind, axes_of
from ligament.physics.engines.rapier.joints.waiting import Rotations
from ligament.physics.engines.rapier.stage import Memory
from ligament.physics.engines.rapier.state.bodies import BodySource, select
from ligament.physics.scene import Scene

ACCELERATION: Final = 500.0
"""Largest expected acceleration of a row [rad/s² or m/s²]: 10 cm under ten times its weight."""

USUAL_GYRATION: Final = 0.1
"""Radius of gyration [m] of a body that this suits; the angles of smaller ones accelerate more."""

COUNTABLE_TURN: Final = 2.0
"""Rotation [rad] up to which turns are counted without ambiguity."""

NEVER: Final = 2**60
"""A step that never comes."""

_FASTEST: Final = 1e12
"""Largest speed [rad/s or m/s] that is taken into account."""

_LONGEST_IDLE: Final = 32
"""Steps after which a row is examined in any case."""


class BodyStates:
    """Poses and velocities (B, 13) of the bodies that rows are attached to, read on demand."""

    def __init__(self, scene: Scene, moving: Sequence[int]) -> None:
        self.rows: Floats = np.array(
            [
                [*b.pose.translation, *b.pose.rotation, *b.linear_velocity, *b.angular_velocity]
                for b in scene.bodies
            ],
            dtype=np.float64,
        ).reshape(-1, 13)
        self.centers: Floats = np.array(
            [b.mass.center for b in scene.bodies], dtype=np.float64
        ).reshape(-1, 3)
        self._is_moving = np.zeros(len(scene.bodies), dtype=bool)
        self._is_moving[list(moving)] = True
        self._moving = select(sorted(moving))

    def bind(self, source: BodySource) -> None:
        """Set the source to read from."""
        self._source, self._version = source, -1

    def read_all(self) -> None:
        """Update the states of all bodies."""
        if self._version != self._source.version:
            self.rows[self._moving] = self._source.read(self._moving)
            self._version = self._source.version

    def read(self, *which: Indices) -> None:
        """Update the states of some bodies."""
        if self._version == self._source.version:
            return
        wanted = np.zeros(len(self._is_moving), dtype=bool)
        for some in which:
            wanted[some] = True
        found = linalg.indices(wanted & self._is_moving)
        if len(found):
            self.rows[found] = self._source.read(found)

    def frame(self, body: int) -> LocalFrame:
        """Return the frame of a body in the world, as it was last read."""
        return LocalFrame(self.rows[body, :3], self.rows[body, 3:7])


class RelativeMotion(NamedTuple):
    """Frame B relative to frame A, for some rows, and its motion.

    position (n, 3) [m], rotation (n, 4), linear_velocity (n, 3) [m/s], angular_velocity (n, 3)
    [rad/s].
    """

    position: Floats
    rotation: Floats
    linear_velocity: Floats
    angular_velocity: Floats

    def pick(self, which: Indices) -> RelativeMotion:
        """Return some of the rows."""
        return RelativeMotion(*[part.take(which, 0) for part in self])

    def ahead(self, time: Floats) -> tuple[Floats, Floats]:
        """Return position and rotation (with w ≥ 0) after times (n,) [s], at present velocities."""
        further = linalg.from_vector(self.angular_velocity * time[:, None])
        rotation = metrics.shortest(linalg.multiply(further, self.rotation))
        return self.position + self.linear_velocity * time[:, None], rotation


class RowGroup(Protocol):
    """Rows of one kind: `which` of the table, and the step at which each is due.

    Rows that wait for a rotation are also due when it may have happened.
    """

    which: Indices
    due: Ints

    @property
    def waits_for(self) -> Rotations | None:
        """The rotations that its rows wait for, if any."""

    @property
    def observes(self) -> bool:
        """Whether bodies and motion of its rows must be observed before an update."""

    @property
    def memory(self) -> list[Memory]:
        """Arrays that the next step depends on."""

    def update(self, now: int, some: Indices, bodies: BodyStates) -> None:
        """Prepare some of the rows (indices into these) for step `now`."""

    def reset(self, some: Indices) -> None:
        """Mark rows to be set up again before the next step."""

    def revise(self, some: Indices) -> None:
        """Adopt changed bounds and gains of some rows from the table."""

    def recall(self) -> None:
        """Pass restored values to the engine joints."""


@dataclasses.dataclass(frozen=True)
class RowEntry:
    """A row of a joint of the scene, between bodies a and b, and its largest acceleration.

    `turn_bounds` [rad] decide in which turn its angle starts (see `freedom.turn_bounds`).
    """

    joint: int
    row: ConstraintRow
    a: int
    b: int
    acceleration: float = ACCELERATION
    turn_bounds: tuple[float, float] = (-math.inf, math.inf)


class RowTable:
    """The rows of a scene. Frames are in their bodies: translations (n, 3), rotations (n, 4).

    `pace` (n,) is how far [m or rad] bounds moved in the last step in which they did.
    """

    def __init__(self, entries: Sequence[RowEntry]) -> None:
        count = len(entries)
        self.entries = list(entries)
        self.joint = np.array([e.joint for e in entries], dtype=np.intp)
        self.a = np.array([e.a for e in entries], dtype=np.intp)
        self.b = np.array([e.b for e in entries], dtype=np.intp)
        self.minimum = np.array([e.row.limit.minimum for e in entries])
        self.maximum = np.array([e.row.limit.maximum for e in entries])
        self.turn_bounds = np.array([e.turn_bounds for e in entries]).reshape(-1, 2)
        self.pace = np.zeros(count)
        self.is_linear = np.array([bool(e.row.limit.linear_axes) for e in entries], dtype=bool)
        self._acceleration = np.array([e.acceleration for e in entries])
        self.translation_a = np.zeros((count, 3))
        self.rotation_a = np.zeros((count, 4))
        self.translation_b = np.zeros((count, 3))
        self.rotation_b = np.zeros((count, 4))
        self.gradient = np.eye(3)[[axes_of(e.row.limit)[0] for e in entries]]
        self.of_joint = _positions(self.joint)
        joints = sorted(self.of_joint)
        slots = {joint: slot for slot, joint in enumerate(joints)}
        self._first = np.array([self.of_joint[joint][0] for joint in joints], dtype=np.intp)
        self._slot = np.array([slots[e.joint] for e in entries], dtype=np.intp)
        self._ends = self.a[self._first], self.b[self._first]
        self._place = np.zeros(len(self._first), dtype=np.intp)
        self._metric, self._metrics = _group([e.row.limit for e in entries])
        springs = (RowKind.SPRING, RowKind.DRIVE, RowKind.DISTANCE)
        is_spring = [e.row.kind in springs for e in entries]
        self._needs_position = self.is_linear | np.array(is_spring, dtype=bool)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.entries)

    def place(self, which: Indices, a: LocalFrame, b: LocalFrame) -> None:
        """Record the poses of the frames of some rows in their bodies."""
        self.translation_a[which], self.rotation_a[which] = a.translation, a.rotation
        self.translation_b[which], self.rotation_b[which] = b.translation, b.rotation

    def revise(self, which: Indices, rows: Sequence[ConstraintRow]) -> None:
        """Replace the numbers of some rows by those of rows of the same kinds."""
        for i, row in zip(which.tolist(), rows, strict=True):
            self.entries[i] = dataclasses.replace(self.entries[i], row=row)
            bounds = row.limit.minimum, row.limit.maximum
            moved = np.abs(np.subtract(bounds, (self.minimum[i], self.maximum[i])))
            self.pace[i] = np.nan_to_num(moved, posinf=0.0).max()
            self.minimum[i], self.maximum[i] = bounds

    def accelerate(self, which: Indices, acceleration: float) -> None:
        """Record the largest acceleration of some rows."""
        self._acceleration[which] = acceleration

    def observe(self, which: Indices, bodies: BodyStates) -> None:
        """Compute the motion of the frames of some rows, from the bodies' last states.

        Rows of one joint share the same motion, which is computed once.
        """
        is_seen = np.zeros(len(self._first), dtype=bool)
        is_seen[self._slot[which]] = True
        joints = linalg.indices(is_seen)
        self._place[joints] = np.arange(len(joints))
        needs_position = self._needs_position[which].any()
        self._observed = self._motion(self._first[joints], bodies, needs_position)

    def rotations(self, which: Indices, *ahead: float) -> Rotations:
        """Return rotations for some rows to wait for, each due `ahead` steps before it."""
        return Rotations(ahead, self._slot[which])

    def turns(self, bodies: BodyStates, step: float) -> Floats:
        """Return how far (J,) [rad] the frames of each joint rotate in a step [s]."""
        a, b = self._ends
        spin = bodies.rows[:, 10:]
        speed = linalg.length(spin.take(b, 0) - spin.take(a, 0))
        return np.fmin(np.fmax(speed, 0.0), _FASTEST) * step  # fmin and fmax ignore NaN

    def motion(self, which: Indices) -> RelativeMotion:
        """Return the last observed motion of the frames of some rows."""
        return self._observed.pick(self._place[self._slot[which]])

    def _motion(
        self, which: Indices, bodies: BodyStates, needs_position: np.bool_
    ) -> RelativeMotion:
        state_a, state_b = (bodies.rows.take(side[which], 0) for side in (self.a, self.b))
        rotation_a, rotation_b = state_a[:, 3:7], state_b[:, 3:7]
        inverse = linalg.conjugate(linalg.multiply(rotation_a, self.rotation_a[which]))
        rotation = linalg.multiply(inverse, linalg.multiply(rotation_b, self.rotation_b[which]))
        angular = linalg.rotate(inverse, state_b[:, 10:] - state_a[:, 10:])
        position = linear = np.zeros((len(which), 3))
        if needs_position:
            offset, moving = self._offset(which, state_a, state_b, bodies)
            position = linalg.rotate(inverse, offset)
            linear = linalg.rotate(inverse, moving)
        return RelativeMotion(position, metrics.shortest(rotation), linear, angular)

    def _offset(
        self, which: Indices, state_a: Floats, state_b: Floats, bodies: BodyStates
    ) -> tuple[Floats, Floats]:
        """Return t_b − t_a and its rate of change as seen rotating with A, in the world."""
        rotation_a, rotation_b = state_a[:, 3:7], state_b[:, 3:7]
        angular_a, angular_b = state_a[:, 10:], state_b[:, 10:]
        local_a, local_b = self.translation_a[which], self.translation_b[which]
        arm_a = linalg.rotate(rotation_a, local_a - bodies.centers[self.a[which]])
        arm_b = linalg.rotate(rotation_b, local_b - bodies.centers[self.b[which]])
        at_a = state_a[:, :3] + linalg.rotate(rotation_a, local_a)
        offset = state_b[:, :3] + linalg.rotate(rotation_b, local_b) - at_a
        moving = state_b[:, 7:10] + linalg.cross(angular_b, arm_b) - state_a[:, 7:10]
        return offset, moving - linalg.cross(angular_a, arm_a + offset)

    def values(self, which: Indices, position: Floats, rotation: Floats) -> Floats:
        """Return the metrics (n,) of some rows in given poses, with w ≥ 0."""
        value = np.empty(len(which))
        for some, limit in self._by_metric(which):
            value[some] = metrics.measure_shortest(limit, position[some], rotation[some])
        return value

    def gradients(self, which: Indices, position: Floats, rotation: Floats) -> Floats:
        """Return the gradients (n, 3) of some rows in given poses, with w ≥ 0."""
        gradient = np.empty((len(which), 3))
        for some, limit in self._by_metric(which):
            last = self.gradient[which[some]]
            gradient[some] = metrics.gradient_shortest(limit, position[some], rotation[some], last)
        self.gradient[which] = gradient
        return gradient

    def rates(self, which: Indices, gradient: Floats, motion: RelativeMotion) -> Floats:
        """Return the rates of change (n,) of the metrics of some rows."""
        linear = self.is_linear[which, None]
        velocity = np.where(linear, motion.linear_velocity, motion.angular_velocity)
        return linalg.dot(gradient, velocity)

    def speeds(self, which: Indices, motion: RelativeMotion) -> Floats:
        """Return the speeds (n,) of frames along or about all axes together."""
        linear = self.is_linear[which, None]
        velocity = np.where(linear, motion.linear_velocity, motion.angular_velocity)
        return linalg.length(velocity)

    def idle_steps(self, which: Indices, distance: Floats, speed: Floats, step: float) -> Ints:
        """Return for how many steps some rows, a distance (n,) [m or rad] away, need no update.

        Rows may accelerate meanwhile, within bounds; the result is from 1 to 32.
        """
        speed = np.fmin(np.fmax(speed, 0.0), _FASTEST)  # fmin and fmax ignore NaN
        room, acceleration = np.fmin(np.fmax(distance, 0.0), 1e6), self._acceleration[which]
        time = (np.sqrt(speed * speed + 2 * acceleration * room) - speed) / acceleration
        return linalg.bounded(np.floor(time / step), 1, _LONGEST_IDLE).astype(np.int64)

    def _by_metric(self, which: Indices) -> Iterator[tuple[Indices, Limit]]:
        """Yield subsets of some rows that share a metric, each with a limit that has it."""
        if len(self._metrics) == 1:
            yield np.arange(len(which)), self._metrics[0]
            return
        kinds = self._metric[which]
        for kind, limit in enumerate(self._metrics):
            some = linalg.indices(kinds == kind)
            if len(some):
                yield some, limit


def next_full_check(now: int) -> int:
    """Return the step after `now` in which all waiting rows are examined in any case."""
    return now + _LONGEST_IDLE - now % _LONGEST_IDLE


def _positions(joints: Indices) -> defaultdict[int, Indices]:
    """Return the rows of each joint."""
    found: defaultdict[int, list[int]] = defaultdict(list)
    for row, joint in enumerate(joints.tolist()):
        found[joint].append(row)
    empty = np.array([], dtype=np.intp)
    rows = {joint: np.array(some, dtype=np.intp) for joint, some in found.items()}
    return defaultdict(lambda: empty, rows)


def _group(limits: Sequence[Limit]) -> tuple[Indices, list[Limit]]:
    """Number the distinct metrics."""
    numbers: list[int] = []
    kinds: dict[Limit, int] = {}
    for limit in limits:
        kind = Limit(
            linear_axes=limit.linear_axes,
            angular_axes=limit.angular_axes,
            free_axis=limit.free_axis,
        )
        numbers.append(kinds.setdefault(kind, len(kinds)))
    return np.array(numbers, dtype=np.intp), list(kinds)
