"""The scene: what the physics of a document means, without a word of glTF or of an engine.

Everything is in metres, kilograms, radians and seconds, right-handed, Y up. A body's frame lies at
the world position of its node and has the node's world rotation (the product of the local
rotations); scale is already applied to shapes and offsets.
"""

from __future__ import annotations

import dataclasses
from functools import cached_property

import numpy as np

from ligament.arrays import Floats
from ligament.extensions.rigid_bodies import CollisionFilter, Drive, Limit, Material, MotionKind
from ligament.physics.mass import MassProperties
from ligament.physics.shapes import Shape
from ligament.transforms import rotate


@dataclasses.dataclass(frozen=True, eq=False)
class Pose:
    """A position (3,) [m] and a rotation (4,) xyzw."""

    translation: Floats
    rotation: Floats


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class Body:
    """A rigid body, or a static one that joints and colliders are attached to.

    `pose` is the initial world pose. `linear_velocity` [m/s] is that of the centre of mass,
    `angular_velocity` in rad/s; both in the world. `is_driven` bodies follow poses from outside
    (animation). `is_declared` tells bodies that the file declares from those made for static
    colliders.
    """

    node: int
    kind: MotionKind
    pose: Pose
    mass: MassProperties
    linear_velocity: Floats
    angular_velocity: Floats
    gravity_factor: float = 1.0
    is_driven: bool = False
    is_declared: bool = True

    @cached_property
    def center(self) -> Floats:
        """The initial world position (3,) [m] of the centre of mass."""
        return np.asarray(self.pose.translation + rotate(self.pose.rotation, self.mass.center))

    @property
    def is_free(self) -> bool:
        """Whether forces move the body."""
        return self.kind is MotionKind.DYNAMIC and not self.is_driven


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class Collider:
    """A shape fixed to a body; `pose` is in the frame of the body.

    `is_sensor` shapes detect overlaps and push nothing. `moves` means that an animation changes the
    pose in the body, `changes` that it changes the shape; a shape without extent is disabled.
    """

    node: int
    body: int
    shape: Shape
    pose: Pose
    material: Material
    filter: CollisionFilter | None = None
    is_sensor: bool = False
    moves: bool = False
    changes: bool = False


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class Trigger:
    """A node that reports overlaps: its own sensors, or those of its member triggers.

    `colliders` are the indices of all its sensors.
    """

    node: int
    colliders: tuple[int, ...]


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class Frame:
    """An attachment: a pose in the frame of a body; `node` is the node it was taken from."""

    node: int
    body: int
    pose: Pose
    moves: bool = False


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class Joint:
    """Two frames and the limits and drives between them.

    Limits measure frame B in frame A. `ignores` lists pairs of bodies that do not collide because
    of the joint.
    """

    node: int
    a: Frame
    b: Frame
    limits: tuple[Limit, ...]
    drives: tuple[Drive, ...]
    ignores: tuple[tuple[int, int], ...] = ()


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class Scene:
    """All parts of a scene; joints, colliders and triggers refer to bodies by index.

    `carried` pairs driven bodies with bodies above them that the engine moves: the driven body
    follows the other, so the two never push each other.
    """

    bodies: tuple[Body, ...] = ()
    colliders: tuple[Collider, ...] = ()
    triggers: tuple[Trigger, ...] = ()
    joints: tuple[Joint, ...] = ()
    carried: tuple[tuple[int, int], ...] = ()
