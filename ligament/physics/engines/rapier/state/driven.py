"""Driven bodies: at exact constant velocity, or moved from outside."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

import rapier3d as rp

from ligament.extensions.rigid_bodies import MotionKind
from ligament.physics.engines import State, Vector
from ligament.physics.engines.constant_motion import ConstantMotion, shifted_velocity
from ligament.physics.engines.poses import RigidPose, as_pose, vector
from ligament.physics.engines.rapier.stage import Stage
from ligament.physics.engines.rapier.state.bodies import BodySource
from ligament.physics.engines.rapier.world.build import engine_mass, set_free
from ligament.physics.mass import MassProperties
from ligament.physics.scene import Body


class DrivenBodies(Stage):
    """The moving bodies of a scene that no force moves.

    `motions` are the constant ones; `targets` are poses for the next step, `poses` those of the
    last one, more precise than the engine's.
    """

    def __init__(self, motions: dict[int, ConstantMotion], step: float) -> None:
        self.motions = motions
        self.targets: dict[int, RigidPose] = {}
        self.poses: dict[int, RigidPose] = {}
        self._step = step

    def bind(self, world: rp.PhysicsWorld, source: BodySource) -> None:
        """Bind to the bodies of a world."""
        self._bodies = source.bodies

    @property
    def memory(self) -> Any:
        """The motions, targets and poses."""
        return self.motions, self.targets, self.poses

    def restore(self, memory: Any) -> None:
        """Continue from a memory."""
        self.motions, self.targets, self.poses = memory

    def move(self, body: int, pose: RigidPose) -> None:
        """Make a body arrive at a pose with the next step."""
        self.targets[body] = pose
        self._bodies[body].set_next_kinematic_position(pose)

    def before_step(self, now: int) -> None:
        """Advance the constant ones, after so many steps."""
        for body, motion in self.motions.items():
            self.move(body, motion.at((now + 1 - motion.since) * self._step))

    def after_step(self, now: int) -> Iterable[int]:
        """Note that all are at their targets."""
        if self.targets:
            self.poses |= self.targets
            self.targets.clear()
        return ()

    def teleport(self, body: int, pose: RigidPose, now: int) -> None:
        """Note that a body was teleported; a constant one continues from there."""
        self.targets.pop(body, None)
        if body in self.motions or body in self.poses:
            self.poses[body] = pose
        if body in self.motions:
            motion = self.motions[body]
            self.motions[body] = dataclasses.replace(motion, start=pose, since=now)

    def set_velocity(self, body: int, linear: Vector, angular: Vector, steps: int) -> None:
        """Continue a constant body at another velocity [m/s] and angular velocity [rad/s]."""
        motion = self.motions[body]
        here = self.poses.get(body, motion.start)
        self.motions[body] = ConstantMotion(here, motion.center, linear, angular, steps)

    def start(self, body: int, motion: ConstantMotion) -> None:
        """Move a body at constant velocity from now on."""
        self.motions[body], self.poses[body] = motion, motion.start

    def set_center(self, body: int, center: Vector, steps: int) -> None:
        """Continue a constant body about another centre of mass [m], given in its frame."""
        motion = self.motions[body]
        here = self.poses.get(body, motion.start)
        velocity = shifted_velocity(
            motion.linear_velocity, motion.angular_velocity, here[1], motion.center, center
        )
        self.motions[body] = ConstantMotion(here, center, velocity, motion.angular_velocity, steps)

    def release(self, body: int) -> ConstantMotion | None:
        """Stop moving a body; return its motion."""
        self.targets.pop(body, None)
        self.poses.pop(body, None)
        return self.motions.pop(body, None)

    def write(self, state: State) -> None:
        """Write exact poses and velocities over those of the engine."""
        for body, (translation, rotation) in self.poses.items():
            state.translation[body] = translation
            state.rotation[body] = rotation
        for body, motion in self.motions.items():
            state.linear_velocity[body] = motion.linear_velocity
            state.angular_velocity[body] = motion.angular_velocity


def set_mass(
    body: rp.RigidBody, colliders: rp.ColliderSet, before: MassProperties, mass: MassProperties
) -> None:
    """Change the mass of a body; its motion continues about the new centre."""
    body.set_additional_mass_properties(engine_mass(mass))
    body.recompute_mass_properties_from_colliders(colliders)
    centers = vector(before.center), vector(mass.center)
    if centers[0] != centers[1]:
        linear, angular = body.linvel.to_tuple(), body.angvel.to_tuple()
        moved = shifted_velocity(linear, angular, body.rotation.to_tuple(), *centers)
        body.linvel = rp.Vec3(*moved)


def set_kind(body: rp.RigidBody, index: int, value: Body, driven: DrivenBodies, now: int) -> None:
    """Make a body keep its velocity, whatever it meets, or let forces move it again.

    `now` is the number of steps so far.
    """
    if value.kind is MotionKind.KINEMATIC:
        pose = as_pose(body.translation.to_tuple(), body.rotation.to_tuple())
        velocities = body.linvel.to_tuple(), body.angvel.to_tuple()
        body.body_type = rp.RigidBodyType.KINEMATIC_POSITION_BASED
        center = vector(value.mass.center)
        driven.start(index, ConstantMotion(pose, center, *velocities, now))
        return
    motion = driven.release(index)
    set_free(body)
    if motion is not None:
        body.linvel = rp.Vec3(*motion.linear_velocity)
        body.angvel = rp.Vec3(*motion.angular_velocity)
