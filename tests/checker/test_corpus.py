"""The checker, on files that others published and judged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import ligament as lg
from ligament.checker import Report
from ligament.gltf import load
from ligament.gltf.document import Document
from tests.extensions.reference_reports import expected

KHR = "KHR_physics_rigid_bodies"


def serious(report: Report) -> list[tuple[str, str]]:
    severities = ("error", "warning")
    return sorted((i.code, i.pointer) for i in report if i.severity in severities)


BEYOND_THE_VALIDATOR = {
    # The text: a joint must have a connectedNode.
    "joint_unresolved_joint_no_root_ext": [
        ("UNDEFINED_PROPERTY", f"/nodes/0/extensions/{KHR}/joint")
    ],
    # The text: one node or an ancestor should have motion. A limit without bounds is idle.
    "joint_custom_property": [
        ("PHYSICS_JOINT_WITHOUT_MOTION", f"/nodes/0/extensions/{KHR}/joint"),
        ("PHYSICS_LIMIT_WITHOUT_BOUNDS", f"/extensions/{KHR}/physicsJoints/0/limits/0"),
    ],
    "node/valid": [
        ("PHYSICS_JOINT_WITHOUT_MOTION", f"/nodes/0/extensions/{KHR}/joint"),
        ("PHYSICS_LIMIT_WITHOUT_BOUNDS", f"/extensions/{KHR}/physicsJoints/0/limits/1"),
    ],
    # The text: the nodes of a compound trigger must be descendants.
    "trigger_compound_of_compounds": [
        ("PHYSICS_TRIGGER_NOT_BELOW", f"/nodes/1/extensions/{KHR}/trigger/nodes/0")
    ],
}
"""Musts and shoulds of the text that the reference validator does not look at."""


def test_errors_and_warnings_are_those_of_the_reference_validator(shared: Path) -> None:
    """With their codes and places, in all 65 files, except for what is listed above."""
    reports = sorted((shared / "corpus/khr_validator").rglob("*.report.json"))
    assert len(reports) == 65
    used = set()
    for report in reports:
        name = report.name.removesuffix(".gltf.report.json")
        key = name if name in BEYOND_THE_VALIDATOR else f"{report.parent.name}/{name}"
        used.add(key)
        file = report.with_name(f"{name}.gltf")
        wanted = expected(report) + BEYOND_THE_VALIDATOR.get(key, [])
        assert serious(lg.check(load(file))) == sorted(wanted), key
    assert used >= BEYOND_THE_VALIDATOR.keys()


def test_sizes_of_zero_are_reported_where_the_validator_reports_them(shared: Path) -> None:
    for report in (shared / "corpus/khr_validator").rglob("degenerate_*.report.json"):
        messages = json.loads(report.read_text())["issues"]["messages"]
        wanted = {m["pointer"] for m in messages if m["code"].endswith("DEGENERATE_SHAPE")}
        file = report.with_name(report.name.removesuffix(".report.json"))
        found = {i.pointer for i in lg.check(load(file)) if i.code.endswith("DEGENERATE_SHAPE")}
        assert found == wanted, report.name


@pytest.mark.filterwarnings("ignore::ligament.errors.LigamentWarning")
@pytest.mark.parametrize("folder", ["khr_samples_2024_03", "khr_conformance"])
def test_official_files_have_neither_errors_nor_warnings(shared: Path, folder: str) -> None:
    found = sorted((shared / "corpus" / folder).rglob("*.gl[tb]*"))
    files = [file for file in found if file.suffix in (".gltf", ".glb")]
    assert len(files) > 10
    for file in files:
        assert serious(lg.check(load(file))) == [], file


STIFFNESS_OF_AN_ENGINE = {
    "hanging_rope",
    "pendulum_balls",
    "rope_railing",
    "slider_ball",
    "swing_and_slide",
}
"""Their stiffness of 0.3 to 1 would be N/m by the text, by which their ropes would sag 10 m."""


def test_published_omi_files_have_no_errors_and_one_kind_of_warning(shared: Path) -> None:
    files = sorted((shared / "corpus/omi_2023_06").rglob("*.gltf"))
    assert len(files) > 20
    for file in files:
        report = lg.check(load(file))
        assert report.ok, file
        wanted = {"OMI_STIFFNESS_IS_BIAS"} if file.stem in STIFFNESS_OF_AN_ENGINE else set()
        assert {code for code, _ in serious(report)} == wanted, file


def test_odd_node_constraints_are_judged_as_the_specification_does(shared: Path) -> None:
    lines = (shared / "golden/node_constraint/edge_cases.jsonl").read_text().splitlines()
    read_with_a_warning = {"draft_specversion", "beta_specversion"}
    for case in map(json.loads, lines):
        report = lg.check(Document(case["gltf"]))
        invalid = case["spec_1_0"] in ("invalid", "unclear")
        assert report.ok is (case["id"] in read_with_a_warning or not invalid), case["id"]
    assert len(lines) >= 49


@pytest.mark.filterwarnings("ignore::ligament.errors.LigamentWarning")
def test_avatars_and_motions_have_no_errors(shared: Path) -> None:
    """And warnings only of what three-vrm misplays, in the files that were made to show it."""
    files = sorted((shared / "golden/humanoid").glob("*.vrm*"))
    assert len(files) > 80
    for file in files:
        codes = {code for code, _ in serious(lg.check(load(file)))}
        curves = file.suffix == ".vrma" and "interp" in file.stem
        overshoots = file.suffix == ".vrma" and "overshoot" in file.stem
        wanted = {"VRMA_INTERPOLATION"} if curves else set()
        assert codes == wanted | ({"VRMA_WEIGHT_RANGE"} if overshoots else set()), file
