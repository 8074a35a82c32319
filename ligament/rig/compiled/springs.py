"""Compiled spring bone updates: one pass over the nodes for every frame of every avatar.

The formulas are those of `rig.springs.kernels`, the steps those of `rig.springs.program`. All is
computed in float64, whatever the dtype of the arrays. This module imports no constants: Numba's
disk cache is keyed by the text of one module.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ligament.rig.compiled.jit import compiled, inlined

NODE, JOINT, STALE, COLLIDER = range(4)
"""Steps: a node, a joint, a joint not updated yet, a collider."""

SPHERE, CAPSULE, PLANE = range(3)
FREE, CONE, HINGE, SPHERICAL = range(4)

KEEP, PULL, FALL, LENGTH, REST, BACK, OUTER, ANGLES, AXES, WIDTH = (
    0, 1, 2, 5, 6, 15, 24, 36, 38, 47,
)  # fmt: skip
"""Columns of a joint's constants; vectors and matrices take several, row by row."""

PLACE, SIZE, ROW = 9, 12, 13
"""Columns of a node's world pose after its rotation matrix, and their number."""

OPPOSITE, LEAST = 1e-14, 1e-30
"""Same as in `rig.springs.kernels`."""


@compiled
def swing(
    steps: Any,
    whole: Any,
    real: Any,
    met: Any,
    reach: Any,
    carriers: Any,
    points: Any,
    rows: int,
    pose: Any,
    resets: Any,
    dt: float,
    state: Any,
    out: Any,
) -> None:
    """Write local rotations (avatars, frames, J, 4) of joints to `out`, and update their state.

    `pose` are local translations, rotations and scales (avatars, frames, nodes, …), where
    translations and scales may have length 1 along avatars and frames; scales are uniform. `state`
    are current and previous tails, directions relative to rest (avatars, J, 3), and lengths
    (avatars, J, 1). The preceding arrays are those of `rig.springs.program.Program`.
    """
    translation, rotation, scale = pose
    world = np.zeros((rows, ROW))
    for i in (0, 4, 8, SIZE):
        world[rows - 1, i] = 1.0
    table = np.zeros((len(carriers), 9))
    for avatar in range(out.shape[0]):
        now, before, seen = state[0][avatar], state[1][avatar], state[2][avatar]
        length = state[3][avatar]
        for frame in range(out.shape[1]):
            places = translation[min(avatar, len(translation) - 1)]
            places = places[min(frame, len(places) - 1)]
            sizes = scale[min(avatar, len(scale) - 1)]
            sizes = sizes[min(frame, len(sizes) - 1)]
            turns, marks, shown = rotation[avatar, frame], resets[frame], out[avatar, frame]
            for step in range(len(steps)):
                kind, row = steps[step, 0], steps[step, 1]
                if kind == COLLIDER:
                    _place_collider(carriers, points, row, world, table)
                    continue
                above, node, joint = steps[step, 2], steps[step, 3], steps[step, 4]
                x, y, z = _outside(world, above, _vector(places, node, 0))
                world[row, PLACE], world[row, PLACE + 1], world[row, PLACE + 2] = x, y, z
                world[row, SIZE] = world[above, SIZE] * sizes[node, 0]
                if kind == NODE:
                    turn = _vector(turns, node, 0)
                    local = _rotation(turn[0], turn[1], turn[2], np.float64(turns[node, 3]))
                    _store(world, row, _product(_matrix(world, above, 0), local))
                    continue
                rest = _product(_matrix(world, above, 0), _matrix(real, joint, REST))
                toward = (0.0, 1.0, 0.0) if marks[joint] else _vector(seen, joint, 0)
                if kind == JOINT and marks[joint]:
                    _reset(whole, real, joint, rest, world, row, now, before, length)
                elif kind == JOINT:
                    toward = _update(
                        whole, real, met, reach, joint, dt, rest, world, row, table,
                        now, before, length,
                    )  # fmt: skip
                if kind == JOINT:
                    seen[joint, 0], seen[joint, 1], seen[joint, 2] = toward
                    _show(real, joint, toward, shown)
                if steps[step, 5]:
                    turned = _swung(rest, toward)
                    _store(world, row, _product(turned, _matrix(real, joint, BACK)))


# --- vectors, and matrices as nine numbers, row by row ---


@inlined
def _vector(values: Any, row: int, at: int) -> Any:
    return (
        np.float64(values[row, at]),
        np.float64(values[row, at + 1]),
        np.float64(values[row, at + 2]),
    )


@inlined
def _matrix(values: Any, row: int, at: int) -> Any:
    return (
        values[row, at],
        values[row, at + 1],
        values[row, at + 2],
        values[row, at + 3],
        values[row, at + 4],
        values[row, at + 5],
        values[row, at + 6],
        values[row, at + 7],
        values[row, at + 8],
    )


@inlined
def _store(world: Any, row: int, matrix: Any) -> None:
    for i in range(9):
        world[row, i] = matrix[i]


@inlined
def _dot(a: Any, b: Any) -> Any:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inlined
def _sum(a: Any, scale: float, b: Any) -> Any:
    return a[0] + scale * b[0], a[1] + scale * b[1], a[2] + scale * b[2]


@inlined
def _product(a: Any, b: Any) -> Any:
    return (
        a[0] * b[0] + a[1] * b[3] + a[2] * b[6],
        a[0] * b[1] + a[1] * b[4] + a[2] * b[7],
        a[0] * b[2] + a[1] * b[5] + a[2] * b[8],
        a[3] * b[0] + a[4] * b[3] + a[5] * b[6],
        a[3] * b[1] + a[4] * b[4] + a[5] * b[7],
        a[3] * b[2] + a[4] * b[5] + a[5] * b[8],
        a[6] * b[0] + a[7] * b[3] + a[8] * b[6],
        a[6] * b[1] + a[7] * b[4] + a[8] * b[7],
        a[6] * b[2] + a[7] * b[5] + a[8] * b[8],
    )


@inlined
def _times(m: Any, v: Any) -> Any:
    return (
        m[0] * v[0] + m[1] * v[1] + m[2] * v[2],
        m[3] * v[0] + m[4] * v[1] + m[5] * v[2],
        m[6] * v[0] + m[7] * v[1] + m[8] * v[2],
    )


@inlined
def _transposed_times(m: Any, v: Any) -> Any:
    return (
        m[0] * v[0] + m[3] * v[1] + m[6] * v[2],
        m[1] * v[0] + m[4] * v[1] + m[7] * v[2],
        m[2] * v[0] + m[5] * v[1] + m[8] * v[2],
    )


@inlined
def _rotation(x: float, y: float, z: float, w: float) -> Any:
    x2, y2, z2 = x + x, y + y, z + z
    xx, yy, zz, xy, xz, yz = x * x2, y * y2, z * z2, x * y2, x * z2, y * z2
    wx, wy, wz = w * x2, w * y2, w * z2
    return (
        1 - (yy + zz), xy - wz, xz + wy,
        xy + wz, 1 - (xx + zz), yz - wx,
        xz - wy, yz + wx, 1 - (xx + yy),
    )  # fmt: skip


# --- positions ---


@inlined
def _outside(world: Any, row: int, point: Any) -> Any:
    """Transform a point from the space of a node to the world."""
    return _sum(_vector(world, row, PLACE), world[row, SIZE], _times(_matrix(world, row, 0), point))


@inlined
def _inside(world: Any, row: int, point: Any) -> Any:
    """Transform a point from the world to the space of a node."""
    offset = _sum(point, -1.0, _vector(world, row, PLACE))
    x, y, z = _transposed_times(_matrix(world, row, 0), offset)
    size = world[row, SIZE]
    over = 1 / size if size != 0 else 0.0
    return x * over, y * over, z * over


@inlined
def _place_collider(carriers: Any, points: Any, index: int, world: Any, table: Any) -> None:
    """Store a point, the vector to the other end or the normal, and it over its square."""
    row = carriers[index, 0]
    start = _outside(world, row, _vector(points, index, 0))
    if carriers[index, 1]:
        axis = _times(_matrix(world, row, 0), _vector(points, index, 6))
        size = math.sqrt(_dot(axis, axis))
        sign = -1.0 if world[row, SIZE] < 0 else 1.0
        over = sign / size if size > 0 else 0.0
        axis, over = (axis[0] * over, axis[1] * over, axis[2] * over), 1.0
    else:
        axis = _sum(_outside(world, row, _vector(points, index, 3)), -1.0, start)
        square = _dot(axis, axis)
        over = 1 / square if square > 0 else 0.0
    for i in range(3):
        table[index, i], table[index, 3 + i], table[index, 6 + i] = (
            start[i],
            axis[i],
            axis[i] * over,
        )


# --- updates ---


@inlined
def _reset(
    whole: Any,
    real: Any,
    joint: int,
    rest: Any,
    world: Any,
    row: int,
    now: Any,
    before: Any,
    length: Any,
) -> None:
    """Reset the tail of a joint to rest."""
    size = abs(world[row, SIZE]) * real[joint, LENGTH]
    end = _sum(_vector(world, row, PLACE), size, (rest[1], rest[4], rest[7]))
    center = whole[joint, 0]
    if center >= 0:
        end = _inside(world, center, end)
    length[joint, 0] = size
    now[joint, 0], now[joint, 1], now[joint, 2] = end
    before[joint, 0], before[joint, 1], before[joint, 2] = end


@inlined
def _update(
    whole: Any,
    real: Any,
    met: Any,
    reach: Any,
    joint: int,
    dt: float,
    rest: Any,
    world: Any,
    row: int,
    table: Any,
    now: Any,
    before: Any,
    length: Any,
) -> Any:
    """Update one joint; return its direction relative to rest."""
    center, first, last, limit = (
        whole[joint, 0], whole[joint, 1], whole[joint, 2], whole[joint, 3],
    )  # fmt: skip
    head, size = _vector(world, row, PLACE), length[joint, 0]
    kept = _vector(now, joint, 0)
    tail, earlier = kept, _vector(before, joint, 0)
    if center >= 0:
        tail, earlier = _outside(world, center, tail), _outside(world, center, earlier)
    tail = _sum(tail, real[joint, KEEP], _sum(tail, -1.0, earlier))
    tail = _sum(tail, dt, _vector(real, joint, FALL))
    tail = _sum(tail, dt * real[joint, PULL], (rest[1], rest[4], rest[7]))
    offset = _at_length(_sum(tail, -1.0, head), size)
    if limit != FREE:
        offset = _limited(real, joint, limit, rest, offset, size)
    for i in range(first, last):
        pushed, offset = _pushed(met, reach, i, table, head, offset, size)
        if pushed and limit != FREE:
            offset = _limited(real, joint, limit, rest, offset, size)
    end = _sum(head, 1.0, offset)
    if center >= 0:
        end = _inside(world, center, end)
    now[joint, 0], now[joint, 1], now[joint, 2] = end
    before[joint, 0], before[joint, 1], before[joint, 2] = kept
    if size == 0:
        return 0.0, 1.0, 0.0
    x, y, z = _transposed_times(rest, offset)
    over = 1 / size
    return x * over, y * over, z * over


@inlined
def _at_length(offset: Any, size: float) -> Any:
    scale = size / math.sqrt(max(_dot(offset, offset), LEAST))
    return offset[0] * scale, offset[1] * scale, offset[2] * scale


@inlined
def _pushed(
    met: Any, reach: Any, index: int, table: Any, head: Any, offset: Any, size: float
) -> Any:
    """Tell whether a collider pushes a tail, and return its new offset from the head."""
    at, radius, side = met[index, 0], reach[index, 0], reach[index, 1]
    away = _sum(_sum(head, 1.0, offset), -1.0, _vector(table, at, 0))
    axis = _vector(table, at, 3)
    share = _dot(away, _vector(table, at, 6))
    if met[index, 1] == PLANE:
        depth = share - radius
        if not depth < 0:
            return False, offset
        return True, _at_length(_sum(offset, -depth, axis), size)
    away = _sum(away, -min(max(share, 0.0), 1.0), axis)
    square = _dot(away, away)
    if not square * side < reach[index, 2] or square == 0:
        return False, offset
    return True, _at_length(_sum(offset, radius / math.sqrt(square) - 1, away), size)


@inlined
def _limited(real: Any, joint: int, kind: int, rest: Any, offset: Any, size: float) -> Any:
    """Clamp an offset to the limit of its joint."""
    axes = _matrix(real, joint, AXES)
    first, second = real[joint, ANGLES], real[joint, ANGLES + 1]
    x, y, z = _times(axes, _transposed_times(rest, _at_length(offset, 1.0)))
    if kind == CONE:
        if y < math.cos(first):
            across = math.sqrt(x * x + z * z)
            x, z = (x / across, z / across) if across > 0 else (0.0, 1.0)
            x, y, z = x * math.sin(first), math.cos(first), z * math.sin(first)
    else:
        pitch = 0.0 if y == 0 and z == 0 else math.atan2(0.0 if z == 0 else z, y)
        pitch = min(max(pitch, -first), first)
        yaw = 0.0
        if kind == SPHERICAL:
            yaw = min(max(math.asin(min(max(x, -1.0), 1.0)), -second), second)
        x = math.sin(yaw)
        y, z = math.cos(yaw) * math.cos(pitch), math.cos(yaw) * math.sin(pitch)
    x, y, z = _times(rest, _transposed_times(axes, (x, y, z)))
    return x * size, y * size, z * size


@inlined
def _swung(rest: Any, seen: Any) -> Any:
    """Return a frame rotated by the shortest rotation that takes its second axis to a direction."""
    x, y, z = _times(rest, seen)
    sum_ = 1 + seen[1]
    if sum_ < OPPOSITE:
        return rest[0], x, -rest[2], rest[3], y, -rest[5], rest[6], z, -rest[8]
    over = 1 / sum_
    first, third = seen[0] * over, seen[2] * over
    a, b, c = rest[1] + x, rest[4] + y, rest[7] + z
    return (
        rest[0] - first * a, x, rest[2] - third * a,
        rest[3] - first * b, y, rest[5] - third * b,
        rest[6] - first * c, z, rest[8] - third * c,
    )  # fmt: skip


@inlined
def _show(real: Any, joint: int, seen: Any, out: Any) -> None:
    """Write the local rotation of a joint from its direction relative to rest."""
    x, y, z = seen[2], -seen[0], 1 + seen[1]
    square = x * x + y * y + z * z
    if square < OPPOSITE**2:
        x, y, z, square = 1.0, 0.0, 0.0, 1.0
    over = 1 / math.sqrt(square)
    for i in range(4):
        out[joint, i] = over * _dot(_vector(real, joint, OUTER + 3 * i), (x, y, z))
