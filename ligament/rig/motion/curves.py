"""Keyed curves: tracks with common key times and interpolation as one array.

Values are (T, C, K): tracks, components, keys. With the keys innermost every step of the sampling
runs over contiguous memory. Key times stay on the host; values may be arrays of any library.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats, Indices
from ligament.gltf.objects import Interpolation
from ligament.rig.motion import slerp
from ligament.transforms import Array
from ligament.transforms.components import floats


class Place(NamedTuple):
    """Times among keys: the key before (F,), the fraction (F,) of the step [s] (F,) to the next."""

    left: Indices
    share: Floats
    step: Floats


class Keys(NamedTuple):
    """The keys of one track: times (K,) [s], values (K, C), or (K, 3, C) for CUBICSPLINE."""

    name: str
    times: Floats
    values: Array
    interpolation: Interpolation


@dataclasses.dataclass(frozen=True, eq=False)
class Curves:
    """Tracks that share their key times (K,) [s] and their interpolation.

    `values` are (T, C, K), or (3, T, C, K) for CUBICSPLINE: in-tangents, values, out-tangents.
    Rotations are unit quaternions, interpolated on the sphere.
    """

    names: tuple[str, ...]
    times: Floats
    values: Array
    interpolation: Interpolation = "LINEAR"
    is_rotation: bool = False

    @property
    def points(self) -> Array:
        """The key values (T, C, K) without tangents."""
        if self.interpolation != "CUBICSPLINE":
            return self.values
        points = self.values[1, ...]
        return _normalized(points) if self.is_rotation else points

    def keys(self, name: str) -> Keys:
        """Return the keys of one track in the layout of glTF."""
        values = self.values[..., self.names.index(name), :, :]
        values = tf.namespace(values).moveaxis(values, -1, 0)
        return Keys(name, self.times, values, self.interpolation)

    def map(self, convert: Callable[[Array], Array]) -> Curves:
        """Return the same curves with converted arrays: another dtype, library or device."""
        return dataclasses.replace(self, values=convert(self.values))

    def sample(self, times: Floats) -> Array:
        """Return the values (T, C, F) at `times` (F,) [s], held at the ends (glTF, Appendix C)."""
        if times is self.times or np.array_equal(times, self.times):
            return self.points
        at = place(self.times, times)
        if self.interpolation == "STEP" or len(self.times) == 1:
            return _take(self.points, at.left)
        at = at._replace(left=np.minimum(at.left, len(self.times) - 2))
        if self.interpolation == "CUBICSPLINE":
            result = _hermite(self.values, at)
            return _normalized(result) if self.is_rotation else result
        if not self.is_rotation:
            return _linear(self.values, at)
        if tf.namespace(self.values) is np:
            return slerp.interpolate(self._rotation_keys, at.left, at.share).transpose(2, 0, 1)
        return _slerp(self.values, at)

    @functools.cached_property
    def _rotation_keys(self) -> slerp.RotationKeys:
        return slerp.prepare(self.values)


def union(curves: Iterable[Curves]) -> Floats:
    """Return all key times (F,) [s] of some curves; the array itself if all share it."""
    times = [curve.times for curve in curves]
    if not times:
        return np.zeros(1)
    if all(other is times[0] or np.array_equal(other, times[0]) for other in times[1:]):
        return times[0]
    return np.unique(np.concatenate(times))


def grouped(tracks: Iterable[Keys], *, is_rotation: bool) -> tuple[Curves, ...]:
    """Group tracks with equal times into curves; rotations become unit quaternions."""
    groups: dict[tuple[bytes, Interpolation], list[Keys]] = {}
    for track in tracks:
        groups.setdefault((track.times.tobytes(), track.interpolation), []).append(track)
    return tuple(_joined(group, is_rotation=is_rotation) for group in groups.values())


def _joined(group: Sequence[Keys], *, is_rotation: bool) -> Curves:
    values: Any = np.stack([np.moveaxis(track.values, 0, -1) for track in group], axis=-3)
    if is_rotation and group[0].interpolation != "CUBICSPLINE":
        values = _normalized(values)
    return Curves(
        tuple(track.name for track in group),
        group[0].times,
        np.ascontiguousarray(values),
        group[0].interpolation,
        is_rotation,
    )


def place(keys: Floats, times: Floats) -> Place:
    """Find where times (F,) fall among key times (K,)."""
    clipped = np.clip(times, keys[0], keys[-1])
    left = np.searchsorted(keys, clipped, side="right") - 1
    start = np.minimum(left, max(len(keys) - 2, 0))
    step = keys[np.minimum(start + 1, len(keys) - 1)] - keys[start]
    return Place(left, (clipped - keys[start]) / np.where(step > 0, step, 1.0), step)


def _take(values: Array, index: Indices) -> Array:
    xp = tf.namespace(values)
    if xp is np:
        return np.take(values, index, axis=-1)
    from array_api_compat import device, is_jax_namespace

    place = {} if is_jax_namespace(xp) else {"device": device(values)}
    return xp.take(values, xp.asarray(index, **place), axis=-1)


def _shares(values: Array, *shares: Floats) -> list[Array]:
    """Return per-frame numbers (F,) in the dtype and on the device of the values."""
    if tf.namespace(values) is np:
        return [share.astype(values.dtype, copy=False) for share in shares]
    return list(floats(values, *shares)[1][1:])


def _linear(values: Array, at: Place) -> Array:
    (share,) = _shares(values, at.share)
    return _take(values, at.left) * (1 - share) + _take(values, at.left + 1) * share


def _hermite(values: Array, at: Place) -> Array:
    """Evaluate the cubic spline of glTF's Appendix C.5; tangents are per second."""
    t, step = _shares(values, at.share, at.step)
    t2, t3 = t * t, t * t * t
    return (
        _take(values[1, ...], at.left) * (2 * t3 - 3 * t2 + 1)
        + _take(values[2, ...], at.left) * ((t3 - 2 * t2 + t) * step)
        + _take(values[1, ...], at.left + 1) * (3 * t2 - 2 * t3)
        + _take(values[0, ...], at.left + 1) * ((t3 - t2) * step)
    )


def _slerp(values: Array, at: Place) -> Array:
    (share,) = _shares(values, at.share)
    xp = tf.namespace(values)
    start, end = (xp.moveaxis(_take(values, i), -2, -1) for i in (at.left, at.left + 1))
    return xp.moveaxis(tf.slerp(start, end, share), -1, -2)


def _normalized(points: Array) -> Array:
    """Return quaternions (…, 4, K) of length one."""
    xp = tf.namespace(points)
    return xp.moveaxis(tf.normalize(xp.moveaxis(points, -2, -1)), -1, -2)
