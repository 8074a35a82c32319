"""All targets, one on each core: `make fuzz SECONDS=60`, or `python -m fuzz.run --seconds 60`.

Inputs that find new code are kept in build/fuzz, where the next run goes on; crashes are listed at
the end, and the exit status is 1 if there are any. A crash that is understood and fixed becomes a
test: move its file to tests/fuzz/crashes/TARGET/.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from fuzz.targets import NAMES

GRACE = 300
"""How much longer [s] than asked a process may take to start and to end."""

_RUNS = re.compile(r"^#(\d+)", re.MULTILINE)
_COVERAGE = re.compile(r"cov: (\d+)")
_REASON = re.compile(r"^SUMMARY: libFuzzer: ([\w -]+)", re.MULTILINE)


class Result(NamedTuple):
    """Result for one target: executions, edges of the code reached, time [s], crashes."""

    name: str
    runs: int
    coverage: int
    seconds: float
    crashes: tuple[Path, ...]


def fuzz(name: str, folder: Path, seconds: float) -> Result:
    """Fuzz a target for a time, starting again where an input ended the process."""
    folder.mkdir(parents=True, exist_ok=True)
    start, runs, coverage = time.monotonic(), 0, 0
    while (left := seconds - (time.monotonic() - start)) > 1:
        log = _search(name, folder, max(1, round(left)))
        runs += max(map(int, _RUNS.findall(log)), default=0)
        coverage = max(coverage, *map(int, _COVERAGE.findall(log)), 0)
        if not _RUNS.search(log):
            raise SystemExit(f"the fuzzer of {name} did not start:\n{log[-3000:]}")
        if "DONE" in log:
            break
        _keep_last(folder, log)
    crashes = sorted(p for p in (folder / "crashes").iterdir() if p.suffix != ".txt")
    return Result(name, runs, coverage, time.monotonic() - start, tuple(crashes))


def _keep_last(folder: Path, log: str) -> None:
    """Keep the input that ended a process, named by the reason, and what the process printed."""
    data = (folder / "last").read_bytes()
    reason = _REASON.search(log)
    kind = reason[1].strip().replace(" ", "-") if reason else "ended"
    name = f"{kind}-{hashlib.blake2b(data, digest_size=4).hexdigest()}"
    (folder / "crashes" / name).write_bytes(data)
    (folder / "crashes" / f"{name}.txt").write_text(log[-20_000:])


def _search(name: str, folder: Path, seconds: int) -> str:
    """Run a worker; its log tells what it did, however it ended."""
    try:
        done = subprocess.run(
            [sys.executable, "-m", "fuzz.worker", name, str(folder), str(seconds)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=seconds + GRACE,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            check=False,
        )
    except subprocess.TimeoutExpired as late:
        return (late.stderr or b"").decode(errors="replace")
    return done.stderr.decode(errors="replace")


def main() -> None:
    """Fuzz the targets named, all by default, and print the figures."""
    parser = argparse.ArgumentParser(description="Fuzz Ligament.")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(NAMES))
    parser.add_argument("--seconds", type=float, default=60.0, help="for each target")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="targets at a time")
    parser.add_argument("--folder", type=Path, default=Path("build/fuzz"))
    arguments = parser.parse_args()
    names = arguments.targets or NAMES
    unknown = set(names) - set(NAMES)
    if unknown:
        parser.error(f"there is no target {', '.join(sorted(unknown))}")
    print(f"{'target':<12}{'runs':>12}{'per second':>12}{'coverage':>10}{'crashes':>9}", flush=True)
    crashes: list[Path] = []
    with ThreadPoolExecutor(max(1, arguments.jobs)) as pool:
        folders = [arguments.folder / name for name in names]
        for result in pool.map(fuzz, names, folders, itertools.repeat(arguments.seconds)):
            rate = result.runs / result.seconds
            counts = f"{result.runs:>12}{rate:>12.1f}{result.coverage:>10}{len(result.crashes):>9}"
            print(f"{result.name:<12}{counts}", flush=True)
            crashes += result.crashes
    for path in crashes:
        print(f"crash: {path}")
    sys.exit(1 if crashes else 0)


if __name__ == "__main__":
    main()
