"""Shapes as lines and as surfaces, in the frame of the shape."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from ligament.arrays import Floats, Ints
from ligament.physics.shapes import Box, Capsule, Cylinder, Hull, Mesh, Plane, Shape, Sphere

AROUND = 32
"""Sides of a drawn circle."""

FEW_TRIANGLES = 200
"""Up to here all edges between sides of a surface are drawn, above only the sharp ones."""

SHARP = math.radians(20)
"""Angle between two triangles [rad] from which their common edge counts as sharp."""

ENDLESS = 20.0
"""Side [m] of the part that is drawn of an endless plane."""


class Surface(NamedTuple):
    """Points (P, 3) [m] and triangles (T, 3), counter-clockwise from outside."""

    points: Floats
    triangles: Ints


def outline(shape: Shape) -> Floats:
    """Return the lines (S, 2, 3) [m] that show a shape; every end lies on its surface.

    What stands for a stretched shape is drawn as that shape, stretched: a ball that became an
    ellipsoid has its three circles, not the corners of the hull that is simulated.
    """
    match shape:
        case Hull(origin=origin) | Mesh(origin=origin) if origin is not None:
            return np.asarray(outline(origin.shape) @ np.asarray(origin.stretch).T)
        case Box(size):
            return _box(size)
        case Plane():
            return _plane(shape)
        case Hull() | Mesh():
            return _edges(Surface(shape.points, shape.triangles))
    return _revolved_lines(*_profile(shape))


def surface(shape: Shape) -> Surface:
    """Return the surface of a shape, round ones as polyhedra with their corners on it."""
    match shape:
        case Hull() | Mesh():
            return Surface(shape.points, shape.triangles)
        case Box(size):
            return _box_surface(size)
        case Plane():
            return Surface(_corners(shape), np.array([[0, 1, 2], [0, 2, 3]]))
    return _revolved_surface(_profile(shape)[0])


def chain(points: Floats, *, closed: bool = False) -> Floats:
    """Join points (P, 3) one after the other into lines (S, 2, 3)."""
    ends = np.roll(points, -1, axis=0) if closed else points[1:]
    starts = points if closed else points[:-1]
    return np.stack([starts, ends], axis=1)


def circle(axis: int, radius: float, *, around: int = AROUND) -> Floats:
    """Return points (around, 3) on a circle about an axis (0 to 2), the first on the next axis."""
    angle = np.arange(around) * (2 * math.pi / around)
    points = np.zeros((around, 3))
    points[:, (axis + 1) % 3] = radius * np.cos(angle)
    points[:, (axis + 2) % 3] = radius * np.sin(angle)
    return points


def _box(size: Sequence[float]) -> Floats:
    corners = np.array(list(product((-0.5, 0.5), repeat=3))) * size
    pairs = [(a, b) for a in range(8) for b in range(a + 1, 8) if (a ^ b).bit_count() == 1]
    return np.asarray(corners[np.array(pairs)])


def _box_surface(size: Sequence[float]) -> Surface:
    corners = np.array(list(product((-0.5, 0.5), repeat=3))) * size
    sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = [corner for a, b, c, d in sides for corner in ((a, b, c), (a, c, d))]
    return Surface(corners, np.array(triangles))


def _corners(plane: Plane) -> Floats:
    x = ENDLESS if plane.size_x is None else plane.size_x
    z = ENDLESS if plane.size_z is None else plane.size_z
    return np.array([[-x, 0, -z], [-x, 0, z], [x, 0, z], [x, 0, -z]]) / 2


def _plane(plane: Plane) -> Floats:
    """Draw the rim and the diagonals, which tell a plane from a hole."""
    corners = _corners(plane)
    return np.concatenate([chain(corners, closed=True), corners[[[0, 2], [1, 3]]]])


def _profile(shape: Sphere | Capsule | Cylinder) -> tuple[Floats, list[int]]:
    """Return radius and height (P, 2) from bottom to top, and where rings are drawn."""
    if isinstance(shape, Cylinder):
        half, bottom, top = shape.height / 2, shape.radius_bottom, shape.radius_top
        return np.array([[0, -half], [bottom, -half], [top, half], [0, half]]), [1, 2]
    if isinstance(shape, Sphere):
        return _arc(shape.radius, 0.0, -math.pi / 2, math.pi / 2), [AROUND // 4]
    half, bottom, top = shape.height / 2, shape.radius_bottom, shape.radius_top
    if abs(bottom - top) >= shape.height:  # one ball holds the other
        height = half if top > bottom else -half
        return _arc(max(bottom, top), height, -math.pi / 2, math.pi / 2), [AROUND // 4]
    tilt = math.asin((bottom - top) / shape.height)  # where the cone touches both balls
    lower = _arc(bottom, -half, -math.pi / 2, tilt)
    upper = _arc(top, half, tilt, math.pi / 2)
    return np.concatenate([lower, upper]), [len(lower) - 1, len(lower)]


def _arc(radius: float, height: float, start: float, end: float) -> Floats:
    steps = max(2, round(AROUND * abs(end - start) / (2 * math.pi)))
    angle = np.linspace(start, end, steps + 1)
    out = np.maximum(np.cos(angle), 0.0)
    return np.stack([radius * out, height + radius * np.sin(angle)], axis=1)


def _revolved_lines(profile: Floats, rings: list[int]) -> Floats:
    """Draw rings about the Y axis, and the profile on four sides."""
    lines = []
    for radius, height in profile[rings]:
        if radius > 0:
            ring = circle(1, radius)
            ring[:, 1] = height
            lines.append(chain(ring, closed=True))
    for x, z in ((1, 0), (0, 1), (-1, 0), (0, -1)):
        lines.append(chain(profile[:, :1] * [x, 0, z] + profile[:, 1:] * [0, 1, 0]))
    return np.concatenate(lines)


def _revolved_surface(profile: Floats) -> Surface:
    unit = circle(1, 1.0)
    points = profile[:, None, :1] * unit + profile[:, None, 1:] * [0, 1, 0]
    row, column = np.meshgrid(np.arange(len(profile) - 1), np.arange(AROUND), indexing="ij")
    a, b = (row * AROUND + column).ravel(), (row * AROUND + (column + 1) % AROUND).ravel()
    lower, upper = np.stack([a, b, b + AROUND], axis=1), np.stack([a, b + AROUND, a + AROUND], 1)
    return Surface(points.reshape(-1, 3), np.concatenate([lower, upper]))


def _edges(shown: Surface) -> Floats:
    """Return the rim of a surface and the edges between its sides (of many: the sharp ones)."""
    points, triangles = shown
    sides = np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    owners = np.repeat(np.arange(len(triangles)), 3)
    edges, which, counts = np.unique(sides, axis=0, return_inverse=True, return_counts=True)
    which = which.reshape(-1)
    # Even a small surface hides the diagonals of its flat sides.
    flat = 0.999_999 if len(triangles) <= FEW_TRIANGLES else math.cos(SHARP)
    order = np.argsort(which, kind="stable")
    first = np.cumsum(counts) - counts
    one, other = owners[order[first]], owners[order[first + np.minimum(counts, 2) - 1]]
    normals = _normals(points, triangles)
    agreement = np.einsum("ni,ni->n", normals[one], normals[other])
    drawn: Ints = edges[(counts != 2) | (agreement < flat)]
    return points[drawn]


def _normals(points: Floats, triangles: Ints) -> Floats:
    a, b, c = (points[triangles[:, i]] for i in range(3))
    normals = np.cross(b - a, c - a)
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    return np.asarray(normals / np.where(length == 0, 1.0, length))
