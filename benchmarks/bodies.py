"""Rigid bodies: steps per second with recording, against other engines, and time to set up."""

from __future__ import annotations

import dataclasses
import functools
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks import install, worlds
from benchmarks.engines import (
    BULLET,
    HAVOK,
    LIGAMENT,
    MUJOCO,
    OWN,
    RAW,
    Contender,
    Course,
    Length,
    Verdict,
    compete,
    run_engine,
)
from benchmarks.harness import (
    Answer,
    Findings,
    Goal,
    Rounds,
    Sample,
    console,
    fitted_exponent,
    interleave,
    print_table,
)
from benchmarks.judging import Floats, depth_below_floor, overlaps, share_in_motion
from benchmarks.world_files import write_gltf

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.world import World

PEERS = (HAVOK, MUJOCO, BULLET)
CONTENDERS = (*OWN, *(Contender(peer) for peer in PEERS))
TIMEOUT = 300.0


@dataclass(frozen=True)
class Extent:
    """How much to measure; the sleepers are clocked for the last of their frames only."""

    boxes: int
    balls: int
    sleepers: int
    compounds: int
    length: Length
    rest: Length
    sleep: Length
    rounds: int
    sizes: tuple[int, ...]


FULL = Extent(
    boxes=1_000,
    balls=1_000,
    sleepers=10_000,
    compounds=300,
    length=Length(120),
    rest=Length(300),
    sleep=Length(300, skip=200, limit=20.0),
    rounds=5,
    sizes=(100, 300, 1_000, 3_000, 10_000),
)
QUICK = Extent(
    boxes=125,
    balls=125,
    sleepers=400,
    compounds=30,
    length=Length(60, limit=5.0),
    rest=Length(180, limit=5.0),
    sleep=Length(200, skip=150, limit=5.0),
    rounds=2,
    sizes=(30, 100, 300),
)


def measure(*, quick: bool) -> Findings:
    """Measures the whole area and prints its tables."""
    install.prepare(install.node_peers, install.mujoco, install.pybullet)
    return measure_extent(QUICK if quick else FULL)


def measure_extent(extent: Extent) -> Findings:
    """Measures as much as `extent` says, against those engines that are installed."""
    findings = Findings("bodies")
    findings.sections["machine"] = machine = install.versions()
    console.print(", ".join(f"{name} {version}" for name, version in machine.items()) + "\n")
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        folder = Path(name)
        speed(findings, extent, folder)
        setup(findings, extent, folder)
    return findings


def speed(findings: Findings, extent: Extent, folder: Path) -> None:
    """Steps per second of every world; poses are recorded, and read once a frame by the others.

    The pile is measured twice: while it falls, and as long as `simulate` plays by default.

    rapier3d has the settings that Ligament chose, the others their own, but the same frames.
    """
    pile = worlds.pile(extent.boxes)
    courses = (
        (pile, extent.length, PEERS),
        (dataclasses.replace(pile, name=f"{pile.name}, until they rest"), extent.rest, PEERS),
        (worlds.balls(extent.balls), extent.length, ()),
        (worlds.resting(extent.sleepers), extent.sleep, ()),
        (worlds.compounds(extent.compounds), extent.length, ()),
    )
    for world, length, ahead_of in courses:
        course = Course(world, length, folder)
        outcome = compete(findings, course, CONTENDERS, judge, rounds=extent.rounds)
        for name, bound in ((RAW, 0.9), *((peer, 1.0) for peer in ahead_of)):
            if ratio := outcome.speed(name):
                label = f"steps/s of Ligament / {name}, {world.name}"
                findings.goals.append(Goal(label, ratio.value, bound, True))


def judge(world: World, poses: Floats) -> Verdict:
    """How deep the bodies end in the floor and in each other, and how many are still in motion.

    Of boxes in each other, the depth that nine in ten do not exceed, and the worst.
    """
    nine_in_ten, worst = 1000 * np.percentile(overlaps(world, poses), (90, 100))
    return {
        "mm in the floor": (1000 * depth_below_floor(world, poses),),
        "mm in each other": (float(nine_in_ten), float(worst)),
        "% in motion": (100 * share_in_motion(poses),),
    }


def setup(findings: Findings, extent: Extent, folder: Path) -> None:
    """Loading and building against the number of bodies, and the exponent that fits."""
    contenders: dict[str, Callable[[], Answer]] = {}
    for size in extent.sizes:
        source = write_gltf(worlds.pile(size), folder / f"pile_{size}.gltf")
        contenders[f"{size:,}"] = functools.partial(_setup, source)
    rounds = interleave("set-up", contenders, rounds=extent.rounds, budget=TIMEOUT)
    samples = [rounds.sample(name, "load", "build") for name in contenders]
    exponent = fitted_exponent(extent.sizes, samples)
    rows = [
        [name, _cell(rounds, name, "load"), _cell(rounds, name, "build"), _each(total, size)]
        for name, total, size in zip(contenders, samples, extent.sizes, strict=True)
    ]
    print_table("Set-up of a pile", ["bodies", "load", "build", "both, per body"], rows)
    console.print(f"  from {extent.sizes[1]:,} bodies up, time grows as bodies^{exponent:.3f}\n")
    findings.sections["set-up"] = {"exponent": exponent} | {
        name: rounds.answers.get(name) or rounds.missing[name] for name in contenders
    }
    findings.goals.append(Goal("exponent of set-up against bodies", exponent, 1.1, False))


def _setup(source: Path) -> Answer:
    request = {"source": str(source), "frames": 0}
    answer = run_engine(LIGAMENT, request, timeout=TIMEOUT, env={})
    return {"load": float(answer["load"]), "build": float(answer["build"])}


def _cell(rounds: Rounds, name: str, part: str) -> str:
    sample = rounds.sample(name, part)
    return sample.seconds if sample else rounds.missing[name]


def _each(sample: Sample | None, bodies: int) -> str:
    return f"{sample.median / bodies * 1e6:.1f} µs" if sample else "-"
