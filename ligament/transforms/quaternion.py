"""The algebra of quaternions: product, inverse, rotation of vectors, distance."""

from __future__ import annotations

from ligament.transforms.components import cross, hamilton, inner, join, root, split, unit
from ligament.transforms.namespace import Array, floats


def multiply(a: Array, b: Array) -> Array:
    """Product a·b of quaternions (..., 4): the rotation b followed by the rotation a."""
    xp, (a, b) = floats(a, b)
    return join(xp, *hamilton(split(a, 4), split(b, 4)))


def conjugate(q: Array) -> Array:
    """Conjugate of quaternions (..., 4), which of a unit quaternion is the inverse."""
    xp, (q,) = floats(q)
    x, y, z, w = split(q, 4)
    return join(xp, -x, -y, -z, w)


def inverse(q: Array) -> Array:
    """Inverse of quaternions (..., 4) of any length; that of zero is zero."""
    xp, (q,) = floats(q)
    (x, y, z, w), length = unit(xp, split(q, 4))
    scale = 1 / xp.where(length == 0, 1.0, length)
    return join(xp, -x * scale, -y * scale, -z * scale, w * scale)


def normalize(q: Array) -> Array:
    """Quaternions (..., 4) scaled to length one; zero becomes the identity."""
    xp, (q,) = floats(q)
    (x, y, z, w), length = unit(xp, split(q, 4))
    return join(xp, x, y, z, xp.where(length == 0, 1.0, w))


def rotate(q: Array, v: Array) -> Array:
    """Vectors v (..., 3) rotated by unit quaternions q (..., 4): v + 2w(u×v) + 2u×(u×v)."""
    xp, (q, v) = floats(q, v)
    *axis, w = split(q, 4)
    vector = split(v, 3)
    turn = tuple(2 * part for part in cross(tuple(axis), vector))
    bend = cross(tuple(axis), turn)
    return join(xp, *(p + w * t + b for p, t, b in zip(vector, turn, bend, strict=True)))


def dot(a: Array, b: Array) -> Array:
    """Inner product (...) over the last axis, which is of equal length in both."""
    _, (a, b) = floats(a, b)
    count = a.shape[-1] if a.ndim else 1
    return inner(split(a, count), split(b, count))


def angle_between(a: Array, b: Array) -> Array:
    """Angle [rad] (...) in [0, π] of the rotation from a to b, both unit quaternions (..., 4).

    The chords |a−b| and |a+b| keep every digit of small angles, where acos of the inner product
    keeps half of them.
    """
    xp, (a, b) = floats(a, b)
    near = root(xp, _square(split(a - b, 4)))
    far = root(xp, _square(split(a + b, 4)))
    return 4 * xp.atan2(xp.minimum(near, far), xp.maximum(near, far))


def from_axis_angle(axis: Array, angle: Array) -> Array:
    """Quaternions (..., 4) turning by angle [rad] (...) about axis (..., 3) of any length.

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
