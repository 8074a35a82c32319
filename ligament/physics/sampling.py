"""Points on shapes with parameters, for the hulls that stand for them where scale deforms them."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np

from ligament.arrays import Floats
from ligament.extensions.declarations import Box, Capsule, Cylinder, Sphere

VOLUME_TOLERANCE = 0.01
"""How much of the volume of a round shape the hull of its points may miss, under any stretch."""

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
    # Where the cone touches the balls, its normal and theirs have this slope.
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
    """Return points spread over the unit sphere: those of an icosahedron with its edges cut."""
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
