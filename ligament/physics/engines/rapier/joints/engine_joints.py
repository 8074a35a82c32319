"""Joints of the engine: locks, rows along a gradient, motors.

A joint that is far from closed at the start would snap shut within one iteration; instead its frame
A starts at the place of frame B, and frame B with the rotation of frame A, and both move to where
they belong at a limited speed. Frame A keeps its rotation, since locked positions are along its
axes. The engine treats such moves as position corrections, which leave no velocity behind, so that
closing adds no energy.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt
import rapier3d as rp

from ligament.arrays import Floats
from ligament.extensions.rigid_bodies import Limit
from ligament.physics.engines import CLOSING_SPEED, Vector
from ligament.physics.engines.poses import IDENTITY, Quaternion, RigidPose, as_pose
from ligament.physics.engines.rapier.joints.plan import JointSpec
from ligament.transforms import (
    angle_between,
    conjugate,
    multiply,
    normalize,
    rotate,
    slerp,
    swing_twist,
)

AXES: Final = (
    rp.JointAxis.LIN_X,
    rp.JointAxis.LIN_Y,
    rp.JointAxis.LIN_Z,
    rp.JointAxis.ANG_X,
    rp.JointAxis.ANG_Y,
    rp.JointAxis.ANG_Z,
)

UNBOUNDED: Final = 1e9
"""A distance [m] or force [N] that counts as infinite."""

WIDEST: Final = 3.1
"""Largest angle [rad] that the engine can tell from one a turn away."""

_NOWHERE: Final = (0.0, 0.0, 0.0)

_SMALL_GAP: Final = 5e-3
"""Gap [m or rad] up to which a joint is closed at once."""


@cache
def mask(axes: frozenset[int]) -> rp.JointAxesMask:
    """Return the engine's set of axes 0 to 5."""
    return rp.JointAxesMask(sum(1 << axis for axis in axes))


@dataclasses.dataclass(frozen=True, eq=False)
class LocalFrame:
    """A frame fixed to a body: translation (3,) [m] and rotation (4,) in the body's frame."""

    translation: Floats
    rotation: Floats

    def then(self, offset: npt.ArrayLike, rotation: npt.ArrayLike) -> LocalFrame:
        """Return a frame that is given in this one."""
        moved = self.translation + rotate(self.rotation, offset)
        return LocalFrame(moved, multiply(self.rotation, rotation))

    @property
    def pose(self) -> RigidPose:
        """The frame in the form that the engine takes."""
        return as_pose(self.translation, self.rotation)


@dataclasses.dataclass(frozen=True, eq=False)
class Gap:
    """Distance of the frames of a lock from where they belong.

    `offset` (3,) [m] is that of frame A, `rotation` (4,) that of frame B, each in its own axes.
    """

    offset: Floats
    rotation: Floats

    @property
    def size(self) -> tuple[float, float]:
        """Distance [m] and angle [rad]."""
        angle = angle_between(self.rotation, np.array(IDENTITY))
        return float(np.linalg.norm(self.offset)), float(angle)

    def shrunk(self, step: float) -> Gap | None:
        """Return the remaining gap after a time step [s]; None once it is closed."""
        part = CLOSING_SPEED * step / max(self.size)
        if part >= 1:
            return None
        return Gap(self.offset * (1 - part), slerp(self.rotation, np.array(IDENTITY), part))


class EngineJoint:
    """A joint of the engine's world; `data` is its live description there."""

    def __init__(self, handle: rp.ImpulseJointHandle) -> None:
        self.handle = handle
        self.data: rp.GenericJoint

    def bind(self, world: rp.PhysicsWorld) -> None:
        """Bind to the joint in a world, new or restored."""
        self.data = world.impulse_joints[self.handle].data

    def place(self, frame_a: RigidPose, frame_b: RigidPose) -> None:
        """Put the frames where they are in their bodies."""
        self.data.local_frame1 = frame_a
        self.data.local_frame2 = frame_b

    def set_contacts(self, is_enabled: bool) -> None:
        """Let the two bodies collide, or not."""
        self.data.contacts_enabled = is_enabled


class Insertions:
    """Engine joints in the order in which they were inserted into a world.

    The `known` joints, which a restored world already has, are reused instead of new ones.
    """

    def __init__(self, world: rp.PhysicsWorld, known: Sequence[rp.ImpulseJointHandle] = ()) -> None:
        self.world, self.handles = world, list[rp.ImpulseJointHandle]()
        self._known = iter(known)

    def insert(
        self, bodies: tuple[rp.RigidBodyHandle, rp.RigidBodyHandle], joint: rp.GenericJoint
    ) -> rp.ImpulseJointHandle:
        """Return a joint of the world between two bodies."""
        handle = next(self._known, None) or self.world.impulse_joints.insert(*bodies, joint)
        self.handles.append(handle)
        return handle


class JointFactory:
    """Inserts engine joints between two bodies of a world; `contacts`: whether these collide."""

    def __init__(
        self,
        insertions: Insertions,
        bodies: tuple[rp.RigidBodyHandle, rp.RigidBodyHandle],
        *,
        contacts: bool,
    ) -> None:
        self._insertions, self._world = insertions, insertions.world
        self._bodies, self._contacts = bodies, contacts

    def builder(self, locked: frozenset[int] = frozenset()) -> rp.GenericJointBuilder:
        """Return the builder of a joint that locks some axes."""
        return rp.GenericJointBuilder(mask(locked)).contacts_enabled(self._contacts)

    def insert(self, builder: rp.GenericJointBuilder) -> rp.ImpulseJointHandle:
        """Insert a joint into the world."""
        return self._insertions.insert(self._bodies, builder.build())

    def lock(self, spec: JointSpec) -> LockJoint:
        """Insert the locks and ranges of a spec, whose frames are yet to be placed."""
        builder = self.builder(spec.locked)
        for axis, minimum, maximum in spec.ranges:
            builder = builder.limits(AXES[axis], minimum, maximum)
        if spec.coupled:
            builder = builder.coupled_axes(mask(frozenset(spec.coupled)))
        return LockJoint(spec, self.insert(builder))

    def range(self, limit: Limit) -> EngineJoint:
        """Insert bounds of the engine's own angles, about each axis of a limit."""
        builder = self.builder()
        low, high = max(limit.minimum, -WIDEST), min(limit.maximum, WIDEST)
        low = low if len(limit.angular_axes) == 1 else -high
        for axis in limit.angular_axes:
            builder = builder.limits(AXES[3 + axis], low, high)
        return EngineJoint(self.insert(builder))

    def along_gradient(self, shared: frozenset[int]) -> GradientJoint:
        """Insert an angular row."""
        return GradientJoint(self.insert(self.builder(shared)), shared)

    def motor(
        self, axis: int, *, coupled: tuple[int, ...] = (), further_axes: tuple[int, ...] = ()
    ) -> MotorJoint:
        """Insert a motor, idle at first."""
        builder = self.builder()
        for each in (axis, *further_axes):
            builder = builder.motor_model(AXES[each], rp.MotorModel.FORCE_BASED)
            builder = builder.motor(AXES[each], 0.0, 0.0, 0.0, 0.0)
        if len(coupled) > 1:
            builder = builder.coupled_axes(mask(frozenset(coupled)))
        motor = MotorJoint(self.insert(builder), axis, further_axes)
        motor.bind(self._world)
        motor.data.set_enabled(False)
        return motor

    def plane_lock(self) -> PlaneLock:
        """Insert a lock to a plane, idle at first."""
        lock = PlaneLock(self.insert(self.builder(frozenset([0]))))
        lock.bind(self._world)
        lock.data.set_enabled(False)
        return lock


class LockJoint(EngineJoint):
    """The locks and ranges of a spec. Frame A is that of the scene's joint, moved by the spec."""

    def __init__(self, spec: JointSpec, handle: rp.ImpulseJointHandle) -> None:
        super().__init__(handle)
        self.spec = spec
        self.gap: Gap | None = None

    def revise(self, spec: JointSpec) -> None:
        """Adopt the numbers of a spec of the same structure; frames are yet to be placed."""
        self.spec = spec
        for axis, minimum, maximum in spec.ranges:
            self.data.set_limits(AXES[axis], minimum, maximum)

    def note_frames(self, frame_a: LocalFrame, frame_b: LocalFrame) -> None:
        """Record the poses of the frames of the scene's joint in their bodies."""
        self._frame_a, self._frame_b = frame_a, frame_b
        spec = self.spec
        is_moved = spec.rotation != IDENTITY or any(spec.offset)
        self._home = frame_a.then(spec.offset, spec.rotation) if is_moved else frame_a
        self._pose = self._home.pose

    def place_frames(self, frame_a: LocalFrame, frame_b: LocalFrame) -> None:
        """Put the frames where they are in their bodies, A moved by the spec."""
        self.note_frames(frame_a, frame_b)
        self._place()

    def _place(self) -> None:
        if self.gap is None:
            self.place(self._pose, self._frame_b.pose)
        else:
            frame_a = self._home.then(self.gap.offset, IDENTITY)
            self.place(frame_a.pose, self._frame_b.then(_NOWHERE, self.gap.rotation).pose)

    def open_to(self, position: Floats, rotation: Floats) -> None:
        """Begin to close from where frame B is in frame A of the scene's joint."""
        self.gap = self._gap_at(position, rotation)
        if self.gap is not None:
            self._place()

    def reopen(self, position: Floats, rotation: Floats) -> None:
        """Begin again if frame B has been pulled farther from where it belongs."""
        gap = self._gap_at(position, rotation)
        before = 0.0 if self.gap is None else max(self.gap.size)
        if gap is not None and max(gap.size) > before + _SMALL_GAP:
            self.gap = gap
            self._place()

    def _gap_at(self, position: Floats, rotation: Floats) -> Gap | None:
        inverse = conjugate(np.array(self.spec.rotation))
        offset = rotate(inverse, position - np.array(self.spec.offset))
        return find_gap(self.spec.locked, offset, multiply(inverse, rotation))

    def close(self, step: float) -> None:
        """Close by as much as a time step [s] allows."""
        if self.gap is not None:
            self.gap = self.gap.shrunk(step)
            self._place()


class GradientJoint(EngineJoint):
    """An angular row with its own engine joint, about the X axis of frames that Python rotates.

    `shares` are axes that this one may lock besides the joint of the scene, once that `is_closed`:
    the engine solves each joint as a whole, but one joint after the other.
    """

    def __init__(self, handle: rp.ImpulseJointHandle, shares: frozenset[int]) -> None:
        super().__init__(handle)
        self._shares, self.is_closed = shares, True
        self.anchor_a: Vector = (0.0, 0.0, 0.0)
        self.anchor_b: Vector = (0.0, 0.0, 0.0)

    def align(self, rotation_a: Quaternion, rotation_b: Quaternion) -> None:
        """Rotate the frames, each given in its body."""
        self.data.local_frame1 = (self.anchor_a, rotation_a)
        self.data.local_frame2 = (self.anchor_b, rotation_b)

    def set_bounds(self, minimum: float, maximum: float) -> None:
        """Keep the angle [rad] between bounds."""
        self.data.set_limits(rp.JointAxis.ANG_X, minimum, maximum)

    def share_locks(self, is_shared: bool) -> None:
        """Set whether it is solved with the locks that it shares; without them it is faster."""
        shares = is_shared and self.is_closed
        self.data.locked_axes = mask(self._shares if shares else frozenset())


class MotorJoint(EngineJoint):
    """A spring, damper or motor; `axis` (0 to 5) is the one that it acts along or about.

    Realigned motors act along or about the X axis. `further_axes` get the same target and gains.
    """

    def __init__(
        self, handle: rp.ImpulseJointHandle, axis: int, further_axes: tuple[int, ...] = ()
    ) -> None:
        super().__init__(handle)
        self.axis, self._further_axes = axis, further_axes

    def set_axis(self, axis: int) -> None:
        """Act along or about another axis from now on."""
        if axis != self.axis:
            self.set_target(0.0, 0.0, 0.0, 0.0, 0.0)
            self.axis = axis
            self.data.set_motor_model(AXES[axis], rp.MotorModel.FORCE_BASED)

    def set_target(
        self,
        target: float,
        velocity: float,
        stiffness: float,
        damping: float,
        force: float,
        direction: Sequence[float] = (1.0, 0.0, 0.0),
    ) -> None:
        """Pull towards a target with a spring and damper of limited force.

        With further axes, the velocity is along or about a direction of the joint's frames.
        """
        for each in (self.axis, *self._further_axes):
            part = velocity * direction[each % 3] if self._further_axes else velocity
            self.data.set_motor(AXES[each], target, part, stiffness, damping)
            self.data.set_motor_max_force(AXES[each], force)

    def enable(self, is_enabled: bool) -> None:
        """Enable or disable the joint in the engine."""
        self.data.set_enabled(is_enabled)

    @property
    def impulse(self) -> float:
        """Impulse [N s] of the last iteration; below zero it drove the frames apart."""
        motor = self.data.motor(AXES[self.axis])
        return motor.impulse if motor is not None else 0.0


class PlaneLock(EngineJoint):
    """Holds frame B at a plane across the X axis of a frame in body A."""

    def hold(self, frame_a: RigidPose, frame_b: RigidPose) -> None:
        """Hold frame B, given in its body, at the plane through frame A."""
        self.place(frame_a, frame_b)
        self.data.set_enabled(True)

    def release(self) -> None:
        """Release frame B."""
        self.data.set_enabled(False)


def find_gap(locked: frozenset[int], position: Floats, rotation: Floats) -> Gap | None:
    """Return the gap of the locks, None if it is negligible.

    `position` and `rotation` are frame B in the frame whose axes are locked.
    """
    turn = normalize(rotation)
    excess = _excess_rotation(locked, turn)
    back = multiply(conjugate(turn), multiply(conjugate(excess), turn))
    gap = Gap(np.where(np.isin(np.arange(3), [*locked]), position, 0.0), np.asarray(back))
    return gap if max(gap.size) > _SMALL_GAP else None


def _excess_rotation(locked: frozenset[int], rotation: Floats) -> Floats:
    """Return the smallest rotation of frame A that satisfies the locked axes."""
    axes = [axis - 3 for axis in locked if axis >= 3]
    if not axes:
        return np.array(IDENTITY)
    if len(axes) == 3:
        return rotation
    if len(axes) == 2:
        swing, _ = swing_twist(rotation, np.eye(3)[3 - sum(axes)])
        return np.asarray(swing)
    _, twist = swing_twist(rotation, np.eye(3)[axes[0]])
    return np.asarray(twist)
