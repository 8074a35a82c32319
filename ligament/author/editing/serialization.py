"""JSON objects of the newest KHR_physics_rigid_bodies, from checked values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from ligament.author import arguments
from ligament.errors import EditError
from ligament.extensions.rigid_bodies import CollisionFilter, Combine, Drive, Limit, Material
from ligament.extensions.rigid_bodies.joint import DRIVE_MODES, DRIVE_TYPES
from ligament.extensions.shapes import Box, Capsule, Cylinder, ImplicitShape, Plane, Sphere

Object = dict[str, Any]

SHAPES = (Sphere, Box, Capsule, Cylinder, Plane)


def shape_object(shape: ImplicitShape) -> Object:
    """Write a shape; sizes must be above 0, but one of two radii may be 0."""
    match shape:
        case Sphere(radius):
            return _shape("sphere", radius=_size(radius, "the radius"))
        case Box(size):
            sizes = arguments.vector(size, "the size of the box", above=0)
            return _shape("box", size=[plain(extent) for extent in sizes])
        case Capsule(height, bottom, top):
            return _shape("capsule", **_round(height, bottom, top))
        case Cylinder(height, bottom, top):
            return _shape("cylinder", **_round(height, bottom, top))
        case Plane(size_x, size_z, double_sided):
            given = {"sizeX": size_x, "sizeZ": size_z}
            known = {name: _size(s, name) for name, s in given.items() if s is not None}
            both = {"doubleSided": True} if arguments.flag(double_sided, "double_sided") else {}
            return _shape("plane", **known, **both)
    raise AssertionError(shape)


def _shape(kind: str, **members: Any) -> Object:
    return {"type": kind, kind: members}


def _size(value: Any, what: str) -> float:
    return plain(arguments.number(value, what, above=0))


def _round(height: Any, bottom: Any, top: Any) -> Object:
    radii = {
        "radiusBottom": plain(arguments.number(bottom, "radius_bottom", least=0)),
        "radiusTop": plain(arguments.number(top, "radius_top", least=0)),
    }
    if not any(radii.values()):
        raise EditError("both radii are 0", remedy="give one above 0")
    return {"height": _size(height, "the height"), **radii}


def material_object(material: Material) -> Object:
    """Write a material; combine modes that are None are left out."""
    if not isinstance(material, Material):
        raise arguments.refused("the material", material, "give a Material")
    known = Material()
    result: Object = {}
    for member, name in (
        ("staticFriction", "static_friction"),
        ("dynamicFriction", "dynamic_friction"),
        ("restitution", "restitution"),
    ):
        value = arguments.number(getattr(material, name), name, least=0)
        if value != getattr(known, name):
            result[member] = plain(value)
    for member, name in (
        ("frictionCombine", "friction_combine"),
        ("restitutionCombine", "restitution_combine"),
    ):
        mode = getattr(material, name)
        if mode is not None:
            result[member] = str(arguments.choice(mode, name, tuple(Combine)))
    return result


def filter_object(given: CollisionFilter) -> Object:
    """Write a filter with at most one of collide_with and not_collide_with."""
    if not isinstance(given, CollisionFilter):
        raise arguments.refused("the filter", given, "give a CollisionFilter")
    if given.collide_with is not None and given.not_collide_with is not None:
        raise EditError(
            "the filter has both collide_with and not_collide_with", remedy="keep one of them"
        )
    lists = {
        "collisionSystems": given.systems or None,
        "collideWithSystems": given.collide_with,
        "notCollideWithSystems": given.not_collide_with,
    }
    result = {name: arguments.words(x, name) for name, x in lists.items() if x is not None}
    if not result:
        raise EditError("the filter names no system", remedy="name one, or leave the filter out")
    return result


def motion_object(
    *,
    kinematic: bool,
    mass: Any,
    center_of_mass: Any,
    inertia_diagonal: Any,
    inertia_orientation: Any,
    linear_velocity: Any,
    angular_velocity: Any,
    gravity_factor: Any,
) -> Object:
    """Write a motion; infinite mass and moments become 0, which means infinite in files."""
    result: Object = {"isKinematic": True} if kinematic else {}
    if mass is not None:
        result["mass"] = _infinite_as_zero(
            arguments.number(mass, "the mass", above=0, infinite=True)
        )
    if center_of_mass is not None:
        result["centerOfMass"] = _plain(arguments.vector(center_of_mass, "center_of_mass"))
    if inertia_diagonal is not None:
        moments = arguments.vector(inertia_diagonal, "inertia_diagonal", above=0, infinite=True)
        result["inertiaDiagonal"] = [_infinite_as_zero(moment) for moment in moments]
    if inertia_orientation is not None:
        if inertia_diagonal is None:
            raise EditError(
                "inertia_orientation has no effect alone", remedy="give inertia_diagonal"
            )
        rotation = arguments.rotation(inertia_orientation, "inertia_orientation")
        result["inertiaOrientation"] = _plain(rotation)
    for name, given in (("linearVelocity", linear_velocity), ("angularVelocity", angular_velocity)):
        if given is not None and any(velocity := arguments.vector(given, f"the {name}")):
            result[name] = _plain(velocity)
    factor = arguments.number(gravity_factor, "gravity_factor")
    return result if factor == 1 else result | {"gravityFactor": plain(factor)}


def joint_object(limits: Iterable[Limit], drives: Iterable[Drive]) -> Object:
    """Write a joint description."""
    result: Object = {}
    written = [_numbered(limit_object, i, "limit", x) for i, x in enumerate(limits)]
    driven = [_numbered(drive_object, i, "drive", x) for i, x in enumerate(drives)]
    if written:
        result["limits"] = written
    if driven:
        result["drives"] = driven
    return result


def _numbered(write: Callable[[Any], Object], index: int, what: str, given: Any) -> Object:
    try:
        return write(given)
    except EditError as fault:
        raise EditError(f"{what} {index}: {fault.message}", remedy=fault.remedy) from None


def limit_object(limit: Limit) -> Object:
    """Write a limit; infinite bounds are left out."""
    if not isinstance(limit, Limit):
        raise arguments.refused("a limit", limit, "give a Limit")
    kinds = {"linearAxes": limit.linear_axes, "angularAxes": limit.angular_axes}
    named = {kind: _axes(axes, kind) for kind, axes in kinds.items() if len(axes)}
    if len(named) != 1:
        raise EditError(
            f"a limit on {'both kinds of' if named else 'no'} axes",
            remedy="give one of linear_axes and angular_axes",
        )
    low, high = arguments.interval((limit.minimum, limit.maximum), "the limit")
    (count,) = map(len, named.values())
    if count > 1 and -math.inf < low < 0:
        raise EditError(f"a limit on {count} axes from {low:g}", remedy="distances start at 0")
    result: Object = dict(named)
    if low > -math.inf:
        result["min"] = plain(low)
    if high < math.inf:
        result["max"] = plain(high)
    return result | _spring(limit)


def _axes(axes: Any, what: str) -> list[int]:
    valid = [axis for axis in axes if type(axis) is int and 0 <= axis <= 2]
    if len(valid) != len(axes) or len(set(valid)) != len(valid):
        raise arguments.refused(what, axes, "name one, two or three of 0, 1 and 2")
    return sorted(valid)


def _spring(limit: Limit) -> Object:
    stiffness = arguments.number(limit.stiffness, "the stiffness", least=0, infinite=True)
    damping = arguments.number(limit.damping, "the damping", least=0)
    if math.isinf(stiffness):
        if damping:
            raise EditError("damping without stiffness does nothing", remedy="give a stiffness")
        return {}
    return {"stiffness": plain(stiffness)} | ({"damping": plain(damping)} if damping else {})


def drive_object(drive: Drive) -> Object:
    """Write a drive; each target needs its gain, and the force must be above 0."""
    if not isinstance(drive, Drive):
        raise arguments.refused("a drive", drive, "give a Drive")
    stiffness = arguments.number(drive.stiffness, "the stiffness of a drive", least=0)
    damping = arguments.number(drive.damping, "the damping of a drive", least=0)
    position = arguments.number(drive.position_target, "position_target")
    velocity = arguments.number(drive.velocity_target, "velocity_target")
    if not (stiffness or damping):
        raise EditError("a drive without stiffness and damping does nothing", remedy="give one")
    if (position and not stiffness) or (velocity and not damping):
        raise EditError(
            "a target without its gain is never reached",
            remedy="give stiffness for a position, damping for a velocity",
        )
    result: Object = {
        "type": arguments.choice(drive.type, "the type of a drive", DRIVE_TYPES),
        "mode": arguments.choice(drive.mode, "the mode of a drive", DRIVE_MODES),
        "axis": _axes([drive.axis], "the axis of a drive")[0],
    }
    force = arguments.number(drive.max_force, "max_force", above=0, infinite=True)
    if math.isfinite(force):
        result["maxForce"] = plain(force)
    if stiffness:
        result |= {"positionTarget": plain(position), "stiffness": plain(stiffness)}
    if damping:
        result |= {"velocityTarget": plain(velocity), "damping": plain(damping)}
    return result


def plain(value: float) -> float:
    """Return whole numbers as integers, which are shorter in JSON."""
    return int(value) if value.is_integer() and abs(value) < 1e15 else value


def _plain(numbers: Iterable[float]) -> list[float]:
    return [plain(value) for value in numbers]


def _infinite_as_zero(value: float) -> float:
    return 0 if math.isinf(value) else plain(value)
