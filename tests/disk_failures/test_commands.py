"""Every command on a disk that fails at any moment: the old file or the new one, nothing else."""

from __future__ import annotations

import os
import shutil
import warnings
from pathlib import Path

import msgspec
import pytest

import ligament as lg
from ligament.conformance.build import all_cases, contents
from ligament.demo import assets
from ligament.errors import FileError
from tests.cli.command import ligament
from tests.disk_failures.failing_disk import Disk, failing_disk

POINTS, SLOW_POINTS = 3, 2
"""How many moments of each command are tried, evenly spread; a soak tries them all."""

SHORT = ["--seconds", "0.1", "--rate", "20", "--quiet"]
RETARGET = ["retarget", "wave.vrma", "--to", "avatar.vrm", "--quiet"]

COMPARE = ["compare", "a.npz", "b.npz", "--file", "door.glb", "--quiet"]
JUDGE = ["conformance", "run", "--suite", "source", "--jobs", "1"]

COMMANDS: dict[str, list[str]] = {
    "simulate": ["simulate", "door.glb", *SHORT, "--out", "out.npz", "--events", "events.json"],
    "to JSON": ["simulate", "door.glb", *SHORT, "--out", "out.json"],
    "plot": ["simulate", "door.glb", *SHORT, "--out", "out.npz", "--plot", "plot.png"],
    "to CSV": ["simulate", "door.glb", *SHORT, "--out", "out.csv"],
    "bake": ["bake", "door.glb", *SHORT, "-o", "out.glb"],
    "bake to text": ["bake", "door.glb", *SHORT, "-o", "out.gltf"],
    "retarget": [*RETARGET, "-o", "out.glb"],
    "to motion": [*RETARGET, "-o", "out.vrma"],
    "to arrays": [*RETARGET, "-o", "out.npz"],
    "convert": ["convert", "door.glb", "out.glb", "--to", "omi", "--losses", "losses.json"],
    "to MJCF": ["convert", "gate.glb", "out.xml", "--losses", "losses.json"],
    "to USD": ["convert", "gate.glb", "out.usda"],
    "equip": ["equip", "bare.gltf", "-o", "out.glb", "--auto"],
    "fix": ["check", "faulty.gltf", "--fix", "-o", "out.gltf"],
    "page": ["view", "door.glb", "--html", "out.html", "--quiet"],
    "comparison": [*COMPARE, "--plot", "out.svg", "--html", "out.html"],
    "clips": ["retarget", "wave.vrma", "--to", "avatar.vrm", "-o", "clips/in/", "--quiet"],
    "repaired file": ["fix", "faulty.gltf", "-o", "fixed/in/out.gltf", "--quiet"],
    "suite": ["conformance", "export", "suite", "--suite", "source", "--quiet"],
    "verdicts": [*JUDGE, "--junit", "out.xml", "--html", "out.html", "--quiet"],
}
SLOW = frozenset({"plot", "page", "comparison", "verdicts"})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The inputs that the commands name, where they run."""
    for path in assets():
        shutil.copy(path, tmp_path / path.name)
    bare = lg.load(tmp_path / "stack.glb")
    for owner in (bare.json, *bare.json["nodes"]):
        owner.pop("extensions", None)
    bare.json.pop("extensionsUsed")
    lg.save(bare, tmp_path / "bare.gltf")
    faulty = {"asset": {"version": "2.0"}, "nodes": [{"rotation": [0, 0, 0, 2]}]}
    (tmp_path / "faulty.gltf").write_bytes(msgspec.json.encode(faulty))
    recording = lg.simulate(tmp_path / "door.glb", seconds=0.1, rate=20)
    for name in ("a.npz", "b.npz"):
        recording.save(tmp_path / name)
    (tmp_path / "source").mkdir()
    for path, data in contents(all_cases()[:2]):
        (tmp_path / "source" / path).parent.mkdir(exist_ok=True)
        (tmp_path / "source" / path).write_bytes(data)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(name: str, fails_at: int | None = None) -> Disk:
    with warnings.catch_warnings(), failing_disk(fails_at) as disk:
        warnings.simplefilter("ignore", lg.LigamentWarning)
        done = ligament(*COMMANDS[name])
    if done.exit_code == 2:
        raise FileError(done.stderr)
    return disk


def content(folder: Path) -> dict[str, bytes]:
    """Return the bytes of files by path; a folder has none."""
    return {
        str(path.relative_to(folder)): b"" if path.is_dir() else path.read_bytes()
        for path in folder.rglob("*")
    }


def moments(calls: int, name: str) -> list[int]:
    points = SLOW_POINTS if name in SLOW else POINTS
    if os.environ.get("LIGAMENT_SOAK") or calls <= points:
        return [*range(1, calls + 1)]
    return sorted({1 + round(i * (calls - 1) / (points - 1)) for i in range(points)})


@pytest.mark.parametrize("name", COMMANDS)
def test_outputs_are_old_or_new_whenever_the_disk_fails(name: str, folder: Path) -> None:
    inputs = content(folder)
    run(name)  # libraries write caches of their own the first time
    calls = run(name).calls
    assert calls >= 3, "opening, writing and naming a file are three calls at least"
    new = content(folder)
    old = {path: data if path in inputs else b"old " + path.encode() for path, data in new.items()}
    old |= {path: b"" for path, data in new.items() if (folder / path).is_dir()}
    for moment in moments(calls, name):
        for before in (inputs, old):
            restore(folder, before)
            with pytest.raises(FileError, match="No space left on device"):
                run(name, fails_at=moment)
            after = content(folder)
            assert after.keys() == before.keys(), f"a leftover at call {moment}"
            for path in before:
                assert after[path] in (before[path], new[path]), (path, moment)


def test_a_tour_that_cannot_be_written_leaves_no_folder(tmp_path: Path) -> None:
    out = tmp_path / "new" / "tour"
    for moment in (1, 2, 3, 6, 20):  # folders, the first file, a later one
        with failing_disk(moment):
            done = ligament("demo", "--out-dir", out)
        assert done.exit_code == 2
        assert "No space left on device" in done.stderr
        assert not [*tmp_path.iterdir()], moment


def restore(folder: Path, files: dict[str, bytes]) -> None:
    for entry in folder.iterdir():
        shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        if data:
            (folder / path).write_bytes(data)
        else:
            (folder / path).mkdir(exist_ok=True)
