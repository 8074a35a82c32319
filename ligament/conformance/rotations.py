"""Quaternions xyzw for cases and judge, independent of those of the judged library."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Numbers: TypeAlias = Sequence[float] | Floats

IDENTITY = (0.0, 0.0, 0.0, 1.0)


def about(axis: Numbers, angle: float) -> Floats:
    """Return the rotation by an angle [rad] about an axis (3,)."""
    unit = np.asarray(axis, float) / np.linalg.norm(axis)
    return np.append(unit * math.sin(angle / 2), math.cos(angle / 2))


def product(*factors: Numbers) -> Floats:
    """Return the product of quaternions (..., 4), the last factor acting first."""
    total = np.asarray(factors[0], float)
    for factor in factors[1:]:
        total = _multiply(total, np.asarray(factor, float))
    return total


def _multiply(p: Floats, q: Floats) -> Floats:
    a, b, c, d = (p[..., i] for i in range(4))
    x, y, z, w = (q[..., i] for i in range(4))
    parts = (
        d * x + a * w + b * z - c * y,
        d * y + b * w + c * x - a * z,
        d * z + c * w + a * y - b * x,
        d * w - a * x - b * y - c * z,
    )
    return np.stack(parts, axis=-1)


def inverse(q: Numbers) -> Floats:
    """Return the inverse of unit quaternions (..., 4)."""
    return np.asarray(q, float) * (-1.0, -1.0, -1.0, 1.0)


def rotate(q: Numbers, vector: Numbers) -> Floats:
    """Rotate vectors (..., 3) by quaternions (..., 4)."""
    q = np.asarray(q, float)
    v = np.broadcast_to(np.asarray(vector, float), (*q.shape[:-1], 3))
    pure = np.concatenate([v, np.zeros((*v.shape[:-1], 1))], axis=-1)
    return product(q, pure, inverse(q))[..., :3]


def log(q: Numbers) -> Floats:
    """Return the rotation vector (..., 3) [rad] of the shorter arc."""
    q = np.asarray(q, float)
    q = np.where(q[..., 3:] < 0, -q, q)
    length = np.linalg.norm(q[..., :3], axis=-1, keepdims=True)
    angle = 2 * np.arctan2(length, q[..., 3:])
    scale = np.where(length < 1e-12, 2.0, angle / np.maximum(length, 1e-300))
    return q[..., :3] * scale


def exp(vector: Numbers) -> Floats:
    """Return the rotation of a rotation vector (3,) [rad]."""
    angle = float(np.linalg.norm(vector))
    return about(vector, angle) if angle > 0 else np.array(IDENTITY)


def slerp(a: Numbers, b: Numbers, weight: float) -> Floats:
    """Interpolate between two rotations (4,) along the shorter arc."""
    return product(a, exp(weight * log(product(inverse(a), b))))


def from_to(a: Numbers, b: Numbers) -> Floats:
    """Return the shortest rotation that takes direction a (3,) to direction b (3,)."""
    u = np.asarray(a, float) / np.linalg.norm(a)
    v = np.asarray(b, float) / np.linalg.norm(b)
    q = np.append(np.cross(u, v), 1 + u @ v)
    return np.asarray(q / np.linalg.norm(q))


def twist(q: Numbers, axis: int) -> Floats:
    """Return the signed angle [rad] about an axis 0, 1, 2 of rotations (..., 4), in (-π, π]."""
    q = np.asarray(q, float)
    sign = np.where(q[..., 3] < 0, -1.0, 1.0)
    return 2 * np.arctan2(q[..., axis] * sign, q[..., 3] * sign)


def angle_between(a: Numbers, b: Numbers) -> Floats:
    """Return the angle [rad] between rotations (..., 4), computed from the chord."""
    p, q = np.asarray(a, float), np.asarray(b, float)
    near, far = np.linalg.norm(p - q, axis=-1), np.linalg.norm(p + q, axis=-1)
    return np.asarray(4 * np.arctan2(np.minimum(near, far), np.maximum(near, far)))


def matrix(q: Numbers) -> Floats:
    """Return the rotation matrix (3, 3) of a quaternion (4,)."""
    return np.stack([rotate(q, axis) for axis in np.eye(3)], axis=1)
