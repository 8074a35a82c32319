"""Worlds on Rapier compared with an earlier commit: `python -m benchmarks.worlds_since [--help]`.

Processes of both commits take turns; in each, a world's processor time is the least of some runs.
Angular velocities vary in some cases, so that one engine is reset, and masses in the others, so
that one is built for every world. The same file is played by both.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

COMMIT = "07176e0"
GOAL = 5.0

RULES: dict[str, dict[str, Any]] = {
    "angular velocity": {"quantity": "angular_velocity", "min": [-1.0] * 3, "max": [1.0] * 3},
    "mass": {"quantity": "mass", "min": 0.5, "max": 2.0, "apply": "scale"},
}
LENGTHS = ((0.5, 60.0), (1.0, 60.0), (2.0, 30.0), (5.0, 60.0))
"""Seconds [s] and rates [Hz]."""

RUNS, WORLDS = 6, 6


def main() -> None:
    """Compare this checkout with a commit, and print a table."""
    from benchmarks.bake import scenes
    from benchmarks.harness import ROOT, print_table

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--commit", default=COMMIT, help=f"by default {COMMIT}")
    parser.add_argument("--scene", default="door", help="door (the default), rope, stack, …")
    parser.add_argument("--rounds", type=int, default=3, help="3 by default")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        file, tree = Path(name) / "scene.glb", Path(name) / "tree"
        _save(scenes()[options.scene], file)
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--detach", str(tree), options.commit], check=True)
        try:
            rounds = [(_child(tree, file), _child(ROOT, file)) for _ in range(options.rounds)]
        finally:
            subprocess.run([*git, "remove", "--force", str(tree)], check=True)
    rows = []
    for case in rounds[0][0]:
        before, now = (min(each[side][case] for each in rounds) for side in range(2))
        ratios = [old[case] / new[case] for old, new in rounds]
        spread = f"{before / now:.1f} ({min(ratios):.1f} to {max(ratios):.1f})"
        rows.append([case, f"{before:.3g} ms", f"{now:.3g} ms", spread])
    title = f"Processor time per world, {options.scene} (goal for doors: {GOAL:g})"
    print_table(title, ["what varies", options.commit, "now", "ratio (rounds)"], rows)


def _save(document: Any, path: Path) -> None:
    import ligament as lg

    lg.save(document, path)


def _child(tree: Path, file: Path) -> dict[str, float]:
    """Return the processor time per world [ms] of every case, in a checkout."""
    command = [sys.executable, "-P", __file__, "--measure", str(file)]
    environment = {**os.environ, "PYTHONPATH": str(tree), "RAYON_NUM_THREADS": "1"}
    done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def measure(file: str) -> dict[str, float]:
    """Return the least processor time per world [ms] of every case."""
    simulator, make_options = _api()
    found = {}
    for name, rule in RULES.items():
        variations = {"vary": [rule | {"nodes": "*", "distribution": "uniform"}]}
        for seconds, rate in LENGTHS:
            options = make_options(variations=variations, seed=1, seconds=seconds, rate=rate)
            worlds = simulator(file, options)
            worlds.play(0)
            times = [_run(worlds, WORLDS * run) for run in range(RUNS)]
            found[f"{name}, {seconds:g} s at {rate:g} Hz"] = 1e3 * min(times) / WORLDS
    return found


def _api() -> tuple[Any, Any]:
    """Return the simulator of worlds and its options, under the names that they had or have."""
    try:
        from ligament.worlds.simulator import WorldSimulator, WorldsOptions
    except ImportError:
        from ligament.batches.many_worlds.bench import Bench  # type: ignore[import-not-found]
        from ligament.batches.many_worlds.options import (  # type: ignore[import-not-found]
            WorldsOptions,
        )

        return Bench, WorldsOptions
    return WorldSimulator, WorldsOptions


def _run(worlds: Any, first: int) -> float:
    start = time.process_time()
    for world in range(first, first + WORLDS):
        worlds.play(world)
    return time.process_time() - start


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        warnings.simplefilter("ignore")
        print(json.dumps(measure(sys.argv[2])))
    else:
        main()
