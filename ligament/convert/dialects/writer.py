"""Base of all dialect writers: tables of equal elements, members of parts, extension objects."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from ligament.convert.dialects.draft import Draft
from ligament.convert.dialects.extensions import add_extension
from ligament.extensions.rigid_bodies import (
    Collider,
    CollisionFilter,
    Drive,
    Joint,
    Limit,
    Material,
    Trigger,
)
from ligament.extensions.shapes import (
    Box,
    Capsule,
    Cylinder,
    ImplicitShape,
    MeshGeometry,
    Plane,
    Sphere,
)
from ligament.gltf import jsontext, pointers


class Table:
    """An array of the document without duplicates."""

    def __init__(self) -> None:
        self.items: list[dict[str, Any]] = []
        self._places: dict[bytes, int] = {}

    def place(self, content: dict[str, Any]) -> int:
        """Return the index of an element with this content."""
        key = jsontext.key(content)
        if key not in self._places:
            self._places[key] = len(self.items)
            self.items.append(content)
        return self._places[key]


def present(**members: Any) -> dict[str, Any]:
    """Return an object of the members that are not None and not empty."""
    return {name: value for name, value in members.items() if value is not None and value != []}


class Writer:
    """Writes materials, filters, joint descriptions and shapes without duplicates.

    `name` is the extension whose root object holds them.
    """

    def __init__(self, draft: Draft) -> None:
        self.draft, self.leftovers = draft, draft.leftovers
        self.materials, self.filters = Table(), Table()
        self.descriptions, self.shapes = Table(), Table()
        self._described: dict[tuple[int, int, str], tuple[Joint, int]] = {}

    def material(self, material: Material | None, pointer: str) -> int | None:
        """Return the index of a material, with the leftovers of its old object."""
        if material is None:
            return None
        rest = self.leftovers.of(self.leftovers.material(pointer))
        return self.materials.place({**material_members(material), **rest})

    def filter(self, collision_filter: CollisionFilter | None, pointer: str) -> int | None:
        """Return the index of a filter."""
        if collision_filter is None:
            return None
        rest = self.leftovers.of(self.leftovers.filter(pointer))
        return self.filters.place({**filter_members(collision_filter), **rest})

    def description(self, joint: Joint) -> int:
        """Return the index of the limits and drives of a joint; most joints share theirs."""
        place = self.leftovers.description(joint.pointer)
        key = (id(joint.limits), id(joint.drives), place)
        if key not in self._described:  # keep the joint, so that the ids stay valid
            self._described[key] = joint, self._describe(joint, place)
        return self._described[key][1]

    def _describe(self, joint: Joint, place: str) -> int:
        content: dict[str, Any] = {}
        if joint.limits:
            content["limits"] = [
                {**limit_members(limit), **self.leftovers.of(limit.pointer)}
                for limit in joint.limits
            ]
        if joint.drives:
            content["drives"] = [
                {**drive_members(drive), **self.leftovers.of(drive.pointer)}
                for drive in joint.drives
            ]
        rest = self.leftovers.of(place)
        return self.descriptions.place({**content, **rest})

    def implicit(self, shape: ImplicitShape, pointer: str) -> int:
        """Return the index of a shape, with its sizes in a separate object."""
        place = self.leftovers.shape(pointer)
        sizes = {**shape_sizes(shape), **self.leftovers.of(self.leftovers.parameters(place))}
        kind = shape_type(shape)
        return self.shapes.place({"type": kind, kind: sizes, **self.leftovers.of(place)})

    def mesh_shape(self, geometry: MeshGeometry, pointer: str) -> int:
        """Return the index of a shape of type convex or trimesh."""
        kind, place = "convex" if geometry.convex else "trimesh", self.leftovers.shape(pointer)
        mesh = {"mesh": geometry.mesh, **self.leftovers.of(self.leftovers.parameters(place))}
        return self.shapes.place({"type": kind, kind: mesh, **self.leftovers.of(place)})

    def write_root(self, name: str, old: Iterable[str], **tables: Table) -> None:
        """Write the object of an extension at the root: tables that are not empty, and leftovers.

        `old` are the extensions whose objects it replaces.
        """
        content = {member: table.items for member, table in tables.items() if table.items}
        content |= self.leftovers.of(*(f"/extensions/{extension}" for extension in old))
        if content:
            add_extension(self.draft.document.json, name, content)

    def write_node(self, node: int, name: str, content: dict[str, Any]) -> None:
        """Give a node an extension, even an empty one."""
        add_extension(self.draft.nodes[node], name, content)

    def node_leftovers(self, *items: Collider | Trigger | Joint | Any) -> dict[str, Any]:
        """Take the leftovers of the objects that held the parts of a node."""
        owners = dict.fromkeys(_owner(item.pointer) for item in items if item.pointer)
        return self.leftovers.of(*owners)


def _owner(pointer: str) -> str:
    """Return the extension object that holds a part of a node."""
    segments = pointers.split(pointer)
    return pointers.join("", *segments[:4]) if len(segments) > 4 else ""


# --- members of parts that KHR and OMI write alike ---


def material_members(material: Material) -> dict[str, Any]:
    """Return a material; its numbers are written even where they are the defaults."""
    return present(
        staticFriction=material.static_friction,
        dynamicFriction=material.dynamic_friction,
        restitution=material.restitution,
        frictionCombine=material.friction_combine and str(material.friction_combine),
        restitutionCombine=material.restitution_combine and str(material.restitution_combine),
    )


def filter_members(collision_filter: CollisionFilter) -> dict[str, Any]:
    """Return a filter; an empty list is not the same as an absent one."""
    members: dict[str, Any] = present(collisionSystems=sorted(collision_filter.systems))
    if collision_filter.collide_with is not None:
        members["collideWithSystems"] = sorted(collision_filter.collide_with)
    if collision_filter.not_collide_with is not None:
        members["notCollideWithSystems"] = sorted(collision_filter.not_collide_with)
    return members


def limit_members(limit: Limit) -> dict[str, Any]:
    """Return a limit; a bound or stiffness that is infinite is absent."""
    is_soft = math.isfinite(limit.stiffness)
    return present(
        linearAxes=list(limit.linear_axes),
        angularAxes=list(limit.angular_axes),
        min=finite(limit.minimum),
        max=finite(limit.maximum),
        stiffness=finite(limit.stiffness),
        damping=limit.damping if is_soft and limit.damping else None,
    )


def drive_members(drive: Drive) -> dict[str, Any]:
    """Return a drive; a target and its gain are written together or not at all."""
    holds = drive.stiffness or drive.position_target
    damps = drive.damping or drive.velocity_target
    return present(
        type=drive.type,
        mode=drive.mode,
        axis=drive.axis,
        maxForce=finite(drive.max_force),
        positionTarget=drive.position_target if holds else None,
        stiffness=drive.stiffness if holds else None,
        velocityTarget=drive.velocity_target if damps else None,
        damping=drive.damping if damps else None,
    )


def shape_type(shape: ImplicitShape) -> str:
    """Name the type of a shape, as all dialects do."""
    return type(shape).__name__.lower()


def shape_sizes(shape: ImplicitShape) -> dict[str, Any]:
    """Return the sizes of a shape; a capsule's height is between the centres of its ends."""
    match shape:
        case Sphere(radius):
            return {"radius": radius}
        case Box(size):
            return {"size": list(size)}
        case Capsule(height, bottom, top) | Cylinder(height, bottom, top):
            return {"height": height, "radiusBottom": bottom, "radiusTop": top}
        case Plane(size_x, size_z, double_sided):
            return present(sizeX=size_x, sizeZ=size_z, doubleSided=double_sided or None)


def finite(number: float) -> float | None:
    """Return a number that JSON can hold, None for infinity."""
    return number if math.isfinite(number) else None
