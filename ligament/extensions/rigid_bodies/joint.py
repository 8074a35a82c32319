"""Joints: descriptions with limits and drives, which nodes share, and the joints of nodes."""

import dataclasses
import math
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, TypeAlias, get_args

from msgspec import Meta, Struct

from ligament.extensions.fields import Fields
from ligament.extensions.tables import rows
from ligament.extensions.tables.arrays import Arrays
from ligament.extensions.tables.objects import Each
from ligament.extensions.tables.rows import LARGEST, Choice, Element, Index, Indices, Number
from ligament.extensions.tables.rules import NotBoth, Says, Values
from ligament.extensions.tables.table import Item, Part, Table

DriveType: TypeAlias = Literal["linear", "angular"]
DriveMode: TypeAlias = Literal["force", "acceleration"]

LISTS = ("linearAxes", "angularAxes")
XYZ = "0 is X, 1 is Y, 2 is Z."

NO_MINIMUM = -math.inf
"""The minimum of a limit without one; what a file writes is another object, infinite or not."""

_LEAST: Any = {"name": "min", "unit": "m or rad", "most": LARGEST, "overflow": -math.inf}
_MOST: Any = {"name": "max", "unit": "m or rad", "least": -LARGEST, "overflow": math.inf}
_UNBOUND: Any = {"least": 0.0, "overflow": math.inf}
NEEDED: Any = {"required": True, "essential": True}


class Axes(Indices, frozen=True, kw_only=True):
    """One, two or three axes; None where any of them is wrong.

    A limit on the others would not be a part of what was meant, but another limit.
    """

    def kind(self) -> Any:
        some = Meta(min_length=1, max_length=3, extra_json_schema={"uniqueItems": True})
        return Annotated[tuple[Annotated[int, Meta(ge=0, le=2)], ...], some]

    def expression(self, value: str, arrays: Arrays, bind: rows.Bind) -> str:
        return f"{value} if len({value}) < 2 else {bind(_distinct)}({value})"

    def read(self, fields: Fields, arrays: Arrays) -> tuple[int, ...] | None:
        raw, before = fields.raw.get(self.name), len(fields.findings)
        if isinstance(raw, list) and len(raw) > 3:
            message, remedy = f"found {len(raw)} axes", "name one, two or three of 0, 1 and 2"
            code = "KHR_RIGID_BODIES_JOINT_LIMITS_INCORRECT_SIZE"
            fields.report(code, message, remedy, self.name)
            return None
        code = "KHR_RIGID_BODIES_JOINT_LIMITS_INVALID_AXIS"
        axes = fields.indices(self.name, rows.AXES, beyond=code)
        return axes if len(fields.findings) == before or raw == [] else None


def _distinct(axes: tuple[int, ...]) -> Any:
    return axes if len({*axes}) == len(axes) else rows.refuse()


@dataclasses.dataclass(frozen=True, kw_only=True)
class Limit(Item):
    """Bounds on the pose of frame B relative to A, along or about some of A's axes.

    Exactly one of the two lists has axes. One axis: signed; two and three: radial distance, cone,
    distance, total angle. A stiffness of `inf` is hard; damping counts with a finite stiffness
    only. `index` is the place in the file's list.

    A limit about one axis measures the twist about it, unless `free_axis` names another one: then
    it measures how far that axis has swung about this one, however much B has twisted about it.
    """

    linear_axes: Annotated[tuple[int, ...], Axes(about=f"Axes of translation: {XYZ}")] = ()
    angular_axes: Annotated[tuple[int, ...], Axes(about=f"Axes of rotation: {XYZ}")] = ()
    minimum: Annotated[
        float, Number(**_LEAST, about="Lower bound; none if absent, 0 for several axes.")
    ] = NO_MINIMUM
    maximum: Annotated[float, Number(**_MOST, about="Upper bound; none if absent.")] = math.inf
    stiffness: Annotated[
        float,
        Number(unit="N/m or N m/rad", **_UNBOUND, about="Of a soft limit; without it, it is hard."),
    ] = math.inf
    damping: Annotated[
        float, Number(unit="N s/m or N m s/rad", least=0.0, about="Damping of a soft limit.")
    ] = 0.0
    free_axis: int | None = None


def _in_order(fields: Fields, values: Values) -> bool:
    """Say that axes are of one kind, bounds in order, and no damping without stiffness.

    Distances and cones begin at 0.
    """
    axes, angular = values["linear_axes"], values["angular_axes"]
    if (axes == ()) == (angular == ()):
        found = "no axes" if axes == () else "linearAxes and angularAxes"
        remedy = "use exactly one of linearAxes and angularAxes"
        fields.report("ONE_OF_MISMATCH", f"found {found}", remedy)
        return False
    if axes is None or angular is None:
        return False
    if values["minimum"] is NO_MINIMUM and len(axes + angular) > 1:
        values["minimum"] = 0.0
    minimum, maximum = values["minimum"], values["maximum"]
    if minimum > maximum:
        message = f"the minimum, {minimum:g}, is above the maximum, {maximum:g}"
        remedy = "the minimum must not exceed the maximum; the limit is ignored"
        fields.report("KHR_RIGID_BODIES_JOINT_INVALID_RANGE", message, remedy)
        return False
    if values["stiffness"] == math.inf and values["damping"]:
        message = f"found a damping of {values['damping']:g} without stiffness"
        remedy = "the limit is hard: give it stiffness, or remove the damping"
        name = "springDamping" if "springDamping" in fields else "damping"
        fields.report("PHYSICS_DAMPING_ALONE", message, remedy, name)
        values["damping"] = 0.0
    return True


IN_ORDER = Says(_in_order, {"oneOf": [{"required": [name]} for name in LISTS]})

LIMIT = Table(Limit, IN_ORDER)
LIMIT_2023 = LIMIT.changed(
    IN_ORDER,
    NotBoth("springConstant", "stiffness"),
    NotBoth("springDamping", "damping"),
    stiffness={"name": "springConstant", "others": ("stiffness",)},
    damping={"name": "springDamping", "others": ("damping",)},
)


def _lock(fields: Fields, values: Values) -> None:
    if "min" not in fields and "max" not in fields:
        values["minimum"] = values["maximum"] = 0.0


LIMIT_2022 = LIMIT_2023.changed(Says(_lock), *LIMIT_2023.rules)
"""In 2022 a limit without bounds was a lock."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Drive(Item):
    """A spring and damper, or motor, along or about one axis of frame A."""

    type: Annotated[
        DriveType,
        Choice.of(*get_args(DriveType), required=True, about="Along the axis or about it."),
    ]
    mode: Annotated[
        DriveMode, Choice.of(*get_args(DriveMode), required=True, about="Unit of the gains.")
    ]
    axis: Annotated[int, rows.Integer(most=2, required=True, about=XYZ)]
    max_force: Annotated[
        float, Number(unit="N or N m", **_UNBOUND, about="Without it, there is no limit.")
    ] = math.inf
    position_target: Annotated[
        float, Number(unit="m or rad", has_default=False, beside="stiffness", about="Of stiffness.")
    ] = 0.0
    stiffness: Annotated[
        float, Number(least=0.0, about="Position gain.", beside="position_target")
    ] = 0.0
    velocity_target: Annotated[
        float, Number(unit="m/s or rad/s", has_default=False, beside="damping", about="Of damping.")
    ] = 0.0
    damping: Annotated[
        float, Number(least=0.0, about="Velocity gain.", beside="velocity_target")
    ] = 0.0


DRIVE = Table(Drive)


@dataclasses.dataclass(frozen=True)
class Description:
    """Limits and drives that joints share.

    Those that make no sense are left out.
    """

    limits: Annotated[tuple[Limit, ...], Each(table=LIMIT)] = ()
    drives: Annotated[tuple[Drive, ...], Each(table=DRIVE)] = ()


DESCRIPTION = Table(Description, named=True)
DESCRIPTION_2023 = DESCRIPTION.changed(limits=LIMIT_2023)


class Joint(Struct, frozen=True, gc=False):
    """Two frames and the limits and drives between them.

    The poses of nodes `frame_a` and `frame_b` are the frames; the bodies that they are fixed to
    are those that own the nodes `body_a` and `body_b`. In most dialects these are the same nodes;
    OMI_physics_joint of 2023 takes both frames from the joint's own node and names the bodies.
    """

    node: int
    frame_a: int
    body_a: int
    frame_b: int
    body_b: int
    limits: tuple[Limit, ...] = ()
    drives: tuple[Drive, ...] = ()
    enable_collision: bool = False
    pointer: str = ""


class Connection(Part, frozen=True, kw_only=True, gc=False):
    """A joint whose frames are this node and the connected one."""

    connected_node: Annotated[int, Index(array="/nodes", **NEEDED, about="Its frame is frame B.")]
    description: Annotated[
        Description,
        Element(name="joint", array="physicsJoints", **NEEDED, about="The limits and drives."),
    ]
    enable_collision: Annotated[bool, rows.Flag(about="The two bodies collide.")] = False


def between(
    node: int,
    pointer: str,
    *,
    connected_node: int,
    description: Description,
    enable_collision: bool,
) -> Joint:
    """Return the joint on a node that holds another one."""
    limits, drives, b = description.limits, description.drives, connected_node
    return Joint(node, node, node, b, b, limits, drives, enable_collision, pointer)


def connection(joint: Joint) -> Connection:
    """Return the members of a joint, to be written."""
    return Connection(
        joint.node,
        connected_node=joint.frame_b,
        description=Description(joint.limits, joint.drives),
        enable_collision=joint.enable_collision,
    )


JOINT = Table(Connection, build=between, split=connection)

LIMITS_2023 = {"jointLimits": "physicsJointLimits"}
DESCRIPTIONS_2023 = {**LIMITS_2023, "joint": "physicsJoints"}
"""The members that named a description in 2023, each with the array that it counts in."""


class DescriptionOf2023(Element, frozen=True, kw_only=True):
    """A description by one of some members, of which the first counts."""

    arrays: Mapping[str, str]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.arrays)

    def read(self, fields: Fields, arrays: Arrays) -> Any:
        member = fields.first_of(self.names)
        return arrays.catalogue(self.arrays[member]).pick(fields, member)

    def members(self) -> Iterator[tuple[str, rows.Row]]:
        for member, array in self.arrays.items():
            yield member, Element(name=member, array=array, essential=True)
