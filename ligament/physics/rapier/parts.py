"""Joints of the engine made from the parts of a plan: building, placing and closing them.

Frame A of a part is the joint's own frame A, shifted and turned by the plan. A joint that is far
from closed at the start would be shut within one substep; instead its frame A begins where frame
B is and goes home at a limited speed. The engine takes such moves as corrections of position,
which leave no velocity behind, so that closing adds no energy.
"""

from __future__ import annotations

import dataclasses
from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt
import rapier3d as rp

from ligament.arrays import Floats
from ligament.physics.rapier.placements import Placement, Quaternion, placement
from ligament.physics.rapier.plan import NO_TURN, WINDOW, Part
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
    def placement(self) -> Placement:
        """The frame in the form that the engine takes."""
        return placement(self.translation, self.rotation)


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
        self._placement = self._home.placement

    def place(self, frame_a: Frame, frame_b: Frame) -> None:
        """Put the frames where they are in their bodies."""
        self.note(frame_a)
        self.data.local_frame2 = frame_b.placement
        self._put()

    def _put(self) -> None:
        if self.opening is None:
            self.data.local_frame1 = self._placement
        else:
            opened = self._home.then(self.opening.shift, self.opening.turn)
            self.data.local_frame1 = opened.placement

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
