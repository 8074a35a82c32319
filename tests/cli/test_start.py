"""Imports of the program before it works: help and refused calls take little beside Python."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ligament.operations import BATCHES, OPERATIONS

HEAVY = ("numpy", "rapier3d", "rich", "jsonschema_rs", "ligament.gltf", "ligament.physics")

PROGRAM = f"""
import sys
from ligament.cli import app
status = app.run(sys.argv[1:])
print(status, *[name for name in {HEAVY} if name in sys.modules], file=sys.stderr)
"""


def imported(*words: str) -> list[str]:
    """Return the exit status of a call, and the heavy modules that it imported."""
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, *words], capture_output=True, text=True, check=True
    )
    return run.stderr.splitlines()[-1].split()


def test_help_imports_nothing_heavy() -> None:
    assert imported("--help") == ["0"]


@pytest.mark.parametrize("command", OPERATIONS)
def test_the_help_of_an_operation_imports_nothing_heavy(command: str) -> None:
    assert imported(command, "--help") == ["0"]


@pytest.mark.parametrize("command", BATCHES)
def test_so_does_that_of_one_on_many_files(command: str) -> None:
    assert imported("batch", command, "--help") == ["0"]


def test_a_refused_call_imports_no_more_than_it_prints_with(tmp_path: Path) -> None:
    for words in (
        ("simulate", "door.glb", "-o", "d.npz", "--rate", "0"),
        ("simulate", "door.glb", "-o", "d.txt"),
        ("simulate", "door.glb", "-o", "d.npz", "--quality", "best"),
        ("simulat",),
        ("batch", "simulate", "in", "--out-dir", "out", "--rate", "0"),
        ("batch", "convert", "in", "--out-dir", "out", "--embed"),
        ("worlds", "door.glb", "--count", "0"),
        ("conformance", "run", "--fail-on", "may"),
    ):
        assert set(imported(*words)) <= {"2", "rich"}
