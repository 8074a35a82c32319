"""Dampers about axes that rotate with their joint: angular drives that have nothing but damping.

Drive i brakes the rate of a twist, whose gradient is g_i, with the torque −c_i g_i (g_i · ω − v_i).
Those of one joint together are −D ω + Σ c_i v_i g_i with D = Σ c_i g_i g_iᵀ, which is symmetric:
motors about the three eigenvectors of D do the same in one engine joint. Whatever their directions,
dampers only take energy, so that they need not be followed as closely as springs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import rapier3d as rp

from ligament.arrays import Floats, Indices
from ligament.extensions.declarations import Drive
from ligament.physics.engines.poses import Quaternion, vector
from ligament.physics.engines.rapier import linalg
from ligament.physics.engines.rapier.joints.engine_joints import (
    AXES,
    UNBOUNDED,
    EngineJoint,
    JointFactory,
)
from ligament.physics.engines.rapier.joints.rows import BodyStates, RowTable
from ligament.physics.engines.rapier.state.snapshots import Memory
from ligament.transforms import from_matrix

_STALE: Final = 1e-2
"""Rotation [rad] after which dampers are realigned: their torques are off by half of this part."""

_LONGEST_IDLE: Final = 4
"""Steps after which dampers are looked at in any case."""

_LEAST: Final = 1e-9
"""Part of the damping about the stiffest axis that the others have at least: a motor without any
would hold its speed."""


class DamperJoint(EngineJoint):
    """Dampers of a joint of the scene about the first axes of frames that we rotate."""

    def __init__(self, factory: JointFactory, count: int) -> None:
        builder = factory.builder()
        self._axes = AXES[3 : 3 + count]
        for axis in self._axes:
            builder = builder.motor_model(axis, rp.MotorModel.FORCE_BASED)
            builder = builder.motor(axis, 0.0, 0.0, 0.0, 0.0).motor_max_force(axis, UNBOUNDED)
        super().__init__(factory.insert(builder))

    def align(
        self,
        frames: tuple[tuple[Floats, Quaternion], tuple[Floats, Quaternion]],
        velocity: list[float],
        damping: list[float],
    ) -> None:
        """Rotate the frames, and brake towards velocities [rad/s] about their axes."""
        (at_a, in_a), (at_b, in_b) = frames
        data = self.data
        data.local_frame1 = (vector(at_a), in_a)
        data.local_frame2 = (vector(at_b), in_b)
        for axis, speed, gain in zip(self._axes, velocity, damping, strict=False):
            data.set_motor(axis, 0.0, speed, 0.0, gain)


class Damper(NamedTuple):
    """A drive that damps the twist about an axis (0 to 2): the one of its row in the table."""

    row: int
    drive: Drive

    @property
    def axis(self) -> int:
        """The axis of frame A about which it acts."""
        return self.drive.axis


class Dampers:
    """The dampers of a scene, by joint: `which` has one row of the table for each of n joints.

    `target` and `velocity` (m,) [rad, rad/s] are those of the m drives.
    """

    def __init__(
        self,
        table: RowTable,
        groups: Sequence[Sequence[Damper]],
        joints: Sequence[DamperJoint],
        middle: Floats,
    ) -> None:
        self._table, self._joints, self._middle = table, joints, middle
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
        self.aligned = np.zeros((len(groups), 4))
        self._add_up()

    def _add_up(self) -> None:
        """Add up damping [N m s/rad] and driving torques [N m] of each joint about its axes."""
        self._gains, self._torques = np.zeros((2, len(self.which), 3))
        damping = np.fmin(self._damping, UNBOUNDED)
        np.add.at(self._gains, (self._owner, self._axis), damping)
        np.add.at(self._torques, (self._owner, self._axis), damping * self.velocity)

    @property
    def memory(self) -> list[Memory]:
        """Arrays that the next step depends on."""
        return [self.target, self.velocity, self.due, self.aligned]

    def recall(self) -> None:
        """Take over restored velocities; the engine has them already."""
        self._add_up()

    def set_drive(self, index: int, drive: Drive) -> None:
        """Replace a drive, to be taken over by `revise`."""
        self._damping[index] = drive.damping
        self.target[index], self.velocity[index] = drive.position_target, drive.velocity_target

    def revise(self, some: Indices) -> None:
        """Take over changed gains of some joints."""
        self._add_up()
        self.reset(some)

    def set_target(self, index: int, position: float, velocity: float) -> None:
        """Give a drive new targets [rad, rad/s]."""
        self.target[index], self.velocity[index] = position, velocity
        self.revise(self._owner[[index]])

    def reset(self, some: Indices) -> None:
        """Have joints set up anew before the next step."""
        self.aligned[some] = 0.0
        self.due[some] = 0

    def update(self, now: int, some: Indices, bodies: BodyStates) -> None:
        """Prepare some of the joints (indices into these) for step `now`."""
        motion = self._table.motion(self.which[some], bodies)
        middle = self._middle[some]
        _, rotation = motion.ahead(middle)
        moved = linalg.angle_between(rotation, self.aligned[some])
        fresh = linalg.indices(moved > _STALE)
        if len(fresh):
            self._align(some[fresh], motion.rotation[fresh], rotation[fresh])
            moved[fresh] = 0.0
        turn = linalg.length(motion.angular_velocity) * (2 * middle)
        idle = linalg.bounded((_STALE - moved) / np.maximum(turn, 1e-9), 1, _LONGEST_IDLE)
        self.due[some] = now + np.nan_to_num(idle, nan=1.0).astype(np.int64)

    def _align(self, some: Indices, rotation: Floats, middle: Floats) -> None:
        """Realign joints with the gradients of the middle of the step."""
        gradient = _gradients(middle)
        strength = _strength(_gradients(rotation), gradient)
        across = gradient.transpose(0, 2, 1)
        matrix = across @ ((self._gains[some] * strength)[:, :, None] * gradient)
        torque = across @ (self._torques[some] * strength)[:, :, None]
        sizes, axes = np.linalg.eigh(matrix)
        sizes, axes = sizes[:, ::-1], axes[:, :, ::-1].copy()
        axes[:, :, 2] = linalg.cross(axes[:, :, 0], axes[:, :, 1])
        least = np.maximum(_LEAST * sizes[:, :1], _LEAST)
        damping = np.maximum(sizes, least)
        velocity = (axes.transpose(0, 2, 1) @ torque)[:, :, 0] / damping
        turned = np.asarray(from_matrix(axes))
        table, which = self._table, self.which[some]
        in_a = linalg.multiply(table.rotation_a[which], turned)
        seen = linalg.multiply(linalg.conjugate(middle), turned)
        in_b = linalg.multiply(table.rotation_b[which], seen)
        self.aligned[some] = middle
        columns = (some, which, in_a, in_b, velocity, damping)
        for i, row, a, b, *gains in zip(*(column.tolist() for column in columns), strict=True):
            at = table.translation_a[row], table.translation_b[row]
            self._joints[i].align(((at[0], tuple(a)), (at[1], tuple(b))), *gains)


def _gradients(rotation: Floats) -> Floats:
    """Return the gradients (n, 3, 3) of the twists about all axes, by rows; zero where lost.

    These are the rows of w² + v vᵀ − w [v]×, divided by their diagonal (see `metrics`).
    """
    v, w = rotation[:, :3], rotation[:, 3, None, None]
    matrix = v[:, :, None] * v[:, None, :] + w * w * np.eye(3) - w * linalg.skew(v)
    diagonal = matrix.diagonal(axis1=1, axis2=2)[:, :, None]
    is_lost = diagonal < 1e-12
    return np.where(is_lost, 0.0, matrix / np.where(is_lost, 1.0, diagonal))


def _strength(before: Floats, gradient: Floats) -> Floats:
    """Return the part (n, 3) of their gains that dampers keep whose direction changes in a step.

    A constant torque whose direction goes around would drive, not brake.
    """
    change = gradient - before
    squares = [np.einsum("nij,nij->ni", part, part) for part in (change, gradient)]
    return linalg.bounded(1.5 - 2 * np.sqrt(squares[0] / np.maximum(squares[1], 1e-18)), 0.0, 1.0)
