"""Spherical interpolation of very many rotation keys in NumPy: in blocks, and in threads.

Values are (T, 4, K): tracks, components, keys. Between two keys at an angle θ, at a share s,

    q = (cos sθ − cos θ · w)·start + w·end,    w = sin sθ / sin θ,

where what depends on the keys alone is prepared once. A sine or cosine of sθ comes from the sine of
its half, h: cos = 1 − 2h² and sin = 2h·√(1 − h²), which lose no digits up to a right angle.
"""

from __future__ import annotations

import math
import os
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Ints = npt.NDArray[np.intp]

# Quaternions, and frames of them, that are worked on at a time: what is in between stays in cache.
BLOCK = 16384
FRAMES = 4096
# From this many quaternions on, threads pay for their start.
THREADED = 100_000
THREADS = 4

_SINE_TERMS = [(-1) ** k / math.factorial(2 * k + 1) for k in range(8)]


def prepare(keys: Array) -> Array:
    """Return θ/2, ±1/sin θ and ±cos θ (T, 3, K − 1) of the angles θ between neighbouring keys.

    The sign is that of the inner product: the way goes round the short side. An angle below √ε
    is taken as √ε, which changes no weight by more than its rounding.
    """
    start, end = keys[..., :-1], keys[..., 1:]
    out = np.empty((len(start), 3, start.shape[-1]), keys.dtype)
    least = math.sqrt(float(np.finfo(keys.dtype).eps))

    def work(tracks: slice, frames: slice) -> None:
        signed = _dot(start[tracks, :, frames], end[tracks, :, frames])
        signed += 0.0  # of exactly half a turn, -0.0 would go the other way round
        cosine = np.minimum(np.abs(signed), 1)
        sine = np.sqrt((1 - cosine) * (1 + cosine))
        part = out[tracks, :, frames]
        np.multiply(np.maximum(np.arccos(cosine), least), 0.5, out=part[:, 0])
        np.copysign(1 / np.maximum(sine, least), signed, out=part[:, 1])
        np.copysign(cosine, signed, out=part[:, 2])

    _in_blocks(work, len(start), start.shape[-1])
    return out


def follow(keys: Array, arcs: Array, left: Ints, share: npt.NDArray[np.float64]) -> Array:
    """Return the rotations (T, 4, F) at `share` (F,) of the way from keys `left` (F,) on."""
    out = np.empty((len(keys), 4, len(left)), keys.dtype)
    right, part = left + 1, share.astype(keys.dtype)

    def work(tracks: slice, frames: slice) -> None:
        arc = np.take(arcs[tracks], left[frames], axis=-1)
        to_start, to_end = _weights(arc, part[frames])
        here = out[tracks, :, frames]
        near = np.take(keys[tracks], left[frames], axis=-1)
        np.multiply(near, to_start[:, None], out=here)
        far = np.take(keys[tracks], right[frames], axis=-1, out=near, mode="clip")
        far *= to_end[:, None]
        here += far

    _in_blocks(work, len(out), len(left))
    return out


def _weights(arc: Array, share: Array) -> tuple[Array, Array]:
    """Weights (T, F) of both ends; `arc` (T, 3, F) is used up."""
    half, inverse_sine, cosine = arc[:, 0], arc[:, 1], arc[:, 2]
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
    """Sine of angles in [0, π/4], to rounding."""
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


def _in_blocks(work: Callable[[slice, slice], None], tracks: int, length: int) -> None:
    """Work through all tracks and frames in blocks, in threads where there is much to do."""
    step = max(1, BLOCK // max(1, min(length, FRAMES)))
    rows = [slice(first, first + step) for first in range(0, tracks, step)]
    columns = [slice(first, first + FRAMES) for first in range(0, length, FRAMES)]
    blocks = [(row, column) for row in rows for column in columns]
    if tracks * length < THREADED:
        for block in blocks:
            work(*block)
        return
    # A pool for each call: one that outlives it would be dead in the child after a fork.
    with ThreadPoolExecutor(min(os.cpu_count() or 1, THREADS)) as pool:
        deque(pool.map(lambda block: work(*block), blocks), maxlen=0)


def _dot(a: Array, b: Array) -> Array:
    """Inner product (T, K) of (T, 4, K); `sum` over so short an axis would be slow."""
    result: Array = a[:, 0] * b[:, 0]
    for i in range(1, 4):
        result += a[:, i] * b[:, i]
    return result
