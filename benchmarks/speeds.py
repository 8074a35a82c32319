"""Speeds: frames per CPU second of the demo's scenes on every engine, in one run.

Rounds take the engines in turn. A frame is 1/60 s; building a simulation does not count, the first
frames, in which engines warm up, neither.
"""

from __future__ import annotations

import dataclasses
import time
import warnings

import ligament as lg
from benchmarks.bake import scenes
from benchmarks.harness import Findings, Sample, print_table
from ligament.physics.engines import ENGINES

SCENES = ("door", "rope", "ragdoll", "stack")
RATE = 60.0
WARM_UP = 5


@dataclasses.dataclass(frozen=True)
class Extent:
    """How much to measure."""

    frames: int
    rounds: int


FULL = Extent(300, 5)
QUICK = Extent(60, 1)


def measure(*, quick: bool) -> Findings:
    """Measures the whole area and prints its table."""
    extent = QUICK if quick else FULL
    findings, rows = Findings("speeds"), []
    documents = scenes()
    for name in SCENES:
        document = documents[name]
        speeds: dict[str, list[float]] = {engine: [] for engine in ENGINES}
        for _ in range(extent.rounds):
            for engine, found in speeds.items():
                found.append(_speed(document, engine, extent.frames))
        findings.sections[name] = speeds
        samples = {engine: Sample(tuple(found)) for engine, found in speeds.items()}
        first = samples[ENGINES[0]]
        ratios = [samples[engine].over(first).text for engine in ENGINES[1:]]
        rows.append([name, *(f"{samples[engine].median:,.0f}" for engine in ENGINES), *ratios])
    others = [f"{engine} / {ENGINES[0]}" for engine in ENGINES[1:]]
    title = f"Frames of 1/{RATE:g} s per CPU second, over {extent.frames} frames"
    print_table(title, ["scene", *ENGINES, *others], rows)
    return findings


def _speed(document: lg.Document, engine: str, frames: int) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lg.LigamentWarning)
        simulation = lg.Simulation(document, rate=RATE, animations=[], engine=engine)
    for _ in range(WARM_UP):
        simulation.step()
    start = time.process_time()
    for _ in range(frames):
        simulation.step()
    return frames / (time.process_time() - start)


if __name__ == "__main__":
    measure(quick=False).finish()
