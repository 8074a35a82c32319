"""Hundreds of broken files: each is refused with a LigamentError or read as far as it goes."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from tests.gltf.documents import write_everything
from tests.gltf.mutants import mutants

ROOT = Path(__file__).resolve().parents[2]
PEAK_MEBIBYTES = 512


def test_broken_files_are_refused_or_read_as_far_as_they_go(tmp_path: Path) -> None:
    """One test, so that the files are made and gone through once."""
    for name, content in mutants(complete=bool(os.environ.get("LIGAMENT_SOAK"))):
        (tmp_path / name).write_bytes(content)
    write_everything(tmp_path, "whole.glb")
    write_everything(tmp_path, "whole.gltf")
    *reports, memory = _reports_of_another_process(tmp_path)

    crashed = [report for report in reports if report["outcome"] == "crashed"]
    assert not crashed, "\n".join(f"{r['file']}: {r['detail']}" for r in crashed[:5])
    assert memory["peak_mebibytes"] < PEAK_MEBIBYTES
    _reach_every_stage(reports)
    for report in reports:
        if report["outcome"] == "refused":
            assert report["file"] in report["detail"]
            assert "\n" not in report["detail"]
            assert len(report["detail"]) < 1000


def _reports_of_another_process(folder: Path) -> list[dict[str, Any]]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.gltf.exercise", str(folder)],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"},
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def _reach_every_stage(reports: list[dict[str, Any]]) -> None:
    """Mutants that all fail at the first hurdle would show nothing about the later ones."""
    outcomes = Counter((r["file"].partition("-")[0], r["outcome"]) for r in reports)
    assert len(reports) > 400
    assert outcomes["whole.glb", "sound"] == outcomes["whole.gltf", "sound"] == 1
    for group in ("cut", "flip", "uri", "shape"):
        assert outcomes[group, "refused"] > 10
    for group in ("flip", "type", "gone", "uri", "shape"):
        assert outcomes[group, "faulty"] > 10
