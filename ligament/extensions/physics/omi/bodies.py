"""Bodies, colliders and triggers of OMI_physics_body.

In 2023 the object on a node is a body, one of whose types is `trigger`, and other extensions give
nodes at and below it a shape. Later it holds `motion`, `collider` and `trigger`. -1 stands for no
shape, material or filter.
"""

from __future__ import annotations

import dataclasses
from typing import Any, TypeVar

from msgspec import structs

from ligament.extensions.fields import Catalogue, Fields
from ligament.extensions.omi.shape import COLLIDER_SHAPE, COLLIDERS, SHAPE, SHAPES, Shape
from ligament.extensions.physics.omi import motions
from ligament.extensions.physics.omi.nodes import Nodes
from ligament.extensions.registry import OMI_COLLIDER, OMI_PHYSICS_BODY, OMI_PHYSICS_SHAPE
from ligament.extensions.rigid_bodies import (
    Collider,
    Combine,
    GeometrySource,
    Material,
    Motion,
    Trigger,
)
from ligament.extensions.rigid_bodies.filter import FILTER
from ligament.extensions.rigid_bodies.material import MATERIAL
from ligament.extensions.tables.arrays import Arrays
from ligament.gltf.document import Document

T = TypeVar("T")

PARTS = frozenset({"motion", "collider", "trigger"})
_NONE = -1


@dataclasses.dataclass
class Bodies:
    """All that was read from nodes, by node index.

    `trigger_bodies` are bodies of 2023 that are triggers, `compounds` triggers without a shape of
    their own or with other triggers beside it, both with a cursor on what the file says;
    `named` are all nodes that carry OMI_physics_body with any content.
    """

    motions: dict[int, Motion] = dataclasses.field(default_factory=dict)
    colliders: dict[int, Collider] = dataclasses.field(default_factory=dict)
    triggers: dict[int, Trigger] = dataclasses.field(default_factory=dict)
    trigger_bodies: dict[int, Fields] = dataclasses.field(default_factory=dict)
    compounds: dict[int, Fields] = dataclasses.field(default_factory=dict)
    named: set[int] = dataclasses.field(default_factory=set)

    def owners(self, nodes: Nodes) -> list[int]:
        """Return, for every node, the nearest body at or above it, triggers of 2023 too, or -1."""
        return nodes.nearest(self.motions.keys() | self.trigger_bodies.keys())


def read_bodies(root: Fields, nodes: Nodes) -> Bodies:
    """Read bodies, colliders and triggers of both eras."""
    arrays = Arrays(Document(root.raw), OMI_PHYSICS_BODY)
    shapes = _read_shapes(root, SHAPES, SHAPE, arrays)
    reader = _NodeReader(root, shapes, arrays)
    for node, fields in nodes.extended(OMI_PHYSICS_BODY):
        reader.read(fields, node)
    _add_shaped_nodes(root, nodes, reader.bodies, shapes, arrays)
    return reader.bodies


def _read_shapes(root: Fields, pointer: str, shape: Shape, arrays: Arrays) -> Catalogue[Any]:
    """Read the array of shapes at a pointer, the only member of its owner."""
    owner, _, member = pointer.rpartition("/")
    extension = root.extension(owner.rpartition("/")[2])
    if extension is not None:
        extension.only((member,))
        extension.required(member)
    return arrays.read(extension, pointer, shape)


class _NodeReader:
    """Reads what nodes carry under OMI_physics_body."""

    def __init__(self, root: Fields, shapes: Catalogue[GeometrySource], arrays: Arrays) -> None:
        self.bodies = Bodies()
        self._shapes = shapes
        here = f"/extensions/{OMI_PHYSICS_BODY}"
        extension = root.extension(OMI_PHYSICS_BODY)
        if extension is not None:
            extension.only(("physicsMaterials", "collisionFilters"))
        self._materials = Catalogue[Material].read(
            extension,
            f"{here}/physicsMaterials",
            lambda fields: _averaging(MATERIAL.read(fields, arrays)),
        )
        self._filters = arrays.read(extension, "collisionFilters", FILTER)

    def read(self, fields: Fields, node: int) -> None:
        bodies = self.bodies
        is_flat = motions.is_flat(fields)
        fields.only(PARTS | motions.MEMBERS if is_flat else PARTS)
        if is_flat and fields.raw.get("type") == "trigger":
            bodies.trigger_bodies[node] = fields
        elif is_flat:
            bodies.motions[node] = motions.read_motion(fields, node)
        if (motion := fields.object("motion")) is not None:
            motion.only(motions.MEMBERS)
            bodies.motions[node] = motions.read_motion(motion, node)
        if (collider := fields.object("collider")) is not None:
            bodies.colliders[node] = self._collider(collider, node)
        if (trigger := fields.object("trigger")) is not None:
            bodies.triggers[node] = self._trigger(trigger, node)
        if is_flat or not PARTS.isdisjoint(fields.raw):
            bodies.named.add(node)

    def _collider(self, fields: Fields, node: int) -> Collider:
        """Read a collider; one without a shape holds together those below it."""
        fields.only(("shape", "physicsMaterial", "collisionFilter"))
        return Collider(
            node=node,
            geometry=_pick(self._shapes, fields, "shape"),
            material=_pick(self._materials, fields, "physicsMaterial"),
            filter=_pick(self._filters, fields, "collisionFilter"),
            pointer=fields.pointer,
        )

    def _trigger(self, fields: Fields, node: int) -> Trigger:
        """Read a trigger; its members are found when all triggers are known."""
        fields.only(("shape", "nodes", "collisionFilter"))
        is_shaped = fields.raw.get("shape", _NONE) != _NONE
        if not is_shaped or fields.raw.get("nodes", []) != []:
            self.bodies.compounds[node] = fields
        return Trigger(
            node=node,
            geometry=_pick(self._shapes, fields, "shape"),
            filter=_pick(self._filters, fields, "collisionFilter"),
            pointer=fields.pointer,
        )


def _pick(catalogue: Catalogue[T], fields: Fields, member: str) -> T | None:
    return None if fields.raw.get(member) == _NONE else catalogue.pick(fields, member)


def _averaging(material: Material) -> Material:
    """Return a material in which a combine mode that is absent votes for the average."""
    return dataclasses.replace(
        material,
        friction_combine=material.friction_combine or Combine.AVERAGE,
        restitution_combine=material.restitution_combine or Combine.AVERAGE,
    )


def _add_shaped_nodes(
    root: Fields,
    nodes: Nodes,
    bodies: Bodies,
    shapes: Catalogue[GeometrySource],
    arrays: Arrays,
) -> None:
    """Add nodes that name a shape by OMI_physics_shape (mid-2023) or OMI_collider.

    They are triggers if they say so, and if they say nothing but belong to a trigger body.
    """
    owners = bodies.owners(nodes)
    for node, fields in nodes.extended(OMI_PHYSICS_SHAPE):
        fields.only(("shape",))
        fields.required("shape")
        is_trigger = owners[node] in bodies.trigger_bodies
        _add_shaped(bodies, node, fields, shapes.pick(fields, "shape"), is_trigger=is_trigger)
    collider_shapes = _read_shapes(root, COLLIDERS, COLLIDER_SHAPE, arrays)
    for node, fields in nodes.extended(OMI_COLLIDER):
        fields.only(("collider",))
        fields.required("collider")
        shape = collider_shapes.pick(fields, "collider")
        is_trigger = owners[node] in bodies.trigger_bodies
        if shape is not None and shape.is_trigger is not None:
            is_trigger = shape.is_trigger
        geometry = None if shape is None else shape.geometry
        _add_shaped(bodies, node, fields, geometry, is_trigger=is_trigger)


def _add_shaped(
    bodies: Bodies, node: int, fields: Fields, geometry: GeometrySource | None, *, is_trigger: bool
) -> None:
    if node in (bodies.triggers if is_trigger else bodies.colliders):
        noun = "trigger" if is_trigger else "collider"
        message = f"the node is a {noun} by another extension too, so this is ignored"
        fields.report("PHYSICS_DIALECT_CONFLICT", message, "remove one of them")
    elif is_trigger:
        bodies.triggers[node] = Trigger(node=node, geometry=geometry, pointer=fields.pointer)
    else:
        bodies.colliders[node] = Collider(node=node, geometry=geometry, pointer=fields.pointer)


def join_triggers(bodies: Bodies, nodes: Nodes) -> None:
    """Give every compound trigger its members, so that it is entered once and left once.

    A body of 2023 becomes a compound of the triggers that belong to it. `nodes` came in February
    2024; a trigger with neither shape nor nodes consists of all triggers below it.
    """
    _join_bodies(bodies, nodes)
    below = _below_compounds(bodies, nodes)
    for node, fields in bodies.compounds.items():
        if fields.raw.get("nodes", []) != []:
            members = _listed(bodies, nodes, node, fields)
        else:
            members = tuple(below.get(node, ()))
            if not members:
                message = "found neither shape nor nodes, nor a trigger below"
                fields.report("ONE_OF_MISMATCH", message, "give it a shape or nodes")
        _set_members(bodies, node, members, fields.pointer)


def _join_bodies(bodies: Bodies, nodes: Nodes) -> None:
    owners = bodies.owners(nodes)
    members: dict[int, list[int]] = {}
    for node in sorted(bodies.triggers):
        if owners[node] != node:
            members.setdefault(owners[node], []).append(node)
    for node, fields in bodies.trigger_bodies.items():
        _set_members(bodies, node, tuple(members.get(node, ())), fields.pointer)


def _below_compounds(bodies: Bodies, nodes: Nodes) -> dict[int, list[int]]:
    """List, for every compound, the triggers below it that are not in one further down."""
    nearest = nodes.nearest(bodies.compounds)
    members: dict[int, list[int]] = {}
    for node in sorted(bodies.triggers):
        parent = nodes.parents[node]
        if parent >= 0:
            members.setdefault(nearest[parent], []).append(node)
    return members


def _listed(bodies: Bodies, nodes: Nodes, node: int, fields: Fields) -> tuple[int, ...]:
    """Read the members that a trigger names, leaving out those that cannot be."""
    members = []
    for member, place in fields.places("nodes", nodes.target).items():
        if member in bodies.triggers and nodes.is_below(member, node):
            members.append(member)
            continue
        lack = "is not below it" if member in bodies.triggers else "is not a trigger"
        message = f"node {member} {lack}, so it is left out"
        remedy = "name triggers on descendants of the node"
        fields.report("OMI_PHYSICS_BODY_TRIGGER_NODES", message, remedy, "nodes", place)
    return tuple(members)


def _set_members(bodies: Bodies, node: int, members: tuple[int, ...], pointer: str) -> None:
    trigger = bodies.triggers.get(node, Trigger(node=node, pointer=pointer))
    bodies.triggers[node] = structs.replace(trigger, nodes=members)
