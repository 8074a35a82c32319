"""The reader of nodes that all dialects of KHR and MSFT share.

The fast path for nodes of KHR_physics_rigid_bodies that have nothing odd about them.

Nearly all nodes of nearly all files fit the structures below. They are taken without another look;
whatever does not fit is read again member by member, with a finding for everything that is wrong.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Protocol, TypeAlias, TypeVar

import msgspec
from msgspec import Meta, Struct

from ligament.extensions.declarations import (
    Collider,
    CollisionFilter,
    GeometrySource,
    Joint,
    Material,
    Motion,
    MotionKind,
    Physics,
    Quaternion,
    Trigger,
)
from ligament.extensions.fields import UNIT_TOLERANCE, Catalogue, Fields, Target
from ligament.extensions.physics.rigid_bodies.joints import JointDescription, read_description
from ligament.extensions.physics.rigid_bodies.materials import read_filter, read_material
from ligament.extensions.physics.rigid_bodies.motions import infinite_where_zero, read_motion
from ligament.extensions.physics.rigid_bodies.vocabulary import Vocabulary
from ligament.findings import Finding
from ligament.gltf.document import Document
from ligament.gltf.tree import Carriers, carrying

T = TypeVar("T")

_LARGEST = sys.float_info.max
_UNTURNED = (0.0, 0.0, 0.0, 1.0)
_DYNAMIC, _KINEMATIC = MotionKind.DYNAMIC, MotionKind.KINEMATIC

Number: TypeAlias = Annotated[float, Meta(ge=-_LARGEST, le=_LARGEST)]
Size: TypeAlias = Annotated[float, Meta(ge=0, le=_LARGEST)]
Index: TypeAlias = Annotated[int, Meta(ge=0)]
Vector: TypeAlias = tuple[Number, Number, Number]

NODES_PER_BATCH = 1_000
"""Nodes that are read together: few enough to stay in the processor's cache."""

if TYPE_CHECKING:
    Maybe: TypeAlias = T | None
else:
    Maybe = Annotated[T, "absent"]
"""A member that is None where it is not there; null in its place does not fit, and is odd."""


class _Plain(Struct, rename="camel", forbid_unknown_fields=True, gc=False, kw_only=True):
    extensions: Any = None
    extras: Any = None


class PlainMotion(_Plain):
    """The motion of a node."""

    is_kinematic: bool = False
    mass: Maybe[Size] = None
    center_of_mass: Maybe[Vector] = None
    inertia_diagonal: Maybe[tuple[Size, Size, Size]] = None
    inertia_orientation: tuple[Number, Number, Number, Number] = _UNTURNED
    linear_velocity: Vector = (0.0, 0.0, 0.0)
    angular_velocity: Vector = (0.0, 0.0, 0.0)
    gravity_factor: Number = 1.0


class PlainGeometry(_Plain):
    """Geometry of a collider or trigger; one of the three is present."""

    mesh: Maybe[Index] = None
    node: Maybe[Index] = None
    shape: Maybe[Index] = None
    convex_hull: bool = False


class PlainShaped(_Plain):
    """Common members of colliders and triggers; one of the first two is present."""

    geometry: Maybe[PlainGeometry] = None
    shape: Maybe[Index] = None
    collision_filter: Maybe[Index] = None


class PlainCollider(PlainShaped):
    """The collider of a node."""

    physics_material: Maybe[Index] = None


class PlainJoint(_Plain):
    """The joint of a node."""

    connected_node: Index
    joint: Index
    enable_collision: bool = False


class PlainNode(_Plain):
    """The physics of one node."""

    motion: Maybe[PlainMotion] = None
    collider: Maybe[PlainCollider] = None
    trigger: Maybe[PlainShaped] = None
    joint: Maybe[PlainJoint] = None


class IrregularContentError(Exception):
    """Content that the fast path does not read; the full reader does."""


def read_plain(contents: Sequence[Any]) -> Iterator[PlainNode | None]:
    """Read the contents of nodes, many at once; None for those that have something odd."""
    for start in range(0, len(contents), NODES_PER_BATCH):
        yield from _converted(contents[start : start + NODES_PER_BATCH])


def _converted(contents: Sequence[Any]) -> Sequence[PlainNode | None]:
    """Convert a list; if an element does not fit, continue with the halves."""
    try:
        return msgspec.convert(contents, list[PlainNode])
    except (msgspec.ValidationError, RecursionError):
        if len(contents) == 1:
            return [None]
    half = len(contents) // 2
    return [*_converted(contents[:half]), *_converted(contents[half:])]


def motion_of(plain: PlainMotion, node: int, at: str) -> Motion:
    """Return the body of a node whose content stands at `at`."""
    inertia, orientation = plain.inertia_diagonal, plain.inertia_orientation
    if inertia is None and orientation is not _UNTURNED:
        raise IrregularContentError
    return Motion(
        node=node,
        kind=_KINEMATIC if plain.is_kinematic else _DYNAMIC,
        mass=math.inf if plain.mass == 0 else plain.mass,
        center_of_mass=plain.center_of_mass,
        inertia_diagonal=inertia and infinite_where_zero(inertia),
        inertia_orientation=orientation if orientation is _UNTURNED else _unit(orientation),
        linear_velocity=plain.linear_velocity,
        angular_velocity=plain.angular_velocity,
        gravity_factor=plain.gravity_factor,
        pointer=f"{at}/motion",
    )


def _unit(rotation: Quaternion) -> Quaternion:
    length = math.hypot(*rotation)
    if not abs(length - 1) <= UNIT_TOLERANCE:
        raise IrregularContentError
    x, y, z, w = rotation
    return x / length, y / length, z / length, w / length


NODE_MEMBERS = frozenset({"motion", "collider", "trigger", "joint"})


class Geometries(Protocol):
    """Finds the geometry that a collider or trigger names.

    `names` are the members that name it, of which there must be one; `members` are all of those
    that belong to it.
    """

    names: tuple[str, ...]
    members: frozenset[str]

    def read(self, fields: Fields, name: str) -> GeometrySource | None:
        """Read the geometry that member `name` leads to."""


class ShapesByIndex:
    """Geometries that one member gives as an index in an array of shapes."""

    def __init__(self, name: str, shapes: Catalogue[GeometrySource]) -> None:
        self.names: tuple[str, ...] = (name,)
        self.members = frozenset(self.names)
        self._shapes = shapes

    def read(self, fields: Fields, name: str) -> GeometrySource | None:
        """Look the shape up."""
        return self._shapes.pick(fields, name)


def is_used(document: Document, carriers: Carriers, vocabulary: Vocabulary) -> bool:
    """Tell whether the file has the extension, be it broken, at its root or on any node."""
    extensions = document.json.get("extensions")
    if isinstance(extensions, dict) and vocabulary.name in extensions:
        return True
    return any(key in carriers for key in vocabulary.node_keys)


class BodyReader:
    """Reads bodies, colliders, triggers and joints, which gather in dicts by node."""

    def __init__(
        self,
        document: Document,
        carriers: Carriers,
        vocabulary: Vocabulary,
        geometries: Geometries,
        findings: list[Finding],
    ) -> None:
        self.motions: dict[int, Motion] = {}
        self.colliders: dict[int, Collider] = {}
        self.triggers: dict[int, Trigger] = {}
        self.joints: dict[int, Joint] = {}
        self.findings = findings
        self.carriers = carriers
        self.node_target = Target.at(document.json, "/nodes")
        self.vocabulary = vocabulary
        self._geometries = geometries
        self._collider_members = geometries.members | {"physicsMaterial", "collisionFilter"}
        self._trigger_members = geometries.members | {"nodes", "collisionFilter"}
        self._read_arrays(Fields(document.json, "", findings).extension(vocabulary.name))

    def _read_arrays(self, root: Fields | None) -> None:
        vocabulary, here = self.vocabulary, f"/extensions/{self.vocabulary.name}"
        arrays = vocabulary.joint_arrays
        if root is not None:
            root.only({"physicsMaterials", "collisionFilters", *arrays.values()})
        self.materials = Catalogue[Material].read(
            root,
            f"{here}/physicsMaterials",
            lambda fields: read_material(fields, vocabulary.combine_modes),
        )
        self.filters = Catalogue[CollisionFilter].read(
            root, f"{here}/collisionFilters", read_filter
        )
        self.descriptions = {
            member: Catalogue[JointDescription].read(
                root, f"{here}/{array}", lambda fields: read_description(fields, vocabulary)
            )
            for member, array in arrays.items()
        }

    def read(self) -> Physics:
        """Read all nodes; dialects and findings are for the caller to add."""
        read: set[int] = set()
        entries = carrying(self.carriers, self.vocabulary.node_keys)
        plain = self.plain([raw for _, _, raw in entries])
        for (node, key, raw), content in zip(entries, plain, strict=True):
            pointer = f"/nodes/{node}/extensions/{key}"
            if content is not None and node not in read and self.reads(content, node, pointer):
                read.add(node)
                continue
            fields = Fields.of(raw, pointer, self.findings)
            if fields is not None and node in read:
                message = f"the node has {self.vocabulary.name} too, so this is ignored"
                fields.report("PHYSICS_DIALECT_CONFLICT", message, "remove one of them")
            elif fields is not None:
                read.add(node)
                self.read_node(fields, node)
        return Physics(
            motions=self.motions,
            colliders=self.colliders,
            triggers=self.triggers,
            joints=self.joints,
        )

    def plain(self, contents: list[Any]) -> Iterable[PlainNode | None]:
        """Return what has nothing odd about it; None for what takes a closer look."""
        return (None for _ in contents)

    def reads(self, content: PlainNode, node: int, pointer: str) -> bool:
        """Read what has nothing odd about it; False where it takes a closer look after all."""
        return False

    def read_node(self, fields: Fields, node: int) -> None:
        """Read what the extension says of one node."""
        fields.only(NODE_MEMBERS)
        if (motion := fields.object("motion")) is not None:
            self.read_motion(motion, node)
        if (collider := fields.object("collider")) is not None:
            self.read_collider(collider, node)
        if (trigger := fields.object("trigger")) is not None:
            self.read_trigger(trigger, node)
        if (joint := fields.object("joint")) is not None:
            self.read_joint(joint, node)

    def read_motion(self, fields: Fields, node: int) -> None:
        """Read a body."""
        self.motions[node] = read_motion(fields, node, self.vocabulary)

    def read_collider(self, fields: Fields, node: int) -> None:
        """Read a collider, which stays without geometry where that cannot be understood."""
        fields.only(self._collider_members)
        names = [name for name in self._geometries.names if name in fields]
        if len(names) > 1:
            fields.one_of(*self._geometries.names)
        elif not names:
            fields.required(self._geometries.names[0])
        self.colliders[node] = Collider(
            node=node,
            geometry=self._geometries.read(fields, names[0]) if names else None,
            material=self.materials.pick(fields, "physicsMaterial"),
            filter=self.filters.pick(fields, "collisionFilter"),
            pointer=fields.pointer,
        )

    def read_trigger(self, fields: Fields, node: int) -> None:
        """Read a trigger of a shape or of other triggers; of both, the shape counts."""
        fields.only(self._trigger_members)
        name = fields.one_of(*self._geometries.names, "nodes")
        is_compound = name == "nodes"
        if is_compound:
            fields.misplaced("collisionFilter", "give filters to the triggers in nodes")
            for stray in self._geometries.members.difference(self._geometries.names):
                fields.misplaced(stray, "it belongs to a shape")
        self.triggers[node] = Trigger(
            node=node,
            geometry=None if name is None or is_compound else self._geometries.read(fields, name),
            nodes=self._members(fields) if is_compound else (),
            filter=None if is_compound else self.filters.pick(fields, "collisionFilter"),
            pointer=fields.pointer,
        )

    def _members(self, fields: Fields) -> tuple[int, ...]:
        """Read the triggers that make up a compound one, leaving out what is no trigger.

        The validator refuses compounds in compounds, the text does not: they are kept.
        """
        members = []
        for node, place in fields.places("nodes", self.node_target).items():
            trigger = self._raw_trigger(node)
            is_trigger = isinstance(trigger, dict)
            if is_trigger:
                members.append(node)
            if not is_trigger or "nodes" in trigger:
                fields.report(
                    "KHR_RIGID_BODIES_TRIGGER_NODES_INVALID",
                    f"node {node} is {'a compound' if is_trigger else 'not a'} trigger",
                    "name triggers that have a shape",
                    "nodes",
                    place,
                )
        return tuple(members)

    def _raw_trigger(self, node: int) -> Any:
        content = self._contents.get(node)
        return content.get("trigger") if isinstance(content, dict) else None

    @cached_property
    def _contents(self) -> dict[int, Any]:
        """The physics of the nodes, under the first key that each has."""
        entries = carrying(self.carriers, self.vocabulary.node_keys)
        return {node: content for node, _, content in reversed(entries)}

    def read_joint(self, fields: Fields, node: int) -> None:
        """Read a joint; without both of its ends and a description it is left out."""
        members = list(self.descriptions)
        fields.only({"connectedNode", "enableCollision", *members})
        member = fields.first_of(members)
        fields.required("connectedNode", member)
        self.add_joint(fields, node, self.descriptions[member].pick(fields, member))

    def add_joint(self, fields: Fields, node: int, description: JointDescription | None) -> None:
        """Add a joint of which the description is known, if its other end is."""
        connected = fields.index("connectedNode", self.node_target)
        enable_collision = fields.boolean("enableCollision", False)
        if connected is None or description is None:
            return
        self.joints[node] = description.between(
            node, connected, enable_collision=enable_collision, pointer=fields.pointer
        )
