"""Small files to work on, good and bad, and work that goes wrong on purpose."""

import json
import os
import signal
import time
from pathlib import Path

from ligament.batches import Entry, Plan, Task, perform
from ligament.batches.run import Search
from ligament.jobs.datasets import Making
from ligament.jobs.remote import Access

PHYSICS, SHAPES = "KHR_physics_rigid_bodies", "KHR_implicit_shapes"
GIBIBYTE = 1 << 30


def falling(height: float) -> dict:
    """A ball above a floor, from its own height [m]."""
    ball = {"motion": {}, "collider": {"geometry": {"shape": 0}}}
    floor = {"collider": {"geometry": {"shape": 1}}}
    return {
        "asset": {"version": "2.0"},
        "extensionsUsed": [PHYSICS, SHAPES],
        "extensions": {
            SHAPES: {
                "shapes": [
                    {"type": "sphere", "sphere": {"radius": 0.25}},
                    {"type": "box", "box": {"size": [10.0, 0.5, 10.0]}},
                ]
            }
        },
        "scene": 0,
        "scenes": [{"nodes": [0, 1]}],
        "nodes": [
            {"name": "Ball", "translation": [0.0, height, 0.0], "extensions": {PHYSICS: ball}},
            {"name": "Floor", "extensions": {PHYSICS: floor}},
        ],
    }


def write_good(path: Path, height: float) -> Path:
    """Write a file that can be played."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(falling(height)))
    return path


def write_many(folder: Path, count: int) -> list[Path]:
    """Write files in folders of ten, each different."""
    return [
        write_good(folder / f"{i // 10:03}" / f"ball{i:04}.gltf", 1.0 + i / count)
        for i in range(count)
    ]


def tasks_of(plan: Plan, folder: Path, out: Path) -> list[Task]:
    """The tasks of a plan on the files in a folder."""
    return Search(Making(out, None, out, out), Access()).tasks(plan, [folder])


def work(task: Task) -> Entry:
    """Do as usual, unless the name of a file tells to misbehave."""
    match Path(task.name).name.split(".")[0]:
        case "hangs":
            Path(task.out_dir, ".hangs.gltf.npz.0123456789ab.part").write_bytes(b"half")
            time.sleep(3600)
        case "eats":
            bytearray(64 * GIBIBYTE)
        case "segfaults":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "exits":
            os._exit(3)
        case "is_a_bug":
            raise KeyError("nobody thought of this")
    return perform(task)


def slow_work(task: Task) -> Entry:
    """Take a while for what is new, so that there is time to kill somebody."""
    if task.previous is None:
        time.sleep(0.05)
    return perform(task)


SLOW_BATCH = """
import functools, signal
from ligament.batches import run
from ligament.cli import main
from tests.batches.inputs import slow_work
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where tests run in background
run.batch = functools.partial(run.batch, work=slow_work)
main()
"""
"""A program: `ligament` whose batches take a while."""


def content(folder: Path) -> dict[str, bytes]:
    """All that is in a folder of outputs, less what depends on times or on a cluster's workers."""
    volatile = {"manifest.jsonl", ".batch.lock"}
    found = {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name not in volatile
    }
    if "report.json" in found:
        report = json.loads(found["report.json"])
        report.pop("workers", None)
        found["report.json"] = json.dumps(report).encode()
    return found
