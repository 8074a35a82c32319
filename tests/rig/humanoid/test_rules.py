"""Every rule about humanoids and motion files has a file that breaks it; good files break none."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ligament as lg
from ligament.checker.rules.avatars import motion_rules
from ligament.checker.subject import Subject
from ligament.extensions.humanoid.bones import BONES
from ligament.findings import CODES, Finding
from ligament.findings.avatars import HUMANOIDS, MOTION_FILES
from ligament.gltf.animation import Track
from ligament.gltf.document import Document
from ligament.gltf.pointers import find
from ligament.rig import humanoid_problems
from tests.rig.motions import TIMES, motion
from tests.rig.skeletons import animate, humanoid

Change = Callable[[dict[str, Any]], Any]


def avatar() -> Document:
    document = humanoid(BONES)
    document.json["extensions"]["VRMC_vrm"]["lookAt"] = {
        "type": "bone",
        "rangeMapHorizontalInner": {"inputMaxValue": 90, "outputScale": 10},
    }
    return document


def problems(document: Document) -> list[Finding]:
    return [*humanoid_problems(document), *motion_rules(Subject(document))]


def codes(document: Document) -> list[str]:
    found = problems(document)
    for one in found:
        assert one.severity == CODES[one.code].severity
        assert one.pointer.startswith("/")
        assert one.message
        assert one.remedy
    return [one.code for one in found]


def extension(json: dict[str, Any], name: str = "VRMC_vrm") -> dict[str, Any]:
    content: dict[str, Any] = json["extensions"][name]
    return content


def bones(json: dict[str, Any], name: str = "VRMC_vrm") -> dict[str, Any]:
    content: dict[str, Any] = extension(json, name)["humanoid"]["humanBones"]
    return content


def vrma(json: dict[str, Any]) -> dict[str, Any]:
    return extension(json, "VRMC_vrm_animation")


def swap(json: dict[str, Any]) -> None:
    own = bones(json)
    own["spine"], own["chest"] = own["chest"], own["spine"]


AVATAR_BREACHES: dict[str, Change] = {
    "HUMANOID_BONE_UNKNOWN": lambda json: bones(json).update(tail={"node": 0}),
    "HUMANOID_BONE_NODE": lambda json: bones(json)["head"].update(node=99),
    "HUMANOID_BONE_REUSED": lambda json: bones(json)["head"].update(bones(json)["neck"]),
    "HUMANOID_BONE_MISSING": lambda json: bones(json).pop("leftFoot"),
    "HUMANOID_BONE_PARENT_MISSING": lambda json: bones(json).pop("chest"),
    "HUMANOID_BONE_ORDER": swap,
    "HUMANOID_SCALE_NOT_POSITIVE": lambda json: json["nodes"][3].update(scale=[1, -1, 1]),
    "HUMANOID_SCALE_NOT_UNIFORM": lambda json: json["nodes"][3].update(scale=[1, 1.1, 1]),
    "HUMANOID_HIPS_HEIGHT": lambda json: json["nodes"][0].update(translation=[0, 0, 0]),
    "VRM_META_MISSING": lambda json: extension(json)["meta"].pop("authors"),
    "VRM_LOOK_AT_RANGE": lambda json: extension(json)["lookAt"]["rangeMapHorizontalInner"].update(
        inputMaxValue=181
    ),
}


def resampled(json: dict[str, Any], **members: Any) -> None:
    json["animations"][0]["samplers"][0].update(members)


def retargeted(json: dict[str, Any], channel: int, **members: Any) -> None:
    json["animations"][0]["channels"][channel]["target"].update(members)


MOTION_BREACHES: dict[str, Change] = {
    "VRMA_SPEC_VERSION": lambda json: vrma(json).pop("specVersion"),
    "VRMA_DRAFT": lambda json: vrma(json).update(specVersion="1.0-draft"),
    "VRMA_EYE_MAPPED": lambda json: bones(json, "VRMC_vrm_animation").update(leftEye={"node": 16}),
    "VRMA_GAZE_PRESET": lambda json: vrma(json)["expressions"]["preset"].update(
        lookUp={"node": 15}
    ),
    "VRMA_CUSTOM_IS_PRESET": lambda json: vrma(json)["expressions"]["custom"].update(
        blinkLeft={"node": 15}
    ),
    "VRMA_NODE": lambda json: vrma(json)["expressions"]["preset"]["happy"].update(node=99),
    "VRMA_SCALE_CHANNEL": lambda json: retargeted(json, 3, path="scale"),
    "VRMA_TRANSLATION_CHANNEL": lambda json: retargeted(json, 3, node=1),
    "VRMA_BESIDE_VRM": lambda json: json["extensions"].update(avatar().json["extensions"]),
    "VRMA_REST_SCALE": lambda json: json["nodes"][3].update(scale=[2, 2, 2]),
    "VRMA_SEVERAL_ANIMATIONS": lambda json: json["animations"].append(json["animations"][0]),
    "VRMA_INTERPOLATION": lambda json: resampled(json, interpolation="STEP"),
    "VRMA_LOOK_AT_NODE": lambda json: vrma(json)["lookAt"].pop("node"),
    "HUMANOID_BONE_MISSING": lambda json: bones(json, "VRMC_vrm_animation").pop("head"),
    "HUMANOID_HIPS_HEIGHT": lambda json: json["nodes"][0].update(translation=[0, -1, 0]),
}


def test_good_files_break_no_rule() -> None:
    assert codes(avatar()) == []
    assert codes(motion()) == []
    assert codes(humanoid(BONES, dialect="VRM")) == []
    assert codes(Document()) == []


@pytest.mark.parametrize("code", AVATAR_BREACHES)
def test_a_breach_of_an_avatar_is_found(code: str) -> None:
    document = avatar()
    AVATAR_BREACHES[code](document.json)
    assert code in codes(document)


@pytest.mark.parametrize("code", MOTION_BREACHES)
def test_a_breach_of_a_motion_is_found(code: str) -> None:
    document = motion()
    MOTION_BREACHES[code](document.json)
    assert code in codes(document)


def test_weights_out_of_range_are_found() -> None:
    document = motion()
    face = vrma(document.json)["expressions"]["preset"]["happy"]["node"]
    track = Track(face, "translation", TIMES, np.array([[0.0, 0, 0], [1.5, 0, 0]]))
    document.json["animations"].clear()
    animate(document, [track])
    assert codes(document) == ["VRMA_WEIGHT_RANGE"]


def test_every_code_has_a_breach() -> None:
    reported = {*AVATAR_BREACHES, *MOTION_BREACHES, "VRMA_WEIGHT_RANGE"}
    assert reported == (HUMANOIDS.keys() | MOTION_FILES.keys()) - {"HUMANOID_TPOSE"}


def test_old_avatars_are_held_to_the_rules_for_bones() -> None:
    document = humanoid(BONES, dialect="VRM")
    entries = document.json["extensions"]["VRM"]["humanoid"]["humanBones"]
    entries[5]["node"] = 3
    assert codes(document) == ["HUMANOID_BONE_REUSED", "HUMANOID_BONE_ORDER"]


def test_a_motion_without_a_body_breaks_no_rule() -> None:
    document = motion()
    del vrma(document.json)["humanoid"]
    assert codes(document) == []


def test_pointers_lead_to_what_is_there() -> None:
    document = avatar()
    AVATAR_BREACHES["HUMANOID_BONE_NODE"](document.json)
    (finding,) = [f for f in problems(document) if f.code == "HUMANOID_BONE_NODE"]
    assert find(document.json, finding.pointer) == 99


JUNK: list[Any] = [None, True, -1, 7, 1e300, "x", [], {}, [[]], {"node": []}]


def places(value: Any, pointer: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [pointer] if pointer else []
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items if isinstance(value, (dict, list)) else ():
        found += (
            places(item, (*pointer, key)) if isinstance(item, (dict, list)) else [(*pointer, key)]
        )
    return found


@given(st.integers(0, 10**6), st.sampled_from(JUNK), st.booleans())
def test_junk_anywhere_never_raises(choice: int, junk: Any, is_motion: bool) -> None:
    document = motion() if is_motion else avatar()
    spots = places(document.json)
    *path, last = spots[choice % len(spots)]
    holder: Any = document.json
    for key in path:
        holder = holder[key]
    holder[last] = copy.deepcopy(junk)
    codes(document)


def test_reference_files_are_sound(shared: Path) -> None:
    """The avatars break no rule; the motions break only those that their kind is about."""
    folder = shared / "golden" / "humanoid"
    for name in json.loads((folder / "index.json").read_text()):
        assert codes(lg.load(folder / f"{name}.vrm")) == []
        found = set(codes(lg.load(folder / f"{name}.vrma")))
        expected = {"VRMA_WEIGHT_RANGE"} if "overshoot" in name else set()
        assert found == ({"VRMA_INTERPOLATION"} if "interp" in name else expected)
