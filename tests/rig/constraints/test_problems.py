"""Listing what is wrong with node constraints: every code, and never an exception."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ligament.errors import LigamentError
from ligament.findings.avatars import NODE_CONSTRAINTS
from ligament.gltf import pointers
from ligament.gltf.document import Document
from ligament.rig import NodeConstraints, constraint_problems
from tests.rig.constrained import NAME, constrained, document_of, random_scene

EXTENSION = f"/extensions/{NAME}"
FREE: dict[str, Any] = {}
UNEVEN = {"children": [1], "scale": [1.0, 2.0, 1.0]}
AWAY = {"translation": [0.0, 1.0, 0.0]}


def _aim(source: int, **members: Any) -> dict[str, Any]:
    return {"extensions": constrained("aim", source, aimAxis="PositiveX"), **members}


def _content(content: Any) -> dict[str, Any]:
    return {"extensions": {NAME: content}}


FAULTY: dict[str, tuple[list[dict[str, Any]], str]] = {
    "TYPE": ([_content(3)], f"/nodes/0{EXTENSION}"),
    "SPEC_VERSION": ([_content({"constraint": {}})], f"/nodes/0{EXTENSION}"),
    "MISSING": ([_content({"specVersion": "1.0"})], f"/nodes/0{EXTENSION}"),
    "KIND": (
        [_content({"specVersion": "1.0", "constraint": {}})],
        f"/nodes/0{EXTENSION}/constraint",
    ),
    "SOURCE": (
        [{"extensions": constrained("rotation", 9)}],
        f"/nodes/0{EXTENSION}/constraint/rotation/source",
    ),
    "SELF": (
        [{"extensions": constrained("rotation", 0)}],
        f"/nodes/0{EXTENSION}/constraint/rotation/source",
    ),
    "AXIS": (
        [{"extensions": constrained("roll", 1, rollAxis="x")}, FREE],
        f"/nodes/0{EXTENSION}/constraint/roll/rollAxis",
    ),
    "WEIGHT": (
        [{"extensions": constrained("rotation", 1, weight=2)}, FREE],
        f"/nodes/0{EXTENSION}/constraint/rotation/weight",
    ),
    "FREEZE_AXES": (
        [{"extensions": constrained("rotation", 1, version="1.0-draft", freezeAxes=[1])}, FREE],
        f"/nodes/0{EXTENSION}/constraint/rotation/freezeAxes",
    ),
    "CYCLE": (
        [{"extensions": constrained("rotation", 1)}, {"extensions": constrained("rotation", 0)}],
        f"/nodes/0{EXTENSION}/constraint/rotation",
    ),
    "BETA": (
        [{"extensions": constrained("rotation", 1, version="1.0-beta")}, FREE],
        f"/nodes/0{EXTENSION}/specVersion",
    ),
    "DRAFT": (
        [{"extensions": constrained("rotation", 1, version="1.0-draft")}, FREE],
        f"/nodes/0{EXTENSION}/specVersion",
    ),
    "DRAFT_EMPTY": ([_content({"specVersion": "1.0-draft"})], f"/nodes/0{EXTENSION}"),
    "DRAFT_WEIGHT": (
        [{"extensions": constrained("rotation", 1, version="1.0-draft", weight=-1)}, FREE],
        f"/nodes/0{EXTENSION}/constraint/rotation/weight",
    ),
    "WEIGHT_ZERO": (
        [{"extensions": constrained("rotation", 1, weight=0)}, FREE],
        f"/nodes/0{EXTENSION}/constraint/rotation/weight",
    ),
    "SOURCE_BELOW": (
        [{"extensions": constrained("rotation", 2), "children": [1]}, {"children": [2]}, FREE],
        f"/nodes/0{EXTENSION}/constraint/rotation/source",
    ),
    "AIM_COINCIDENT": ([_aim(1), FREE], f"/nodes/0{EXTENSION}/constraint/aim/source"),
    "SCALE": ([UNEVEN, _aim(2), AWAY], f"/nodes/1{EXTENSION}/constraint/aim"),
}

SOUND = [
    [{"extensions": constrained("rotation", 1)}, FREE],
    [{"extensions": constrained("roll", 1, rollAxis="Z", weight=0.5)}, FREE],
    [_aim(1), AWAY],
    [{"children": [1], "scale": [2.0, 2.0, 2.0]}, _aim(2), AWAY],
    [{"children": [1]}, {"extensions": constrained("rotation", 0)}],
    [UNEVEN, {"extensions": constrained("rotation", 2)}, FREE],
    [FREE, FREE],
]


@pytest.mark.parametrize("code", FAULTY)
def test_every_code_has_a_file(code: str) -> None:
    nodes, pointer = FAULTY[code]
    document = document_of(*nodes)
    found = {finding.code: finding for finding in constraint_problems(document)}
    finding = found[f"NODE_CONSTRAINT_{code}"]
    assert finding.pointer == pointer
    assert finding.severity == NODE_CONSTRAINTS[finding.code].severity
    assert finding.message
    assert finding.remedy
    assert pointers.find(document.json, pointer, default=found) is not found
    beside = {"DRAFT"} if code.startswith("DRAFT_") or code == "FREEZE_AXES" else set()
    assert set(found) == {finding.code, *(f"NODE_CONSTRAINT_{other}" for other in beside)}


def test_every_code_is_tried() -> None:
    assert {f"NODE_CONSTRAINT_{code}" for code in (*FAULTY, "NOT_USED")} == set(NODE_CONSTRAINTS)


@pytest.mark.parametrize("nodes", SOUND)
def test_sound_files_have_no_findings(nodes: list[dict[str, Any]]) -> None:
    assert list(constraint_problems(document_of(*nodes))) == []


@pytest.mark.parametrize("used", [None, [], ["KHR_materials_unlit"], "VRMC_node_constraint"])
def test_the_extension_must_be_listed(used: Any) -> None:
    document = document_of(*SOUND[0])
    document.json["extensionsUsed"] = used
    (finding,) = constraint_problems(document)
    assert (finding.code, finding.pointer) == ("NODE_CONSTRAINT_NOT_USED", f"/nodes/0{EXTENSION}")
    assert NodeConstraints(document).order == (0,)


def test_all_faults_of_a_constraint_are_listed() -> None:
    node = {"extensions": constrained("aim", -1, aimAxis="+X", weight=None)}
    codes = [finding.code for finding in constraint_problems(document_of(node))]
    assert codes == [f"NODE_CONSTRAINT_{code}" for code in ("SOURCE", "AXIS", "WEIGHT")]


def test_a_broken_tree_does_not_hide_the_rest() -> None:
    """Two parents, a cycle of children and unreadable nodes: constraints are judged anyway."""
    nodes = [
        {**FAULTY["CYCLE"][0][0], "children": [2, 2, 99, "x", 1.5, True]},
        {**FAULTY["CYCLE"][0][1], "children": [2], "name": 7},
        {"children": [3], "rotation": "no"},
        {"children": [2]},
        None,
        {"extensions": 4},
    ]
    findings = list(constraint_problems(document_of(*nodes)))  # type: ignore[arg-type]
    assert [finding.code for finding in findings] == ["NODE_CONSTRAINT_CYCLE"]
    assert "node 1 depends on node 0" in findings[0].message


def test_source_below_is_found_at_any_depth() -> None:
    count = 3000
    nodes = [{"children": [i + 1]} for i in range(count)] + [{}]
    nodes[5]["extensions"] = constrained("rotation", count)
    nodes[7]["extensions"] = constrained("rotation", 6)
    codes = [(f.code, f.pointer) for f in constraint_problems(document_of(*nodes))]
    place = f"/nodes/5{EXTENSION}/constraint/rotation/source"
    assert codes == [("NODE_CONSTRAINT_SOURCE_BELOW", place)]


members = ["specVersion", "constraint", "roll", "aim", "rotation", "source", "weight"]
members += ["rollAxis", "aimAxis", "freezeAxes", "axes"]
scalars = st.none() | st.booleans() | st.integers(-3, 5) | st.floats()
json_values = st.recursive(
    scalars | st.sampled_from(["1.0", "1.0-draft", "X", "PositiveX", ""]),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(members), inner, max_size=5)
    ),
    max_leaves=12,
)
extended = st.fixed_dictionaries(
    {"extensions": st.fixed_dictionaries({NAME: json_values}) | json_values},
    optional=dict.fromkeys(("children", "name", "rotation", "scale"), json_values),
)


@given(st.lists(extended | json_values, max_size=5) | json_values, json_values)
def test_no_json_makes_it_raise(nodes: Any, used: Any) -> None:
    document = Document({"nodes": nodes, "extensionsUsed": used})
    for finding in constraint_problems(document):
        assert finding.severity == NODE_CONSTRAINTS[finding.code].severity


mutations = st.sampled_from([None, True, -1, 0, 1, 0.5, 1e400, 10**400, "1.0-draft", "", [], {}])


@given(st.integers(0, 2**32 - 1), st.integers(0, 500), mutations)
@pytest.mark.filterwarnings("ignore::ligament.errors.LigamentWarning")
def test_reading_raises_exactly_where_there_are_errors(seed: int, at: int, value: Any) -> None:
    """One member of a sound document is replaced; `NodeConstraints` and the list must agree."""
    scene = random_scene(np.random.default_rng(seed))
    contents = [node["extensions"][NAME] for node in scene.json["nodes"] if "extensions" in node]
    places = [place for content in contents for place in _places(content)]
    if places:
        holder, key = places[at % len(places)]
        holder[key] = value
    errors = [f.pointer for f in constraint_problems(scene.document) if f.severity == "error"]
    with pytest.raises(LigamentError) if errors else nullcontext() as caught:
        NodeConstraints(scene.document)
    assert caught is None or caught.value.pointer == errors[0]


def _places(value: Any) -> list[tuple[Any, Any]]:
    """List (holder, key) of everything in an object."""
    found = []
    for key, inner in value.items():
        found += [(value, key), *(_places(inner) if isinstance(inner, dict) else ())]
    return found


def test_edge_cases_are_judged_as_the_specification_does(shared: Path) -> None:
    """Verdicts on 49 odd files. An aim at a child is left open there; it is a cycle of data."""
    lines = (shared / "golden/node_constraint/edge_cases.jsonl").read_text().splitlines()
    read_with_a_warning = {"draft_specversion", "beta_specversion"}
    for case in map(json.loads, lines):
        severities = {finding.severity for finding in constraint_problems(Document(case["gltf"]))}
        if case["id"] in read_with_a_warning:
            assert severities == {"warning"}, case["id"]
        else:
            invalid = case["spec_1_0"] in ("invalid", "unclear")
            assert ("error" in severities) == invalid, case["id"]
    assert len(lines) >= 49
