"""Rotations and directions: the shortest rotation between two, and twist about an axis."""

from __future__ import annotations

import math
from typing import Any

from ligament.transforms.components import (
    Array,
    Components,
    epsilon,
    floats,
    hamilton,
    inner,
    join,
    largest,
    select,
    split,
    unit,
)


def between(u: Array, v: Array) -> Array:
    """Return the shortest rotation (..., 4) that takes direction u (..., 3) to v (..., 3).

    The vectors may have any length. Parallel vectors, or a zero vector, give the identity;
    exactly opposite ones give half a turn about u × e, where e is the coordinate axis least
    aligned with u (the first of those in a tie). The result is exact to rounding up to the
    opposite direction: w = |u||v| + u·v cancels there, the equal |u×v|²/(|u||v| − u·v) does
    not, and the products in u×v are carried at twice the precision.
    """
    xp, (u, v) = floats(u, v)
    a, b = _in_range(xp, split(u, 3)), _in_range(xp, split(v, 3))
    axis = _exact_cross(xp, a, b)
    square, aligned = inner(axis, axis), inner(a, b)
    lengths = xp.sqrt(_or_one(xp, inner(a, a))) * xp.sqrt(_or_one(xp, inner(b, b)))
    obtuse = aligned < 0
    real = xp.where(obtuse, square / (lengths + xp.abs(aligned)), lengths + aligned)
    opposite = obtuse & (square == 0)
    axis = select(xp, opposite, _perpendicular(xp, a), axis)
    return join(xp, *unit(xp, (*axis, real))[0])


def swing_twist(q: Array, axis: Array) -> tuple[Array, Array]:
    """Split unit quaternions q (..., 4) into (swing, twist), q = swing·twist.

    The twist rotates about the unit vector axis (..., 3), the swing about a perpendicular one. If
    the swing is half a turn the twist is undefined: the identity is returned.
    """
    xp, (q, axis) = floats(q, axis)
    whole, direction = split(q, 4), split(axis, 3)
    along, w = _about(xp, whole, direction)
    twist, _ = unit(xp, (*(part * along for part in direction), w))
    x, y, z, w = twist
    return join(xp, *hamilton(whole, (-x, -y, -z, w))), join(xp, *twist)


def twist_angle(q: Array, axis: Array) -> Array:
    """Return the twist angle [rad] (...) of q (..., 4) about axis (..., 3), in (−π, π]."""
    xp, (q, axis) = floats(q, axis)
    along, w = _about(xp, split(q, 4), split(axis, 3))
    angle = 2 * xp.atan2(xp.where(w < 0, -along, along), xp.where(w < 0, -w, w))
    return xp.where(angle <= -math.pi, -angle, angle)


def _about(xp: Any, q: Components, axis: Components) -> tuple[Array, Array]:
    """Return q's part along the axis and its real part; (0, 1) where both are lost in rounding."""
    *vector, w = q
    along = inner(tuple(vector), axis)
    lost = along * along + w * w <= (4 * epsilon(xp, w)) ** 2 * inner(q, q)
    return xp.where(lost, 0.0, along), xp.where(lost, 1.0, w)


def _in_range(xp: Any, parts: Components) -> Components:
    """Scale by a power of two, without rounding, so that the largest is between 1 and 2."""
    size = _or_one(xp, largest(xp, parts))
    scale = 2.0 ** xp.floor(xp.log2(size))
    return tuple(part / scale for part in parts)


def _or_one(xp: Any, size: Array) -> Array:
    return xp.where(size == 0, 1.0, size)


def _exact_cross(xp: Any, a: Components, b: Components) -> Components:
    """Return the vector product a × b, accurate to rounding even if components cancel."""
    (ax, ay, az), (bx, by, bz) = a, b
    products = ((ay, bz, az, by), (az, bx, ax, bz), (ax, by, ay, bx))
    return tuple(_difference(xp, *factors) for factors in products)


def _difference(xp: Any, a: Array, b: Array, c: Array, d: Array) -> Array:
    """Return a·b − c·d with the rounding errors of both products added back."""
    return (a * b - c * d) + (_product_error(xp, a, b) - _product_error(xp, c, d))


def _product_error(xp: Any, a: Array, b: Array) -> Array:
    """Return the exact product a·b minus the rounded one (Dekker 1971, by splitting digits)."""
    (a_high, a_low), (b_high, b_low) = _halves(xp, a), _halves(xp, b)
    rest = (a_high * b_high - a * b) + a_high * b_low + a_low * b_high
    return rest + a_low * b_low


def _halves(xp: Any, a: Array) -> tuple[Array, Array]:
    digits = 1 - round(math.log2(epsilon(xp, a)))
    wide = (2.0 ** ((digits + 1) // 2) + 1) * a
    high = wide - (wide - a)
    return high, a - high


def _perpendicular(xp: Any, u: Components) -> Components:
    """Return u × e, where e is the coordinate axis least aligned with u."""
    x, y, z = u
    ax, ay, az = xp.abs(x), xp.abs(y), xp.abs(z)
    zero = xp.zeros_like(x)
    by_y_or_z = select(xp, ay <= az, (-z, zero, x), (y, -x, zero))
    return select(xp, (ax <= ay) & (ax <= az), (zero, z, -y), by_y_or_z)
