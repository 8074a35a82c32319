"""Constants, indices and rows on the device of other arrays, in any library."""

from __future__ import annotations

from typing import Any

import numpy as np

from ligament.arrays import Indices
from ligament.transforms.components import Array


def take(xp: Any, array: Array, rows: Indices, axis: int) -> Array:
    """Return some rows of an array along an axis."""
    if xp is np:
        return np.take(array, rows, axis=axis)
    from array_api_compat import device, is_jax_namespace

    place = {} if is_jax_namespace(xp) else {"device": device(array)}
    return xp.take(array, xp.asarray(rows, **place), axis=axis)


def zeros(xp: Any, like: Array, shape: tuple[int, ...]) -> Array:
    """Return zeros on the device and in the dtype of another array."""
    return xp.zeros(shape, dtype=like.dtype, **_place(xp, like))


def on_device(xp: Any, like: Array, indices: Any) -> Array:
    """Return indices or booleans on the device of an array."""
    return indices if xp is np or hasattr(like, "at") else xp.asarray(indices, **_place(xp, like))


def _place(xp: Any, like: Array) -> dict[str, Any]:
    if xp is np or hasattr(like, "at"):
        return {}
    from array_api_compat import device

    return {"device": device(like)}


def constant(xp: Any, like: Array, values: Any) -> Array:
    """Return a constant on the device of another array, in its dtype unless boolean."""
    kind = {} if values.dtype == bool else {"dtype": like.dtype}
    return xp.asarray(values, **kind, **_place(xp, like))
