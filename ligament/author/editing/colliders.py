"""Colliders, triggers, materials and filters."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

from ligament.author import arguments
from ligament.author.editing.geometry import AnyShape, Geometry, PlacedShape
from ligament.author.editing.nodes import NodeRef
from ligament.author.editing.serialization import Object, filter_object, material_object
from ligament.author.editing.workspace import Workspace
from ligament.author.fitting import Carrier
from ligament.errors import EditError
from ligament.extensions.rigid_bodies import CollisionFilter, Combine, Material


@dataclasses.dataclass(frozen=True)
class Solid:
    """A collider that was checked, ready to be written: several pieces if it was decomposed."""

    pieces: tuple[PlacedShape, ...]
    material: Object | None
    filter: Object | None


class Colliders:
    """Checks and writes colliders and triggers, with the materials and filters that they share."""

    def __init__(self, workspace: Workspace, geometry: Geometry) -> None:
        self.nodes, self.parts, self.geometry = workspace.nodes, workspace.parts, geometry

    def solid(
        self,
        node: int,
        shape: AnyShape,
        material: Material | None,
        collision_filter: CollisionFilter | None,
        *,
        mesh: int | None = None,
        carriers: tuple[Carrier, ...] = (),
    ) -> Solid:
        """Check a collider without changing the document."""
        pieces = self.geometry.place(node, shape, mesh, carriers)
        if not pieces[0].carriers:
            self.geometry.require_without(node, "collider")
        return Solid(
            pieces,
            None if material is None else material_object(material),
            None if collision_filter is None else filter_object(collision_filter),
        )

    def optional_solid(
        self,
        node: int,
        shape: AnyShape | None,
        material: Material | None,
        collision_filter: CollisionFilter | None,
    ) -> Solid | None:
        """Check the collider of a body; refuse a material or filter without one."""
        if shape is not None:
            return self.solid(node, shape, material, collision_filter)
        if material is not None or collision_filter is not None:
            raise EditError("a material or filter needs a collider", remedy="give a collider")
        return None

    def write(self, node: int, solid: Solid) -> int:
        """Write a collider; return its carrier, or the node itself if there are several pieces."""
        for piece in solid.pieces:
            carrier = self.geometry.carrier(node, piece.carriers, "collider")
            collider = self.geometry.reference(piece.source, self.nodes.name(carrier))
            if solid.material is not None:
                collider["physicsMaterial"] = self.parts.share("physicsMaterials", solid.material)
            self.parts.put(carrier, "collider", collider | self._shared_filter(solid.filter))
        return carrier if len(solid.pieces) == 1 else node

    def add_trigger(
        self,
        node: NodeRef,
        shape: AnyShape | None,
        members: list[NodeRef],
        mesh: int | None,
        collision_filter: CollisionFilter | None,
    ) -> int:
        """Add a trigger with a shape, or a compound of the triggers on other nodes."""
        index = self.nodes.find(node)
        if (shape is None) == (not members):
            raise EditError("a trigger takes either a shape or nodes", remedy="give one of the two")
        if shape is None:
            self.geometry.require_without(index, "trigger")
            listed = self._trigger_members(index, members, collision_filter)
            self.parts.put(index, "trigger", {"nodes": listed})
            return index
        pieces = self.geometry.place(index, shape, mesh)
        filtered = None if collision_filter is None else filter_object(collision_filter)
        if len(pieces) > 1 or not pieces[0].carriers:
            self.geometry.require_without(index, "trigger")
        carriers = [self._write_trigger(index, piece, filtered) for piece in pieces]
        if len(carriers) == 1:
            return carriers[0]
        self.parts.put(index, "trigger", {"nodes": carriers})
        return index

    def share_material(
        self, material: Material, friction_combine: Any, restitution_combine: Any
    ) -> Material:
        """Add a material with combine modes, which may be given by their names."""
        complete = dataclasses.replace(
            material,
            friction_combine=_mode(friction_combine, "friction_combine"),
            restitution_combine=_mode(restitution_combine, "restitution_combine"),
        )
        self.parts.share("physicsMaterials", material_object(complete))
        return complete

    def share_filter(
        self, systems: Any, collide_with: Any, not_collide_with: Any
    ) -> CollisionFilter:
        """Add a filter of collision systems."""
        given = CollisionFilter(
            systems=_names(systems, "systems") or frozenset(),
            collide_with=_names(collide_with, "collide_with"),
            not_collide_with=_names(not_collide_with, "not_collide_with"),
        )
        self.parts.share("collisionFilters", filter_object(given))
        return given

    def _write_trigger(self, node: int, piece: PlacedShape, filtered: Object | None) -> int:
        carrier = self.geometry.carrier(node, piece.carriers, "trigger")
        trigger = self.geometry.reference(piece.source, self.nodes.name(carrier))
        self.parts.put(carrier, "trigger", trigger | self._shared_filter(filtered))
        return carrier

    def _shared_filter(self, written: Object | None) -> Object:
        if written is None:
            return {}
        return {"collisionFilter": self.parts.share("collisionFilters", written)}

    def _trigger_members(
        self, node: int, members: Iterable[NodeRef], collision_filter: CollisionFilter | None
    ) -> list[int]:
        if collision_filter is not None:
            raise EditError("a compound trigger cannot have a filter", remedy="filter its members")
        found = [self.nodes.find(member, "trigger") for member in members]
        if len(set(found)) != len(found):
            raise EditError("a trigger is named twice", remedy="name each trigger once")
        for member in found:
            trigger = self.parts.on(member, "trigger")
            if trigger is None or "nodes" in trigger:
                message = f"{self.nodes.label(member)} has no trigger with a shape"
                raise self.nodes.error(message, "give it one first (add_trigger)")
            if node not in self.nodes.upward(member) or member == node:
                message = f"{self.nodes.label(member)} is not below {self.nodes.label(node)}"
                raise self.nodes.error(message, "name triggers on descendants of it")
        return found


def _mode(given: Any, what: str) -> Combine | None:
    return None if given is None else arguments.choice(given, what, tuple(Combine))


def _names(given: Any, what: str) -> frozenset[str] | None:
    return None if given is None else frozenset(arguments.words(given, what))
