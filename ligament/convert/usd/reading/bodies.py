"""Rigid bodies: what moves, how fast, and the masses that a prim itself declares."""

from __future__ import annotations

import math
from typing import Any

from ligament.convert.usd.reading.nodes import Nodes, remembered
from ligament.convert.usd.reading.stage import Stage, has_api
from ligament.extensions.declarations import Motion, MotionKind, Vector

_STILL = (0.0, 0.0, 0.0)


def read_motions(stage: Stage, nodes: Nodes) -> dict[int, Motion]:
    """Return the bodies by node; those that are switched off hold still, like what is no body."""
    found: dict[int, Motion] = {}
    for node, prim in enumerate(nodes.prims):
        if not has_api(prim, "PhysicsRigidBodyAPI"):
            continue
        if not stage.attributes.flag(prim, "physics:rigidBodyEnabled", default=True):
            reason = "it is switched off, and glTF has no switch"
            stage.lose(prim, "a rigid body", reason, "it is static")
            continue
        found[node] = _motion(stage, prim, node)
    return found


def _motion(stage: Stage, prim: Any, node: int) -> Motion:
    attributes, units = stage.attributes, stage.units
    is_kinematic = attributes.flag(prim, "physics:kinematicEnabled", default=False)
    if attributes.flag(prim, "physics:startsAsleep", default=False):
        effect = "it falls asleep by itself once it rests"
        stage.lose(prim, "a body that starts asleep", "bodies of glTF start awake", effect)
    velocity = attributes.vector(prim, "physics:velocity", _STILL)
    spin = attributes.vector(prim, "physics:angularVelocity", _STILL)
    floats = attributes.flag(prim, "physxRigidBody:disableGravity", default=False)
    has_mass = has_api(prim, "PhysicsMassAPI")
    moments = _moments(stage, prim) if has_mass else None
    turn = attributes.rotation(prim, "physics:principalAxes") if has_mass else None
    center = attributes.maybe_vector(prim, "physics:centerOfMass") if has_mass else None
    return Motion(
        node=node,
        kind=MotionKind.KINEMATIC if is_kinematic else MotionKind.DYNAMIC,
        mass=declared_mass(stage, prim),
        center_of_mass=None if center is None else _times(center, units.length),
        inertia_diagonal=moments,
        inertia_orientation=turn if turn and moments else (0.0, 0.0, 0.0, 1.0),
        linear_velocity=_times(velocity, units.length),
        angular_velocity=_times(spin, math.pi / 180),
        gravity_factor=0.0 if floats else _gravity_factor(prim),
    )


def _gravity_factor(prim: Any) -> float:
    factor = remembered(prim, "gravityFactor")
    is_number = isinstance(factor, int | float) and math.isfinite(factor)
    return float(factor) if is_number else 1.0


def declared_mass(stage: Stage, prim: Any) -> float | None:
    """Return the mass [kg] that a prim declares; 0 in USD means that it declares none."""
    if not has_api(prim, "PhysicsMassAPI"):
        return None
    mass = stage.attributes.number(prim, "physics:mass", 0.0, least=0)
    return mass * stage.units.mass or None


def declared_density(stage: Stage, prim: Any) -> float | None:
    """Return the density [kg/m³] that a prim declares; 0 means none."""
    density = stage.attributes.number(prim, "physics:density", 0.0, least=0)
    return density * stage.units.density or None


def _moments(stage: Stage, prim: Any) -> Vector | None:
    moments = stage.attributes.vector(prim, "physics:diagonalInertia", _STILL)
    if moments == _STILL:
        return None
    if min(moments) <= 0:
        reason = "moments of inertia must be above 0"
        stage.lose(prim, f"the inertia {moments}", reason, "it follows from the shapes")
        return None
    return _times(moments, stage.units.inertia)


def _times(vector: Vector, factor: float) -> Vector:
    x, y, z = vector
    return x * factor, y * factor, z * factor
