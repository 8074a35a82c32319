"""VRM 0.x `secondaryAnimation`: groups of roots, below which every node is a joint.

A joint's tail is its first child; a leaf has an implicit one 7 cm further on. The schema has no
defaults; those of the component that files are exported from apply.
"""

import dataclasses
import functools
import itertools
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from msgspec import defstruct

from ligament.extensions import registry
from ligament.extensions.fields import Fields
from ligament.extensions.spring_bones import vrmc_spring_bone
from ligament.extensions.spring_bones.collider import ORIGIN, SPHERE, Collider
from ligament.extensions.spring_bones.vrmc_spring_bone import DOWN, Joint, Spring, SpringBones
from ligament.extensions.tables.arrays import Arrays
from ligament.extensions.tables.objects import Each
from ligament.extensions.tables.rows import Bind, Index, Indices, Json, Number, Numbers, Plain, Text
from ligament.extensions.tables.table import Table
from ligament.findings import Finding
from ligament.gltf import pointers
from ligament.gltf.document import Document
from ligament.gltf.tree import find_children

NAME: Final = registry.VRM

TAIL = 0.07
"""Distance [m] of the tail of a leaf."""

DRAG, HIT_RADIUS = 0.4, 0.02

_PLACE = f"/extensions/{NAME}/secondaryAnimation"


_XYZ = defstruct("XYZ", [(axis, Number().kind(), 0.0) for axis in "xyz"], gc=False)
"""A regular vector."""


class Mirrored(Numbers, frozen=True, kw_only=True):
    """A vector of VRM 0.x: an object of x, y and z, in a left-handed space, with z reversed."""

    animated: bool = False

    def plain(self) -> list[Plain]:
        return [(self.name, _XYZ, None)]

    def expression(self, value: str, arrays: Arrays, bind: Bind) -> str:
        vector = f"({value}.x, {value}.y, -{value}.z if {value}.z else 0.0)"
        return f"{bind(self.default)} if {value} is None else {vector}"

    def read(self, fields: Fields, arrays: Arrays) -> Any:
        own = fields.object(self.name)
        if own is None:
            return self.default
        x, y, z = (own.number(axis, 0.0) for axis in "xyz")
        return x, y, -z if z else 0.0

    def content(self) -> Json:
        return {"type": "object", "properties": {axis: {"type": "number"} for axis in "xyz"}}


def _group(_index: int, _pointer: str, *, node: int | None, colliders: Any) -> tuple[Collider, ...]:
    if node is None:
        return ()
    return tuple(dataclasses.replace(collider, node=node) for collider in colliders)


_SPHERE = SPHERE.changed(offset=Mirrored(default=ORIGIN, turns=True), inside=None)
COLLIDER_GROUP = Table(
    Collider,
    build=_group,
    about="The colliders of a node.",
    is_open=True,
    rows={
        "node": Index(array="/nodes", essential=True),
        "colliders": Each(table=_SPHERE, least=0),
    },
)


class BoneGroup(NamedTuple):
    """The roots of chains, what makes a joint of a node, and the spring of each chain but these."""

    bones: tuple[int, ...]
    joint: Callable[..., Joint]
    spring: Spring


def _bone_group(_index: int, pointer: str, *, bones: Any, **values: Any) -> BoneGroup:
    own = {name: values.pop(name) for name in ("name", "colliders", "center")}
    joint = functools.partial(vrmc_spring_bone.joint, 0, pointer, **values)
    return BoneGroup(bones, joint, Spring(end=TAIL, pointer=pointer, **own))


_OPTIONAL: Any = {"least": 0, "default": ()}

BONE_GROUP = vrmc_spring_bone.PLAIN_JOINT.changed(
    build=_bone_group,
    about="Chains of one kind.",
    node=None,
    limit=None,
    direction=Mirrored(name="gravityDir", default=DOWN),
    hit_radius={"default": HIT_RADIUS},
    stiffness={"name": "stiffiness"},
    drag={"default": DRAG},
    center=Index(array="/nodes", none=-1),
    colliders=Indices(name="colliderGroups", array=f"{_PLACE}/colliderGroups", **_OPTIONAL),
    name=Text(name="comment", default="", has_default=False),
    bones=Indices(array="/nodes", **_OPTIONAL),
)

ROOT = Table(
    SpringBones,
    about="Springs and their colliders.",
    is_open=True,
    rows={
        "collider_groups": Each(table=COLLIDER_GROUP, least=0),
        "bone_groups": Each(table=BONE_GROUP, least=0),
    },
)


def read(document: Document) -> SpringBones:
    """Read the springs and all findings about them."""
    raw = pointers.find(document.json, _PLACE)
    if raw is None:
        return SpringBones()
    findings: list[Finding] = []
    root = Fields.of(raw, _PLACE, findings)
    if root is None:
        return SpringBones(NAME, findings=tuple(findings))
    arrays = Arrays(document, NAME)
    filled = Fields({k: v for k, v in root.raw.items() if v != []}, _PLACE, findings)
    groups = arrays.read(filled, f"{_PLACE}/colliderGroups", COLLIDER_GROUP).items
    colliders = [collider for group in groups for collider in group or ()]
    starts = [0, *itertools.accumulate(len(group or ()) for group in groups)]
    members = [range(*pair) for pair in itertools.pairwise(starts)]
    children = find_children(document)
    springs = [
        spring
        for group in arrays.read(filled, f"{_PLACE}/boneGroups", BONE_GROUP).items
        if group is not None
        for spring in _springs(group, members, children)
    ]
    return SpringBones(NAME, tuple(colliders), tuple(springs), tuple(findings))


def _springs(group: BoneGroup, members: list[range], children: list[list[int]]) -> Iterator[Spring]:
    """Yield a spring for every chain of first children at or below the roots of a group."""
    used = tuple(member for index in group.spring.colliders for member in members[index])
    for root in group.bones:
        for chain in _chains(root, children):
            joints = tuple(group.joint(node=node) for node in chain)
            yield dataclasses.replace(group.spring, joints=joints, colliders=used)


def _chains(root: int, children: list[list[int]]) -> Iterator[list[int]]:
    """Yield the chains of first children at and below a node, each node in one of them."""
    waiting, seen = [root], set[int]()
    while waiting:
        chain, node = list[int](), waiting.pop()
        while node not in seen:
            seen.add(node)
            chain.append(node)
            if not children[node]:
                break
            waiting += reversed(children[node][1:])
            node = children[node][0]
        if chain:
            yield chain
