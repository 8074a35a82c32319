"""`ligament diff`: what it prints, and its exit status."""

import json

import pytest

import ligament as lg
from ligament.author.editor import Editor
from ligament.extensions.shapes import Box
from ligament.gltf.document import Document
from tests.cli.command import ligament


def run(*arguments):
    return ligament("diff", *arguments)


@pytest.fixture
def files(tmp_path):
    """The same crate as text and as binary, and a heavier one that is called dangerously."""
    paths = []
    for name, mass, title in (
        ("a.gltf", 2.0, "Crate"),
        ("b.glb", 2.0, "Crate"),
        ("c.glb", 3.0, "Crate"),
    ):
        document = Document({"asset": {"version": "2.0"}, "scenes": [{"nodes": []}], "nodes": []})
        editor = Editor(document)
        editor.add_body(editor.add_node(title), mass=mass, collider=Box((1, 1, 1)))
        lg.save(document, tmp_path / name)
        paths.append(tmp_path / name)
    return paths


def test_equal_files_end_with_0(files):
    done = run(files[0], files[1])
    assert (done.returncode, done.stdout) == (0, "no difference in meaning\n")
    assert run(files[0], files[1], "--quiet").stdout == ""


def test_different_files_end_with_1(files):
    done = run(files[0], files[2])
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "changed body Crate: mass [kg] 2 → 3",
        "1 difference: 1 changed",
    ]


def test_json_is_for_programs(files):
    done = run(files[0], files[2], "--json")
    assert done.returncode == 1
    content = json.loads(done.stdout)
    assert content["equal"] is False
    assert content["counts"] == {"added": 0, "removed": 0, "changed": 1}
    assert content["changes"] == [
        {
            "change": "changed",
            "part": "body",
            "name": "Crate",
            "detail": "mass [kg]",
            "before": 2.0,
            "after": 3.0,
        }
    ]


def test_the_function_prints_what_the_command_prints(files):
    found = lg.diff(lg.load(files[0]), files[2])
    assert [change.detail for change in found] == ["mass [kg]"]
    assert f"{found}\n" == run(files[0], files[2]).stdout
    assert f"{lg.diff(files[0], b=files[1])}\n" == run(files[0], files[1]).stdout
    assert lg.diff(files[0], files[2], tolerance=0.5).equal
    with pytest.raises(lg.LigamentError, match="diff: b is missing"):
        lg.diff(files[0])


def test_unbounded_values_are_null_in_json(files):
    document = lg.load(files[2])
    document.extension("KHR_physics_rigid_bodies")
    motion = document.json["nodes"][0]["extensions"]["KHR_physics_rigid_bodies"]["motion"]
    motion["mass"] = 0
    lg.save(document, files[2])
    text = run(files[0], files[2]).stdout
    assert "mass [kg] 2 → unbounded" in text
    (change,) = json.loads(run(files[0], files[2], "--json").stdout)["changes"]
    assert (change["before"], change["after"]) == (2.0, None)


def test_limits_hold_for_both_files(files):
    for pair in ((files[0], files[2]), (files[2], files[0])):
        done = run(*pair, "--limit", "items=1")
        assert done.returncode == 2
        assert pair[0].name in done.stderr


def test_a_tolerance_makes_them_equal(files):
    assert run(files[0], files[2], "--tolerance", "0.5").returncode == 0


def test_unreadable_files_exit_with_2(files, tmp_path):
    done = run(files[0], tmp_path / "none.glb")
    assert done.returncode == 2
    assert "none.glb" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_names_cannot_command_a_terminal(files):
    document = lg.load(files[2])
    document.json["nodes"][0]["name"] = "\x1b[2J\nCrate"
    lg.save(document, files[2])
    done = run(files[0], files[2])
    assert done.returncode == 1
    assert "\x1b" not in done.stdout
    assert len(done.stdout.splitlines()) == 3  # a mass, a name, and the sum
