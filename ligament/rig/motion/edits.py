"""Motion edits: in place, root motion split off, mirrored, trimmed, looped, speed changed.

Each returns a new motion. Tracks are sampled at their key times, which is exact for linear ones;
splines are sampled densely.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.errors import ContentError
from ligament.options.motions import Edits
from ligament.rig.motion.curves import Curves
from ligament.rig.motion.motion import HipsPath, Motion
from ligament.transforms.components import on_host

RATE = 120.0
"""Samples per second of non-linear tracks."""

REFLECTION = np.array([1.0, -1.0, -1.0, 1.0])
"""Signs of a quaternion's components under a mirror across the plane X = 0."""


class RootMotion(NamedTuple):
    """The path of a body over the ground: positions (F, 3) [m] and headings (F,) [rad] at times."""

    times: Floats
    position: Floats
    heading: Floats

    @property
    def rotation(self) -> Floats:
        """The headings as rotations (F, 4) about Y."""
        turned: Floats = tf.from_axis_angle(np.array([0.0, 1.0, 0.0]), self.heading)
        return turned


def edited(motion: Motion, how: Edits) -> Motion:
    """Edit a motion, in the order of the options."""
    if how.trim is not None:
        motion = trimmed(motion, *how.trim)
    if how.speed is not None:
        motion = at_speed(motion, how.speed)
    if how.mirror:
        motion = mirrored(motion)
    if how.in_place:
        motion = in_place(motion)
    return motion if how.loop_seam is None else looped(motion, how.loop_seam)


def resampled(motion: Motion, times: Floats, *, start: float = 0.0) -> Motion:
    """Return the motion with keys only at `times` (F,) [s], counted from `start`."""
    samples, shifted = motion.sample(times), np.asarray(times, np.float64) - start
    rotations = {name: on_host(values) for name, values in samples.rotations.items()}
    bones = motion.bones
    rows = [_product(motion, bone, rotations) for bone in bones]
    changes: dict[str, Any] = {"factors": {}, "rotations": ()}
    if rows:
        values = np.ascontiguousarray(np.stack(rows))
        changes["rotations"] = (Curves(bones, shifted, values, "LINEAR", is_rotation=True),)
    if samples.hips is not None:
        changes["hips"] = _path(shifted, on_host(samples.hips))
    if samples.expressions:
        weights = np.stack([on_host(w)[None] for w in samples.expressions.values()])
        changes["expressions"] = (Curves(tuple(samples.expressions), shifted, weights),)
    if motion.look_at is not None:
        gaze = np.ascontiguousarray(on_host(motion.look_at.sample(times)))
        changes["look_at"] = Curves(
            motion.look_at.names, shifted, gaze, "LINEAR", motion.look_at.is_rotation
        )
    return dataclasses.replace(motion, **changes)


def sampled_at_keys(motion: Motion) -> Motion:
    """Return the motion as one set of linear keys."""
    return resampled(motion, _key_times(motion))


def at_rate(motion: Motion, rate: float) -> Motion:
    """Return the motion sampled at a rate [Hz]."""
    if not rate > 0:
        raise ContentError(f"the rate is {rate:g} Hz", remedy="use a rate above 0")
    count = int(np.floor(motion.duration * rate + 1e-6)) + 1
    return resampled(motion, np.arange(count) / rate)


def trimmed(motion: Motion, start: float = 0.0, end: float | None = None) -> Motion:
    """Return the part between two times [s], starting at 0."""
    end = motion.duration if end is None else min(end, motion.duration)
    if not 0 <= start <= end:
        raise ContentError(
            f"there is nothing from {start:g} s to {end:g} s",
            remedy=f"the motion goes from 0 to {motion.duration:g} s",
        )
    keys = _key_times(motion)
    inside = keys[(keys > start) & (keys < end)]
    return resampled(motion, np.unique(np.concatenate([[start], inside, [end]])), start=start)


def at_speed(motion: Motion, speed: float) -> Motion:
    """Return the motion played faster (above 1) or slower."""
    if not (np.isfinite(speed) and speed > 0):
        raise ContentError(f"the speed is {speed:g}", remedy="use a number above 0")
    plain = sampled_at_keys(motion)

    def scaled(curves: Curves) -> Curves:
        return dataclasses.replace(curves, times=curves.times / speed)

    return _with_curves(plain, scaled)


def mirrored(motion: Motion) -> Motion:
    """Return the motion mirrored left to right."""
    plain = sampled_at_keys(motion)

    def mirror(curves: Curves) -> Curves:
        names = tuple(_other_side(name) for name in curves.names)
        values = curves.values
        if curves.is_rotation:
            values = values * REFLECTION[:, None]
        elif values.shape[1] == 3:
            values = values * np.array([-1.0, 1.0, 1.0])[:, None]
        return dataclasses.replace(curves, names=names, values=values)

    swapped = _with_curves(plain, mirror)
    return dataclasses.replace(swapped, hips_rest=motion.hips_rest * [-1.0, 1.0, 1.0])


def in_place(motion: Motion) -> Motion:
    """Return the motion with the hips above one point: they only move vertically."""
    if motion.hips is None:
        return motion
    times = _key_times(motion)
    places = on_host(motion.hips.sample(times)).copy()
    places[:, [0, 2]] = motion.hips_rest[[0, 2]]
    return dataclasses.replace(motion, hips=_path(times, places))


def split_root(motion: Motion) -> tuple[Motion, RootMotion]:
    """Split the path over the ground off a motion; return the remaining motion and the path.

    The path is the position of the hips over the ground and their heading, relative to the rest
    pose; applied above the hips it restores the motion.
    """
    plain = sampled_at_keys(motion)
    times = plain.times
    places = np.tile(plain.hips_rest, (len(times), 1))
    if plain.hips is not None:
        places = on_host(plain.hips.sample(times))
    turned = np.tile([0.0, 0.0, 0.0, 1.0], (len(times), 1))
    if "hips" in plain.bones:
        turned = on_host(plain.sample(times).rotations["hips"]).T
    heading = np.unwrap(2 * np.arctan2(turned[:, 1], turned[:, 3]), period=2 * np.pi)
    path = (places - plain.hips_rest) * [1.0, 0.0, 1.0]
    root = RootMotion(times, path, heading)
    back = tf.conjugate(root.rotation)
    kept = _with_track(plain, "hips", tf.multiply(back, turned))
    return dataclasses.replace(kept, hips=_path(times, tf.rotate(back, places - path))), root


def looped(motion: Motion, seam: float) -> Motion:
    """Return the motion with its last `seam` seconds blended into its first pose.

    Rotations, weights and the height of the hips end as they began; the path over the ground is
    kept, so that the next cycle continues from there.
    """
    plain = sampled_at_keys(motion)
    if not 0 < seam <= plain.duration:
        raise ContentError(f"the seam is {seam:g} s", remedy=f"use up to {plain.duration:g} s")
    begin = plain.duration - seam
    times = np.unique(np.concatenate([plain.times, begin + seam * np.linspace(0, 1, 13)]))
    plain = resampled(plain, times)

    def close(curves: Curves) -> Curves:
        share = np.clip((curves.times - begin) / seam, 0.0, 1.0)
        share = share * share * (3 - 2 * share)
        values = np.moveaxis(curves.values, 1, -1)
        if curves.is_rotation:
            change = tf.multiply(tf.conjugate(values[:, -1:]), values[:, :1])
            values = tf.multiply(values, tf.slerp(np.array([0.0, 0, 0, 1.0]), change, share))
        else:
            change = values[:, :1] - values[:, -1:]
            if values.shape[-1] == 3:
                change = change * [0.0, 1.0, 0.0]
            values = values + change * share[:, None]
        return dataclasses.replace(curves, values=np.ascontiguousarray(np.moveaxis(values, -1, 1)))

    return _with_curves(plain, close)


def _key_times(motion: Motion) -> Floats:
    """Return key times, with samples between them for non-linear curves."""
    keys = motion.times
    if all(curves.interpolation == "LINEAR" for curves in motion.curves()) and not motion.factors:
        return keys
    return np.unique(np.concatenate([keys, np.arange(keys[0], keys[-1], 1 / RATE)]))


def _product(motion: Motion, bone: str, rotations: Mapping[str, Floats]) -> Floats:
    """Multiply the tracks (4, F) of a bone, outermost first."""
    names = [name for name in motion.factors.get(bone, (bone,)) if name in rotations]
    parts = [np.moveaxis(rotations[name], 0, -1) for name in names]
    return np.moveaxis(functools.reduce(tf.multiply, parts), -1, 0)


def _path(times: Floats, places: Floats) -> HipsPath:
    return HipsPath(Curves(("hips",), times, np.ascontiguousarray(places.T)[None]))


def _with_curves(motion: Motion, change: Any) -> Motion:
    hips = None if motion.hips is None else HipsPath(change(motion.hips.position))
    return dataclasses.replace(
        motion,
        rotations=tuple(change(curves) for curves in motion.rotations),
        hips=hips,
        expressions=tuple(change(curves) for curves in motion.expressions),
        look_at=None if motion.look_at is None else change(motion.look_at),
    )


def _with_track(motion: Motion, bone: str, rotation: Floats) -> Motion:
    """Replace the rotations (F, 4) of a bone of a motion with one set of keys."""
    if bone not in motion.bones:
        return motion
    (curves,) = motion.rotations
    values = np.array(curves.values)
    values[curves.names.index(bone)] = rotation.T
    return dataclasses.replace(motion, rotations=(dataclasses.replace(curves, values=values),))


def _other_side(name: str) -> str:
    for own, other in (("left", "right"), ("right", "left")):
        if name.startswith(own):
            return other + name.removeprefix(own)
    for own, other in (("Left", "Right"), ("Right", "Left")):
        if name.endswith(own):
            return name.removesuffix(own) + other
    return name
