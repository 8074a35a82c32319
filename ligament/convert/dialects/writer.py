"""What the writers of all dialects do alike."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ligament.convert.dialects.draft import Draft
from ligament.convert.dialects.extensions import add_extension
from ligament.convert.dialects.parts import (
    drive_members,
    filter_members,
    limit_members,
    material_members,
    shape_sizes,
    shape_type,
)
from ligament.convert.dialects.tables import Table
from ligament.extensions.declarations import (
    Collider,
    CollisionFilter,
    ImplicitShape,
    Joint,
    Material,
    MeshGeometry,
    Trigger,
)
from ligament.gltf import pointers


class Writer:
    """Writes materials, filters, descriptions of joints and shapes, each of them once.

    `name` is the extension whose root object holds them.
    """

    def __init__(self, draft: Draft) -> None:
        self.draft, self.leftovers = draft, draft.leftovers
        self.materials, self.filters = Table(), Table()
        self.descriptions, self.shapes = Table(), Table()
        self._described: dict[tuple[int, int, str], tuple[Joint, int]] = {}

    def material(self, material: Material | None, pointer: str) -> int | None:
        """Return the index of a material, with what its old object had beside."""
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
        if key not in self._described:  # with the joint, so that the ids stay what they are
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
        """Return the index of a shape, its sizes in an object of their own."""
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

        `old` are the extensions whose objects it takes the place of.
        """
        content = {member: table.items for member, table in tables.items() if table.items}
        content |= self.leftovers.of(*(f"/extensions/{extension}" for extension in old))
        if content:
            add_extension(self.draft.document.json, name, content)

    def write_node(self, node: int, name: str, content: dict[str, Any]) -> None:
        """Give a node an extension; an empty object counts, too."""
        add_extension(self.draft.nodes[node], name, content)

    def beside(self, *items: Collider | Trigger | Joint | Any) -> dict[str, Any]:
        """Take what stood beside the parts of a node, in the objects that held them."""
        owners = dict.fromkeys(_owner(item.pointer) for item in items if item.pointer)
        return self.leftovers.of(*owners)


def _owner(pointer: str) -> str:
    """Return the object of the extension that a part of a node stands in."""
    segments = pointers.split(pointer)
    return pointers.join("", *segments[:4]) if len(segments) > 4 else ""
