"""SARIF logs: valid by the official schema, with places that editors and code hosts understand."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import ligament as lg
from ligament.checker import Issue, Report
from ligament.checker.files import CheckedFile, FileTask, check_file
from ligament.checker.sarif import FINGERPRINT, LEVELS, to_sarif
from ligament.findings import CODES, SEVERITIES
from tests.judges import judge

POINTER = "/nodes/0/extensions/VRMC_node_constraint/constraint/rotation/source"
TEXT = """{
  "asset": {"version": "2.0"},
  "extensionsUsed": ["VRMC_node_constraint"],
  "nodes": [
    {"name": "Händchen", "extensions": {"VRMC_node_constraint": {
      "specVersion": "1.0",
      "constraint": {"rotation": { "weight": 1, "source" : 7 }}}}}
  ]
}
"""


def results(log: dict[str, Any]) -> list[dict[str, Any]]:
    return list(log["runs"][0]["results"])


def checked(file: str, *issues: Issue) -> CheckedFile:
    return CheckedFile(Path(file), Report(list(issues)))


def one(code: str = "NODE_CONSTRAINT_SOURCE", message: str = "text", pointer: str = "") -> Issue:
    return Issue(code, CODES[code].severity, pointer, message)


@pytest.fixture
def gltf(tmp_path: Path) -> Path:
    path = tmp_path / "models" / "a b#ü.gltf"
    path.parent.mkdir()
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_every_code_is_a_rule_and_every_rule_valid(tmp_path: Path) -> None:
    issues = [one(code, pointer="/nodes/0") for code in CODES]
    log = to_sarif([checked("a.gltf", *issues), checked("b.glb")])
    path = tmp_path / "log.sarif"
    path.write_text(json.dumps(log))
    assert judge("sarif.mjs", path) == {str(path): []}
    rules = log["runs"][0]["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == list(CODES)
    for result in results(log):
        rule = rules[result["ruleIndex"]]
        assert rule["id"] == result["ruleId"]
        assert rule["defaultConfiguration"]["level"] == result["level"]
        assert (
            rule["help"]["text"].replace("{{", "{").replace("}}", "}") == CODES[rule["id"]].remedy
        )


def test_the_judge_refuses_what_is_not_sarif(tmp_path: Path) -> None:
    log = to_sarif([checked("a.gltf", one())])
    results(log)[0]["level"] = "fatal"
    path = tmp_path / "log.sarif"
    path.write_text(json.dumps(log))
    assert judge("sarif.mjs", path)[str(path)] == [
        ".runs[0].results[0].level: should be equal to one of the allowed values"
    ]


def test_text_has_lines_and_columns(gltf: Path, tmp_path: Path) -> None:
    found = check_file(FileTask(gltf, with_places=True))
    (result,) = results(to_sarif([found], base=tmp_path))
    location = result["locations"][0]
    assert location["physicalLocation"] == {
        "artifactLocation": {"uri": "models/a%20b%23%C3%BC.gltf", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 7, "startColumn": 49, "endLine": 7, "endColumn": 61},
    }
    assert TEXT.splitlines()[6][48:60] == '"source" : 7'
    assert location["logicalLocations"] == [{"name": "source", "fullyQualifiedName": POINTER}]
    assert result["message"]["text"] == "found 7; it must be a node, 0 to 0"


def test_columns_count_characters_not_bytes(gltf: Path) -> None:
    found = check_file(FileTask(gltf, with_places=True))
    name = found.places[POINTER]
    gltf.write_text(TEXT.replace("\n", " "), encoding="utf-8")
    flat = check_file(FileTask(gltf, with_places=True)).places[POINTER]
    assert (name.line, flat.line) == (7, 1)
    assert flat.column == TEXT.index('"source"') + 1


def test_binary_files_have_no_lines_and_the_message_says_where(gltf: Path, tmp_path: Path) -> None:
    glb = tmp_path / "a.glb"
    lg.save(lg.load(gltf), glb)
    (result,) = results(to_sarif([check_file(FileTask(glb, with_places=True))], base=tmp_path))
    location = result["locations"][0]
    assert "region" not in location["physicalLocation"]
    assert location["logicalLocations"][0]["fullyQualifiedName"] == POINTER
    message = f'node 0 "Händchen", {POINTER}: found 7; it must be a node, 0 to 0'
    assert result["message"]["text"] == message


def test_a_finding_about_a_whole_file_has_no_region(gltf: Path) -> None:
    found = check_file(FileTask(gltf, with_places=True))
    whole = CheckedFile(gltf, Report([one()]), places={"": found.places[POINTER]})
    (location,) = results(to_sarif([whole]))[0]["locations"]
    assert set(location) == {"physicalLocation"}
    assert set(location["physicalLocation"]) == {"artifactLocation"}


def test_an_unreadable_file_is_a_result_of_a_run_that_failed(tmp_path: Path) -> None:
    log = to_sarif([check_file(FileTask(tmp_path / "none.glb"))], base=tmp_path)
    assert log["runs"][0]["invocations"] == [{"executionSuccessful": False}]
    (result,) = results(log)
    assert result["ruleId"] == "FILE_UNREADABLE"
    assert "logicalLocations" not in result["locations"][0]
    good = to_sarif([checked("a.glb", one())])
    assert good["runs"][0]["invocations"] == [{"executionSuccessful": True}]


def test_files_elsewhere_have_absolute_uris(tmp_path: Path) -> None:
    log = to_sarif([checked(str(tmp_path / "a b.glb"))], base=tmp_path / "inner")
    location = log["runs"][0]["artifacts"][0]["location"]
    assert location == {"uri": (tmp_path / "a b.glb").as_uri()}


def test_fingerprints_distinguish_findings_and_stay_when_lines_move(gltf: Path) -> None:
    def prints() -> list[str]:
        log = to_sarif([check_file(FileTask(gltf, with_places=True))], base=gltf.parent)
        return [result["partialFingerprints"][FINGERPRINT] for result in results(log)]

    before = prints()
    gltf.write_text("\n\n\n" + TEXT.replace('"weight": 1, ', ""), encoding="utf-8")
    assert prints() == before
    twice = [one(message="first"), one(message="second"), one(pointer="/a"), one("VRMA_NODE")]
    log = to_sarif([checked("a.glb", *twice), checked("b.glb", *twice)])
    every = [result["partialFingerprints"][FINGERPRINT] for result in results(log)]
    assert len(set(every)) == 8
    assert all(re.fullmatch(r"[0-9a-f]{24}:[12]", fingerprint) for fingerprint in every)


def test_severities_become_levels_and_are_distinguished() -> None:
    issues = [Issue("VRMA_NODE", severity, "/a", "") for severity in SEVERITIES]
    found = results(to_sarif([checked("a.glb", *issues)]))
    assert [result["level"] for result in found] == ["error", "warning", "note", "note"]
    assert [result["properties"]["severity"] for result in found] == list(LEVELS)


def test_messages_hold_no_placeholders_and_no_links() -> None:
    (result,) = results(to_sarif([checked("a.gltf", one(message="{0} [click](http://x) {"))]))
    assert result["message"]["text"] == "{{0}} [click] (http://x) {{"
