"""`--root`: files outside the folder of a document, in folders that the user names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import ligament as lg
from ligament.demo import assets
from ligament.operations import OPERATIONS, operation
from tests.cli.command import ligament


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two documents in `scenes` whose buffer is in the folder beside theirs."""
    (tmp_path / "scenes").mkdir()
    (tmp_path / "shared").mkdir()
    door = next(file for file in assets() if file.name == "door.glb")
    lg.save(lg.load(door), tmp_path / "scenes/door.gltf")
    content = json.loads((tmp_path / "scenes/door.gltf").read_text())
    (tmp_path / "scenes" / content["buffers"][0]["uri"]).rename(tmp_path / "shared/door.bin")
    content["buffers"][0]["uri"] = "../shared/door.bin"
    rules = '[[vary]]\nquantity = "gravity"\ndistribution = "constant"\nvalue = [0, -9, 0]\n'
    (tmp_path / "rules.toml").write_text(rules)
    for name in ("door", "gate"):
        (tmp_path / f"scenes/{name}.gltf").write_text(json.dumps(content))
    return tmp_path


@pytest.mark.parametrize("command", [name for name in OPERATIONS if operation(name).reads.name])
def test_every_command_that_reads_a_file_has_the_option(command: str) -> None:
    assert "--root FOLDER" in ligament(command, "--help").stdout


def test_without_the_option_the_line_names_it(folder: Path) -> None:
    done = ligament("convert", folder / "scenes/door.gltf", folder / "out.glb")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "'../shared/door.bin' points outside the folder of the file" in line
    assert "--root" in line
    assert not (folder / "out.glb").exists()


CALLS: dict[str, list[str]] = {
    "info": ["info", "scenes/door.gltf"],
    "check": ["check", "scenes/door.gltf", "--fail-on", "error"],
    "check in processes": ["check", "scenes/door.gltf", "scenes/gate.gltf", "--jobs", "2"],
    "convert": ["convert", "scenes/door.gltf", "out.glb"],
    "fix": ["fix", "scenes/door.gltf", "-o", "out.glb"],
    "equip": ["equip", "scenes/door.gltf", "--ground", "-o", "out.glb"],
    "bake": ["bake", "scenes/door.gltf", "-o", "out.glb", "--seconds", "0.1"],
    "diff": ["diff", "scenes/door.gltf", "scenes/gate.gltf"],
    "batch": ["batch", "check", "scenes", "--out-dir", "out", "--jobs", "1"],
    "worlds": [
        *("worlds", "scenes/door.gltf", "--vary", "rules.toml", "--count", "1"),
        *("--seconds", "0.1", "-o", "out.npz", "--jobs", "1"),
    ],
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("root", [".", "shared"])
def test_a_named_folder_is_read(call: str, root: str, folder: Path) -> None:
    done = ligament(*CALLS[call], "--root", root, cwd=folder)
    assert done.returncode == 0, done.stderr
    if (folder / "out.glb").exists():
        assert lg.check(lg.load(folder / "out.glb")).ok


def test_other_folders_stay_closed(folder: Path) -> None:
    (folder / "other").mkdir()
    done = ligament("convert", "scenes/door.gltf", "out.glb", "--root", "other", cwd=folder)
    assert done.returncode == 2
    assert "points outside the folder of the file" in done.stderr
    done = ligament("convert", "scenes/door.gltf", "out.glb", "--root", "missing", cwd=folder)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert "missing: is not a folder" in done.stderr


def test_the_named_folders_end_with_the_command(folder: Path) -> None:
    assert ligament("info", "scenes/door.gltf", "--root", ".", cwd=folder).returncode == 0
    assert ligament("convert", "scenes/door.gltf", "out.glb", cwd=folder).returncode == 2


def test_a_link_out_of_a_named_folder_is_refused(folder: Path) -> None:
    (folder / "shared/door.bin").rename(folder / "secret.bin")
    (folder / "shared/door.bin").symlink_to(folder / "secret.bin")
    done = ligament("convert", "scenes/door.gltf", "out.glb", "--root", "shared", cwd=folder)
    assert done.returncode == 2
    assert "points outside" in done.stderr


@pytest.mark.parametrize("name", ["info", "bake", "convert", "simulate", "check", "fix"])
def test_python_takes_the_folders_too(name: str, folder: Path) -> None:
    function, file = getattr(lg, name), folder / "scenes/door.gltf"
    options = {"seconds": 0.1} if name in ("bake", "simulate") else {}
    result = function(file, roots=[folder], **options)
    document = getattr(result, "document", result)
    if isinstance(document, lg.Document):
        lg.save(document, folder / "out.glb")
        assert lg.check(folder / "out.glb").ok
    with pytest.raises(lg.LigamentError, match="missing: is not a folder"):
        function(file, roots=[folder / "missing"], **options)
