"""Limits and drives of OMI joints: `constraints` of 2023, `limits` and `drives` later.

Limits are per axis: a list of axes is short for one limit on each, whether linear or angular. A
stiffness or force below 0 means no bound in the newest form.
"""

import dataclasses
import math
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Literal, TypeAlias

from ligament.extensions.fields import Fields
from ligament.extensions.rigid_bodies.joint import AXIS, Axes, Description, Drive, Limit
from ligament.extensions.rigid_bodies.joint import DESCRIPTION as KHR_DESCRIPTION
from ligament.extensions.rigid_bodies.joint import DRIVE as KHR_DRIVE
from ligament.extensions.rigid_bodies.joint import LIMIT as KHR_LIMIT
from ligament.extensions.tables.arrays import Arrays
from ligament.extensions.tables.rows import AXES, LARGEST, Json, Number
from ligament.extensions.tables.rules import Default, Rule, Values

StiffnessUnit: TypeAlias = Literal["auto", "literal"]
"""Meaning of `stiffness` of 2023: N/m as specified, or an engine's bias where it looks like one."""

LARGEST_BIAS = 1.0
"""The published samples of 2023 have 0.3 to 1, by which, as N/m, their ropes would sag 10 m."""

_LISTS = ("linearAxes", "angularAxes")


class AnyAxes(Axes, frozen=True, kw_only=True):
    """Axes, leaving out those that are none; an empty list is as good as none."""

    def read(self, fields: Fields, arrays: Arrays) -> tuple[int, ...]:
        if fields.raw.get(self.name) == []:
            return ()
        return fields.indices(self.name, AXES, beyond="VALUE_NOT_IN_RANGE")

    def content(self) -> Json:
        return {"type": "array", "items": AXIS, "uniqueItems": True}


class SomeAxes(Rule):
    """Axes of either kind or both, and bounds in order."""

    def __init__(self, least: str, most: str) -> None:
        self._least, self._most = least, most

    def after(
        self, fields: Fields, values: Values, faulty: Collection[str], arrays: Arrays
    ) -> bool:
        if all(fields.raw.get(name, []) == [] for name in _LISTS):
            code = "OMI_PHYSICS_JOINT_CONSTRAINT_NO_AXES_CONSTRAINED"
            fields.report(code, "it constrains no axes", "name linearAxes, angularAxes or both")
        least, most = values["minimum"], values["maximum"]
        if least > most:
            message = f"the {self._least}, {least:g}, is above the {self._most}, {most:g}"
            remedy = "the lower limit must not exceed the upper; the constraint is ignored"
            fields.report("OMI_PHYSICS_JOINT_CONSTRAINT_INVALID_LIMITS", message, remedy)
            values["linear_axes"] = values["angular_axes"] = ()
        return True

    def odd(self, names: Collection[str], default: Default) -> str:
        none = " and ".join(f"len(plain.{name}) == 0" for name in _LISTS)
        least, most = (f"plain.{name}" for name in (self._least, self._most))
        return f"({none}) or {least} > {most}"

    def schema(self, names: Collection[str]) -> list[Json]:
        some = ({"required": [n], "properties": {n: {"minItems": 1}}} for n in _LISTS)
        return [{"anyOf": [*some]}]


class Bias(Rule):
    """A stiffness that was an engine's bias: the limit is hard."""

    def after(
        self, fields: Fields, values: Values, faulty: Collection[str], arrays: Arrays
    ) -> bool:
        stiffness = values["stiffness"]
        if stiffness <= LARGEST_BIAS:
            message = f"{stiffness:g} is read as an engine's bias, not as N/m: the limit is hard"
            remedy = "read stiffness literally, or write values above 1 N/m"
            fields.report("OMI_STIFFNESS_IS_BIAS", message, remedy, "stiffness")
            values["stiffness"] = math.inf
        return True

    def odd(self, names: Collection[str], default: Default) -> str:
        return f"plain.stiffness <= {LARGEST_BIAS}"


def _limits(
    index: int,
    pointer: str,
    *,
    linear_axes: tuple[int, ...],
    angular_axes: tuple[int, ...],
    stiffness: float,
    damping: float,
    **bounds: Any,
) -> tuple[Limit, ...]:
    """Return a limit on each axis."""
    values = dict(bounds)
    if 0 <= stiffness < math.inf:
        values |= {"stiffness": stiffness, "damping": damping}
    along = (Limit(index, pointer, linear_axes=(axis,), **values) for axis in linear_axes)
    about = (Limit(index, pointer, angular_axes=(axis,), **values) for axis in angular_axes)
    return (*along, *about)


LIMIT = KHR_LIMIT.changed(
    SomeAxes("min", "max"),
    build=_limits,
    linear_axes=AnyAxes(about="Translation axes that are limited: 0 is X, 1 is Y, 2 is Z."),
    angular_axes=AnyAxes(about="Rotation axes that are limited: 0 is X, 1 is Y, 2 is Z."),
    minimum=Number(most=LARGEST, overflow=-math.inf, unit="m or rad", about="Lower bound."),
    maximum=Number(least=-LARGEST, overflow=math.inf, unit="m or rad", about="Upper bound."),
    stiffness={"least": None, "about": "Of a soft limit; without it, or below 0, it is hard."},
).fixed()
CONSTRAINT_LITERAL = LIMIT.changed(
    SomeAxes("lowerLimit", "upperLimit"),
    minimum={"name": "lowerLimit", "default": 0.0},
    maximum={"name": "upperLimit", "default": 0.0},
    stiffness={"least": 0.0, "is_above": True, "about": KHR_LIMIT.row("stiffness").about},
    damping={"default": 1.0},
)
CONSTRAINT = CONSTRAINT_LITERAL.changed(SomeAxes("lowerLimit", "upperLimit"), Bias())


def _drive(index: int, pointer: str, *, max_force: float, **values: Any) -> Drive:
    return Drive(index, pointer, max_force=math.inf if max_force < 0 else max_force, **values)


DRIVE = KHR_DRIVE.changed(
    build=_drive, max_force={"least": None, "about": "Without it, or below 0, there is no limit."}
).fixed()


def _description(
    _index: int, _pointer: str, *, limits: Iterable[Sequence[Limit]], drives: tuple[Drive, ...]
) -> Description:
    return Description(overridden([limit for each in limits for limit in each]), drives)


DESCRIPTION = KHR_DESCRIPTION.changed(
    build=_description, limits={"table": LIMIT}, drives={"table": DRIVE}
)


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
