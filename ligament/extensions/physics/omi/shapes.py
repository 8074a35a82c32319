"""Shapes: OMI_collider and OMI_physics_shape, flat or with an object per type.

The height of a capsule changed its meaning in January 2025, together with the names of the radii:
beside `radius` it is total, from tip to tip; beside `radiusBottom` and `radiusTop` it lies between
the centres, as it does in the common form.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Literal, NamedTuple, TypeAlias

from ligament.extensions.fields import Catalogue, Fields, Target
from ligament.extensions.registry import OMI_COLLIDER, OMI_PHYSICS_SHAPE
from ligament.extensions.rigid_bodies import GeometrySource
from ligament.extensions.shapes import Box, Capsule, Cylinder, MeshGeometry, Sphere

Kind: TypeAlias = Literal["box", "sphere", "capsule", "cylinder", "hull", "convex", "trimesh"]

_ROUND = frozenset({"radius", "radiusBottom", "radiusTop", "height"})
_MESH = frozenset({"mesh"})

MEMBERS: dict[Kind, frozenset[str]] = {
    "box": frozenset({"size"}),
    "sphere": frozenset({"radius"}),
    "capsule": _ROUND,
    "cylinder": _ROUND,
    "hull": _MESH,
    "convex": _MESH,
    "trimesh": _MESH,
}
"""The members that a shape of each type may have."""

SHAPE_TYPES: dict[str, Kind] = {str(kind): kind for kind in MEMBERS}
COLLIDER_TYPES: dict[str, Kind] = {**SHAPE_TYPES, "mesh": "trimesh"}
"""`mesh` is what drafts of OMI_collider called a trimesh."""

RADIUS = 0.5
ROUNDING = 1e-6
"""How far [of its size] a capsule may be too short: twice a radius in single precision."""


class ColliderShape(NamedTuple):
    """An element of OMI_collider; where `is_trigger` is None the body decides."""

    geometry: GeometrySource | None
    is_trigger: bool | None


def read_shapes(root: Fields) -> Catalogue[GeometrySource]:
    """Read the shapes of OMI_physics_shape."""
    meshes = Target.at(root.raw, "/meshes")
    extension = _table(root, OMI_PHYSICS_SHAPE, "shapes")
    pointer = f"/extensions/{OMI_PHYSICS_SHAPE}/shapes"
    return Catalogue[GeometrySource].read(extension, pointer, lambda shape: _shape(shape, meshes))


def read_collider_shapes(root: Fields) -> Catalogue[ColliderShape]:
    """Read the shapes of OMI_collider, which are flat."""
    meshes = Target.at(root.raw, "/meshes")
    extension = _table(root, OMI_COLLIDER, "colliders")

    def read(fields: Fields) -> ColliderShape:
        is_trigger = fields.boolean("isTrigger", None)
        kind = _kind(fields, COLLIDER_TYPES)
        if kind is None:
            return ColliderShape(None, is_trigger)
        return ColliderShape(_flat(kind, fields, meshes, {"isTrigger"}), is_trigger)

    pointer = f"/extensions/{OMI_COLLIDER}/colliders"
    return Catalogue[ColliderShape].read(extension, pointer, read)


def _table(root: Fields, name: str, array: str) -> Fields | None:
    """Return the object at the root that must hold an array of shapes and nothing else."""
    extension = root.extension(name)
    if extension is not None:
        extension.only((array,))
        extension.required(array)
    return extension


def _kind(fields: Fields, types: Mapping[str, Kind]) -> Kind | None:
    fields.string("name", None)
    fields.required("type")
    return fields.choice("type", types, None)


def _shape(fields: Fields, meshes: Target) -> GeometrySource | None:
    """Read a shape; what its type's object lacks, or all if there is none, has a default."""
    kind = _kind(fields, SHAPE_TYPES)
    if kind is None:
        return None
    if kind not in fields:
        return _flat(kind, fields, meshes)
    fields.only(("type", "name", kind))
    parameters = fields.object(kind)
    if parameters is None:
        return None
    parameters.only(MEMBERS[kind])
    return _geometry(kind, parameters, meshes, is_flat=False)


def _flat(
    kind: Kind, fields: Fields, meshes: Target, others: Collection[str] = ()
) -> GeometrySource | None:
    fields.only({"type", "name", *others, *MEMBERS[kind]})
    return _geometry(kind, fields, meshes, is_flat=True)


def _geometry(
    kind: Kind, fields: Fields, meshes: Target, *, is_flat: bool
) -> GeometrySource | None:
    match kind:
        case "box":
            return Box(fields.vector("size", 3, (1.0, 1.0, 1.0), minimum=0.0))
        case "sphere":
            return Sphere(fields.number("radius", RADIUS, minimum=0.0))
        case "capsule":
            return _capsule(fields, is_flat=is_flat)
        case "cylinder":
            return Cylinder(fields.number("height", 2.0, minimum=0.0), *_radii(fields))
    return _mesh(fields, meshes, is_hull=kind != "trimesh")


def _mesh(fields: Fields, meshes: Target, *, is_hull: bool) -> MeshGeometry | None:
    """Read a mesh, which has no default: -1 stands for none here, too."""
    fields.required("mesh")
    mesh = fields.index("mesh", meshes)
    return None if mesh is None else MeshGeometry(mesh, convex=is_hull)


def _radii(fields: Fields) -> tuple[float, float]:
    """Read the radii at the bottom and at the top; `radius` is both of them."""
    if not _has_two_radii(fields):
        radius = fields.number("radius", RADIUS, minimum=0.0)
        return radius, radius
    fields.misplaced("radius", "use it, or radiusBottom and radiusTop")
    return (
        fields.number("radiusBottom", RADIUS, minimum=0.0),
        fields.number("radiusTop", RADIUS, minimum=0.0),
    )


def _has_two_radii(fields: Fields) -> bool:
    return "radiusBottom" in fields or "radiusTop" in fields


def _capsule(fields: Fields, *, is_flat: bool) -> Capsule:
    bottom, top = _radii(fields)
    if not _has_two_radii(fields) and (is_flat or "radius" in fields):
        return Capsule(_between_centres(fields, bottom), bottom, top)
    height = fields.number("height", None, minimum=0.0)
    if height is not None and not _has_two_radii(fields):
        fields.report(
            "OMI_PHYSICS_SHAPE_AMBIGUOUS_HEIGHT",
            "a height without radii was total until 2025; it is read as that between the centres",
            "give radiusBottom and radiusTop",
            "height",
        )
    return Capsule(1.0 if height is None else height, bottom, top)


def _between_centres(fields: Fields, radius: float) -> float:
    """Turn a total height into the distance of the centres, which cannot be below 0."""
    total = fields.number("height", 2.0, minimum=0.0)
    if total < 2 * radius * (1 - ROUNDING):
        message = f"a height of {total:g} is less than twice the radius of {radius:g}"
        remedy = "the height is total; a sphere of that radius is used"
        fields.report("OMI_COLLIDER_INVALID_CAPSULE_HEIGHT", message, remedy)
    return max(total - 2 * radius, 0.0)
