"""Baking: how small the keyframes of a recording get, and what that costs.

Every example with physics is played at 60 Hz and baked three times: with a key for every frame,
within the default tolerance, and within one that no eye tells apart. Bytes are those that the file
grows by.
"""

from __future__ import annotations

import dataclasses
import math
import tempfile
import time
from pathlib import Path

import ligament as lg
from benchmarks.harness import Findings, Sample, print_table
from ligament.author.ragdoll import add_ragdoll
from ligament.baking import Tolerance, add_clip, keyframes
from ligament.demo import assets

LOOSE = Tolerance(angle=math.radians(0.25), distance=1e-3)


@dataclasses.dataclass(frozen=True)
class Extent:
    """How much to measure."""

    seconds: float
    rounds: int


FULL = Extent(5.0, 3)
QUICK = Extent(2.0, 1)


def measure(*, quick: bool) -> Findings:
    """Measures the whole area and prints its table."""
    extent = QUICK if quick else FULL
    findings = Findings("bake")
    rows = []
    for name, document in scenes().items():
        figures = _measured(document, extent)
        findings.sections[name] = figures
        raw, kept, loose = (figures[f"{key} [bytes]"] for key in ("every key", "default", "loose"))
        cost = Sample(figures["bake [s]"]).over(Sample(figures["simulate [s]"]))
        rows.append([name, f"{raw:,}", f"{kept / raw:.3f}", f"{loose / raw:.3f}", cost.text])
    columns = [
        "scene",
        "a key per frame [bytes]",
        "0.01 mm, 0.0005°",
        "1 mm, 0.25°",
        "time / simulate",
    ]
    print_table(f"Baking {extent.seconds:g} s at 60 Hz", columns, rows)
    return findings


def scenes() -> dict[str, lg.Document]:
    files = {path.stem: path for path in assets()}
    scenes = {name: lg.load(files[name]) for name in ("door", "rope", "stack", "gate")}
    ragdoll = lg.Editor(lg.load(files["avatar"]))
    add_ragdoll(ragdoll)
    return {**scenes, "ragdoll": ragdoll.document}


def _measured(document: lg.Document, extent: Extent) -> dict[str, object]:
    simulated, baked = [], []
    for _ in range(extent.rounds):
        start = time.perf_counter()
        recording = lg.simulate(document, seconds=extent.seconds, rate=60, animations=[])
        simulated.append(time.perf_counter() - start)
        start = time.perf_counter()
        lg.bake(document, recording)
        baked.append(time.perf_counter() - start)
    documents = {
        "every key": _with_every_key(document, recording),
        "default": lg.bake(document, recording),
        "loose": lg.bake(document, recording, tolerance=LOOSE),
    }
    before = _bytes(document)
    sizes = {f"{key} [bytes]": _bytes(each) - before for key, each in documents.items()}
    return {**sizes, "simulate [s]": tuple(simulated), "bake [s]": tuple(baked)}


def _with_every_key(document: lg.Document, recording: lg.Recording) -> lg.Document:
    """Bake what moves with a key for every frame."""
    column = {int(node): index for index, node in enumerate(recording.local_nodes)}
    full = [
        dataclasses.replace(
            track,
            times=recording.times,
            values=getattr(recording, f"local_{track.path}")[:, column[track.node]],
        )
        for track in keyframes(document, recording)
    ]
    baked = document.copy()
    add_clip(baked, "Baked", full)
    return baked


def _bytes(document: lg.Document) -> int:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "baked.glb"
        lg.save(document, path)
        return path.stat().st_size


if __name__ == "__main__":
    measure(quick=False).finish()
