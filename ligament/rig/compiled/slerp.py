"""Compiled spherical interpolation: one pass over the tracks for every frame.

Every result takes the operations of `rig.motion.slerp` in the same order, each rounded by itself,
and so has the same bits. This module imports no constants: Numba's disk cache is keyed by the text
of one module.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ligament.rig.compiled.jit import exact, exact_inlined, frozen

LANES = 8
"""Numbers in a vector, of the widest processors in float64."""


def dot(keys: Any, first: int, cosine: Any, versine: Any) -> None:
    """Write the inner products (n, T) of neighbours among `keys` (4, K, T), from `first` on.

    And 1 minus their absolute values.
    """
    values, tracks = frozen(_flat(keys)), keys.shape[2]
    _dot(values, first * tracks, tracks, cosine.reshape(-1), versine.reshape(-1))


def measure(versine: Any, factors: Any, cosine: Any, ratio: Any, square: Any) -> None:
    """Write θ / sin θ, with the sign of cos θ, and θ² (n, T) of angles.

    `factors` are the coefficients of the first as a power series in the versine.
    """
    _measure(factors, *(array.reshape(-1) for array in (versine, cosine, ratio, square)))


def largest(squares: Any, left: Any, share: Any) -> float:
    """Return the largest of `squares` (K − 1, T) at `left` (F,), times the squares of `share` (F,).

    It is at least 0, and NaN if any is.
    """
    return float(_largest(squares, left, share).max(initial=0))


def interpolate(rotations: Any, left: Any, share: Any, factors: Any, out: Any, first: int) -> None:
    """Write rotations at fractions `share` (F,) after keys `left` (F,) to `out` (4, frames, T).

    They go to frames `first` on. `factors` are the coefficients of cosine and sine.
    """
    keys, angles, tracks = *map(_flat, rotations), out.shape[2]
    _interpolate(frozen(keys), angles, tracks, left, share, factors, _flat(out), first)


def _flat(array: Any) -> Any:
    """Return a view (n, m · T) of an array (n, m, T)."""
    return array.reshape(len(array), array[0].size)


@exact
def _dot(keys: Any, first: int, tracks: int, cosine: Any, versine: Any) -> None:
    one, last = versine.dtype.type(1), first + len(versine)
    a, b = keys[0][first:last], keys[1][first:last]
    c, d = keys[2][first:last], keys[3][first:last]
    first, last = first + tracks, last + tracks
    x, y = keys[0][first:last], keys[1][first:last]
    z, w = keys[2][first:last], keys[3][first:last]
    for i in range(len(versine)):
        value = a[i] * x[i] + b[i] * y[i] + c[i] * z[i] + d[i] * w[i]
        cosine[i] = value
        versine[i] = one - abs(value)


@exact
def _measure(factors: Any, versine: Any, cosine: Any, ratio: Any, square: Any) -> None:
    two = versine.dtype.type(2)
    for i in range(len(versine)):
        value = _series(versine[i], factors)
        ratio[i] = -value if cosine[i] < 0 else value
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
    keys: Any,
    angles: Any,
    tracks: int,
    left: Any,
    share: Any,
    factors: Any,
    out: Any,
    first: int,
) -> None:
    """Interpolate rows of tracks, each rounded up to whole vectors, on flat arrays.

    The excess is the first tracks of the next row, which is written right after. So the last frame
    has none, nor have those before the last key, whose arrays end there.
    """
    cosines, sines = factors
    whole = tracks if tracks < LANES else (tracks + LANES - 1) // LANES * LANES
    to_start, to_end = np.empty(whole, keys.dtype), np.empty(whole, keys.dtype)
    for frame in range(len(left)):
        row, part = left[frame] * tracks, share[frame]
        over, goal = row + tracks, (first + frame) * tracks
        has_next = frame + 1 < len(left) and over + tracks < keys.shape[1]
        count = whole if has_next else tracks
        square = part * part
        squares, ratio = angles[0][row : row + count], angles[1][row : row + count]
        cosine = angles[2][row : row + count]
        for i in range(count):
            variable = squares[i] * square
            weight = _series(variable, sines) * (ratio[i] * part)
            to_end[i] = weight
            to_start[i] = _series(variable, cosines) - cosine[i] * weight
        for component in range(4):  # one at a time: checks for overlap cost more than loads
            start, end = keys[component][row : row + count], keys[component][over : over + count]
            result = out[component][goal : goal + count]
            for i in range(count):
                result[i] = start[i] * to_start[i] + end[i] * to_end[i]


@exact_inlined
def _series(variable: Any, factors: Any) -> Any:
    """Evaluate a power series, unrolled: the length of a tuple is part of its type."""
    value = variable * factors[len(factors) - 1]
    for i in range(len(factors) - 2, 0, -1):
        value = (value + factors[i]) * variable
    return value + factors[0]
