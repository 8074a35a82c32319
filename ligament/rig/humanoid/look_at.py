"""Look-at of an avatar: gaze as rotations of the eye bones or expression weights.

Yaw and pitch are in degrees, yaw positive to the left, pitch positive downwards.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np

from ligament import transforms as tf
from ligament.extensions.humanoid import vrm, vrmc_vrm
from ligament.gltf.document import Document
from ligament.transforms import Array
from ligament.transforms.components import floats

LOOK_PRESETS = ("lookUp", "lookDown", "lookLeft", "lookRight")

OUTPUT_SCALES = {"bone": 10.0, "expression": 1.0}


class RangeMap(NamedTuple):
    """Map from 0 at 0 to `scale` at `limit` [degrees] and beyond; `curve` shapes it (VRM 0.x).

    A curve is a flat list of time, value, in-tangent and out-tangent over [0, 1].
    """

    limit: float
    scale: float
    curve: tuple[float, ...] = ()

    def __call__(self, angle: Array) -> Array:
        """Map angles (…) [degrees]; negative ones count as 0."""
        xp = tf.namespace(angle)
        if self.limit <= 0:  # a step (VRMC_vrm, lookAt)
            share = xp.where(angle > 0, xp.ones_like(angle), xp.zeros_like(angle))
        else:
            share = xp.clip(angle / self.limit, 0.0, 1.0)
        return (_bent(self.curve, share) if self.curve else share) * self.scale


class LookAt(NamedTuple):
    """Look-at settings of an avatar: eyes follow by bone rotations or by expressions."""

    kind: Literal["bone", "expression"]
    inner: RangeMap
    outer: RangeMap
    down: RangeMap
    up: RangeMap


def read_look_at(document: Document) -> LookAt | None:
    """Read how the eyes of an avatar follow the gaze, None if undefined."""
    found = vrmc_vrm.look_at(document)
    if found is not None:
        maps = (
            found.range_map_horizontal_inner,
            found.range_map_horizontal_outer,
            found.range_map_vertical_down,
            found.range_map_vertical_up,
        )
        return LookAt(found.type, *(_range_map(found.type, *_new(entry)) for entry in maps))
    old = vrm.first_person(document)
    if old is None:
        return None
    kind: Literal["bone", "expression"] = (
        "bone" if old.look_at_type_name == "Bone" else "expression"
    )
    degrees = (
        old.look_at_horizontal_inner,
        old.look_at_horizontal_outer,
        old.look_at_vertical_down,
        old.look_at_vertical_up,
    )
    return LookAt(kind, *(_range_map(kind, d.x_range, d.y_range, d.curve) for d in degrees))


def unshown_gaze(look_at: LookAt | None, bones: Collection[str], names: Collection[str]) -> str:
    """Say why an avatar with these bones and expressions cannot show a gaze; "" if it can."""
    if look_at is None:
        return "the avatar does not define how its eyes follow a gaze"
    if look_at.kind == "bone":
        return "" if {"leftEye", "rightEye"} & {*bones} else "the avatar has no eye bones"
    missing = [name for name in LOOK_PRESETS if name not in names]
    return f"the avatar has no expression {' or '.join(missing)}" if missing else ""


def yaw_pitch(rotation: Array) -> Array:
    """Return yaw and pitch (…, 2) [degrees] of a gaze rotation (…, 4) (VRMC_vrm_animation)."""
    angles = tf.to_euler(rotation, "YXZ")
    return angles[..., :2] * (180 / math.pi)


def eye_rotations(look_at: LookAt, look: Array) -> dict[str, Array]:
    """Return normalised rotations (…, 4) of the eye bones for yaw and pitch (…, 2)."""
    xp, (look,) = floats(look)
    yaw, pitch = look[..., 0], look[..., 1]
    vertical = look_at.down(pitch) - look_at.up(-pitch)
    # Outwards is to the left for the left eye, and to the right for the right one.
    sideways = {
        "leftEye": look_at.outer(yaw) - look_at.inner(-yaw),
        "rightEye": look_at.inner(yaw) - look_at.outer(-yaw),
    }
    return {eye: _rotation(xp.stack([yaw, vertical], axis=-1)) for eye, yaw in sideways.items()}


def look_weights(look_at: LookAt, look: Array) -> dict[str, Array]:
    """Return weights (…) of the four look presets for yaw and pitch (…, 2), clamped to [0, 1]."""
    xp, (look,) = floats(look)
    yaw, pitch = look[..., 0], look[..., 1]
    weights = {
        "lookUp": look_at.up(-pitch),
        "lookDown": look_at.down(pitch),
        "lookLeft": look_at.outer(yaw),
        "lookRight": look_at.outer(-yaw),
    }
    return {name: xp.clip(weight, 0.0, 1.0) for name, weight in weights.items()}


def _new(entry: vrmc_vrm.RangeMap) -> tuple[float, float | None]:
    return entry.input_max_value, entry.output_scale


def _range_map(
    kind: str, limit: float, scale: float | None, curve: list[float] | None = None
) -> RangeMap:
    points = tuple(curve or ())
    fits = len(points) >= 8 and len(points) % 4 == 0
    return RangeMap(limit, OUTPUT_SCALES[kind] if scale is None else scale, points if fits else ())


def _rotation(angles: Array) -> Array:
    """Return the rotation (…, 4) by yaw and then pitch (…, 2) [degrees]."""
    xp = tf.namespace(angles)
    radians = angles * (math.pi / 180)
    return tf.from_euler(xp.concat([radians, xp.zeros_like(radians[..., :1])], axis=-1), "YXZ")


def _bent(curve: tuple[float, ...], share: Array) -> Array:
    """Evaluate a curve of time, value, in-tangent, out-tangent; constant beyond its ends."""
    xp = tf.namespace(share)
    keys = np.array(curve).reshape(-1, 4)
    result = xp.zeros_like(share) + float(keys[0, 1])
    for (time, value, _, leaving), (end, goal, arriving, _) in pairwise(keys):
        step = max(float(end - time), 1e-9)
        t = xp.clip((share - float(time)) / step, 0.0, 1.0)
        t2, t3 = t * t, t * t * t
        bend = (
            (2 * t3 - 3 * t2 + 1) * float(value)
            + (t3 - 2 * t2 + t) * (step * float(leaving))
            + (3 * t2 - 2 * t3) * float(goal)
            + (t3 - t2) * (step * float(arriving))
        )
        result = xp.where(share > float(time), bend, result)
    return result
