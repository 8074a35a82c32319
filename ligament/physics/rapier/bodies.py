"""Bodies and colliders of a scene in the form of the engine."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import rapier3d as rp

from ligament.extensions.declarations import MotionKind
from ligament.physics.mass import MassProperties
from ligament.physics.rapier.placements import Vector, placement, quaternion, vector
from ligament.physics.scene import Body

PREDICTION: Final = 10.0
"""Distance [m] over which the engine looks ahead for contacts of what moves fast."""

FASTEST: Final = 1e18
"""Speeds [m/s, rad/s] and places [m] beyond this overflow when the engine squares them."""


def is_usable(body: Body) -> bool:
    """Tell whether single precision holds where a body starts and how it moves."""
    values = np.concatenate(
        [body.pose.translation, body.pose.rotation, body.velocity, body.spin, body.mass.center]
    )
    return bool((np.abs(values) < FASTEST).all())


def is_constant(body: Body) -> bool:
    """Tell whether a body keeps the velocity that it has, whatever it meets."""
    return body.kind is MotionKind.KINEMATIC and not body.is_driven


def is_moving(body: Body) -> bool:
    """Tell whether the engine may move a body."""
    return body.is_driven or body.kind is not MotionKind.STATIC


def build_body(body: Body) -> rp.RigidBodyBuilder:
    """Return the builder of a body.

    What is driven or kinematic moves by poses: exact ones, where the engine would add up steps.
    """
    if not is_usable(body):
        return rp.RigidBody.fixed().enabled(False)
    pose = placement(body.pose.translation, body.pose.rotation)
    if body.is_driven or body.kind is MotionKind.KINEMATIC:
        return _with_mass(rp.RigidBody.kinematic_position_based(), body.mass).position(pose)
    if body.kind is MotionKind.STATIC:
        return rp.RigidBody.fixed().position(pose)
    return (
        _with_mass(rp.RigidBody.dynamic(), body.mass)
        .position(pose)
        .linvel(vector(body.velocity))
        .angvel(vector(body.spin))
        .gravity_scale(body.gravity_factor)
        .allow_fast_rotation(True)
        .soft_ccd_prediction(PREDICTION)
    )


def _with_mass(builder: rp.RigidBodyBuilder, mass: MassProperties) -> rp.RigidBodyBuilder:
    """Give a body its mass; to the engine a mass or moment of zero is infinite."""
    x, y, z = (_finite(moment) for moment in mass.inertia)
    moments: Vector = (x, y, z)
    properties = rp.MassProperties(
        vector(mass.center), _finite(mass.mass), moments, quaternion(mass.orientation)
    )
    return builder.additional_mass_properties(properties)


def _finite(value: float) -> float:
    return 0.0 if math.isinf(value) else float(value)
