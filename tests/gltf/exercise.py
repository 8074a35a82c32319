"""Everything that reading does to a file, one file after another, in a process of its own.

`python -m tests.gltf.exercise FOLDER` prints one JSON line per file: how it ended and how long it
took; the last line is the peak memory. Only LigamentError may stop a step.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ligament.errors import LigamentError, LigamentWarning
from ligament.gltf import Document, load, save
from ligament.gltf.accessors import read_accessor
from ligament.gltf.animation import read_clip, sample_pose
from ligament.gltf.mesh import read_mesh
from ligament.gltf.tree import NodeTree
from ligament.summary import summarize

SECONDS_PER_FILE = 20
ADDRESS_SPACE = 4 << 30


def main(folder: Path) -> None:
    warnings.simplefilter("error")
    warnings.simplefilter("ignore", LigamentWarning)
    os.fsync = lambda descriptor: None  # nothing here needs to outlive a power cut
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    signal.signal(signal.SIGALRM, _too_slow)
    for file in sorted(folder.iterdir()):
        if file.suffix in (".glb", ".gltf"):
            print(json.dumps(_report(file)), flush=True)
    print(json.dumps({"peak_mebibytes": _peak()}))


def _peak() -> float:
    """Return the most memory that this program had [MiB]."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    # The system's accounting counts in the process that started this one.
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


def _report(file: Path) -> dict[str, Any]:
    start = time.monotonic()
    signal.alarm(SECONDS_PER_FILE)
    try:
        outcome, detail = exercise(file), ""
    except LigamentError as fault:
        outcome, detail = "refused", str(fault)
    except BaseException:
        outcome, detail = "crashed", traceback.format_exc()
    finally:
        signal.alarm(0)
    seconds = time.monotonic() - start
    return {"file": file.name, "outcome": outcome, "detail": detail, "seconds": seconds}


def exercise(file: Path) -> str:
    """Load a file and do everything with it; LigamentError from load escapes."""
    document = load(file)
    faults = 0
    for name, step in {
        "accessors": read_accessor,
        "meshes": read_mesh,
        "animations": _play,
    }.items():
        array = document.json.get(name)
        for index in range(len(array) if isinstance(array, list) else 0):
            faults += _refused(step, document, index)
    faults += _refused(_tree, document)
    faults += _refused(summarize, document)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("a.gltf", "b.glb", "c.gltf", "d.glb"):
            output = Path(folder) / name
            if _refused(save, document, output, embed=name[0] in "cd"):
                faults += 1
                assert not output.exists()
            else:
                faults += _refused(_summarize_again, output)
        assert not list(Path(folder).rglob("*.part"))
    return "faulty" if faults else "sound"


def _refused(step: Callable[..., Any], *arguments: Any, **options: Any) -> bool:
    try:
        step(*arguments, **options)
    except LigamentError:
        return True
    return False


def _summarize_again(output: Path) -> None:
    try:
        document = load(output)
    except LigamentError as fault:
        raise AssertionError("what was saved cannot be loaded") from fault
    summarize(document)


def _tree(document: Document) -> None:
    tree = NodeTree(document)
    tree.world_matrices()
    tree.world_rotations()


def _play(document: Document, index: int) -> None:
    clip = read_clip(document, index)
    sample_pose(NodeTree(document), [clip], [clip.start, 0.3, clip.end + 1])


def _too_slow(*_: Any) -> None:
    raise TimeoutError(f"took longer than {SECONDS_PER_FILE} s")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
