"""Data sets: what a world costs beyond its simulation, worlds on several cores, rows to the disk.

    python -m benchmarks.worlds_batch

Run it by hand; figures depend on the machine, and with CUDA there are those of the device too.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import ligament as lg
from benchmarks.harness import console
from ligament.batches import retarget_all
from ligament.datasets import Column, create_dataset
from ligament.demo import assets
from ligament.errors import LigamentError
from ligament.operations.retarget import require_cuda
from ligament.worlds import worlds
from ligament.worlds.simulator import WorldSimulator, WorldsOptions

FILES = {path.name: path for path in assets()}
SECONDS, RATE = 1.0, 30.0
PUSH = {"quantity": "linear_velocity", "distribution": "uniform", "min": -1.0, "max": 1.0}
FRAMES = 200_000


def best(
    work: Callable[[], object],
    rounds: int = 12,
    clock: Callable[[], float] = time.process_time,
) -> float:
    """Return the least time [s] of a few rounds, by default CPU time."""
    times = []
    for _ in range(rounds):
        start = clock()
        work()
        times.append(clock() - start)
    return min(times)


def per_world(name: str) -> None:
    """One world: an engine put back, an engine rebuilt, everything from the file."""
    variations = {"vary": [PUSH | {"nodes": "*"}]}
    options = WorldsOptions(variations=variations, seed=1, seconds=SECONDS, rate=RATE)
    simulator = WorldSimulator(FILES[name], options)
    reported = []
    for label, reuses in (("put back", True), ("rebuilt", False)):
        simulator.reuses_engine = reuses
        reported.append(f"{label} {best(lambda: simulator.play(1)) * 1e3:.1f} ms")
    single = best(lambda: lg.simulate(lg.load(FILES[name]), seconds=SECONDS, rate=RATE))
    console.print(f"{name}: {', '.join(reported)}, from the file {single * 1e3:.1f} ms")


def on_cores(folder: Path, count: int = 200) -> None:
    """Many worlds, with the start of the processes and the data set."""
    vary = {"vary": [PUSH | {"nodes": "*"}]}
    for jobs in (1, 2):
        out = folder / "worlds.zarr"
        call = {"seconds": SECONDS, "rate": RATE, "jobs": jobs, "float32": True}
        start = time.perf_counter()
        worlds(FILES["stack.glb"], vary, count, out, **call)
        took = time.perf_counter() - start
        console.print(f"{count} worlds of stack.glb, {jobs} jobs: {took:.1f} s")


def writing(folder: Path, rows: int = 64) -> None:
    """Rows of 1 MB, as they come from walks that no compressor can foresee."""
    row = np.cumsum(np.random.default_rng(1).normal(size=(1, 512, 64, 4)), axis=1).astype("f4")
    for suffix in (".zarr", ".parquet", ".npz"):

        def write(suffix: str = suffix) -> None:
            with create_dataset(folder / f"rows{suffix}") as data:
                table = data.table("t", {"x": Column("f4", row.shape[1:])})
                for _ in range(rows):
                    table.append({"x": row})

        console.print(
            f"{suffix}: {rows * row.nbytes / best(write, 3, time.perf_counter) / 1e6:.0f} MB/s"
        )


def motions(folder: Path) -> None:
    """A clip of many frames on an avatar, without the start of the process."""
    rate = FRAMES / lg.load_motion(FILES["wave.vrma"]).duration
    clips = folder / "clips"
    clips.mkdir()
    for i in range(3):
        (clips / f"{i}.vrma").write_bytes(FILES["wave.vrma"].read_bytes())
    for device, chunk in (("cpu", 4096), ("cuda", 65536)):
        try:
            _ = device == "cpu" or require_cuda()
        except LigamentError as fault:
            console.print(f"{device}: {fault}")
            continue
        out = folder / f"{device}.npz"
        call = {"rate": rate, "chunk": chunk, "float32": True, "device": device, "jobs": 1}
        report = retarget_all(clips, FILES["avatar.vrm"], out, **call)
        took = min(entry.seconds for entry in report)
        console.print(f"{FRAMES + 1} frames to an avatar, {device}: {took:.2f} s")


def main() -> None:
    """Measure everything."""
    for name in ("door.glb", "stack.glb", "rope.glb"):
        per_world(name)
    with tempfile.TemporaryDirectory() as name:
        on_cores(Path(name))
        writing(Path(name))
        motions(Path(name))


if __name__ == "__main__":
    main()
