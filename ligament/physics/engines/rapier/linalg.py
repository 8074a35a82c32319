"""Vector and quaternion algebra for tens of rows: three times as fast as the general functions.

So few rows are updated before a step that the number of array operations counts, not their size.
Arrays are (n, components).
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ligament import transforms as tf
from ligament.arrays import Floats, Indices

_MANY: Final = 300
"""Rows above which the general functions are faster."""

_LEFT: Final = np.array([[3, 2, 1, 0], [2, 3, 0, 1], [1, 0, 3, 2], [0, 1, 2, 3]])
_LEFT_SIGN: Final = np.array(
    [[1.0, -1.0, 1.0, 1.0], [1.0, 1.0, -1.0, 1.0], [-1.0, 1.0, 1.0, 1.0], [-1.0, -1.0, -1.0, 1.0]]
)
_SKEW: Final = np.array([[0, 2, 1], [2, 0, 0], [1, 0, 0]])
_SKEW_SIGN: Final = np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]])
_CONJUGATE: Final = np.array([-1.0, -1.0, -1.0, 1.0])


def multiply(a: Floats, b: Floats) -> Floats:
    """Return rotations (n, 4): first b, then a."""
    if len(a) > _MANY:
        return np.asarray(tf.multiply(a, b))
    return np.asarray(np.vecdot(a.take(_LEFT, axis=1) * _LEFT_SIGN, b[:, None, :]))


def conjugate(q: Floats) -> Floats:
    """Return inverse rotations (n, 4)."""
    return np.asarray(q * _CONJUGATE)


def cross(a: Floats, b: Floats) -> Floats:
    """Return vector products a × b (n, 3)."""
    product: Floats = (skew(a) @ b[:, :, None])[:, :, 0]
    return product


def skew(v: Floats) -> Floats:
    """Return the matrices (n, 3, 3) that take x to v × x."""
    return np.asarray(v.take(_SKEW, axis=1) * _SKEW_SIGN)


def rotate(q: Floats, v: Floats) -> Floats:
    """Return vectors v (n, 3) rotated by q (n, 4)."""
    if len(q) > _MANY:
        return np.asarray(tf.rotate(q, v))
    axis = skew(q[:, :3])
    column = v[:, :, None]
    twice = 2 * (axis @ column)
    rotated: Floats = (column + q[:, 3:, None] * twice + axis @ twice)[:, :, 0]
    return rotated


def matrices(q: Floats) -> Floats:
    """Return rotations (n, 4) as matrices (n, 3, 3)."""
    axis = skew(q[:, :3])
    matrix: Floats = np.eye(3) + 2 * (q[:, 3:, None] * axis + axis @ axis)
    return matrix


def from_vector(vector: Floats) -> Floats:
    """Return rotations (n, 4) about vectors (n, 3) by their lengths [rad], each below a turn."""
    angle = length(vector)
    rotation = np.empty((len(vector), 4))
    rotation[:, :3] = vector * (np.sin(angle / 2) / np.maximum(angle, 1e-300))[:, None]
    np.cos(angle / 2, out=rotation[:, 3])
    return rotation


def x_axis_to(direction: Floats) -> Floats:
    """Return rotations (n, 4) that take the X axis to unit vectors (n, 3)."""
    q = np.zeros((len(direction), 4))
    q[:, 1] = -direction[:, 2]
    q[:, 2] = direction[:, 1]
    q[:, 3] = 1 + direction[:, 0]
    q[q[:, 3] < 1e-9] = (0.0, 0.0, 1.0, 0.0)
    unit: Floats = q / np.sqrt(dot(q, q))[:, None]
    return unit


def indices(chosen: npt.NDArray[Any]) -> Indices:
    """Return where an array (n,) is not zero, ten times as fast as the general function."""
    return chosen.nonzero()[0]


def bounded(values: Floats, low: Floats | float, high: Floats | float) -> Floats:
    """Return values (n,) between bounds."""
    return np.minimum(np.maximum(values, low), high)


def dot(a: Floats, b: Floats) -> Floats:
    """Return inner products (n,)."""
    return np.asarray(np.vecdot(a, b))


def length(vectors: Floats) -> Floats:
    """Return Euclidean lengths (n,)."""
    return np.asarray(np.sqrt(dot(vectors, vectors)))


def angle_between(rotation: Floats, other: Floats) -> Floats:
    """Return the angles [rad] (n,) between rotations (n, 4), roughly; large where one is unset."""
    near, far = rotation - other, rotation + other
    return 2 * np.sqrt(np.minimum(dot(near, near), dot(far, far)))
