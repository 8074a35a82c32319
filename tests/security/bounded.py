"""Everything that is done to files, in a process with little memory and time.

`python -m tests.security.bounded FILE...` prints a JSON line for each step of each file: how it
ended, and the peak of memory so far [MiB]. The system ends the process that takes too much.
"""

from __future__ import annotations

import json
import resource
import sys
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path

from ligament.checker import check
from ligament.errors import LigamentError, LigamentWarning
from ligament.gltf.document import Document
from ligament.gltf.load import load
from ligament.play import simulate
from ligament.summary import summarize
from tests.security.oversized import LIMITS

MEMORY = 3 << 30
"""Bytes that may be reserved; a good part of it is reserved by libraries and never used."""

CPU_SECONDS = 120

STEPS: dict[str, Callable[[Document], object]] = {
    "check": check,
    "info": summarize,
    "simulate": lambda document: simulate(document, seconds=0.1),
}


def main(files: list[Path]) -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    warnings.simplefilter("error")
    warnings.simplefilter("ignore", LigamentWarning)
    for file in files:
        for name, step in STEPS.items():
            used = int(resource.getrusage(resource.RUSAGE_SELF).ru_utime)
            resource.setrlimit(resource.RLIMIT_CPU, (used + CPU_SECONDS, resource.RLIM_INFINITY))
            outcome, detail = outcome_of(step, file)
            line = {"file": file.stem, "step": name, "outcome": outcome, "detail": detail}
            print(json.dumps({**line, "peak": peak_memory()}), flush=True)


def outcome_of(step: Callable[[Document], object], file: Path) -> tuple[str, str]:
    try:
        step(load(file, limits=LIMITS))
    except LigamentError as fault:
        return type(fault).__name__, str(fault)
    except BaseException:
        return "crashed", traceback.format_exc()
    return "done", ""


def peak_memory() -> float:
    """The most memory [MiB] that this process had since it started its program."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


if __name__ == "__main__":
    main([Path(name) for name in sys.argv[1:]])
