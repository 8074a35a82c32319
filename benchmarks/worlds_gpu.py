"""Many worlds on a GPU: `python -m benchmarks.worlds_gpu [--device cuda] [--quick] [--out F]`.

For the demo's scenes, in one run: steps per second of `lg.Worlds` with all poses readable on the
device, against a bare MuJoCo Warp loop on the same model; how far world k is from world k on
MuJoCo's CPU; whether two runs agree; what a profile finds of copies to and from the host; what
becomes of worlds that fail and of devices that are full; and the time from rules to a data set.
The exit status is 1 if a figure falls short.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import mujoco
import mujoco_warp as mjw
import numpy as np
import warp as wp

import ligament as lg
from benchmarks import worlds_gpu_checks as checks
from benchmarks.bake import scenes

SCENES = ("ragdoll", "rope", "door", "stack")

LEAST_RATIO = 0.9
"""The least share of a bare loop's speed."""

FARTHEST = {
    "ragdoll": ("2.00 s", 2e-3),
    "rope": ("2.00 s", 1e-3),
    "door": ("2.00 s", 2e-5),
}
"""Positions [m] off MuJoCo's that are rounding in scenes without contacts, after 2 s."""

NUDGES = {"stack": "0.25 s", "falling boxes": "0.25 s"}
"""Scenes with contacts, which are chaotic, and the time at which they are compared.

Contacts exist or not by the last bit of a float32. "nudged" is how far such a bit at the start
moves MuJoCo's own worlds; MOST_NUDGES times that is rounding. The falling boxes are those of the
stack, 5 mm apart at the start.
"""

MOST_NUDGES = 4.0

MOST_BETWEEN_RUNS = 1e-3
"""Positions [m] by which two runs with one seed may differ where threads add in any order."""

START = time.perf_counter()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--quick", action="store_true", help="few worlds and steps")
    parser.add_argument("--out", type=Path, help="write the figures as JSON")
    options = parser.parse_args()
    warnings.simplefilter("ignore", lg.LigamentWarning)
    device, quick = options.device, options.quick
    is_gpu, documents = wp.get_device(device).is_cuda, equality_scenes()
    found: dict[str, Any] = {}

    def note(name: str, measure: Callable[..., dict[str, Any]], *given: Any, **named: Any) -> None:
        """Measure, print and keep; what cannot be measured falls short, and the rest goes on."""
        try:
            found[name] = measure(*given, **named)
        except Exception as fault:
            found[name] = {"fault": f"{type(fault).__name__}: {fault}"[:500]}
        print(f"{time.perf_counter() - START:6.1f} s", name, found[name], flush=True)
        if options.out is not None:
            options.out.write_text(json.dumps(found, indent=1))

    note("device", _device, device)
    if is_gpu:
        note("kernels", _compile, documents, device)
    else:
        wp.config.optimization_level = 0  # kernels for the CPU are compiled in half of the time
    for name in SCENES:
        for count in (4, 8) if quick else (4_096, 16_384):
            note(f"{name} {count}", _speed, documents[name], count, device, quick)
    for name, document in documents.items():
        frames = 3 if quick else 120
        note(f"{name} equality", checks.equality, document, device, frames=frames)
    note("failure", checks.failure, documents["rope"], device)
    note("data set", checks.data_set, documents["ragdoll"], device, quick)
    note("profile", checks.profile, documents["rope"], device)
    note("profile of control", checks.profile, documents["door"], device, controlled=True)
    note("libraries", checks.libraries, documents["door"], device)
    note("no room", checks.no_room, documents["stack"], device)
    short = shortfalls(found, is_gpu=is_gpu, quick=quick)
    note("checks", lambda: {"fell short": short})
    raise SystemExit(1 if short else 0)


def _device(name: str) -> dict[str, Any]:
    return {"name": str(wp.get_device(name).name), "Warp": wp.config.version}


def equality_scenes() -> dict[str, lg.Document]:
    """Return the scenes by name, and boxes that fall on each other."""
    documents = {name: scenes()[name] for name in SCENES}
    falling = documents["stack"].copy()
    for index, node in enumerate(falling.json["nodes"]):
        if "motion" in node.get("extensions", {}).get("KHR_physics_rigid_bodies", {}):
            node["translation"][1] += 0.005 * index
    return {**documents, "falling boxes": falling}


def shortfalls(found: dict[str, Any], *, is_gpu: bool, quick: bool) -> list[str]:
    """Name the figures that fall short; speeds and copies count on a GPU alone."""
    short = []
    for name, figures in found.items():
        if "fault" in figures:
            short.append(f"{name}: {figures['fault']}")
        if is_gpu and not quick and figures.get("ratio", 1.0) < LEAST_RATIO:
            short.append(f"{name}: ratio {figures['ratio']}")
        if figures.get("failed", 0):
            short.append(f"{name}: {figures['failed']} worlds failed")
        if name.startswith("profile") and is_gpu and "fault" not in figures:
            short += [f"{name}: {each}" for each in _copies(figures)]
        short += [f"{name}: not {key}" for key, value in figures.items() if value is False]
    for scene in (*FARTHEST, *NUDGES):
        figures = found[f"{scene} equality"]
        if "fault" in figures:
            continue
        moment, most = _bound(scene, figures)
        if not quick and not figures[moment] <= most:
            short.append(f"{scene}: {figures[moment]} m off after {moment}")
        if not figures["two runs"] <= MOST_BETWEEN_RUNS:
            short.append(f"{scene}: two runs differ by {figures['two runs']} m")
    return short


def _bound(scene: str, figures: dict[str, Any]) -> tuple[str, float]:
    if scene in FARTHEST:
        return FARTHEST[scene]
    moment = NUDGES[scene]
    return moment, MOST_NUDGES * figures.get(f"nudged {moment}", 0.0)


def _copies(figures: dict[str, Any]) -> list[str]:
    kinds = ("copies to the host", "copies from the host")
    found = [f"{figures[kind]} {kind}" for kind in kinds if figures.get(kind)]
    return found if figures.get("events") else [*found, "nothing was seen"]


# --- speed ---


def _compile(documents: dict[str, lg.Document], device: str) -> dict[str, float]:
    """Compile the kernels of all scenes into Warp's cache, in a process each."""
    start = time.perf_counter()
    names = list(documents)
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(len(names), mp_context=spawn) as pool:
        spent = list(pool.map(_compile_one, names, [device] * len(names)))
    every = {f"{name} s": round(each, 1) for name, each in zip(names, spent, strict=True)}
    return every | {"all s": round(time.perf_counter() - start, 1)}


def _compile_one(name: str, device: str) -> float:
    warnings.simplefilter("ignore", lg.LigamentWarning)
    document = equality_scenes()[name]
    start = time.perf_counter()
    _speed(document, 8, device, quick=True)
    worlds, _ = checks.varied(document, device)
    worlds.step()
    worlds.joint_values  # noqa: B018  (its kernels)
    wp.synchronize()
    return time.perf_counter() - start


def _speed(document: lg.Document, count: int, device: str, quick: bool) -> dict[str, float]:
    """Steps per second of both, alternating; the bare loop runs a graph of as many steps."""
    start = time.perf_counter()
    worlds = lg.Worlds(document, count, engine="mujoco-warp", device=device, animations=())
    worlds.step()
    wp.synchronize()
    made = time.perf_counter() - start
    backend: Any = worlds._backend
    substeps, model = backend._substeps, backend._compiled.model
    with wp.ScopedDevice(backend._device):
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        contacts, rows = backend._room
        bare_model = mjw.put_model(model)
        bare_model.opt.warn_overflow = 0
        bare_model.opt.disableflags = backend._model.opt.disableflags
        bare = mjw.put_data(model, data, nworld=count, nconmax=contacts, njmax=rows)
        mjw.step(bare_model, bare)
        graph = None
        if wp.get_device(backend._device).is_cuda:
            with wp.ScopedCapture() as capture:
                for _ in range(substeps):
                    mjw.step(bare_model, bare)
            graph = capture.graph

        def run_bare(frames: int) -> None:
            for _ in range(frames):
                if graph is not None:
                    wp.capture_launch(graph)
                else:
                    for _ in range(substeps):
                        mjw.step(bare_model, bare)

        frames = 1 if quick else max(4, 400 // substeps)
        speeds: dict[str, list[float]] = {"ours": [], "bare": []}
        for _ in range(1 if quick else 5):
            for name, run in (("ours", worlds.step), ("bare", run_bare)):
                wp.synchronize()
                begin = time.perf_counter()
                run(frames)
                wp.synchronize()
                spent = time.perf_counter() - begin
                speeds[name].append(frames * substeps * count / spent)
    ours, plain = (float(np.median(speeds[name])) for name in ("ours", "bare"))
    return {
        "steps/s": round(ours),
        "bare steps/s": round(plain),
        "ratio": round(ours / plain, 3),
        "substeps": substeps,
        "start s": round(made, 2),
        "failed": int(worlds.failed.sum()),
    }


if __name__ == "__main__":
    main()
