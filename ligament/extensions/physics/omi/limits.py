"""Limits and drives of OMI joints: `constraints` of 2023, `limits` and `drives` later.

Limits are per axis: a list of axes is short for one limit on each, whether linear or angular.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, TypeAlias

from ligament.extensions.fields import Fields, Target
from ligament.extensions.rigid_bodies import Drive, Limit
from ligament.extensions.rigid_bodies.joint import DRIVE, DRIVE_MODES, DRIVE_TYPES, Description
from ligament.extensions.tables.rows import LARGEST

StiffnessUnit: TypeAlias = Literal["auto", "literal"]
"""Meaning of `stiffness` of 2023: N/m as specified, or an engine's bias where it looks like one."""

LARGEST_BIAS = 1.0
"""The published samples of 2023 have 0.3 to 1, by which, as N/m, their ropes would sag 10 m."""

_AXES = Target("the axes", 3)


@dataclasses.dataclass(frozen=True)
class LimitForm:
    """Names of a limit's bounds in one era, and their defaults."""

    minimum_name: str
    maximum_name: str
    minimum: float
    maximum: float
    damping: float


CONSTRAINT = LimitForm("lowerLimit", "upperLimit", 0.0, 0.0, damping=1.0)
LIMIT = LimitForm("min", "max", -math.inf, math.inf, damping=0.0)


def read_constraint(fields: Fields, unit: StiffnessUnit) -> tuple[Limit, ...]:
    """Read an element of `constraints`, without a place in any joint."""
    stiffness = fields.number("stiffness", math.inf, minimum=0.0, exclusive=True, infinite=True)
    if unit == "auto" and stiffness <= LARGEST_BIAS:
        message = f"{stiffness:g} is read as an engine's bias, not as N/m: the limit is hard"
        remedy = "read stiffness literally, or write values above 1 N/m"
        fields.report("OMI_STIFFNESS_IS_BIAS", message, remedy, "stiffness")
        stiffness = math.inf
    return _limits(fields, CONSTRAINT, stiffness)


def read_description(fields: Fields) -> Description:
    """Read an element of `physicsJoints`."""
    fields.only(("name", "limits", "drives"))
    fields.string("name", None)
    limits = [
        limit
        for place, element in enumerate(fields.objects("limits"))
        if element is not None
        for limit in placed(_read_limit(element), place)
    ]
    drives = [
        _drive(element, place)
        for place, element in enumerate(fields.objects("drives"))
        if element is not None
    ]
    return Description(overridden(limits), tuple(drive for drive in drives if drive))


def placed(limits: Iterable[Limit], place: int) -> Iterator[Limit]:
    """Say at which place in the list of its joint a constraint stands."""
    return (dataclasses.replace(limit, index=place) for limit in limits)


def overridden(limits: Sequence[Limit]) -> tuple[Limit, ...]:
    """Keep the last limit on every axis: later constraints override earlier ones.

    Where two angular axes are limited and the third is free, rotation about that one counts for
    nothing: the two limits measure how far it has swung.
    """
    last = {(limit.linear_axes, limit.angular_axes): limit.index for limit in limits}
    kept = [limit for limit in limits if last[limit.linear_axes, limit.angular_axes] == limit.index]
    axis = swinging_axis(kept)
    return tuple(
        dataclasses.replace(limit, free_axis=axis) if is_angular(limit) else limit for limit in kept
    )


def swinging_axis(limits: Iterable[Limit]) -> int | None:
    """Return the axis whose swing is measured by single-axis limits; None if there is none."""
    bounded = [limit for limit in limits if is_angular(limit)]
    free = {0, 1, 2}.difference(*(limit.angular_axes for limit in bounded))
    is_hinge = all(limit.minimum == limit.maximum == 0 for limit in bounded)
    return free.pop() if len(free) == 1 and not is_hinge else None


def is_angular(limit: Limit) -> bool:
    """Tell whether a limit bounds rotation."""
    return bool(limit.angular_axes) and (limit.minimum, limit.maximum) != (-math.inf, math.inf)


def _read_limit(fields: Fields) -> tuple[Limit, ...]:
    """Read an element of `limits`; a negative stiffness means infinite."""
    stiffness = fields.number("stiffness", math.inf, infinite=True)
    return _limits(fields, LIMIT, math.inf if stiffness < 0 else stiffness)


def _limits(fields: Fields, form: LimitForm, stiffness: float) -> tuple[Limit, ...]:
    """Read a limit on each axis; none at all where the bounds leave no room."""
    names = (form.minimum_name, form.maximum_name)
    fields.only(("linearAxes", "angularAxes", *names, "stiffness", "damping"))
    linear, angular = _axes(fields, "linearAxes"), _axes(fields, "angularAxes")
    damping = fields.number("damping", form.damping, minimum=0.0)
    minimum = fields.number(form.minimum_name, form.minimum, maximum=LARGEST, infinite=True)
    maximum = fields.number(form.maximum_name, form.maximum, minimum=-LARGEST, infinite=True)
    if all(fields.raw.get(name, []) == [] for name in ("linearAxes", "angularAxes")):
        code = "OMI_PHYSICS_JOINT_CONSTRAINT_NO_AXES_CONSTRAINED"
        fields.report(code, "it constrains no axes", "name linearAxes, angularAxes or both")
    if minimum > maximum:
        message = f"the {names[0]}, {minimum:g}, is above the {names[1]}, {maximum:g}"
        remedy = "the lower limit must not exceed the upper; the constraint is ignored"
        fields.report("OMI_PHYSICS_JOINT_CONSTRAINT_INVALID_LIMITS", message, remedy)
        return ()
    limit = Limit(
        minimum=minimum,
        maximum=maximum,
        stiffness=stiffness,
        damping=damping if math.isfinite(stiffness) else 0.0,
        pointer=fields.pointer,
    )
    return (
        *(dataclasses.replace(limit, linear_axes=(axis,)) for axis in linear),
        *(dataclasses.replace(limit, angular_axes=(axis,)) for axis in angular),
    )


def _axes(fields: Fields, name: str) -> tuple[int, ...]:
    """Read one list of axes, leaving out those that are none; an empty list is as good as none."""
    if fields.raw.get(name) == []:
        return ()
    return fields.indices(name, _AXES, beyond="VALUE_NOT_IN_RANGE")


def _drive(fields: Fields, place: int) -> Drive | None:
    """Read a drive, if its type, mode and axis are known; a maxForce below 0 is no limit."""
    fields.only(DRIVE.names)
    fields.required("type", "mode", "axis")
    kind = fields.choice("type", DRIVE_TYPES, None)
    mode = fields.choice("mode", DRIVE_MODES, None)
    axis = fields.integer("axis", None, minimum=0, maximum=2)
    force = fields.number("maxForce", math.inf, infinite=True)
    numbers = {
        "max_force": math.inf if force < 0 else force,
        "position_target": fields.number("positionTarget", 0.0),
        "velocity_target": fields.number("velocityTarget", 0.0),
        "stiffness": fields.number("stiffness", 0.0, minimum=0.0),
        "damping": fields.number("damping", 0.0, minimum=0.0),
    }
    if kind is None or mode is None or axis is None:
        return None
    return Drive(type=kind, mode=mode, axis=axis, **numbers, index=place, pointer=fields.pointer)
