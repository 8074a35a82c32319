"""Declarations of spring bones: one form for VRMC_springBone 1.0 and VRM 0.x.

Indices of nodes and colliders are valid, gravity is direction times power, and all vectors are in
glTF's own axes. Whether chains descend, share joints or have any length is for `rig.springs`.
"""

from __future__ import annotations

import dataclasses
from typing import Literal, TypeAlias

from ligament.extensions.fields import Quaternion, Vector
from ligament.findings import Finding

ShapeKind: TypeAlias = Literal["sphere", "capsule", "plane"]
LimitKind: TypeAlias = Literal["cone", "hinge", "spherical"]


@dataclasses.dataclass(frozen=True)
class Collider:
    """A collider that tails stay out of, or within (`inside`); lengths [m] in its node's space.

    `tail` is the other end of a capsule, `normal` the direction out of a plane. `radius` is
    measured in the world.
    """

    node: int
    kind: ShapeKind
    offset: Vector
    radius: float
    tail: Vector
    normal: Vector
    inside: bool
    pointer: str


@dataclasses.dataclass(frozen=True)
class Limit:
    """A limit of a joint's swing [rad] (VRMC_springBone_limit 1.0-draft).

    `angles` are one angle twice, or pitch and yaw; `rotation` turns the limit about the bone.
    """

    kind: LimitKind
    angles: tuple[float, float]
    rotation: Quaternion
    pointer: str


@dataclasses.dataclass(frozen=True)
class Joint:
    """A joint of a chain.

    `stiffness` and `gravity` are speeds [m/s] that pull the tail towards rest and along gravity;
    `drag` is the share of its motion that a tail loses in every update; `hit_radius` [m] is the
    radius of the tail.
    """

    node: int
    hit_radius: float
    stiffness: float
    gravity: Vector
    drag: float
    limit: Limit | None
    pointer: str


@dataclasses.dataclass(frozen=True)
class Spring:
    """A chain of joints, each the head of a bone that ends at the next one.

    `end` [m] is the distance from the last joint to its tail, straight on from the joint before
    (VRM 0.x); None where the last joint is only a tail. `colliders` are in the order in which they
    push. Inertia is measured in the space of the node `center` (None: the world).
    """

    name: str
    joints: tuple[Joint, ...]
    colliders: tuple[int, ...]
    center: int | None
    end: float | None
    pointer: str


@dataclasses.dataclass(frozen=True)
class SpringBones:
    """The spring bones of a file; `extension` is their source, None where there are none."""

    extension: str | None = None
    colliders: tuple[Collider, ...] = ()
    springs: tuple[Spring, ...] = ()
    findings: tuple[Finding, ...] = ()
