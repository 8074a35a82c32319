"""Transforms with time samples as animations."""

from __future__ import annotations

from typing import Any

import numpy as np
from pxr import Usd

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.conversion.usd.reading.nodes import Nodes, local_matrix, sample_times, without_shear
from ligament.conversion.usd.reading.stage import Stage
from ligament.gltf.animation import Clip, Track, append_clip, separate_keys
from ligament.gltf.document import Document
from ligament.gltf.jumps import SHORTEST

CLOSE = 1e-4
"""Accepted deviation [m, rad] between keys from USD's interpolation of the ops."""

_HALVINGS = 5
"""Most halvings of the time between two samples to get that close."""


def add_animation(stage: Stage, nodes: Nodes, document: Document) -> None:
    """Add one animation of all prims whose transform has samples, from the first time code."""
    moving = {prim: times for prim in nodes.prims if (times := sample_times(prim))}
    if not moving:
        return
    raw = stage.raw
    first = min(times[0] for times in moving.values())
    if raw.HasAuthoredTimeCodeRange():
        first = min(first, float(raw.GetStartTimeCode()))
    rate = float(raw.GetTimeCodesPerSecond())
    if not rate > 0:
        stage.lose("/", f"timeCodesPerSecond = {rate}", "it must be above 0", "24 is used")
        rate = 24.0
    is_held = raw.GetInterpolationType() == Usd.InterpolationTypeHeld
    tracks: list[Track] = []
    for prim, codes in moving.items():
        path = _Path(stage, nodes, prim, shortest=SHORTEST * rate, held=is_held)
        at, keys = path.keys(codes)
        separate, kept = separate_keys((at - first) / rate, np.float32)
        tracks += path.tracks(separate, keys[kept])
    if tracks:
        name = raw.GetDefaultPrim().GetName() if raw.HasDefaultPrim() else "animation"
        append_clip(document, Clip(str(name), tuple(tracks)))


class _Path:
    """The path of one prim; samples closer than `shortest` time codes are a jump."""

    def __init__(
        self, stage: Stage, nodes: Nodes, prim: Any, *, shortest: float, held: bool
    ) -> None:
        self.stage, self.prim, self.shortest, self.held = stage, prim, shortest, held
        self.node = nodes.at[str(prim.GetPath())]
        is_root = nodes.parents[self.node] < 0
        self.base = nodes.base(prim) if is_root else np.eye(4)

    def keys(self, codes: list[float]) -> tuple[Floats, Floats]:
        """Return time codes (K,) and matrices (K, 4, 4), denser where ops curve the path.

        Keys are added until linear interpolation is close to USD's.
        """
        times = np.array(codes)
        matrices = self._matrices(times)
        is_open = (np.diff(times) >= self.shortest) & (not self.held)
        for _ in range(_HALVINGS):
            gaps = np.flatnonzero(is_open)
            middles = (times[gaps] + times[gaps + 1]) / 2
            real = self._matrices(middles)
            off = np.abs(_halfway(matrices[gaps], matrices[gaps + 1]) - real).max(axis=(1, 2))
            is_far = off > CLOSE
            after = gaps[is_far] + 1
            times = np.insert(times, after, middles[is_far])
            matrices = np.insert(matrices, after, real[is_far], axis=0)
            added = after + np.arange(len(after))
            is_open = np.zeros(len(times) - 1, bool)
            is_open[added - 1] = is_open[added] = True
        return times, matrices

    def _matrices(self, codes: Floats) -> Floats:
        local = [local_matrix(self.stage, self.prim, Usd.TimeCode(code)) for code in codes.tolist()]
        return without_shear(self.base @ np.reshape(local, (-1, 4, 4)))[0]

    def tracks(self, times: Floats, matrices: Floats) -> list[Track]:
        """Return the tracks of components that change."""
        translation, rotation, scale = (np.asarray(part) for part in tf.decompose(matrices))
        is_longer = (rotation[1:] * rotation[:-1]).sum(axis=1) < 0
        rotation[1:] *= np.cumprod(np.where(is_longer, -1.0, 1.0))[:, None]
        interpolation = "STEP" if self.held else "LINEAR"
        parts = {"translation": translation, "rotation": rotation, "scale": scale}
        return [
            Track(self.node, path, times, values, interpolation)  # type: ignore[arg-type]
            for path, values in parts.items()
            if np.abs(values - values[0]).max() > 1e-12
        ]


def _halfway(a: Floats, b: Floats) -> Floats:
    """Return glTF's interpolation halfway between two transforms (4, 4)."""
    (place_a, turn_a, scale_a), (place_b, turn_b, scale_b) = tf.decompose(a), tf.decompose(b)
    turn = tf.slerp(turn_a, turn_b, 0.5)
    return np.asarray(tf.compose((place_a + place_b) / 2, turn, (scale_a + scale_b) / 2))
