"""Shapes: `{"type": "sphere", "sphere": {...}}`, as all dialects of KHR and MSFT write them."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from typing import Any

from ligament.extensions.declarations import (
    Box,
    Capsule,
    Cylinder,
    GeometrySource,
    MeshGeometry,
    Plane,
    Sphere,
)
from ligament.extensions.fields import Catalogue, Fields, Target
from ligament.extensions.physics.rigid_bodies.materials import FILTER_LISTS
from ligament.extensions.registry import (
    KHR_COLLISION_SHAPES,
    KHR_IMPLICIT_SHAPES,
    KHR_PHYSICS_RIGID_BODIES,
    MSFT_COLLISION_PRIMITIVES,
)
from ligament.findings import Finding
from ligament.gltf import pointers
from ligament.gltf.document import Document

IMPLICIT = ("sphere", "box", "capsule", "cylinder")
ROUND_MEMBERS = frozenset({"height", "radiusBottom", "radiusTop"})
MESH_MEMBERS = frozenset({"mesh", "convexHull", "skin", "weights", "useNodeWeights"})

CAPSULE = Capsule(0.5, 0.25, 0.25)
CYLINDER = Cylinder(0.5, 0.25, 0.25)

_NOTHING: Any = object()

BODIES = KHR_PHYSICS_RIGID_BODIES
"""The extension that a mesh shape of July 2024 says in whether it is a hull."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class ShapeForm:
    """Kinds of shapes in one extension, and their default sizes [m].

    `round_members` belong to capsules and cylinders; `is_typed` forms require `type`.
    """

    pointer: str
    types: tuple[str, ...]
    compound_code: str
    capsule: Capsule = CAPSULE
    cylinder: Cylinder = CYLINDER
    round_members: frozenset[str] = ROUND_MEMBERS
    plane_members: frozenset[str] = frozenset({"doubleSided", "sizeX", "sizeZ"})
    other_members: frozenset[str] = frozenset()
    is_typed: bool = True


def read_shapes(
    document: Document, form: ShapeForm, findings: list[Finding]
) -> Catalogue[GeometrySource]:
    """Read the array of shapes at `form.pointer`; without it, no index into it is valid."""
    owner_pointer, _, member = form.pointer.rpartition("/")
    raw = pointers.find(document.json, owner_pointer, _NOTHING)
    is_there = raw is not _NOTHING and (owner_pointer != "" or member in raw)
    owner = Fields.of(raw, owner_pointer, findings) if is_there else None
    if owner is not None and owner_pointer:
        owner.only((member,))
    return Catalogue[GeometrySource].read(owner, form.pointer, ShapeReader(document, form).read)


class ShapeReader:
    """Reads shapes of one form from objects of one document."""

    def __init__(self, document: Document, form: ShapeForm) -> None:
        self._root = document.json
        self._form = form
        self._members = frozenset({"type", "name", *form.types, *form.other_members})
        self._meshes = Target.at(document.json, "/meshes")
        self._skins = Target.at(document.json, "/skins")
        self._readers: Mapping[str, Callable[[Fields, Fields], GeometrySource | None]] = {
            "sphere": self._sphere,
            "box": self._box,
            "capsule": self._capsule,
            "cylinder": self._cylinder,
            "plane": self._plane,
            "convex": self._convex,
            "trimesh": self._trimesh,
            "mesh": self._mesh,
        }

    def read(self, shape: Fields) -> GeometrySource | None:
        """Read one shape; None, with a finding, where it cannot be understood."""
        shape.only(self._members)
        shape.string("name", None)
        kind = self._kind(shape)
        if kind is None:
            self._look_into(shape)
            return None
        content = shape.object(kind) if kind in shape else self._defaults(shape, kind)
        return None if content is None else self._readers[kind](content, shape)

    def _look_into(self, shape: Fields) -> None:
        """Report errors in the parameters of a shape whose type is unknown."""
        for name in self._form.types:
            content = shape.object(name) if name in shape else None
            if content is not None:
                self._readers[name](content, shape)

    def _kind(self, shape: Fields) -> str | None:
        """Return the type; if it is absent, infer it from the only object of parameters."""
        present = [name for name in self._form.types if name in shape]
        if "type" not in shape and (self._form.is_typed or not present):
            shape.required("type")
        if len(present) > 1:
            message = f"found {' and '.join(present)} in one shape"
            shape.report(self._form.compound_code, message, "write one shape for each")
        if "type" not in shape:
            return present[0] if len(present) == 1 else None
        kind = shape.choice("type", self._form.types, None)
        if kind is not None and len(present) == 1 and kind not in present:
            shape.misplaced(present[0], f"the type is {kind}: name or remove one of them")
        return kind

    def _defaults(self, shape: Fields, kind: str) -> Fields | None:
        """Return empty parameters in place of absent ones, which only mesh types require."""
        if kind in ("convex", "trimesh", "mesh"):
            shape.required(kind)
            return None
        return Fields({}, f"{shape.pointer}/{kind}", shape.findings)

    def _sphere(self, fields: Fields, _: Fields) -> Sphere:
        fields.only(("radius",))
        return Sphere(fields.number("radius", 0.5, minimum=0.0))

    def _box(self, fields: Fields, _: Fields) -> Box:
        fields.only(("size",))
        return Box(fields.vector("size", 3, (1.0, 1.0, 1.0), minimum=0.0))

    def _capsule(self, fields: Fields, _: Fields) -> Capsule:
        default = self._form.capsule
        return Capsule(*self._round(fields, default.height, default.radius_bottom))

    def _cylinder(self, fields: Fields, _: Fields) -> Cylinder:
        default = self._form.cylinder
        return Cylinder(*self._round(fields, default.height, default.radius_bottom))

    def _round(self, fields: Fields, height: float, radius: float) -> tuple[float, float, float]:
        """Read height, bottom and top radius; in the oldest files `radius` sets both."""
        fields.only(self._form.round_members)
        if "radius" in self._form.round_members:
            radius = fields.number("radius", radius, minimum=0.0)
        return (
            fields.number("height", height, minimum=0.0),
            fields.number("radiusBottom", radius, minimum=0.0),
            fields.number("radiusTop", radius, minimum=0.0),
        )

    def _plane(self, fields: Fields, _: Fields) -> Plane:
        fields.only(self._form.plane_members)
        two_sided = "doubleSided" in self._form.plane_members
        return Plane(
            size_x=_side(fields, "sizeX"),
            size_z=_side(fields, "sizeZ"),
            double_sided=two_sided and fields.boolean("doubleSided", False),
        )

    def _convex(self, fields: Fields, _: Fields) -> MeshGeometry | None:
        fields.only(("mesh",))
        mesh = self._mesh_index(fields)
        return None if mesh is None else MeshGeometry(mesh, convex=True)

    def _trimesh(self, fields: Fields, _: Fields) -> MeshGeometry | None:
        fields.only(("mesh",))
        mesh = self._mesh_index(fields)
        return None if mesh is None else MeshGeometry(mesh, convex=False)

    def _mesh(self, fields: Fields, shape: Fields) -> MeshGeometry | None:
        """Read a mesh of mid-2024; the hull flag moved to an extension of the shape."""
        fields.only(MESH_MEMBERS)
        is_hull = fields.boolean("convexHull", False)
        extension = shape.extension(BODIES)
        if extension is not None:
            extension.only(("convexHull",))
            is_hull = extension.boolean("convexHull", is_hull)
        mesh, skin = self._mesh_index(fields), fields.index("skin", self._skins)
        weights = self._weights(fields, mesh)
        by_node = fields.boolean("useNodeWeights", False) and weights is None
        if mesh is None:
            return None
        return MeshGeometry(mesh, is_hull, skin, weights, by_node)

    def _mesh_index(self, fields: Fields) -> int | None:
        fields.required("mesh")
        return fields.index("mesh", self._meshes)

    def _weights(self, fields: Fields, mesh: int | None) -> tuple[float, ...] | None:
        """Read the weights of the mesh's morph targets, one for each."""
        weights = fields.vector("weights", None, None)
        if weights is not None and fields.raw.get("useNodeWeights") is True:
            message = "found both weights and useNodeWeights"
            fields.report("KHR_IMPLICIT_SHAPES_DUPLICATE_WEIGHTS", message, "use one of them")
        if weights is None or mesh is None:
            return None
        targets: Any = pointers.find(self._root, f"/meshes/{mesh}/primitives/0/targets", ())
        count = len(targets) if isinstance(targets, list) else 0
        if len(weights) != count:
            message = f"found {len(weights)} weights for {count} morph targets"
            remedy = "give each morph target a weight"
            fields.report("SHAPE_WEIGHTS_INVALID", message, remedy, "weights")
            return None
        return weights


def _side(fields: Fields, name: str) -> float | None:
    """Read the side of a plane, None if it is infinite."""
    size = fields.number(name, math.inf, minimum=0.0, exclusive=True, infinite=True)
    return size if math.isfinite(size) else None


COLLISION_FORM = ShapeForm(
    pointer=f"/extensions/{KHR_COLLISION_SHAPES}/shapes",
    types=(*IMPLICIT, "convex", "trimesh", "mesh"),
    compound_code="KHR_COLLISION_SHAPES_COMPOUND_SHAPE",
)

IMPLICIT_FORM = ShapeForm(
    pointer=f"/extensions/{KHR_IMPLICIT_SHAPES}/shapes",
    types=(*IMPLICIT, "plane"),
    compound_code="KHR_IMPLICIT_SHAPES_COMPOUND_SHAPE",
)

CORE_FORM = ShapeForm(
    pointer="/shapes",
    types=(*IMPLICIT, "plane"),
    compound_code="KHR_IMPLICIT_SHAPES_COMPOUND_SHAPE",
    capsule=Capsule(1.0, 0.5, 0.5),
    cylinder=Cylinder(2.0, 0.5, 0.5),
    plane_members=frozenset({"sizeX", "sizeZ"}),
)
"""glTF 2.1 (a draft); planes have one side there."""

MSFT_FORM = ShapeForm(
    pointer=f"/extensions/{MSFT_COLLISION_PRIMITIVES}/colliders",
    types=(*IMPLICIT, "convex", "trimesh"),
    compound_code="KHR_COLLISION_SHAPES_COMPOUND_SHAPE",
    round_members=ROUND_MEMBERS | {"radius"},
    other_members=FILTER_LISTS,
    is_typed=False,
)
"""August 2023; before, there were no types, one radius, and a filter in every shape."""
