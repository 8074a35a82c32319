"""Where two bodies come nearest to each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ligament.arrays import Floats
from ligament.extensions.declarations import Box, Capsule, Cylinder, Plane, Sphere
from ligament.physics.hulls import hull_points
from ligament.physics.shapes import Hull, Mesh, Shape, sampled

CENTERING = 1e-3
"""Where flat sides face each other, many pairs are nearest: this pulls to the middles of both."""

ENDLESS = 100.0
"""How far [m] an endless plane is looked at."""

_ROUNDS = 200
_TOLERANCE = 1e-12


class Rounded(NamedTuple):
    """The points (P, 3) [m] whose hull, made thicker by `radius` [m], is a convex shape."""

    points: Floats
    radius: float


class Nearest(NamedTuple):
    """The points (3,) [m] of two shapes nearest to each other, and how far they are apart [m]."""

    a: Floats
    b: Floats
    distance: float


def rounded(shape: Shape) -> Rounded:
    """Return a shape by its corners; balls and even capsules exactly, meshes by their hull."""
    match shape:
        case Sphere(radius):
            return Rounded(np.zeros((1, 3)), radius)
        case Capsule(height, bottom, top) if bottom == top:
            return Rounded(np.array([[0.0, -height / 2, 0.0], [0.0, height / 2, 0.0]]), bottom)
        case Plane(size_x, size_z):
            x, z = (ENDLESS if size is None else size / 2 for size in (size_x, size_z))
            return Rounded(np.array([[-x, 0, -z], [-x, 0, z], [x, 0, -z], [x, 0, z]]), 0.0)
        case Hull(points) | Mesh(points, _):
            return Rounded(hull_points(points), 0.0)
        case Box() | Capsule() | Cylinder():
            return Rounded(sampled(shape), 0.0)


def nearest_of(a: Sequence[Rounded], b: Sequence[Rounded]) -> Nearest:
    """Return the nearest points between two bodies, each of one or more pieces."""
    pairs = (nearest(one, other) for one in a for other in b)
    return min(pairs, key=lambda pair: pair.distance)


def nearest(a: Rounded, b: Rounded) -> Nearest:
    """Return the nearest points of two convex shapes; of shapes that overlap, one inside both.

    Of many nearest pairs (sides that face each other) it is the one nearest to both middles.
    """
    both = np.concatenate([a.points, b.points])
    origin, size = _middle(both), float(np.ptp(both, axis=0).max()) or 1.0
    points_a, points_b = (a.points - origin) / size, (b.points - origin) / size
    middle_a, middle_b = _middle(points_a), _middle(points_b)

    def corner(toward: Floats) -> Floats:
        """Find the pair of corners that goes furthest against a direction (9,)."""
        gap, from_a, from_b = toward[:3], toward[3:6], toward[6:]
        one = points_a[np.argmin(points_a @ (gap + CENTERING * from_a))]
        other = points_b[np.argmin(points_b @ (CENTERING * from_b - gap))]
        return np.concatenate(
            [one - other, CENTERING * (one - middle_a), CENTERING * (other - middle_b)]
        )

    found = _least(corner)
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


def _least(corner: Callable[[Floats], Floats]) -> Floats:
    """Return the point of a polytope nearest to the origin (Wolfe, 1976).

    `corner` finds the corner of the polytope that lies furthest against a direction.
    """
    corners = np.array([corner(np.zeros(9))])
    shares = np.ones(1)
    for _ in range(_ROUNDS):
        point = shares @ corners
        new = corner(point)
        if point @ point - point @ new <= _TOLERANCE * float((corners**2).max()):
            break
        corners, shares = np.vstack([corners, new]), np.append(shares, 0.0)
        corners, shares = _reduced(corners, shares)
    return np.asarray(shares @ corners)


def _reduced(corners: Floats, shares: Floats) -> tuple[Floats, Floats]:
    """Move to the nearest point of the corners' flat, dropping those that point outside."""
    while True:
        wanted = _flat_least(corners)
        if (wanted > -_TOLERANCE).all():
            return corners, np.maximum(wanted, 0.0)
        outside = wanted <= -_TOLERANCE
        steps = shares[outside] / (shares[outside] - wanted[outside])
        shares = shares + steps.min() * (wanted - shares)
        kept = shares > _TOLERANCE
        kept[np.flatnonzero(outside)[np.argmin(steps)]] = False
        corners, shares = corners[kept], shares[kept] / shares[kept].sum()


def _flat_least(corners: Floats) -> Floats:
    """Return the shares, which sum to 1, of the point nearest to the origin in a flat."""
    count = len(corners)
    system = np.ones((count + 1, count + 1))
    system[0, 0], system[1:, 1:] = 0.0, corners @ corners.T
    right = np.zeros(count + 1)
    right[0] = 1.0
    return np.asarray(np.linalg.lstsq(system, right, rcond=None)[0][1:])
