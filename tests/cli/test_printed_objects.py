"""Objects of Python print what the commands that make them print."""

from __future__ import annotations

from pathlib import Path

import pytest

import ligament as lg
from ligament.demo import assets
from tests.cli.command import ligament

FILES = {path.name: path for path in assets()}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("door.glb", "gate.glb", "avatar.vrm"):
        (tmp_path / name).write_bytes(FILES[name].read_bytes())
    monkeypatch.chdir(tmp_path)


def printed(*words: str) -> str:
    run = ligament(*words)
    assert run.exit_code in (0, 1), run.stderr
    return (run.stdout or run.stderr).strip()


def test_a_summary() -> None:
    assert str(lg.info("avatar.vrm")) == printed("info", "avatar.vrm")


def test_differences() -> None:
    assert str(lg.diff("door.glb", "gate.glb")) == printed("diff", "door.glb", "gate.glb")


def test_a_repaired_document() -> None:
    assert str(lg.fix("door.glb")) == printed("fix", "door.glb", "-o", "fixed.glb")


@pytest.mark.parametrize("to", ["omi", "khr"])
def test_a_conversion(to: str) -> None:
    assert str(lg.convert("door.glb", to)) == printed("convert", "door.glb", "out.glb", "--to", to)


def test_a_batch() -> None:
    report = lg.batch("check", ["door.glb", "gate.glb"], "one", jobs=1)
    words = ("batch", "check", "door.glb", "gate.glb", "--out-dir", "two", "--jobs", "1", "--quiet")
    assert str(report) == printed(*words)
