"""Spherical interpolation of very many rotation keys in NumPy: prepared arcs, blocks, threads.

Values are (T, 4, K): tracks, components, keys. Between two keys q = start·cos x + side·sin x, where
x is the share of the angle between them; start, side and angle are prepared once for all times.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

# Quaternions that are worked on at a time, so that what is in between stays in cache.
BLOCK = 16384
# From this many quaternions on, threads pay for their start.
THREADED = 100_000
THREADS = 4


class Arcs(NamedTuple):
    """The great arcs between neighbouring keys.

    `start` and `side` are (T, 4, K − 1), of length one and orthogonal, `angle` is (T, K − 1) [rad],
    at most π/2. Where two keys are the same rotation, side and angle are zero.
    """

    start: Array
    side: Array
    angle: Array


def prepare(keys: Array) -> Arcs:
    """Return the arcs between rotation keys (T, 4, K), the short way round."""
    start, end = keys[..., :-1], keys[..., 1:]
    side, angle = np.empty_like(start), np.empty_like(start[:, 0])

    def work(block: slice) -> None:
        a, b = start[block], end[block]
        b = np.where(_dot(a, b)[:, None] < 0, -b, b)
        # From the chords of the half angle: no digits are lost, and no trigonometry is needed.
        short, long = _dot(b - a, b - a), _dot(b + a, b + a)
        sine = 2 * np.sqrt(short * long) / (short + long)
        cosine = (long - short) / (short + long)
        angle[block] = 2 * np.arctan2(np.sqrt(short), np.sqrt(long))
        side[block] = (b - a * cosine[:, None]) / np.where(sine > 0, sine, 1)[:, None]

    _in_blocks(work, len(start), start.shape[-1])
    return Arcs(np.ascontiguousarray(start), side, angle)


def follow(arcs: Arcs, left: npt.NDArray[np.intp], share: npt.NDArray[np.float64]) -> Array:
    """Return the rotations (T, 4, F) at `share` (F,) of the way along the arcs `left` (F,)."""
    out = np.empty((len(arcs.angle), 4, len(left)), arcs.angle.dtype)
    half_share = (share / 2).astype(arcs.angle.dtype)

    def work(block: slice) -> None:
        # One sine of the half: cos x = 1 − 2h² and sin x = 2h·√(1 − h²) lose no digits below π/2.
        half = np.sin(np.take(arcs.angle[block], left, axis=-1) * half_share)
        square = half * half
        sine = half * np.sqrt(1 - square)
        start = np.take(arcs.start[block], left, axis=-1)
        np.multiply(start, (1 - 2 * square)[:, None], out=out[block])
        out[block] += np.take(arcs.side[block], left, axis=-1) * (sine + sine)[:, None]

    _in_blocks(work, len(out), len(left))
    return out


def _in_blocks(work: Callable[[slice], None], tracks: int, length: int) -> None:
    """Work through all tracks in blocks, in threads where there is much to do."""
    step = max(1, BLOCK // max(length, 1))
    blocks = [slice(first, first + step) for first in range(0, tracks, step)]
    if tracks * length < THREADED:
        for block in blocks:
            work(block)
        return
    # A pool for each call: one that outlives it would be dead in the child after a fork.
    with ThreadPoolExecutor(min(os.cpu_count() or 1, THREADS)) as pool:
        deque(pool.map(work, blocks), maxlen=0)


def _dot(a: Array, b: Array) -> Array:
    """Inner product (T, K) of (T, 4, K); `sum` over so short an axis would be slow."""
    result: Array = a[:, 0] * b[:, 0]
    for i in range(1, 4):
        result += a[:, i] * b[:, i]
    return result
