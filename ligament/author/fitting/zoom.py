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
WORTHWHILE = 1e-4
"""A step must lower the value by this part; else shorter ones are tried."""

MOST_STARTS = 3
CLOSE = 1.3
"""Starts whose value is within this factor of the lowest may lead lower than that one."""

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
    """Return the axis (3,) where a function is lowest, near the best of some unit vectors (A, 3).

    No steps are taken from where the value is above `hopeless`.
    """
    values = np.array([function(start) for start in starts])
    chosen = _apart(starts, np.argsort(values, kind="stable"))
    bound = min(hopeless, CLOSE * values[chosen[0]])
    walked = [_descended(function, starts[i], values[i]) for i in chosen if values[i] <= bound]
    best = min(walked, key=lambda place: place[1])[0] if walked else starts[chosen[0]]
    return upward(best)


def _apart(starts: Floats, order: npt.NDArray[np.int64]) -> list[int]:
    """Return the first few, by index, that are not close to one before."""
    chosen: list[int] = []
    for i in order.tolist():
        if all(abs(starts[i] @ starts[j]) < math.cos(FIRST_STEP) for j in chosen):
            chosen.append(i)
        if len(chosen) == MOST_STARTS:
            break
    return chosen


def _descended(
    function: Callable[[Floats], float], start: Floats, value: float
) -> tuple[Floats, float]:
    """Walk down from a direction; steps [rad] go to eight sides, and shorten where none helps."""
    angles = np.arange(8) * (np.pi / 4)
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    direction, step = start, FIRST_STEP
    while step > LAST_STEP:
        tried = direction + step * circle @ across(direction)
        tried /= np.linalg.norm(tried, axis=1)[:, None]
        values = [function(other) for other in tried]
        best = int(np.argmin(values))
        if values[best] < value * (1 - WORTHWHILE):
            direction, value = tried[best], values[best]
        else:
            step /= 4
    return direction, value
