"""Array namespace of a call, and its arguments as arrays of one floating dtype."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

Array: TypeAlias = Any
"""An array of any library, or what NumPy can turn into one (a number, a nested list)."""

_HOST_TYPES = (np.ndarray, np.generic, int, float, list, tuple)


def namespace(*arrays: Array) -> Any:
    """Module with the array functions of the arguments: NumPy unless one is of another library.

    Raises TypeError for what is no array and where the arrays of two other libraries meet.
    """
    foreign = _foreign(arrays)
    if not foreign:
        return np
    from array_api_compat import array_namespace

    return array_namespace(*foreign)


def floats(*values: Array) -> tuple[Any, Sequence[Array]]:
    """Namespace of the values, and the values as arrays of one floating dtype on one device.

    The dtype is that of the floating arrays among them (promoted where they differ); numbers and
    lists never widen it, NumPy arrays do not where another library's array leads.
    """
    xp = namespace(*values)
    return xp, (_host_floats(values) if xp is np else _device_floats(xp, values))


def epsilon(xp: Any, array: Array) -> float:
    """Distance from one to the next number of the array's dtype."""
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
    # result_type also of a lone float64: JAX without 64 bits answers with its float32.
    dtype = xp.result_type(*dtypes) if dtypes else xp.result_type(xp.float64)
    # Constants of JAX follow the arrays that they meet, and traced arrays have no device.
    place = {} if is_jax_namespace(xp) else {"device": device(foreign[0])}

    def convert(value: Array) -> Array:
        if not isinstance(value, _HOST_TYPES):
            return value if value.dtype == dtype else xp.astype(value, dtype)
        # A fresh copy: torch refuses negative strides and warns of read-only memory.
        return xp.asarray(np.array(value, dtype=np.float64), dtype=dtype, **place)

    return [convert(value) for value in values]
