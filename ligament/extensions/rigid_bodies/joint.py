"""Joints: descriptions with limits and drives, which nodes share, and the joints of nodes."""

import dataclasses
import math
from collections.abc import Collection, Iterator
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, get_args

from msgspec import Meta, Struct

from ligament.extensions.fields import Fields
from ligament.extensions.tables.arrays import Arrays
from ligament.extensions.tables.objects import Each
from ligament.extensions.tables.rows import (
    AXES,
    LARGEST,
    Bind,
    Choice,
    Element,
    Flag,
    Index,
    Indices,
    Integer,
    Json,
    Number,
    Plain,
    Row,
    refuse,
)
from ligament.extensions.tables.rules import Default, Rule, Synonyms, Values
from ligament.extensions.tables.table import Item, Part, Table

DriveType: TypeAlias = Literal["linear", "angular"]
DriveMode: TypeAlias = Literal["force", "acceleration"]

DRIVE_TYPES: tuple[DriveType, ...] = get_args(DriveType)
DRIVE_MODES: tuple[DriveMode, ...] = get_args(DriveMode)

AXIS: Json = {"type": "integer", "minimum": 0, "maximum": 2}


class Axes(Indices, frozen=True, kw_only=True):
    """One, two or three axes; None where any of them is wrong.

    A limit on the others would not be a part of what was meant, but another limit.
    """

    def plain(self) -> list[Plain]:
        axes = tuple[Annotated[int, Meta(ge=0, le=2)], ...]
        return [(self.name, Annotated[axes, Meta(min_length=1, max_length=3)], ())]

    def expression(self, value: str, arrays: Arrays, bind: Bind) -> str:
        return f"{value} if len({value}) < 2 else {bind(_distinct)}({value})"

    def read(self, fields: Fields, arrays: Arrays) -> tuple[int, ...] | None:
        raw, before = fields.raw.get(self.name), len(fields.findings)
        if isinstance(raw, list) and len(raw) > 3:
            message, remedy = f"found {len(raw)} axes", "name one, two or three of 0, 1 and 2"
            code = "KHR_RIGID_BODIES_JOINT_LIMITS_INCORRECT_SIZE"
            fields.report(code, message, remedy, self.name)
            return None
        code = "KHR_RIGID_BODIES_JOINT_LIMITS_INVALID_AXIS"
        axes = fields.indices(self.name, AXES, beyond=code)
        return axes if len(fields.findings) == before or raw == [] else None

    def content(self) -> Json:
        return {**super().content(), "items": AXIS, "maxItems": 3}


def _distinct(axes: tuple[int, ...]) -> Any:
    return axes if len({*axes}) == len(axes) else refuse()


class Bound(Number, frozen=True, kw_only=True):
    """A bound of a limit: none where it is absent, but distances and cones begin at 0.

    `locks`: in 2022 a limit without bounds was a lock.
    """

    locks: bool = False

    def plain(self) -> list[Plain] | None:
        return None if self.locks else [(self.name, self.kind(), None)]

    def expression(self, value: str, arrays: Arrays, bind: Bind) -> str:
        absent = bind(self.default)
        if self.name == "min":
            absent += " if len(plain.linearAxes) + len(plain.angularAxes) == 1 else 0.0"
        return f"{value} if {value} is not None else {absent}"

    def read(self, fields: Fields, arrays: Arrays) -> float:
        number: float = fields.number(self.name, self._absent(fields), **self.bounds())
        return number

    def _absent(self, fields: Fields) -> float:
        is_lock = self.locks and "min" not in fields and "max" not in fields
        is_distance = self.name == "min" and _count_axes(fields) != 1
        absent: float = 0.0 if is_lock or is_distance else self.default
        return absent


def _count_axes(fields: Fields) -> int:
    """Count the axes of a limit; the list of the wrong ones counts as none."""
    lists = (fields.raw.get(name) for name in ("linearAxes", "angularAxes"))
    return sum(len(axes) for axes in lists if isinstance(axes, list))


@dataclasses.dataclass(frozen=True, kw_only=True)
class Limit(Item):
    """Bounds on the pose of frame B relative to A, along or about some of A's axes.

    Exactly one of the two lists has axes. One axis: signed; two and three: radial distance, cone,
    distance, total angle. A stiffness of `inf` is hard; damping counts with a finite stiffness
    only. `index` is the place in the file's list.

    A limit about one axis measures the twist about it, unless `free_axis` names another one: then
    it measures how far that axis has swung about this one, however much B has twisted about it.
    """

    linear_axes: Annotated[
        tuple[int, ...],
        Axes(about="Translation axes that the limit applies to: 0 is X, 1 is Y, 2 is Z."),
    ] = ()
    angular_axes: Annotated[
        tuple[int, ...],
        Axes(about="Rotation axes that the limit applies to: 0 is X, 1 is Y, 2 is Z."),
    ] = ()
    minimum: Annotated[
        float,
        Bound(
            name="min",
            unit="m or rad",
            most=LARGEST,
            overflow=-math.inf,
            about="Lower bound; none if absent, 0 for several axes.",
        ),
    ] = -math.inf
    maximum: Annotated[
        float,
        Bound(
            name="max",
            unit="m or rad",
            least=-LARGEST,
            overflow=math.inf,
            about="Upper bound; none if absent.",
        ),
    ] = math.inf
    stiffness: Annotated[
        float,
        Number(
            unit="N/m or N m/rad",
            least=0.0,
            overflow=math.inf,
            about="Stiffness of a soft limit; without it, the limit is hard.",
        ),
    ] = math.inf
    damping: Annotated[
        float,
        Number(unit="N s/m or N m s/rad", least=0.0, about="Damping of a soft limit."),
    ] = 0.0
    free_axis: int | None = None


class Limits(Rule):
    """Axes of one kind, bounds in order, no damping without stiffness."""

    def __init__(self, stiffness: str = "stiffness", damping: str = "damping") -> None:
        self._stiffness, self._damping = stiffness, damping

    def after(
        self, fields: Fields, values: Values, faulty: Collection[str], arrays: Arrays
    ) -> bool:
        linear, angular = values["linear_axes"], values["angular_axes"]
        if not _has_one_kind(fields) or linear is None or angular is None:
            return False
        minimum, maximum = values["minimum"], values["maximum"]
        if minimum > maximum:
            message = f"the minimum, {minimum:g}, is above the maximum, {maximum:g}"
            remedy = "the minimum must not exceed the maximum; the limit is ignored"
            fields.report("KHR_RIGID_BODIES_JOINT_INVALID_RANGE", message, remedy)
            return False
        if math.isinf(values["stiffness"]):
            if values["damping"] > 0:
                message = f"found a damping of {values['damping']:g} without stiffness"
                remedy = "the limit is hard: give it stiffness, or remove the damping"
                name = self._damping if self._damping in fields else "damping"
                fields.report("PHYSICS_DAMPING_ALONE", message, remedy, name)
            values["damping"] = 0.0
        return True

    def odd(self, names: Collection[str], default: Default) -> str:
        one_kind = "(len(plain.linearAxes) == 0) == (len(plain.angularAxes) == 0)"
        hard = f"plain.{self._stiffness} is {default(self._stiffness)}"
        return f"{one_kind} or {hard} and plain.{self._damping} > 0"

    def schema(self, names: Collection[str]) -> list[Json]:
        return [{"oneOf": [{"required": ["linearAxes"]}, {"required": ["angularAxes"]}]}]


def _has_one_kind(fields: Fields) -> bool:
    """Tell whether exactly one list names axes; an empty one is as good as none."""
    kinds = [name for name in ("linearAxes", "angularAxes") if fields.raw.get(name, []) != []]
    if len(kinds) != 1:
        found = " and ".join(kinds) or "no axes"
        remedy = "use exactly one of linearAxes and angularAxes"
        fields.report("ONE_OF_MISMATCH", f"found {found}", remedy)
    return len(kinds) == 1


def _limit(index: int, pointer: str, *, minimum: float, maximum: float, **values: Any) -> Limit:
    if minimum > maximum:
        refuse()
    return Limit(index, pointer, minimum=minimum, maximum=maximum, **values)


LIMIT = Table(Limit, Limits(), build=_limit)
LIMIT_2023 = LIMIT.changed(
    Limits("springConstant", "springDamping"),
    Synonyms("springConstant", "stiffness"),
    Synonyms("springDamping", "damping"),
    stiffness={"name": "springConstant", "others": ("stiffness",)},
    damping={"name": "springDamping", "others": ("damping",)},
)
LIMIT_2022 = LIMIT_2023.changed(minimum={"locks": True}, maximum={"locks": True})


@dataclasses.dataclass(frozen=True, kw_only=True)
class Drive(Item):
    """A spring and damper, or motor, along or about one axis of frame A."""

    type: Annotated[
        DriveType,
        Choice(
            choices={kind: kind for kind in DRIVE_TYPES},
            required=True,
            about="Linear (along the axis) or angular (about it).",
        ),
    ]
    mode: Annotated[
        DriveMode,
        Choice(
            choices={mode: mode for mode in DRIVE_MODES},
            required=True,
            about="Unit of the gains: force or acceleration.",
        ),
    ]
    axis: Annotated[int, Integer(most=2, required=True, about="0 is X, 1 is Y, 2 is Z.")]
    max_force: Annotated[
        float,
        Number(
            unit="N or N m",
            least=0.0,
            overflow=math.inf,
            about="Largest force or torque; without it, there is no limit.",
        ),
    ] = math.inf
    position_target: Annotated[
        float,
        Number(
            unit="m or rad", has_default=False, beside="stiffness", about="Target of stiffness."
        ),
    ] = 0.0
    stiffness: Annotated[
        float, Number(least=0.0, about="Position gain (stiffness).", beside="position_target")
    ] = 0.0
    velocity_target: Annotated[
        float,
        Number(
            unit="m/s or rad/s", has_default=False, beside="damping", about="Target of damping."
        ),
    ] = 0.0
    damping: Annotated[
        float, Number(least=0.0, about="Velocity gain (damping).", beside="velocity_target")
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
DESCRIPTION_2023 = DESCRIPTION.changed(limits={"table": LIMIT_2023})


class Joint(Struct, frozen=True, kw_only=True, gc=False):
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

    connected_node: Annotated[
        int, Index(array="/nodes", required=True, essential=True, about="Its frame is frame B.")
    ]
    description: Annotated[
        Description,
        Element(
            name="joint",
            array="physicsJoints",
            required=True,
            essential=True,
            about="The limits and drives.",
        ),
    ]
    enable_collision: Annotated[bool, Flag(about="The two bodies collide.")] = False


def between(
    node: int,
    pointer: str,
    *,
    connected_node: int,
    description: Description,
    enable_collision: bool,
) -> Joint:
    """Return the joint on a node that holds another one."""
    return Joint(
        node=node,
        frame_a=node,
        body_a=node,
        frame_b=connected_node,
        body_b=connected_node,
        limits=description.limits,
        drives=description.drives,
        enable_collision=enable_collision,
        pointer=pointer,
    )


def connection(joint: Joint) -> Connection:
    """Return the members of a joint, to be written."""
    return Connection(
        joint.node,
        joint.pointer,
        connected_node=joint.frame_b,
        description=Description(joint.limits, joint.drives),
        enable_collision=joint.enable_collision,
    )


JOINT = Table(Connection, build=between, split=connection)


class OldDescription(NamedTuple):
    """A member that named a description in 2023, and the array that it counts in."""

    member: str
    array: str


LIMITS_2023 = OldDescription("jointLimits", "physicsJointLimits")
JOINTS_2023 = OldDescription("joint", "physicsJoints")


class DescriptionOf2023(Row, frozen=True, kw_only=True):
    """A description under one of some names, each with an array of its own; the first counts."""

    options: tuple[OldDescription, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(option.member for option in self.options)

    def plain(self) -> list[Plain]:
        return [(self.names[0], Annotated[int, Meta(ge=0)], None)]

    def expression(self, value: str, arrays: Arrays, bind: Bind) -> str:
        known = arrays.catalogue(self.options[0].array).by_index()
        del known[None]
        return f"{bind(known)}[{value}]"

    def read(self, fields: Fields, arrays: Arrays) -> Any:
        member = fields.first_of(self.names)
        return arrays.catalogue(dict(self.options)[member]).pick(fields, member)

    def content(self) -> Json:
        return {"type": "integer", "minimum": 0}

    def walk(self, at: str) -> Iterator[tuple[str, Row]]:
        for member, array in self.options:
            yield from Element(name=member, array=array, essential=True).walk(at)
