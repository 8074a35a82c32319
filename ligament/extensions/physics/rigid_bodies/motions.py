"""Motions of nodes: mass, inertia, velocities."""

from __future__ import annotations

import math

from ligament.extensions.declarations import Motion, MotionKind, Quaternion
from ligament.extensions.fields import Fields
from ligament.extensions.physics.rigid_bodies.vocabulary import Vocabulary

MEMBERS = frozenset(
    {
        "isKinematic",
        "mass",
        "centerOfMass",
        "inertiaDiagonal",
        "inertiaOrientation",
        "linearVelocity",
        "angularVelocity",
        "gravityFactor",
    }
)

_AT_REST = (0.0, 0.0, 0.0)
_UNTURNED = (0.0, 0.0, 0.0, 1.0)


def read_motion(fields: Fields, node: int, vocabulary: Vocabulary) -> Motion:
    """Read a body; a mass or moment of inertia of 0 means infinity, which JSON lacks."""
    fields.only(MEMBERS)
    return motion_of(fields, node, vocabulary)


def motion_of(fields: Fields, node: int, vocabulary: Vocabulary) -> Motion:
    """Read a body from among other members."""
    mass = fields.number("mass", vocabulary.mass, minimum=0.0, infinite=True)
    inertia = fields.vector(
        "inertiaDiagonal", 3, vocabulary.inertia_diagonal, minimum=0.0, infinite=True
    )
    is_kinematic = fields.boolean("isKinematic", False)
    orientation = read_orientation(fields)
    return Motion(
        node=node,
        kind=MotionKind.KINEMATIC if is_kinematic else MotionKind.DYNAMIC,
        mass=math.inf if mass == 0 else mass,
        center_of_mass=fields.vector("centerOfMass", 3, vocabulary.center_of_mass),
        inertia_diagonal=None if inertia is None else infinite_where_zero(inertia),
        inertia_orientation=orientation,
        linear_velocity=fields.vector("linearVelocity", 3, _AT_REST),
        angular_velocity=fields.vector("angularVelocity", 3, _AT_REST),
        gravity_factor=fields.number("gravityFactor", 1.0),
        pointer=fields.pointer,
    )


def read_orientation(fields: Fields) -> Quaternion:
    """Read the frame of the principal moments, which says nothing without them."""
    before = len(fields.findings)
    orientation = fields.rotation("inertiaOrientation", _UNTURNED)
    is_alone = "inertiaOrientation" in fields and "inertiaDiagonal" not in fields
    if is_alone and len(fields.findings) == before:
        message, remedy = "it rotates no moments of inertia: none are given", "give inertiaDiagonal"
        code = "PHYSICS_INERTIA_ORIENTATION_ALONE"
        fields.report(code, message, remedy, "inertiaOrientation")
    return orientation


def infinite_where_zero(inertia: tuple[float, float, float]) -> tuple[float, float, float]:
    """Replace moments of 0 with infinity, individually."""
    x, y, z = (moment or math.inf for moment in inertia)
    return x, y, z
