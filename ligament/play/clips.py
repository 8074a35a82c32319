"""Which animations are played, and at which times frames are seen."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ligament.errors import ContentError, LimitError
from ligament.gltf.animation import Clip, read_clip
from ligament.gltf.document import Document

MAX_FRAMES = 1_000_000


def choose_clips(document: Document, names: Sequence[str] | None) -> list[Clip]:
    """Read the animations with these names; None means all, an empty sequence none."""
    clips = [read_clip(document, i) for i in range(len(document.array("animations")))]
    if names is None:
        return clips
    known = {clip.name for clip in clips}
    for name in names:
        if name not in known:
            listed = ", ".join(sorted(map(repr, known))) or "none"
            raise ContentError(
                f"there is no animation {name!r}",
                file=document.path,
                pointer="/animations",
                remedy=f"the file has {listed}",
            )
    return [clip for clip in clips if clip.name in names]


def frame_times(seconds: float, rate: float) -> npt.NDArray[np.float64]:
    """Return the times [s] of frames at `rate` [Hz] from 0 to the first at or after `seconds`."""
    if not (math.isfinite(seconds) and seconds >= 0):
        raise ContentError(f"a length of {seconds} s", remedy="it must be 0 or more")
    if not (math.isfinite(rate) and rate > 0):
        raise ContentError(f"a rate of {rate} Hz", remedy="it must be above 0")
    frames = math.ceil(seconds * rate - 1e-6) + 1
    if frames > MAX_FRAMES:
        raise LimitError(f"{frames} frames", remedy=f"at most {MAX_FRAMES} are recorded at once")
    return np.arange(frames) / rate
