"""Spherical interpolation of many rotation tracks at once, in NumPy.

Keys are (4, K, T): components, keys, tracks, so that a component at one time lies side by side for
all tracks, and is gathered as a whole. Between two keys at an angle θ, at a share s,

    q = (cos sθ − cos θ · w)·start + w·end,    w = sin sθ / sin θ,

of which the terms of the keys alone are prepared once. Sine and cosine of sθ are sums of powers of
(sθ)², as many as its largest value needs to be exact to rounding: neighbouring keys are close as a
rule, and few do. A right angle, the farthest there is on the short side, needs eleven.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ligament.arrays import Floats, Indices

Array = npt.NDArray[Any]
BLOCK = 1 << 18
"""Bytes of the arrays that are worked on at a time.

They stay in cache, and work on one outweighs the call that starts it. No threads: they gain little
here, and lose much where other programs keep the cores busy.
"""

_SERIES = np.array([[(-1) ** k / math.factorial(2 * k + odd) for odd in (0, 1)] for k in range(12)])
"""Factors (12, 2) of the powers of x² in cos x and in sin x / x."""


class RotationKeys(NamedTuple):
    """Rotation keys (4, K, T), and θ, ±1/sin θ and ±cos θ (3, K − 1, T) of the angles between.

    The sign is that of the inner product: interpolation takes the short arc.
    """

    keys: Array
    angles: Array


def prepare(values: Array) -> RotationKeys:
    """Prepare rotation keys (T, 4, K)."""
    keys = np.ascontiguousarray(values.transpose(1, 2, 0))
    angles = np.empty((3, keys.shape[1] - 1, keys.shape[2]), keys.dtype)
    for block in blocks(angles):
        _measure(keys[:, :-1][:, block], keys[:, 1:][:, block], angles[:, block])
    return RotationKeys(keys, angles)


def _measure(start: Array, end: Array, out: Array) -> None:
    """Measure the angles between rotations (4, K, T).

    An angle below √ε is taken as √ε, which changes no weight by more than its rounding.
    """
    angle, inverse_sine, cosine = out
    np.einsum("ikt,ikt->kt", start, end, out=cosine)
    is_long = cosine < 0
    np.abs(cosine, out=cosine)
    np.minimum(cosine, 1 - float(np.finfo(out.dtype).eps) / 2, out=cosine)
    np.arccos(cosine, out=angle)
    np.subtract(1, cosine, out=inverse_sine)
    inverse_sine *= 1 + cosine
    np.sqrt(inverse_sine, out=inverse_sine)
    np.divide(1, inverse_sine, out=inverse_sine)
    if is_long.any():
        np.negative(out[1:], out=out[1:], where=is_long)


def interpolate(
    rotations: RotationKeys, left: Indices, share: Floats, out: Array | None = None
) -> Array:
    """Return the rotations (4, F, T) at fractions `share` (F,) from keys `left` (F,) on."""
    keys, angles = rotations
    out = np.empty((4, len(left), keys.shape[2]), keys.dtype) if out is None else out
    right, part = left + 1, share.astype(keys.dtype)[:, None]
    for block in blocks(out):
        to_start, to_end = _weights(angles, left[block], part[block])
        end = np.empty_like(to_end)
        for i in range(4):
            # Not the default mode, which would buffer the result; the indices are in range anyway.
            here = keys[i].take(left[block], axis=0, out=out[i, block], mode="clip")
            here *= to_start
            keys[i].take(right[block], axis=0, out=end, mode="clip")
            end *= to_end
            here += end
    return out


def _weights(angles: Array, left: Indices, share: Array) -> Array:
    """Weights (2, F, T) of both ends at fractions (F, 1) from keys `left` (F,) to the next."""
    angle, inverse_sine, cosine = angles.take(left, axis=1)
    angle *= share
    inverse_sine *= angle
    angle *= angle
    weights = _cosine_and_sine(angle)
    to_start, to_end = weights
    to_end *= inverse_sine
    cosine *= to_end
    to_start -= cosine
    return weights


def _cosine_and_sine(square: Array) -> Array:
    """Return cos x and sin x / x (2, F, T) of x² up to (π/2)², to rounding.

    NumPy's own sine and cosine of float64 take far longer than these sums and products.
    """
    series = _SERIES[: _terms(square), :, None, None].astype(square.dtype)
    result: Array = square * series[-1]
    for factors in series[-2:0:-1]:
        result += factors
        result *= square
    result += series[0]
    return result


def _terms(square: Array) -> int:
    """Count the powers of x², from x⁰ on, that change cos x by more than its rounding."""
    largest, least = float(square.max(initial=0)), float(np.finfo(square.dtype).eps) / 4
    for count in range(2, len(_SERIES)):
        if abs(_SERIES[count, 0]) * largest**count < least:
            return count
    return len(_SERIES)  # there is a NaN, which must not spoil its neighbours


def blocks(array: Array) -> list[slice]:
    """Cut the middle axis of (4, F, T) into parts that are worked on at a time."""
    _, length, tracks = array.shape
    step = max(1, BLOCK // max(1, tracks * array.itemsize))
    return [slice(start, start + step) for start in range(0, length, step)]
