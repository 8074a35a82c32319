"""Names of files and URIs where the system's encoding is not UTF-8: read, written and reported."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
NAME = "Tür€.gltf"

pytestmark = pytest.mark.skipif(os.name != "posix", reason="file names are text there")


@pytest.fixture(scope="module")
def endings(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, Any]]]:
    """How commands end on files of such names, in a process whose encoding is ASCII."""
    folder = tmp_path_factory.mktemp("encodings")
    (folder / "Öl.bin").write_bytes(b"1234")
    (folder / "Bild€.png").write_bytes(b"\x89PNG")
    for name, uri in ((NAME, "%C3%96l.bin"), ("raw.gltf", "Öl.bin")):
        root = {
            "asset": {"version": "2.0"},
            "nodes": [{"name": "Tür"}],
            "scenes": [{"nodes": [0]}],
            "buffers": [{"uri": uri, "byteLength": 4}],
            "bufferViews": [{"buffer": 0, "byteLength": 4}],
            "images": [{"uri": "Bild€.png"}],
        }
        (folder / name).write_text(json.dumps(root, ensure_ascii=False), encoding="utf-8")
    lines = [line for name in (NAME, "raw.gltf", "fehlt€.gltf") for line in _lines(folder, name)]
    done = subprocess.run(
        [sys.executable, "-m", "tests.security.commands"],
        input="\n".join(map(json.dumps, lines)),
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
        env={**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0"},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return folder, [json.loads(line) for line in done.stdout.splitlines()]


def _lines(folder: Path, name: str) -> list[list[str]]:
    """Return command lines with the arguments that the system would give."""

    def given(file: str) -> str:
        return os.fsencode(folder / file).decode("ascii", "surrogateescape")

    return [
        ["info", given(name)],
        ["check", given(name), "--format", "json"],
        ["check", given(name), "--format", "sarif"],
        ["convert", given(name), given(f"{name}-ä.glb")],
        ["convert", given(name), given("neu/ö.gltf")],
        ["convert", given(name), given(f"{name}-ü.gltf"), "--embed"],
        ["simulate", given(name), "-o", given(f"{name}-ä.json"), "--seconds", "0.05"],
        ["convert", given(name), given(f"{name}-é.xml")],
        ["view", given(name), "--html", given(f"{name}-é.html"), "--seconds", "0.05"],
        ["diff", given(name), given("raw.gltf")],
    ]


def test_no_command_ends_in_a_traceback(endings: tuple[Path, list[dict[str, Any]]]) -> None:
    _, ended = endings
    assert len(ended) == 30
    for each in ended:
        assert each["status"] in (0, 1, 2), f"{each['arguments']}\n{each['text']}"
        assert "Traceback" not in each["text"]
        assert "fehlt" in each["arguments"][1] or each["status"] == 0 or "neu" in each["text"]


def test_outputs_have_the_names_that_were_asked_for(
    endings: tuple[Path, list[dict[str, Any]]],
) -> None:
    folder, _ = endings
    for name in (NAME, "raw.gltf"):
        assert (folder / f"{name}-ä.glb").stat().st_size
        assert (folder / f"{name}-ü.gltf").stat().st_size
        assert (folder / f"{name}-ä.json").stat().st_size


def test_output_is_utf_8_on_ascii_systems(tmp_path: Path) -> None:
    for name, place in (("ä.gltf", 1), ("ö.gltf", 2)):
        node = {"name": "Tür", "translation": [place, 0, 0]}
        root = {"asset": {"version": "2.0"}, "nodes": [node], "scenes": [{"nodes": [0]}]}
        (tmp_path / name).write_text(json.dumps(root), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "ligament", "diff", tmp_path / "ä.gltf", tmp_path / "ö.gltf"],
        capture_output=True,
        check=False,
        env={**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    )
    assert done.returncode == 1, done.stderr.decode()
    assert "changed node Tür: translation (1, 0, 0) → (2, 0, 0)" in done.stdout.decode()


def test_usd_in_a_path_that_the_system_cannot_encode_is_refused_clearly(tmp_path: Path) -> None:
    stage = tmp_path / "Tür.usda"
    stage.write_text('#usda 1.0\ndef Xform "A" {}\n')
    for encoding, status in (("0", 2), ("1", 0)):
        done = subprocess.run(
            [sys.executable, "-m", "ligament", "convert", stage, tmp_path / "out.glb"],
            capture_output=True,
            check=False,
            env={**os.environ, "LC_ALL": "C", "PYTHONUTF8": encoding, "PYTHONCOERCECLOCALE": "0"},
        )
        reported = done.stderr.decode()
        assert done.returncode == status, reported
        assert status == 0 or ("PYTHONUTF8=1" in reported and "Tür.usda" in reported)
