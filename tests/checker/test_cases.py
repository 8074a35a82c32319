"""Every code has a file that has the fault, and one that has not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ligament.checker import Report
from ligament.checker.files import FileTask, check_file
from ligament.findings import CODES
from tests.judges import assert_valid

CASES = Path(__file__).parent / "cases"
PLACES: dict[str, str] = json.loads((CASES / "places.json").read_text(encoding="utf-8"))

ALONG_WITH = {
    # Every file of the draft is reported as one.
    "NODE_CONSTRAINT_FREEZE_AXES": {"NODE_CONSTRAINT_DRAFT"},
    "NODE_CONSTRAINT_DRAFT_EMPTY": {"NODE_CONSTRAINT_DRAFT"},
    "NODE_CONSTRAINT_DRAFT_WEIGHT": {"NODE_CONSTRAINT_DRAFT"},
    "SPRING_BONE_LIMIT": {"SPRING_BONE_LIMIT_DRAFT"},
    # The reason that the member counts for nothing.
    "PHYSICS_TRIGGER_MEMBER": {"PHYSICS_DIALECT_CONFLICT"},
}


def report_on(code: str, kind: str) -> Report:
    return check_file(FileTask(CASES / f"{code}.{kind}.gltf")).report


def serious(report: Report) -> set[str]:
    return {issue.code for issue in report if issue.severity in ("error", "warning")}


def test_every_code_has_two_files_and_a_place() -> None:
    assert list(PLACES) == list(CODES)
    files = {f"{code}.{kind}.gltf" for code in CODES for kind in ("failing", "passing")}
    assert files | {"places.json"} == {file.name for file in CASES.iterdir()}


@pytest.mark.parametrize("code", CODES)
def test_the_failing_file_has_the_fault_in_its_place_and_no_other(code: str) -> None:
    report = report_on(code, "failing")
    found = {(issue.pointer, issue.severity) for issue in report if issue.code == code}
    assert (PLACES[code], CODES[code].severity) in found
    assert serious(report) <= {code} | ALONG_WITH.get(code, set())


@pytest.mark.parametrize("code", CODES)
def test_the_passing_file_has_not(code: str) -> None:
    report = report_on(code, "passing")
    assert code not in {issue.code for issue in report}
    assert serious(report) == set()


def test_passing_files_are_valid_to_the_validator_of_gltf() -> None:
    assert_valid(*sorted(CASES.glob("*.passing.gltf")))
