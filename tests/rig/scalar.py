"""Quaternions and rotation matrices in plain Python, to judge array code by."""

from __future__ import annotations

import math
from collections.abc import Sequence

Numbers = Sequence[float]


def product(a: Numbers, b: Numbers) -> list[float]:
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by + ay * bw + az * bx - ax * bz,
        aw * bz + az * bw + ax * by - ay * bx,
        aw * bw - ax * bx - ay * by - az * bz,
    ]


def inverse(q: Numbers) -> list[float]:
    return [-q[0], -q[1], -q[2], q[3]]


def rotated(q: Numbers, v: Numbers) -> list[float]:
    return product(product(q, [*v, 0.0]), inverse(q))[:3]


def about(axis: str, degrees: float) -> list[float]:
    half = math.radians(degrees) / 2
    return [math.sin(half) if axis == name else 0.0 for name in "XYZ"] + [math.cos(half)]


def degrees_between(a: Numbers, b: Numbers) -> float:
    """Angle of the rotation from a to b, whatever their signs."""
    near = math.dist(a, b)
    far = math.dist(a, [-x for x in b])
    return math.degrees(4 * math.atan2(min(near, far), max(near, far)))
