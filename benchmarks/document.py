"""The document layer: loading and saving against other glTF programs, import, growth and memory."""

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
    Ratio,
    Rounds,
    Sample,
    console,
    fitted_exponent,
    interleave,
    print_table,
    run_json,
)
from benchmarks.survival import survival

if TYPE_CHECKING:
    from collections.abc import Callable

PEERS = ("pygltflib", "trimesh", "gltf-transform")
PROGRAMS = ("ligament", "ligament, edited", *PEERS)
TIMEOUT = 200.0
MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Extent:
    """How much to measure."""

    nodes: int
    sizes: tuple[int, ...]
    rounds: int
    imports: int
    blob_bytes: int
    budget: float


FULL = Extent(100_000, (1_000, 10_000, 100_000, 1_000_000), 3, 15, 256 * MEGABYTE, 75.0)
QUICK = Extent(10_000, (1_000, 10_000, 30_000), 2, 7, 32 * MEGABYTE, 15.0)


def measure(*, quick: bool) -> Findings:
    """Measures the whole area and prints its tables."""
    extent = QUICK if quick else FULL
    findings = Findings("document")
    install.prepare()
    findings.sections["machine"] = machine = install.versions()
    console.print(", ".join(f"{name} {version}" for name, version in machine.items()) + "\n")
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        folder = Path(name)
        trips = round_trips(findings, extent, folder)
        imports(findings, extent, folder)
        growth(findings, extent, folder)
        memory(findings, extent, folder, trips)
    return findings


def round_trips(findings: Findings, extent: Extent, folder: Path) -> Rounds:
    """Load and save of one scene by every program, as .gltf and as .glb; returns the latter."""
    content = scenes.scene(extent.nodes)
    small = scenes.scene(1_000)
    trips = Rounds()
    for suffix in (".gltf", ".glb"):
        source = scenes.write(content, folder / f"scene{suffix}")
        warm_up = scenes.write(small, folder / f"small{suffix}")
        trips = interleave(
            f"load and save {suffix}",
            {name: functools.partial(_trip, name, source, warm_up) for name in PROGRAMS},
            rounds=extent.rounds,
            budget=extent.budget,
        )
        _report_trips(findings, trips, source, extent.nodes)
        _report_survival(findings, trips, source)
    return trips


def imports(findings: Findings, extent: Extent, folder: Path) -> None:
    """`import ligament` against `import numpy`, each in a fresh interpreter, already compiled."""
    # Both read bytecode from one folder, also where the environment says not to write any.
    env = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}

    def fresh(module: str) -> Answer:
        code = (
            f"import time; t = time.perf_counter(); import {module}; print(time.perf_counter() - t)"
        )
        return {"import": run_json([sys.executable, "-c", code], timeout=TIMEOUT, env=env)}

    modules = ("ligament", "numpy")
    contenders: dict[str, Callable[[], Answer]] = {
        name: functools.partial(fresh, name) for name in modules
    }
    interleave("compile", contenders, rounds=1, budget=TIMEOUT)
    rounds = interleave("import", contenders, rounds=extent.imports, budget=TIMEOUT)
    samples = {name: rounds.sample(name, "import") for name in modules}
    ratio = _over(samples["ligament"], samples["numpy"])
    rows = [
        [f"import {name}", _seconds(samples[name], rounds.missing.get(name))] for name in modules
    ]
    print_table("Import in a fresh interpreter", ["", "time"], [*rows, ["ratio", _times(ratio)]])
    findings.sections["import"] = {name: _values(sample) for name, sample in samples.items()}
    findings.goals.append(Goal("import ligament / import numpy", _value(ratio), 1.5, False))


def growth(findings: Findings, extent: Extent, folder: Path) -> None:
    """Load and save against the number of nodes: time per node, and the exponent that fits."""
    warm_up = folder / "small.glb"
    contenders: dict[str, Callable[[], Answer]] = {}
    for size in extent.sizes:
        with console.status(f"write {size:,} nodes"):
            source = scenes.write(scenes.scene(size), folder / f"scene_{size}.glb")
        contenders[f"{size:,}"] = functools.partial(_trip, "ligament", source, warm_up)
    rounds = interleave(
        "growth", contenders, rounds=2 * extent.rounds - 1, budget=extent.budget / 2
    )
    samples = [rounds.sample(name, "load", "save") for name in contenders]
    rows = [
        [name, _seconds(sample, rounds.missing.get(name)), _per_node(sample, size)]
        for name, sample, size in zip(contenders, samples, extent.sizes, strict=True)
    ]
    print_table(
        "Ligament: load + save of a .glb by number of nodes", ["nodes", "time", "per node"], rows
    )
    exponent = fitted_exponent(extent.sizes, samples)
    console.print(f"  from {extent.sizes[1]:,} nodes up, time grows as nodes^{exponent:.3f}\n")
    findings.sections["growth"] = {"exponent": exponent} | {
        name: _values(sample) for name, sample in zip(contenders, samples, strict=True)
    }
    findings.goals.append(Goal("exponent of time against nodes", exponent, 1.1, False))


def memory(findings: Findings, extent: Extent, folder: Path, trips: Rounds) -> None:
    """Growth of the resident size against the file's: much JSON, and few nodes with a heavy BIN."""
    heavy = scenes.scene(1_000, blob_bytes=extent.blob_bytes)
    source = scenes.write(heavy, folder / "heavy.glb")
    del heavy
    rounds = interleave(
        "memory",
        {name: functools.partial(_trip, name, source, None) for name in PROGRAMS},
        rounds=1,
        budget=TIMEOUT,
    )
    _report_memory(findings, rounds, source, "in the BIN chunk")
    _report_memory(findings, trips, folder / "scene.glb", "in the JSON")
    load = rounds.sample("ligament", "load_peak")
    share = load.median / source.stat().st_size if load else math.nan
    findings.goals.append(Goal("peak of loading / size of a BIN-heavy GLB", share, 0.1, False))


def _trip(program: str, source: Path, warm_up: Path | None) -> Answer:
    """One load and save in a fresh process of the program's own interpreter."""
    target = _target(program, source)
    spare = target.parent / "warm_up" / source.name
    spare.parent.mkdir(parents=True, exist_ok=True)
    files = {"source": source, "target": target, "warm_up": warm_up, "spare": spare}
    argument = json.dumps({"program": program, **files}, default=str)
    if program == "gltf-transform":
        home = install.node_peers()
        script = install.LISTS / "document.mjs"
        return _answer(run_json([install.node(), script, argument], timeout=TIMEOUT, cwd=home))
    script = install.LISTS / "document.py"
    if program not in PEERS:
        env = {"PYTHONPATH": str(ROOT)}
        return _answer(run_json([sys.executable, script, argument], timeout=TIMEOUT, env=env))
    return _answer(run_json([install.python_peers(), script, argument], timeout=TIMEOUT))


def _answer(content: Any) -> Answer:
    return {name: float(value) for name, value in content.items()}


def _target(program: str, source: Path) -> Path:
    """A folder of its own, so that a buffer that was left behind is not found by chance."""
    return source.parent / f"{program}{source.suffix}" / source.name


def _report_trips(findings: Findings, trips: Rounds, source: Path, nodes: int) -> None:
    samples = {name: trips.sample(name, "load", "save") for name in PROGRAMS}
    ratios = {name: _over(samples[name], samples["ligament"]) for name in PROGRAMS}
    rows = [
        [
            name,
            _seconds(trips.sample(name, "load"), trips.missing.get(name)),
            _seconds(trips.sample(name, "save"), None),
            _times(ratios[name]),
        ]
        for name in PROGRAMS
    ]
    size = source.stat().st_size / MEGABYTE
    title = f"Load and save of {nodes:,} nodes ({source.suffix}, {size:.1f} MB)"
    print_table(title, ["program", "load", "save", "load + save / Ligament"], rows)
    findings.sections[f"load and save {source.suffix}"] = {
        name: trips.answers.get(name) or trips.missing.get(name) for name in PROGRAMS
    }
    for name in PEERS:
        if name not in trips.missing:
            bound = 20.0 if name == "pygltflib" else 1.0
            label = f"{name} / Ligament, {source.suffix}"
            findings.goals.append(Goal(label, _value(ratios[name]), bound, True))


def _report_survival(findings: Findings, trips: Rounds, source: Path) -> None:
    unedited = [name for name in ("ligament", *PEERS) if name in trips.answers]
    shares = {name: survival(source, _target(name, source)) for name in unedited}
    kinds = list(next(iter(shares.values()), {}))
    rows = [[name, *(_percent(share[kind]) for kind in kinds)] for name, share in shares.items()]
    print_table(f"Kept after load and save ({source.suffix})", ["program", *kinds], rows)
    findings.sections[f"survival {source.suffix}"] = shares


def _report_memory(findings: Findings, rounds: Rounds, source: Path, place: str) -> None:
    size = source.stat().st_size
    shares: dict[str, dict[str, float]] = {}
    rows = []
    for name in PROGRAMS:
        peaks = {key: rounds.sample(name, key) for key in ("load_peak", "save_peak")}
        shares[name] = {key: peak.median / size for key, peak in peaks.items() if peak}
        cells = [_megabytes(peak, size) for peak in peaks.values()]
        rows.append([name, *cells] if shares[name] else [name, rounds.missing[name], ""])
    title = f"Peak memory over a {size / MEGABYTE:.1f} MB .glb, its weight {place}"
    print_table(title, ["program", "load", "load + save"], rows)
    findings.sections[f"memory, weight {place}"] = shares


def _over(sample: Sample | None, reference: Sample | None) -> Ratio | None:
    return sample.over(reference) if sample and reference else None


def _value(ratio: Ratio | None) -> float:
    return ratio.value if ratio else math.nan


def _values(sample: Sample | None) -> list[float] | None:
    return list(sample.values) if sample else None


def _times(ratio: Ratio | None) -> str:
    return ratio.text if ratio else "-"


def _seconds(sample: Sample | None, reason: str | None) -> str:
    return sample.seconds if sample else reason or "-"


def _per_node(sample: Sample | None, nodes: int) -> str:
    return f"{sample.median / nodes * 1e6:.2f} µs" if sample else "-"


def _percent(share: float) -> str:
    """Rounded down, so that 100 % means all of it."""
    return f"{math.floor(share * 1000) / 10:g}%"


def _megabytes(peak: Sample | None, size: int) -> str:
    return f"{peak.median / MEGABYTE:.1f} MB = {peak.median / size:.2f}x the file" if peak else "-"
