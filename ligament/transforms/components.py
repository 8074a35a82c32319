"""Components of short vectors, one array each, in the array namespace of the call.

Nothing here branches on data or assigns into arrays, so that the result can be traced and
differentiated; square roots and quotients are guarded so that gradients stay finite at zero.
"""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ligament.arrays import Array as Array  # passed on by the transforms

if TYPE_CHECKING:
    from collections.abc import Sequence

_HOST_TYPES = (np.ndarray, np.generic, int, float, list, tuple)


def namespace(*arrays: Array) -> Any:
    """Return the array namespace of the arguments: NumPy unless one is of another library.

    Raise TypeError for non-arrays, and if arrays of two other libraries are mixed.
    """
    foreign = _foreign(arrays)
    if not foreign:
        return np
    from array_api_compat import array_namespace

    return array_namespace(*foreign)


def floats(*values: Array) -> tuple[Any, Sequence[Array]]:
    """Return the namespace, and the values as arrays of one floating dtype on one device.

    The dtype is that of the floating arrays among them (promoted where they differ); numbers and
    lists never widen it, nor do NumPy arrays next to arrays of another library.
    """
    xp = namespace(*values)
    return xp, (_host_floats(values) if xp is np else _device_floats(xp, values))


def epsilon(xp: Any, array: Array) -> float:
    """Return the distance from one to the next number of the array's dtype."""
    return float(xp.finfo(array.dtype).eps)


def cast_like(array: Array, constant: np.ndarray[Any, np.dtype[Any]]) -> Any:
    """Return a constant in the dtype of a NumPy array, so that it does not widen float32.

    With arrays of other libraries `floats` takes care of the dtype and the device.
    """
    is_host = isinstance(array, np.ndarray) and array.dtype.kind == "f"
    return constant.astype(array.dtype, copy=False) if is_host else constant


def on_host(array: Array) -> np.ndarray[Any, np.dtype[Any]]:
    """Return an array of any library and device as a NumPy array."""
    for method in ("cpu", "get"):  # torch, CuPy
        if hasattr(array, method):
            array = getattr(array, method)()
    return np.asarray(array)


def _foreign(values: Sequence[Array]) -> list[Array]:
    return [value for value in values if not isinstance(value, _HOST_TYPES)]


def _host_floats(values: Sequence[Array]) -> list[np.ndarray[Any, np.dtype[Any]]]:
    dtypes = {v.dtype for v in values if isinstance(v, np.ndarray) and v.dtype.kind == "f"}
    dtype = np.result_type(*dtypes) if dtypes else np.dtype(np.float64)
    return [np.asarray(value, dtype=dtype) for value in values]


def _device_floats(xp: Any, values: Sequence[Array]) -> list[Array]:
    from array_api_compat import device, is_jax_namespace

    foreign = _foreign(values)
    dtypes = [v.dtype for v in foreign if xp.isdtype(v.dtype, "real floating")]
    # result_type even for float64 alone: JAX without 64-bit types returns its float32.
    dtype = xp.result_type(*dtypes) if dtypes else xp.result_type(xp.float64)
    # JAX moves constants to the device of other operands, and traced arrays have no device.
    place = {} if is_jax_namespace(xp) else {"device": device(foreign[0])}

    def convert(value: Array) -> Array:
        if not isinstance(value, _HOST_TYPES):
            return value if value.dtype == dtype else xp.astype(value, dtype)
        # A fresh copy: torch refuses negative strides and warns about read-only memory.
        return xp.asarray(np.array(value, dtype=np.float64), dtype=dtype, **place)

    return [convert(value) for value in values]


Components: TypeAlias = tuple[Array, ...]

_DOUBLE = np.dtype(np.float64)


def is_single(vector: Array, count: int) -> bool:
    """Tell whether this is one vector of double precision on the host.

    Plain numbers give the same bits there in a fraction of the time.
    """
    return type(vector) is np.ndarray and vector.shape == (count,) and vector.dtype is _DOUBLE


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
    """Return the inner product."""
    return reduce(add, [x * y for x, y in zip(a, b, strict=True)])


def cross(a: Components, b: Components) -> Components:
    """Return the vector product a × b."""
    (ax, ay, az), (bx, by, bz) = a, b
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


def hamilton(a: Components, b: Components) -> Components:
    """Return the quaternion product: first b, then a."""
    (ax, ay, az, aw), (bx, by, bz, bw) = a, b
    return (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )


def select(xp: Any, condition: Array, a: Components, b: Components) -> Components:
    """Return components of a where the condition holds, else of b."""
    return tuple(xp.where(condition, x, y) for x, y in zip(a, b, strict=True))


def root(xp: Any, square: Array) -> Array:
    """Return the square root; its gradient at zero is zero, where the true one is infinite."""
    if xp is np:
        return np.sqrt(square)
    zero = square == 0
    return xp.where(zero, 0.0, xp.sqrt(xp.where(zero, 1.0, square)))


def largest(xp: Any, parts: Components) -> Array:
    """Return the largest absolute value among the components."""
    return reduce(xp.maximum, [xp.abs(part) for part in parts])


def unit(xp: Any, parts: Components) -> tuple[Components, Array]:
    """Return the unit vector (zero stays zero) and the length; no square over- or underflows."""
    size = largest(xp, parts)
    zero = size == 0
    safe = xp.where(zero, 1.0, size)
    parts = tuple(part / safe for part in parts)
    ratio = xp.sqrt(xp.where(zero, 1.0, inner(parts, parts)))
    return tuple(part / ratio for part in parts), size * ratio


def sinc(xp: Any, square: Array) -> Array:
    """Return sin(x)/x from x²; a series keeps derivatives exact where the quotient loses them."""
    # The first term left out is x⁶/5040, so that below x² = ε^⅓ it is far under the rounding.
    small = square <= epsilon(xp, square) ** (1 / 3)
    x = xp.sqrt(xp.where(small, 1.0, square))
    return xp.where(small, 1 - square / 6 + square * square / 120, xp.sin(x) / x)


def cosine(xp: Any, square: Array) -> Array:
    """Return cos(x) from x², with a series near zero for the derivatives (left out: x⁶/720)."""
    small = square <= epsilon(xp, square) ** (1 / 3)
    x = xp.sqrt(xp.where(small, 1.0, square))
    return xp.where(small, 1 - square / 2 + square * square / 24, xp.cos(x))
