"""Real files changed at random, each checked, summed up and played.

`python -m fuzz.corpus --files 10000` prints what ended badly, and how many there were. Files are
those of the demo, and of the folders named.
"""

from __future__ import annotations

import argparse
import collections
import random
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from fuzz.judging import Fault, judge
from fuzz.mutation import mutate_document
from fuzz.seeds import DEMO
from fuzz.steps import attempt
from ligament.checker import check
from ligament.gltf.load import loads
from ligament.play import simulate
from ligament.summary import summarize

SUFFIXES = frozenset({".gltf", ".glb", ".vrm", ".vrma"})
LONGEST = 10
"""CPU time [s] that one file may take before it counts as a hang."""


class Mutant(NamedTuple):
    """A changed file: the one it came from, the number it was made by, and its content."""

    path: Path
    number: int
    data: bytes


def gather(folders: Iterable[Path]) -> list[Path]:
    """Return the files of the demo and below some folders, in order."""
    found = [path for folder in (DEMO, *folders) for path in sorted(folder.rglob("*"))]
    return [path for path in found if path.suffix.lower() in SUFFIXES and path.is_file()]


def mutants(files: list[Path], numbers: Iterable[int]) -> Iterator[Mutant]:
    """Yield files changed one to three times; the same number makes the same file."""
    for number in numbers:
        dice = random.Random(number)
        path = dice.choice(files)
        data = path.read_bytes()
        for _ in range(dice.choice((1, 1, 2, 3))):
            data = mutate_document(data, dice)
        yield Mutant(path, number, data)


def try_out(mutant: Mutant) -> Fault | None:
    """Check, sum up and play a file; returns what is wrong with how that ended."""

    def run(data: bytes) -> None:
        document = loads(data, path=mutant.path)
        check(document)
        attempt(summarize, document)
        simulate(document, seconds=0.1)

    before = signal.signal(signal.SIGPROF, _too_slow)
    signal.setitimer(signal.ITIMER_PROF, LONGEST)
    try:
        return judge(run, mutant.data)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _too_slow(*_: Any) -> None:
    raise TimeoutError(f"took longer than {LONGEST} s")


def main() -> None:
    """Try out many files, and keep those that end badly."""
    parser = argparse.ArgumentParser(description="Try out changed files.")
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="number of the first file")
    parser.add_argument("--crashes", type=Path, default=Path("build/fuzz/corpus"))
    arguments = parser.parse_args()
    files = gather(arguments.folders)
    numbers = range(arguments.first, arguments.first + arguments.files)
    faults: collections.Counter[str] = collections.Counter()
    slowest, start = 0.0, time.process_time()
    for mutant in mutants(files, numbers):
        began = time.process_time()
        fault = try_out(mutant)
        slowest = max(slowest, time.process_time() - began)
        if fault is not None:
            faults[fault.name] += 1
            if faults[fault.name] == 1:
                arguments.crashes.mkdir(parents=True, exist_ok=True)
                (arguments.crashes / f"{mutant.number}-{fault.name}").write_bytes(mutant.data)
                print(f"{mutant.path} changed by {mutant.number}:\n{fault.text}", flush=True)
    seconds = time.process_time() - start
    print(f"{arguments.files} files from {len(files)}: {faults.total()} ended badly")
    print(f"{seconds:.0f} s of work, {slowest:.1f} s for the slowest")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
