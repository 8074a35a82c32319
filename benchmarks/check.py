"""Checking files: Ligament against gltf-validator, how time grows, and what each of them finds."""

from __future__ import annotations

import functools
import json
import math
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import install, scenes
from benchmarks.harness import (
    ROOT,
    Answer,
    Findings,
    Goal,
    Sample,
    console,
    fitted_exponent,
    interleave,
    print_table,
    run_json,
)

if TYPE_CHECKING:
    from collections.abc import Callable

OURS, PEER = "ligament", "gltf-validator"
PROGRAMS = (OURS, PEER)
CASES = ROOT / "tests" / "checker" / "cases"
TIMEOUT = 300.0
MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Extent:
    """How much to measure."""

    nodes: int
    sizes: tuple[int, ...]
    rounds: int


FULL = Extent(100_000, (1_000, 10_000, 30_000, 100_000, 300_000), 5)
QUICK = Extent(20_000, (1_000, 5_000, 20_000), 2)


def measure(*, quick: bool) -> Findings:
    """Measures the whole area and prints its tables."""
    extent = QUICK if quick else FULL
    findings = Findings("check")
    install.prepare(install.node_peers)
    findings.sections["machine"] = machine = install.versions()
    console.print(", ".join(f"{name} {version}" for name, version in machine.items()) + "\n")
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        folder = Path(name)
        against_the_validator(findings, extent, folder)
        growth(findings, extent, folder)
    faults(findings)
    return findings


def against_the_validator(findings: Findings, extent: Extent, folder: Path) -> None:
    """Load and check of large files, each by both programs, in fresh processes that are warm."""
    warm_up = scenes.write(scenes.scene(1_000), folder / "warm_up.glb")
    for name, content in (
        ("assemblies", scenes.scene(extent.nodes)),
        ("bodies", bodies(extent.nodes)),
    ):
        source = scenes.write(content, folder / f"{name}.glb")
        rounds = interleave(
            name,
            {program: functools.partial(_one, program, source, warm_up) for program in PROGRAMS},
            rounds=extent.rounds,
            budget=TIMEOUT,
        )
        samples = {program: rounds.sample(program, "check") for program in PROGRAMS}
        ours, theirs = samples[OURS], samples[PEER]
        ratio = theirs.over(ours) if ours and theirs else None
        rows = [
            [program, sample.seconds if sample else rounds.missing.get(program, "-")]
            for program, sample in samples.items()
        ]
        size = source.stat().st_size / MEGABYTE
        title = f"{name}: {extent.nodes:,} nodes, {size:.1f} MB, load and check"
        print_table(title, ["program", "time"], [*rows, ["ratio", ratio.text if ratio else "-"]])
        findings.sections[name] = {
            program: list(sample.values) if sample else rounds.missing.get(program)
            for program, sample in samples.items()
        }
        value = ratio.value if ratio else math.nan
        findings.goals.append(Goal(f"{PEER} / Ligament, {name}", value, 1.0, True))


def growth(findings: Findings, extent: Extent, folder: Path) -> None:
    """Time to load and check against the number of nodes, and the exponent that fits."""
    warm_up = folder / "warm_up.glb"
    contenders: dict[str, Callable[[], Answer]] = {}
    for size in extent.sizes:
        source = scenes.write(bodies(size), folder / f"bodies_{size}.glb")
        contenders[f"{size:,}"] = functools.partial(_one, OURS, source, warm_up)
    rounds = interleave("growth", contenders, rounds=extent.rounds, budget=TIMEOUT)
    samples = [rounds.sample(name, "check") for name in contenders]
    rows = [
        [name, sample.seconds, f"{sample.median / size * 1e6:.1f} µs"]
        if sample
        else [name, "-", "-"]
        for name, sample, size in zip(contenders, samples, extent.sizes, strict=True)
    ]
    print_table("Ligament: load and check by number of bodies", ["bodies", "time", "each"], rows)
    exponent = fitted_exponent(extent.sizes, samples)
    findings.sections["growth"] = {"exponent": exponent} | {
        name: _values(sample) for name, sample in zip(contenders, samples, strict=True)
    }
    findings.goals.append(Goal("exponent of time against bodies", exponent, 1.1, False))


def faults(findings: Findings) -> None:
    """How many of the files with one fault each, an error or a warning, each program objects to."""
    serious = sorted(CASES.glob("*.failing.gltf"))
    counts = {}
    for program in PROGRAMS:
        answers = _run(program, serious, None)
        counts[program] = sum(answer["serious"] > 0 for answer in answers)
    rows = [[program, f"{count} of {len(serious)}"] for program, count in counts.items()]
    print_table("Files with one fault that have errors or warnings", ["program", "files"], rows)
    findings.sections["faults"] = {**counts, "files": len(serious)}


def bodies(count: int) -> scenes.Scene:
    """A file in which every node is a body with a collider, hinged to the one before it."""
    nodes: list[dict[str, Any]] = []
    for index in range(count):
        place = [2.0 * (index % 100), 2.0 * (index // 100 % 100), 2.0 * (index // 10_000)]
        content: dict[str, Any] = {
            "motion": {"mass": 1.5, "linearVelocity": [0.0, 0.5, 0.0]},
            "collider": {"geometry": {"shape": index % 2}, "physicsMaterial": 0},
        }
        if index:
            content["joint"] = {"connectedNode": index - 1, "joint": 0}
        nodes.append(
            {"name": f"body_{index}", "translation": place, "extensions": {scenes.PHYSICS: content}}
        )
    small = scenes.scene(1)
    limits = [{"angularAxes": [0], "min": -0.5, "max": 0.5}]
    shapes = [
        {"type": "box", "box": {"size": [1.0, 0.5, 0.25]}},
        {"type": "sphere", "sphere": {"radius": 0.5}},
    ]
    return scenes.Scene(
        {
            **small.json,
            "extensionsUsed": [scenes.PHYSICS, scenes.SHAPES],
            "extensions": {
                scenes.SHAPES: {"shapes": shapes},
                scenes.PHYSICS: {
                    "physicsMaterials": [{"staticFriction": 0.5}],
                    "physicsJoints": [{"limits": limits}],
                },
            },
            "scenes": [{"nodes": list(range(count))}],
            "nodes": nodes,
        },
        small.blob,
    )


def _one(program: str, source: Path, warm_up: Path) -> Answer:
    (answer,) = _run(program, [source], warm_up)
    return {"check": float(answer["check"])}


def _run(program: str, sources: list[Path], warm_up: Path | None) -> list[dict[str, Any]]:
    request = {"sources": [str(s) for s in sources], "warm_up": str(warm_up) if warm_up else None}
    argument = json.dumps(request)
    answers: list[dict[str, Any]]
    if program == PEER:
        home = install.node_peers()
        script = install.LISTS / "check.mjs"
        answers = run_json([install.node(), script, argument], timeout=TIMEOUT, cwd=home)
    else:
        command = [sys.executable, install.LISTS / "check.py", argument]
        answers = run_json(command, timeout=TIMEOUT, env={"PYTHONPATH": str(ROOT)})
    return answers


def _values(sample: Sample | None) -> list[float] | None:
    return list(sample.values) if sample else None
