"""Joints of the engine made from the parts of a plan: building, placing and closing them.

Frame A of a part is the joint's own frame A, shifted and turned by the plan. A joint that is far
from closed at the start would be shut within one substep; instead its frame A begins where frame
B is and goes home at a limited speed. The engine takes such moves as corrections of position,
which leave no velocity behind, so that closing adds no energy.

One row as a joint of the engine, along or about the X axis of frames that we turn.
"""

from __future__ import annotations

import dataclasses
from functools import cache
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt
import rapier3d as rp

from ligament.arrays import Floats
from ligament.physics.engines.rapier.joints.plan import NO_TURN, WINDOW, Part
from ligament.physics.engines.rapier.poses import Quaternion, RigidPose, Vector, as_pose
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

CLOSING_SPEED: Final = 2.0
"""How fast [m/s and rad/s] a joint closes that is open at the start."""

_OPEN: Final = 5e-3
"""Gaps [m or rad] up to here are closed at once."""


@cache
def mask(axes: frozenset[int]) -> rp.JointAxesMask:
    """Return the engine's set of axes 0 to 5."""
    return rp.JointAxesMask(sum(1 << axis for axis in axes))


@dataclasses.dataclass(frozen=True, eq=False)
class Frame:
    """A frame fixed to a body: translation (3,) [m] and rotation (4,) in the body's frame."""

    translation: Floats
    rotation: Floats

    def then(self, shift: npt.ArrayLike, turn: npt.ArrayLike) -> Frame:
        """Return a frame that is given in this one."""
        return Frame(self.translation + rotate(self.rotation, shift), multiply(self.rotation, turn))

    @property
    def pose(self) -> RigidPose:
        """The frame in the form that the engine takes."""
        return as_pose(self.translation, self.rotation)


@dataclasses.dataclass(frozen=True, eq=False)
class Opening:
    """How far frame A of a part stands from where it belongs: shift (3,) [m] and turn (4,)."""

    shift: Floats
    turn: Floats

    @property
    def size(self) -> tuple[float, float]:
        """Distance [m] and angle [rad]."""
        angle = angle_between(self.turn, np.array(NO_TURN))
        return float(np.linalg.norm(self.shift)), float(angle)

    def shrunk(self, step: float) -> Opening | None:
        """Return what is left after a time step [s]; None once it is closed."""
        part = CLOSING_SPEED * step / max(self.size)
        if part >= 1:
            return None
        return Opening(self.shift * (1 - part), slerp(self.turn, np.array(NO_TURN), part))


class PartJoint:
    """A part as a joint of the engine."""

    def __init__(self, part: Part, handle: rp.ImpulseJointHandle) -> None:
        self.part, self.handle = part, handle
        self.opening: Opening | None = None
        self.width = WINDOW
        self.data: rp.GenericJoint

    @classmethod
    def insert(
        cls,
        part: Part,
        world: rp.PhysicsWorld,
        bodies: tuple[rp.RigidBodyHandle, rp.RigidBodyHandle],
        *,
        contacts: bool,
    ) -> PartJoint:
        """Make the joint, whose frames are yet to be placed."""
        builder = rp.GenericJointBuilder(mask(part.locked)).contacts_enabled(contacts)
        for axis, minimum, maximum in part.ranges:
            builder = builder.limits(AXES[axis], minimum, maximum)
        if part.coupled:
            builder = builder.coupled_axes(mask(frozenset(part.coupled)))
        return cls(part, world.impulse_joints.insert(*bodies, builder.build()))

    def bind(self, world: rp.PhysicsWorld) -> None:
        """Take hold of the joint in a world."""
        self.data = world.impulse_joints[self.handle].data

    def note(self, frame_a: Frame) -> None:
        """Remember where frame A of the scene's joint is in its body."""
        self._frame_a = frame_a
        self._home = home(self.part, frame_a)
        self._placement = self._home.pose

    def place(self, frame_a: Frame, frame_b: Frame) -> None:
        """Put the frames where they are in their bodies."""
        self.note(frame_a)
        self.data.local_frame2 = frame_b.pose
        self._put()

    def _put(self) -> None:
        if self.opening is None:
            self.data.local_frame1 = self._placement
        else:
            opened = self._home.then(self.opening.shift, self.opening.turn)
            self.data.local_frame1 = opened.pose

    def open_to(self, position: Floats, rotation: Floats) -> None:
        """Begin to close from where frame B is in frame A of the scene's joint."""
        inverse = conjugate(np.array(self.part.turn))
        offset = rotate(inverse, position - np.array(self.part.shift))
        self.opening = opening(self.part.locked, offset, multiply(inverse, rotation))
        if self.opening is not None:
            self._put()

    def close(self, step: float) -> None:
        """Close by as much as a time step [s] allows."""
        if self.opening is not None:
            self.opening = self.opening.shrunk(step)
            self._put()

    def brake(self, axis: int, turn: Quaternion) -> None:
        """Lock a hinge with frame A turned so in its body."""
        if self.opening is None:
            self.data.local_frame1 = (self._placement[0], turn)
            self.data.locked_axes = mask(self.part.locked | {axis})

    def release(self) -> None:
        """End what `brake` began."""
        self.data.locked_axes = mask(self.part.locked)
        self._put()

    def note_width(self, axis: int, bound: float, side: int, width: float) -> None:
        """Remember how far [m] from its bound a range with one bound ends: side 1 above, −1 below.

        `bound` lies along an axis of frame A.
        """
        shift = list(self.part.shift)
        shift[axis] = bound + side * width / 2
        others = [entry for entry in self.part.ranges if entry[0] != axis]
        self.width = width
        self.part = dataclasses.replace(
            self.part,
            shift=(shift[0], shift[1], shift[2]),
            ranges=(*others, (axis, -width / 2, width / 2)),
        )
        self.note(self._frame_a)

    def widen(self, axis: int, bound: float, side: int, width: float) -> None:
        """Let a range with one bound end further away (see `note_width`)."""
        self.note_width(axis, bound, side, width)
        self.data.set_limits(AXES[axis], -width / 2, width / 2)
        self._put()


def home(part: Part, frame_a: Frame) -> Frame:
    """Return where frame A of a part belongs."""
    if part.turn == NO_TURN and not any(part.shift):
        return frame_a
    return frame_a.then(part.shift, part.turn)


def opening(locked: frozenset[int], position: Floats, rotation: Floats) -> Opening | None:
    """Return by how much locks are broken, None where that is little.

    `position` and `rotation` are frame B in the frame whose axes are locked.
    """
    turn = _excess_turn(locked, normalize(rotation))
    linear = [axis for axis in locked if axis < 3]
    found = Opening(np.where(np.isin(np.arange(3), linear), position, 0.0), turn)
    distance, angle = found.size
    if max(distance, angle) <= _OPEN:
        return None
    if angle > _OPEN and 0 < len(linear) < 3:
        # Turned axes would mix what is locked with what is free.
        return Opening(position, turn)
    return found


def _excess_turn(locked: frozenset[int], rotation: Floats) -> Floats:
    """Return the smallest turn of frame A after which the locked axes are in order."""
    axes = [axis - 3 for axis in locked if axis >= 3]
    if not axes:
        return np.array(NO_TURN)
    if len(axes) == 3:
        return rotation
    if len(axes) == 2:
        swing, _ = swing_twist(rotation, np.eye(3)[3 - sum(axes)])
        return np.asarray(swing)
    _, twist = swing_twist(rotation, np.eye(3)[axes[0]])
    return np.asarray(twist)


UNBOUNDED: Final = 1e9
"""A distance [m] or force [N] that counts as endless."""


class Landing(Protocol):
    """Something that can be stopped at a bound."""

    def land(self, turn_a: Quaternion, turn_b: Quaternion) -> None:
        """Lock the row: the frames, turned so in their bodies, meet where it is at its bound."""

    def unlock(self) -> None:
        """End what `land` began."""


class AimedJoint:
    """An angular row with a joint of its own.

    `shares` are axes that the joint of the scene locks and that this one locks as well: the
    engine solves what stands in one joint at once, but one joint after the other.
    `only_lands` rows are heeded while they are locked.
    """

    def __init__(
        self,
        handle: rp.ImpulseJointHandle,
        *,
        shares: frozenset[int] = frozenset(),
        only_lands: bool = False,
    ) -> None:
        self.handle = handle
        self._only_lands = only_lands
        self.wanted = self.shares = shares
        self.is_joined = True
        self.anchor_a: Vector = (0.0, 0.0, 0.0)
        self.anchor_b: Vector = (0.0, 0.0, 0.0)
        self.data: rp.GenericJoint

    def bind(self, world: rp.PhysicsWorld) -> None:
        """Take hold of the joint in a world."""
        self.data = world.impulse_joints[self.handle].data

    def aim(self, turn_a: Quaternion, turn_b: Quaternion) -> None:
        """Turn the frames, each given in its body."""
        self.data.local_frame1 = (self.anchor_a, turn_a)
        self.data.local_frame2 = (self.anchor_b, turn_b)

    def bound(self, minimum: float, maximum: float) -> None:
        """Keep the angle [rad] between bounds."""
        self.data.set_limits(rp.JointAxis.ANG_X, minimum, maximum)

    def join_locks(self, is_joined: bool) -> None:
        """Solve the row together with the locks that it shares, or by itself, which is quicker."""
        if is_joined != self.is_joined:
            self.is_joined = is_joined
            self.unlock()

    def land(self, turn_a: Quaternion, turn_b: Quaternion) -> None:
        """Lock the row: the frames, turned so in their bodies, meet where it is at its bound."""
        self.aim(turn_a, turn_b)
        self.data.locked_axes = mask(self.shares | {3})
        if self._only_lands:
            self.data.set_enabled(True)

    def unlock(self) -> None:
        """End what `land` began."""
        self.data.locked_axes = mask(self.shares if self.is_joined else frozenset())
        if self._only_lands:
            self.data.set_enabled(False)


class HingeLanding:
    """A hinge that is stopped by the part which holds it, about an axis 3 to 5."""

    def __init__(self, part: PartJoint, axis: int) -> None:
        self._part, self._axis = part, axis

    def land(self, turn_a: Quaternion, turn_b: Quaternion) -> None:
        """Lock the hinge with frame A turned so in its body."""
        self._part.brake(self._axis, turn_a)

    def unlock(self) -> None:
        """End what `land` began."""
        self._part.release()


class MotorJoint:
    """A spring, damper or motor; `axis` (0 to 5) is the one that it acts along or about.

    `coupled` linear axes are one distance. Aimed motors act along or about the X axis. One that
    acts `beside` along or about further axes does the same there.
    """

    def __init__(
        self, handle: rp.ImpulseJointHandle, axis: int, beside: tuple[int, ...] = ()
    ) -> None:
        self.handle, self.axis, self._beside = handle, axis, beside
        self.is_fixed = False
        self.data: rp.GenericJoint

    @classmethod
    def insert(
        cls,
        world: rp.PhysicsWorld,
        bodies: tuple[rp.RigidBodyHandle, rp.RigidBodyHandle],
        axis: int,
        *,
        coupled: tuple[int, ...] = (),
        beside: tuple[int, ...] = (),
        contacts: bool,
    ) -> MotorJoint:
        """Make the joint, idle at first."""
        builder = rp.GenericJointBuilder(mask(frozenset())).contacts_enabled(contacts)
        for each in (axis, *beside):
            builder = builder.motor_model(AXES[each], rp.MotorModel.FORCE_BASED)
            builder = builder.motor(AXES[each], 0.0, 0.0, 0.0, 0.0)
        if len(coupled) > 1:
            builder = builder.coupled_axes(mask(frozenset(coupled)))
        joint = cls(world.impulse_joints.insert(*bodies, builder.build()), axis, beside)
        joint.bind(world)
        joint.data.set_enabled(False)
        return joint

    def bind(self, world: rp.PhysicsWorld) -> None:
        """Take hold of the joint in a world."""
        self.data = world.impulse_joints[self.handle].data

    def place(self, frame_a: RigidPose, frame_b: RigidPose) -> None:
        """Put the frames where they are in their bodies."""
        self.data.local_frame1 = frame_a
        self.data.local_frame2 = frame_b

    def act_along(self, axis: int) -> None:
        """Act along or about another axis from now on."""
        if axis != self.axis:
            self.pull(0.0, 0.0, 0.0, 0.0, 0.0)
            self.axis = axis
            self.data.set_motor_model(AXES[axis], rp.MotorModel.FORCE_BASED)

    def pull(
        self, target: float, velocity: float, stiffness: float, damping: float, force: float
    ) -> None:
        """Pull towards a target with a spring and damper of limited force."""
        for each in (self.axis, *self._beside):
            self.data.set_motor(AXES[each], target, velocity, stiffness, damping)
            self.data.set_motor_max_force(AXES[each], force)

    def enable(self, is_enabled: bool) -> None:
        """Have the engine heed or skip the joint."""
        self.data.set_enabled(is_enabled)

    @property
    def impulse(self) -> float:
        """Impulse [N s] of the last substep; below zero it drove the frames apart."""
        motor = self.data.motor(AXES[self.axis])
        return motor.impulse if motor is not None else 0.0


class LineLock:
    """A joint that holds frame B at a plane across the X axis of a frame in body A."""

    def __init__(self, handle: rp.ImpulseJointHandle) -> None:
        self.handle = handle
        self.data: rp.GenericJoint

    @classmethod
    def insert(
        cls,
        world: rp.PhysicsWorld,
        bodies: tuple[rp.RigidBodyHandle, rp.RigidBodyHandle],
        *,
        contacts: bool,
    ) -> LineLock:
        """Make the joint, idle at first."""
        builder = rp.GenericJointBuilder(rp.JointAxesMask.LIN_X).contacts_enabled(contacts)
        joint = cls(world.impulse_joints.insert(*bodies, builder.build()))
        joint.bind(world)
        joint.data.set_enabled(False)
        return joint

    def bind(self, world: rp.PhysicsWorld) -> None:
        """Take hold of the joint in a world."""
        self.data = world.impulse_joints[self.handle].data

    def hold(self, frame_a: RigidPose, frame_b: RigidPose) -> None:
        """Hold frame B, given in its body, at the plane through frame A."""
        self.data.local_frame1 = frame_a
        self.data.local_frame2 = frame_b
        self.data.set_enabled(True)

    def release(self) -> None:
        """Let go."""
        self.data.set_enabled(False)
