"""Compiled spherical interpolation: one pass over the tracks for every frame.

Every result takes the operations of `rig.motion.slerp` in the same order, each rounded by itself,
and so has the same bits. This module imports no constants: Numba's disk cache is keyed by the text
of one module.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ligament.rig.compiled.jit import exact, exact_inlined, frozen


def measure(versine: Any, factors: Any, ratio: Any, square: Any) -> None:
    """Write θ / sin θ and θ² of angles with given versines, all of one shape, contiguous.

    `factors` are the coefficients of the first as a power series in the versine.
    """
    _measure(versine.reshape(-1), factors, ratio.reshape(-1), square.reshape(-1))


def largest(squares: Any, left: Any, share: Any) -> float:
    """Return the largest of `squares` (K − 1, T) at `left` (F,), times the squares of `share` (F,).

    It is at least 0, and NaN if any is.
    """
    return float(_largest(squares, left, share).max(initial=0))


def interpolate(rotations: Any, left: Any, share: Any, factors: Any, out: Any, first: int) -> None:
    """Write rotations at fractions `share` (F,) after keys `left` (F,) to `out` (4, frames, T).

    They go to frames `first` on. `factors` are the coefficients of cosine and sine.
    """
    keys, angles = rotations
    _interpolate(frozen(keys), angles, left, share, factors, out, first)


@exact
def _measure(versine: Any, factors: Any, ratio: Any, square: Any) -> None:
    two = versine.dtype.type(2)
    for i in range(len(versine)):
        value = _series(versine[i], factors)
        ratio[i] = value
        square[i] = (two - versine[i]) * versine[i] * value * value


@exact
def _largest(squares: Any, left: Any, share: Any) -> Any:
    """Return the largest of every track (T,): that is one vector operation a frame."""
    found = np.zeros(squares.shape[1], squares.dtype)
    for frame in range(len(left)):
        row, square = squares[left[frame]], share[frame] * share[frame]
        for i in range(len(row)):
            value, before = row[i] * square, found[i]
            found[i] = value if value > before or value != value else before
    return found


@exact
def _interpolate(
    keys: Any, angles: Any, left: Any, share: Any, factors: Any, out: Any, first: int
) -> None:
    cosines, sines = factors
    to_start, to_end = np.empty_like(keys[0, 0]), np.empty_like(keys[0, 0])
    for frame in range(len(left)):
        at, part = left[frame], share[frame]
        square = part * part
        squares, ratio, cosine = angles[0, at], angles[1, at], angles[2, at]
        for i in range(len(squares)):
            variable = squares[i] * square
            weight = _series(variable, sines) * (ratio[i] * part)
            to_end[i] = weight
            to_start[i] = _series(variable, cosines) - cosine[i] * weight
        for component in range(4):  # one at a time: checks for overlap cost more than loads
            start, end = keys[component, at], keys[component, at + 1]
            row = out[component, first + frame]
            for i in range(len(row)):
                row[i] = start[i] * to_start[i] + end[i] * to_end[i]


@exact_inlined
def _series(variable: Any, factors: Any) -> Any:
    """Evaluate a power series, unrolled: the length of a tuple is part of its type."""
    value = variable * factors[len(factors) - 1]
    for i in range(len(factors) - 2, 0, -1):
        value = (value + factors[i]) * variable
    return value + factors[0]
