"""Contacts one by one: the few tails that are in a collider, where NumPy's calls cost more."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

from ligament.transforms.components import Array

FEW = 32
"""Tails up to which a loop is faster than arrays."""


class Obstacle(NamedTuple):
    """A collider for one joint: its place among the slots, its kind, and `Collisions.reach`."""

    slot: int
    kind: str
    reach: float
    side: float


Point: TypeAlias = tuple[float, float, float]


def push_each(
    obstacles: Sequence[Sequence[Obstacle]],
    joints: Any,
    avatars: Any,
    tails: Array,
    heads: Array,
    length: Array,
    shapes: Array,
) -> None:
    """Push tails (k, 3, avatars) of some joints (pairs,) of avatars out of their colliders.

    `shapes` (pairs, u, 3, 3) are what each of them meets. Tails are changed in place.
    """
    shared = length.shape[-1] == 1
    pairs = zip(joints.tolist(), avatars.tolist(), shapes.tolist(), strict=True)
    for joint, avatar, met in pairs:
        size = float(length[joint, 0 if shared else avatar])
        tail = tuple(tails[joint, :, avatar].tolist())
        head = tuple(heads[joint, :, avatar].tolist())
        for obstacle in obstacles[joint]:
            moved = _pushed(obstacle, tail, met[obstacle.slot])
            if moved is not None:
                tail = _at_length(head, moved, size)
        tails[joint, :, avatar] = tail


def _pushed(obstacle: Obstacle, tail: Point, shape: Sequence[Sequence[float]]) -> Point | None:
    """Return where a collider pushes a tail to, None where it is not in it."""
    _, kind, reach, side = obstacle
    (ox, oy, oz), (tx, ty, tz), (sx, sy, sz) = shape
    x, y, z = tail
    dx, dy, dz = x - ox, y - oy, z - oz
    if kind == "plane":
        depth = dx * tx + dy * ty + dz * tz - reach
        return None if depth >= 0 else (x - depth * tx, y - depth * ty, z - depth * tz)
    if kind == "capsule":
        share = min(max(dx * sx + dy * sy + dz * sz, 0.0), 1.0)
        dx, dy, dz = dx - share * tx, dy - share * ty, dz - share * tz
    square = dx * dx + dy * dy + dz * dz
    if square == 0 or (square - reach * abs(reach)) * side >= 0:
        return None
    distance = math.sqrt(square)
    push = (reach - distance) / distance
    return x + dx * push, y + dy * push, z + dz * push


def _at_length(head: Point, tail: Point, length: float) -> Point:
    """Return a tail at the length of its bone."""
    (hx, hy, hz), (x, y, z) = head, tail
    dx, dy, dz = x - hx, y - hy, z - hz
    distance = math.sqrt(dx * dx + dy * dy + dz * dz)
    scale = length / distance if distance > 0 else 0.0
    return hx + dx * scale, hy + dy * scale, hz + dz * scale
