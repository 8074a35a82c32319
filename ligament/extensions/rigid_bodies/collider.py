"""Colliders and triggers of nodes."""

from typing import Annotated

from ligament.extensions.fields import Fields
from ligament.extensions.rigid_bodies.filter import CollisionFilter
from ligament.extensions.rigid_bodies.geometry import GeometryOfAnyRevision, GeometrySource
from ligament.extensions.rigid_bodies.material import Material
from ligament.extensions.tables.arrays import Arrays
from ligament.extensions.tables.rows import Element, Indices, Plain
from ligament.extensions.tables.rules import Excludes, OneOf
from ligament.extensions.tables.table import Part, Table

_MATERIAL = Element(name="physicsMaterial", array="physicsMaterials")
_FILTER = Element(name="collisionFilter", array="collisionFilters")
MOVE_HULL = "move it into geometry"
FILTER_MEMBERS = "give filters to the triggers in nodes"


class Collider(Part, frozen=True, kw_only=True, gc=False):
    """A solid shape on a node; `geometry` is None if it could not be understood."""

    geometry: Annotated[GeometrySource | None, GeometryOfAnyRevision()] = None
    material: Annotated[Material | None, _MATERIAL] = None
    filter: Annotated[CollisionFilter | None, _FILTER] = None


COLLIDER = Table(
    Collider,
    OneOf("geometry", "shape", first_is_required=True),
    Excludes("geometry", convexHull=MOVE_HULL),
    about="A collider.",
)


class Triggers(Indices, frozen=True, kw_only=True):
    """The nodes of the triggers that make up a compound one, leaving out what is no trigger.

    The validator refuses compounds in compounds, the text does not: they are kept.
    """

    def plain(self) -> list[Plain]:
        return []  # compounds take the careful reader

    def read(self, fields: Fields, arrays: Arrays) -> tuple[int, ...]:
        members = []
        for node, place in fields.places(self.name, arrays.target("/nodes")).items():
            content = arrays.on_nodes.get(node)
            trigger = content.get("trigger") if isinstance(content, dict) else None
            is_trigger = isinstance(trigger, dict)
            if is_trigger:
                members.append(node)
            if not isinstance(trigger, dict) or "nodes" in trigger:
                message = f"node {node} is {'a compound' if is_trigger else 'not a'} trigger"
                remedy = "name triggers that have a shape"
                code = "KHR_RIGID_BODIES_TRIGGER_NODES_INVALID"
                fields.report(code, message, remedy, self.name, place)
        return tuple(members)


class Trigger(Part, frozen=True, kw_only=True, gc=False):
    """A shape that detects overlaps, or (`nodes`) several triggers combined."""

    geometry: Annotated[GeometrySource | None, GeometryOfAnyRevision()] = None
    nodes: Annotated[
        tuple[int, ...],
        Triggers(array="/nodes", essential=True, about="Triggers that make up a compound."),
    ] = ()
    filter: Annotated[CollisionFilter | None, _FILTER] = None


TRIGGER = Table(
    Trigger,
    OneOf("geometry", "shape", "nodes"),
    Excludes("geometry", convexHull=MOVE_HULL),
    Excludes("nodes", collisionFilter=FILTER_MEMBERS, convexHull="it belongs to a shape"),
    about="A trigger: reports overlaps, without contact.",
)
