"""Colliders, triggers, materials and filters of a document."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ligament.author import values
from ligament.author.fitting import Carrier, NodeFit
from ligament.author.frames import UNTURNED
from ligament.author.nodes import NodeRef
from ligament.author.objects import Object, filter_object, material_object
from ligament.author.shaping import NAMES, AnyShape, Placed, ShapeWriter
from ligament.errors import EditError
from ligament.extensions.declarations import CollisionFilter, Combine, Material


@dataclasses.dataclass(frozen=True)
class Solid:
    """A collider that was checked, ready to be written: several where it was decomposed."""

    pieces: tuple[Placed, ...]
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
        below: bool = False,
        tolerance: float | None = None,
        max_points: int | None = None,
        material: Material | None = None,
        filter: CollisionFilter | None = None,  # noqa: A002
    ) -> int:
        """Give a node a solid shape; returns the node that carries it.

        The shape is one of the declarations (`Sphere`, `Box`, `Capsule`, `Cylinder`, `Plane`,
        `MeshGeometry`), or the name of one to be fitted around the node's own mesh, or around mesh
        `mesh`: "sphere", "box", "capsule", "cylinder", "hull"; "auto", the simplest of them that
        fits; "decomposed", several hulls that follow hollows (extra `decompose`); or "mesh", the
        surface itself. `below`, `tolerance` and `max_points` are those of `fit`, whose result is
        taken too.

        A shape that lies off the node, because of `translation` [m] or `rotation` xyzw or because
        the fit says so, is carried by a new node below. So is each part of what was decomposed:
        the node itself is returned then.
        """
        index = self._nodes.find(node)
        options = _given(below=below or None, tolerance=tolerance, max_points=max_points)
        if options:
            shape, mesh = self._fit_with(index, shape, mesh, options), None
        carriers = _carriers(translation, rotation)
        solid = self._solid(index, shape, material, filter, mesh=mesh, carriers=carriers)
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

        Shapes are those of `add_collider`. Returns the node that carries the trigger.
        """
        index = self._nodes.find(node)
        if (shape is None) == (not (members := list(nodes))):
            raise EditError("a trigger has a shape or nodes", remedy="give one of the two")
        if shape is None:
            self._require_without(index, "trigger")
            listed = self._trigger_members(index, members, filter)
            self._parts.put(index, "trigger", {"nodes": listed})
            return index
        pieces = self._placed(index, shape, mesh)
        filtered = None if filter is None else filter_object(filter)
        if len(pieces) > 1 or not pieces[0].carriers:
            self._require_without(index, "trigger")
        carriers = [self._write_trigger(index, piece, filtered) for piece in pieces]
        if len(carriers) == 1:
            return carriers[0]
        self._parts.put(index, "trigger", {"nodes": carriers})
        return index

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
        carriers: tuple[Carrier, ...] = (),
    ) -> Solid:
        """Check everything about a collider; changes nothing."""
        pieces = self._placed(node, shape, mesh, carriers)
        if not pieces[0].carriers:
            self._require_without(node, "collider")
        return Solid(
            pieces,
            None if material is None else material_object(material),
            None if collision_filter is None else filter_object(collision_filter),
        )

    def _fit_with(self, node: int, shape: Any, mesh: Any, options: dict[str, Any]) -> NodeFit:
        """Fit a shape by options of its own; EditError for one that is not fitted."""
        if not (isinstance(shape, str) and shape in NAMES):
            raise EditError(
                f"{', '.join(options)} without a shape to be fitted",
                remedy=f"use one of {', '.join(NAMES)}, or leave it out",
            )
        wanted: Any = shape
        return self.fit(node, wanted, mesh=mesh, **options)

    def _write_collider(self, node: int, solid: Solid) -> int:
        for piece in solid.pieces:
            carrier = self._carrier(node, piece.carriers, "collider")
            name = self._nodes.name(carrier)
            collider: Object = {"geometry": self._geometry(piece.source, name)}
            if solid.material is not None:
                collider["physicsMaterial"] = self._parts.share("physicsMaterials", solid.material)
            self._parts.put(carrier, "collider", collider | self._shared_filter(solid.filter))
        return carrier if len(solid.pieces) == 1 else node

    def _write_trigger(self, node: int, piece: Placed, filtered: Object | None) -> int:
        carrier = self._carrier(node, piece.carriers, "trigger")
        trigger: Object = {"geometry": self._geometry(piece.source, self._nodes.name(carrier))}
        self._parts.put(carrier, "trigger", trigger | self._shared_filter(filtered))
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


def _carriers(translation: Any, rotation: Any) -> tuple[Carrier, ...]:
    """Return the node that a shape needs where it is moved or turned."""
    place = (0, 0, 0) if translation is None else values.vector(translation, "the translation")
    turn = UNTURNED if rotation is None else values.rotation(rotation, "the rotation")
    if not (any(place) or any(turn[:3])):
        return ()
    return (Carrier(np.array(place, float), np.array(turn, float), np.ones(3)),)


def _given(**options: Any) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _mode(given: Any, what: str) -> Combine | None:
    return None if given is None else values.choice(given, what, tuple(Combine))


def _names(given: Any, what: str) -> frozenset[str] | None:
    return None if given is None else frozenset(values.words(given, what))
