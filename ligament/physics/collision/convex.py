"""Convex shapes as support functions: the farthest point in a direction.

A shape is a core and a margin around it: a ball is a point with a margin, a capsule a segment with
one. Stretched balls, capsules and cylinders are exact, whatever an engine makes of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from ligament.arrays import Floats
from ligament.extensions.shapes import Box, Capsule, Cylinder, Plane, Sphere
from ligament.physics.shapes import Hull, Origin

Vector: TypeAlias = tuple[float, float, float]
Support: TypeAlias = Callable[[float, float, float], Vector]

REACH = 1e3
"""Half the side [m] of an infinite plane."""

DEPTH = 10.0
"""Depth [m] of the ground below an infinite one-sided plane."""

_FEW = 8  # up to this number, points are compared one by one
_MANY = 512  # hulls with more points get no inner ball: it only saves time


class Convex(NamedTuple):
    """A convex shape in its own frame.

    `support` returns the farthest point of the core in a direction, which need not be a unit
    vector; the shape is everything within `margin` [m] of the core. A ball of radius `outer` [m]
    around `center` contains the shape, one of radius `inner` lies within it. `is_box` means that
    the core is a box, a segment or a point.
    """

    support: Support
    margin: float
    center: Vector
    outer: float
    inner: float
    is_box: bool = False

    @property
    def half(self) -> Vector:
        """Half extents [m] of a box around `center` that contains the core."""
        x, y, z = self.center
        (right, _, _), (left, _, _) = self.support(1.0, 0.0, 0.0), self.support(-1.0, 0.0, 0.0)
        (_, top, _), (_, bottom, _) = self.support(0.0, 1.0, 0.0), self.support(0.0, -1.0, 0.0)
        (_, _, front), (_, _, back) = self.support(0.0, 0.0, 1.0), self.support(0.0, 0.0, -1.0)
        return max(right - x, x - left), max(top - y, y - bottom), max(front - z, z - back)


def convex(shape: Sphere | Box | Capsule | Cylinder | Plane | Hull) -> Convex:
    """Return the support function of a shape with its outer and inner ball."""
    match shape:
        case Sphere(radius):
            point = (0.0, 0.0, 0.0)
            return Convex(lambda x, y, z: point, radius, point, radius, radius, is_box=True)
        case Box((x, y, z)):
            return _box(x / 2, y / 2, z / 2)
        case Capsule():
            return _capsule(shape)
        case Cylinder():
            return _cylinder(shape)
        case Plane():
            return _plane(shape)
    if shape.origin is not None and not isinstance(shape.origin.shape, Hull):
        return _stretched(shape.origin)
    return polytope(shape.points, shape)


def polytope(points: Floats, hull: Hull | None = None) -> Convex:
    """Return the hull of points (P, 3) [m]."""
    center = points.mean(axis=0)
    outer = float(np.linalg.norm(points - center, axis=1).max())
    inner = _inner(hull, center) if hull is not None and len(points) <= _MANY else 0.0
    x, y, z = center.tolist()
    return Convex(_farthest(points), 0.0, (x, y, z), outer, inner)


def _farthest(points: Floats) -> Support:
    corners: list[Vector] = [(x, y, z) for x, y, z in points.tolist()]
    if len(corners) > _FEW:
        return lambda x, y, z: corners[int((points @ (x, y, z)).argmax())]
    return lambda x, y, z: max(corners, key=lambda p: p[0] * x + p[1] * y + p[2] * z)


def _inner(hull: Hull, center: Floats) -> float:
    """Return the distance [m] of an inner point from the nearest face."""
    a, b, c = (hull.points[hull.triangles[:, i]] for i in range(3))
    normals = np.cross(b - a, c - a)
    lengths = np.linalg.norm(normals, axis=1)
    heights = np.einsum("ij,ij->i", normals, a - center)[lengths > 0] / lengths[lengths > 0]
    return max(float(heights.min(initial=math.inf)), 0.0) if len(heights) else 0.0


def _box(x: float, y: float, z: float, height: float = 0.0) -> Convex:
    """Return a box with these half extents [m] around a point on the Y axis."""
    top, bottom = height + y, height - y

    def support(dx: float, dy: float, dz: float) -> Vector:
        return x if dx >= 0 else -x, top if dy >= 0 else bottom, z if dz >= 0 else -z

    outer, inner = math.hypot(x, y, z), min(x, y, z)
    return Convex(support, 0.0, (0.0, height, 0.0), outer, inner, is_box=True)


def _capsule(shape: Capsule) -> Convex:
    """Return the hull of two balls, with the smaller radius as the margin."""
    half, bottom, top = shape.height / 2, shape.radius_bottom, shape.radius_top
    margin = min(bottom, top)
    low, high = bottom - margin, top - margin

    def support(x: float, y: float, z: float) -> Vector:
        length = math.sqrt(x * x + y * y + z * z)
        is_top = high * length + half * y >= low * length - half * y
        reach = (high if is_top else low) / length if length else 0.0
        return reach * x, reach * y + (half if is_top else -half), reach * z

    outer, inner = half + max(bottom, top), (bottom + top) / 2
    return Convex(support, margin, (0.0, 0.0, 0.0), outer, inner, is_box=bottom == top)


def _cylinder(shape: Cylinder) -> Convex:
    half, bottom, top = shape.height / 2, shape.radius_bottom, shape.radius_top

    def support(x: float, y: float, z: float) -> Vector:
        across = math.sqrt(x * x + z * z)
        is_top = top * across + half * y >= bottom * across - half * y
        reach = (top if is_top else bottom) / across if across else 0.0
        return reach * x, half if is_top else -half, reach * z

    outer = math.hypot(half, max(bottom, top))
    side = (bottom + top) / 2 * shape.height / (math.hypot(shape.height, bottom - top) or 1.0)
    return Convex(support, 0.0, (0.0, 0.0, 0.0), outer, min(half, side))


def _plane(shape: Plane) -> Convex:
    """Return a sheet, or the ground below an infinite one-sided plane."""
    x = REACH if shape.size_x is None else shape.size_x / 2
    z = REACH if shape.size_z is None else shape.size_z / 2
    if shape.size_x is shape.size_z is None and not shape.double_sided:
        return _box(x, DEPTH / 2, z, -shape.side * DEPTH / 2)
    return _box(x, 0.0, z)


def _stretched(origin: Origin) -> Convex:
    """Return a shape under a linear map, by mapping the direction of its support."""
    assert not isinstance(origin.shape, Hull)
    before = convex(origin.shape)  # type: ignore[arg-type]
    core, margin, center, outer, inner, _ = before
    (a, b, c), (d, e, f), (g, h, i) = origin.stretch.tolist()

    def support(x: float, y: float, z: float) -> Vector:
        u, v, w = a * x + d * y + g * z, b * x + e * y + h * z, c * x + f * y + i * z
        px, py, pz = core(u, v, w)
        length = math.sqrt(u * u + v * v + w * w)
        if length and margin:
            reach = margin / length
            px, py, pz = px + reach * u, py + reach * v, pz + reach * w
        return (
            a * px + b * py + c * pz,
            d * px + e * py + f * pz,
            g * px + h * py + i * pz,
        )

    sizes = np.linalg.svd(origin.stretch, compute_uv=False)
    cx, cy, cz = (origin.stretch @ center).tolist()
    return Convex(support, 0.0, (cx, cy, cz), outer * float(sizes[0]), inner * float(sizes[2]))
