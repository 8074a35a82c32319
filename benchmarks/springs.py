"""Spring bones: Ligament against three-vrm's manager, and on a device.

    python -m benchmarks springs
    python -m benchmarks.springs --device cuda [--library torch|cupy] [--avatars 10000]

An avatar has 16 chains of five joints about its head and 8 colliders, which the hair touches. NumPy
arrays are swung compiled, as they are by default for this many frames where Numba is installed, and
on arrays as without it. Loading what was compiled is not measured.
"""

from __future__ import annotations

import argparse
import functools
import json
import math
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks import install
from benchmarks.harness import (
    Answer,
    Findings,
    Goal,
    Rounds,
    console,
    interleave,
    print_table,
    run_json,
)
from ligament import transforms as tf
from ligament.gltf.document import Document
from ligament.rig import SpringBones

if TYPE_CHECKING:
    from collections.abc import Callable

PEER = "three-vrm"
TIMEOUT = 300.0
CHAINS, JOINTS, COLLIDERS = 16, 5, 8
RATE = 60.0


@dataclass(frozen=True)
class Extent:
    """How much to measure."""

    frames: tuple[tuple[int, int], ...]
    rounds: int


FULL = Extent(((1, 6000), (100, 300)), 5)
QUICK = Extent(((1, 2000), (100, 150)), 2)
GOALS = {1: 0.3, 100: 20.0}
"""Joint-updates per second as a multiple of the peer's, by the number of avatars."""


def avatar(*, colliders: int = COLLIDERS) -> dict[str, Any]:
    """Return the JSON of an avatar: a root, hips that move, a head, and hair on it."""
    nodes: list[dict[str, Any]] = [
        {"name": "root", "children": [1]},
        {"name": "hips", "translation": [0, 1, 0], "children": [2]},
        {"name": "head", "translation": [0, 0.5, 0], "children": []},
    ]
    settings = {"hitRadius": 0.02, "stiffness": 0.8, "gravityPower": 0.1, "dragForce": 0.4}
    springs = []
    for chain in range(CHAINS):
        angle = 2 * math.pi * chain / CHAINS
        across = [math.cos(angle), math.sin(angle)]
        parent, joints = 2, []
        for joint in range(JOINTS + 1):
            out, down = (0.1, 0.05) if joint == 0 else (0.01, -0.06)
            nodes.append({"translation": [out * across[0], down, out * across[1]]})
            nodes[parent].setdefault("children", []).append(len(nodes) - 1)
            parent = len(nodes) - 1
            joints.append({"node": parent, **settings})
        springs.append({"joints": joints, **({"colliderGroups": [0]} if colliders else {})})
    content: dict[str, Any] = {"specVersion": "1.0", "springs": springs}
    if colliders:
        content["colliders"] = [_collider(i) for i in range(colliders)]
        content["colliderGroups"] = [{"colliders": list(range(colliders))}]
    return {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": nodes,
        "extensionsUsed": ["VRMC_springBone"],
        "extensions": {"VRMC_springBone": content},
    }


def _collider(index: int) -> dict[str, Any]:
    sphere = {"offset": [0.03 * index - 0.1, 0.02 * index, 0], "radius": 0.06}
    capsule = {"offset": [0, 0, 0], "tail": [0, 0.2, 0], "radius": 0.05}
    shape = {"sphere": sphere} if index % 3 else {"capsule": capsule}
    return {"node": 2 if index % 2 else 1, "shape": shape}


def motion(frames: int) -> Any:
    """Return the place and rotation (frames, 7) of the hips, which sway and turn."""
    time_ = np.arange(frames) / RATE
    place = np.stack([0.3 * np.sin(4 * time_), 1 + 0 * time_, 0 * time_], axis=-1)
    turn = tf.from_axis_angle([0.0, 1.0, 0.0], np.sin(3 * time_))
    return np.concatenate([place, turn], axis=-1)


def poses(springs: SpringBones, played: Any, avatars: int) -> tuple[Any, Any]:
    """Return rotations and translations (avatars, frames, nodes, …)."""
    frames, tree = len(played), springs.tree
    rotation = np.broadcast_to(tree.rotation, (avatars, frames, len(tree), 4)).copy()
    translation = np.broadcast_to(tree.translation, (avatars, frames, len(tree), 3)).copy()
    for i in range(avatars):
        shown = np.roll(played, -7 * i, axis=0)
        translation[i, :, 1], rotation[i, :, 1] = shown[:, :3], shown[:, 3:]
    return rotation, translation


def measure(*, quick: bool) -> Findings:
    """Measures the whole area and prints its tables."""
    extent = QUICK if quick else FULL
    findings = Findings("springs")
    install.prepare()
    findings.sections["machine"] = machine = install.versions()
    console.print(", ".join(f"{name} {version}" for name, version in machine.items()) + "\n")
    for avatars, frames in extent.frames:
        with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
            throughput(findings, avatars, frames, extent.rounds, Path(name))
    return findings


def throughput(findings: Findings, avatars: int, frames: int, rounds: int, folder: Path) -> None:
    """Joint-updates per second of avatars that play as many frames.

    three-vrm's clock runs only in its manager, poses being set outside; Ligament's runs while all
    frames are swung, from arrays of local transforms to arrays of local rotations.
    """
    springs, played = SpringBones(Document(avatar())), motion(frames)
    arrays = SpringBones(Document(avatar()), compiled=False)
    contenders: dict[str, Callable[[], Answer]] = {
        PEER: functools.partial(_three, folder, played, avatars)
    }
    for dtype in (np.float64, np.float32):
        given = tuple(part.astype(dtype) for part in poses(springs, played, avatars))
        name = np.dtype(dtype).name
        contenders[f"Ligament, {name}"] = functools.partial(_swing, springs, given)
        contenders[f"on arrays, {name}"] = functools.partial(_swing, arrays, given)
        springs.swing(*given, rate=RATE)
    measured = interleave("throughput", contenders, rounds=rounds, budget=TIMEOUT)
    work = avatars * frames * len(springs.nodes)
    title = (
        f"{avatars} avatars, {frames:,} frames, {len(springs.nodes)} joints, {COLLIDERS} colliders"
    )
    _report(findings, measured, list(contenders), work, title, avatars)
    if PEER in measured.answers and avatars == 1:
        apart = _departure(springs, played, folder)
        findings.sections["degrees that three-vrm departs from the text"] = apart
        console.print(
            f"three-vrm departs from the text by {apart['median']:.1f} degrees in the median "
            f"of joints and frames, {apart['largest']:.1f} at most\n"
        )


def _swing(springs: SpringBones, given: tuple[Any, ...]) -> Answer:
    start, used = time.perf_counter(), time.process_time()
    springs.swing(*given, rate=RATE)
    return {"seconds": time.perf_counter() - start, "processor": time.process_time() - used}


def _three(folder: Path, played: Any, avatars: int) -> Answer:
    """One run of three-vrm in a fresh process; leaves its results for the first avatar."""
    (folder / "avatar.gltf").write_text(json.dumps(avatar()))
    played.tofile(folder / "poses.bin")
    request = {"frames": len(played), "avatars": avatars, "rate": RATE}
    files = {"avatar": "avatar.gltf", "poses": "poses.bin", "results": "results.bin"}
    argument = json.dumps(request | {key: str(folder / name) for key, name in files.items()})
    script = install.LISTS / "springs.mjs"
    answer = run_json([install.node(), script, argument], timeout=TIMEOUT, cwd=install.node_peers())
    return {name: float(answer[name]) for name in ("seconds", "processor")}


def _departure(springs: SpringBones, played: Any, folder: Path) -> dict[str, float]:
    """The angles [°] between three-vrm's rotations and those of the text."""
    rotation, translation = (part[0] for part in poses(springs, played, 1))
    theirs = np.fromfile(folder / "results.bin").reshape(rotation.shape)[:, springs.nodes]
    angles = np.degrees(tf.angle_between(theirs, springs.swing(rotation, translation, rate=RATE)))
    return {"median": float(np.median(angles)), "largest": float(angles.max())}


def _report(
    findings: Findings, rounds: Rounds, names: list[str], work: int, title: str, avatars: int
) -> None:
    samples = {name: rounds.sample(name, "seconds") for name in names}
    used = {name: rounds.sample(name, "processor") for name in names}
    peer, rows = samples[PEER], []
    for name, sample in samples.items():
        if sample is None:
            rows.append([name, rounds.missing[name], "", "", ""])
            continue
        ratios = [every[PEER].over(every[name]) for every in (samples, used)] if peer else []
        rate = f"{work / sample.median / 1e6:.2f} million/s"
        rows.append([name, sample.seconds, rate, *([r.text for r in ratios] or ["-", "-"])])
        if ratios and name.startswith("Ligament"):
            goal = f"{PEER} / {name}, {avatars} avatars"
            findings.goals.append(Goal(goal, ratios[0].value, GOALS[avatars], True))
    columns = ["program", "time", "joint updates", "three-vrm / this", "processor time"]
    print_table(title, columns, rows)
    findings.sections[title] = {
        name: list(sample.values) if sample else rounds.missing[name]
        for name, sample in samples.items()
    }


# --- on a device ---


def on_device(library: str, avatars: int, frames: int, device: str) -> float:
    """Joint-updates per second [1/s] of avatars on a device, in single precision."""
    springs = SpringBones(Document(avatar()))
    rotation, translation = poses(springs, motion(frames), 1)
    shape = (avatars, frames, len(springs.tree))
    if library == "torch":
        import torch

        def moved(part: Any) -> Any:
            return torch.as_tensor(part, dtype=torch.float32, device=device)

        def wait() -> None:
            if device == "cuda":
                torch.cuda.synchronize()

        given = [moved(x).expand(*shape, x.shape[-1]).contiguous() for x in (rotation, translation)]
    else:
        import cupy

        given = [
            cupy.broadcast_to(cupy.asarray(x, cupy.float32), (*shape, x.shape[-1])).copy()
            for x in (rotation, translation)
        ]
        wait = cupy.cuda.get_current_stream().synchronize
    times = []
    for _ in range(4):
        wait()
        start = time.perf_counter()
        springs.swing(*given, rate=RATE)
        wait()
        times.append(time.perf_counter() - start)
    return avatars * frames * len(springs.nodes) / min(times[1:])


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.springs", description=__doc__)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--library", choices=("torch", "cupy"), default="torch")
    parser.add_argument("--avatars", type=int, default=10_000)
    parser.add_argument("--frames", type=int, default=60)
    options = parser.parse_args()
    rate = on_device(options.library, options.avatars, options.frames, options.device)
    print(
        f"{options.library} on {options.device}: {options.avatars:,} avatars, "
        f"{options.frames} frames: {rate / 1e6:.1f} million joint updates a second"
    )


if __name__ == "__main__":
    main()
