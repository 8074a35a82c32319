"""Springs, their joints, and the limits of these."""

import dataclasses
import math
from typing import Annotated, Any, Literal, TypeAlias

from ligament.extensions.fields import Fields, Quaternion, Vector
from ligament.extensions.registry import VRMC_SPRING_BONE_LIMIT
from ligament.extensions.spring_bones.collider import Collider
from ligament.extensions.spring_bones.rows import Angles, Colliders, Gravity, only
from ligament.extensions.tables.arrays import Arrays
from ligament.extensions.tables.objects import Each, Extending, Nested
from ligament.extensions.tables.rows import Choice, Index, Indices, Number, Numbers, Rotation, Text
from ligament.extensions.tables.table import Table
from ligament.findings import Finding
from ligament.gltf import pointers

LimitKind: TypeAlias = Literal["cone", "hinge", "spherical"]

LIMIT_VERSION = "1.0-draft"

DRAG = 0.5
"""dragForce where a joint has none: the schema's default, which some players take for 0.4."""

DOWN: Vector = (0.0, -1.0, 0.0)
UNTURNED: Quaternion = (0.0, 0.0, 0.0, 1.0)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Limit:
    """A limit of a joint's swing [rad] (VRMC_springBone_limit 1.0-draft).

    `angles` are one angle twice, or pitch and yaw; `rotation` turns the limit about the bone.
    """

    kind: LimitKind
    angles: Annotated[tuple[float, float], Angles()]
    rotation: Annotated[Quaternion, Rotation(animated=False)] = UNTURNED
    pointer: str


def _limit(kind: LimitKind, **angles: Any) -> Table:
    def build(_index: int, pointer: str, **values: Any) -> Limit:
        return Limit(kind=kind, pointer=pointer, **values)

    return Table(Limit, build=build, about=f"The limit of a {kind} joint.", is_open=True).changed(
        angles=angles
    )


LIMITS = {
    "cone": _limit("cone"),
    "hinge": _limit("hinge"),
    "spherical": _limit("spherical", members=("pitch", "yaw"), most=(math.pi, math.pi / 2)),
}


class LimitOfJoint(Table):
    """The extension on a joint; that it is a draft is a finding."""

    def read(self, fields: Fields, arrays: Arrays, index: int = 0) -> Any:
        version = fields.raw.get("specVersion")
        if version != LIMIT_VERSION:
            message = f"found specVersion {pointers.found(version)}, so the limit is not read"
            fields.report("SPRING_BONE_LIMIT", message, f'it must be "{LIMIT_VERSION}"')
            return None
        message = "joint limits are a draft that few players support"
        fields.report("SPRING_BONE_LIMIT_DRAFT", message, "expect it to change")
        kinds, shape = only(fields.object("limit"), LIMITS)
        if shape is None:
            message = f"found {' and '.join(kinds) or 'none'} of cone, hinge and spherical"
            fields.report("SPRING_BONE_LIMIT", message, "there must be exactly one")
            return None
        table = LIMITS[kinds[0]]
        is_whole = shape.required(*table.row("angles").names)
        return table.read(shape, arrays) if is_whole else None


_KINDS = [Nested(attribute=kind, name=kind, table=table) for kind, table in LIMITS.items()]

LIMIT = LimitOfJoint(
    Limit,
    about="A limit of the swing of a joint, with exactly one kind.",
    is_open=True,
    rows=[
        Choice(attribute="version", name="specVersion", choices={LIMIT_VERSION: LIMIT_VERSION}),
        Nested(
            attribute="limit",
            name="limit",
            table=Table(Limit, about="The limit.", is_open=True, rows=_KINDS),
        ),
    ],
)

_SPEED: Any = {"unit": "m/s", "least": 0.0, "animated": False}


@dataclasses.dataclass(frozen=True, kw_only=True)
class Joint:
    """A joint of a chain.

    `stiffness` and `gravity` are speeds [m/s] that pull the tail towards rest and along gravity;
    `drag` is the share of its motion that a tail loses in every update; `hit_radius` [m] is the
    radius of the tail.
    """

    node: Annotated[int, Index(array="/nodes", required=True, essential=True)]
    gravity: Annotated[
        Vector,
        Gravity(
            power=Number(name="gravityPower", default=0.0, **_SPEED),
            direction=Numbers(name="gravityDir", default=DOWN, animated=False),
        ),
    ]
    hit_radius: Annotated[float, Number(unit="m", least=0.0, animated=False)] = 0.0
    stiffness: Annotated[float, Number(**_SPEED)] = 1.0
    drag: Annotated[float, Number(name="dragForce", least=0.0, most=1.0, animated=False)] = DRAG
    limit: Annotated[Limit | None, Extending(name=VRMC_SPRING_BONE_LIMIT, table=LIMIT)] = None
    pointer: str


def _joint(_index: int, pointer: str, **values: Any) -> Joint:
    return Joint(pointer=pointer, **values)


JOINT = Table(Joint, build=_joint, is_open=True)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Spring:
    """A chain of joints, each the head of a bone that ends at the next one.

    `end` [m] is the distance from the last joint to its tail, straight on from the joint before
    (VRM 0.x); None where the last joint is only a tail. `colliders` are in the order in which they
    push. Inertia is measured in the space of the node `center` (None: the world).
    """

    joints: Annotated[tuple[Joint, ...], Each(table=JOINT, required=True, essential=True)] = ()
    colliders: Annotated[
        tuple[int, ...], Colliders(name="colliderGroups", array="colliderGroups")
    ] = ()
    name: Annotated[str, Text(has_default=False)] = ""
    center: Annotated[int | None, Index(array="/nodes")] = None
    end: float | None = None
    pointer: str


def _spring(_index: int, pointer: str, **values: Any) -> Spring:
    return Spring(pointer=pointer, **values)


SPRING = Table(
    Spring,
    build=_spring,
    is_open=True,
    unread=[
        Index(name="springRoot", array="/nodes", essential=True),
        Index(name="setting", array="settings", essential=True),
        Indices(name="colliders", array="/nodes"),
    ],
)


@dataclasses.dataclass(frozen=True)
class SpringBones:
    """The spring bones of a file; `extension` is their source, None where there are none."""

    extension: str | None = None
    colliders: tuple[Collider, ...] = ()
    springs: tuple[Spring, ...] = ()
    findings: tuple[Finding, ...] = ()
