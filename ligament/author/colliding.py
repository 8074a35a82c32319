"""Colliders, triggers, materials and filters of a document."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ligament.author import values
from ligament.author.frames import UNTURNED
from ligament.author.nodes import NodeRef
from ligament.author.objects import Object, filter_object, material_object
from ligament.author.shaping import AT_ORIGIN, AnyShape, Placed, ShapeWriter, is_off
from ligament.errors import EditError
from ligament.extensions.declarations import CollisionFilter, Combine, Material
from ligament.physics.scene import Pose


@dataclasses.dataclass(frozen=True)
class Solid:
    """A collider that was checked, ready to be written."""

    placed: Placed
    material: Object | None
    filter: Object | None


class ColliderWriter(ShapeWriter):
    """Adds what can touch and be touched."""

    def add_collider(
        self,
        node: NodeRef,
        shape: AnyShape = "auto",
        *,
        mesh: int | None = None,
        translation: Sequence[float] | None = None,
        rotation: Sequence[float] | None = None,
        material: Material | None = None,
        filter: CollisionFilter | None = None,  # noqa: A002
    ) -> int:
        """Give a node a solid shape; returns the node that carries it.

        The shape is one of the declarations (`Sphere`, `Box`, `Capsule`, `Cylinder`, `Plane`,
        `MeshGeometry`); or "mesh" or "hull", the surface or the convex hull of the node's own
        mesh, or of mesh `mesh`; or "auto", "box", "sphere", "capsule", "cylinder", fitted around
        it. A shape that lies off the node, because of `translation` [m] or `rotation` xyzw or
        because the fit says so, is carried by a new node below.
        """
        index = self._nodes.find(node)
        pose = _pose(translation, rotation)
        solid = self._solid(index, shape, material, filter, mesh=mesh, pose=pose)
        return self._write_collider(index, solid)

    def add_trigger(
        self,
        node: NodeRef,
        shape: AnyShape | None = None,
        *,
        nodes: Iterable[NodeRef] = (),
        mesh: int | None = None,
        filter: CollisionFilter | None = None,  # noqa: A002
    ) -> int:
        """Make a node notice what overlaps its shape, or the triggers below it taken as one.

        Returns the node that carries the trigger.
        """
        index = self._nodes.find(node)
        if (shape is None) == (not (members := list(nodes))):
            raise EditError("a trigger has a shape or nodes", remedy="give one of the two")
        if shape is None:
            self._require_without(index, "trigger")
            listed = self._trigger_members(index, members, filter)
            self._parts.put(index, "trigger", {"nodes": listed})
            return index
        placed = self._placed(index, shape, mesh, AT_ORIGIN)
        filtered = None if filter is None else filter_object(filter)
        if not is_off(placed.pose):
            self._require_without(index, "trigger")
        carrier = self._carrier(index, placed.pose, "trigger")
        trigger: Object = {"geometry": self._geometry(placed.source)}
        self._parts.put(carrier, "trigger", trigger | self._shared_filter(filtered))
        return carrier

    def add_material(
        self,
        *,
        friction: float | None = None,
        static_friction: float | None = None,
        dynamic_friction: float | None = None,
        restitution: float = 0.0,
        friction_combine: Combine | str | None = None,
        restitution_combine: Combine | str | None = None,
    ) -> Material:
        """Add a surface and return it, for `add_collider`; `friction` stands for both kinds."""
        known = Material()
        default = known.dynamic_friction if friction is None else friction
        material = Material(
            static_friction=default if static_friction is None else static_friction,
            dynamic_friction=default if dynamic_friction is None else dynamic_friction,
            restitution=restitution,
            friction_combine=_mode(friction_combine, "friction_combine"),
            restitution_combine=_mode(restitution_combine, "restitution_combine"),
        )
        self._parts.share("physicsMaterials", material_object(material))
        return material

    def add_filter(
        self,
        systems: Iterable[str] | None = None,
        *,
        collide_with: Iterable[str] | None = None,
        not_collide_with: Iterable[str] | None = None,
    ) -> CollisionFilter:
        """Add a filter and return it, for `add_collider`: the systems that something is in, and
        those that it meets, or does not meet."""
        given = CollisionFilter(
            systems=_names(systems, "systems") or frozenset(),
            collide_with=_names(collide_with, "collide_with"),
            not_collide_with=_names(not_collide_with, "not_collide_with"),
        )
        self._parts.share("collisionFilters", filter_object(given))
        return given

    def _solid(
        self,
        node: int,
        shape: AnyShape,
        material: Any,
        collision_filter: Any,
        *,
        mesh: Any = None,
        pose: Pose = AT_ORIGIN,
    ) -> Solid:
        """Check everything about a collider; changes nothing."""
        placed = self._placed(node, shape, mesh, pose)
        if not is_off(placed.pose):
            self._require_without(node, "collider")
        return Solid(
            placed,
            None if material is None else material_object(material),
            None if collision_filter is None else filter_object(collision_filter),
        )

    def _write_collider(self, node: int, solid: Solid) -> int:
        carrier = self._carrier(node, solid.placed.pose, "collider")
        collider: Object = {"geometry": self._geometry(solid.placed.source)}
        if solid.material is not None:
            collider["physicsMaterial"] = self._parts.share("physicsMaterials", solid.material)
        self._parts.put(carrier, "collider", collider | self._shared_filter(solid.filter))
        return carrier

    def _trigger_members(
        self, node: int, members: list[NodeRef], collision_filter: Any
    ) -> list[int]:
        if collision_filter is not None:
            raise EditError("a compound trigger has no filter", remedy="filter its members")
        found = [self._nodes.find(member, "trigger") for member in members]
        if len(set(found)) != len(found):
            raise EditError("a trigger is named twice", remedy="name every one once")
        for member in found:
            trigger = self._parts.on(member, "trigger")
            if trigger is None or "nodes" in trigger:
                message = f"{self._nodes.label(member)} has no trigger with a shape"
                raise self._nodes.error(message, "give it one first (add_trigger)")
            if node not in self._nodes.upward(member) or member == node:
                message = f"{self._nodes.label(member)} is not below {self._nodes.label(node)}"
                raise self._nodes.error(message, "a compound trigger takes triggers below it")
        return found


def _pose(translation: Any, rotation: Any) -> Pose:
    place = (0, 0, 0) if translation is None else values.vector(translation, "the translation")
    turn = UNTURNED if rotation is None else values.rotation(rotation, "the rotation")
    return Pose(np.array(place, float), np.array(turn, float))


def _mode(given: Any, what: str) -> Combine | None:
    return None if given is None else values.choice(given, what, tuple(Combine))


def _names(given: Any, what: str) -> frozenset[str] | None:
    return None if given is None else frozenset(values.words(given, what))
