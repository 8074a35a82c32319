"""At which times frames are seen."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from ligament.errors import ContentError
from ligament.limits import DEFAULT, Limits


def frame_times(
    seconds: float, rate: float, *, limits: Limits = DEFAULT
) -> npt.NDArray[np.float64]:
    """Return the times [s] of frames at `rate` [Hz] from 0 to the first at or after `seconds`."""
    if not (math.isfinite(seconds) and seconds >= 0):
        raise ContentError(f"a length of {seconds} s", remedy="it must be 0 or more")
    if not (math.isfinite(rate) and rate > 0):
        raise ContentError(f"a rate of {rate} Hz", remedy="it must be above 0")
    frames = math.ceil(min(seconds * rate, 2.0**63) - 1e-6) + 1
    limits.require("frames", frames, "frames")
    return np.arange(frames) / rate
