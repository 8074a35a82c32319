"""Distances between convex shapes, after Gilbert, Johnson and Keerthi (1988), and of moving ones.

The distance is that of the origin from the Minkowski difference of both shapes. A simplex in that
difference approaches the origin step by step; each step also gives a lower bound on the distance,
along an axis. Plain floats: for one pair at a time they are ten times as fast as small arrays.
"""

from __future__ import annotations

import math
from typing import NamedTuple, TypeAlias

import numpy as np

from ligament.arrays import Floats
from ligament.physics.collision.convex import Convex, Support, Vector
from ligament.physics.engines.poses import dot, subtract

Quaternion: TypeAlias = tuple[float, float, float, float]
Matrix: TypeAlias = tuple[float, float, float, float, float, float, float, float, float]

_PRECISION = 1e-8
"""Relative error of a distance."""

_MOST_ITERATIONS = 100
_NOTHING = 1e-24
"""Squared distance, relative to that of the first simplex, that counts as zero."""

_SHORTEST = 1e-3
"""Least progress of a search, relative to the smaller shape: flatter overlaps may be missed."""

_MOST_STEPS = 100


_UPRIGHT: Quaternion = (0.0, 0.0, 0.0, 1.0)
_POINT = Convex(lambda x, y, z: (0.0, 0.0, 0.0), 0.0, (0.0, 0.0, 0.0), 0.0, 0.0)


class Placed(NamedTuple):
    """A shape in the world: position [m] of its centre, and rotation."""

    shape: Convex
    center: Vector
    rotation: Quaternion


class Gap(NamedTuple):
    """A distance [m], at most 0 if shapes overlap, and a unit axis from one to the other.

    The shapes are separated by at least this distance along the axis.
    """

    distance: float
    axis: Vector


def gap(a: Placed, b: Placed, axis: Vector | None = None, *, exact: bool = False) -> Gap:
    """Return the distance of two shapes: exact, or precise enough to tell whether they overlap.

    The previous separating axis is tried first.
    """
    rotation_a, rotation_b = matrix(a.rotation), matrix(b.rotation)
    ax, ay, az = subtract(a.center, rotated(rotation_a, a.shape.center))
    bx, by, bz = subtract(b.center, rotated(rotation_b, b.shape.center))
    ox, oy, oz = ax - bx, ay - by, az - bz
    a0, a1, a2, a3, a4, a5, a6, a7, a8 = rotation_a
    b0, b1, b2, b3, b4, b5, b6, b7, b8 = rotation_b
    support_a, support_b = a.shape.support, b.shape.support

    def difference(x: float, y: float, z: float) -> Vector:
        """Return the point of the Minkowski difference farthest against a direction."""
        px, py, pz = support_a(
            -a0 * x - a3 * y - a6 * z, -a1 * x - a4 * y - a7 * z, -a2 * x - a5 * y - a8 * z
        )
        qx, qy, qz = support_b(
            b0 * x + b3 * y + b6 * z, b1 * x + b4 * y + b7 * z, b2 * x + b5 * y + b8 * z
        )
        return (
            ox + a0 * px + a1 * py + a2 * pz - b0 * qx - b1 * qy - b2 * qz,
            oy + a3 * px + a4 * py + a5 * pz - b3 * qx - b4 * qy - b5 * qz,
            oz + a6 * px + a7 * py + a8 * pz - b6 * qx - b7 * qy - b8 * qz,
        )

    margin = a.shape.margin + b.shape.margin
    x, y, z = subtract(a.center, b.center)
    if axis is not None:
        x, y, z = -axis[0], -axis[1], -axis[2]
    elif x == y == z == 0:
        x = 1.0
    return _nearest_gap(difference, (x, y, z), margin, exact=exact)


def _nearest_gap(difference: Support, start: Vector, margin: float, *, exact: bool) -> Gap:
    """Move a simplex towards the origin, starting along a direction."""
    simplex: list[Vector] = []
    x, y, z = start
    square = x * x + y * y + z * z
    size = 0.0
    for _ in range(_MOST_ITERATIONS):
        w = difference(x, y, z)
        length = math.sqrt(square)
        least = (x * w[0] + y * w[1] + z * w[2]) / length
        if least > margin and not exact:
            return Gap(least - margin, (-x / length, -y / length, -z / length))
        if simplex and (length - least <= _PRECISION * length or w in simplex):
            return Gap(length - margin, (-x / length, -y / length, -z / length))
        simplex.append(w)
        (x, y, z), simplex = _closest(simplex)
        square = x * x + y * y + z * z
        size = max(size, w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
        if len(simplex) == 4 or square <= _NOTHING * size:
            return Gap(-margin, (0.0, 0.0, 0.0))
        if square <= margin * margin and not exact:
            length = math.sqrt(square)
            return Gap(length - margin, (-x / length, -y / length, -z / length))
    length = math.sqrt(square)
    return Gap(length - margin, (-x / length, -y / length, -z / length))


def bounds(shape: Placed, frame: Placed) -> tuple[Floats, Floats]:
    """Return the corners (3,), (3,) [m] of the bounding box of a shape in a frame."""
    a0, a1, a2, a3, a4, a5, a6, a7, a8 = matrix(frame.rotation)
    turn = matrix(shape.rotation)
    own = rotated(turn, shape.shape.center)
    ox, oy, oz = subtract(subtract(shape.center, own), frame.center)
    low, high, margin = [], [], shape.shape.margin
    for x, y, z in ((a0, a3, a6), (a1, a4, a7), (a2, a5, a8)):
        b0, b1, b2, b3, b4, b5, b6, b7, b8 = turn
        u, v, w = b0 * x + b3 * y + b6 * z, b1 * x + b4 * y + b7 * z, b2 * x + b5 * y + b8 * z
        at = x * ox + y * oy + z * oz
        px, py, pz = shape.shape.support(u, v, w)
        qx, qy, qz = shape.shape.support(-u, -v, -w)
        high.append(at + u * px + v * py + w * pz + margin)
        low.append(at + u * qx + v * qy + w * qz - margin)
    return np.array(low), np.array(high)


def touched(before: tuple[Placed, Placed], after: tuple[Placed, Placed]) -> bool:
    """Tell whether two separate shapes overlapped on the way from one state to another.

    Centres move at constant velocity, while shapes rotate at a constant rate about them. The search
    advances by the time in which the shapes cannot meet along the axis between them.
    """
    (a, b), (a_after, b_after) = before, after
    spin = a.shape.outer * _angle(a.rotation, a_after.rotation)
    spin += b.shape.outer * _angle(b.rotation, b_after.rotation)
    vx, vy, vz = (
        (q1 - q0) - (p1 - p0)
        for p0, p1, q0, q1 in zip(a.center, a_after.center, b.center, b_after.center, strict=True)
    )
    least = _SHORTEST * min(a.shape.outer, b.shape.outer)
    time = 0.0
    axis: Vector | None = None
    for _ in range(_MOST_STEPS):
        pair = _between(a, a_after, time), _between(b, b_after, time)
        distance, axis = gap(*pair, axis, exact=True)
        if distance <= 0:
            return time > 0
        speed = spin - (vx * axis[0] + vy * axis[1] + vz * axis[2])
        if speed * (1 - time) <= distance:
            return False
        time += max(distance, least) / speed
    return False


def cast_ray(origin: Vector, direction: Vector, shape: Placed, reach: float) -> Gap | None:
    """Return where a ray along a unit direction hits a shape, and the axis into it there.

    A ray that starts inside hits it at once, without an axis.
    """
    distance, axis = 0.0, (0.0, 0.0, 0.0)
    for _ in range(_MOST_STEPS):
        x, y, z = (p + distance * d for p, d in zip(origin, direction, strict=True))
        space, found = gap(Placed(_POINT, (x, y, z), _UPRIGHT), shape, exact=True)
        if space <= _PRECISION * shape.shape.outer:
            break
        axis = found
        speed = dot(direction, axis)
        if speed <= 0 or distance > reach:
            return None
        distance += space / speed
    return Gap(distance, axis)


def _between(before: Placed, after: Placed, time: float) -> Placed:
    x, y, z = (p + (q - p) * time for p, q in zip(before.center, after.center, strict=True))
    return Placed(before.shape, (x, y, z), _slerp(before.rotation, after.rotation, time))


def _cosine(a: Quaternion, b: Quaternion) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]


def _angle(a: Quaternion, b: Quaternion) -> float:
    """Return the angle [rad] of the shortest rotation between two."""
    sign = 1.0 if _cosine(a, b) >= 0 else -1.0
    chord = math.sqrt(sum((p - sign * q) ** 2 for p, q in zip(a, b, strict=True)))
    return 4 * math.asin(min(chord / 2, 1.0))


def _slerp(a: Quaternion, b: Quaternion, time: float) -> Quaternion:
    half = _angle(a, b) / 2
    if half < 1e-9:
        return a
    sign = 1.0 if _cosine(a, b) >= 0 else -1.0
    first, last = math.sin((1 - time) * half), sign * math.sin(time * half)
    sine = math.sin(half)
    x, y, z, w = ((first * p + last * q) / sine for p, q in zip(a, b, strict=True))
    return x, y, z, w


def matrix(q: Quaternion) -> Matrix:
    """Return the rows of the matrix of a rotation."""
    x, y, z, w = q
    return (
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
        2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
    )  # fmt: skip


def rotated(m: Matrix, v: Vector) -> Vector:
    """Return a vector rotated by a matrix."""
    x, y, z = v
    return (
        m[0] * x + m[1] * y + m[2] * z,
        m[3] * x + m[4] * y + m[5] * z,
        m[6] * x + m[7] * y + m[8] * z,
    )


_Nearest: TypeAlias = tuple[Vector, list[Vector]]


def _closest(simplex: list[Vector]) -> _Nearest:
    """Return the point of a simplex nearest to the origin, and the corners that span it."""
    match simplex:
        case [a]:
            return a, simplex
        case [a, b]:
            return _on_segment(a, b)
        case [a, b, c]:
            return _on_triangle(a, b, c)
    return _in_tetrahedron(*simplex)


def _cross(a: Vector, b: Vector) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def _on_segment(a: Vector, b: Vector) -> _Nearest:
    along = subtract(b, a)
    part, whole = -dot(a, along), dot(along, along)
    if part <= 0:
        return a, [a]
    if part >= whole:
        return b, [b]
    s = part / whole
    return (a[0] + s * along[0], a[1] + s * along[1], a[2] + s * along[2]), [a, b]


def _on_triangle(a: Vector, b: Vector, c: Vector) -> _Nearest:
    """Find the nearest point by the Voronoi regions of a triangle: corners, edges, inside."""
    ab, ac = subtract(b, a), subtract(c, a)
    d1, d2 = -dot(ab, a), -dot(ac, a)
    if d1 <= 0 and d2 <= 0:
        return a, [a]
    d3, d4 = -dot(ab, b), -dot(ac, b)
    if d3 >= 0 and d4 <= d3:
        return b, [b]
    d5, d6 = -dot(ab, c), -dot(ac, c)
    if d6 >= 0 and d5 <= d6:
        return c, [c]
    across_c = d1 * d4 - d3 * d2
    if across_c <= 0 and d1 >= 0 >= d3:
        return _on_segment(a, b)
    across_b = d5 * d2 - d1 * d6
    if across_b <= 0 and d2 >= 0 >= d6:
        return _on_segment(a, c)
    across_a = d3 * d6 - d5 * d4
    if across_a <= 0 and d4 >= d3 and d5 >= d6:
        return _on_segment(b, c)
    whole = across_a + across_b + across_c
    if whole <= 0:
        return min((_on_segment(a, b), _on_segment(a, c), _on_segment(b, c)), key=_length)
    s, t = across_b / whole, across_c / whole
    return (
        (a[0] + s * ab[0] + t * ac[0], a[1] + s * ab[1] + t * ac[1], a[2] + s * ab[2] + t * ac[2]),
        [a, b, c],
    )


def _in_tetrahedron(a: Vector, b: Vector, c: Vector, d: Vector) -> _Nearest:
    """Find the nearest point on the faces that face the origin; on all four if none does."""
    outside = [
        _on_triangle(p, q, r)
        for p, q, r, s in ((a, b, c, d), (a, c, d, b), (a, d, b, c), (b, d, c, a))
        if _is_outside(p, q, r, s)
    ]
    return min(outside, key=_length) if outside else ((0.0, 0.0, 0.0), [a, b, c, d])


def _is_outside(a: Vector, b: Vector, c: Vector, d: Vector) -> bool:
    """Tell whether the origin and the fourth corner are on different sides of a face."""
    normal = _cross(subtract(b, a), subtract(c, a))
    return dot(normal, a) * dot(normal, subtract(d, a)) >= 0


def _length(nearest: _Nearest) -> float:
    return dot(nearest[0], nearest[0])
