"""One target under a coverage-guided fuzzer, in a process of its own.

`python -m fuzz.worker TARGET FOLDER SECONDS` keeps what finds new code in FOLDER/corpus and what
ends badly in FOLDER/crashes. Exceptions are noted and the search goes on; an input that takes too
long, too much memory or the process itself ends it, and is still in FOLDER/last.
"""

from __future__ import annotations

import os
import random
import resource
import sys
from collections.abc import Callable
from pathlib import Path

import atheris

MEMORY = 1 << 30
SECONDS_PER_INPUT = 10
MOST_BYTES = 1 << 16

with atheris.instrument_imports(include=["ligament"]):
    from fuzz.judging import judge
    from fuzz.targets import Target, find_target


def main(name: str, folder: Path, seconds: int) -> None:
    """Search until the time is up."""
    with atheris.instrument_imports(include=["ligament"]):
        target = find_target(name)
        _warm(target)
    corpus = _corpus(target, folder)
    (folder / "crashes").mkdir(exist_ok=True)
    resource.setrlimit(resource.RLIMIT_DATA, (2 * MEMORY, 2 * MEMORY))
    options = {
        "max_total_time": seconds,
        "timeout": SECONDS_PER_INPUT,
        "rss_limit_mb": MEMORY >> 20,
        "max_len": MOST_BYTES,
        "exact_artifact_path": os.devnull,
        "print_final_stats": 1,
        "seed": 1,
    }
    arguments = [sys.argv[0], *(f"-{key}={value}" for key, value in options.items()), str(corpus)]
    atheris.Setup(arguments, _judged(target, folder), custom_mutator=_mutator(target))
    atheris.Fuzz()


def _corpus(target: Target, folder: Path) -> Path:
    corpus = folder / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(target.seeds()):
        (corpus / f"seed-{number:04}").write_bytes(data)
    return corpus


def _warm(target: Target) -> None:
    """Import what is imported late, so that all code is watched and limits concern inputs."""
    for data in target.seeds()[:3]:
        judge(target.run, data)


def _judged(target: Target, folder: Path) -> Callable[[bytes], None]:
    last, crashes = os.open(folder / "last", os.O_WRONLY | os.O_CREAT), folder / "crashes"

    def run(data: bytes) -> None:
        os.pwrite(last, data, 0)
        os.ftruncate(last, len(data))
        fault = judge(target.run, data)
        if fault is not None and not (crashes / fault.name).exists():
            (crashes / fault.name).write_bytes(data)
            (crashes / f"{fault.name}.txt").write_text(fault.text)

    return run


def _mutator(target: Target) -> Callable[[bytes, int, int], bytes]:
    def mutate(data: bytes, most: int, seed: int) -> bytes:
        return target.mutate(bytes(data), random.Random(seed))[:most]

    return mutate


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
