"""Lowest points of functions of one number, and of a direction in space."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_SAMPLES = 25
_ZOOMS = 7

FIRST_STEP = 0.1
LAST_STEP = 1e-5

_NO_COMPONENT = 1e-7


def lowest(function: Callable[[Floats], Floats], low: float, high: float) -> float:
    """Return where a function of numbers (G,) that falls and then rises is lowest."""
    for _ in range(_ZOOMS):
        places = np.linspace(low, high, _SAMPLES)
        best = int(np.argmin(function(places)))
        low, high = places[max(best - 1, 0)], places[min(best + 1, _SAMPLES - 1)]
    return float(places[best])


def across(axis: Floats) -> Floats:
    """Return two unit vectors (2, 3) that form right-handed axes with a unit vector (3,)."""
    x, y, z = axis.tolist()
    sign = math.copysign(1.0, z)
    a = -1.0 / (sign + z)
    b = x * y * a
    return np.array([[1 + sign * x * x * a, sign * b, -sign * x], [b, sign + y * y * a, -y]])


def upward(axis: Floats) -> Floats:
    """Return the same line (3,), towards +Y, without components that are only rounding."""
    clean = np.where(np.abs(axis) > _NO_COMPONENT, axis, 0.0)
    clean = clean / np.linalg.norm(clean)
    return np.asarray(-clean if clean[1] < 0 else clean)


def lowest_direction(
    function: Callable[[Floats], float], starts: Floats, *, hopeless: float = math.inf
) -> Floats:
    """Return the axis (3,) where a function is lowest, near the best of some (A, 3).

    Steps [rad] go to eight sides and become smaller where none leads down. No step is taken where
    the value is above `hopeless`.
    """
    direction = min(starts, key=function)
    value = function(direction)
    step = FIRST_STEP if value <= hopeless else 0.0
    angles = np.arange(8) * (np.pi / 4)
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    while step > LAST_STEP:
        tried = direction + step * circle @ across(direction)
        tried /= np.linalg.norm(tried, axis=1)[:, None]
        values = [function(other) for other in tried]
        best = int(np.argmin(values))
        if values[best] < value:
            direction, value = tried[best], values[best]
        else:
            step /= 3
    return upward(direction)
