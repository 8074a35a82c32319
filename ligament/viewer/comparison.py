"""A page that shows two recordings in one scene, each in its own colour."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import numpy as np

from ligament.arguments import checked
from ligament.arrays import Floats, Ints
from ligament.errors import ContentError
from ligament.files import write_atomic
from ligament.recording import Recording
from ligament.viewer import bundle
from ligament.viewer.page import RATE, check_page, page_of_takes
from ligament.viewer.takes import Take

COLOURS: Final = ("#006ec8", "#eb6e00")
"""Colours of the first and second recording; still parts keep their own."""


@checked
def save_comparison_page(path: str | os.PathLike[str], first: Take, second: Take) -> int:
    """Write a page that shows two recordings in one scene; return the number of frames.

    The first is blue, the second orange; parts that neither moves keep their colours.
    """
    target = Path(path)
    check_page(target)
    bundle.require_bundle()
    times = _common_times(first.recording, second.recording)
    is_one_file = first.document is second.document
    takes = [
        take._replace(recording=_at(take.recording, times), colour=colour, shows_still=shows_still)
        for take, colour, shows_still in zip(
            (first, second), COLOURS, (True, not is_one_file), strict=True
        )
    ]
    write_atomic(target, [page_of_takes(takes).encode()])
    return len(times)


def _common_times(a: Recording, b: Recording) -> Ints:
    """Return the common times [µs], at most as many as a page shows."""
    times = np.intersect1d(_microseconds(a.times), _microseconds(b.times))
    if not len(times):
        remedy = "record both at the same rate"
        raise ContentError("the recordings have no time in common", remedy=remedy)
    step = float(np.median(np.diff(times))) if len(times) > 1 else 1e6
    return np.asarray(times[:: max(1, round(1e6 / RATE / step))])


def _at(recording: Recording, times: Ints) -> Recording:
    return recording.frames(np.isin(_microseconds(recording.times), times))


def _microseconds(times: Floats) -> Ints:
    return np.round(times * 1e6).astype(np.int64)
