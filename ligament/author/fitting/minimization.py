"""Minimisation of unimodal functions of one variable and of functions of a direction."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ligament.arrays import Floats, Ints

_SAMPLES = 13
_REFINEMENTS = 9

FIRST_STEP = 0.1
LAST_STEP = 1e-5
WORTHWHILE = 1e-4
"""A step must lower the value by this fraction; otherwise shorter ones are tried."""

MOST_STARTS = 3
CLOSE = 1.3
"""Starts within this factor of the lowest value are refined too."""

_NO_COMPONENT = 1e-7
_MOST_STEPS = 100


def lowest(function: Callable[[Floats], Floats], low: Floats, high: Floats) -> Floats:
    """Return the arguments (B,) that minimise unimodal functions, each between two bounds (B,).

    The functions are evaluated together, at several arguments each (B, G).
    """
    rows = np.arange(len(low))
    parts = np.linspace(0, 1, _SAMPLES)
    for _ in range(_REFINEMENTS):
        places = low[:, None] + (high - low)[:, None] * parts
        best = function(places).argmin(axis=1)
        low, high = places[rows, best - (best > 0)], places[rows, best + (best < _SAMPLES - 1)]
    return np.asarray(places[rows, best])


def across(axes: Floats) -> Floats:
    """Return the two unit vectors (B, 2, 3) that complete unit vectors (B, 3) to right-handed axes.

    The method needs no branches or square roots (Duff et al. 2017).
    """
    x, y, z = axes.T
    sign = np.copysign(1.0, z)
    a = -1.0 / (sign + z)
    b = x * y * a
    first = np.stack([1 + sign * x * x * a, sign * b, -sign * x], axis=1)
    return np.stack([first, np.stack([b, sign + y * y * a, -y], axis=1)], axis=1)


def upward(axis: Floats) -> Floats:
    """Return the same axis (3,), pointing towards +Y, without rounding errors in its components."""
    clean = np.where(np.abs(axis) > _NO_COMPONENT, axis, 0.0)
    clean = clean / np.linalg.norm(clean)
    return np.asarray(-clean if clean[1] < 0 else clean)


def lowest_direction(
    function: Callable[[Floats], Floats], starts: Floats, *, cutoff: float = math.inf
) -> Floats:
    """Return the axis (3,) that minimises a function, starting at the best of (A, 3) unit vectors.

    The function is given many axes at a time. Starts with a value above `cutoff` are not refined.
    """
    values = function(starts)
    chosen = _distinct(starts, np.argsort(values, kind="stable"))
    bound = min(cutoff, CLOSE * values[chosen[0]])
    chosen = [i for i in chosen if values[i] <= bound] or chosen[:1]
    if values[chosen[0]] > cutoff:
        return upward(starts[chosen[0]])
    return upward(_descended(function, starts[chosen], values[chosen]))


def _distinct(starts: Floats, order: Ints) -> list[int]:
    """Return the indices of the first few starts that are not close to an earlier one."""
    chosen: list[int] = []
    for i in order.tolist():
        if all(abs(starts[i] @ starts[j]) < math.cos(FIRST_STEP) for j in chosen):
            chosen.append(i)
        if len(chosen) == MOST_STARTS:
            break
    return chosen


def _descended(function: Callable[[Floats], Floats], directions: Floats, values: Floats) -> Floats:
    """Descend from directions (S, 3) with values (S,) by pattern search; return the lowest one.

    Steps [rad] are tried in eight directions, and shortened where none of them helps.
    """
    angles = np.arange(8) * (np.pi / 4)
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    rows, step = np.arange(len(directions)), np.full(len(directions), FIRST_STEP)
    for _ in range(_MOST_STEPS):
        tried = directions[:, None] + step[:, None, None] * (circle @ across(directions))
        tried /= np.linalg.norm(tried, axis=2)[..., None]
        reached = function(tried.reshape(-1, 3)).reshape(-1, 8)
        best = reached.argmin(axis=1)
        is_lower = reached[rows, best] < values * (1 - WORTHWHILE)
        directions = np.where(is_lower[:, None], tried[rows, best], directions)
        values = np.where(is_lower, reached[rows, best], values)
        step = np.where(is_lower, step, step / 4)
        if step.max() < LAST_STEP:
            break
    return np.asarray(directions[values.argmin()])
