"""Retargeting: Ligament against three-vrm on Node, and the transfer of rotations against a copy.

Interpolation at other times is compiled, as it is where Numba is installed once a process has spent
half a second on it, and on arrays, as before that and without Numba. Loading what was compiled is
not measured; how long it took is printed.
"""

from __future__ import annotations

import functools
import json
import math
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import ligament as lg
from benchmarks import humanoids, install
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
from ligament.rig.compiled import DeferredLoops
from ligament.rig.humanoid.skeleton import Humanoid
from ligament.rig.motion import slerp
from ligament.rig.motion.load import load_motion
from ligament.rig.motion.motion import Motion
from ligament.rig.retarget import retarget
from ligament.transforms.products import apply_products

if TYPE_CHECKING:
    from collections.abc import Callable

PEER = "three-vrm"
TIMEOUT = 300.0
DTYPES = (np.float32, np.float64)
ARRAYS, LOOPS = DeferredLoops("slerp", math.inf), DeferredLoops("slerp")
WITHOUT = ", without Numba"


@dataclass(frozen=True)
class Extent:
    """How much to measure."""

    keys: int
    frames: int
    rounds: int
    sizes: tuple[int, ...]


FULL = Extent(5_000, 10_000, 7, (1_000, 10_000, 100_000))
QUICK = Extent(2_000, 4_000, 3, (1_000, 10_000))


def measure(*, quick: bool) -> Findings:
    """Measures the whole area and prints its tables."""
    extent = QUICK if quick else FULL
    findings = Findings("retarget")
    install.prepare()
    findings.sections["machine"] = machine = install.versions()
    console.print(", ".join(f"{name} {version}" for name, version in machine.items()) + "\n")
    _load(findings)
    for bones in (humanoids.BODY, humanoids.FULL):
        with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
            _throughput(findings, extent, bones, Path(name))
    _copies(findings, extent)
    return findings


def _load(findings: Findings) -> None:
    """Load the compiled loops, which are compiled first if the machine has none, and run them."""
    start = time.perf_counter()
    if LOOPS.load() is None:
        console.print("Numba is not installed, so that interpolation is not compiled.\n")
        return
    motion = load_motion(humanoids.motion(humanoids.BODY, 3))
    avatar = Humanoid(humanoids.avatar(humanoids.BODY))
    for dtype in DTYPES:
        _work(motion.map(lambda a, d=dtype: a.astype(d)), avatar, [0.01, 0.02, 0.04], LOOPS)()
    findings.sections["loading Numba [s]"] = seconds = time.perf_counter() - start
    text = "Interpolation is compiled by Numba. Loading that, which is not part of the times below,"
    console.print(f"{text} took {seconds:.2f} s.\n")


def _throughput(findings: Findings, extent: Extent, bones: tuple[str, ...], folder: Path) -> None:
    """Bone-frames per second at the keys, which all tracks share, and at other times.

    Both programs have the files in memory. three-vrm makes a clip for the avatar and plays it
    frame by frame; Ligament makes the whole array. What it prepares for interpolating is part of
    its time: every call gets a motion that was not sampled before.
    """
    lg.save(humanoids.avatar(bones), folder / "avatar.vrm")
    lg.save(humanoids.motion(bones, extent.keys), folder / "motion.vrma")
    avatar = Humanoid(lg.load(folder / "avatar.vrm"))
    motion = load_motion(folder / "motion.vrma")
    others = np.linspace(0, motion.duration, extent.frames)
    for label, times, bound in (("at the keys", None, 100.0), ("at other times", others, 30.0)):
        at = motion.times if times is None else times
        contenders: dict[str, Callable[[], Answer]] = {
            PEER: functools.partial(_three, folder, avatar.bones, at)
        }
        for dtype in DTYPES:
            own = motion.map(lambda a, d=dtype: a.astype(d))
            name = f"Ligament, {np.dtype(dtype).name}"
            contenders[name] = _call(_work(own, avatar, times, LOOPS))
            if times is not None and LOOPS.load() is not None:
                contenders[name + WITHOUT] = _call(_work(own, avatar, times, ARRAYS))
        rounds = interleave(label, contenders, rounds=extent.rounds, budget=TIMEOUT)
        title = f"{len(bones)} bones, {len(at):,} frames {label} ({extent.keys:,} keys)"
        _report(findings, rounds, list(contenders), len(at) * len(bones), title, bound)
        if PEER in rounds.answers:
            theirs = np.fromfile(folder / "results.bin").reshape(len(at), len(bones), 4)
            ours = retarget(motion, avatar, times).rotation
            worst = float(np.degrees(tf.angle_between(ours, tf.normalize(theirs))).max())
            goal = f"degrees apart from {PEER}, {len(bones)} bones {label}"
            findings.goals.append(Goal(goal, worst, 1e-3, False))


def _copies(findings: Findings, extent: Extent) -> None:
    """The transfer of rotations alone against a copy of the same bytes, by layout and size."""
    avatar = Humanoid(humanoids.avatar(humanoids.FULL))
    rows: list[list[str]] = []
    section: dict[str, Any] = {}
    for dtype in DTYPES:
        for frames in extent.sizes:
            shape = (frames, len(avatar.bones), 4)
            rotation = np.random.default_rng(0).standard_normal(shape).astype(dtype)
            innermost = np.ascontiguousarray(rotation.transpose(1, 2, 0)).transpose(2, 0, 1)
            contenders = {
                "copy": _call(rotation.copy),
                "frames innermost": _call(
                    functools.partial(apply_products, innermost, avatar.applying)
                ),
                "frames outermost": _call(
                    functools.partial(apply_products, rotation, avatar.applying)
                ),
            }
            rounds = interleave("transfer", contenders, rounds=4 * extent.rounds, budget=20.0)
            samples = {name: rounds.sample(name, "seconds") for name in contenders}
            copy = samples["copy"]
            assert copy is not None
            name = f"{np.dtype(dtype).name}, {frames:,} frames of {len(avatar.bones)} bones"
            ratios = {n: s.over(copy) for n, s in samples.items() if s and n != "copy"}
            rows.append([name, copy.seconds, *(ratio.text for ratio in ratios.values())])
            section[name] = {n: ratio.value for n, ratio in ratios.items()}
            if dtype is np.float32:
                goal = f"transfer / copy, {name}"
                findings.goals.append(Goal(goal, ratios["frames innermost"].value, 3.0, False))
    columns = ["array", "copy", "transfer, frames innermost", "transfer, frames outermost"]
    print_table("Transfer of rotations as multiples of a copy", columns, rows)
    findings.sections["transfer / copy"] = section


def _work(motion: Motion, avatar: Humanoid, times: Any, loops: DeferredLoops) -> Callable[[], Any]:
    """Retargets a motion, each time one that was not sampled before."""

    def work() -> Any:
        slerp.LOOPS = loops
        return retarget(motion.map(lambda array: array), avatar, times)

    return work


def _call(work: Callable[[], Any]) -> Callable[[], Answer]:
    """The contender that does some work, again and again for some hundredths of a second."""
    work()
    start = time.perf_counter()
    work()
    calls = max(3, int(0.05 / max(1e-6, time.perf_counter() - start)))

    def run() -> Answer:
        begin = time.perf_counter()
        for _ in range(calls):
            work()
        return {"seconds": (time.perf_counter() - begin) / calls}

    return run


def _three(folder: Path, bones: tuple[str, ...], times: Any) -> Answer:
    """One run of three-vrm in a fresh process; leaves its results."""
    np.asarray(times, np.float64).tofile(folder / "times.bin")
    files = {"avatar": "avatar.vrm", "motion": "motion.vrma", "times": "times.bin"}
    request: dict[str, Any] = {key: str(folder / name) for key, name in files.items()}
    request |= {"bones": bones, "results": str(folder / "results.bin")}
    script = install.LISTS / "retarget.mjs"
    command = [install.node(), script, json.dumps(request)]
    answer = run_json(command, timeout=TIMEOUT, cwd=install.node_peers())
    return {"seconds": float(answer["clip"] + answer["play"])}


def _report(
    findings: Findings, rounds: Rounds, names: list[str], work: int, title: str, bound: float
) -> None:
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
        if ratio and name != PEER and WITHOUT not in name:
            findings.goals.append(Goal(f"{PEER} / {name}, {title}", ratio.value, bound, True))
    print_table(title, ["program", "time", "bone-frames", f"{PEER} / this"], rows)
    findings.sections[title] = {
        name: list(sample.values) if sample else rounds.missing[name]
        for name, sample in samples.items()
    }
