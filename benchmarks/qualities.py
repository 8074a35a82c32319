"""Qualities: how fast each one plays the examples with joints, and how well limits hold.

Every example is played at 60 Hz at every quality. Speeds are ratios to `exact` within one run;
errors are the largest violation of a hard limit after the first half second.
"""

from __future__ import annotations

import dataclasses
import time

import numpy as np

import ligament as lg
from benchmarks.bake import scenes
from benchmarks.harness import Findings, Sample, print_table
from ligament.options.names import QUALITIES


@dataclasses.dataclass(frozen=True)
class Extent:
    """How much to measure."""

    seconds: float
    rounds: int


FULL = Extent(3.0, 5)
QUICK = Extent(1.0, 1)


def measure(*, quick: bool) -> Findings:
    """Measures the whole area and prints its table."""
    extent = QUICK if quick else FULL
    findings = Findings("qualities")
    rows = []
    for name, document in scenes().items():
        played = {quality: _played(document, quality, extent) for quality in QUALITIES}
        exact = Sample(played["exact"]["cpu [s]"])
        for quality, figures in played.items():
            findings.sections[f"{name}, {quality}"] = figures
            speed = exact.over(Sample(figures["cpu [s]"]))
            distance, angle = figures["error [mm]"], figures["error [°]"]
            rows.append([name, quality, speed.text, f"{distance:.2f} mm", f"{angle:.2f}°"])
    columns = ["scene", "quality", "speed / exact", "distance error", "angle error"]
    print_table(f"Qualities over {extent.seconds:g} s at 60 Hz", columns, rows)
    return findings


def _played(document: lg.Document, quality: str, extent: Extent) -> dict[str, object]:
    times = []
    for _ in range(extent.rounds):
        start = time.process_time()
        recording = lg.simulate(
            document, seconds=extent.seconds, rate=60, animations=[], quality=quality
        )
        times.append(time.process_time() - start)
    errors = {"linear": 0.0, "angular": 0.0}
    for limit in recording.limits:
        if limit.is_hard:
            errors[limit.kind] = max(errors[limit.kind], float(limit.violation[30:].max()))
    distance, angle = 1e3 * errors["linear"], float(np.degrees(errors["angular"]))
    return {"cpu [s]": tuple(times), "error [mm]": distance, "error [°]": angle}


if __name__ == "__main__":
    measure(quick=False).finish()
