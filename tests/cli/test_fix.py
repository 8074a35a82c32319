"""`ligament fix`: what has one right answer is repaired; the rest is listed."""

import json
from pathlib import Path

import ligament as lg
from ligament.demo import assets
from tests.cli.command import ligament

DOOR = next(path for path in assets() if path.name == "door.glb")


def bent(path: Path) -> Path:
    """Write a file whose rotation is too long: it can be scaled to 1 in one way."""
    node = {"rotation": [0, 0, 0, 2]}
    content = {"asset": {"version": "2.0"}, "nodes": [node]}
    path.write_text(json.dumps(content))
    return path


def test_a_fault_with_one_right_answer_is_fixed(tmp_path: Path) -> None:
    run = ligament("fix", bent(tmp_path / "a.gltf"), "-o", tmp_path / "b.gltf")
    assert run.returncode == 0
    assert "1 fixed, nothing found" in run.stdout
    fixed = json.loads((tmp_path / "b.gltf").read_text())
    assert fixed["nodes"][0]["rotation"] == [0, 0, 0, 1]


def test_it_works_in_place_and_reports_as_json(tmp_path: Path) -> None:
    file = bent(tmp_path / "a.gltf")
    run = ligament("fix", file, "--in-place", "--json")
    assert json.loads(run.stdout)["files"][0]["changes"][0]["pointer"] == "/nodes/0/rotation"
    assert json.loads(file.read_text())["nodes"][0]["rotation"] == [0, 0, 0, 1]


def test_the_function_prints_what_the_command_prints(tmp_path: Path) -> None:
    file = bent(tmp_path / "a.gltf")
    before = lg.load(file)
    fixed = lg.fix(before)
    assert fixed.document.json["nodes"][0]["rotation"] == [0, 0, 0, 1]
    assert before.json["nodes"][0]["rotation"] == [0, 0, 0, 2]
    assert [change.pointer for change in fixed.changes] == ["/nodes/0/rotation"]
    assert fixed.report.ok
    for path in (file, DOOR):
        run = ligament("fix", path, "-o", tmp_path / f"out{path.suffix}")
        assert f"{lg.fix(path)}\n" == run.stdout
    assert str(lg.fix(lg.Document(before.json))).startswith("document: 1 fixed")


def test_nothing_to_fix_is_reported(tmp_path: Path) -> None:
    for words in (("fix",), ("check", "--fix")):
        run = ligament(*words, DOOR, "-o", tmp_path / "door.glb")
        assert "nothing to fix, 1 info, 1 hint" in run.stdout


def test_an_output_must_be_named(tmp_path: Path) -> None:
    run = ligament("fix", bent(tmp_path / "a.gltf"))
    assert run.returncode == 2
    assert "use either -o OUT or --in-place" in run.stderr
