"""Joints of OMI_physics_joint: what they constrain and drive, the bodies joined, their frames.

In 2023 a joint is a node of its own that names both bodies, and its pose is the frame on either;
later it belongs to the body above it, and `connectedNode` is the frame on the other. `constraints`
of 2023 became `limits` and `drives`. Limits are per axis: a list of axes is short for one limit on
each, whether linear or angular. A stiffness or force below 0 means no bound in the newest form.
"""

import dataclasses
import math
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta

from ligament.extensions.fields import Fields
from ligament.extensions.registry import OMI_PHYSICS_JOINT
from ligament.extensions.rigid_bodies import joint as khr
from ligament.extensions.rigid_bodies.joint import (
    LISTS,
    NEEDED,
    XYZ,
    Description,
    Drive,
    Joint,
    Limit,
)
from ligament.extensions.tables.arrays import Arrays
from ligament.extensions.tables.objects import Each
from ligament.extensions.tables.rows import AXES, Bind, Index, Indices, Json
from ligament.extensions.tables.rules import Names, Presence, Says, Values
from ligament.extensions.tables.table import Part, Table
from ligament.extensions.tables.variants import Either

# --- limits and drives ---

StiffnessUnit: TypeAlias = Literal["auto", "literal"]
"""Meaning of `stiffness` of 2023: N/m as specified, or an engine's bias where it looks like one."""

LARGEST_BIAS = 1.0
"""The published samples of 2023 have 0.3 to 1, by which, as N/m, their ropes would sag 10 m."""


class AnyAxes(khr.Axes, frozen=True, kw_only=True):
    """Axes, leaving out those that are none; an empty list is as good as none."""

    def read(self, fields: Fields, arrays: Arrays) -> tuple[int, ...]:
        if fields.raw.get(self.name) == []:
            return ()
        return fields.indices(self.name, AXES, beyond="VALUE_NOT_IN_RANGE")

    def content(self) -> Json:
        schema = super().content()
        return {word: schema[word] for word in ("type", "items", "uniqueItems")}


def _some_axes(least: str, most: str) -> Says:
    """Return the rule of axes of either kind or both, and of bounds in order, by their names."""

    def say(fields: Fields, values: Values) -> None:
        is_empty = values["linear_axes"] == values["angular_axes"] == ()
        if is_empty and all(fields.raw.get(name, []) == [] for name in LISTS):
            code = "OMI_PHYSICS_JOINT_CONSTRAINT_NO_AXES_CONSTRAINED"
            fields.report(code, "it constrains no axes", "name linearAxes, angularAxes or both")
        minimum, maximum = values["minimum"], values["maximum"]
        if minimum > maximum:
            message = f"the {least}, {minimum:g}, is above the {most}, {maximum:g}"
            remedy = "the lower limit must not exceed the upper; the constraint is ignored"
            fields.report("OMI_PHYSICS_JOINT_CONSTRAINT_INVALID_LIMITS", message, remedy)
            values["linear_axes"] = values["angular_axes"] = ()

    some = [{"required": [name], "properties": {name: {"minItems": 1}}} for name in LISTS]
    return Says(say, {"anyOf": some})


def _bias(fields: Fields, values: Values) -> None:
    """Take a stiffness that was an engine's bias for a hard limit."""
    if (stiffness := values["stiffness"]) <= LARGEST_BIAS:
        message = f"{stiffness:g} is read as an engine's bias, not as N/m: the limit is hard"
        remedy = "read stiffness literally, or write values above 1 N/m"
        fields.report("OMI_STIFFNESS_IS_BIAS", message, remedy, "stiffness")
        values["stiffness"] = math.inf


def _limits(
    index: int, pointer: str, *, linear_axes: Any, angular_axes: Any, **values: Any
) -> tuple[Limit, ...]:
    """Return a limit on each axis; a stiffness below 0 is none."""
    if not 0 <= values["stiffness"] < math.inf:
        values |= {"stiffness": math.inf, "damping": 0.0}
    along = (Limit(index, pointer, linear_axes=(axis,), **values) for axis in linear_axes)
    about = (Limit(index, pointer, angular_axes=(axis,), **values) for axis in angular_axes)
    return (*along, *about)


LIMIT = khr.LIMIT.changed(
    _some_axes("min", "max"),
    build=_limits,
    linear_axes=AnyAxes(about=f"Axes of translation: {XYZ}"),
    angular_axes=AnyAxes(about=f"Axes of rotation: {XYZ}"),
    minimum={"about": "Lower bound."},
    maximum={"about": "Upper bound."},
    stiffness={"least": None, "about": "Of a soft limit; without it, or below 0, it is hard."},
).fixed()
_BOUNDS = _some_axes("lowerLimit", "upperLimit")
CONSTRAINT_LITERAL = LIMIT.changed(
    _BOUNDS,
    minimum={"name": "lowerLimit", "default": 0.0},
    maximum={"name": "upperLimit", "default": 0.0},
    stiffness={"least": 0.0, "is_above": True, "about": khr.LIMIT.row("stiffness").about},
    damping={"default": 1.0},
)
CONSTRAINT = CONSTRAINT_LITERAL.changed(_BOUNDS, Says(_bias))


def _drive(index: int, pointer: str, *, max_force: float, **values: Any) -> Drive:
    return Drive(index, pointer, max_force=math.inf if max_force < 0 else max_force, **values)


DRIVE = khr.DRIVE.changed(
    build=_drive, max_force={"least": None, "about": "Without it, or below 0, there is no limit."}
).fixed()


def _description(
    _index: int, _pointer: str, *, limits: Iterable[Sequence[Limit]], drives: tuple[Drive, ...]
) -> Description:
    return Description(overridden([limit for each in limits for limit in each]), drives)


DESCRIPTION = khr.DESCRIPTION.changed(build=_description, limits=LIMIT, drives=DRIVE)


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


# --- joints ---

_HERE = f"/extensions/{OMI_PHYSICS_JOINT}"
CONSTRAINTS, DESCRIPTIONS = f"{_HERE}/constraints", f"{_HERE}/physicsJoints"
"""The arrays of both eras."""


class EitherArray(Presence):
    """An array of one era or of both; where there is none, that of 2023 is missing."""

    def before(self, fields: Fields) -> Names:
        if "physicsJoints" not in fields:
            fields.required("constraints")
        return ()

    def schema(self, names: Names) -> list[Json]:
        return [{"anyOf": [{"required": ["constraints"]}, {"required": ["physicsJoints"]}]}]


@dataclasses.dataclass(frozen=True)
class Root:
    """What joints share: constraints of 2023, descriptions later."""

    constraints: Annotated[tuple[tuple[Limit, ...], ...], Each(table=CONSTRAINT)] = ()
    physics_joints: Annotated[tuple[Description, ...], Each(table=DESCRIPTION)] = ()


ROOT = Table(Root, EitherArray())
ROOT_LITERAL = ROOT.changed(constraints=CONSTRAINT_LITERAL)


class Constraints(Indices, frozen=True, kw_only=True):
    """Limits by the indices of constraints; one may come again, to override others.

    None if there is not one that exists.
    """

    def kind(self) -> Any:
        return Annotated[list[Annotated[int, Meta(ge=0)]], Meta(min_length=1)]

    def expression(self, value: str, arrays: Arrays, bind: Bind) -> str:
        return f"{bind(_listed)}({bind(arrays.catalogue(self.array).items)}, {value})"

    def read(self, fields: Fields, arrays: Arrays) -> tuple[Limit, ...] | None:
        indices = self._indices(fields, arrays)
        known = any(index is not None for index in indices)
        return _listed(arrays.catalogue(self.array).items, indices) if known else None

    def _indices(self, fields: Fields, arrays: Arrays) -> list[int | None]:
        """Read the indices of constraints, in place."""
        listed, target = fields.raw.get(self.name), arrays.catalogue(self.array).target
        if target.length is None:
            return [fields.index(self.name, target)]
        if not isinstance(listed, list) or not listed:
            return [*fields.indices(self.name, target)]
        elements = {str(place): index for place, index in enumerate(listed)}
        cursor = Fields(elements, f"{fields.pointer}/{self.name}", fields.findings)
        return [cursor.index(place, target) for place in elements]


def _listed(items: Sequence[Any], indices: Sequence[int | None]) -> tuple[Limit, ...]:
    """Return the limits that are listed, each with its place in the list."""
    places = enumerate(() if index is None else items[index] or () for index in indices)
    return overridden([dataclasses.replace(e, index=at) for at, limits in places for e in limits])


class JointOf2023(Part, frozen=True, kw_only=True, gc=False):
    """A joint between two bodies, which do not collide."""

    limits: Annotated[
        tuple[Limit, ...], Constraints(name="constraints", array=CONSTRAINTS, **NEEDED)
    ]
    node_a: Annotated[int, Index(array="/nodes", **NEEDED)]
    node_b: Annotated[int, Index(array="/nodes", **NEEDED)]


def _joint(
    node: int, pointer: str, *, limits: tuple[Limit, ...], node_a: int, node_b: int
) -> Joint:
    return Joint(node, node, node_a, node, node_b, limits, pointer=pointer)


JOINT_2023 = Table(JointOf2023, build=_joint)

_NEWER = khr.JOINT.changed(description={"array": DESCRIPTIONS}).fixed()
_ORDER = ("description", "connected_node", "enable_collision")
_ABOUT = {"about": "A joint between the bodies above its node and above another."}
JOINT = Table(_NEWER.view, rows=map(_NEWER.row, _ORDER), **(_NEWER.options | _ABOUT))
JOINT_OF_ANY_ERA = Either(
    JOINT_2023, JOINT, {"not": {"anyOf": [{"required": [name]} for name in JOINT.required]}}
)
