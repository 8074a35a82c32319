"""All rows of a scene as arrays: what is fixed about them, and how they stand at the moment."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from ligament.arrays import Floats
from ligament.extensions.declarations import Limit
from ligament.physics import metrics
from ligament.physics.engines.rapier import linalg
from ligament.physics.engines.rapier.joints.engine_joints import Frame
from ligament.physics.engines.rapier.joints.plan import Role, Row
from ligament.physics.engines.rapier.state.bodies import BodySource
from ligament.physics.scene import Scene

Indices = npt.NDArray[np.intp]
Memory = npt.NDArray[np.float64] | npt.NDArray[np.int64] | npt.NDArray[np.bool_]


SPEEDING_UP: Final = 500.0
"""By how much [rad/s² or m/s²] a row may speed up: a body of 10 cm under ten times its weight."""

_FASTEST: Final = 1e12
"""Speeds [rad/s or m/s] count as no more than this."""

UNCOUNTED: Final = 2.0
"""Turn [rad] that cannot be mistaken for another when turns are counted."""

_LONGEST: Final = 32
"""Steps after which a row is looked at in any case."""


class BodyStates:
    """Poses and velocities of the bodies that rows hold on to, read when they are needed."""

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

    def bind(self, source: BodySource) -> None:
        """Read from there from now on."""
        self._source = source

    def read(self, *which: Indices) -> None:
        """Renew the states of some bodies."""
        wanted = np.zeros(len(self._is_moving), dtype=bool)
        for some in which:
            wanted[some] = True
        found = linalg.indices(wanted & self._is_moving)
        if len(found):
            self.rows[found] = self._source.read(found)

    def frame(self, body: int) -> Frame:
        """Return the frame of a body in the world, as it was last read."""
        return Frame(self.rows[body, :3], self.rows[body, 3:7])


class Motion(NamedTuple):
    """Frame B in frame A, for some rows, and how it moves there.

    position (n, 3) [m], rotation (n, 4), velocity (n, 3) [m/s] and spin (n, 3) [rad/s].
    """

    position: Floats
    rotation: Floats
    linear_velocity: Floats
    angular_velocity: Floats

    def pick(self, which: Indices) -> Motion:
        """Return some of the rows."""
        return Motion(*(part[which] for part in self))

    def ahead(self, time: Floats) -> tuple[Floats, Floats]:
        """Return position and rotation (with w ≥ 0) after times (n,) [s], at present speeds."""
        turn = linalg.turn_by(self.angular_velocity * time[:, None])
        rotation = metrics.shortest(linalg.multiply(turn, self.rotation))
        return self.position + self.linear_velocity * time[:, None], rotation


@dataclasses.dataclass(frozen=True)
class Entry:
    """A row of a joint of the scene, between bodies a and b; `faster`: how it may speed up."""

    joint: int
    row: Row
    a: int
    b: int
    faster: float = SPEEDING_UP


class RowTable:
    """The rows of a scene. Frames are in their bodies: translations (n, 3), rotations (n, 4)."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        count = len(entries)
        self.entries = tuple(entries)
        self.joint = np.array([e.joint for e in entries], dtype=np.intp)
        self.a = np.array([e.a for e in entries], dtype=np.intp)
        self.b = np.array([e.b for e in entries], dtype=np.intp)
        self.minimum = np.array([e.row.limit.minimum for e in entries])
        self.maximum = np.array([e.row.limit.maximum for e in entries])
        self.is_linear = np.array([bool(e.row.limit.linear_axes) for e in entries], dtype=bool)
        self._faster = np.array([e.faster for e in entries])
        self.translation_a = np.zeros((count, 3))
        self.rotation_a = np.zeros((count, 4))
        self.translation_b = np.zeros((count, 3))
        self.rotation_b = np.zeros((count, 4))
        self.slope = np.eye(3)[[_first_axis(e.row.limit) for e in entries]]
        self.of_joint = _positions(self.joint)
        self._kind, self._limits = _group([e.row.limit for e in entries])
        is_spring = [e.row.role in (Role.SOFT, Role.DRIVE, Role.ROD) for e in entries]
        self._needs_position = self.is_linear | np.array(is_spring, dtype=bool)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.entries)

    def place(self, which: Indices, a: Frame, b: Frame) -> None:
        """Note where the frames of some rows are in their bodies."""
        self.translation_a[which], self.rotation_a[which] = a.translation, a.rotation
        self.translation_b[which], self.rotation_b[which] = b.translation, b.rotation

    def look(self, which: Indices, bodies: BodyStates) -> Motion:
        """See how frames move, in the states of their bodies that were read last.

        Rows of one joint see the same, which is worked out once for those that stand together.
        """
        joints = self.joint[which]
        is_first = np.ones(len(which), dtype=bool)
        np.not_equal(joints[1:], joints[:-1], out=is_first[1:])
        motion = self._look(which[is_first], bodies, self._needs_position[which].any())
        return motion.pick(is_first.cumsum() - 1)

    def _look(self, which: Indices, bodies: BodyStates, needs_position: np.bool_) -> Motion:
        state_a, state_b = bodies.rows[self.a[which]], bodies.rows[self.b[which]]
        turn_a, turn_b = state_a[:, 3:7], state_b[:, 3:7]
        inverse = linalg.conjugate(linalg.multiply(turn_a, self.rotation_a[which]))
        rotation = linalg.multiply(inverse, linalg.multiply(turn_b, self.rotation_b[which]))
        spin = linalg.rotate(inverse, state_b[:, 10:] - state_a[:, 10:])
        position = velocity = np.zeros((len(which), 3))
        if needs_position:
            offset, moving = self._offset(which, state_a, state_b, bodies)
            position = linalg.rotate(inverse, offset)
            velocity = linalg.rotate(inverse, moving)
        return Motion(position, metrics.shortest(rotation), velocity, spin)

    def _offset(
        self, which: Indices, state_a: Floats, state_b: Floats, bodies: BodyStates
    ) -> tuple[Floats, Floats]:
        """Return t_b − t_a and how it changes for one who turns with A, in the world."""
        turn_a, turn_b = state_a[:, 3:7], state_b[:, 3:7]
        spin_a, spin_b = state_a[:, 10:], state_b[:, 10:]
        local_a, local_b = self.translation_a[which], self.translation_b[which]
        arm_a = linalg.rotate(turn_a, local_a - bodies.centers[self.a[which]])
        arm_b = linalg.rotate(turn_b, local_b - bodies.centers[self.b[which]])
        at_a = state_a[:, :3] + linalg.rotate(turn_a, local_a)
        offset = state_b[:, :3] + linalg.rotate(turn_b, local_b) - at_a
        moving = state_b[:, 7:10] + linalg.cross(spin_b, arm_b) - state_a[:, 7:10]
        return offset, moving - linalg.cross(spin_a, arm_a + offset)

    def values(self, which: Indices, position: Floats, rotation: Floats) -> Floats:
        """Return the metrics (n,) of some rows in given poses."""
        value = np.empty(len(which))
        for some, limit in self._kinds(which):
            value[some] = metrics.measure(limit, position[some], rotation[some])
        return value

    def slopes(self, which: Indices, position: Floats, rotation: Floats) -> Floats:
        """Return the gradients (n, 3) of some rows in given poses."""
        slope = np.empty((len(which), 3))
        for some, limit in self._kinds(which):
            last = self.slope[which[some]]
            slope[some] = metrics.gradient(limit, position[some], rotation[some], last)
        self.slope[which] = slope
        return slope

    def rates(self, which: Indices, slope: Floats, motion: Motion) -> Floats:
        """Return how fast (n,) the metrics of some rows change."""
        linear = self.is_linear[which, None]
        return linalg.dot(slope, np.where(linear, motion.linear_velocity, motion.angular_velocity))

    def speeds(self, which: Indices, motion: Motion) -> Floats:
        """Return how fast (n,) frames move along or about all axes together."""
        linear = self.is_linear[which, None]
        speed = np.where(linear, motion.linear_velocity, motion.angular_velocity)
        return np.sqrt(linalg.dot(speed, speed))

    def patience(
        self, which: Indices, way: Floats, speed: Floats, step: float
    ) -> npt.NDArray[np.int64]:
        """Return for how many steps some rows need no attention that are a way (n,) from it.

        Ways are in m or rad. Rows may speed up meanwhile, though not without bounds; at least one
        step, at most 32.
        """
        speed = np.fmin(np.fmax(speed, 0.0), _FASTEST)  # which take NaN for nothing
        room, faster = np.fmin(np.fmax(way, 0.0), 1e6), self._faster[which]
        time = (np.sqrt(speed * speed + 2 * faster * room) - speed) / faster
        return linalg.bounded(np.floor(time / step), 1, _LONGEST).astype(np.int64)

    def _kinds(self, which: Indices) -> Iterator[tuple[Indices, Limit]]:
        """Return which of some rows measure what."""
        if len(self._limits) == 1:
            yield np.arange(len(which)), self._limits[0]
            return
        kinds = self._kind[which]
        for kind, limit in enumerate(self._limits):
            some = linalg.indices(kinds == kind)
            if len(some):
                yield some, limit


def _first_axis(limit: Limit) -> int:
    return (limit.linear_axes or limit.angular_axes)[0]


def _positions(joints: Indices) -> defaultdict[int, Indices]:
    """Return for each joint the rows that it has."""
    found: defaultdict[int, list[int]] = defaultdict(list)
    for row, joint in enumerate(joints.tolist()):
        found[joint].append(row)
    empty = np.array([], dtype=np.intp)
    rows = {joint: np.array(some, dtype=np.intp) for joint, some in found.items()}
    return defaultdict(lambda: empty, rows)


def _group(limits: Sequence[Limit]) -> tuple[Indices, list[Limit]]:
    """Number the distinct kinds of metric."""
    kinds: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}
    numbers = [
        kinds.setdefault((limit.linear_axes, limit.angular_axes), len(kinds)) for limit in limits
    ]
    distinct = [Limit(linear_axes=linear, angular_axes=angular) for linear, angular in kinds]
    return np.array(numbers, dtype=np.intp), distinct
