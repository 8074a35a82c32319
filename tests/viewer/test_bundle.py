"""The player's script as an artefact: built where Node is, left out where it is not."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

import pytest

from ligament.gltf import save
from ligament.viewer import bundle
from tests.cli.command import ligament
from tests.viewer.files import red_box

ROOT = Path(__file__).parents[2]


@pytest.fixture
def builder() -> ModuleType:
    """The program that the Makefile and the package's build run."""
    spec = importlib.util.spec_from_file_location("ligament_bundle", ROOT / "web" / "bundle.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_it_builds_what_the_package_looks_for(builder: ModuleType) -> None:
    assert builder.OUT == bundle.FOLDER
    assert builder.SCRIPT == bundle.FOLDER / bundle.SCRIPT
    assert builder.is_current()
    needed = {file for files in bundle.DECODERS.values() for file in files}
    found = {path.name for path in bundle.FOLDER.iterdir()}
    assert found == {bundle.SCRIPT, "NOTICES.txt", *needed}


def test_the_notices_name_all_that_is_bundled() -> None:
    notices = (bundle.FOLDER / "NOTICES.txt").read_text(encoding="utf-8")
    for name in ("three.js", "meshoptimizer", "Draco", "Basis Universal", "ktx-parse", "zstddec"):
        assert name in notices
    assert "Permission is hereby granted" in notices
    assert "Three.js Authors" in bundle.script()


def test_it_is_built_again_when_a_source_is_newer(
    builder: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    old = tmp_path / "player.js"
    monkeypatch.setattr(builder, "SCRIPT", old)
    assert not builder.is_current()
    old.write_text("old")
    os.utime(old, (1, 1))
    assert not builder.is_current()


def test_without_node_the_build_says_why_it_fails(
    builder: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(builder.BundleError, match="no Node 18 or newer"):
        builder.build()


def test_without_the_script_the_command_says_what_to_do_in_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("ligament.viewer.bundle.FOLDER", tmp_path)
    save(red_box(), tmp_path / "box.glb")
    result = ligament("view", tmp_path / "box.glb", "--html", tmp_path / "box.html")
    assert result.returncode == 2
    assert result.stderr.count("\n") == 1
    assert "web/bundle.py" in result.stderr
    assert not (tmp_path / "box.html").exists()
