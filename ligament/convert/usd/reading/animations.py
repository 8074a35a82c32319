"""Transforms with time samples as animations."""

from __future__ import annotations

from typing import Any

import numpy as np
from pxr import Usd

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.convert.usd.reading.nodes import Nodes, local_matrix, sample_times, without_shear
from ligament.convert.usd.reading.stage import Stage
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
        times, keys = path.keys(codes)
        separate, kept = separate_keys((np.array(times) - first) / rate, np.float32)
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

    def keys(self, codes: list[float]) -> tuple[list[float], Floats]:
        """Return time codes and matrices (K, 4, 4), denser where ops curve the path."""
        times, matrices = [codes[0]], [self._matrix(codes[0])]
        for code in codes[1:]:
            matrix = self._matrix(code)
            if not self.held and code - times[-1] >= self.shortest:
                self._between(times, matrices, code, matrix, _HALVINGS)
            times.append(code)
            matrices.append(matrix)
        return times, np.array(matrices)

    def _between(
        self, times: list[float], matrices: list[Floats], end: float, last: Floats, halvings: int
    ) -> None:
        """Add keys after the last one until linear interpolation is close to USD's."""
        middle = (times[-1] + end) / 2
        real = self._matrix(middle)
        if halvings == 0 or np.abs(_halfway(matrices[-1], last) - real).max() <= CLOSE:
            return
        self._between(times, matrices, middle, real, halvings - 1)
        times.append(middle)
        matrices.append(real)
        self._between(times, matrices, end, last, halvings - 1)

    def _matrix(self, code: float) -> Floats:
        matrix = self.base @ local_matrix(self.stage, self.prim, Usd.TimeCode(code))
        return without_shear(matrix)[0]

    def tracks(self, times: Floats, matrices: Floats) -> list[Track]:
        """Return the tracks of components that change."""
        translation, rotation, scale = (np.asarray(part) for part in tf.decompose(matrices))
        for i in range(1, len(rotation)):  # the shorter rotation
            if rotation[i] @ rotation[i - 1] < 0:
                rotation[i] *= -1
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
