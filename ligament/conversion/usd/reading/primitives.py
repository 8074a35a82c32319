"""Prims with parameters: spheres, cubes, capsules, cylinders, cones and planes."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from pxr import UsdGeom

from ligament.arrays import Floats
from ligament.conversion.usd.reading.stage import Stage
from ligament.conversion.usd.reading.surfaces import Surface
from ligament.extensions.shapes import Box, Capsule, Cylinder, ImplicitShape, Plane, Sphere
from ligament.physics.hulls import convex_hull
from ligament.physics.shapes import has_extent, sampled

_AXES = ("X", "Y", "Z")

TURNS = {
    "X": np.array([0.0, 0.0, -math.sqrt(0.5), math.sqrt(0.5)]),
    "Y": np.array([0.0, 0.0, 0.0, 1.0]),
    "Z": np.array([math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5)]),
}
"""Rotations xyzw that bring the Y axis, along which shapes of glTF lie, to the axis of a prim."""

_MATRICES = {
    "X": np.array([[0.0, 1, 0], [-1, 0, 0], [0, 0, 1]]),
    "Y": np.eye(3),
    "Z": np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]]),
}


class Primitive(NamedTuple):
    """A shape along the Y axis, and the axis of the prim that it lies along."""

    shape: ImplicitShape
    axis: str = "Y"


def primitive(stage: Stage, prim: Any) -> Primitive | None:
    """Read a prim with parameters, sizes in metres; None where it is something else."""
    reader = _Reader(stage, prim)
    for kind, read in _READERS.items():
        if prim.IsA(kind):
            return read(reader)
    return None


class _Reader:
    def __init__(self, stage: Stage, prim: Any) -> None:
        self.stage, self.prim = stage, prim

    def size(self, name: str, default: float) -> float:
        value = self.stage.attributes.number(self.prim, name, default, least=0)
        return value * self.stage.units.length

    def axis(self) -> str:
        return self.stage.attributes.token(self.prim, "axis", "Z", _AXES)

    def sphere(self) -> Primitive:
        return Primitive(Sphere(self.size("radius", 1)))

    def cube(self) -> Primitive:
        return Primitive(Box((self.size("size", 2),) * 3))

    def capsule(self) -> Primitive:
        radius = self.size("radius", 0.5)
        return Primitive(Capsule(self.size("height", 1), radius, radius), self.axis())

    def tapered_capsule(self) -> Primitive:
        bottom, top = self.size("radiusBottom", 0.5), self.size("radiusTop", 0.5)
        return Primitive(Capsule(self.size("height", 1), bottom, top), self.axis())

    def cylinder(self) -> Primitive:
        radius = self.size("radius", 1)
        return Primitive(Cylinder(self.size("height", 2), radius, radius), self.axis())

    def tapered_cylinder(self) -> Primitive:
        bottom, top = self.size("radiusBottom", 1), self.size("radiusTop", 1)
        return Primitive(Cylinder(self.size("height", 2), bottom, top), self.axis())

    def cone(self) -> Primitive:
        radius = self.size("radius", 1)
        return Primitive(Cylinder(self.size("height", 2), radius, 0.0), self.axis())

    def plane(self) -> Primitive:
        """Read a plane: width is along X (Z for an X plane), length along the other axis."""
        axis, width, length = self.axis(), self.size("width", 2), self.size("length", 2)
        if axis == "X":
            width, length = length, width
        doubled = self.stage.attributes.flag(self.prim, "doubleSided", default=True)
        return Primitive(Plane(width, length, doubled), axis)


_READERS = {
    UsdGeom.Sphere: _Reader.sphere,
    UsdGeom.Cube: _Reader.cube,
    UsdGeom.Capsule: _Reader.capsule,
    UsdGeom.Capsule_1: _Reader.tapered_capsule,
    UsdGeom.Cylinder: _Reader.cylinder,
    UsdGeom.Cylinder_1: _Reader.tapered_cylinder,
    UsdGeom.Cone: _Reader.cone,
    UsdGeom.Plane: _Reader.plane,
}


@lru_cache(maxsize=1024)  # most prims of a stage are like many others
def primitive_surface(found: Primitive) -> Surface | None:
    """Return the visible surface of a primitive; None where it has no extent."""
    shape = found.shape
    normals: Floats | None
    if isinstance(shape, Plane):
        points, triangles = _sheet(shape)
        normals = np.repeat([[0.0, 1.0, 0.0]], 4, axis=0)
    else:
        if not has_extent(shape):
            return None
        points = sampled(shape)
        triangles = convex_hull(points).triangles
        normals = _rounded(shape, points)
    turn = _MATRICES[found.axis].T
    faces = np.arange(len(triangles))
    return Surface(points @ turn, triangles, faces, None if normals is None else normals @ turn)


def _rounded(shape: ImplicitShape, points: Floats) -> Floats | None:
    """Return the normals of round shapes; None leaves facets to the viewer."""
    match shape:
        case Sphere():
            return _directions(points)
        case Capsule(height, bottom, top) if bottom == top:
            spine = np.zeros_like(points)
            spine[:, 1] = np.clip(points[:, 1], -height / 2, height / 2)
            return _directions(points - spine)
    return None


def _directions(vectors: Floats) -> Floats | None:
    """Return unit vectors; None where one vanishes."""
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / length) if length.all() and np.isfinite(length).all() else None


def _sheet(plane: Plane) -> tuple[Floats, npt.NDArray[np.int64]]:
    x, z = (plane.size_x or 0) / 2, (plane.size_z or 0) / 2
    points = np.array([[-x, 0, -z], [-x, 0, z], [x, 0, z], [x, 0, -z]])
    return points, np.array([[0, 1, 2], [0, 2, 3]])
