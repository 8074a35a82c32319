"""Loads a .gltf and plays it with `ligament.simulate`, recording included, by the clock.

Usage: python engine_ligament.py '{"source", "frames", "skip", "warm_up", "iterations" or null,
"substeps" or null, "poses" or null}'. These mean what they do in engine_loop.py; `iterations`
replaces how often Ligament chose to have the solver go round, `substeps` how many steps it makes
in a frame. With `frames` of 0 it only loads and builds.
Prints {"load", "build", "seconds", "cpu", "frames"}.
"""

import dataclasses
import json
import sys
import time
from typing import Any

import numpy as np

import ligament as lg
from ligament.physics.engines.rapier import RapierSettings

RATE = 60

Json = dict[str, Any]


def play(
    source: str, frames: int, skip: int, settings: RapierSettings | None, substeps: int | None
) -> tuple[lg.Recording, dict[str, float]]:
    """Plays a file; the clock of a frame is read as soon as it is recorded.

    What is left to do when all are counts for each frame alike.
    """
    stamps: list[float] = []
    cpu = 0.0

    def note(frame: int, _: int) -> None:
        nonlocal cpu
        stamps.append(time.perf_counter())
        if frame == skip:
            cpu = time.process_time()

    start = time.perf_counter()
    document = lg.load(source)
    loaded = time.perf_counter()
    recording = lg.simulate(
        document,
        seconds=frames / RATE,
        rate=RATE,
        settings=settings,
        substeps=substeps,
        progress=note,
    )
    cpu = time.process_time() - cpu
    rest = (time.perf_counter() - stamps[-1]) / frames
    seconds = stamps[-1] - stamps[skip] + rest * (frames - skip)
    times = {"load": loaded - start, "build": stamps[0] - loaded, "seconds": seconds}
    return recording, times | {"cpu": cpu, "frames": frames - skip}


def replaced(source: str, *, iterations: int) -> RapierSettings:
    """Return the settings that Ligament chooses for a file, with one pass after bodies move."""
    chosen = lg.Simulation(lg.load(source)).engine.settings
    return dataclasses.replace(chosen, iterations=iterations, stabilization=1)


def build(source: str) -> dict[str, float]:
    """Loads and builds a file."""
    start = time.perf_counter()
    document = lg.load(source)
    loaded = time.perf_counter()
    lg.Simulation(document)
    return {"load": loaded - start, "build": time.perf_counter() - loaded}


def main() -> None:
    request: Json = json.loads(sys.argv[1])
    if request["frames"] == 0:
        build(request["source"])
        print(json.dumps(build(request["source"])))
        return
    source = request["source"]
    settings = replaced(source, iterations=request["iterations"]) if request["iterations"] else None
    substeps = request["substeps"]
    play(source, request["warm_up"], 0, settings, substeps)
    recording, times = play(source, request["frames"], request["skip"], settings, substeps)
    if request["poses"]:
        poses = np.concatenate([recording.translation, recording.rotation], axis=-1)
        poses.astype(np.float32).tofile(request["poses"])
    print(json.dumps(times))


main()
