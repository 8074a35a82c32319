"""Shapes as geoms: Z is the long axis, sizes are halves, all other shapes are convex meshes."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np

from ligament.arrays import Floats, Ints
from ligament.extensions.shapes import Box, Capsule, Cylinder, Plane, Sphere
from ligament.physics.engines.mujoco.model.elements import Subject
from ligament.physics.engines.mujoco.model.plates import plates
from ligament.physics.hulls import ConvexHull, convex_hull
from ligament.physics.mass import SHEET, solid_hull
from ligament.physics.scene import Collider, Pose
from ligament.physics.shapes import Hull, Mesh, sampled

_HALF: Final = math.sqrt(0.5)
UPRIGHT: Final = np.array([-_HALF, 0.0, 0.0, _HALF])
"""The rotation that takes MuJoCo's long axis Z to Y."""

_LEAN: Final = 1e-9
"""Tilt of planes [rad]: MuJoCo misses cylinders upright on them to within 1e-14."""

_FACING: Final = np.array([-math.sin(math.pi / 4 + _LEAN), 0.0, 0.0, math.cos(math.pi / 4 + _LEAN)])

STRAIGHT: Final = np.array([0.0, 0.0, 0.0, 1.0])
REACH: Final = 1e3
"""Half the side [m] of a slab that replaces an infinite plane."""

_BULGE: Final = 1e-3


class Form(NamedTuple):
    """A geom: its type, its size or meshes, and where it lies in the frame of the shape.

    Each mesh is a separate geom.
    """

    type: str
    size: tuple[float, ...] = ()
    meshes: tuple[tuple[Floats, Ints], ...] = ()
    offset: Pose = Pose(np.zeros(3), STRAIGHT)


def form_of(subject: Subject, collider: Collider, *, is_fixed: bool, most_plates: int) -> Form:
    """Return the geom for the shape of a collider.

    A surface that is not convex is made of up to `most_plates` plates, else its hull.
    """
    pointer = subject.collider_pointer(collider.node)
    match collider.shape:
        case Sphere(radius):
            return Form("sphere", (radius,))
        case Box((x, y, z)):
            return Form("box", (x / 2, y / 2, z / 2))
        case Capsule() as shape:
            return _capsule(shape)
        case Cylinder(height, bottom, top) as shape:
            if bottom == top:
                return Form("cylinder", (top, height / 2), offset=_at(0.0, UPRIGHT))
            return _hull(sampled(shape))
        case Plane() as shape:
            return _plane(subject, pointer, shape, is_fixed=is_fixed)
        case Hull(points):
            return _hull(points)
        case Mesh() as shape:
            return _surface(subject, pointer, shape, most_plates)


def _at(height: float, rotation: Floats = STRAIGHT) -> Pose:
    return Pose(np.array([0.0, height, 0.0]), rotation)


def _capsule(shape: Capsule) -> Form:
    """Return a capsule; a ball where one end contains the other, a mesh where it is tapered."""
    height, bottom, top = shape.height, shape.radius_bottom, shape.radius_top
    if abs(bottom - top) >= height:
        middle = height / 2 if top > bottom else -height / 2
        return Form("sphere", (max(bottom, top),), offset=_at(middle))
    if bottom == top:
        return Form("capsule", (top, height / 2), offset=_at(0.0, UPRIGHT))
    return _hull(sampled(shape))


def _plane(subject: Subject, pointer: str, shape: Plane, *, is_fixed: bool) -> Form:
    is_endless = shape.size_x is shape.size_z is None
    if is_endless and is_fixed:
        if shape.double_sided:
            effect = "what is below it is pushed up through it"
            subject.lose(pointer, "a plane with two sides", "MuJoCo's planes have one", effect)
        return Form("plane", (0.0, 0.0, 1.0), offset=_at(0.0, _FACING * [shape.side, 0, 0, 1]))
    if None in (shape.size_x, shape.size_z):
        reason = "MuJoCo's planes are fixed and infinite"
        subject.lose(pointer, "an infinite plane", reason, f"it ends {REACH:g} m from its middle")
    half_x, half_z = ((2 * REACH if s is None else s) / 2 for s in (shape.size_x, shape.size_z))
    middle = 0.0 if shape.double_sided else -shape.side * SHEET / 2
    effect = f"it is a box {SHEET:g} m thick, solid from all sides"
    subject.lose(pointer, "a plane of limited size", "MuJoCo does not collide thin shapes", effect)
    return Form("box", (half_x, SHEET / 2, half_z), offset=_at(middle))


def _hull(points: Floats, hull: ConvexHull | None = None) -> Form:
    """Return the convex hull of points as a mesh; a flat one gets the thickness of a sheet."""
    return Form("mesh", meshes=(solid_hull(points, hull),))


def _surface(subject: Subject, pointer: str, shape: Mesh, most_plates: int) -> Form:
    """Return a surface as plates, or its hull, and report how much that fills."""
    points = shape.points[np.unique(shape.triangles)]
    hull = convex_hull(points)
    # A flat hull counts both sides, a flat mesh one.
    hull_area = _area(points, hull.triangles) / (2 if hull.dimension == 2 else 1)
    area = _area(shape.points, shape.triangles)
    if abs(hull_area - area) > _BULGE * hull_area:
        found = plates(shape, most_plates)
        if found is not None:
            what, reason = "a surface that is not convex", "MuJoCo collides convex shapes only"
            subject.lose(pointer, what, reason, f"it is made of {len(found)} plates")
            return Form("mesh", meshes=tuple(found))
        subject.lose(
            pointer,
            "a surface that is not convex",
            "MuJoCo collides the convex hulls of meshes",
            f"its hollows are filled: the hull has {hull_area:g} m² of surface, the mesh {area:g}",
        )
    return _hull(points, hull)


def _area(points: Floats, triangles: Ints) -> float:
    a, b, c = (points[triangles[:, i]] for i in range(3))
    return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2)
