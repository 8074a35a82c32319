"""No folder for temporary files: what needs none goes on, what needs one says so in a line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ligament.demo import assets

ROOT = Path(__file__).resolve().parents[2]
DEMO = {path.stem: str(path) for path in assets()}
COMMAND = "from ligament.cli import main; main()"

# Python imports a module of this name, where there is one, before anything else. It keeps Python
# from falling back to folders that every system has.
NOWHERE = "import tempfile; tempfile._candidate_tempdir_list = lambda: ['missing']"

SHORT = ["--seconds", "0.1", "--quiet"]
WITHOUT = {
    "simulate": ["simulate", DEMO["door"], *SHORT, "-o", "out.npz"],
    "bake": ["bake", DEMO["door"], *SHORT, "-o", "out.glb"],
    "check": ["check", DEMO["gate"], DEMO["stack"], "--jobs", "2"],
    "retarget": ["retarget", DEMO["wave"], "--to", DEMO["avatar"], "-o", "out.npz"],
    "convert": ["convert", DEMO["gate"], "out.xml", "--quiet"],
    "batch": ["batch", "simulate", DEMO["door"], "--out-dir", "out"],
}


def run(folder: Path, arguments: list[str]) -> subprocess.CompletedProcess[str]:
    (folder / "sitecustomize.py").write_text(NOWHERE)
    away = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder / "missing"))
    paths = os.pathsep.join([str(folder), str(ROOT)])
    return subprocess.run(
        [sys.executable, "-c", COMMAND, *arguments],
        cwd=folder,
        env={**os.environ, **away, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("name", WITHOUT)
def test_most_commands_need_no_temporary_files(tmp_path: Path, name: str) -> None:
    done = run(tmp_path, WITHOUT[name])
    assert done.returncode == 0, done.stderr


def test_usd_reports_the_missing_folder(tmp_path: Path) -> None:
    done = run(tmp_path, ["convert", DEMO["gate"], "out.usda"])
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1, done.stderr
    assert "No usable temporary directory" in done.stderr
    assert "temporary folder" in done.stderr
