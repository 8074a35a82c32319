"""Speeds: frames per CPU second of the demo's scenes on every engine, in one run.

Rounds take the engines in turn. A frame is 1/60 s, after which all states are read; building a
simulation does not count, the first frames, in which engines warm up, neither. Beside them runs
MuJoCo's own loop: the same steps of the same model, of which nothing is read.
"""

from __future__ import annotations

import dataclasses
import time
import warnings

import mujoco

import ligament as lg
from benchmarks.bake import scenes
from benchmarks.harness import Findings, Goal, Sample, print_table
from ligament.options.names import ENGINES

SCENES = ("door", "rope", "ragdoll", "stack")
RATE = 60.0
WARM_UP = 5
LOOP, LEAST = "MuJoCo's own loop", 0.8
"""Frames per second on MuJoCo should be at least this part of those of its own loop."""


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
        speeds: dict[str, list[float]] = {name: [] for name in (*ENGINES, LOOP)}
        for _ in range(extent.rounds):
            for engine, found in speeds.items():
                found.append(_speed(document, engine, extent.frames))
        findings.sections[name] = speeds
        samples = {engine: Sample(tuple(found)) for engine, found in speeds.items()}
        ratios = [samples["mujoco"].over(samples[other]) for other in (ENGINES[0], LOOP)]
        findings.goals.append(Goal(f"MuJoCo / its own loop, {name}", ratios[1].value, LEAST, True))
        medians = (f"{sample.median:,.0f}" for sample in samples.values())
        rows.append([name, *medians, *(ratio.text for ratio in ratios)])
    title = f"Frames of 1/{RATE:g} s per CPU second, over {extent.frames} frames"
    head = ["scene", *ENGINES, LOOP, f"mujoco / {ENGINES[0]}", "mujoco / its loop"]
    print_table(title, head, rows)
    return findings


def _speed(document: lg.Document, engine: str, frames: int) -> float:
    name = "mujoco" if engine == LOOP else engine
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lg.LigamentWarning)
        simulation = lg.Simulation(document, rate=RATE, animations=[], engine=name)
    for _ in range(WARM_UP):
        simulation.step()
    start = time.process_time()
    if engine == LOOP:
        own = simulation.engine
        for _ in range(frames):
            mujoco.mj_step(own._model, own._data, nstep=own.substeps)
    else:
        for _ in range(frames):
            simulation.step()
            _ = simulation.state
    return frames / (time.process_time() - start)


if __name__ == "__main__":
    measure(quick=False).finish()
