"""At which times frames are seen."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from ligament.errors import ContentError, LimitError

MAX_FRAMES = 1_000_000


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
