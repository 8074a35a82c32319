"""Rotation vectors, powers, and interpolation on the sphere of unit quaternions."""

from __future__ import annotations

from ligament.transforms.components import cosine, inner, join, root, select, sinc, split
from ligament.transforms.namespace import Array, epsilon, floats


def log(q: Array) -> Array:
    """Rotation vector axis·angle [rad] (..., 3), at most π long, of unit quaternions (..., 4).

    q and −q give the same vector, but for w = 0 (a half turn) where both signs are right and the
    sign of the imaginary part is kept.
    """
    xp, (q,) = floats(q)
    x, y, z, w = split(q, 4)
    flip = w < 0
    *vector, w = select(xp, flip, (-x, -y, -z, -w), (x, y, z, w))
    square = inner(tuple(vector), tuple(vector))
    # atan(r)/r = 1 − r²/3 + r⁴/5 − r⁶/7: below r² = ε^⅓ what is left out is under the rounding.
    small = square <= epsilon(xp, q) ** (1 / 3) * w * w
    real = xp.where(small & (w != 0), w, 1.0)
    ratio = square / (real * real)
    series = 2 / real * (1 - ratio / 3 + ratio * ratio / 5)
    sine = xp.sqrt(xp.where(small, 1.0, square))
    scale = xp.where(small, series, 2 * xp.atan2(sine, w) / sine)
    return join(xp, *(part * scale for part in vector))


def exp(v: Array) -> Array:
    """Unit quaternions (..., 4) of rotation vectors axis·angle [rad] (..., 3)."""
    xp, (v,) = floats(v)
    vector = split(v, 3)
    square = inner(vector, vector) / 4
    scale = sinc(xp, square) / 2
    return join(xp, *(part * scale for part in vector), cosine(xp, square))


def power(q: Array, t: Array) -> Array:
    """Rotations q (..., 4) taken t (...) times, the short way round: exp(t·log q)."""
    xp, (q, t) = floats(q, t)
    return exp(xp.expand_dims(t, axis=-1) * log(q))


def slerp(a: Array, b: Array, t: Array) -> Array:
    """Unit quaternions (..., 4) at t (...) of the way from a to b, the short way round.

    t outside [0, 1] extrapolates at the same speed. The result starts at a and ends at ±b; where
    a and b are the same rotation (b = ±a) it stays at a, and where they are exactly half a turn
    apart (a·b = 0) it goes towards b as given.
    """
    xp, (a, b, t) = floats(a, b, t)
    start, end = split(a, 4), split(b, 4)
    end = select(xp, inner(start, end) < 0, tuple(-part for part in end), end)
    apart = tuple(q - p for p, q in zip(start, end, strict=True))
    middle = tuple(q + p for p, q in zip(start, end, strict=True))
    # After the flip the angle is at most π/2, so that the sine ratio is singular only at zero.
    angle = 2 * xp.atan2(root(xp, inner(apart, apart)), root(xp, inner(middle, middle)))
    square = angle * angle
    whole, rest = sinc(xp, square), 1 - t
    from_start = rest * sinc(xp, rest * rest * square) / whole
    from_end = t * sinc(xp, t * t * square) / whole
    return join(xp, *(from_start * p + from_end * q for p, q in zip(start, end, strict=True)))
