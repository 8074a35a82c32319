"""Lowest points of functions of one number, and of a direction in space."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_SAMPLES = 25
_ZOOMS = 7

FIRST_STEP = 0.1
LAST_STEP = 1e-5


def lowest(function: Callable[[Floats], Floats], low: float, high: float) -> float:
    """Return where a function of numbers (G,) that falls and then rises is lowest."""
    for _ in range(_ZOOMS):
        places = np.linspace(low, high, _SAMPLES)
        best = int(np.argmin(function(places)))
        low, high = places[max(best - 1, 0)], places[min(best + 1, _SAMPLES - 1)]
    return float(places[best])


def lowest_direction(function: Callable[[Floats], float], start: Floats) -> Floats:
    """Return the unit vector near `start` where a function is lowest, as far as steps lead.

    Steps [rad] go to eight sides and become smaller where none leads down.
    """
    direction, value, step = start, function(start), FIRST_STEP
    angles = np.arange(8) * (np.pi / 4)
    while step > LAST_STEP:
        side = np.cross(direction, np.eye(3)[np.argmin(np.abs(direction))])
        side /= np.linalg.norm(side)
        sides = np.outer(np.cos(angles), side) + np.outer(np.sin(angles), np.cross(direction, side))
        tried = direction + step * sides
        tried /= np.linalg.norm(tried, axis=1)[:, None]
        values = [function(other) for other in tried]
        best = int(np.argmin(values))
        if values[best] < value:
            direction, value = tried[best], values[best]
        else:
            step /= 3
    return direction
