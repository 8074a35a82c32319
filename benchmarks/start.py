"""CPU time of short commands, beside that of importing NumPy."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.harness import Findings, Goal, Sample, print_table
from ligament.demo import assets

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DOOR = next(str(path) for path in assets() if path.name == "door.glb")
PROGRAM = (sys.executable, "-m", "ligament")
NUMPY = "import numpy"

CALLS: Mapping[str, Sequence[str]] = {
    NUMPY: (sys.executable, "-c", "import numpy"),
    "import ligament": (sys.executable, "-c", "import ligament"),
    "--help": (*PROGRAM, "--help"),
    "simulate --help": (*PROGRAM, "simulate", "--help"),
    "check --help": (*PROGRAM, "check", "--help"),
    "a refused call": (*PROGRAM, "simulate", DOOR, "-o", "d.txt"),
    "info": (*PROGRAM, "info", DOOR),
    "check": (*PROGRAM, "check", DOOR),
}

GOALS: Mapping[str, float] = {
    "import ligament": 0.5,
    "--help": 2.5,
    "simulate --help": 2.5,
    "check --help": 2.5,
    "a refused call": 2.5,
    "info": 3.2,
    "check": 3.2,
}
"""Most times the CPU time of importing NumPy: 0.35 s and 0.45 s where that takes 0.14 s."""


@dataclass(frozen=True)
class Extent:
    rounds: int


FULL = Extent(9)
QUICK = Extent(2)


def measure(*, quick: bool) -> Findings:
    """Measures the whole area and prints its table."""
    return measure_extent(QUICK if quick else FULL)


def measure_extent(extent: Extent) -> Findings:
    findings = Findings("start")
    spent: dict[str, list[float]] = {name: [] for name in CALLS}
    for _ in range(extent.rounds):
        for name, call in CALLS.items():
            spent[name].append(processor_seconds(call))
    samples = {name: Sample(tuple(values)) for name, values in spent.items()}
    rows = []
    for name, sample in samples.items():
        ratio = sample.over(samples[NUMPY])
        rows.append([name, sample.seconds, ratio.text])
        findings.sections[name] = {"seconds": sample.values, "over": ratio.value}
        if name in GOALS:
            findings.goals.append(Goal(f"{name} / {NUMPY}", ratio.value, GOALS[name], False))
    print_table("CPU time of short commands", ["", "CPU time", "/ import numpy"], rows)
    return findings


def processor_seconds(call: Sequence[str]) -> float:
    """CPU time of a program and all that it starts [s]."""
    before = os.times()
    subprocess.run(call, capture_output=True, check=False, timeout=60)
    after = os.times()
    used = after.children_user + after.children_system
    return used - before.children_user - before.children_system
