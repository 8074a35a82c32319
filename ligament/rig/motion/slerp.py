"""Spherical interpolation of many rotation tracks at once, in NumPy.

Keys are (4, K, T): components, keys, tracks, so that a component at one time is contiguous over all
tracks. Between two keys at an angle θ, at a fraction s,

    q = (cos sθ − cos θ · w)·start + w·end,    w = s · θ / sin θ · sin sθ / sθ,

where terms that depend only on the keys are precomputed. All functions of an angle are power series
with as many terms as the largest angle needs to be exact to rounding: neighbouring keys are usually
close, so few suffice. NumPy's own float64 sines, cosines and arc cosines take far longer. cos sθ
and sin sθ / sθ are series in (sθ)²; a right angle, the farthest there is on the short side, needs
eleven terms. θ / sin θ is a series in the versine, 1 − cos θ, and θ² follows from it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ligament.arrays import Floats, Indices
from ligament.rig.compiled import DeferredLoops

Array = npt.NDArray[Any]
BLOCK = 1 << 18
"""Bytes of the arrays processed at a time.

They fit in cache, and the work outweighs the call overhead. No threads: they gain little here, and
lose much while other programs keep the cores busy.
"""

_COSINE, _SINE = (
    tuple((-1) ** k / math.factorial(2 * k + odd) for k in range(12)) for odd in (0, 1)
)
"""Coefficients of the powers of x² in cos x and in sin x / x."""

_RATIO = tuple(2**k / (k * math.comb(2 * k, k)) for k in range(1, 14))
"""Coefficients of the powers of the versine of θ in θ / sin θ."""

NEAR = 0.08
"""Largest versine that `_RATIO` covers, of 23 degrees; larger angles are halved first."""

MOST_HALVINGS = 2
"""Number of halvings that a right angle needs."""

LOOPS = DeferredLoops("slerp")
"""Compiled loops with the bits of the functions here."""

BYTE_SECONDS = 4e-10
"""Time [s] for each byte that is interpolated without them."""

COMPILED = tuple(map(np.dtype, ("float32", "float64")))
"""Dtypes of compiled loops, in the byte order of this machine."""

FEW = 6
"""Number of terms that compiled loops evaluate unless they need more, and then all."""


class RotationKeys(NamedTuple):
    """Rotation keys (4, K, T), and θ², ±θ/sin θ and ±cos θ (3, K − 1, T) of the angles between.

    The sign is that of the inner product: interpolation takes the short arc.
    """

    keys: Array
    angles: Array


def prepare(values: Array) -> RotationKeys:
    """Prepare rotation keys (T, 4, K) for interpolation."""
    keys = np.ascontiguousarray(values.transpose(1, 2, 0))
    angles = np.empty((3, keys.shape[1] - 1, keys.shape[2]), keys.dtype)
    loops = _loops(angles)
    for block in blocks(angles):
        _measure(keys, block.start, angles[:, block], loops)
    return RotationKeys(keys, angles)


def _loops(array: Array) -> Any:
    """Return the compiled loops if they are worth loading to fill an array, else None."""
    return LOOPS.after(array.nbytes * BYTE_SECONDS) if array.dtype in COMPILED else None


def _measure(keys: Array, first: int, out: Array, loops: Any) -> None:
    """Measure the angles between keys from `first` on."""
    square, ratio, cosine = out
    versine = np.empty_like(cosine)
    if loops is None:
        _dot(keys[:, first : first + len(cosine) + 1], cosine, versine)
    else:
        loops.dot(keys, first, cosine, versine)
    largest = float(versine.max(initial=0))
    if loops is not None and largest <= NEAR:
        factors = _padded(_RATIO, _terms(_RATIO, largest, versine.dtype), versine.dtype)
        loops.measure(versine, factors, cosine, ratio, square)
        return
    _divide_by_sine(versine, largest, ratio)
    np.subtract(2, versine, out=square)  # θ² = (θ / sin θ)² · (1 − cos θ)(1 + cos θ)
    square *= versine
    square *= ratio
    square *= ratio
    is_long = cosine < 0
    if is_long.any():
        np.negative(ratio, out=ratio, where=is_long)


def _dot(keys: Array, cosine: Array, versine: Array) -> None:
    """Compute the inner products (K − 1, T) of neighbours, and 1 minus their absolute values."""
    start, end = keys[:, :-1], keys[:, 1:]
    np.multiply(start[0], end[0], out=cosine)
    for i in range(1, 4):  # not einsum, which may fuse multiplications and additions
        cosine += np.multiply(start[i], end[i], out=versine)
    np.abs(cosine, out=versine)
    np.subtract(1, versine, out=versine)


def _divide_by_sine(versine: Array, largest: float, out: Array) -> None:
    """Compute θ / sin θ (K, T) from versines of up to 1.

    The ratio equals that of half the angle, divided by the cosine of the half.
    """
    halves: list[Array] = []
    while not largest <= NEAR and len(halves) < MOST_HALVINGS:
        half = np.sqrt(1 - versine / 2)
        halves.append(half)
        versine = versine / (2 + 2 * half)
        largest = float(versine.max(initial=0))
    terms = _terms(_RATIO, largest, versine.dtype)
    _evaluate(versine, np.array(_RATIO[:terms]), out)
    for half in halves:
        out /= half


def interpolate(
    rotations: RotationKeys, left: Indices, share: Floats, out: Array | None = None, first: int = 0
) -> Array:
    """Return the rotations (4, F, T) at fractions `share` (F,) from keys `left` (F,) on.

    They are written to frames `first` on of `out` (4, frames, T), if that is given.
    """
    keys = rotations.keys
    out = np.empty((4, len(left), keys.shape[2]), keys.dtype) if out is None else out
    part, target = share.astype(keys.dtype), out[:, first : first + len(left)]
    loops = _loops(target)
    for block in blocks(target):
        if loops is None:
            _interpolate(rotations, left[block], part[block], target[:, block])
        else:
            start = first + block.start
            _interpolate_compiled(loops, rotations, left[block], part[block], out, start)
    return out


def _interpolate(rotations: RotationKeys, left: Indices, share: Array, out: Array) -> None:
    """Interpolate one block."""
    keys, angles = rotations
    to_start, to_end = _weights(angles, left, share[:, None])
    right, end = left + 1, np.empty_like(to_end)
    for i in range(4):
        # Not the default mode, which would buffer the result; the indices are in range anyway.
        here = keys[i].take(left, axis=0, out=out[i], mode="clip")
        here *= to_start
        keys[i].take(right, axis=0, out=end, mode="clip")
        end *= to_end
        here += end


def _interpolate_compiled(
    loops: Any, rotations: RotationKeys, left: Indices, share: Array, out: Array, first: int
) -> None:
    """Interpolate one block in compiled loops."""
    keys, angles = rotations
    terms = _terms(_COSINE, loops.largest(angles[0], left, share), keys.dtype)
    factors = tuple(_padded(series, terms, keys.dtype) for series in (_COSINE, _SINE))
    loops.interpolate(rotations, left, share, factors, out, first)


def _weights(angles: Array, left: Indices, share: Array) -> Array:
    """Return weights (2, F, T) of both ends at fractions (F, 1) after keys `left` (F,)."""
    square, ratio, cosine = angles.take(left, axis=1)
    square *= share * share
    weights = np.empty((2, *square.shape), square.dtype)
    terms = _terms(_COSINE, float(square.max(initial=0)), square.dtype)
    _evaluate(square, np.array([_COSINE[:terms], _SINE[:terms]]).T, weights)
    to_start, to_end = weights
    ratio *= share
    to_end *= ratio
    cosine *= to_end
    to_start -= cosine
    return weights


def _evaluate(variable: Array, factors: Array, out: Array) -> None:
    """Evaluate power series of (F, T) with one or n sets of coefficients: (F, T) or (n, F, T)."""
    series = factors[..., None, None].astype(variable.dtype)
    np.multiply(variable, series[-1], out=out)
    for factor in series[-2:0:-1]:
        out += factor
        out *= variable
    out += series[0]


def _terms(factors: Sequence[float], largest: float, dtype: Any) -> int:
    """Count the leading terms that change a sum by more than rounding."""
    least = float(np.finfo(dtype).eps) / 4
    for count in range(2, len(factors)):
        if abs(factors[count]) * largest**count < least:
            return count
    return len(factors)  # a NaN must not spoil its neighbours


@cache
def _padded(factors: tuple[float, ...], terms: int, dtype: Any) -> tuple[Any, ...]:
    """Return the first coefficients, then zeros up to a length that loops are compiled for.

    Horner's scheme stays at zero through them, so that they change no bits of what is finite.
    """
    result = np.array(factors[: FEW if terms <= FEW else None], dtype)
    result[terms:] = 0
    return tuple(result)


def blocks(array: Array) -> list[slice]:
    """Split the middle axis of (4, F, T) into parts processed at a time."""
    _, length, tracks = array.shape
    step = max(1, BLOCK // max(1, tracks * array.itemsize))
    return [slice(start, start + step) for start in range(0, length, step)]
