"""JSON objects of the newest KHR_physics_rigid_bodies, from values checked by their tables."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Collection, Iterable
from typing import Any

from ligament.author import arguments
from ligament.errors import EditError
from ligament.extensions.rigid_bodies import CollisionFilter, Drive, Limit, Material, MotionKind
from ligament.extensions.rigid_bodies.filter import FILTER
from ligament.extensions.rigid_bodies.joint import DRIVE, LIMIT
from ligament.extensions.rigid_bodies.material import MATERIAL
from ligament.extensions.rigid_bodies.motion import MOTION, Motion
from ligament.extensions.shapes import (
    IMPLICIT_SHAPE,
    Box,
    Capsule,
    Cylinder,
    ImplicitShape,
    Plane,
    Sphere,
)
from ligament.extensions.tables.rows import NOWHERE, Row
from ligament.extensions.tables.table import Table

Object = dict[str, Any]

SHAPES = (Sphere, Box, Capsule, Cylinder, Plane)

_OMITTED: Any = {row.attribute: {"is_written": False} for row in MATERIAL.rows}
_MATERIAL = MATERIAL.changed(**_OMITTED)

_POSITIVE = {"radius", "size", "height", "max_force"}
"""Attributes of which an author should not give 0, though a file may."""

_WORDS = {
    **{name: f"the {name}" for name in ("mass", "radius", "height", "stiffness", "damping")},
    "linear_velocity": "the linearVelocity",
    "angular_velocity": "the angularVelocity",
    "size": "the size of the box",
    **{row.attribute: row.name for row in (*FILTER.rows, *LIMIT.rows[:2])},
    **{row.attribute: row.name for row in IMPLICIT_SHAPE.tables["plane"].rows[:2]},
}
"""Names of attributes in errors; all others have their own."""

_DRIVE_WORDS = {
    name: f"the {name} of a drive" for name in ("type", "mode", "axis", "stiffness", "damping")
}


def _written(table: Any, view: Any) -> Object:
    """Return the JSON of a view, with whole numbers as integers."""
    content: Object = plain(table.write(view, NOWHERE))
    return content


def _checked(
    table: Table, given: Any, what: str = "", words: Any = _WORDS, *, but: Collection[str] = ()
) -> Any:
    """Return a view with the values that its rows allow; those in `but` are not looked at."""
    if not isinstance(given, table.view):
        raise arguments.refused(what, given, f"give a {table.view.__name__}")
    rows = [row for row in table.rows if row.attribute not in but]
    values = {row.attribute: _value(row, getattr(given, row.attribute), words) for row in rows}
    return dataclasses.replace(given, **values)


def _value(row: Row, value: Any, words: Any = _WORDS) -> Any:
    if value is None and row.default is None and not row.required:
        return None
    what = words.get(row.attribute, row.attribute)
    return arguments.of_row(row, value, what, is_positive=row.attribute in _POSITIVE)


def shape_object(shape: ImplicitShape) -> Object:
    """Write a shape; sizes must be above 0, but one of two radii may be 0."""
    table = IMPLICIT_SHAPE.tables[IMPLICIT_SHAPE.kind(shape)]
    sized = _checked(table, shape)
    if isinstance(sized, Capsule | Cylinder) and not (sized.radius_bottom or sized.radius_top):
        raise EditError("both radii are 0", remedy="give one above 0")
    return _written(IMPLICIT_SHAPE, sized)


def material_object(material: Material) -> Object:
    """Write a material; values that are the default are left out."""
    return _written(_MATERIAL, _checked(_MATERIAL, material, "the material"))


def filter_object(given: CollisionFilter) -> Object:
    """Write a filter with at most one of collide_with and not_collide_with."""
    unnamed = () if getattr(given, "systems", ()) else ("systems",)
    known = _checked(FILTER, given, "the filter", but=unnamed)
    if known.collide_with is not None and known.not_collide_with is not None:
        both = "the filter has both collide_with and not_collide_with"
        raise EditError(both, remedy="keep one of them")
    result = _written(
        FILTER, known if known.systems else dataclasses.replace(known, systems=frozenset())
    )
    if not result:
        raise EditError("the filter names no system", remedy="name one, or leave the filter out")
    return result


def motion_object(kind: MotionKind, **given: Any) -> Object:
    """Write a motion from values of its attributes; None is what is computed, or the default."""
    values = {
        row.attribute: _value(row, given[row.attribute])
        for row in MOTION.rows
        if given.get(row.attribute) is not None
    }
    if "inertia_orientation" in values and "inertia_diagonal" not in values:
        raise EditError("inertia_orientation has no effect alone", remedy="give inertia_diagonal")
    return _written(MOTION, Motion(0, kind=kind, **values))


def joint_object(limits: Iterable[Limit], drives: Iterable[Drive]) -> Object:
    """Write a joint description."""
    written = [_numbered(limit_object, i, "limit", x) for i, x in enumerate(limits)]
    driven = [_numbered(drive_object, i, "drive", x) for i, x in enumerate(drives)]
    return {name: of for name, of in (("limits", written), ("drives", driven)) if of}


def _numbered(write: Callable[[Any], Object], index: int, what: str, given: Any) -> Object:
    try:
        return write(given)
    except EditError as fault:
        raise EditError(f"{what} {index}: {fault.message}", remedy=fault.remedy) from None


def limit_object(limit: Limit) -> Object:
    """Write a limit; infinite bounds are left out."""
    bounded = _checked(LIMIT, limit, "a limit", but=("minimum", "maximum"))
    if bool(bounded.linear_axes) == bool(bounded.angular_axes):
        found = f"a limit on {'both kinds of' if bounded.linear_axes else 'no'} axes"
        raise EditError(found, remedy="give one of linear_axes and angular_axes")
    low, high = arguments.interval((limit.minimum, limit.maximum), "the limit")
    count = len(bounded.linear_axes) + len(bounded.angular_axes)
    if count > 1 and -math.inf < low < 0:
        raise EditError(f"a limit on {count} axes from {low:g}", remedy="distances start at 0")
    if math.isinf(bounded.stiffness) and bounded.damping:
        raise EditError("damping without stiffness does nothing", remedy="give a stiffness")
    return _written(LIMIT, dataclasses.replace(bounded, minimum=low, maximum=high))


def drive_object(drive: Drive) -> Object:
    """Write a drive; each target needs its gain, and the force must be above 0."""
    driven = _checked(DRIVE, drive, "a drive", _DRIVE_WORDS)
    if not (driven.stiffness or driven.damping):
        raise EditError("a drive without stiffness and damping does nothing", remedy="give one")
    if (driven.position_target and not driven.stiffness) or (
        driven.velocity_target and not driven.damping
    ):
        raise EditError(
            "a target without its gain is never reached",
            remedy="give stiffness for a position, damping for a velocity",
        )
    return _written(DRIVE, driven)


def plain(value: Any) -> Any:
    """Return JSON with whole numbers as integers, which are shorter."""
    match value:
        case float():
            return int(value) if value.is_integer() and abs(value) < 1e15 else value
        case list():
            return [plain(item) for item in value]
        case dict():
            return {name: plain(item) for name, item in value.items()}
    return value
