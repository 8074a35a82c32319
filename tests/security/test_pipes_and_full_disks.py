"""Pipes in folders, results that nobody takes: an end, in one line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ligament.demo import assets

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="there are no such devices")

DOOR = next(path for path in assets() if path.name == "door.glb")
COMMAND = "from ligament.cli import main; main()"
ROOT = Path(__file__).resolve().parents[2]


def run(folder: Path, *arguments: str, stdout: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", COMMAND, *arguments],
        cwd=folder,
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        timeout=100,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


@pytest.mark.parametrize("command", [["check", "in"], ["batch", "check", "in", "--out-dir", "out"]])
def test_pipes_in_a_folder_are_not_waited_for(tmp_path: Path, command: list[str]) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "door.glb").write_bytes(DOOR.read_bytes())
    os.mkfifo(folder / "pipe.glb")
    done = run(tmp_path, *command, stdout=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("arguments", [["check"], ["check", "--format", "json"], ["info"]])
def test_results_on_a_full_disk_are_reported(tmp_path: Path, arguments: list[str]) -> None:
    with open("/dev/full", "w") as full:
        done = run(tmp_path, *arguments, str(DOOR), stdout=full.fileno())
    assert done.returncode == 2
    assert done.stderr == "error: results cannot be printed (No space left on device)\n"


def test_a_reader_that_has_enough_is_no_fault(tmp_path: Path) -> None:
    root = {"asset": {"version": "2.0"}, "nodes": [{"rotation": [0, 0, 0, 2]}] * 2000}
    (tmp_path / "many.gltf").write_text(json.dumps(root))
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = run(tmp_path, "check", "many.gltf", stdout=writing)
    finally:
        os.close(writing)
    assert done.stderr == ""
