"""Spherical interpolation of very many rotation keys in NumPy.

Keys are (K, 4, T): keys, components, tracks, so that those of one time lie side by side and are
gathered as a whole. Between two keys at an angle θ, at a share s,

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
BLOCK = 16384

_SINE_TERMS = [(-1) ** k / math.factorial(2 * k + 1) for k in range(8)]


class Arcs(NamedTuple):
    """Rotation keys (K, 4, T), and θ/2, ±1/sin θ and ±cos θ (K − 1, 3, T) of the angles between.

    The sign is that of the inner product: the way goes round the short side.
    """

    keys: Array
    angles: Array


def prepare(values: Array) -> Arcs:
    """Prepare rotation keys (T, 4, K).

    An angle below √ε is taken as √ε, which changes no weight by more than its rounding.
    """
    keys = np.ascontiguousarray(values.transpose(2, 1, 0))
    angles = np.empty((len(keys) - 1, 3, keys.shape[2]), keys.dtype)
    least = math.sqrt(float(np.finfo(keys.dtype).eps))
    for block in _blocks(*angles.shape[::2]):
        signed = _dot(keys[:-1][block], keys[1:][block])
        signed += 0.0  # of exactly half a turn, -0.0 would go the other way round
        cosine = np.minimum(np.abs(signed), 1)
        sine = np.sqrt((1 - cosine) * (1 + cosine))
        part = angles[block]
        np.multiply(np.maximum(np.arccos(cosine), least), 0.5, out=part[:, 0])
        np.copysign(1 / np.maximum(sine, least), signed, out=part[:, 1])
        np.copysign(cosine, signed, out=part[:, 2])
    return Arcs(keys, angles)


def follow(
    arcs: Arcs, left: Ints, share: npt.NDArray[np.float64], out: Array | None = None
) -> Array:
    """Return the rotations (F, 4, T) at `share` (F,) of the way from keys `left` (F,) on."""
    keys, angles = arcs
    out = np.empty((len(left), *keys.shape[1:]), keys.dtype) if out is None else out
    right, part = left + 1, share.astype(keys.dtype)[:, None]
    for block in _blocks(len(left), keys.shape[2]):
        to_start, to_end = _weights(np.take(angles, left[block], axis=0), part[block])
        here = out[block]
        # Not the default mode, which would buffer the result; the indices are in range anyway.
        np.take(keys, left[block], axis=0, out=here, mode="clip")
        here *= to_start[:, None]
        end = np.take(keys, right[block], axis=0)
        end *= to_end[:, None]
        here += end
    return out


def _weights(angles: Array, share: Array) -> tuple[Array, Array]:
    """Weights (F, T) of both ends, from angles (F, 3, T) and shares (F, 1)."""
    half = _sine(angles[:, 0] * share)
    square = half * half
    to_start = 1 - square
    to_end = np.sqrt(to_start)
    to_end *= half
    to_end *= angles[:, 1]
    to_end += to_end
    to_start -= square
    to_start -= angles[:, 2] * to_end
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
    """Inner product (K, T) of (K, 4, T); `sum` over so short an axis would be slow."""
    result: Array = a[:, 0] * b[:, 0]
    for i in range(1, 4):
        result += a[:, i] * b[:, i]
    return result
