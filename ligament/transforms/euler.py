"""Euler angles in the six orders of three different axes."""

from __future__ import annotations

import math
from typing import Any, Literal, TypeAlias, get_args

from ligament.transforms.components import Array, epsilon, floats, join, root, split

EulerOrder: TypeAlias = Literal["XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"]
"""Axes in order of rotation, each about the axes moved by the previous ones."""


def from_euler(angles: Array, order: EulerOrder) -> Array:
    """Return rotations (..., 4) of intrinsic angles [rad] (..., 3): angles[..., i] about order[i].

    "YXZ" is q_y·q_x·q_z: rotate about Y, then about the new X, then about the newest Z.
    """
    first, second, third, sign = _axes(order)
    xp, (angles,) = floats(angles)
    half = angles / 2
    s1, s2, s3 = split(xp.sin(half), 3)
    c1, c2, c3 = split(xp.cos(half), 3)
    parts = {
        first: s1 * c2 * c3 + sign * (c1 * s2 * s3),
        second: c1 * s2 * c3 - sign * (s1 * c2 * s3),
        third: c1 * c2 * s3 + sign * (s1 * s2 * c3),
    }
    return join(xp, parts[0], parts[1], parts[2], c1 * c2 * c3 - sign * (s1 * s2 * s3))


def to_euler(q: Array, order: EulerOrder) -> Array:
    """Return intrinsic angles [rad] (..., 3) of quaternions (..., 4): the inverse of `from_euler`.

    The outer angles are in (−π, π], the middle one in [−π/2, π/2]. In gimbal lock (middle angle
    ±π/2 to within rounding) only the outer angles' sum or difference is determined: the third is 0.
    """
    first, second, third, sign = _axes(order)
    xp, (q,) = floats(q)
    parts = split(q, 4)
    a, b, c, w = parts[first], parts[second], sign * parts[third], parts[3]
    # With half angles α, β, γ:  w + b, a + c = (cos β + sin β)·(cos, sin)(α + sign·γ)
    #                       and  w − b, a − c = (cos β − sin β)·(cos, sin)(α − sign·γ).
    plus = root(xp, (w + b) * (w + b) + (a + c) * (a + c))
    minus = root(xp, (w - b) * (w - b) + (a - c) * (a - c))
    tolerance = 8 * epsilon(xp, q)
    up, down = minus <= tolerance * plus, plus < tolerance * minus
    total = _angle(xp, a + c, w + b, lost=down)
    difference = _angle(xp, a - c, w - b, lost=up)
    total, difference = xp.where(down, difference, total), xp.where(up, total, difference)
    middle = 2 * xp.atan2(plus, minus) - math.pi / 2
    return join(xp, _wrap(xp, total + difference), middle, _wrap(xp, sign * (total - difference)))


def _axes(order: str) -> tuple[int, int, int, float]:
    """Return indices of the axes, and +1 for a cyclic order or −1."""
    if order not in get_args(EulerOrder):
        raise ValueError(f"found order {order!r}; it is one of {', '.join(get_args(EulerOrder))}")
    first, second, third = ("XYZ".index(letter) for letter in order)
    return first, second, third, 1.0 if (second - first) % 3 == 1 else -1.0


def _angle(xp: Any, sine: Array, cosine: Array, *, lost: Array) -> Array:
    # The gradient of atan2 does not exist at (0, 0), not even behind a `where`.
    return xp.atan2(sine, xp.where(lost, 1.0, cosine))


def _wrap(xp: Any, angle: Array) -> Array:
    """Wrap an angle [rad] from (−2π, 2π] to (−π, π]."""
    angle = xp.where(angle > math.pi, angle - 2 * math.pi, angle)
    return xp.where(angle <= -math.pi, angle + 2 * math.pi, angle)
