"""Contacts one by one, for few tails, where NumPy's call overhead would dominate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from ligament.rig.springs.kernels import LEAST
from ligament.transforms.components import Array

FEW = 32
"""Number of tails up to which a loop is faster than arrays."""


class Obstacle(NamedTuple):
    """A collider for one joint: its slot, its kind, and `Collisions.reach`."""

    slot: int
    kind: str
    reach: float
    side: float


Point: TypeAlias = Sequence[float]


def push_each(
    obstacles: Sequence[Sequence[Obstacle]],
    joints: Array,
    avatars: Array,
    tails: Array,
    heads: Array,
    length: Array,
    shapes: Array,
    hit: Array,
) -> None:
    """Push tails (k, 3, avatars) of some joints (pairs,) of avatars out of their colliders.

    `shapes` (pairs, u, 3, 3) are what each of them meets, `hit` (pairs, u) what it is in: those
    before the first of these do nothing. Tails are changed in place.
    """
    sizes = length[joints, 0] if length.shape[-1] == 1 else length[joints, avatars]
    ends = tails[joints, :, avatars]
    given = (ends, heads[joints, :, avatars], sizes, shapes, hit)
    pairs = zip(joints.tolist(), *(part.tolist() for part in given), strict=True)
    tails[joints, :, avatars] = [
        _pushed(obstacles[joint], tail, head, size, met, inside)
        for joint, tail, head, size, met, inside in pairs
    ]


def _pushed(
    obstacles: Sequence[Obstacle],
    tail: Point,
    head: Point,
    length: float,
    shapes: Sequence[Sequence[Point]],
    hit: Sequence[bool],
) -> Point:
    """Return the position of a tail after all colliders of its joint, one after the other."""
    (x, y, z), (hx, hy, hz) = tail, head
    is_in = False
    for slot, kind, reach, side in obstacles:
        is_in = is_in or hit[slot]
        if not is_in:
            continue
        (ox, oy, oz), (tx, ty, tz), (sx, sy, sz) = shapes[slot]
        dx, dy, dz = x - ox, y - oy, z - oz
        if kind == "plane":
            depth = dx * tx + dy * ty + dz * tz - reach
            if depth >= 0:
                continue
            x, y, z = x - depth * tx, y - depth * ty, z - depth * tz
        else:
            if kind == "capsule":
                share = min(max(dx * sx + dy * sy + dz * sz, 0.0), 1.0)
                dx, dy, dz = dx - share * tx, dy - share * ty, dz - share * tz
            square = dx * dx + dy * dy + dz * dz
            if square == 0 or (square - reach * abs(reach)) * side >= 0:
                continue
            push = reach / math.sqrt(square) - 1
            x, y, z = x + dx * push, y + dy * push, z + dz * push
        dx, dy, dz = x - hx, y - hy, z - hz
        scale = length / math.sqrt(max(dx * dx + dy * dy + dz * dz, LEAST))
        x, y, z = hx + dx * scale, hy + dy * scale, hz + dz * scale
    return x, y, z
