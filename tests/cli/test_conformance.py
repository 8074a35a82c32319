"""`ligament conformance`: the suite on this and on any program, listed and exported."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from ligament.conformance.suite import own_suite
from tests.cli.command import ligament

PROGRAM = """
import json, sys
document = json.load(open(sys.argv[1]))
nodes = range(len(document["nodes"]))
places = [node.get("translation", [0, 0, 0]) for node in document["nodes"]]
frames = range(181)
json.dump({
    "times": [frame / 60 for frame in frames], "nodes": list(nodes),
    "translation": [places] * len(frames),
    "rotation": [[[0, 0, 0, 1] for _ in nodes]] * len(frames),
}, open(sys.argv[2], "w"))
"""


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    return ligament("conformance", *arguments)


@pytest.fixture
def still(tmp_path: Path) -> str:
    """A program in which nothing moves."""
    script = tmp_path / "still.py"
    script.write_text(PROGRAM)
    return f"{sys.executable} {script} {{input}} {{output}}"


def test_list_prints_the_sentences() -> None:
    listed = run("list", "--only", "gravity_factor").stdout.splitlines()
    assert listed[0].startswith("bodies/gravity_factor_0_0 (must): gravityFactor scales the pull")
    assert listed[0].endswith("[KHR_physics_rigid_bodies, Motions]")
    cases = json.loads(run("list", "--json").stdout)
    assert len(cases) >= 300


def test_ligament_passes_a_few_and_the_same_bytes_come_out_twice() -> None:
    first, second = (run("run", "--only", "gravity_factor", "--json", "--jobs", 1) for _ in "ab")
    assert first.returncode == 0
    assert first.stdout == second.stdout
    assert json.loads(first.stdout)["counts"]["must"]["pass"] >= 5


def test_any_program_is_judged(still: str, tmp_path: Path) -> None:
    page, xml = tmp_path / "r.html", tmp_path / "r.xml"
    words = ("--only", "bodies/gravity_factor", "--only", "bodies/free_fall")
    ran = run("run", "--command", still, *words, "--html", page, "--junit", xml)
    assert ran.returncode == 1
    assert "FAIL must     bodies/free_fall: " in ran.stdout
    assert "is 2, not 0.77375" in ran.stdout
    assert "bodies/gravity_factor_0_0" not in ran.stdout  # what does not move passes
    root = ElementTree.parse(xml).getroot()
    suite = root.find("testsuite")
    assert suite is not None
    assert suite.get("failures") == "4"
    text = page.read_text(encoding="utf-8")
    data = text.split('id="data">')[1].split("</script>")[0]
    failing = json.loads(data)
    assert failing[0]["id"] == "bodies/free_fall"
    assert failing[0]["curves"][0]["expected"] == pytest.approx([1.69344, 0.77375], abs=1e-4)
    assert failing[0]["curves"][0]["samples"][1][0] == 2.0
    assert "http" not in text


def test_failures_of_a_lower_tier_count_where_asked(still: str) -> None:
    words = ("run", "--command", still, "--only", "bodies/accurate_parabola")
    assert run(*words).returncode == 0
    assert run(*words, "--fail-on", "should").returncode == 1


def test_cases_that_a_program_cannot_play_are_left_out(still: str) -> None:
    ran = run("run", "--command", still, "--only", "humanoid/plain")
    assert ran.returncode == 0
    assert "1 not run" in ran.stdout
    ran = run("run", "--command", still, "--only", "drives/motor", "--without", "drives")
    assert "1 not run" in ran.stdout


@pytest.mark.parametrize(
    ("command", "reported"),
    [
        ("false {input} {output}", "exit status 1"),
        ("true {input} {output}", "the program wrote no bodies.free_fall.json"),
        ("no-such-program {input} {output}", "cannot be run"),
    ],
)
def test_programs_that_fail_are_reported(command: str, reported: str) -> None:
    ran = run("run", "--command", command, "--only", "bodies/free_fall")
    assert ran.returncode == 1
    assert reported in ran.stdout


def test_an_exported_suite_can_be_run(tmp_path: Path, still: str) -> None:
    assert run("export", tmp_path / "suite").returncode == 0
    words = ("--suite", tmp_path / "suite", "--only", "bodies/gravity_factor_0_0")
    assert run("run", "--command", still, *words, "--keep", tmp_path / "kept").returncode == 0
    assert (tmp_path / "kept" / "bodies.gravity_factor_0_0.json").is_file()
    (tmp_path / "suite" / "bodies" / "free_fall.gltf").write_text("{}")
    again = run("export", tmp_path / "other", "--suite", tmp_path / "suite")
    assert again.returncode == 2
    assert "does not match its checksum" in again.stderr


@pytest.mark.parametrize(
    ("arguments", "reported"),
    [
        (("run", "--command", "program"), "the command has no {input} and no {output}"),
        (("run", "--only", "no such word"), "no case has 'no such word'"),
        (("export",), "no folder to export to"),
        (("run", "somewhere"), "a folder is for `export`"),
        (("list", "--suite", "nowhere"), "nowhere: cannot be read"),
        (
            ("run", "--quality", "best"),
            "--quality is 'best'; did you mean 'fast'?",
        ),
        (("run", "--command", "'{input} {output}"), "cannot be split into words"),
        (("run", "--without", "drivs"), "no case uses 'drivs'; did you mean 'drives'?"),
    ],
)
def test_wrong_calls_are_reported(arguments: tuple[str, ...], reported: str) -> None:
    ran = run(*arguments)
    assert ran.returncode == 2
    assert reported in ran.stderr


def test_a_recording_that_an_earlier_run_kept_is_not_judged_again(
    tmp_path: Path, still: str
) -> None:
    words = ("--only", "bodies/gravity_factor_0_0", "--keep", tmp_path)
    assert run("run", "--command", still, *words).returncode == 0
    again = run("run", "--command", "true {input} {output}", *words)
    assert again.returncode == 1
    assert "the program wrote no" in again.stdout


def small_suite(folder: Path) -> tuple[Path, dict[str, Any]]:
    """Write a suite of one case; returns its file and its content."""
    source = own_suite()
    path = folder / "bodies" / "free_fall.json"
    path.parent.mkdir()
    path.with_suffix(".gltf").write_bytes((source / "bodies" / "free_fall.gltf").read_bytes())
    (folder / "suite.json").write_text('{"cases": ["bodies/free_fall"]}')
    return path, json.loads((source / "bodies" / "free_fall.json").read_bytes())


@pytest.mark.parametrize(
    ("change", "reported"),
    [
        (lambda case: case.pop("features"), "missing required field `features`"),
        (lambda case: case["run"].pop("seconds"), "missing required field `seconds` - at `$.run`"),
        (lambda case: case["run"].update(file="../../secret"), "names a file outside it"),
        (lambda case: case["checks"][0].pop("tolerance"), "field `tolerance` - at `$.checks[0]`"),
        (lambda case: case["checks"][0]["signal"].update(kind="colour"), "the signal 'colour'"),
        (lambda case: case["checks"][0]["signal"].update(node=77), "cannot be judged"),
    ],
)
def test_a_broken_suite_is_reported(
    change: Callable[[dict[str, Any]], object], reported: str, tmp_path: Path
) -> None:
    path, case = small_suite(tmp_path)
    change(case)
    path.write_text(json.dumps(case))
    ran = run("run", "--suite", tmp_path)
    assert ran.returncode == 2
    assert reported in ran.stderr
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize(
    ("sums", "reported"),
    [
        (None, "SHA256SUMS cannot be read"),
        ("abc", "SHA256SUMS is not a list of checksums"),
        ("00  ../../outside", "names a file outside it (../../outside)"),
        ("00  missing.gltf", "missing.gltf cannot be read"),
    ],
)
def test_a_suite_that_cannot_be_exported_is_reported(
    sums: str | None, reported: str, tmp_path: Path
) -> None:
    (tmp_path / "suite").mkdir()
    if sums is not None:
        (tmp_path / "suite" / "SHA256SUMS").write_text(sums)
    ran = run("export", tmp_path / "copy", "--suite", tmp_path / "suite")
    assert ran.returncode == 2
    assert reported in ran.stderr
