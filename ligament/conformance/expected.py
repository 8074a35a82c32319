"""Expected curves: values of a derivation between the judged times."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from ligament.conformance import reference
from ligament.conformance.expressions import evaluate, uses
from ligament.conformance.rotations import Floats, angle_between
from ligament.errors import ContentError

_FAULTS: Final = (ContentError, ArithmeticError, KeyError, TypeError, ValueError)

Samples = tuple[Floats, Floats]
"""Times [s], and values at them."""


def expected_curve(check: Mapping[str, Any], times: Floats, start: Any) -> Samples | None:
    """Return the curve of a check over the frames of a recording, for display.

    It ends at the last judged time. A reference motion starts at 0 s, and so does a closed form
    that agrees there with the recorded `start`; any other starts at the first judged time, and one
    that is constant has values at the judged times only.
    Derivations that cannot be evaluated have no curve.
    """
    how, judged = check["derivation"], check["times"]
    frames = times[times <= judged[-1] + 1e-9]
    try:
        if how["kind"] == "reference integration":
            return frames, reference.motion(how["model"], frames.tolist(), how["values"])
        if not uses(how["expression"], "t"):
            return _constant(check)
        curve = _closed_form(how, frames)
    except _FAULTS:
        return None
    off = angle_between(curve[0], start) if curve.ndim == 2 else abs(curve[0] - start)
    if off <= check["tolerance"]:
        return frames, curve
    later = frames >= judged[0] - 1e-9
    return frames[later], curve[later]


def _constant(check: Mapping[str, Any]) -> Samples:
    return np.asarray(check["times"], float), np.asarray(check["expected"], float)


def _closed_form(how: Mapping[str, Any], frames: Floats) -> Floats:
    values = [evaluate(how["expression"], {**how["values"], "t": float(t)}) for t in frames]
    return np.asarray(values, float)
