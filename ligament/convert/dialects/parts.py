"""Parts that KHR and OMI write alike: materials, filters, limits, drives, sizes of shapes."""

from __future__ import annotations

import math
from typing import Any

from ligament.convert.dialects.tables import present
from ligament.extensions.declarations import (
    Box,
    Capsule,
    CollisionFilter,
    Cylinder,
    Drive,
    ImplicitShape,
    Limit,
    Material,
    Plane,
    Sphere,
)


def material_members(material: Material) -> dict[str, Any]:
    """Return a material; its numbers are written even where they are the defaults."""
    return present(
        staticFriction=material.static_friction,
        dynamicFriction=material.dynamic_friction,
        restitution=material.restitution,
        frictionCombine=material.friction_combine and str(material.friction_combine),
        restitutionCombine=material.restitution_combine and str(material.restitution_combine),
    )


def filter_members(collision_filter: CollisionFilter) -> dict[str, Any]:
    """Return a filter; a list that is there may be empty, which is not the same as absent."""
    members: dict[str, Any] = present(collisionSystems=sorted(collision_filter.systems))
    if collision_filter.collide_with is not None:
        members["collideWithSystems"] = sorted(collision_filter.collide_with)
    if collision_filter.not_collide_with is not None:
        members["notCollideWithSystems"] = sorted(collision_filter.not_collide_with)
    return members


def limit_members(limit: Limit) -> dict[str, Any]:
    """Return a limit; a bound or stiffness that is infinite is absent."""
    is_soft = math.isfinite(limit.stiffness)
    return present(
        linearAxes=list(limit.linear_axes),
        angularAxes=list(limit.angular_axes),
        min=finite(limit.minimum),
        max=finite(limit.maximum),
        stiffness=finite(limit.stiffness),
        damping=limit.damping if is_soft and limit.damping else None,
    )


def drive_members(drive: Drive) -> dict[str, Any]:
    """Return a drive; a target and its gain stand together or not at all."""
    holds = drive.stiffness or drive.position_target
    damps = drive.damping or drive.velocity_target
    return present(
        type=drive.type,
        mode=drive.mode,
        axis=drive.axis,
        maxForce=finite(drive.max_force),
        positionTarget=drive.position_target if holds else None,
        stiffness=drive.stiffness if holds else None,
        velocityTarget=drive.velocity_target if damps else None,
        damping=drive.damping if damps else None,
    )


def shape_type(shape: ImplicitShape) -> str:
    """Name the type of a shape, as all dialects do."""
    return type(shape).__name__.lower()


def shape_sizes(shape: ImplicitShape) -> dict[str, Any]:
    """Return the sizes of a shape; a capsule's height lies between the centres of its balls."""
    match shape:
        case Sphere(radius):
            return {"radius": radius}
        case Box(size):
            return {"size": list(size)}
        case Capsule(height, bottom, top) | Cylinder(height, bottom, top):
            return {"height": height, "radiusBottom": bottom, "radiusTop": top}
        case Plane(size_x, size_z, double_sided):
            return present(sizeX=size_x, sizeZ=size_z, doubleSided=double_sided or None)


def finite(number: float) -> float | None:
    """Return a number that JSON can hold, None for infinity."""
    return number if math.isfinite(number) else None
