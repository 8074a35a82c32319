"""Points and surfaces to fit shapes to: checked, normalised, reduced to extreme points."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats, Ints
from ligament.errors import ContentError
from ligament.gltf.tree import LARGEST
from ligament.physics.hulls import convex_hull
from ligament.physics.shapes import Hull, Mesh, has_area, welded

EXACT_LIMIT = 1024
"""Number of points up to which the hull is exact."""

CORNER_LIMIT = 768
"""Approximate number of extreme points kept if there are more than EXACT_LIMIT points."""

FIRST_DIRECTIONS = 256
REFINEMENTS = 3
"""Number of times a reduced hull is grown by the points farthest outside it."""

NEGLIGIBLE = 1e-7
"""Points that are outside by less than this, relative to the extent, count as inside."""

_PRODUCTS_AT_ONCE = 1 << 17  # fits the caches near the core


class Edges(NamedTuple):
    """Edges of a hull: directions (E, 3), not of unit length, and both ends and faces (2, E)."""

    direction: Floats
    ends: Ints
    faces: Ints


class Cloud:
    """Finite points (P, 3), P >= 4, that do not all lie on one line.

    `points` are normalised, with their middle at the origin and an extent of 1: the given ones are
    `points * size + middle`. `corners` (C, 3) are extreme ones among them and `triangles` (T, 3)
    the surface of their `hull`. Up to EXACT_LIMIT points this is the hull of all; beyond, an inner
    one close to all points. `dimension` is 2 where all points lie in one plane.
    """

    def __init__(self, points: Any) -> None:
        places = checked_points(points)
        low, high = places.min(axis=0), places.max(axis=0)
        self.middle: Floats = low / 2 + high / 2
        self.size = float((high - low).max())
        if self.size == 0:
            raise _refused("all points coincide")
        self.points: Floats = (places - self.middle) / self.size
        chosen, hull = _extremes(self.points)
        if hull.dimension < 2:
            raise _refused("all points are on one line")
        self.dimension = hull.dimension
        self.hull = Hull.around(self.points[chosen], hull)
        self.corners: Floats = self.hull.points
        self.triangles: Ints = self.hull.triangles

    @cached_property
    def outermost(self) -> Floats:
        """A sample (C, 3) of the corners if there are many, enough to compare axes."""
        if len(self.corners) <= FIRST_DIRECTIONS:
            return self.corners
        return self.corners[_all_around(self.corners, FIRST_DIRECTIONS)]

    @cached_property
    def normals(self) -> Floats:
        """Outward unit normals (T, 3) of the faces of the hull."""
        return self._area_vectors / np.maximum(2 * self.areas, 1e-300)[:, None]

    @cached_property
    def areas(self) -> Floats:
        """Areas (T,) of the faces."""
        return np.asarray(np.linalg.norm(self._area_vectors, axis=1) / 2)

    @cached_property
    def volume(self) -> float:
        """Volume of the hull of the corners."""
        return float(tf.determinant(self.corners[self.triangles]).sum() / 6)

    @cached_property
    def facets(self) -> Floats:
        """Unit normals (G, 3) of the faces, coplanar ones merged; largest first."""
        keys = np.rint(self.normals * 1e4).astype(np.int64)
        _, group = np.unique(keys, axis=0, return_inverse=True)
        sums = np.zeros((group.max() + 1, 3))
        np.add.at(sums, group.ravel(), self._area_vectors)
        areas = np.linalg.norm(sums, axis=1)
        order = np.argsort(-areas, kind="stable")
        return np.asarray(sums[order] / np.maximum(areas[order], 1e-300)[:, None])

    @cached_property
    def edges(self) -> Edges:
        """All edges between two faces that are not coplanar."""
        a, b = self.triangles, np.roll(self.triangles, -1, axis=1)
        face = np.repeat(np.arange(len(a)), 3)
        low, high = np.minimum(a, b).ravel(), np.maximum(a, b).ravel()
        order = np.lexsort((high, low))  # both sides of an edge become neighbours
        faces, ends = face[order].reshape(-1, 2).T, np.stack([low[order[::2]], high[order[::2]]])
        is_sharp = (self.normals[faces[0]] * self.normals[faces[1]]).sum(axis=1) < 1 - 1e-9
        ends, faces = ends[:, is_sharp], np.ascontiguousarray(faces[:, is_sharp])
        return Edges(self.corners[ends[1]] - self.corners[ends[0]], ends, faces)

    def longest_edges(self, count: int) -> Floats:
        """Return the unit directions of the longest edges."""
        squares = (self.edges.direction**2).sum(axis=1)
        longest = np.argsort(-squares, kind="stable")[:count]
        return np.asarray(self.edges.direction[longest] / np.sqrt(squares[longest])[:, None])

    @cached_property
    def _area_vectors(self) -> Floats:
        a, b, c = (self.corners[self.triangles[:, i]] for i in range(3))
        return np.cross(b - a, c - a)


def checked_points(points: Any) -> Floats:
    """Return points as an array (P, 3), P >= 4; raise ContentError for anything else."""
    try:
        places = np.asarray(points, np.float64)
    except (TypeError, ValueError):
        raise ContentError("the points are not numbers", remedy="give an array (P, 3)") from None
    if places.ndim != 2 or places.shape[1] != 3:
        raise ContentError(f"points of shape {places.shape}", remedy="give an array (P, 3)")
    if not (np.abs(places) <= LARGEST).all():
        raise ContentError(
            "some points are not finite, or exceed single precision",
            remedy="leave them out, or correct them",
        )
    if len(places) < 4:
        raise _refused(f"there are only {len(places)} points")
    return places


def supports(points: Floats, directions: Floats) -> tuple[Ints, Floats]:
    """Return the index and product (D,) of the point farthest in each direction (D, 3)."""
    best, found = np.full(len(directions), -np.inf), np.zeros(len(directions), np.int64)
    rows = max(1, _PRODUCTS_AT_ONCE // max(1, len(directions)))
    for start in range(0, len(points), rows):
        products = directions @ points[start : start + rows].T
        at = products.argmax(axis=1)
        reach = products[np.arange(len(at)), at]
        is_better = reach > best
        best[is_better], found[is_better] = reach[is_better], start + at[is_better]
    return found, best


def directions(count: int) -> Floats:
    """Return unit vectors (count, 3) spread evenly over the sphere (a Fibonacci spiral)."""
    y = 1 - (2 * np.arange(count) + 1) / count
    angle = np.arange(count) * (np.pi * (3 - 5**0.5))
    radius = np.sqrt(1 - y**2)
    return np.stack([radius * np.cos(angle), y, radius * np.sin(angle)], axis=1)


def _extremes(points: Floats) -> tuple[Ints, Any]:
    """Return the indices of extreme points, and the hull of this selection.

    The cost is a fixed number of products per point, whatever the number of corners.
    """
    if len(points) <= EXACT_LIMIT:
        return np.arange(len(points)), convex_hull(points)
    chosen = _all_around(points, FIRST_DIRECTIONS)
    hull = convex_hull(points[chosen])
    for _ in range(REFINEMENTS):
        if hull.dimension < 3 or len(chosen) >= CORNER_LIMIT:
            break
        a, b, c = (points[chosen[hull.triangles[:, i]]] for i in range(3))
        normals = np.cross(b - a, c - a)
        normals /= np.maximum(np.linalg.norm(normals, axis=1), 1e-300)[:, None]
        found, reach = supports(points, normals)
        outside = reach - (normals * a).sum(axis=1)
        farthest = np.argsort(-outside, kind="stable")[: max(1, CORNER_LIMIT - len(chosen))]
        farthest = farthest[outside[farthest] > NEGLIGIBLE]
        if not len(farthest):
            break
        chosen = np.union1d(chosen[hull.corners], found[farthest])
        hull = convex_hull(points[chosen])
    return chosen, hull


def _all_around(points: Floats, count: int) -> Ints:
    """Return indices of points that are extreme in some directions and along the axes.

    The directions are spread evenly in the space of the whitened points, so that flat and long
    clouds are sampled as well as round ones.
    """
    spread = np.linalg.cholesky(np.cov(points.T) + 1e-18 * np.eye(3))
    around = np.linalg.solve(spread.T, directions(count).T).T
    return np.unique(supports(points, np.concatenate([around, np.eye(3), -np.eye(3)]))[0])


def _refused(what: str) -> ContentError:
    return ContentError(
        f"{what}: no shape can be fitted",
        remedy="give four points or more that span a surface or a volume",
    )


def checked_surface(points: Any, triangles: Any) -> Mesh:
    """Return a surface without unused points; raise ContentError for anything else."""
    places = checked_points(points)
    corners = _whole_numbers(triangles)
    if corners.min() < 0 or corners.max() >= len(places):
        raise ContentError(
            f"triangles refer to points {corners.min()} to {corners.max()}",
            remedy=f"use indices below {len(places)}",
        )
    if not has_area(places, corners).any():
        raise ContentError("no triangle has an area", remedy="give triangles with an area")
    return Mesh(*welded(places, corners))


def _whole_numbers(triangles: Any) -> Ints:
    try:
        corners = np.asarray(triangles)
    except ValueError:
        corners = np.empty(0)
    if not corners.size:
        raise ContentError("there are no triangles", remedy="give some, or None for points alone")
    if corners.ndim != 2 or corners.shape[1] != 3 or corners.dtype.kind not in "iu":
        raise ContentError(
            f"triangles of shape {corners.shape} and type {corners.dtype}",
            remedy="give an array (T, 3) of whole numbers",
        )
    return corners.astype(np.int64)


def hollowness(cloud: Cloud, surface: Mesh) -> float | None:
    """Return the fraction of the hull that a surface leaves empty; None for an open one."""
    if not _is_closed(surface.triangles):
        return None
    corners = (surface.points[surface.triangles] - cloud.middle) / cloud.size
    return max(0.0, 1 - abs(float(tf.determinant(corners).sum() / 6)) / cloud.volume)


def _is_closed(triangles: Ints) -> bool:
    """Tell whether every edge is used as often in one direction as in the other."""
    a, b = triangles.ravel(), np.roll(triangles, -1, axis=1).ravel()
    count = int(triangles.max()) + 1
    return np.array_equal(np.sort(a * count + b), np.sort(b * count + a))
