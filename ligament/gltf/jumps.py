"""Jumps of animated nodes: instantaneous changes between keys."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from ligament.arrays import Bools, Floats
from ligament.gltf.animation import Clip, Track, clip_times, sample

SHORTEST = 1e-3
"""Distance of keys [s] below which they are one jump: programs also write a STEP that way."""

_SAME = 1e-6  # values that differ by less, relative to 1, do not jump


def find_jumps(
    nodes: int,
    clips: Iterable[Clip],
    times: npt.ArrayLike,
    *,
    loop: bool = False,
    weights: bool = False,
) -> Bools:
    """Return whether nodes (F - 1, N) jump between consecutive times (F,) [s].

    Transforms are examined, or `weights` of morph targets. A jump is defined by the keys, however
    small it is: a STEP to another value, a clip that restarts elsewhere than it ended, two
    different keys less than a millisecond apart.
    """
    seconds = np.atleast_1d(np.asarray(times, float))
    jumps = np.zeros((max(0, len(seconds) - 1), nodes), bool)
    for clip in clips:
        at = clip_times(clip, seconds, loop=loop)
        restarts = (np.diff(at) < 0) | (np.diff(seconds) >= clip.end) if loop else None
        for track in clip.tracks:
            if (track.path == "weights") is weights:
                jumps[:, track.node] |= _jumps(track, at, restarts)
    return jumps


def _jumps(track: Track, at: Floats, restarts: Bools | None) -> Bools:
    """Tell whether a track jumps between times (F,) of its clip."""
    if track.interpolation == "STEP":
        values = sample(track, at)
        return _differ(track, values[1:], values[:-1])
    jumps = np.zeros(len(at) - 1, bool)
    if restarts is not None and restarts.any():
        start, end = sample(track, [0.0, np.inf])
        jumps |= restarts & _differ(track, start, end)
    points = track.values[:, 1] if track.interpolation == "CUBICSPLINE" else track.values
    is_short = np.diff(track.times) < SHORTEST
    close = np.flatnonzero(is_short & _differ(track, points[1:], points[:-1]))
    for key in close.tolist():
        jumps |= (at[:-1] < track.times[key + 1]) & (at[1:] > track.times[key])
    return jumps


def _differ(track: Track, a: Floats, b: Floats) -> Bools:
    """Tell which values (…, C) of a track differ."""
    if track.path == "rotation":  # a quaternion and its opposite are one rotation
        b = b * np.where((a * b).sum(axis=-1, keepdims=True) < 0, -1.0, 1.0)
    return np.asarray((np.abs(a - b) > _SAME * (1 + np.abs(a))).any(axis=-1))
