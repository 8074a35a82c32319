"""Shapes of rigid bodies: primitives, hulls and meshes, their scaling and sampling."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import cache, cached_property
from itertools import product
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ligament import transforms as tf
from ligament.arrays import Floats, Ints
from ligament.extensions.shapes import Box, Capsule, Cylinder, ImplicitShape, Plane, Sphere
from ligament.physics.hulls import FLATNESS, ConvexHull, convex_hull

VOLUME_TOLERANCE = 0.01
"""Fraction of a round shape's volume that the hull of its points may miss, at any stretch."""

_CIRCLE = 64  # the polygon misses 0.16 % of the circle
_BALL = 8  # parts of an edge of the icosahedron: the 642 points miss 0.9 % of the ball


def sampled(shape: Sphere | Box | Capsule | Cylinder) -> Floats:
    """Return points (P, 3) [m] on the surface whose hull is the shape, to VOLUME_TOLERANCE.

    The points on all three axes are among them, so that the bounds are exact. Where the shape is
    solid, every point is a corner of the hull.
    """
    match shape:
        case Sphere(radius):
            return _ball() * radius
        case Box(size):
            return np.array(list(product((-0.5, 0.5), repeat=3))) * size
        case Cylinder(height, bottom, top):
            ends = [_ring(bottom, -height / 2), _ring(top, height / 2)]
            return np.concatenate(ends)
    return _capsule(shape)


def _capsule(shape: Capsule) -> Floats:
    height, bottom, top = shape.height, shape.radius_bottom, shape.radius_top
    if abs(bottom - top) >= height:
        middle = height / 2 if top > bottom else -height / 2
        return _ball() * max(bottom, top) + [0.0, middle, 0.0]
    # Slope of the common normal where the cone touches the balls.
    sine = (bottom - top) / height
    low, high = _cap(bottom, sine, -1.0), _cap(top, sine, 1.0)
    center = np.array([0.0, height / 2, 0.0])
    return np.concatenate([low - center, high + center])


def _cap(radius: float, sine: float, sign: float) -> Floats:
    """Return the part of a ball above (sign 1) or below (-1) a circle, and the circle."""
    if radius == 0:
        return np.zeros((1, 3))
    ball, circle = _ball(), _ring(radius * np.sqrt(1 - sine**2), radius * sine)
    beyond = ball[(ball[:, 1] - sine) * sign > 1e-6]
    return np.concatenate([beyond * radius, circle])


def _ring(radius: float, height: float) -> Floats:
    angle = np.arange(_CIRCLE if radius else 1) * (2 * np.pi / _CIRCLE)
    level = np.full(len(angle), height)
    return np.stack([np.cos(angle) * radius, level, np.sin(angle) * radius], axis=1)


@cache
def _ball() -> Floats:
    """Return points spread over the unit sphere: a subdivided icosahedron."""
    golden = (1 + 5**0.5) / 2
    corners = np.array(
        [np.roll([0, y, z], i) for y in (-1, 1) for z in (-golden, golden) for i in range(3)]
    )
    distances = np.linalg.norm(corners[:, None] - corners, axis=2)
    touches = np.isclose(distances, 2)
    faces = [
        (i, j, k)
        for i, j, k in np.ndindex(12, 12, 12)
        if i < j < k and touches[i, j] and touches[j, k] and touches[i, k]
    ]
    parts = np.array([(i, j, _BALL - i - j) for i, j in np.ndindex(_BALL + 1, _BALL + 1)])
    parts = parts[parts[:, 2] >= 0] / _BALL
    points = np.einsum("pc,fcx->fpx", parts, corners[np.array(faces)]).reshape(-1, 3)
    points /= np.linalg.norm(points, axis=1)[:, None]
    return np.unique(points.round(12), axis=0)


__all__ = [
    "NOTHING",
    "Box",
    "Capsule",
    "Cylinder",
    "Hull",
    "ImplicitShape",
    "Mesh",
    "Origin",
    "Plane",
    "Shape",
    "Sphere",
    "extents",
    "scaled",
    "welded",
]


SKEW = 1e-5
"""Relative size of parts of a stretch below which they are rounding in the file."""


PLANE_EXTENT = 1e4
"""Extent [m] of the mesh that replaces an infinite plane tilted by shear."""


class Origin(NamedTuple):
    """Origin of a shape: another shape and the linear map (3, 3) that was applied."""

    shape: Shape
    stretch: Floats


@dataclasses.dataclass(frozen=True, eq=False)
class Hull:
    """The convex hull of points (P, 3) [m]; it may be flat.

    If it approximates a stretched shape, `origin` is the exact one.
    """

    points: Floats
    origin: Origin | None = None

    @classmethod
    def around(cls, points: Floats, hull: ConvexHull | None = None) -> Hull:
        """Return the hull of points (P, 3), with its corners only; `hull` if it is known."""
        found = convex_hull(points) if hull is None else hull
        corners, triangles = np.unique(found.triangles, return_inverse=True)
        place = np.searchsorted(corners, found.corners)
        result = cls(points[corners])
        surface = ConvexHull(place, triangles.reshape(-1, 3), found.dimension)
        result.__dict__["surface"] = surface  # instead of computing it again
        return result

    @cached_property
    def surface(self) -> ConvexHull:
        """The corners and triangles among the points."""
        return convex_hull(self.points)

    @property
    def triangles(self) -> Ints:
        """The surface (T, 3), counter-clockwise from outside; both sides of a flat hull."""
        return self.surface.triangles

    def enlarged(self, factor: float, offset: Floats) -> Hull:
        """Return the hull scaled by a factor above 0, then moved by an offset (3,) [m]."""
        result = Hull(self.points * factor + offset)
        result.__dict__["surface"] = self.surface
        return result


@dataclasses.dataclass(frozen=True, eq=False)
class Mesh:
    """A thin surface: points (P, 3) [m] and triangles (T, 3), counter-clockwise from outside.

    `origin` is the mesh that it was stretched from, if any.
    """

    points: Floats
    triangles: Ints
    origin: Origin | None = None


Shape: TypeAlias = Sphere | Box | Capsule | Cylinder | Plane | Hull | Mesh


NOTHING = Sphere(0.0)
"""The shape of colliders scaled to zero: it touches nothing until replaced."""


def has_extent(shape: Shape) -> bool:
    """Tell whether the declared sizes of a shape are above 0."""
    match shape:
        case Sphere(radius):
            return radius > 0
        case Box(size):
            return min(size) > 0
        case Capsule(_, bottom, top):
            return max(bottom, top) > 0
        case Cylinder(height, bottom, top):
            return height > 0 and max(bottom, top) > 0
    return True


def scaled(shape: Shape, stretch: npt.ArrayLike) -> Shape | None:
    """Apply a linear map (3, 3) in the shape's own frame; None if nothing is left of it.

    The outside stays outside under a map that mirrors. A box stays a box under any scale along its
    axes, a cylinder where x and z are scaled alike, a ball and a capsule where all axes are; those
    that taper exchange their ends where y is reversed. Any other result is a hull: that of a
    sheared box is exact, the others miss less than 1 % of the volume. A plane faces +Y or -Y unless
    shear tilts it. A shape scaled to zero along one axis is flat.
    """
    matrix = np.asarray(stretch, np.float64)
    match shape:
        case Hull():
            return _scaled_hull(shape, matrix)
        case Mesh():
            return _scaled_mesh(shape, matrix)
        case Plane():
            return _scaled_plane(shape, matrix)
    return _exactly_scaled(shape, matrix) or _sampled(shape, matrix)


def extents(shape: Shape) -> Sequence[float]:
    """Return the sizes [m] of a shape along its axes; an infinite side counts as a metre."""
    match shape:
        case Sphere(radius):
            return (2 * radius,) * 3
        case Box(size):
            return size
        case Capsule(height, bottom, top):
            return 2 * max(bottom, top), height + bottom + top, 2 * max(bottom, top)
        case Cylinder(height, bottom, top):
            return 2 * max(bottom, top), height, 2 * max(bottom, top)
        case Plane(x, z):
            return x or 1.0, 1.0, z or 1.0
        case Hull(points) | Mesh(points, _):
            return np.ptp(points, axis=0).tolist() if len(points) else (1.0, 1.0, 1.0)


def welded(points: Floats, triangles: Ints) -> tuple[Floats, Ints]:
    """Merge coincident points; drop unused ones, and degenerate triangles.

    Files split the corners of a closed surface wherever a normal or a texture has a seam.
    """
    used, corners = np.unique(triangles, return_inverse=True)
    points = points[used]
    order = np.lexsort(points.T)
    is_new = np.diff(points[order], axis=0, prepend=np.nan).any(axis=1)
    place = np.empty(len(points), np.int64)
    place[order] = np.cumsum(is_new) - 1
    joined = place[corners.reshape(-1, 3)]
    a, b, c = joined.T
    return points[order[is_new]], joined[(a != b) & (b != c) & (c != a)]


def is_closed(triangles: Ints) -> bool:
    """Tell whether every edge of triangles (T, 3) is shared by two, one on each side."""
    a, b = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]).T
    size = triangles.max(initial=0) + 1
    edges, twins = np.sort(a * size + b), np.sort(b * size + a)
    return bool(len(edges) and (edges == twins).all() and (np.diff(edges) != 0).all())


def is_singular(stretch: Floats) -> bool:
    """Tell whether a linear map (3, 3) flattens everything, to the engine's precision."""
    sizes = np.linalg.svd(stretch, compute_uv=False)
    return bool(sizes[2] <= FLATNESS * sizes[0])


def _exactly_scaled(
    shape: Sphere | Box | Capsule | Cylinder, stretch: Floats
) -> Sphere | Box | Capsule | Cylinder | None:
    """Return the same kind of shape with other sizes, if the stretch allows it."""
    if is_singular(stretch):
        return None
    if isinstance(shape, Sphere):
        scales = np.linalg.svd(stretch, compute_uv=False)
        radius = float(shape.radius * scales.mean())
        return Sphere(radius) if radius > 0 and _are_alike(*scales) else None
    x, y, z = np.abs(np.diagonal(stretch)).tolist()
    if np.abs(stretch - np.diag(np.diagonal(stretch))).max() > SKEW * max(x, y, z):
        return None
    match shape:
        case Box((width, height, depth)) if min(width, height, depth) > 0:
            return Box((width * x, height * y, depth * z))
        case Cylinder(height, bottom, top) if _are_alike(x, z) and height > 0 < max(bottom, top):
            bottom, top = (top, bottom) if stretch[1, 1] < 0 else (bottom, top)
            return Cylinder(height * y, bottom * x, top * x)
        case Capsule(height, bottom, top) if _are_alike(x, y, z) and max(bottom, top) > 0:
            bottom, top = (top, bottom) if stretch[1, 1] < 0 else (bottom, top)
            return Capsule(height * y, bottom * y, top * y)
    return None


def _are_alike(*scales: float) -> bool:
    return max(scales) - min(scales) <= SKEW * max(scales)


def _sampled(shape: Sphere | Box | Capsule | Cylinder, stretch: Floats) -> Hull | None:
    before = sampled(shape)
    points = np.asarray(tf.apply_matrix(stretch, before))
    extent = np.ptp(before, axis=0)
    if extent.min() > FLATNESS * extent.max() and not is_singular(stretch):
        return Hull(points, Origin(shape, stretch))
    return _flat_hull(points)


def _flat_hull(points: Floats) -> Hull | None:
    hull = convex_hull(points)
    return Hull.around(points, hull) if hull.dimension >= 2 else None


def _scaled_hull(shape: Hull, stretch: Floats) -> Hull | None:
    if np.allclose(stretch, np.eye(3), rtol=0, atol=1e-12):
        return shape
    points = np.asarray(tf.apply_matrix(stretch, shape.points))
    if not is_singular(stretch):
        return Hull(points, Origin(shape, stretch))
    return _flat_hull(points)


def _scaled_mesh(shape: Mesh, stretch: Floats) -> Mesh | None:
    if np.allclose(stretch, np.eye(3), rtol=0, atol=1e-12):
        return shape
    # Not a matrix product, which may round equal points differently.
    points = np.asarray(tf.apply_matrix(stretch, shape.points))
    if not is_singular(stretch):
        is_mirrored = tf.determinant(stretch) < 0
        triangles = shape.triangles[:, ::-1] if is_mirrored else shape.triangles
        return Mesh(points, triangles, Origin(shape, stretch))
    triangles = shape.triangles[has_area(points, shape.triangles)]
    return Mesh(points, triangles) if len(triangles) else None


def has_area(points: Floats, triangles: Ints) -> npt.NDArray[np.bool_]:
    """Return which triangles (T, 3) have an area, relative to the extent of all points."""
    a, b, c = (points[triangles[:, i]] for i in range(3))
    doubled = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    longest = np.sqrt(np.max([((p - q) ** 2).sum(axis=1) for p, q in ((a, b), (b, c), (c, a))], 0))
    result: npt.NDArray[np.bool_] = doubled > FLATNESS * longest * np.ptp(points, axis=0).max()
    return result


def _scaled_plane(shape: Plane, stretch: Floats) -> Plane | Mesh | None:
    x, z = stretch[:, 0], stretch[:, 2]
    normal, wide, deep = np.cross(z, x), float(np.linalg.norm(x)), float(np.linalg.norm(z))
    if 0 in (shape.size_x, shape.size_z) or np.linalg.norm(normal) <= FLATNESS * wide * deep:
        return None
    # A map that mirrors takes the front to the other side of the product.
    normal = normal if float(normal @ stretch[:, 1]) >= 0 else -normal
    is_level = np.abs(normal[[0, 2]]).max() <= SKEW * wide * deep
    is_straight = abs(x[2]) <= SKEW * wide and abs(z[0]) <= SKEW * deep
    if is_level and (is_straight or shape.size_x is shape.size_z is None):
        size_x = None if shape.size_x is None else shape.size_x * wide
        size_z = None if shape.size_z is None else shape.size_z * deep
        side = -1 if normal[1] < 0 and not shape.double_sided else 1
        return dataclasses.replace(shape, size_x=size_x, size_z=size_z, side=side)
    along_x = x * (PLANE_EXTENT / wide if shape.size_x is None else shape.size_x / 2)
    along_z = z * (PLANE_EXTENT / deep if shape.size_z is None else shape.size_z / 2)
    corners = [-along_x - along_z, along_z - along_x, along_x + along_z, along_x - along_z]
    triangles = np.array([[0, 1, 2], [0, 2, 3]])
    is_turned = float(np.cross(z, x) @ normal) < 0
    return Mesh(np.array(corners), triangles[:, ::-1] if is_turned else triangles)
