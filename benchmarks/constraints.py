"""Node constraints: Ligament's solver against three-vrm's constraint manager, and how it grows."""

from __future__ import annotations

import functools
import json
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks import install
from benchmarks.avatars import crowd
from benchmarks.harness import (
    Answer,
    Findings,
    Goal,
    Rounds,
    Sample,
    console,
    interleave,
    print_table,
    run_json,
)
from ligament.gltf.document import Document
from ligament.rig import NodeConstraints

if TYPE_CHECKING:
    from collections.abc import Callable

PEER = "three-vrm"
IN_PLACE = "in place"  # as the peer does, so that the goal is set on it
TIMEOUT = 300.0


@dataclass(frozen=True)
class Extent:
    """How much to measure."""

    avatars: int
    frames: int
    rounds: int
    frame_counts: tuple[int, ...]
    avatar_counts: tuple[int, ...]


FULL = Extent(100, 1000, 5, (1, 10, 100, 1_000, 10_000, 100_000), (1, 3, 10, 30, 100, 300))
QUICK = Extent(100, 1000, 2, (1, 100, 10_000), (1, 10, 100))


def measure(*, quick: bool) -> Findings:
    """Measures the whole area and prints its tables."""
    extent = QUICK if quick else FULL
    findings = Findings("constraints")
    install.prepare()
    findings.sections["machine"] = machine = install.versions()
    console.print(", ".join(f"{name} {version}" for name, version in machine.items()) + "\n")
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        throughput(findings, extent, Path(name))
    growth(findings, extent)
    return findings


def throughput(findings: Findings, extent: Extent, folder: Path) -> None:
    """Constraints per second of many avatars that each play as many frames.

    three-vrm's clock runs only in its manager, which turns nodes in place. Ligament's runs while
    it turns them in place, or writes the rotations of all nodes to a new array; it solves one file
    for all avatars (their frames in a row), or one file that holds them all.
    """
    avatars, frames = extent.avatars, extent.frames
    one, all_in_one = (NodeConstraints(Document(crowd(count))) for count in (1, avatars))
    poses = _poses(frames, len(one.tree))
    contenders: dict[str, Callable[[], Answer]] = {
        PEER: functools.partial(_three, folder, poses, avatars)
    }
    for dtype in (np.float64, np.float32):
        played = np.concatenate([np.roll(poses, -7 * i, axis=0) for i in range(avatars)])
        side_by_side = _poses(frames, len(all_in_one.tree))
        label = f"Ligament, {np.dtype(dtype).name}"
        for name, solver, pose in (
            (f"{label}, one file", one, played.astype(dtype)),
            (f"{label}, one file of all", all_in_one, side_by_side.astype(dtype)),
        ):
            contenders[f"{name}, {IN_PLACE}"] = _timed(solver, pose, in_place=True)
            contenders[f"{name}, to a new array"] = _timed(solver, pose)
    rounds = interleave("throughput", contenders, rounds=extent.rounds, budget=TIMEOUT)
    work = avatars * frames * len(one.constraints)
    title = f"{avatars} avatars, {frames:,} frames, {len(one.constraints)} constraints"
    _report(findings, rounds, list(contenders), work, title)
    if PEER in rounds.answers:
        worst = _disagreement(one, poses, folder)
        findings.sections["largest difference from three-vrm [degrees]"] = worst
        findings.goals.append(Goal("degrees apart from three-vrm at most", worst, 1e-3, False))


def growth(findings: Findings, extent: Extent) -> None:
    """Time per constraint as frames grow with one avatar, and avatars with a hundred frames."""
    solver = NodeConstraints(Document(crowd(1)))
    poses = _poses(max(extent.frame_counts), len(solver.tree))
    rows, sections = [], {}
    for frames in extent.frame_counts:
        sample = _fastest(solver, poses[:frames])
        rows.append([f"{frames:,} frames of 1 avatar", *_costs(sample, frames, 20)])
        sections[f"{frames} frames, 1 avatar"] = list(sample.values)
    for avatars in extent.avatar_counts:
        solver = NodeConstraints(Document(crowd(avatars)))
        sample = _fastest(solver, _poses(100, len(solver.tree)))
        rows.append([f"100 frames of {avatars:,} avatars", *_costs(sample, 100, 20 * avatars)])
        sections[f"100 frames, {avatars} avatars"] = list(sample.values)
    print_table("Ligament: growth", ["work", "time", "per frame", "per constraint"], rows)
    findings.sections["growth"] = sections


def _poses(frames: int, nodes: int) -> Any:
    turns = np.random.default_rng(5).standard_normal((frames, nodes, 4))
    return turns / np.linalg.norm(turns, axis=-1, keepdims=True)


def _timed(
    solver: NodeConstraints, rotation: Any, *, in_place: bool = False
) -> Callable[[], Answer]:
    """The contender that solves a pose, once unmeasured like the peer's, then once by the clock."""
    out = rotation if in_place else None

    def run() -> Answer:
        solver.solve(rotation, out=out)
        start = time.perf_counter()
        solver.solve(rotation, out=out)
        return {"seconds": time.perf_counter() - start}

    return run


def _three(folder: Path, poses: Any, avatars: int) -> Answer:
    """One run of three-vrm in a fresh process; leaves its results for the first avatar."""
    frames, nodes = poses.shape[:2]
    (folder / "avatar.gltf").write_text(json.dumps(crowd(1)))
    poses.tofile(folder / "poses.bin")
    request = {"nodes": nodes, "frames": frames, "avatars": avatars}
    files = {"avatar": "avatar.gltf", "poses": "poses.bin", "results": "results.bin"}
    argument = json.dumps(request | {key: str(folder / name) for key, name in files.items()})
    script = install.LISTS / "constraints.mjs"
    home = install.node_peers()
    answer = run_json([install.node(), script, argument], timeout=TIMEOUT, cwd=home)
    return {"seconds": float(answer["seconds"])}


def _disagreement(solver: NodeConstraints, poses: Any, folder: Path) -> float:
    """The largest angle [°] between the results of both programs."""
    theirs = np.fromfile(folder / "results.bin").reshape(poses.shape)
    ours = solver.solve(poses)
    near, far = (np.linalg.norm(ours - sign * theirs, axis=-1) for sign in (1, -1))
    angles = 4 * np.arctan2(np.minimum(near, far), np.maximum(near, far))
    return float(np.degrees(angles).max())


def _report(findings: Findings, rounds: Rounds, names: list[str], work: int, title: str) -> None:
    samples = {name: rounds.sample(name, "seconds") for name in names}
    peer = samples[PEER]
    rows = []
    for name, sample in samples.items():
        if sample is None:
            rows.append([name, rounds.missing[name], "", ""])
            continue
        ratio = peer.over(sample) if peer else None
        rate = f"{work / sample.median / 1e6:.2f} million/s"
        rows.append([name, sample.seconds, rate, ratio.text if ratio else "-"])
        if ratio and name.endswith(IN_PLACE):
            findings.goals.append(Goal(f"{PEER} / {name}", ratio.value, 30.0, True))
    print_table(title, ["program", "time", "constraints", "three-vrm / this"], rows)
    findings.sections[title] = {
        name: list(sample.values) if sample else rounds.missing[name]
        for name, sample in samples.items()
    }


def _fastest(solver: NodeConstraints, rotation: Any) -> Sample:
    """Seven times of solving a pose, each over as many calls as take a few milliseconds."""
    run = _timed(solver, rotation)
    calls = max(1, int(0.005 / max(1e-6, run()["seconds"])))
    times = [sum(run()["seconds"] for _ in range(calls)) / calls for _ in range(7)]
    return Sample(tuple(times))


def _costs(sample: Sample, frames: int, constraints: int) -> list[str]:
    per_frame = sample.median / frames
    return [
        sample.seconds,
        f"{per_frame * 1e6:.3g} µs",
        f"{per_frame / constraints * 1e9:.3g} ns",
    ]
