"""Time and memory of every command that reads a file: one line where they are not enough."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ligament.demo import assets
from ligament.operations import OPERATIONS, operation
from tests.cli.command import ligament

FILES = {path.name: path for path in assets()}
DOOR, AVATAR, WAVE = FILES["door.glb"], FILES["avatar.vrm"], FILES["wave.vrma"]

LINES = {
    "info": ["info", DOOR],
    "check": ["check", DOOR],
    "convert": ["convert", DOOR, "out.xml"],
    "equip": ["equip", AVATAR, "--ragdoll", "-o", "out.glb"],
    "diff": ["diff", DOOR, DOOR],
    "retarget": ["retarget", WAVE, "--to", AVATAR, "-o", "out.glb"],
}


@pytest.mark.parametrize(
    "command", [name for name in OPERATIONS if not operation(name).supervises_itself]
)
def test_every_command_that_reads_a_file_has_both_options(command: str) -> None:
    text = ligament(command, "--help").stdout
    assert "--max-seconds" in text
    assert "--max-memory" in text


def fresh(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run `ligament ARGUMENTS` in a new process.

    The limits are those of a process: in one that has run for minutes its clocks can differ, and
    memory that others leave behind can be freed while a command runs.
    """
    code = "from ligament.cli import main; main()"
    words = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(words, capture_output=True, text=True, timeout=120, cwd=cwd, check=False)


@pytest.mark.skipif(sys.platform == "win32", reason="needs CPU timers")
@pytest.mark.parametrize("name", LINES)
def test_a_command_that_takes_too_long_ends_in_one_line(name: str, tmp_path: Path) -> None:
    done = fresh(*LINES[name], "--max-seconds", "0.001", cwd=tmp_path)
    assert done.returncode == 2
    assert f"error: {name} took more than 0.001 s of CPU time" in done.stderr
    assert "--max-seconds 0.01" in done.stderr
    assert not [*tmp_path.iterdir()]


@pytest.mark.skipif(sys.platform != "linux", reason="the limit of memory is Linux's")
def test_a_command_restores_the_resource_limits(tmp_path: Path) -> None:
    import resource

    kinds = resource.RLIMIT_DATA, resource.RLIMIT_CPU
    before = [resource.getrlimit(kind) for kind in kinds]
    ligament("equip", AVATAR, "--ragdoll", "-o", tmp_path / "out.glb")
    assert [resource.getrlimit(kind) for kind in kinds] == before


@pytest.mark.parametrize("option", ["--max-seconds", "--max-memory"])
def test_bounds_that_are_no_amounts_are_refused(option: str) -> None:
    for value in ("nan", "inf", "-1"):
        done = ligament("info", DOOR, f"{option}={value}")
        assert done.returncode == 2
        assert done.stderr.startswith(f"error: {option} is '{value}';")


@pytest.mark.parametrize("option", ["--max-seconds", "--max-memory"])
def test_bounds_beyond_those_of_the_system_are_no_bounds(option: str, tmp_path: Path) -> None:
    done = fresh("info", DOOR, option, "1e300", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
