"""All rows of a scene as arrays: what is fixed about them, and how they stand at the moment."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import rapier3d as rp

from ligament.extensions.declarations import Limit
from ligament.physics import metrics
from ligament.physics.rapier import batch
from ligament.physics.rapier.parts import Frame
from ligament.physics.rapier.plan import Row
from ligament.physics.rapier.reading import read_rows
from ligament.physics.scene import Scene

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]
Memory = npt.NDArray[np.float64] | npt.NDArray[np.int64] | npt.NDArray[np.bool_]


_FASTER: Final = 200.0
"""By how much [rad/s² or m/s²] a row may speed up before it is looked at again."""

_LONGEST: Final = 32
"""Steps after which a row is looked at in any case."""


class BodyStates:
    """Poses and velocities of the bodies that rows hold on to, read when they are needed."""

    def __init__(self, scene: Scene, moving: Sequence[int]) -> None:
        self.rows: Floats = np.array(
            [[*b.pose.translation, *b.pose.rotation, *b.velocity, *b.spin] for b in scene.bodies],
            dtype=np.float64,
        ).reshape(-1, 13)
        self.centers: Floats = np.array(
            [b.mass.center for b in scene.bodies], dtype=np.float64
        ).reshape(-1, 3)
        self._is_moving = np.zeros(len(scene.bodies), dtype=bool)
        self._is_moving[list(moving)] = True

    def bind(self, bodies: Sequence[rp.RigidBody]) -> None:
        """Read from these bodies of the engine from now on."""
        self._bodies = bodies

    def read(self, which: Indices) -> None:
        """Renew the states of some bodies."""
        wanted = which[self._is_moving[which]]
        if len(wanted):
            self.rows[wanted] = read_rows([self._bodies[i] for i in wanted.tolist()])

    def frame(self, body: int) -> Frame:
        """Return the frame of a body in the world, as it was last read."""
        return Frame(self.rows[body, :3], self.rows[body, 3:7])


class Sight(NamedTuple):
    """How some rows stand: frame B in frame A, its motion there, and the metric.

    position (n, 3) [m], rotation (n, 4), velocity (n, 3) [m/s], spin (n, 3) [rad/s]; value (n,)
    with its gradient `slope` (n, 3) and its rate of change (n,).
    """

    position: Floats
    rotation: Floats
    velocity: Floats
    spin: Floats
    value: Floats
    slope: Floats
    rate: Floats

    def pick(self, which: Indices) -> Sight:
        """Return some of the rows."""
        return Sight(*(part[which] for part in self))

    def speed(self, linear: npt.NDArray[np.bool_]) -> Floats:
        """Return how fast (n,) the value could change if all motion went along its gradient."""
        motion = np.where(linear[:, None], self.velocity, self.spin)
        return np.sqrt(batch.dot(self.slope, self.slope) * batch.dot(motion, motion))

    def ahead(self, time: Floats) -> tuple[Floats, Floats]:
        """Return position and rotation after times (n,) [s], at the present speeds."""
        turn = batch.turn_by(self.spin * time[:, None])
        return self.position + self.velocity * time[:, None], batch.multiply(turn, self.rotation)


@dataclasses.dataclass(frozen=True)
class Entry:
    """A row of a joint of the scene, between bodies a and b."""

    joint: int
    row: Row
    a: int
    b: int


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
        self.translation_a = np.zeros((count, 3))
        self.rotation_a = np.zeros((count, 4))
        self.translation_b = np.zeros((count, 3))
        self.rotation_b = np.zeros((count, 4))
        self.slope = np.eye(3)[[_first_axis(e.row.limit) for e in entries]]
        self.of_joint = _positions(self.joint)
        self._kind, self._limits = _group([e.row.limit for e in entries])

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.entries)

    def place(self, which: Indices, a: Frame, b: Frame) -> None:
        """Note where the frames of some rows are in their bodies."""
        self.translation_a[which], self.rotation_a[which] = a.translation, a.rotation
        self.translation_b[which], self.rotation_b[which] = b.translation, b.rotation

    def look(self, which: Indices, bodies: BodyStates) -> Sight:
        """Measure some rows, in the states of their bodies that were read last."""
        state_a, state_b = bodies.rows[self.a[which]], bodies.rows[self.b[which]]
        at_a, turn_a = state_a[:, :3], state_a[:, 3:7]
        at_b, turn_b = state_b[:, :3], state_b[:, 3:7]
        spin_a, spin_b = state_a[:, 10:], state_b[:, 10:]
        local_a, local_b = self.translation_a[which], self.translation_b[which]
        arm_a = batch.rotate(turn_a, local_a - bodies.centers[self.a[which]])
        arm_b = batch.rotate(turn_b, local_b - bodies.centers[self.b[which]])
        offset = (at_b + batch.rotate(turn_b, local_b)) - (at_a + batch.rotate(turn_a, local_a))
        moving = (
            state_b[:, 7:10]
            + batch.cross(spin_b, arm_b)
            - state_a[:, 7:10]
            - batch.cross(spin_a, arm_a + offset)
        )
        inverse = batch.conjugate(batch.multiply(turn_a, self.rotation_a[which]))
        rotation = batch.multiply(inverse, batch.multiply(turn_b, self.rotation_b[which]))
        return self._measured(
            which,
            batch.rotate(inverse, offset),
            metrics.shortest(rotation),
            batch.rotate(inverse, moving),
            batch.rotate(inverse, spin_b - spin_a),
        )

    def _measured(
        self,
        which: Indices,
        position: Floats,
        rotation: Floats,
        velocity: Floats,
        spin: Floats,
    ) -> Sight:
        value, slope = self.measure(which, position, rotation)
        motion = np.where(self.is_linear[which, None], velocity, spin)
        rate = batch.dot(slope, motion)
        return Sight(position, rotation, velocity, spin, value, slope, rate)

    def measure(self, which: Indices, position: Floats, rotation: Floats) -> tuple[Floats, Floats]:
        """Return values (n,) and gradients (n, 3) of some rows in given poses."""
        value, slope = np.empty(len(which)), np.empty((len(which), 3))
        kinds = self._kind[which]
        for kind, limit in enumerate(self._limits):
            some = np.flatnonzero(kinds == kind)
            if len(some):
                pose = position[some], rotation[some]
                value[some] = metrics.measure(limit, *pose)
                slope[some] = metrics.gradient(limit, *pose, self.slope[which[some]])
        self.slope[which] = slope
        return value, slope


def patience(way: Floats, speed: Floats, step: float) -> npt.NDArray[np.int64]:
    """Return for how many steps rows need no attention that are a way [m or rad] from needing it.

    They may speed up meanwhile, though not without bounds; at least one step, at most 32.
    """
    room = np.clip(way, 0.0, 1e6)
    time = (np.sqrt(speed * speed + 2 * _FASTER * room) - speed) / _FASTER
    return np.clip(np.floor(time / step) - 1, 1, _LONGEST).astype(np.int64)


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
