"""Geometry of colliders and triggers, and how its member changed.

`shape` in March and June 2024; `geometry.shape` and `geometry.node` in October 2024;
`geometry.mesh` since January 2026.
"""

import dataclasses
from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Any, TypeAlias

from ligament.extensions.fields import Fields
from ligament.extensions.registry import Dialect
from ligament.extensions.shapes import COLLISION, CORE, IMPLICIT, ImplicitShape, MeshGeometry
from ligament.extensions.tables import rows
from ligament.extensions.tables.arrays import Arrays
from ligament.extensions.tables.objects import Nested
from ligament.extensions.tables.rules import OneOf
from ligament.extensions.tables.table import Table

NEWER = f"{IMPLICIT} | {CORE} | {COLLISION}"
OLDER = f"{COLLISION} | {IMPLICIT} | {CORE}"

BY_SHAPES = "shapes"
"""Sign of a dialect that the types of shapes tell."""

BY_ARRAY = "geometry.shape"
"""Sign of a dialect that the place of the shapes tells."""

_SIGNS = {"mesh": str(Dialect.KHR), "node": str(Dialect.KHR_2024_10), "shape": BY_ARRAY}


@dataclasses.dataclass(frozen=True)
class NodeGeometry:
    """The surfaces of all meshes at and below a node, or their convex hull."""

    node: int
    convex: bool


Shape: TypeAlias = ImplicitShape | MeshGeometry
GeometrySource: TypeAlias = Shape | NodeGeometry


_PART: Any = {"essential": True}
_HULL: Any = {"name": "convexHull", "animated": False}
_OCTOBER: Any = {"since": Dialect.KHR_2024_10, "until": Dialect.KHR_2024_10}


@dataclasses.dataclass(frozen=True)
class Geometry:
    """Geometry of a mesh, of the meshes of a node, or of a shape."""

    mesh: Annotated[int | None, rows.Index(array="/meshes", since=Dialect.KHR, **_PART)] = None
    node: Annotated[int | None, rows.Index(array="/nodes", **_OCTOBER, **_PART)] = None
    shape: Annotated[Shape | None, rows.Element(array=NEWER, **_PART)] = None
    convex: Annotated[bool, rows.Flag(**_HULL, about="The hull of the meshes.")] = False


def source(
    _index: int, _pointer: str, *, mesh: int | None, node: int | None, shape: Any, convex: bool
) -> Any:
    """Return what the geometry is made of."""
    if shape is not None:
        return hulled(shape, convex) if convex else shape
    if mesh is not None:
        return MeshGeometry(mesh, convex)
    return None if node is None else NodeGeometry(node, convex)


def hulled(shape: Any, is_hull: bool) -> Any:
    """Make a mesh a hull; for shapes that are convex anyway the flag says nothing."""
    is_mesh = is_hull and isinstance(shape, MeshGeometry)
    return dataclasses.replace(shape, convex=True) if is_mesh else shape


def _geometry(made: GeometrySource) -> Geometry:
    match made:
        case MeshGeometry(mesh, convex):
            return Geometry(mesh=mesh, convex=convex)
        case NodeGeometry(node, convex):
            return Geometry(node=node, convex=convex)
    return Geometry(shape=made)


GEOMETRY = Table(Geometry, OneOf("mesh", "node", "shape"), build=source, split=_geometry)

_NESTED = Nested(name="geometry", table=GEOMETRY, essential=True, since=Dialect.KHR_2024_10)
_SHAPE = rows.Element(name="shape", array=OLDER, essential=True, until=Dialect.KHR_2024_06)
_FLAG = rows.Flag(**_HULL, until=Dialect.KHR_2024_06, about="The hull of a mesh.")


@dataclasses.dataclass(frozen=True)
class Reference:
    """A shape by index, as in the summer of 2024."""

    shape: Annotated[Shape, rows.Element(array=OLDER, required=True, **_PART)]
    use_node_weights: Annotated[bool, rows.Flag(animated=False)] = False


def _referred(_index: int, _pointer: str, *, shape: Any, use_node_weights: bool) -> Any:
    """Return the shape; for those that are not of a mesh the flag says nothing."""
    if not isinstance(shape, MeshGeometry):
        return shape
    return dataclasses.replace(shape, use_node_weights=use_node_weights or shape.use_node_weights)


REFERENCE = Table(Reference, build=_referred)


class GeometryOfAnyRevision(rows.Row, frozen=True, kw_only=True):
    """`geometry`, or the `shape` (and `convexHull`) that stood in its place."""

    @property
    def names(self) -> tuple[str, ...]:
        return ("geometry", "shape", "convexHull")

    def plain(self) -> list[rows.Plain]:
        return [*(_NESTED.plain() or ()), *(_SHAPE.plain() or ()), ("convexHull", bool, False)]

    def expression(self, value: str, arrays: Arrays, bind: rows.Bind) -> str:
        return f"{bind(_composer(arrays))}({value})"

    def read(self, fields: Fields, arrays: Arrays) -> Any:
        if "geometry" not in fields:
            return _read_shape(fields, arrays) if "shape" in fields else None
        geometry = fields.object("geometry")
        if geometry is None:
            return None
        present = [name for name in ("mesh", "node", "shape") if name in geometry]
        arrays.signs |= {_SIGNS[name] for name in present[:1]}
        return GEOMETRY.read(geometry, arrays)

    def at(self, revision: StrEnum) -> rows.Row | None:
        row = _SHAPE.at(revision) or _NESTED.at(revision)
        return row and row.changed(attribute=self.attribute)

    def members(self) -> Iterator[tuple[str, rows.Row]]:
        yield from ((row.name, row) for row in (_NESTED, _SHAPE, _FLAG))

    def objects(self, at: str) -> Iterator[tuple[str, Table]]:
        yield from _NESTED.objects(at)
        yield from REFERENCE.objects(f"{at}/shape")

    def schema(self) -> dict[str, rows.Json]:
        index, reference = _SHAPE.content(), REFERENCE.schema()
        shape = {"if": {"type": "object"}, "then": reference, "else": index}
        return {"geometry": _NESTED.content(), "shape": shape, "convexHull": _FLAG.content()}


def _composer(arrays: Arrays) -> Any:
    """Return the function that finds the geometry of a regular collider or trigger."""
    nested, signs = arrays.quick(GEOMETRY), arrays.signs
    older, newer = (arrays.catalogue(array).by_index() for array in (OLDER, NEWER))
    is_mixed = arrays.target(IMPLICIT).length is not None

    def compose(plain: Any) -> Any:
        geometry = plain.geometry
        if geometry is None:
            found = older[plain.shape]
            if is_mixed or found is None or plain.convexHull:
                raise rows.IrregularError
            signs.add(BY_SHAPES)
            return found
        if geometry.mesh is None and geometry.node is None and not geometry.convexHull:
            found = newer[geometry.shape]  # nearly all: one call in place of three
            if found is None:
                raise rows.IrregularError
            signs.add(BY_ARRAY)
            return found
        found = nested(geometry, 0, "")
        signs.add(next(s for name, s in _SIGNS.items() if getattr(geometry, name) is not None))
        return found

    return compose


def _read_shape(fields: Fields, arrays: Arrays) -> Any:
    """Read an index, or the object around it that was tried in the summer of 2024."""
    arrays.signs.add(BY_SHAPES)
    is_hull = fields.boolean("convexHull", False)
    reference = fields.object("shape") if isinstance(fields.raw["shape"], dict) else None
    shape = _SHAPE.read(fields, arrays) if reference is None else REFERENCE.read(reference, arrays)
    if shape is not None and arrays.target(IMPLICIT).length is not None:
        place = arrays.catalogue(OLDER).target.pointer
        mixed = "KHR_implicit_shapes, which geometry.shape came with"
        message = f"shape refers to {place}, in a file with {mixed}"
        fields.report("PHYSICS_DIALECT_MIXED", message, "write geometry.shape", "shape")
    return hulled(shape, is_hull)
