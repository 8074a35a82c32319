"""Parts of a scene that have changed since the start: kept, saved and restored."""

from __future__ import annotations

import dataclasses

import msgspec
import numpy as np

from ligament.extensions.declarations import Drive, Limit, MotionKind
from ligament.physics.engines import Vector
from ligament.physics.engines.rapier.poses import Quaternion, quaternion, vector
from ligament.physics.mass import MassProperties
from ligament.physics.scene import Body, Joint, Scene


class SavedBody(msgspec.Struct, array_like=True, frozen=True):
    """The value of a body, but for its pose, which never changes: it is that of the start."""

    kind: MotionKind
    mass: float
    center: Vector
    inertia: Vector
    orientation: Quaternion
    linear_velocity: Vector
    angular_velocity: Vector
    gravity_factor: float

    @classmethod
    def of(cls, body: Body) -> SavedBody:
        """Return what a snapshot keeps of a body."""
        mass = body.mass
        return cls(
            body.kind,
            float(mass.mass),
            vector(mass.center),
            vector(mass.inertia),
            quaternion(mass.orientation),
            vector(body.linear_velocity),
            vector(body.angular_velocity),
            float(body.gravity_factor),
        )

    def restored(self, body: Body) -> Body:
        """Return a body with the values that were saved."""
        numbers = (np.array(v) for v in (self.center, self.inertia, self.orientation))
        return dataclasses.replace(
            body,
            kind=self.kind,
            mass=MassProperties(self.mass, *numbers),
            linear_velocity=np.array(self.linear_velocity),
            angular_velocity=np.array(self.angular_velocity),
            gravity_factor=self.gravity_factor,
        )


class SavedJoint(msgspec.Struct, array_like=True, frozen=True):
    """The value of a joint, but for its frames, which move by themselves."""

    limits: tuple[Limit, ...]
    drives: tuple[Drive, ...]
    ignores: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, joint: Joint) -> SavedJoint:
        """Return what a snapshot keeps of a joint."""
        return cls(tuple(joint.limits), tuple(joint.drives), joint.ignores)

    def restored(self, joint: Joint) -> Joint:
        """Return a joint with the values that were saved."""
        return dataclasses.replace(
            joint, limits=self.limits, drives=self.drives, ignores=self.ignores
        )


class SavedParts(msgspec.Struct, array_like=True, frozen=True):
    """Changed parts by index, and joints that are on their way to other bounds."""

    bodies: dict[int, SavedBody] = {}
    joints: dict[int, SavedJoint] = {}
    goals: dict[int, SavedJoint] = {}
    under_way: list[int] = []


class Parts:
    """The present parts of a scene.

    `goals` are values that joints have yet to arrive at, which those `under_way` began to.
    """

    def __init__(self, scene: Scene) -> None:
        self._first = self.scene = scene
        self.goals: dict[int, Joint] = {}
        self.under_way: set[int] = set()
        self._bodies: set[int] = set()
        self._joints: set[int] = set()

    @property
    def has_changed(self) -> bool:
        """Whether anything is, or is about to be, other than at the start."""
        return bool(self._bodies or self._joints or self.goals)

    def set_body(self, index: int, body: Body) -> None:
        """Replace a body."""
        bodies = list(self.scene.bodies)
        bodies[index] = body
        self.scene = dataclasses.replace(self.scene, bodies=tuple(bodies))
        self._bodies.add(index)

    def set_joint(self, index: int, joint: Joint) -> None:
        """Replace a joint."""
        joints = list(self.scene.joints)
        joints[index] = joint
        self.scene = dataclasses.replace(self.scene, joints=tuple(joints))
        self._joints.add(index)

    def saved(self) -> SavedParts:
        """Return what a snapshot keeps."""
        scene = self.scene
        return SavedParts(
            {i: SavedBody.of(scene.bodies[i]) for i in sorted(self._bodies)},
            {i: SavedJoint.of(scene.joints[i]) for i in sorted(self._joints)},
            {i: SavedJoint.of(goal) for i, goal in self.goals.items()},
            sorted(self.under_way),
        )

    def restore(self, saved: SavedParts) -> None:
        """Go back to what was saved."""
        first = self.scene = self._first
        self._bodies.clear()
        self._joints.clear()
        for i, body in saved.bodies.items():
            self.set_body(i, body.restored(first.bodies[i]))
        for i, joint in saved.joints.items():
            self.set_joint(i, joint.restored(first.joints[i]))
        self.goals = {i: goal.restored(first.joints[i]) for i, goal in saved.goals.items()}
        self.under_way = set(saved.under_way)
