"""Single vectors, quaternions and poses as tuples, as the engine expects them.

For one pose at a time this is ten times as fast as small arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

import numpy as np

from ligament.arrays import Floats
from ligament.physics.engines import Vector

Quaternion: TypeAlias = tuple[float, float, float, float]
RigidPose: TypeAlias = tuple[Vector, Quaternion]
Numbers: TypeAlias = Floats | Sequence[float]

IDENTITY: Final[Quaternion] = (0.0, 0.0, 0.0, 1.0)
AT_ORIGIN: Final[RigidPose] = ((0.0, 0.0, 0.0), IDENTITY)


def vector(values: Numbers) -> Vector:
    """Return three numbers as a tuple."""
    x, y, z = values.tolist() if isinstance(values, np.ndarray) else values
    return float(x), float(y), float(z)


def quaternion(values: Numbers) -> Quaternion:
    """Return four numbers as a tuple."""
    x, y, z, w = values.tolist() if isinstance(values, np.ndarray) else values
    return float(x), float(y), float(z), float(w)


def as_pose(translation: Numbers, rotation: Numbers) -> RigidPose:
    """Return a pose as tuples."""
    return vector(translation), quaternion(rotation)


def add(a: Vector, b: Vector) -> Vector:
    """Return a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def subtract(a: Vector, b: Vector) -> Vector:
    """Return a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def dot(a: Vector, b: Vector) -> float:
    """Return the scalar product of two vectors."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vector, b: Vector) -> Vector:
    """Return the vector product a × b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def rotate(q: Quaternion, v: Vector) -> Vector:
    """Return a vector rotated by a unit quaternion."""
    x, y, z, w = q
    a, b, c = v
    tx, ty, tz = 2 * (y * c - z * b), 2 * (z * a - x * c), 2 * (x * b - y * a)
    return (
        a + w * tx + y * tz - z * ty,
        b + w * ty + z * tx - x * tz,
        c + w * tz + x * ty - y * tx,
    )


def multiply(a: Quaternion, b: Quaternion) -> Quaternion:
    """Return the rotation b followed by the rotation a."""
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )


def conjugate(q: Quaternion) -> Quaternion:
    """Return the inverse rotation."""
    x, y, z, w = q
    return -x, -y, -z, w


def compose(outer: RigidPose, inner: RigidPose) -> RigidPose:
    """Return the pose of `inner`, given in the frame `outer`, in the space of `outer`."""
    if inner is AT_ORIGIN:
        return outer
    return add(outer[0], rotate(outer[1], inner[0])), multiply(outer[1], inner[1])
