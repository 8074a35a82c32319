"""Shapes as USD has them: spheres, boxes, capsules, cylinders, cones, planes; else meshes."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from pxr import UsdGeom, UsdPhysics

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.convert.hulls import solid_hull
from ligament.convert.source import Source
from ligament.convert.usd.writing.values import extent, indices, points
from ligament.extensions.declarations import Box, Capsule, Cylinder, Plane, Sphere
from ligament.physics.mass import SHEET
from ligament.physics.scene import Collider
from ligament.physics.shapes import Hull, Mesh, sampled

REACH: Final = 1e3
"""Half the side [m] of a slab that stands for a plane without end."""

_UPSIDE_DOWN: Final = np.diag([1.0, -1.0, -1.0, 1.0])


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class Form:
    """A prim for a shape: its type, its attributes, and where it lies in the shape's frame.

    `half` (3,) [m] are the sides of the box around it. A `mesh` has points and triangles, and
    `approximation` says what of it collides.
    """

    kind: str
    half: Floats
    attributes: Mapping[str, float] = dataclasses.field(default_factory=dict)
    offset: Floats = dataclasses.field(default_factory=lambda: np.eye(4))
    mesh: tuple[Floats, npt.NDArray[np.int64]] | None = None
    approximation: str | None = None

    def fill(self, prim: Any) -> None:
        """Write the attributes of a prim of this kind."""
        for name, value in self.attributes.items():
            prim.GetAttribute(name).Set(value)
        if self.kind in ("Capsule", "Cylinder", "Cone", "Plane"):
            prim.GetAttribute("axis").Set("Y")
        if self.mesh is not None:
            _fill_mesh(prim, *self.mesh)
        else:
            prim.GetAttribute("extent").Set(points(np.stack([-self.half, self.half])))

    def collide(self, prim: Any) -> None:
        """Say what of a mesh collides."""
        if self.approximation is not None:
            UsdPhysics.MeshCollisionAPI.Apply(prim).CreateApproximationAttr(self.approximation)


def form_of(source: Source, collider: Collider, *, is_fixed: bool) -> Form:
    """Return what USD has for the shape of a collider, on a body that is fixed or moves."""
    match collider.shape:
        case Sphere(radius):
            return _ball(radius)
        case Box(size):
            return _box(np.array(size))
        case Capsule() as shape:
            return _capsule(shape)
        case Cylinder() as shape:
            return _cylinder(shape)
        case Plane() as shape:
            return _plane(source, source.collider_pointer(collider.node), shape, is_fixed=is_fixed)
        case Hull(corners):
            return _hull(corners)
        case Mesh() as shape:
            return _mesh(shape.points, shape.triangles, "none")


def _ball(radius: float, height: float = 0.0) -> Form:
    offset = _lifted(height)
    return Form(
        kind="Sphere", half=np.full(3, radius), attributes={"radius": radius}, offset=offset
    )


def _box(size: Floats, height: float = 0.0) -> Form:
    """Return a cube of 1 m, scaled."""
    offset = _lifted(height) @ np.diag([*size, 1.0])
    return Form(kind="Cube", half=np.full(3, 0.5), attributes={"size": 1.0}, offset=offset)


def _capsule(shape: Capsule) -> Form:
    """Return a capsule; where one end holds the other it is a ball, tapered it is a hull."""
    height, bottom, top = shape.height, shape.radius_bottom, shape.radius_top
    if abs(bottom - top) >= height:
        return _ball(max(bottom, top), height / 2 if top > bottom else -height / 2)
    if bottom != top:
        return _hull(sampled(shape))
    half = np.array([top, top + height / 2, top])
    return Form(kind="Capsule", half=half, attributes={"height": height, "radius": top})


def _cylinder(shape: Cylinder) -> Form:
    """Return a cylinder or a cone; with two radii it is a hull."""
    height, bottom, top = shape.height, shape.radius_bottom, shape.radius_top
    radius = max(bottom, top)
    half, attributes = np.array([radius, height / 2, radius]), {"height": height, "radius": radius}
    if bottom == top:
        return Form(kind="Cylinder", half=half, attributes=attributes)
    if min(bottom, top) > 0:
        return _hull(sampled(shape))
    offset = np.eye(4) if top == 0 else _UPSIDE_DOWN
    return Form(kind="Cone", half=half, attributes=attributes, offset=offset)


def _plane(source: Source, pointer: str, shape: Plane, *, is_fixed: bool) -> Form:
    if is_fixed and shape.size_x is None and shape.size_z is None:
        if shape.double_sided:
            effect = "engines may push what is below it up through it"
            source.lose(pointer, "a plane with two sides", "UsdPhysics does not tell them", effect)
        sides = {"width": 2 * REACH, "length": 2 * REACH}
        return Form(kind="Plane", half=np.array([REACH, 0.0, REACH]), attributes=sides)
    if shape.size_x is None or shape.size_z is None:
        reason = "the planes of UsdPhysics are fixed, and endless both ways"
        source.lose(pointer, "a plane without end", reason, f"it ends {REACH:g} m from its middle")
    effect = f"it is a box {SHEET:g} m thick, solid from all sides"
    source.lose(pointer, "a plane of limited size", "engines take planes for endless", effect)
    x, z = (2 * REACH if size is None else size for size in (shape.size_x, shape.size_z))
    return _box(np.array([x, SHEET, z]), 0.0 if shape.double_sided else -SHEET / 2)


def _hull(corners: Floats) -> Form:
    return _mesh(*solid_hull(corners), "convexHull")


def _mesh(corners: Floats, triangles: npt.NDArray[np.int64], approximation: str) -> Form:
    half = np.abs(corners).max(axis=0)
    mesh = (corners, triangles)
    return Form(kind="Mesh", half=half, mesh=mesh, approximation=approximation)


def _lifted(height: float) -> Floats:
    return np.asarray(tf.compose(np.array([0.0, height, 0.0]), np.array([0.0, 0.0, 0.0, 1.0])))


def _fill_mesh(prim: Any, corners: Floats, triangles: npt.NDArray[np.int64]) -> None:
    mesh = UsdGeom.Mesh(prim)
    mesh.CreatePointsAttr(points(corners))
    mesh.CreateFaceVertexCountsAttr(indices(np.full(len(triangles), 3)))
    mesh.CreateFaceVertexIndicesAttr(indices(triangles))
    mesh.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
    mesh.CreateExtentAttr(extent(corners))
