"""Keys: the fewest frames between which interpolation stays within a tolerance.

All tracks are processed at once: starting from the first and last frame, every interval whose worst
frame deviates by more than the tolerance gets that frame as a new key, until none is left (the
Ramer–Douglas–Peucker algorithm with glTF's own interpolation).
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from ligament import transforms as tf
from ligament.arguments import require_fields
from ligament.arrays import Bools, Floats, Indices
from ligament.errors import ContentError
from ligament.options.names import ANGLE_TOLERANCE, DISTANCE_TOLERANCE


@dataclasses.dataclass(frozen=True, kw_only=True)
class Tolerance:
    """Largest deviation of a baked pose from the recorded one, at every recorded frame.

    It is measured in world space: a node's own tolerance shrinks with the depth and distance of its
    descendants.
    """

    angle: float = math.radians(ANGLE_TOLERANCE)
    """Rotation [rad]."""

    distance: float = DISTANCE_TOLERANCE
    """Translation [m] and scale."""

    def __post_init__(self) -> None:
        require_fields(self)
        for what, value in vars(self).items():
            if not (math.isfinite(value) and value >= 0):
                raise ContentError(f"the {what} tolerance is {value}", remedy="use 0 or more")


def needed_keys(
    times: Floats, values: Floats, tolerance: float | Floats, *, is_rotation: bool = False
) -> Bools:
    """Return which frames (F, M) LINEAR sampling needs as keys to reproduce `values` (F, M, C).

    The error at every frame stays within `tolerance`, one or (M,): a distance in the unit of the
    values, or for rotations an angle [rad]. A track that never leaves its first value needs the
    first key only.
    """
    frames, tracks = values.shape[:2]
    keys = np.zeros((frames, tracks), bool)
    keys[0] = True
    allowed = np.broadcast_to(np.asarray(tolerance, float), (tracks,))
    start = np.broadcast_to(values[:1], values.shape)
    moving = np.flatnonzero((_error(start, values, is_rotation=is_rotation) > allowed).any(0))
    keys[-1, moving] = True
    while len(moving):
        left, right = _interval(keys[:, moving])
        guess = _interpolate(times, values[:, moving], left, right, is_rotation=is_rotation)
        error = _error(guess, values[:, moving], is_rotation=is_rotation)
        worst = _worst(error, left, allowed[moving])
        keys[:, moving] |= worst
        moving = moving[worst.any(axis=0)]
    return keys


def _interval(keys: Bools) -> tuple[Indices, Indices]:
    """Return the last key at or before every frame (F, M), and the next key after it."""
    frames = len(keys)
    index = np.broadcast_to(np.arange(frames)[:, None], keys.shape)
    left = np.maximum.accumulate(np.where(keys, index, 0), axis=0)
    after = np.where(keys, index, frames - 1)
    right = np.minimum.accumulate(after[::-1], axis=0)[::-1]
    right = np.concatenate([right[1:], right[-1:]])
    return left, right


def _interpolate(
    times: Floats, values: Floats, left: Indices, right: Indices, *, is_rotation: bool
) -> Floats:
    span = times[right] - times[left]
    share = np.divide(times[:, None] - times[left], span, out=np.zeros_like(span), where=span > 0)
    track = np.arange(values.shape[1])
    start, end = values[left, track], values[right, track]
    result: Floats
    if is_rotation:
        result = tf.slerp(start, end, share)
    else:
        result = start + (end - start) * share[..., None]
    return result


def _error(guess: Floats, values: Floats, *, is_rotation: bool) -> Floats:
    error: Floats
    if is_rotation:
        error = tf.angle_between(guess, values)
    else:
        error = np.sqrt(((guess - values) ** 2).sum(axis=-1))
    return error


def _worst(error: Floats, left: Indices, tolerance: Floats) -> Bools:
    """Mark the worst frame of every interval with a frame beyond the tolerance."""
    frames = len(error)
    flat, owner = error.T.ravel(), (left + np.arange(error.shape[1]) * frames).T.ravel()
    starts = np.flatnonzero(np.r_[True, owner[1:] != owner[:-1]])
    peak = np.repeat(np.maximum.reduceat(flat, starts), np.diff(np.r_[starts, len(flat)]))
    candidate = np.flatnonzero((flat == peak) & (flat > np.repeat(tolerance, frames)))
    _, first = np.unique(owner[candidate], return_index=True)
    worst = np.zeros(len(flat), bool)
    worst[candidate[first]] = True
    return worst.reshape(error.shape[1], frames).T
