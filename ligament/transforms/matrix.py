"""Rotation matrices and affine 4×4 matrices (column vectors, the translation in column 3)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ligament.transforms.components import (
    Array,
    Components,
    cross,
    floats,
    inner,
    is_single,
    join,
    select,
    split,
    unit,
)


def to_matrix(q: Array) -> Array:
    """Return rotation matrices (..., 3, 3) of unit quaternions (..., 4)."""
    if is_single(q, 4):
        return np.array(_rotation(tuple(q.tolist()))).reshape(3, 3)
    xp, (q,) = floats(q)
    return _fold(xp, join(xp, *_rotation(split(q, 4))), 3)


def determinant(m: Array) -> Array:
    """Return determinants (...) of matrices (..., 3, 3), including singular ones."""
    _, (m,) = floats(m)
    (a, b, c), (d, e, f), (g, h, i) = (
        [m[..., row, column] for column in range(3)] for row in range(3)
    )
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)


def from_matrix(m: Array) -> Array:
    """Return unit quaternions (..., 4), w ≥ 0, of rotation matrices (..., 3, 3) or (..., 4, 4).

    Row i of 4·q·qᵀ is q times 4·q_i, and linear in the matrix: the row of the largest q_i is
    taken, so that no digits are lost for any rotation.
    """
    xp, (m,) = floats(m)
    return _quaternion(xp, _columns(m))


def compose(translation: Array, rotation: Array, scale: Array = (1.0, 1.0, 1.0)) -> Array:
    """Return matrices (..., 4, 4) of translation (..., 3), rotation (..., 4), scale (..., 3)."""
    xp, (translation, rotation, scale) = floats(translation, rotation, scale)
    place, size = split(translation, 3), split(scale, 3)
    r = _rotation(split(rotation, 4))
    zero, one = xp.zeros_like(r[0]), xp.ones_like(r[0])
    rows = [[*(r[3 * i + j] * size[j] for j in range(3)), place[i]] for i in range(3)]
    return _fold(xp, join(xp, *rows[0], *rows[1], *rows[2], zero, zero, zero, one), 4)


def decompose(m: Array) -> tuple[Array, Array, Array]:
    """Return translation (..., 3), rotation (..., 4), w ≥ 0, scale (..., 3) of (..., 4, 4).

    A mirroring matrix (negative determinant) has all three scales negative. Columns of scale zero
    are completed to a rotation: one by the right-hand rule from the other two, two by a rotation
    that takes the axis of the third to its column (the identity if it is there), three by the
    identity. A matrix with shear has no exact parts; the rotation is then close to its columns.
    """
    xp, (m,) = floats(m)
    directions, lengths = zip(*(unit(xp, column) for column in _columns(m, (4,))), strict=True)
    normals = tuple(cross(directions[i - 2], directions[i - 1]) for i in range(3))
    mirrored = inner(normals[2], directions[2]) < 0
    sign = xp.where(mirrored, -1.0, xp.ones_like(lengths[0]))
    columns = (
        select(xp, length == 0, normal, tuple(part * sign for part in column))
        for length, normal, column in zip(lengths, normals, directions, strict=True)
    )
    rotation = _quaternion(xp, tuple(columns))
    scale = join(xp, *(length * sign for length in lengths))
    return join(xp, *(m[..., i, 3] for i in range(3))), rotation, scale


def multiply_matrices(a: Array, b: Array) -> Array:
    """Return the product a·b of matrices (..., 4, 4) or (..., 3, 3): b applied first, then a."""
    xp, (a, b) = floats(a, b)
    _require_square(a, (3, 4))
    _require_square(b, (a.shape[-1],))
    if xp is np:
        return np.matmul(a, b)
    # Not matmul: on some devices it rounds float32 to fewer digits by default.
    terms = [a[..., :, k, None] * b[..., None, k, :] for k in range(a.shape[-1])]
    return sum(terms[1:], terms[0])


def apply_matrix(m: Array, points: Array) -> Array:
    """Transform points (..., 3) by affine matrices (..., 4, 4), or by linear ones (..., 3, 3).

    Leading axes broadcast: one matrix for many points, m[:, None] for one set per matrix.
    """
    xp, (m, points) = floats(m, points)
    columns, point = _columns(m), split(points, 3)
    parts = [inner(tuple(column[i] for column in columns), point) for i in range(3)]
    if m.shape[-1] == 4:
        parts = [part + m[..., i, 3] for i, part in enumerate(parts)]
    return join(xp, *parts)


def _fold(xp: Any, parts: Array, size: int) -> Array:
    return xp.reshape(parts, (*parts.shape[:-1], size, size))


def _require_square(m: Array, sizes: tuple[int, ...]) -> None:
    if m.ndim < 2 or m.shape[-2] != m.shape[-1] or m.shape[-1] not in sizes:
        valid = " or ".join(f"(..., {size}, {size})" for size in sizes)
        raise ValueError(f"found an array of shape {tuple(m.shape)}; it must be {valid}")


def _columns(m: Array, sizes: tuple[int, ...] = (3, 4)) -> tuple[Components, ...]:
    """Return the columns of the upper left 3×3 block; the matrices have one of the `sizes`."""
    _require_square(m, sizes)
    return tuple(tuple(m[..., i, j] for i in range(3)) for j in range(3))


def _rotation(q: Components) -> Components:
    """Return the nine elements of the rotation matrix, row by row."""
    x, y, z, w = q
    x2, y2, z2 = x + x, y + y, z + z
    xx, yy, zz, xy, xz, yz = x * x2, y * y2, z * z2, x * y2, x * z2, y * z2
    wx, wy, wz = w * x2, w * y2, w * z2
    return (
        1 - (yy + zz), xy - wz, xz + wy,
        xy + wz, 1 - (xx + zz), yz - wx,
        xz - wy, yz + wx, 1 - (xx + yy),
    )  # fmt: skip


def _quaternion(xp: Any, columns: tuple[Components, ...]) -> Array:
    """Return the quaternion of the rotation with these columns, two or all of which may be zero.

    A single column leaves a circle of rotations, which lie in a plane in four dimensions. The
    matrix of rows is then twice the projection onto it, so that each row still is one of them.
    """
    (xx, yx, zx), (xy, yy, zy), (xz, yz, zz) = columns
    wx, wy, wz = zy - yz, xz - zx, yx - xy
    sum_xy, sum_xz, sum_yz = xy + yx, xz + zx, yz + zy
    rows = (
        (wx, wy, wz, 1 + xx + yy + zz),
        (1 + xx - yy - zz, sum_xy, sum_xz, wx),
        (sum_xy, 1 - xx + yy - zz, sum_yz, wy),
        (sum_xz, sum_yz, 1 - xx - yy + zz, wz),
    )
    best, size = rows[0], rows[0][3]
    for i, row in enumerate(rows[1:]):
        larger = row[i] > size
        best, size = select(xp, larger, row, best), xp.where(larger, row[i], size)
    parts, _ = unit(xp, best)
    return join(xp, *select(xp, parts[3] < 0, tuple(-part for part in parts), parts))
