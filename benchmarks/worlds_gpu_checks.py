"""Claims of many worlds on a device, for `benchmarks.worlds_gpu`: a figure for each."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import warp as wp

import ligament as lg
from ligament.worlds import worlds as play_worlds

COUNT = 8
"""Worlds that are compared one by one."""

MASS = {"quantity": "mass", "nodes": "*", "distribution": "uniform", "min": 0.8, "max": 1.25}
SPIN = {"quantity": "angular_velocity", "nodes": "*", "distribution": "normal", "mean": 0}
SHOVE = {"quantity": "linear_velocity", "nodes": "*", "distribution": "normal", "mean": 0}
TARGET = {"quantity": "drive_position", "nodes": "*", "distribution": "uniform", "min": -1}
RULES = [
    MASS | {"apply": "scale"},
    SPIN | {"std": 0.5, "apply": "add"},
    SHOVE | {"std": 0.1, "apply": "add"},
    TARGET | {"max": 1},
]


def varied(document: lg.Document, device: str) -> tuple[lg.Worlds, dict[str, Any]]:
    """Make worlds with all of the rules that fit the scene; returns their options, too."""
    rules = list(RULES)
    while True:
        options: dict[str, Any] = {"vary": {"vary": rules}, "seed": 1, "animations": ()}
        try:
            made = lg.Worlds(document, COUNT, engine="mujoco-warp", device=device, **options)
        except lg.LigamentError as fault:
            unfit = [rule for rule in rules if _is_about(rule, str(fault))]
            if not unfit:
                raise
            rules = [rule for rule in rules if rule not in unfit]
        else:
            return made, options


def _is_about(rule: dict[str, Any], fault: str) -> bool:
    """Tell whether a refusal is that of a rule: no drive to aim, a mass that gains depend on."""
    return rule["quantity"].split("_")[0] in fault


def equality(document: lg.Document, device: str, *, frames: int) -> dict[str, Any]:
    """Largest distance of positions [m] from MuJoCo's, and of two runs from each other."""
    ours, options = varied(document, device)
    theirs = lg.Worlds(document, COUNT, engine="mujoco", **options)
    nudged = lg.Worlds(_nudge(document), COUNT, engine="mujoco", **options)
    distances: dict[str, Any] = {}
    tracks = []
    for frame in range(1, frames + 1):
        for worlds in (ours, theirs, nudged):
            worlds.step()
        tracks.append(ours.translation.numpy())
        if frame in (1, 3, 15, 30, 60, 120):
            moment = f"{frame / 60:.2f} s"
            for name, track in ((moment, tracks[-1]), (f"nudged {moment}", nudged.translation)):
                distances[name] = _rounded(np.abs(track - theirs.translation).max())
    ours.reset()
    repeated = 0.0
    for track in tracks:
        ours.step()
        repeated = max(repeated, float(np.abs(ours.translation.numpy() - track).max()))
    quantities = ", ".join(rule["quantity"] for rule in options["vary"]["vary"])
    return distances | {
        "two runs": _rounded(repeated),
        "varied": quantities,
        "same parameters": bool(np.array_equal(ours.parameters, theirs.parameters)),
    }


def _rounded(value: float) -> float:
    return float(f"{value:.2g}")


def _nudge(document: lg.Document) -> lg.Document:
    """Move every second node up and every other one down by the last bit of a float32."""
    nudged = document.copy()
    for index, node in enumerate(nudged.json.get("nodes", ())):
        if "translation" in node:
            bound = np.float32(np.inf if index % 2 else -np.inf)
            moved = np.nextafter(np.array(node["translation"], np.float32) + 1, bound) - 1
            node["translation"] = moved.astype(float).tolist()
    return nudged


# --- copies ---


def profile(document: lg.Document, device: str, *, controlled: bool = False) -> dict[str, Any]:
    """Count what the device does in ten frames, by kind.

    With `controlled`, each frame is given forces, impulses and targets, and some worlds are reset,
    by arrays of torch on the device. That the profile sees copies is shown by one on purpose.
    """
    try:
        import torch
        from torch.profiler import ProfilerActivity
        from torch.profiler import profile as profiler
    except ImportError:
        return {"torch": "absent"}
    if not wp.get_device(device).is_cuda:
        return {"torch": "needs a GPU to profile"}
    count = 1024
    worlds = lg.Worlds(document, count, engine="mujoco-warp", device=device, animations=())
    shape = (count, len(worlds.nodes), 3)
    place = {"device": "cuda", "dtype": torch.float32}
    forces, targets = torch.zeros(shape, **place), torch.zeros((count, 1), **place)
    mask = torch.arange(count, device="cuda") % 2 == 0

    def control() -> None:
        worlds.apply_forces(forces, forces)
        worlds.apply_impulses(forces, forces)
        worlds.set_drive_targets(positions=targets, velocities=targets)
        worlds.reset(mask)

    def frames() -> None:
        for _ in range(10):
            if controlled:
                control()
            worlds.step()

    frames()
    activities = [ProfilerActivity.CUDA, ProfilerActivity.CPU]

    def seen(run: Callable[[], object]) -> list[str]:
        torch.cuda.synchronize()
        with profiler(activities=activities) as found:
            run()
            torch.cuda.synchronize()
        return [each.name for each in found.events() if "cuda" in str(each.device_type).lower()]

    names = seen(frames)
    copies = [name for name in names if "memcpy" in name.lower()]
    witness = seen(worlds.translation.numpy)
    return {
        "events": len(names),
        "copies on the device": sum("DtoD" in name for name in copies),
        "copies to the host": sum("DtoH" in name for name in copies),
        "copies from the host": sum("HtoD" in name for name in copies),
        "a copy on purpose is seen": any("DtoH" in name for name in witness),
    }


def libraries(document: lg.Document, device: str) -> dict[str, Any]:
    """Tell whether other libraries see the poses at their own address."""
    worlds = lg.Worlds(document, COUNT, engine="mujoco-warp", device=device, animations=())
    worlds.step()
    array, found = worlds.translation, {}
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    for name, address in _ADDRESSES.items():
        try:
            found[f"{name} without a copy"] = bool(address(array) == array.ptr)
        except ImportError:
            found[name] = "absent"
    return found


def _in_torch(array: Any) -> Any:
    import torch

    return torch.from_dlpack(array).data_ptr()


def _in_jax(array: Any) -> Any:
    import jax

    return jax.dlpack.from_dlpack(array).unsafe_buffer_pointer()


def _in_cupy(array: Any) -> Any:
    import cupy

    return cupy.from_dlpack(array).data.ptr if array.device.is_cuda else array.ptr


_ADDRESSES: dict[str, Callable[[Any], Any]] = {
    "torch": _in_torch,
    "jax": _in_jax,
    "cupy": _in_cupy,
}


# --- what goes wrong ---


def failure(document: lg.Document, device: str) -> dict[str, Any]:
    """Break one world, and look at all of them."""
    worlds, _ = varied(document, device)
    worlds.step(6)
    whole = worlds.translation.numpy()
    worlds.reset()
    worlds.step(2)
    before = worlds.translation.numpy()
    impulses = np.zeros((COUNT, len(worlds.nodes), 3))
    impulses[3] = 1e39
    worlds.apply_impulses(impulses)
    worlds.step(4)
    after = worlds.translation.numpy()
    others = np.arange(COUNT) != 3
    alone = worlds.failed.tolist() == (~others).tolist()
    worlds.reset(~others)
    worlds.step(6)
    return {
        "recorded alone": alone,
        "frozen where it was": bool(np.array_equal(after[3], before[3])),
        "others go on": bool(np.abs(after - whole)[others].max() < 1e-4),
        "well after a reset": bool(np.abs(worlds.translation.numpy() - whole)[3].max() < 1e-4),
        "worlds marked after a reset": int(worlds.failed.sum()),
    }


def no_room(document: lg.Document, device: str) -> dict[str, Any]:
    """Run out of room for contacts, and of memory on a GPU: one line each says what to set."""
    options: dict[str, Any] = {"engine": "mujoco-warp", "device": device, "animations": ()}
    contacts = _refusal(lambda: lg.Worlds(document, COUNT, contact_room=1, **options))
    found: dict[str, Any] = {
        "contacts": contacts,
        "contacts in one line": "contact_room=" in contacts and "\n" not in contacts,
    }
    own = wp.get_device(device)
    if own.is_cuda:
        rows = max((own.free_memory - (200 << 20)) >> 20, 1)
        hog = wp.empty((rows, 1 << 20), dtype=wp.uint8, device=own)
        memory = _refusal(lambda: lg.Worlds(document, 16_384, **options))
        del hog
        found["memory"] = memory
        found["memory in one line"] = "fewer worlds" in memory and "\n" not in memory
    return found


def _refusal(make: Callable[[], object]) -> str:
    try:
        make()
    except lg.LigamentError as fault:
        return str(fault)
    return "nothing was refused"


# --- a data set ---


def data_set(document: lg.Document, device: str, quick: bool) -> dict[str, Any]:
    """Time from rules to a data set of ragdolls of 2 s at 60 Hz, and that of its parts alone."""
    rules = {"vary": [RULES[1]]}
    count, seconds = (8, 0.1) if quick else (4_096, 2.0)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "ragdolls.npz"
        start = time.perf_counter()
        report = play_worlds(
            document,
            rules,
            count,
            out,
            seconds=seconds,
            float32=True,
            engine="mujoco-warp",
            device=device,
            animations=(),
        )
        spent = time.perf_counter() - start
        size = out.stat().st_size
        parts = _parts(document, rules, count, round(60 * seconds), device, Path(folder), size)
    rest = spent - sum(parts.values())
    return {
        "worlds": count,
        "seconds": round(spent, 1),
        **{name: round(each, 1) for name, each in parts.items()},
        "a process, imports and joining parts s": round(rest, 1),
        "failed": len(report.failed),
        "MB": round(size / 1e6),
    }


def _parts(
    document: lg.Document,
    rules: dict[str, Any],
    count: int,
    frames: int,
    device: str,
    folder: Path,
    size: int,
) -> dict[str, float]:
    """Time what makes a data set: starting, stepping, copying to the host, writing to disk."""
    moments = [time.perf_counter()]
    worlds = lg.Worlds(
        document,
        count,
        engine="mujoco-warp",
        device=device,
        vary=rules,
        animations=(),
    )
    wp.synchronize()
    moments.append(time.perf_counter())
    worlds.step(frames)
    wp.synchronize()
    moments.append(time.perf_counter())
    for _ in range(frames + 1):
        for name in ("translation", "rotation", "linear_velocity", "angular_velocity"):
            getattr(worlds, name).numpy()
        worlds.joint_values.limits.numpy()
    moments.append(time.perf_counter())
    with (folder / "bytes").open("wb") as stream:
        stream.write(bytes(size))
        os.fsync(stream.fileno())
    moments.append(time.perf_counter())
    names = ("variations and start s", "steps s", "copies s", "writing as many bytes s")
    return dict(zip(names, np.diff(moments).tolist(), strict=True))
