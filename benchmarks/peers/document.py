"""Load and save one file with one Python program and print the time [s] and memory [bytes] it took.

Runs in the interpreter of the program measured, so it imports nothing else of this project.
Usage: python document.py '{"program", "source", "target", "warm_up" or null, "spare"}'; a warm-up
file is loaded and saved to `spare` first, unmeasured.
"""

import gc
import importlib
import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Load = Callable[[str], Any]
Save = Callable[[Any, str], Any]


def ligament() -> tuple[Load, Save]:
    module = importlib.import_module("ligament")
    return module.load, module.save


def pygltflib() -> tuple[Load, Save]:
    module = importlib.import_module("pygltflib")
    return module.GLTF2.load, lambda document, path: document.save(path)


def trimesh() -> tuple[Load, Save]:
    module = importlib.import_module("trimesh")
    return module.load_scene, lambda scene, path: scene.export(path)


def ligament_edited() -> tuple[Load, Save]:
    """As `ligament`, but one node moves, so that the text of the file cannot be written back."""
    module = importlib.import_module("ligament")

    def edit_and_save(document: Any, path: str) -> None:
        document.json["nodes"][0]["translation"] = [1.5, 2.5, 3.5]
        module.save(document, path)

    return module.load, edit_and_save


PROGRAMS = {
    "ligament": ligament,
    "ligament, edited": ligament_edited,
    "pygltflib": pygltflib,
    "trimesh": trimesh,
}


def peak_memory() -> int:
    """Largest resident size of this process so far [bytes].

    Linux carries `ru_maxrss` over from the parent through exec, `VmHWM` not.
    """
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def measure(load: Load, save: Save, source: str, target: str) -> dict[str, float]:
    gc.collect()
    base = peak_memory()
    start = time.perf_counter()
    document = load(source)
    loaded = time.perf_counter()
    load_peak = peak_memory() - base
    resumed = time.perf_counter()
    save(document, target)
    saved = time.perf_counter()
    return {
        "load": loaded - start,
        "save": saved - resumed,
        "load_peak": load_peak,
        "save_peak": peak_memory() - base,
    }


def main() -> None:
    request = json.loads(sys.argv[1])
    load, save = PROGRAMS[request["program"]]()
    if request.get("warm_up"):
        measure(load, save, request["warm_up"], request["spare"])
    print(json.dumps(measure(load, save, request["source"], request["target"])))


main()
