"""Arithmetic on the components of short vectors: one array per component, in any namespace.

Nothing here branches on data or assigns into arrays, so that the result can be traced and
differentiated; square roots and quotients are guarded so that gradients stay finite at zero.
"""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any, TypeAlias

import numpy as np

from ligament.transforms.namespace import Array, epsilon

Components: TypeAlias = tuple[Array, ...]


def split(array: Array, count: int) -> Components:
    """Split the last axis into its `count` components."""
    if array.ndim == 0 or array.shape[-1] != count:
        raise ValueError(
            f"found an array of shape {tuple(array.shape)}; "
            f"its last axis must have {count} components"
        )
    return tuple(array[..., i] for i in range(count))


def join(xp: Any, *parts: Array) -> Array:
    """Join components in a new last axis, broadcasting them."""
    if xp is not np:
        return xp.stack(xp.broadcast_arrays(*parts), axis=-1)
    # On single quaternions np.stack costs four times as much; on large arrays both are equal.
    out = np.empty((*np.broadcast(*parts).shape, len(parts)), dtype=parts[0].dtype)
    for i, part in enumerate(parts):
        out[..., i] = part
    return out


def inner(a: Components, b: Components) -> Array:
    """Inner product."""
    return reduce(add, [x * y for x, y in zip(a, b, strict=True)])


def cross(a: Components, b: Components) -> Components:
    """Vector product a × b."""
    (ax, ay, az), (bx, by, bz) = a, b
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


def hamilton(a: Components, b: Components) -> Components:
    """Quaternion product: first b, then a."""
    (ax, ay, az, aw), (bx, by, bz, bw) = a, b
    return (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )


def select(xp: Any, condition: Array, a: Components, b: Components) -> Components:
    """Components of a where the condition holds, else of b."""
    return tuple(xp.where(condition, x, y) for x, y in zip(a, b, strict=True))


def root(xp: Any, square: Array) -> Array:
    """Square root; its gradient at zero is zero, where the true one is infinite."""
    if xp is np:
        return np.sqrt(square)
    zero = square == 0
    return xp.where(zero, 0.0, xp.sqrt(xp.where(zero, 1.0, square)))


def largest(xp: Any, parts: Components) -> Array:
    """Largest absolute value among the components."""
    return reduce(xp.maximum, [xp.abs(part) for part in parts])


def unit(xp: Any, parts: Components) -> tuple[Components, Array]:
    """Vector of length one (zero stays zero), and the length; no square over- or underflows."""
    size = largest(xp, parts)
    zero = size == 0
    safe = xp.where(zero, 1.0, size)
    parts = tuple(part / safe for part in parts)
    ratio = xp.sqrt(xp.where(zero, 1.0, inner(parts, parts)))
    return tuple(part / ratio for part in parts), size * ratio


def sinc(xp: Any, square: Array) -> Array:
    """sin(x)/x from x²; the series keeps its derivatives exact where the quotient loses them."""
    # The first term left out is x⁶/5040, so that below x² = ε^⅓ it is far under the rounding.
    small = square <= epsilon(xp, square) ** (1 / 3)
    x = xp.sqrt(xp.where(small, 1.0, square))
    return xp.where(small, 1 - square / 6 + square * square / 120, xp.sin(x) / x)


def cosine(xp: Any, square: Array) -> Array:
    """cos(x) from x², with a series near zero for the derivatives (left out: x⁶/720)."""
    small = square <= epsilon(xp, square) ** (1 / 3)
    x = xp.sqrt(xp.where(small, 1.0, square))
    return xp.where(small, 1 - square / 2 + square * square / 24, xp.cos(x))
