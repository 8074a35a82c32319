"""Wheel and source distribution: the same bytes from every build, and no stray files."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import ligament
from ligament.operations import OPERATIONS
from tests.release import smoke
from tests.release.building import ROOT, build, source_tree
from tests.sampling import IS_SOAK


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return source_tree(tmp_path_factory.mktemp("tree"))


@pytest.fixture(scope="module")
def wheel(tree: Path) -> Path:
    return build(tree, "wheel")


@pytest.fixture(scope="module")
def sdist(tree: Path) -> Path:
    return build(tree, "sdist")


@pytest.mark.parametrize("target", ["wheel", "sdist"])
def test_two_builds_have_equal_bytes(
    target: str, tree: Path, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    first: Path = request.getfixturevalue(target)
    other = tmp_path / "another place"
    shutil.copytree(tree, other, ignore=shutil.ignore_patterns("dist", "__pycache__"))
    for path in other.rglob("*"):
        if path.is_file():
            os.utime(path, (1e9, 1e9))
            path.chmod(0o600)
    second = build(other, target)
    assert first.name == second.name
    digests = [hashlib.sha256(path.read_bytes()).hexdigest() for path in (first, second)]
    assert digests[0] == digests[1]


def test_a_wheel_of_the_source_distribution_is_the_wheel_of_the_tree(
    wheel: Path, sdist: Path, tmp_path: Path
) -> None:
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (unpacked,) = tmp_path.iterdir()
    assert build(unpacked, "wheel").read_bytes() == wheel.read_bytes()


def test_the_wheel_holds_the_library_alone(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert {name.split("/")[0] for name in names} == {
        "ligament",
        f"ligament-{ligament.__version__}.dist-info",
    }
    tracked = {path.relative_to(ROOT).as_posix() for path in (ROOT / "ligament").rglob("*.py")}
    assert {name for name in names if name.endswith(".py")} == tracked
    assert "ligament/demo/assets/door.glb" in names
    assert not [name for name in names if "__pycache__" in name or name.startswith("tests")]


def test_the_smoke_test_has_every_command() -> None:
    assert set(smoke.COMMANDS) == set(OPERATIONS), "add the command to tests/release/smoke.py"


def test_commands_run_from_the_wheel(
    wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unpacked = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(unpacked)
    monkeypatch.setenv("PYTHONPATH", str(unpacked))
    where = [sys.executable, "-P", "-c", "import ligament; print(ligament.__file__)"]
    found = subprocess.run(where, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert found.stdout.startswith(str(unpacked))
    if not IS_SOAK:
        shutil.copytree(unpacked / "ligament" / "demo" / "assets", tmp_path / "work")
        kept = ("info", "simulate", "view")
        monkeypatch.setattr(smoke, "COMMANDS", {name: smoke.COMMANDS[name] for name in kept})
    assert smoke.smoke(tmp_path / "work") == {}


@pytest.mark.soak
@pytest.mark.skipif(not IS_SOAK, reason="installs from the package index")
def test_commands_run_in_an_empty_environment(wheel: Path, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "env"], check=True)
    python = tmp_path / "env" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    installed = [python, "-m", "pip", "install", "--quiet", str(wheel)]
    subprocess.run(installed, check=True, timeout=600)
    assert smoke.smoke(tmp_path / "work", str(python)) == {}
