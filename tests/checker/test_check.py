"""More findings than can be listed: the worst are, all are counted, and memory stays small."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from ligament.checker import check
from ligament.checker.check import Gathering
from ligament.checker.files import CheckedFile, FileTask, check_loaded
from ligament.checker.report import Report
from ligament.checker.rules import schemas as schemas_module
from ligament.checker.sarif import to_sarif
from ligament.checker.schemas import validator
from ligament.extensions import fields
from ligament.findings import Finding, finding
from ligament.gltf.document import Document
from ligament.gltf.load import loads
from ligament.gltf.tree import NodeTree
from ligament.limits import Limits
from tests.cli.command import ligament

HINT, WARNING, ERROR = "PORTABILITY_WORLD_JOINT", "NODE_CONSTRAINT_BETA", "ROTATION_NON_UNIT"


def found(code: str, place: object, **members: int) -> Finding:
    return finding(code, f"/nodes/{place}", "found", "fix it")._replace(**members)


def document(root: dict[str, Any], **limits: int) -> Any:
    content = {"asset": {"version": "2.0"}, **root}
    return loads(json.dumps(content).encode(), limits=Limits(**limits))


def many_faults(count: int) -> dict[str, Any]:
    return {"nodes": [{"rotation": [0, 0, 0, 2]}] * count}


def test_the_worst_are_kept_and_all_are_counted() -> None:
    gathering = Gathering(3)
    gathering.add(found(HINT, place) for place in range(5))
    gathering.add(found(ERROR, place) for place in range(2))
    gathering.add(found(WARNING, place) for place in range(2))
    codes = [each.code for each in gathering.findings()]
    assert codes == [ERROR, ERROR, WARNING]
    assert gathering.unlisted == {(HINT, "hint"): 5, (WARNING, "warning"): 1}


def test_the_first_of_a_code_finds_room_beside_many_of_another() -> None:
    gathering = Gathering(3)
    gathering.add(found(ERROR, place) for place in range(9))
    gathering.add([found("CONTENT_UNREADABLE", "")])
    assert [each.code for each in gathering.findings()] == [ERROR, ERROR, "CONTENT_UNREADABLE"]
    assert gathering.unlisted == {(ERROR, "error"): 7}


def test_nothing_is_counted_twice() -> None:
    gathering = Gathering(1)
    for _ in range(2):
        gathering.add(found(ERROR, place) for place in range(4))
    gathering.add_unless_reported([found("TYPE_MISMATCH", 3), found("TYPE_MISMATCH", 9)])
    counts = Counter(each.code for each in gathering.findings())
    for (code, _), count in gathering.unlisted.items():
        counts[code] += count
    assert counts == {ERROR: 4, "TYPE_MISMATCH": 1}


def test_no_limit_leaves_everything_as_it_was() -> None:
    report = check(document(many_faults(50)))
    assert (len(report), report.unlisted) == (50, {})
    assert "unlisted" not in report.plain()


@pytest.mark.parametrize("most", [0, 1, 20])
def test_a_report_knows_of_what_it_does_not_list(most: int) -> None:
    report = check(document(many_faults(50), findings=most))
    assert len(report) == most
    assert not report.ok
    assert report.has("error")
    assert report.counts["error"] == 50
    assert report.unlisted == {ERROR: 50 - most}
    assert report.plain()["unlisted"] == report.unlisted
    assert f"and {50 - most} more" in repr(report)
    assert f"and {50 - most} more" in report._repr_html_()


def test_settings_count_for_what_is_not_listed() -> None:
    report = check(document(many_faults(50), findings=1))
    milder = report.with_severities({ERROR: "hint"})
    assert milder.counts == {"error": 0, "warning": 0, "info": 0, "hint": 50}
    assert milder.ok
    without = report.without([ERROR])
    assert (without.ok, without.unlisted, sum(without.counts.values())) == (True, {}, 0)


def test_a_sarif_log_reports_what_is_not_listed() -> None:
    task = FileTask(Path("many.gltf"))
    log = to_sarif([check_loaded(task, document(many_faults(50), findings=1))])
    (invocation,) = log["runs"][0]["invocations"]
    (note,) = invocation["toolExecutionNotifications"]
    assert "49 more are not listed (49 ROTATION_NON_UNIT)" in note["message"]["text"]
    place = note["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert place == "many.gltf"
    complete = to_sarif([CheckedFile(Path("few.gltf"), Report())])
    assert complete["runs"][0]["invocations"] == [{"executionSuccessful": True}]


@pytest.mark.parametrize(
    ("form", "reported"),
    [("text", "49 more are not listed (49 ROTATION_NON_UNIT)"), ("json", '"unlisted"')],
)
def test_the_command_reports_and_fails_for_what_is_not_listed(
    tmp_path: Path, form: str, reported: str
) -> None:
    file = tmp_path / "many.gltf"
    file.write_text(json.dumps({"asset": {"version": "2.0"}, **many_faults(50)}))
    done = ligament("check", file, "--format", form, "--limit", "findings=1")
    assert done.exit_code == 1
    assert reported in done.stdout


def test_elements_of_an_array_are_counted_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fields, "MANY", 10)
    report = check(document({"nodes": [{"children": [-1, "a"] * 100}]}))
    assert report.counts["error"] == 200
    assert len(report) < 20
    assert sum(report.unlisted.values()) + len(report) == 200
    assert {*report.unlisted} == {"INVALID_INDEX", "TYPE_MISMATCH"}


@pytest.mark.parametrize(
    "content",
    [
        {"shapes": [1, {}, {"type": "sphere"}, {"type": 3}] * 20},
        {"shapes": [{"type": "sphere", "sphere": {"radius": -1}}] * 50, "other": [1] * 9},
        {"shapes": "none", "other": [1] * 90},
        {"other": [1] * 90},
    ],
)
def test_portions_find_what_is_found_at_once(
    monkeypatch: pytest.MonkeyPatch, content: dict[str, Any]
) -> None:
    judge = validator("KHR_implicit_shapes.schema.json")

    def breaches() -> list[tuple[str, str]]:
        found = schemas_module.errors(judge, content)
        return sorted((str(place), error.kind.name) for place, error in found)

    at_once = breaches()
    assert at_once
    monkeypatch.setattr(schemas_module, "MOST", 20)
    assert breaches() == at_once


def test_an_element_too_large_to_be_judged_has_one_breach(monkeypatch: pytest.MonkeyPatch) -> None:
    judge = validator("KHR_physics_rigid_bodies.node.schema.json", many=True)
    content = [{"motion": 1}, {"trigger": {"nodes": ["a"] * 100}}, {"motion": 2}]
    monkeypatch.setattr(schemas_module, "MOST", 20)
    places = [place[0] for place, _ in schemas_module.errors(judge, content)]
    assert sorted(places) == [0, 1, 2]


def test_a_sound_node_tree_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Document] = []
    make = NodeTree.__init__

    def counted(self: NodeTree, document: Document) -> None:
        made.append(document)
        make(self, document)

    monkeypatch.setattr(NodeTree, "__init__", counted)
    check(Document({"asset": {"version": "2.0"}, "nodes": [{"name": "a"}]}))
    assert len(made) == 1
