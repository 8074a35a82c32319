"""Many files: two jobs against one, Dask against the pool, what a file costs, memory over time."""

from __future__ import annotations

import contextlib
import functools
import os
import platform
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.harness import (
    Answer,
    Findings,
    Goal,
    Rounds,
    Sample,
    Unavailable,
    interleave,
    print_table,
)
from ligament import __version__
from ligament.batches import Entry, Plan, Task, perform
from ligament.batches.inputs import gather
from ligament.batches.outputs import names_of
from ligament.batches.run import planned
from ligament.demo import assets
from ligament.jobs.pool import Pool, Setup
from ligament.jobs.remote import Access
from ligament.jobs.task import digest_of

if TYPE_CHECKING:
    from collections.abc import Generator

LOOP, ONE, TWO, DASK = "a loop", "1 job", "2 jobs", "Dask, 2 threads"
BUDGET = 600.0
PLAYED = ("door.glb", "gate.glb", "rope.glb", "stack.glb")


@dataclass(frozen=True)
class Extent:
    """Files of a round, rounds, files for the memory, seconds of short and of long simulations."""

    files: int
    rounds: int
    many: int
    seconds: float = 2.0
    long: float = 10.0


FULL = Extent(240, 5, 3000)
QUICK = Extent(48, 1, 200)


def measure(*, quick: bool) -> Findings:
    """Measures the whole area and prints its tables."""
    return measure_extent(QUICK if quick else FULL)


def measure_extent(extent: Extent) -> Findings:
    """Measures as much as is asked for."""
    findings = Findings("batch")
    machine = {"python": platform.python_version(), "ligament": __version__}
    findings.sections["machine"] = machine | {"cores": str(os.cpu_count())}
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        throughput(findings, extent, Path(name))
        capacity(findings, extent, Path(name))
        memory(findings, extent, Path(name))
    return findings


def throughput(findings: Findings, extent: Extent, folder: Path) -> None:
    """Files per second once the workers run, each way in turn."""
    write_copies(folder / "in", extent.files)
    options = planned("simulate", {"seconds": extent.seconds})
    contenders = {
        name: functools.partial(steady, name, options, folder) for name in (LOOP, ONE, TWO, DASK)
    }
    rounds = interleave("throughput", contenders, rounds=extent.rounds, budget=BUDGET)
    samples = {name: rounds.sample(name, "each") for name in contenders}
    rows = [[name, *_row(name, samples, rounds)] for name in contenders]
    title = f"{extent.files} files, {extent.seconds:g} s each of door, gate, rope and stack"
    print_table(title, ["", "time per file", "against 1 job", "processor"], rows)
    findings.sections["throughput"] = {
        name: rounds.answers.get(name) or rounds.missing.get(name) for name in contenders
    }
    one, two, dask = (samples[name] for name in (ONE, TWO, DASK))
    if one and two:
        findings.goals.append(Goal("2 jobs / 1 job", one.over(two).value, 1.8, True))
    if two and dask:
        findings.goals.append(Goal("Dask / pool, files per time", two.over(dask).value, 0.9, True))
    alone, pooled = (rounds.sample(name, "processor") for name in (LOOP, ONE))
    if alone and pooled:  # what the pool itself costs, whoever else uses the machine
        value = pooled.over(alone).value
        findings.goals.append(Goal("processor time, 1 job / a loop", value, 1.1, False))


def capacity(findings: Findings, extent: Extent, folder: Path) -> None:
    """Files per second of every command with two jobs, on the built-in examples."""
    wave, avatar = (next(p for p in assets() if p.name == n) for n in ("wave.vrma", "avatar.vrm"))
    motions = folder / "motions"
    motions.mkdir()
    for index in range(extent.files):
        (motions / f"{index:05}.vrma").write_bytes(wave.read_bytes())
    length = {"seconds": extent.long}
    work: dict[str, tuple[str, dict[str, Any], Path]] = {
        "check": ("check", {}, folder / "in"),
        "convert to OMI": ("convert", {"to": "omi"}, folder / "in"),
        f"simulate {extent.long:g} s at 60 Hz": ("simulate", length, folder / "in"),
        f"bake {extent.long:g} s at 60 Hz": ("bake", length, folder / "in"),
        "retarget 2 s to an avatar": ("retarget", {"to": avatar}, motions),
    }
    rates = {}
    for name, (command, options, source) in work.items():
        rates[name] = 1 / steady(TWO, planned(command, options), folder, source)["each"]
    rows = [[name, f"{rate:.0f}", f"{rate * 3600:,.0f}"] for name, rate in rates.items()]
    print_table("Two jobs on two cores", ["", "files per second", "per hour"], rows)
    findings.sections["files per second, two jobs"] = rates


def memory(findings: Findings, extent: Extent, folder: Path) -> None:
    """Resident memory of the workers after a quarter of many small files and after all."""
    write_copies(folder / "many", extent.many, names=("door.glb",))
    pool = Pool(2, Setup(perform), recycle=10 * extent.many)
    early = late = 0.0
    tasks = tasks_of(planned("simulate", {"seconds": 0.05}), folder / "many", folder / "recorded")
    for finished, _ in enumerate(pool.run(tasks), start=1):
        if finished == extent.many // 4:
            early = _resident(pool.processes.pids)
        if finished == extent.many - 4:
            late = _resident(pool.processes.pids)
    if not early:
        return
    rows = [[f"{extent.many // 4}", f"{early:.1f} MB"], [f"{extent.many}", f"{late:.1f} MB"]]
    print_table("resident memory of a worker", ["files", "memory"], rows)
    findings.sections["memory"] = {"early": early, "late": late, "files": extent.many}
    findings.goals.append(Goal("memory after all / after a quarter", late / early, 1.1, False))


def steady(name: str, options: Plan, folder: Path, source: Path | None = None) -> Answer:
    """Time and processor time per file [s] from the first files that are finished to the last."""
    with tempfile.TemporaryDirectory(dir=folder) as out:
        tasks = tasks_of(options, source or folder / "in", Path(out))
        skipped = len(tasks) // 8
        marks: dict[int, tuple[float, float]] = {}
        for finished, entry in enumerate(_run(name, tasks), start=1):
            if not entry.ok:
                raise Unavailable(str(entry.fault))
            if finished in (skipped, len(tasks) - 2):  # while all workers are there
                marks[finished] = time.perf_counter(), _processor_time()
        (first, (start, used)), (last, (end, used_then)) = sorted(marks.items())
        files = last - first
        return {"each": (end - start) / files, "processor": (used_then - used) / files}


def _run(name: str, tasks: list[Task]) -> Generator[Entry, None, None]:
    if name == LOOP:
        yield from map(perform, tasks)
    elif name == DASK:
        try:
            from ligament.jobs.cluster import ClusterPool
            from ligament.jobs.connection import connected
        except ImportError as fault:
            raise Unavailable(str(fault)) from None
        with connected("local", jobs=2) as client:
            yield from ClusterPool(client, Setup(perform)).run(tasks)
    else:
        yield from Pool(1 if name == ONE else 2, Setup(perform)).run(tasks)


def tasks_of(options: Plan, source: Path, out: Path) -> list[Task]:
    """The tasks for all files in a folder."""
    inputs = gather([source], options.suffixes, without=out, access=Access())
    fingerprint = options.fingerprint()
    digest = digest_of(options.command, fingerprint)
    return [
        Task(entry.source, entry.shown, name, str(out), options, digest, fingerprint)
        for entry, name in zip(inputs, names_of(inputs, options), strict=True)
    ]


def write_copies(folder: Path, count: int, names: tuple[str, ...] = PLAYED) -> None:
    """Copies of the built-in examples in turn."""
    folder.mkdir()
    contents = [path.read_bytes() for path in assets() if path.name in names]
    for index in range(count):
        (folder / f"{index:05}.glb").write_bytes(contents[index % len(contents)])


def _row(name: str, samples: dict[str, Sample | None], rounds: Rounds) -> list[str]:
    sample, one = samples[name], samples[ONE]
    if sample is None:
        return [rounds.missing.get(name, "-"), "-", "-"]
    used = rounds.sample(name, "processor")
    return [sample.seconds, one.over(sample).text if one else "-", used.seconds if used else "-"]


def _processor_time() -> float:
    """Processor time [s] of this process and of its children that run."""
    total = time.process_time()
    for task in Path("/proc/self/task").glob("*/children"):
        for pid in task.read_text().split():
            with contextlib.suppress(OSError):
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return total


def _resident(pids: list[int]) -> float:
    """Mean resident memory of processes [MB]; 0 where the system does not tell."""
    try:
        pages = [int(Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in pids]
    except OSError:
        return 0.0
    return sum(pages) * os.sysconf("SC_PAGE_SIZE") / len(pages) / 1e6 if pages else 0.0
