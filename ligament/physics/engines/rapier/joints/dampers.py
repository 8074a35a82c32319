"""Dampers about axes that rotate with their joint: angular drives with damping only.

Drive i brakes the rate of a twist, whose gradient is g_i, with the torque −c_i g_i (g_i · ω − v_i).
Those of one joint together are −D ω + Σ c_i v_i g_i with D = Σ c_i g_i g_iᵀ, which is symmetric:
motors about the three eigenvectors of D do the same in one engine joint. Whatever their directions,
dampers only dissipate energy, so they need not be tracked as closely as springs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from operator import mul, truediv
from typing import Final, NamedTuple

import numpy as np
import rapier3d as rp

from ligament.arrays import Floats, Indices
from ligament.extensions.rigid_bodies import Drive
from ligament.physics.engines import Vector
from ligament.physics.engines.poses import Quaternion, RigidPose, conjugate, cross, multiply
from ligament.physics.engines.rapier import linalg
from ligament.physics.engines.rapier.joints.engine_joints import (
    AXES,
    UNBOUNDED,
    EngineJoint,
    JointFactory,
)
from ligament.physics.engines.rapier.joints.rows import NEVER, BodyStates, RowTable
from ligament.physics.engines.rapier.stage import Memory

_STALE: Final = 2e-2
"""Largest misalignment [rad] of dampers; their torques are off by half of that."""

_FORESEEN: Final = 2.0
"""Most steps ahead for which dampers are aligned."""

_LEAST: Final = 1e-9
"""Least damping of an axis as a fraction of the stiffest one's: a motor without damping would hold
its speed."""

_SMALLEST_NORM: Final = 1e-12
"""w² + v_i² below which the swing is half a turn, and the twist is undefined."""


class DamperJoint(EngineJoint):
    """Dampers of a joint of the scene about the first axes of frames that Python rotates."""

    def __init__(self, factory: JointFactory, count: int) -> None:
        builder = factory.builder()
        self._axes = AXES[3 : 3 + count]
        for axis in self._axes:
            builder = builder.motor_model(axis, rp.MotorModel.FORCE_BASED)
            builder = builder.motor(axis, 0.0, 0.0, 0.0, 0.0).motor_max_force(axis, UNBOUNDED)
        super().__init__(factory.insert(builder))

    def align(
        self,
        frame_a: RigidPose,
        frame_b: RigidPose,
        velocity: Iterable[float],
        damping: Iterable[float],
    ) -> None:
        """Rotate the frames, and brake towards velocities [rad/s] about their axes."""
        self.place(frame_a, frame_b)
        for axis, speed, gain in zip(self._axes, velocity, damping, strict=False):
            self.data.set_motor(axis, 0.0, speed, 0.0, gain)


class Damper(NamedTuple):
    """A drive that damps the twist about an axis (0 to 2): the one of its row in the table."""

    row: int
    drive: Drive

    @property
    def axis(self) -> int:
        """The axis of frame A about which the damper acts."""
        return self.drive.axis


class Dampers:
    """The dampers of a scene, by joint: `which` has one row of the table for each of n joints.

    `target` and `velocity` (m,) [rad, rad/s] are those of the m drives; `iteration` (n,) [s] is the
    duration of one solver iteration of a joint.
    """

    def __init__(
        self,
        table: RowTable,
        groups: Sequence[Sequence[Damper]],
        joints: Sequence[DamperJoint],
        step: float,
        iteration: Floats,
    ) -> None:
        self._table, self._joints, self._step = table, joints, step
        self._middle, self._longest = (step - iteration) / 2, _FORESEEN * step
        self.which = np.array([members[0].row for members in groups], dtype=np.intp)
        dampers = [damper for members in groups for damper in members]
        self._owner = np.repeat(np.arange(len(groups)), [len(members) for members in groups])
        self._axis = np.array([damper.axis for damper in dampers], dtype=np.intp)
        self._damping = np.array([damper.drive.damping for damper in dampers])
        self.target = np.array([damper.drive.position_target for damper in dampers])
        self.velocity = np.array([damper.drive.velocity_target for damper in dampers])
        entries = [table.entries[damper.row] for damper in dampers]
        self.of_drive = {(e.joint, e.row.drive): i for i, e in enumerate(entries)}
        self.due = np.zeros(len(groups), dtype=np.int64)
        self.waits_for = table.rotations(self.which, 0.5)
        self._add_up()

    def _add_up(self) -> None:
        """Add up damping [N m s/rad] and driving torques [N m] of each joint about its axes."""
        self._gains, self._torques = np.zeros((2, len(self.which), 3))
        damping = np.fmin(self._damping, UNBOUNDED)
        np.add.at(self._gains, (self._owner, self._axis), damping)
        np.add.at(self._torques, (self._owner, self._axis), damping * self.velocity)

    observes = True

    @property
    def memory(self) -> list[Memory]:
        """Arrays that the next step depends on."""
        return [self.target, self.velocity, self.due, self.waits_for.left]

    def recall(self) -> None:
        """Adopt restored velocities, which the engine already has."""
        self._add_up()

    def set_drive(self, index: int, drive: Drive) -> None:
        """Replace a drive, to be adopted by `revise`."""
        self._damping[index] = drive.damping
        self.target[index], self.velocity[index] = drive.position_target, drive.velocity_target

    def revise(self, some: Indices) -> None:
        """Adopt changed gains of some joints."""
        self._add_up()
        self.reset(some)

    def set_target(self, index: int, position: float, velocity: float) -> None:
        """Give a drive new targets [rad, rad/s]."""
        self.target[index], self.velocity[index] = position, velocity
        self.revise(self._owner[[index]])

    def reset(self, some: Indices) -> None:
        """Mark joints to be set up again before the next step."""
        self.due[some] = 0

    def update(self, now: int, some: Indices, bodies: BodyStates) -> None:
        """Prepare some of the joints (indices into these) for step `now`."""
        motion = self._table.motion(self.which[some])
        speed = linalg.length(motion.angular_velocity)
        # Dampers are exact in the middle of the interval for which they are aligned.
        time = linalg.bounded(_STALE / np.maximum(speed, 1e-9), self._middle[some], self._longest)
        _, middle = motion.ahead(time)
        self._align(some, motion.rotation, middle)
        self.waits_for.left[0, some] = _STALE + speed * time
        self.due[some] = NEVER

    def _align(self, some: Indices, rotation: Floats, middle: Floats) -> None:
        """Realign joints with the gradients of a coming rotation.

        For the few joints at a time, plain numbers are faster than arrays.
        """
        columns = (rotation, middle, self._gains[some], self._torques[some])
        sums = [_total(*each) for each in zip(*(c.tolist() for c in columns), strict=True)]
        sizes, axes = np.linalg.eigh([matrix for matrix, _ in sums])
        results = (self.which[some], middle, sizes, axes.transpose(0, 2, 1))
        found = zip(some.tolist(), *(r.tolist() for r in results), sums, strict=True)
        for i, row, seen, size, (_, second, first), (_, torque) in found:
            third = cross(first, second)
            least = _LEAST * max(size[2], 1.0)
            damping = max(size[2], least), max(size[1], least), max(size[0], least)
            pushes = _dot(first, torque), _dot(second, torque), _dot(third, torque)
            in_a = _from_axes(first, second, third)
            in_b = multiply(conjugate(seen), in_a)
            a, b = self._frames(row)
            frames = (a[0], multiply(a[1], in_a)), (b[0], multiply(b[1], in_b))
            self._joints[i].align(*frames, map(truediv, pushes, damping), damping)

    def _frames(self, row: int) -> tuple[RigidPose, RigidPose]:
        """Return the frames of a row in their bodies."""
        table = self._table
        return (
            (tuple(table.translation_a[row].tolist()), tuple(table.rotation_a[row].tolist())),
            (tuple(table.translation_b[row].tolist()), tuple(table.rotation_b[row].tolist())),
        )


def _total(
    rotation: Quaternion, middle: Quaternion, gains: Vector, torques: Vector
) -> tuple[tuple[Vector, Vector, Vector], Vector]:
    """Return the lower half of D (3, 3), and the driving torque (3,), of the dampers of a joint."""
    after = _gradients(middle)
    kept = [_strength(*pair) for pair in zip(_gradients(rotation), after, strict=True)]
    (ax, ay, az), (bx, by, bz), (cx, cy, cz) = after
    a, b, c = map(mul, gains, kept)
    matrix = (
        (a * ax * ax + b * bx * bx + c * cx * cx, 0.0, 0.0),
        (a * ax * ay + b * bx * by + c * cx * cy, a * ay * ay + b * by * by + c * cy * cy, 0.0),
        (
            a * ax * az + b * bx * bz + c * cx * cz,
            a * ay * az + b * by * bz + c * cy * cz,
            a * az * az + b * bz * bz + c * cz * cz,
        ),
    )
    a, b, c = map(mul, torques, kept)
    torque = a * ax + b * bx + c * cx, a * ay + b * by + c * cy, a * az + b * bz + c * cz
    return matrix, torque


def _gradients(rotation: Quaternion) -> tuple[Vector, Vector, Vector]:
    """Return the gradients of the twists about all axes; zero where undefined.

    These are the rows of w² + v vᵀ − w [v]×, divided by their diagonal (see `metrics`).
    """
    x, y, z, w = rotation
    xy, yz, zx, wx, wy, wz = x * y, y * z, z * x, w * x, w * y, w * z
    lengths = (w * w + x * x, w * w + y * y, w * w + z * z)
    a, b, c = (1 / length if length > _SMALLEST_NORM else 0.0 for length in lengths)
    return (
        (float(a > 0), a * (xy + wz), a * (zx - wy)),
        (b * (xy - wz), float(b > 0), b * (yz + wx)),
        (c * (zx + wy), c * (yz - wx), float(c > 0)),
    )


def _strength(before: Vector, gradient: Vector) -> float:
    """Return the fraction of its gain that a damper keeps if its direction changes in a step.

    A constant torque whose direction rotates would drive, not brake.
    """
    change = 2 * math.dist(before, gradient) / max(math.hypot(*gradient), _SMALLEST_NORM)
    return min(max(1.5 - change, 0.0), 1.0)


def _dot(a: Sequence[float], b: Sequence[float]) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _from_axes(x: Sequence[float], y: Sequence[float], z: Sequence[float]) -> Quaternion:
    """Return the rotation that takes the axes of a frame to three unit vectors."""
    (a, b, c), (d, e, f), (g, h, i) = x, y, z
    parts = 1 + a - e - i, 1 - a + e - i, 1 - a - e + i, 1 + a + e + i
    largest = parts.index(max(parts))
    scale = 0.5 / math.sqrt(parts[largest])
    if largest == 0:
        return parts[0] * scale, (b + d) * scale, (c + g) * scale, (f - h) * scale
    if largest == 1:
        return (b + d) * scale, parts[1] * scale, (f + h) * scale, (g - c) * scale
    if largest == 2:
        return (c + g) * scale, (f + h) * scale, parts[2] * scale, (b - d) * scale
    return (f - h) * scale, (g - c) * scale, (b - d) * scale, parts[3] * scale
