"""Bone tracks of a motion on an avatar: original keys where they can be kept, else reduced samples.

A bone driven by a single track keeps its keys, times and interpolation, since a constant factor
transforms values and tangents alike. Bones that absorb others, and eyes moved by the gaze, are
sampled and their keys reduced.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ligament.arrays import Floats
from ligament.baking.keys import needed_keys
from ligament.gltf.animation import Track
from ligament.gltf.objects import Interpolation
from ligament.options.names import HipsRule
from ligament.rig import Humanoid, Motion
from ligament.rig.motion.curves import Keys
from ligament.rig.retarget import Pose, contributions, hips_matrix
from ligament.transforms.components import on_host

SAMPLES_PER_SECOND = 120.0
ANGLE = math.radians(0.01)
"""Largest deviation of reduced keys from the samples [rad]."""

DISTANCE = 1e-5
"""The same for positions [m] and weights."""


class Values(NamedTuple):
    """Keys without a node: times (K,) [s], values (K, C) or (K, 3, C), interpolation."""

    times: Floats
    values: Floats
    interpolation: Interpolation


def sample_times(motion: Motion) -> Floats:
    """Return the key times of a motion, with enough times in between to follow every curve."""
    keys = motion.times
    dense = np.arange(keys[0], keys[-1], 1 / SAMPLES_PER_SECOND)
    return np.unique(np.concatenate([keys, dense]))


def bone_keys(
    motion: Motion, avatar: Humanoid, matrices: Floats, sampled: Pose
) -> dict[str, Values]:
    """Return bone → rotation keys for every bone that the motion moves.

    `matrices` (B, 4, 4) map normalised rotations to the ones written; `sampled` is the motion
    retargeted to the avatar at `sample_times`, already mapped.
    """
    result: dict[str, Values] = {}
    gazing = sampled.look_at is not None
    for i, (bone, names) in enumerate(
        zip(avatar.bones, contributions(motion, avatar), strict=True)
    ):
        if len(names) == 1 and not (gazing and bone.endswith("Eye")):
            result[bone] = _kept(motion.keys(names[0]), matrices[i])
        elif names or (gazing and bone.endswith("Eye")):
            rotation = np.asarray(sampled.rotation[:, i], float)
            result[bone] = reduced(sampled.times, rotation, ANGLE, is_rotation=True)
    return result


def hips_keys(motion: Motion, avatar: Humanoid, rule: HipsRule, sampled: Pose) -> Values | None:
    """Return the keys of the hips' local translation, None if the motion does not move them."""
    if motion.hips is None:
        return None
    if motion.hips.above:
        return reduced(sampled.times, np.asarray(sampled.hips_translation, float), DISTANCE)
    curve = motion.hips.position
    return _kept_places(curve.keys(curve.names[0]), hips_matrix(motion, avatar, rule))


def reduced(
    times: Floats, values: Floats, tolerance: float, *, is_rotation: bool = False
) -> Values:
    """Keep the samples (F, C) that LINEAR interpolation requires."""
    keys = needed_keys(times, values[:, None], tolerance, is_rotation=is_rotation)[:, 0]
    return Values(times[keys], values[keys], "LINEAR")


def track(node: int, path: str, keys: Values) -> Track:
    """Put keys on a node."""
    return Track(node, path, keys.times, keys.values, keys.interpolation)  # type: ignore[arg-type]


def _kept(keys: Keys, matrix: Floats) -> Values:
    values = on_host(keys.values).astype(float) @ matrix.T
    return Values(keys.times, values, keys.interpolation)


def _kept_places(keys: Keys, matrix: Floats) -> Values:
    """Transform the position keys by a matrix (4, 4); tangents are rotated but not translated."""
    values = on_host(keys.values).astype(float)
    moved = values @ matrix[:3, :3].T
    if keys.interpolation == "CUBICSPLINE":
        moved[:, 1] += matrix[:3, 3]
    else:
        moved += matrix[:3, 3]
    return Values(keys.times, moved, keys.interpolation)
