"""Conversion between dialects: time against loading and saving, and how it grows."""

from __future__ import annotations

import functools
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.harness import Findings, Goal, Sample, console, fitted_exponent, print_table

if TYPE_CHECKING:
    from collections.abc import Callable

TARGETS = ("khr", "khr-2024-10", "khr-2024-03", "omi", "omi-2023")
BODIES, SHAPES = "KHR_physics_rigid_bodies", "KHR_implicit_shapes"

Json = dict[str, Any]


@dataclass(frozen=True)
class Extent:
    """How much to measure: numbers of bodies, and rounds for each."""

    sizes: tuple[int, ...]
    rounds: int


FULL = Extent((1_000, 3_000, 10_000), 3)
QUICK = Extent((100, 300, 1_000), 2)


def measure(*, quick: bool) -> Findings:
    """Measures the whole area and prints its table."""
    return measure_extent(QUICK if quick else FULL)


def measure_extent(extent: Extent) -> Findings:
    """Measures chains of bodies of several lengths."""
    import ligament as lg

    findings = Findings("convert")
    rows = []
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        path, copy = Path(name) / "chain.glb", Path(name) / "copy.glb"
        times: dict[str, list[Sample]] = {target: [] for target in TARGETS}
        files = []
        for size in extent.sizes:
            lg.save(lg.Document(chain(size)), path)
            files.append(timed(lambda: lg.save(lg.load(path), copy), extent.rounds))
            document = lg.load(path)
            for target in TARGETS:
                work = functools.partial(lg.convert, document, target)
                times[target].append(timed(work, extent.rounds))
    for target, samples in times.items():
        exponent = fitted_exponent(extent.sizes, samples)
        ratio = samples[-1].over(files[-1])
        rows.append([target, samples[-1].seconds, ratio.text, f"{exponent:.2f}"])
        findings.sections[target] = {
            "seconds": [sample.median for sample in samples],
            "over load and save": vars(ratio),
            "exponent": exponent,
        }
        findings.goals.append(Goal(f"{target}: growth with nodes", exponent, 1.2, at_least=False))
    findings.sections["sizes"] = list(extent.sizes)
    title = f"{extent.sizes[-1]:,} bodies with a collider and a joint each"
    print_table(title, ["target", "time", "over load and save", "exponent"], rows)
    console.print()
    return findings


def timed(work: Callable[[], object], rounds: int) -> Sample:
    """Times some work, after one round that does not count [s]."""
    work()
    values = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        values.append(time.perf_counter() - start)
    return Sample(tuple(values))


def chain(count: int) -> Json:
    """A document of boxes, each hinged to the one before."""
    nodes: list[Json] = []
    for index in range(count):
        body: Json = {"motion": {}, "collider": {"geometry": {"shape": index % 3}}}
        frame: Json = {"name": f"frame {index}", "translation": [0.5, 0.0, 0.0]}
        if index:
            joint = {"connectedNode": 2 * index - 1, "joint": 0}
            frame["extensions"] = {BODIES: {"joint": joint}}
        nodes.append(
            {
                "name": f"box {index}",
                "translation": [1.0 * index, 0.0, 0.0],
                "children": [2 * index + 1],
                "extensions": {BODIES: body},
            }
        )
        nodes.append(frame)
    shapes = [{"type": "box", "box": {"size": [0.9, 0.1 * (i + 1), 0.2]}} for i in range(3)]
    limits = [
        {"linearAxes": [0, 1, 2], "min": 0, "max": 0},
        {"angularAxes": [0, 1], "min": 0, "max": 0},
    ]
    return {
        "asset": {"version": "2.0", "generator": "benchmark chains"},
        "extensionsUsed": [BODIES, SHAPES],
        "scene": 0,
        "scenes": [{"nodes": list(range(0, 2 * count, 2))}],
        "nodes": nodes,
        "extensions": {
            SHAPES: {"shapes": shapes},
            BODIES: {"physicsJoints": [{"limits": limits}]},
        },
    }
