"""Bounds on commands by the size of what they read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ligament.operations.cost import (
    GRACE,
    MEBIBYTE,
    MEMORY_MAX,
    MEMORY_PER_BYTE,
    QUICK,
    SECONDS_MAX,
    Cost,
    size_of,
)
from ligament.processes import Bounds
from ligament.processes.bounds import GIBIBYTE


def test_files_that_a_file_names_count_once(tmp_path: Path) -> None:
    (tmp_path / "big part.bin").write_bytes(bytes(3 * MEBIBYTE))
    uris = [{"uri": "big%20part.bin"}, {"uri": "big%20part.bin"}, {"uri": "missing.bin"}]
    path = tmp_path / "a.gltf"
    path.write_text(json.dumps({"buffers": uris}))
    assert size_of(path) == 3 * MEBIBYTE + path.stat().st_size
    assert size_of(tmp_path) > 3 * MEBIBYTE
    assert size_of(tmp_path / "*.gltf") > path.stat().st_size
    assert size_of(tmp_path / "no.glb") == 0


def test_a_stage_counts_with_those_around_it(tmp_path: Path) -> None:
    for name, size in {"a.usda": 5, "b.usdc": 7, "c.bin": 100}.items():
        (tmp_path / name).write_bytes(bytes(size))
    assert size_of(tmp_path / "a.usda") == 5 + 12


def test_every_file_has_the_time_of_a_mebibyte_and_large_ones_more(tmp_path: Path) -> None:
    small, large = tmp_path / "small.glb", tmp_path / "large.glb"
    small.write_bytes(b"glTF")
    large.write_bytes(bytes(3 * MEBIBYTE))
    bounds = QUICK.bounds([small, large])
    memory = 300 * MEBIBYTE + MEMORY_PER_BYTE * (4 + 3 * MEBIBYTE)
    assert bounds == Bounds(cpu_seconds=40.0, memory=memory, grace=GRACE)
    assert Cost().bounds([]) == Bounds(cpu_seconds=600.0, memory=4 * GIBIBYTE, grace=GRACE)


@pytest.mark.parametrize(
    ("chosen", "seconds", "memory"),
    [
        (0.0, None, None),
        (2.0, 2.0, 2 * GIBIBYTE),
        (1e300, SECONDS_MAX, MEMORY_MAX * GIBIBYTE),
    ],
)
def test_chosen_limits_replace_those_by_size(
    chosen: float, seconds: float | None, memory: float | None
) -> None:
    bounds = Cost().bounds([], max_seconds=chosen, max_memory=chosen)
    assert bounds == Bounds(cpu_seconds=seconds, memory=memory, grace=GRACE)
