"""VRMC_springBone 1.0 and its beta, with VRMC_springBone_extended_collider and _limit."""

import dataclasses
import functools
import itertools
import math
from typing import Annotated, Any, Final, Literal, TypeAlias

from msgspec import Struct

from ligament.extensions import registry
from ligament.extensions.fields import Catalogue, Fields, Quaternion, Vector
from ligament.extensions.spring_bones.collider import COLLIDER, UNIT, Collider, present
from ligament.extensions.tables import rows
from ligament.extensions.tables.arrays import Arrays
from ligament.extensions.tables.objects import Each, Extending, Nested
from ligament.extensions.tables.rows import Bind, Choice, Index, Indices, Number, Numbers
from ligament.extensions.tables.rules import Says, Values
from ligament.extensions.tables.table import Table
from ligament.findings import Finding
from ligament.gltf import pointers
from ligament.gltf.document import Document
from ligament.gltf.objects import View

NAME: Final = registry.VRMC_SPRING_BONE
EXTENDED: Final = registry.VRMC_SPRING_BONE_EXTENDED_COLLIDER

BETA = "1.0-beta"

_ROOT = f"/extensions/{NAME}"

LimitKind: TypeAlias = Literal["cone", "hinge", "spherical"]

LIMIT_VERSION = "1.0-draft"

DRAG = 0.5
"""dragForce where a joint has none: the schema's default, which some players take for 0.4."""

DOWN: Vector = (0.0, -1.0, 0.0)
UNTURNED: Quaternion = (0.0, 0.0, 0.0, 1.0)

KEPT = "/colliders of use"
"""The places of colliders among those that were read, as an array of its own."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Limit:
    """A limit of a joint's swing [rad] (VRMC_springBone_limit 1.0-draft).

    `angles` are one angle twice, or pitch and yaw; `rotation` turns the limit about the bone.
    """

    kind: LimitKind
    angles: tuple[float, float]
    rotation: Annotated[Quaternion, rows.Rotation(animated=False)] = UNTURNED
    pointer: str


def _limit(kind: LimitKind, **most: float) -> Table:
    """Return the table of limits with one angle or two; larger ones than `most` mean these."""

    def build(_index: int, pointer: str, *, rotation: Quaternion, **angles: float) -> Limit:
        least = [min(angle, most[name]) for name, angle in angles.items()]
        return Limit(kind=kind, angles=(least[0], least[-1]), rotation=rotation, pointer=pointer)

    angle: Any = {"unit": "rad", "least": 0.0, "required": True, "animated": False}
    angles = {name: Number(default=math.pi, **angle) for name in most}
    known = {**angles, "rotation": Table(Limit).row("rotation")}
    about = f"The limit of a {kind} joint."
    return Table(Limit, build=build, about=about, is_open=True, rows=known)


LIMITS = {
    "cone": _limit("cone", angle=math.pi),
    "hinge": _limit("hinge", angle=math.pi),
    "spherical": _limit("spherical", pitch=math.pi, yaw=math.pi / 2),
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
        owner = fields.object("limit")
        kinds = present(owner, LIMITS)
        shape = owner.object(kinds[0]) if owner is not None and len(kinds) == 1 else None
        if shape is None:
            message = f"found {' and '.join(kinds) or 'none'} of cone, hinge and spherical"
            fields.report("SPRING_BONE_LIMIT", message, "there must be exactly one")
            return None
        table = LIMITS[kinds[0]]
        return table.read(shape, arrays) if shape.required(*table.required) else None


_KINDS = {kind: Nested(table=table) for kind, table in LIMITS.items()}
LIMIT = LimitOfJoint(
    Limit,
    about="A limit of the swing of a joint, with exactly one kind.",
    is_open=True,
    rows={
        "specVersion": Choice.of(LIMIT_VERSION),
        "limit": Nested(table=Table(Limit, about="The limit.", is_open=True, rows=_KINDS)),
    },
)

_LIMIT = Extending(name=registry.VRMC_SPRING_BONE_LIMIT, table=LIMIT)
_SPEED: Any = {"unit": "m/s", "least": 0.0, "animated": False}


class Joint(Struct, frozen=True, kw_only=True):
    """A joint of a chain.

    `stiffness` and `gravity` are speeds [m/s] that pull the tail towards rest and along gravity;
    `drag` is the share of its motion that a tail loses in every update; `hit_radius` [m] is the
    radius of the tail.
    """

    node: Annotated[int, Index(array="/nodes", required=True, essential=True)]
    gravity: Vector
    hit_radius: Annotated[float, Number(unit="m", least=0.0, animated=False)] = 0.0
    stiffness: Annotated[float, Number(**_SPEED)] = 1.0
    drag: Annotated[float, Number(name="dragForce", least=0.0, most=1.0, animated=False)] = DRAG
    limit: Annotated[Limit | None, _LIMIT] = None
    pointer: str


def joint(_index: int, pointer: str, *, power: float, direction: Vector, **values: Any) -> Joint:
    """Return the joint that a power pulls in a direction."""
    x, y, z = direction
    return Joint(gravity=(power * x, power * y, power * z), pointer=pointer, **values)


def _unit(fields: Fields, values: Values) -> None:
    """Say that the direction of gravity has another length than 1."""
    if values["power"] and abs((length := math.hypot(*values["direction"])) - 1) > UNIT:
        message = f"gravityDir has a length of {length:.4g}, which multiplies"
        fields.report("SPRING_BONE_GRAVITY", message, "use a length of 1", "gravityDir")


PLAIN_JOINT = Table(Joint, build=joint, is_open=True).changed(
    power=Number(name="gravityPower", default=0.0, **_SPEED),
    direction=Numbers(name="gravityDir", default=DOWN, animated=False),
)
JOINT = PLAIN_JOINT.changed(Says(_unit))


class Colliders(Indices, frozen=True, kw_only=True):
    """The colliders of the groups that are named, in the order in which they push."""

    def expression(self, value: str, arrays: Arrays, bind: Bind) -> str:
        chosen = super().expression(value, arrays, bind)
        return f"{bind(functools.partial(_of_groups, arrays, self.array))}({chosen})"

    def read(self, fields: Fields, arrays: Arrays) -> Any:
        return _of_groups(arrays, self.array, super().read(fields, arrays))


_COLLIDERS = Colliders(name="colliderGroups", array="colliderGroups")


def _of_groups(arrays: Arrays, array: str, chosen: tuple[int, ...]) -> tuple[int, ...]:
    groups, places = arrays.catalogue(array).items, arrays.catalogue(KEPT).items
    members = [place for group in chosen for place in groups[group] or ()]
    return tuple(places[member] for member in members if places[member] is not None)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Spring:
    """A chain of joints, each the head of a bone that ends at the next one.

    `end` [m] is the distance from the last joint to its tail, straight on from the joint before
    (VRM 0.x); None where the last joint is only a tail. `colliders` are in the order in which they
    push. Inertia is measured in the space of the node `center` (None: the world).
    """

    joints: Annotated[tuple[Joint, ...], Each(table=JOINT, required=True, essential=True)] = ()
    colliders: Annotated[tuple[int, ...], _COLLIDERS] = ()
    name: Annotated[str, rows.Text(has_default=False)] = ""
    center: Annotated[int | None, Index(array="/nodes")] = None
    end: float | None = None
    pointer: str


SPRING = Table(
    Spring,
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


class ColliderGroup(View):
    """The colliders of a group."""

    name: str | None = None
    colliders: Annotated[list[int], Indices(array="colliders", required=True, essential=True)] = []


GROUP = Table(
    ColliderGroup,
    build=lambda _index, _pointer, colliders: colliders,
    is_open=True,
    unread=[Index(name="node", array="/nodes", essential=True)],
)


class Lists(View):
    """The lists of the extension, as far as they are extended."""

    colliders: Annotated[list[dict[str, Any]], Each(table=COLLIDER)] = []
    collider_groups: Annotated[list[ColliderGroup], Each(table=GROUP)] = []
    springs: Annotated[list[dict[str, Any]], Each(table=SPRING)] = []


VERSION = Choice(
    attribute="version", name="specVersion", choices={"1.0": "1.0", BETA: "1.0"}, required=True
)
_ROWS = [VERSION, *Table(Lists).rows]
ROOT = Table(Lists, about="Springs and their colliders.", is_open=True, rows=_ROWS)


def read_lists(document: Document) -> Lists:
    """Read the lists; ContentError if one of them has another type."""
    return document.view_at(_ROOT, Lists) or Lists()


def read(document: Document) -> SpringBones | None:
    """Read the extension and all findings about it; None where the document lacks it."""
    extensions = document.json.get("extensions")
    if not isinstance(extensions, dict) or NAME not in extensions:
        return None
    findings: list[Finding] = []
    root = Fields.of(extensions[NAME], _ROOT, findings)
    if root is None or not _is_known(root):
        return SpringBones(NAME, findings=tuple(findings))
    arrays = Arrays(document, NAME)
    found = arrays.read(root, "colliders", COLLIDER)
    places = itertools.count()
    kept = [None if collider is None else next(places) for collider in found.items]
    arrays.add(KEPT, Catalogue(found.target, kept))
    arrays.read(root, "colliderGroups", GROUP)
    springs = arrays.read(root, "springs", SPRING)
    return SpringBones(
        NAME,
        tuple(collider for collider in found.items if collider is not None),
        tuple(spring for spring in springs.items if spring is not None and spring.joints),
        tuple(findings),
    )


def _is_known(root: Fields) -> bool:
    """Tell whether the version can be read; report any version other than 1.0."""
    version = root.raw.get("specVersion")
    if version == BETA:
        root.report("SPRING_BONE_BETA", "1.0-beta is read as 1.0", "write 1.0", "specVersion")
    elif version != "1.0":
        found = f"found {pointers.found(version)}" if "specVersion" in root else "it is missing"
        message = f"{found}, so no spring is read"
        root.report("SPRING_BONE_SPEC_VERSION", message, 'it must be "1.0"', "specVersion")
    return version in ("1.0", BETA)
