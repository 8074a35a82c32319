"""Quaternion algebra: product, inverse, rotation of vectors, exponential map, interpolation."""

from __future__ import annotations

import numpy as np

from ligament.transforms.components import (
    Array,
    Components,
    cosine,
    epsilon,
    floats,
    hamilton,
    inner,
    is_single,
    join,
    root,
    select,
    sinc,
    split,
    unit,
)

_CONJUGATE = np.array([-1.0, -1.0, -1.0, 1.0])


def multiply(a: Array, b: Array) -> Array:
    """Return the product a·b of quaternions (..., 4): the rotation b followed by the rotation a."""
    if is_single(a, 4) and is_single(b, 4):
        return np.array(hamilton(a.tolist(), b.tolist()))
    xp, (a, b) = floats(a, b)
    return join(xp, *hamilton(split(a, 4), split(b, 4)))


def conjugate(q: Array) -> Array:
    """Return the conjugate of quaternions (..., 4); that of a unit quaternion is its inverse."""
    if is_single(q, 4):
        return q * _CONJUGATE
    xp, (q,) = floats(q)
    x, y, z, w = split(q, 4)
    return join(xp, -x, -y, -z, w)


def inverse(q: Array) -> Array:
    """Return the inverse of quaternions (..., 4) of any length; that of zero is zero."""
    xp, (q,) = floats(q)
    (x, y, z, w), length = unit(xp, split(q, 4))
    scale = 1 / xp.where(length == 0, 1.0, length)
    return join(xp, -x * scale, -y * scale, -z * scale, w * scale)


def normalize(q: Array) -> Array:
    """Return quaternions (..., 4) scaled to length one; zero becomes the identity."""
    xp, (q,) = floats(q)
    (x, y, z, w), length = unit(xp, split(q, 4))
    return join(xp, x, y, z, xp.where(length == 0, 1.0, w))


def rotate(q: Array, v: Array) -> Array:
    """Return vectors v (..., 3) rotated by unit quaternions q (..., 4): v + 2w(u×v) + 2u×(u×v)."""
    if is_single(q, 4) and is_single(v, 3):
        return np.array(_rotated(q.tolist(), v.tolist()))
    xp, (q, v) = floats(q, v)
    return join(xp, *_rotated(split(q, 4), split(v, 3)))


def _rotated(q: Components, v: Components) -> Components:
    x, y, z, w = q
    a, b, c = v
    s, t, u = 2 * (y * c - z * b), 2 * (z * a - x * c), 2 * (x * b - y * a)
    return (
        a + w * s + (y * u - z * t),
        b + w * t + (z * s - x * u),
        c + w * u + (x * t - y * s),
    )


def dot(a: Array, b: Array) -> Array:
    """Return the inner product (...) over the last axis, which is of equal length in both."""
    _, (a, b) = floats(a, b)
    count = a.shape[-1] if a.ndim else 1
    return inner(split(a, count), split(b, count))


def angle_between(a: Array, b: Array) -> Array:
    """Return the angle [rad] (...) in [0, π] from a to b, both unit quaternions (..., 4).

    The chords |a−b| and |a+b| keep every digit of small angles, where acos of the inner product
    keeps half of them.
    """
    xp, (a, b) = floats(a, b)
    near = root(xp, _square(split(a - b, 4)))
    far = root(xp, _square(split(a + b, 4)))
    return 4 * xp.atan2(xp.minimum(near, far), xp.maximum(near, far))


def from_axis_angle(axis: Array, angle: Array) -> Array:
    """Return quaternions (..., 4) turning by angle [rad] (...) about axis (..., 3) of any length.

    A zero axis gives the identity.
    """
    xp, (axis, angle) = floats(axis, angle)
    direction, length = unit(xp, split(axis, 3))
    half = angle / 2
    sine = xp.sin(half)
    cosine = xp.where(length == 0, 1.0, xp.cos(half))
    return join(xp, *(part * sine for part in direction), cosine)


def _square(parts: tuple[Array, ...]) -> Array:
    return inner(parts, parts)


def log(q: Array) -> Array:
    """Return rotation vectors axis·angle [rad] (..., 3), at most π long, of quaternions (..., 4).

    q and −q give the same vector, except for w = 0 (a half turn) where both signs are right and the
    sign of the imaginary part is kept.
    """
    xp, (q,) = floats(q)
    x, y, z, w = split(q, 4)
    flip = w < 0
    *vector, w = select(xp, flip, (-x, -y, -z, -w), (x, y, z, w))
    square = inner(tuple(vector), tuple(vector))
    # atan(r)/r = 1 − r²/3 + r⁴/5 − r⁶/7: below r² = ε^⅓ the truncation error is below rounding.
    small = square <= epsilon(xp, q) ** (1 / 3) * w * w
    real = xp.where(small & (w != 0), w, 1.0)
    ratio = square / (real * real)
    series = 2 / real * (1 - ratio / 3 + ratio * ratio / 5)
    sine = xp.sqrt(xp.where(small, 1.0, square))
    scale = xp.where(small, series, 2 * xp.atan2(sine, w) / sine)
    return join(xp, *(part * scale for part in vector))


def exp(v: Array) -> Array:
    """Return unit quaternions (..., 4) of rotation vectors axis·angle [rad] (..., 3)."""
    xp, (v,) = floats(v)
    vector = split(v, 3)
    square = inner(vector, vector) / 4
    scale = sinc(xp, square) / 2
    return join(xp, *(part * scale for part in vector), cosine(xp, square))


def power(q: Array, t: Array) -> Array:
    """Return q (..., 4) raised to the power t (...), along the short arc: exp(t·log q)."""
    xp, (q, t) = floats(q, t)
    return exp(xp.expand_dims(t, axis=-1) * log(q))


def slerp(a: Array, b: Array, t: Array) -> Array:
    """Return unit quaternions (..., 4) at the fraction t (...) from a to b, along the short arc.

    t outside [0, 1] extrapolates at the same speed. The result starts at a and ends at ±b; where
    a and b are the same rotation (b = ±a) it stays at a, and where they are exactly half a turn
    apart (a·b = 0) it moves towards b as given.
    """
    xp, (a, b, t) = floats(a, b, t)
    start, end = split(a, 4), split(b, 4)
    end = select(xp, inner(start, end) < 0, tuple(-part for part in end), end)
    difference = tuple(q - p for p, q in zip(start, end, strict=True))
    middle = tuple(q + p for p, q in zip(start, end, strict=True))
    # After the flip the angle is at most π/2, so that the sine ratio is singular only at zero.
    angle = 2 * xp.atan2(root(xp, inner(difference, difference)), root(xp, inner(middle, middle)))
    square = angle * angle
    whole, rest = sinc(xp, square), 1 - t
    from_start = rest * sinc(xp, rest * rest * square) / whole
    from_end = t * sinc(xp, t * t * square) / whole
    return join(xp, *(from_start * p + from_end * q for p, q in zip(start, end, strict=True)))
