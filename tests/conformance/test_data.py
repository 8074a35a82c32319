"""The data in `conformance/`: current, complete, derived, valid."""

from __future__ import annotations

import copy
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ligament as lg
from ligament import transforms as tf
from ligament.conformance.build import all_cases, archive, contents
from ligament.conformance.suite import SUMS, Entry, own_suite, read_suite
from tests.conformance import derivations
from tests.judges import assert_valid
from tests.sampling import sample

Json = dict[str, Any]
KHR = "KHR_physics_rigid_bodies"
FOLDER = own_suite()
ENTRIES = read_suite(FOLDER)
NEIGHBOURS = {
    "bodies": {"animation"},
    "mass": {"joints", "limits", "drives"},
    "shapes": {"KHR_collision_shapes"},
    "materials": {"materials"},
    "filters": {"filters"},
    "triggers": {"triggers", "filters", "animation"},
    "limits": {"joints", "limits", "drives"},
    "joints": {"joints", "limits", "animation"},
    "drives": {"joints", "limits", "drives"},
    "omi": {
        "animation",
        "OMI_collider",
        "OMI_physics_body",
        "OMI_physics_joint",
        "OMI_physics_shape",
    },
    "constraints": {"VRMC_node_constraint", "animation"},
    "draft_constraints": {"VRMC_node_constraint", "animation"},
    "humanoid": {"VRMC_vrm", "retargeting"},
    "springs": {"VRMC_springBone", "VRMC_springBone_extended_collider", "animation"},
    "pointers": {"pointers", "joints", "limits", "drives", "materials"},
    "mirrors": {"animation", "joints", "limits", "triggers"},
    "machines": {"animation", "joints", "limits", "drives", "materials"},
}
"""Features that files of a family may use besides bodies and colliders."""


def test_the_data_is_what_the_cases_write() -> None:
    """`make conformance` updates it."""
    wanted = dict(contents(all_cases()))
    there = {path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*") if path.is_file()}
    assert there == wanted.keys()
    for name, data in wanted.items():
        assert (FOLDER / name).read_bytes() == data, name


def test_the_archive_is_reproducible() -> None:
    few = sample(all_cases(), 20)
    assert archive(few) == archive(few)


def test_the_checksums_are_those_of_the_files() -> None:
    lines = (FOLDER / SUMS).read_text(encoding="utf-8").splitlines()
    for digest, name in (line.split("  ", 1) for line in lines):
        assert hashlib.sha256((FOLDER / name).read_bytes()).hexdigest() == digest
    assert len(lines) > 2 * len(ENTRIES)


def test_each_case_is_about_one_sentence_of_a_document() -> None:
    assert len(ENTRIES) >= 300
    sentences = Counter(entry.case["sentence"] for entry in ENTRIES)
    assert [text for text, count in sentences.items() if count > 2] == []
    for entry in ENTRIES:
        case = entry.case
        assert case["sentence"].endswith(".")
        assert case["source"]["document"]
        assert case["source"]["section"]
        assert case["checks"]
        assert (case["tier"] == "decision") == ("decision" in case)


def test_no_case_uses_features_that_its_family_is_not_about() -> None:
    for entry in ENTRIES:
        family = entry.case["id"].split("/")[0]
        strangers = set(entry.case["features"]) - NEIGHBOURS[family] - {"bodies", "colliders"}
        assert not strangers, entry.case["id"]


@pytest.mark.parametrize("feature", sorted({f for e in ENTRIES for f in e.case["features"]}))
def test_a_player_without_a_feature_fails_no_case_that_does_not_name_it(feature: str) -> None:
    """Files of other cases stay the same without it; those that name it do not."""
    for entry in ENTRIES:
        if entry.motion is not None and feature == "retargeting":
            continue
        document = entry.document()
        is_same = without(feature, document) == document
        assert is_same == (feature not in entry.case["features"]), entry.case["id"]


def without(feature: str, document: Mapping[str, Any]) -> Json:
    """Return a document as a player sees it that knows nothing of a feature."""
    found: Json = copy.deepcopy(dict(document))
    words = {"bodies": "motion", "colliders": "collider", "triggers": "trigger", "joints": "joint"}
    for node in found["nodes"]:
        node.get("extensions", {}).pop(feature, None)
        node.get("extensions", {}).get(KHR, {}).pop(words.get(feature), None)
    root = found.get("extensions", {})
    root.pop(feature, None)
    lists = {"materials": "physicsMaterials", "filters": "collisionFilters"}
    root.get(KHR, {}).pop(lists.get(feature), None)
    for joint in root.get(KHR, {}).get("physicsJoints", ()):
        joint.pop(feature, None)
    for collider in root.get("VRMC_springBone", {}).get("colliders", ()):
        collider.get("extensions", {}).pop(feature, None)
    for animation in found.get("animations", ()):
        kinds = {"pointers": True, "animation": False}
        animation["channels"] = [
            channel
            for channel in animation["channels"]
            if kinds.get(feature) != ("extensions" in channel["target"])
        ]
    return found


def test_sentences_have_the_right_article() -> None:
    for entry in ENTRIES:
        assert not re.search(r"\b[Aa] (?!uni)[aeiou]", entry.case["sentence"]), entry.case["id"]


def test_no_published_number_is_noise_of_a_processor() -> None:
    """Sums that vanish differ between processors in what is left of them."""
    for entry in ENTRIES:
        numbers = [*floats(entry.case), *floats(entry.document())]
        assert not [value for value in numbers if 0 < abs(value) < 1e-9], entry.case["id"]
        assert not [value for value in numbers if str(value) == "-0.0"], entry.case["id"]


def floats(value: Any) -> Iterator[float]:
    if isinstance(value, float):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from floats(item)


ACCURATE = "bodies/accurate_parabola"
"""The case that asks for more than first order."""


@pytest.mark.parametrize(
    ("entry", "check"),
    [
        pytest.param(entry, check, id=f"{entry.case['id']}-{index}")
        for entry in ENTRIES
        for index, check in enumerate(entry.case["checks"])
        if check["derivation"].get("model") in derivations.POINTS
        or (
            check["signal"]["kind"] in ("position", "angle", "linear_limit", "angular_limit")
            and "times" in check
            and derivations.is_timed(check["derivation"])
        )
    ],
)
def test_tolerances_leave_room_for_an_integrator_of_first_order(entry: Entry, check: Json) -> None:
    """That of most engines: velocity first, then place, at 1/60 s."""
    off = derivations.first_order_error(check)
    assert (off > check["tolerance"]) == (entry.case["id"] == ACCURATE)


def by_derivation(entry: Entry) -> list[tuple[Json, Any]]:
    """Return the checks of a case with their values, derived in a second way."""
    return [(check, derived(check)) for check in entry.case["checks"]]


def derived(check: Json) -> Any:
    how = check["derivation"]
    if how["kind"] == "reference integration":
        if how["model"] == "spring bones":
            return derivations.spring_chain(how["values"], check["times"])
        return derivations.integrate(how["model"], how["values"], check["times"])
    texts = how.get("expressions", how.get("expression"))
    if isinstance(texts, dict):
        return {name: derivations.evaluate(text, how["values"]) for name, text in texts.items()}
    if isinstance(texts, list):
        return [derivations.evaluate(text, how["values"]) for text in texts]
    return [derivations.evaluate(texts, how["values"], time) for time in check["times"]]


def published(check: Json) -> Any:
    """Return what the case expects, in the form of `derived`."""
    if check["signal"]["kind"] == "events":
        return [event["time"] for event in check["expected"]]
    if "window" in check:
        return {name: check[name] for name in ("least", "most") if name in check}
    return check["expected"]


def is_close(expected: Any, found: Any, tolerance: float) -> bool:
    value = np.asarray(found, float)
    if value.shape == (3, 3):
        value = tf.from_matrix(value)
    known = np.asarray(expected, float)
    near = np.abs(value - known).max(initial=0)
    if known.shape == (4,):
        near = min(near, np.abs(value + known).max())
    return bool(near <= tolerance)


@pytest.mark.parametrize("entry", sample(ENTRIES, 90), ids=lambda entry: entry.case["id"])
def test_every_expected_value_follows_from_its_derivation(entry: Entry) -> None:
    for check, again in by_derivation(entry):
        expected, how = published(check), check["derivation"]
        # The digits that are published; an integration adds the errors of both integrators.
        is_integrated = how["kind"] == "reference integration"
        tolerance = 1e-5 + 20 * how["error"] if is_integrated else 1e-8
        tolerance = max(
            tolerance, 1e-8 * float(np.max(np.abs([0.0, *np.ravel(list_of(expected))])))
        )
        pairs = [(expected, again)]
        if isinstance(expected, dict):
            pairs = [([expected[k]], [again[k]]) for k in expected]
        for one, other in ((a, b) for p, q in pairs for a, b in zip(p, q, strict=True)):
            assert is_close(one, other, tolerance), check
        if "error" in how:
            assert how["error"] <= check["tolerance"] / 100


def list_of(value: Any) -> Any:
    return list(value.values()) if isinstance(value, dict) else value


@pytest.mark.parametrize("entry", sample(ENTRIES, 60), ids=lambda entry: entry.case["id"])
def test_the_checker_finds_no_error(entry: Entry) -> None:
    for path in filter(None, (entry.file, entry.motion)):
        report = lg.check(lg.load(path))
        assert [str(issue) for issue in report if issue.severity == "error"] == []


def test_the_khronos_validator_finds_nothing() -> None:
    few = sample(ENTRIES, 80)
    files = [path for entry in few for path in (entry.file, entry.motion) if path is not None]
    assert_valid(*files)


def test_other_people_may_use_the_data() -> None:
    assert "CC0-1.0" in (FOLDER / "LICENSE").read_text(encoding="utf-8")
    assert json.loads((FOLDER / "suite.json").read_bytes())["licence"] == "CC0-1.0"
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert f"{len(ENTRIES)} small glTF files" in readme
    assert isinstance(FOLDER, Path)
