"""Closest points of bodies, represented as rounded hulls of points."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ligament.arrays import Floats
from ligament.extensions.shapes import Box, Capsule, Cylinder, Plane, Sphere
from ligament.physics.hulls import hull_points
from ligament.physics.shapes import Hull, Mesh, Shape, sampled

CENTERING = 1e-3
"""Weight of the centres of shapes: decides between equally close pairs on facing flat sides."""

INFINITE = 100.0
"""Half the size [m] used for an infinite side of a plane."""

_MOST_ITERATIONS = 200
_TOLERANCE = 1e-12


class Rounded(NamedTuple):
    """A convex shape: the hull of points (P, 3) [m], expanded by `radius` [m]."""

    points: Floats
    radius: float


class Nearest(NamedTuple):
    """The closest points (3,) [m] of two shapes, and their distance [m]."""

    a: Floats
    b: Floats
    distance: float


def rounded(shape: Shape) -> Rounded:
    """Return a shape as expanded points; spheres and untapered capsules exactly, meshes by hull."""
    match shape:
        case Sphere(radius):
            return Rounded(np.zeros((1, 3)), radius)
        case Capsule(height, bottom, top) if bottom == top:
            return Rounded(np.array([[0.0, -height / 2, 0.0], [0.0, height / 2, 0.0]]), bottom)
        case Plane(size_x, size_z):
            x, z = (INFINITE if size is None else size / 2 for size in (size_x, size_z))
            return Rounded(np.array([[-x, 0, -z], [-x, 0, z], [x, 0, -z], [x, 0, z]]), 0.0)
        case Hull():
            return Rounded(shape.points[shape.surface.corners], 0.0)
        case Mesh(points, _):
            return Rounded(hull_points(points), 0.0)
        case Box() | Capsule() | Cylinder():
            return Rounded(sampled(shape), 0.0)


def nearest_of(a: Sequence[Rounded], b: Sequence[Rounded]) -> Nearest:
    """Return the closest points of two bodies, each of one or more shapes."""
    pairs = (nearest(one, other) for one in a for other in b)
    return min(pairs, key=lambda pair: pair.distance)


def nearest(a: Rounded, b: Rounded) -> Nearest:
    """Return the closest points of two convex shapes, or a point inside both if they overlap.

    Among equally close pairs (on facing flat sides), the one nearest to both centres is chosen.
    """
    both = np.concatenate([a.points, b.points])
    origin, size = _middle(both), float(np.ptp(both, axis=0).max()) or 1.0
    points_a, points_b = (a.points - origin) / size, (b.points - origin) / size
    middle_a, middle_b = _middle(points_a), _middle(points_b)

    def corner(toward: Floats) -> Floats:
        """Find the pair of corners furthest against a direction (9,)."""
        gap, from_a, from_b = toward[:3], toward[3:6], toward[6:]
        one = points_a[np.argmin(points_a @ (gap + CENTERING * from_a))]
        other = points_b[np.argmin(points_b @ (CENTERING * from_b - gap))]
        return np.concatenate(
            [one - other, CENTERING * (one - middle_a), CENTERING * (other - middle_b)]
        )

    found = _minimum_norm(corner)
    point_a = origin + size * (middle_a + found[3:6] / CENTERING)
    point_b = origin + size * (middle_b + found[6:] / CENTERING)
    gap = point_b - point_a
    distance = float(np.linalg.norm(gap))
    if distance > a.radius + b.radius:
        along = gap / distance
        point_a, point_b = point_a + along * a.radius, point_b - along * b.radius
    return Nearest(point_a, point_b, max(0.0, distance - a.radius - b.radius))


def _middle(points: Floats) -> Floats:
    return np.asarray((points.min(axis=0) + points.max(axis=0)) / 2)


def _minimum_norm(corner: Callable[[Floats], Floats]) -> Floats:
    """Return the point of a polytope nearest to the origin (Wolfe, 1976).

    `corner` finds the corner of the polytope furthest against a direction.
    """
    corners = np.array([corner(np.zeros(9))])
    weights = np.ones(1)
    for _ in range(_MOST_ITERATIONS):
        point = weights @ corners
        new = corner(point)
        is_optimal = point @ point - point @ new <= _TOLERANCE * float((corners**2).max())
        if is_optimal or (corners == new).all(axis=1).any():  # the latter: rounding stalls it
            break
        corners, weights = np.vstack([corners, new]), np.append(weights, 0.0)
        corners, weights = _reduced(corners, weights)
    return np.asarray(weights @ corners)


def _reduced(corners: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Move to the nearest point of the corners' affine hull, dropping those it lies outside of."""
    while True:
        wanted = _affine_minimum(corners)
        if (wanted > -_TOLERANCE).all():
            return corners, np.maximum(wanted, 0.0)
        outside = wanted <= -_TOLERANCE
        steps = weights[outside] / (weights[outside] - wanted[outside])
        weights = weights + steps.min() * (wanted - weights)
        kept = weights > _TOLERANCE
        kept[np.flatnonzero(outside)[np.argmin(steps)]] = False
        corners, weights = corners[kept], weights[kept] / weights[kept].sum()


def _affine_minimum(corners: Floats) -> Floats:
    """Return the weights, of sum 1, of the point of an affine hull nearest to the origin."""
    count = len(corners)
    system = np.ones((count + 1, count + 1))
    system[0, 0], system[1:, 1:] = 0.0, corners @ corners.T
    right = np.zeros(count + 1)
    right[0] = 1.0
    return np.asarray(np.linalg.lstsq(system, right, rcond=None)[0][1:])
