"""Spring bone formulas for many joints of many avatars at once.

Vectors are arrays (joints, 3, avatars). The frame of a joint is (joints, 3, 3, avatars): its three
axes, each a vector in the world, of which the second is the direction of the bone. With h the head,
x the tail, L the length, u the direction at rest under the parent as it is now:

    y = x + (1 − drag)·(x − x') + dt·(stiffness·u + gravity),   x'' = h + L·unit(y − h)

Then colliders push the tail out one after another, and the length is restored after each. The joint
is rotated by the shortest rotation from u to the new direction.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ligament.transforms.components import Array

OPPOSITE = 1e-14
"""1 + u·v below which two directions are opposite: half a turn about the first axis."""

LEAST = 1e-30
"""Squared length [m²] below which an offset has no direction."""


def put(array: Array, index: Any, values: Array) -> Array:
    """Return an array with some elements replaced, in place if it is writable."""
    if hasattr(array, "at"):  # JAX
        return array.at[index].set(values)
    array[index] = values
    return array


def positions(xp: Any, array: Array) -> Array:
    """Return indices along the last axis of an array, on its device."""
    if xp is np or hasattr(array, "at"):
        return np.arange(array.shape[-1])
    from array_api_compat import device

    return xp.arange(array.shape[-1], device=device(array))


def carried(xp: Any, constants: Array, frames: Array) -> Array:
    """Map coordinates (k, n, 3, avatars or 1) in frames (…) to vectors (…, k, n, 3, avatars)."""
    if xp is np and constants.shape[-1] == 1:
        flat = frames.reshape(*frames.shape[:-2], -1)
        product = np.matmul(constants[..., 0], flat)
        return product.reshape(*product.shape[:-1], 3, -1)
    parts = [constants[..., j, None, :] * frames[..., None, j, :, :] for j in range(3)]
    return parts[0] + parts[1] + parts[2]


def total(values: Array, axis: int) -> Array:
    """Sum over one of the last three axes, which has three elements."""
    behind = (slice(None),) * (-1 - axis)
    x, y, z = (values[(..., i, *behind)] for i in range(3))
    return x + y + z


def dots(a: Array, b: Array) -> Array:
    """Return inner products over the last axis but one."""
    products = a * b
    return products[..., 0, :] + products[..., 1, :] + products[..., 2, :]


def at_length(xp: Any, offset: Array, length: Array) -> Array:
    """Scale offsets (…, 3, avatars) to a length (…, avatars); zero stays zero."""
    square = dots(offset, offset)
    square = np.maximum(square, LEAST) if xp is np else xp.clip(square, LEAST, None)
    return offset * (length / xp.sqrt(square))[..., None, :]


def swung(xp: Any, rest: Array, direction: Array) -> tuple[Array, Array]:
    """Frames at rest rotated by the shortest rotation to new directions, and those seen from rest.

    For every axis w it is w − (u + v)·((u + v)·w)/(1 + u·v) + 2v·(u·w).
    """
    seen = dots(rest, direction[:, None, :, :])  # (k, 3, avatars)
    return swung_to(xp, rest, direction, seen), seen


def swung_to(xp: Any, rest: Array, direction: Array, seen: Array) -> Array:
    """Return rest frames rotated to directions whose coordinates in them are `seen`."""
    real = 1 + seen[:, 1, :]
    opposite = None
    if xp is not np or np.minimum.reduce(real, axis=None) < OPPOSITE:
        opposite = (real < OPPOSITE)[:, None, :]
        real = xp.where(opposite[:, 0, :], 1.0, real)
    middle = rest[:, 1, ...] + direction
    share = seen / real[:, None, :]
    frames = rest - share[:, :, None, :] * middle[:, None, ...]
    frames = put(frames, (slice(None), 1), direction)
    if opposite is not None:
        first = xp.where(opposite, rest[:, 0, ...], frames[:, 0, ...])
        third = xp.where(opposite, -rest[:, 2, ...], frames[:, 2, ...])
        frames = put(put(frames, (slice(None), 0), first), (slice(None), 2), third)
    return frames


def local_rotations(xp: Any, seen: Array, outer: Array) -> Array:
    """Local rotations (frames, J, 4, avatars) of joints whose directions seen from rest are given.

    `outer` (J, 4, 3) leads from the vector part without the second axis, and the real part, of the
    swing in the frame of the bone to the rotation of the node.
    """
    x, y, z = seen[..., 2, :], -seen[..., 0, :], 1 + seen[..., 1, :]
    square = x * x + y * y + z * z
    opposite = square < OPPOSITE**2
    if xp is not np or opposite.any():
        x, y, z, square = (
            xp.where(opposite, value, part)
            for value, part in ((1.0, x), (0.0, y), (0.0, z), (1.0, square))
        )
    scale = 1 / xp.sqrt(square)
    if xp is np:
        whole = np.empty(seen.shape, seen.dtype)
        for i, part in enumerate((x, y, z)):
            np.multiply(part, scale, out=whole[..., i, :])
        return np.matmul(outer, whole)
    parts = [part * scale for part in (x, y, z)]
    return sum(outer[:, :, i, None] * part[..., None, :] for i, part in enumerate(parts))


def limited(xp: Any, kind: str, seen: Array, angles: Array, rotation: Array) -> Array:
    """Directions (k, 3, avatars) in the frames of bones at rest, brought within limits.

    `angles` (k, 2, 1) are pitch and yaw [rad] or one angle twice; `rotation` (k, 3, 3, 1) has the
    axes of the limit as rows (VRMC_springBone_limit 1.0-draft).
    """
    x, y, z = (xp.sum(rotation[:, i, ...] * seen, axis=1) for i in range(3))
    first, second = angles[:, 0, :], angles[:, 1, :]
    if kind == "cone":
        across = xp.sqrt(x * x + z * z)
        nowhere = across == 0
        scale = xp.sin(first) / xp.where(nowhere, 1.0, across)
        side = xp.where(nowhere, xp.sin(first), z * scale)
        outside = y < xp.cos(first)
        x, z = xp.where(outside, x * scale, x), xp.where(outside, side, z)
        y = xp.where(outside, xp.cos(first) + xp.zeros_like(y), y)
    elif kind == "hinge":
        pitch = xp.clip(_pitch(xp, y, z), -first, first)
        x, y, z = xp.zeros_like(x), xp.cos(pitch), xp.sin(pitch)
    else:
        pitch = xp.clip(_pitch(xp, y, z), -first, first)
        yaw = xp.clip(xp.asin(xp.clip(x, -1.0, 1.0)), -second, second)
        x, y, z = xp.sin(yaw), xp.cos(yaw) * xp.cos(pitch), xp.cos(yaw) * xp.sin(pitch)
    parts = [rotation[:, i, ...] * part[:, None, :] for i, part in enumerate((x, y, z))]
    return parts[0] + parts[1] + parts[2]


def _pitch(xp: Any, y: Array, z: Array) -> Array:
    """Angle from +Y towards +Z; half a turn is on the +Z side, and along ±X it is 0."""
    return xp.where((y == 0) & (z == 0), 0.0, xp.atan2(xp.where(z == 0, 0.0, z), y))


def outside(center: Array, points: Array) -> Array:
    """Transform points (k, 3, avatars) from the space of a center (4, 3, avatars) to the world."""
    parts = [center[i, ...] * points[:, i, None, :] for i in range(3)]
    return parts[0] + parts[1] + parts[2] + center[3, ...]


def inside(xp: Any, center: Array, points: Array) -> Array:
    """Transform points (k, 3, avatars) from the world to the space of a center (4, 3, avatars)."""
    offset = points - center[3, ...]
    axes = [center[i, ...] for i in range(3)]
    crossed = [cross(xp, axes[(i + 1) % 3], axes[(i + 2) % 3]) for i in range(3)]
    volume = xp.sum(axes[0] * crossed[0], axis=0)
    volume = xp.where(volume == 0, 1.0, volume)
    return xp.stack([xp.sum(c * offset, axis=1) / volume for c in crossed], axis=1)


def cross(xp: Any, a: Array, b: Array) -> Array:
    """Return vector products (3, avatars)."""
    parts = (a[i, ...] * b[j, ...] - a[j, ...] * b[i, ...] for i, j in ((1, 2), (2, 0), (0, 1)))
    return xp.stack([*parts], axis=0)
