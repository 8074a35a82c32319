"""One row as a joint of the engine, along or about the X axis of frames that we turn."""

from __future__ import annotations

from typing import Final, Protocol

import rapier3d as rp

from ligament.physics.rapier.parts import AXES, PartJoint, mask
from ligament.physics.rapier.placements import Placement, Quaternion, Vector

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

    def place(self, frame_a: Placement, frame_b: Placement) -> None:
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

    def hold(self, frame_a: Placement, frame_b: Placement) -> None:
        """Hold frame B, given in its body, at the plane through frame A."""
        self.data.local_frame1 = frame_a
        self.data.local_frame2 = frame_b
        self.data.set_enabled(True)

    def release(self) -> None:
        """Let go."""
        self.data.set_enabled(False)
