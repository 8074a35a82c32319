"""Spherical interpolation of very many rotation keys in NumPy.

Keys are (4, K, T): components, keys, tracks, so that a component at one time lies side by side for
all tracks, and is gathered as a whole. Between two keys at an angle θ, at a share s,

    q = (cos sθ − cos θ · w)·start + w·end,    w = sin sθ / sin θ,

where what depends on the keys alone is prepared once. A sine or cosine of sθ comes from the sine of
its half, h: cos = 1 − 2h² and sin = 2h·√(1 − h²), which lose no digits up to a right angle.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Ints = npt.NDArray[np.intp]

# Quaternions that are worked on at a time: what is in between stays in cache. No threads: they
# gain little here, and lose much where other programs keep the cores busy.
BLOCK = 32768

_SINE_TERMS = [(-1) ** k / math.factorial(2 * k + 1) for k in range(8)]


class Arcs(NamedTuple):
    """Rotation keys (4, K, T), and θ/2, ±1/sin θ and ±cos θ (3, K − 1, T) of the angles between.

    The sign is that of the inner product: the way goes round the short side.
    """

    keys: Array
    angles: Array


def prepare(values: Array) -> Arcs:
    """Prepare rotation keys (T, 4, K).

    An angle below √ε is taken as √ε, which changes no weight by more than its rounding.
    """
    keys = np.ascontiguousarray(values.transpose(1, 2, 0))
    angles = np.empty((3, keys.shape[1] - 1, keys.shape[2]), keys.dtype)
    least = math.sqrt(float(np.finfo(keys.dtype).eps))
    for block in _blocks(*angles.shape[1:]):
        signed = _dot(keys[:, :-1][:, block], keys[:, 1:][:, block])
        half, inverse_sine, cosine = angles[:, block]
        magnitude = np.abs(signed)
        np.minimum(magnitude, 1, out=magnitude)
        np.arccos(magnitude, out=half)
        np.maximum(half, least, out=half)
        half *= 0.5
        sine = 1 - magnitude
        sine *= 1 + magnitude
        np.sqrt(sine, out=sine)
        np.maximum(sine, least, out=sine)
        np.divide(1, sine, out=sine)
        np.copysign(sine, signed, out=inverse_sine)
        np.copysign(magnitude, signed, out=cosine)
    return Arcs(keys, angles)


def follow(
    arcs: Arcs, left: Ints, share: npt.NDArray[np.float64], out: Array | None = None
) -> Array:
    """Return the rotations (4, F, T) at `share` (F,) of the way from keys `left` (F,) on."""
    keys, angles = arcs
    out = np.empty((4, len(left), keys.shape[2]), keys.dtype) if out is None else out
    right, part = left + 1, share.astype(keys.dtype)[:, None]
    for block in _blocks(*out.shape[1:]):
        to_start, to_end = _weights(angles, left[block], part[block])
        end = np.empty_like(to_end)
        for i in range(4):
            # Not the default mode, which would buffer the result; the indices are in range anyway.
            here = np.take(keys[i], left[block], axis=0, out=out[i, block], mode="clip")
            here *= to_start
            np.take(keys[i], right[block], axis=0, out=end, mode="clip")
            end *= to_end
            here += end
    return out


def _weights(angles: Array, left: Ints, share: Array) -> tuple[Array, Array]:
    """Weights (F, T) of both ends at shares (F, 1) of the way from keys `left` (F,) on."""
    half, inverse_sine, cosine = (np.take(angle, left, axis=0) for angle in angles)
    half *= share
    half = _sine(half)
    square = half * half
    to_start = 1 - square
    to_end = np.sqrt(to_start)
    to_end *= half
    to_end *= inverse_sine
    to_end += to_end
    to_start -= square
    cosine *= to_end
    to_start -= cosine
    return to_start, to_end


def _sine(angle: Array) -> Array:
    """Sine of angles in [0, π/4], to rounding; these are used up."""
    if angle.dtype != np.float64:
        return np.sin(angle, out=angle)
    # NumPy's own sine of float64 takes twice the time of these sums and products.
    square = angle * angle
    result: Array = square * _SINE_TERMS[-1]
    for term in _SINE_TERMS[-2:0:-1]:
        result += term
        result *= square
    result += 1
    result *= angle
    return result


def _blocks(length: int, tracks: int) -> list[slice]:
    step = max(1, BLOCK // max(1, tracks))
    return [slice(start, start + step) for start in range(0, length, step)]


def _dot(a: Array, b: Array) -> Array:
    """Inner product (K, T) of (4, K, T); `sum` over so short an axis would be slow."""
    result: Array = a[0] * b[0]
    for i in range(1, 4):
        result += a[i] * b[i]
    result += 0.0  # of exactly half a turn, -0.0 would go the other way round
    return result
