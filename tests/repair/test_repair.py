"""Repairs: what has one right answer gets it, everything else stays, and the file as written."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ligament as lg
from ligament.demo import assets
from ligament.gltf import Document, jsontext, loads
from ligament.repair import Change, repair
from tests.gltf.json_values import VALUES

BODIES = "KHR_physics_rigid_bodies"
MISSPELT = "KHR_physics_rigid_body"


def document(**members: Any) -> Document:
    return Document({"asset": {"version": "2.0"}, **members})


def repaired(**members: Any) -> tuple[dict[str, Any], list[Change]]:
    before = document(**members)
    untouched = jsontext.encode(before.json)
    after, changes = repair(before)
    assert jsontext.encode(before.json) == untouched
    again = repair(after)
    assert again.changes == []
    assert jsontext.encode(again.document.json) == jsontext.encode(after.json)
    return after.json, changes


def test_a_document_without_faults_stays() -> None:
    members = {"nodes": [{"rotation": [0, 0, 0, 1], "scale": [0.0, 1, -1]}]}
    assert repaired(**members) == (document(**members).json, [])


def test_extensions_are_listed_wherever_they_stand_but_not_those_of_extras() -> None:
    after, changes = repaired(
        extensionsUsed=["EXT_a"],
        extensionsRequired=["EXT_required"],
        nodes=[
            {"extensions": {"EXT_b": {"deep": [{"extensions": {"EXT_c": {}}}]}, "EXT_a": {}}},
            {"extras": {"extensions": {"not glTF": {}}}},
        ],
        extensions={"EXT_b": {}},
    )
    assert after["extensionsUsed"] == ["EXT_a", "EXT_b", "EXT_c", "EXT_required"]
    assert changes == [
        Change("/extensionsUsed/1", "added EXT_b"),
        Change("/extensionsUsed/2", "added EXT_c"),
        Change("/extensionsUsed/3", "added EXT_required"),
    ]
    assert repaired(extensions={"EXT_a": {}})[0]["extensionsUsed"] == ["EXT_a"]


def test_rotations_get_unit_length() -> None:
    motion = {"inertiaOrientation": [0, 3, 0, 4], "mass": 1}
    after, changes = repaired(
        extensionsUsed=[BODIES],
        nodes=[{"rotation": [1, 1, 1, 1], "extensions": {BODIES: {"motion": motion}}}],
    )
    node = after["nodes"][0]
    assert node["rotation"] == [0.5, 0.5, 0.5, 0.5]
    assert node["extensions"][BODIES]["motion"] == {
        "inertiaOrientation": [0, 0.6, 0, 0.8],
        "mass": 1,
    }
    place = f"/nodes/0/extensions/{BODIES}/motion/inertiaOrientation"
    assert changes == [
        Change("/nodes/0/rotation", "scaled from length 2 to 1"),
        Change(place, "scaled from length 5 to 1"),
    ]


@pytest.mark.parametrize(
    "rotation",
    [
        [0, 0, 0, 1.005],  # within the validator's room for byte storage
        [0, 0, 0, 0],
        [0, 0, 1e-7, 0],
        [0, 0, 1],
        [0, 0, "1", 3],
        [0, 0, True, 3],
        [1e308, 1e308, 1e308, 1e308],
        [0, 0, 0, 10**400],
        "long",
        None,
    ],
)
def test_rotations_without_one_right_length_stay(rotation: Any) -> None:
    after, changes = repaired(nodes=[{"rotation": rotation}])
    assert changes == []
    assert after["nodes"][0]["rotation"] == rotation


def test_zeros_of_scales_lose_their_signs() -> None:
    after, changes = repaired(nodes=[{"scale": [-0.0, 1.0, -2.0], "translation": [-0.0, 0, 0]}])
    assert math.copysign(1, after["nodes"][0]["scale"][0]) == 1
    assert math.copysign(1, after["nodes"][0]["translation"][0]) == -1
    assert changes == [Change("/nodes/0/scale/0", "-0.0 is now 0.0")]


@pytest.mark.parametrize(
    ("extension", "array"),
    [
        (BODIES, "physicsJoints"),
        ("KHR_rigid_bodies", "physicsJointLimits"),
        ("MSFT_rigid_bodies", "physicsJointLimits"),
        ("OMI_physics_joint", "physicsJoints"),
    ],
)
def test_limits_name_their_axes_once(extension: str, array: str) -> None:
    limits = [{"linearAxes": [2, 0, 2]}, {"angularAxes": [1, 1.0]}, {"linearAxes": [0, True, 1]}]
    after, changes = repaired(
        extensionsUsed=[extension], extensions={extension: {array: [{"limits": limits}, 7]}}
    )
    fixed = after["extensions"][extension][array][0]["limits"]
    assert fixed == [{"linearAxes": [2, 0]}, {"angularAxes": [1]}, {"linearAxes": [0, True, 1]}]
    place = f"/extensions/{extension}/{array}/0/limits"
    assert changes == [
        Change(f"{place}/0/linearAxes", "[2, 0, 2] is now [2, 0]"),
        Change(f"{place}/1/angularAxes", "[1, 1.0] is now [1]"),
    ]


def test_constraints_of_omi_name_their_axes_once() -> None:
    name = "OMI_physics_joint"
    constraints = [{"linearAxes": [0, 0], "angularAxes": [0, 1, 2, 1]}]
    after, changes = repaired(
        extensionsUsed=[name], extensions={name: {"constraints": constraints}}
    )
    assert after["extensions"][name]["constraints"] == [
        {"linearAxes": [0], "angularAxes": [0, 1, 2]}
    ]
    assert len(changes) == 2


@pytest.mark.parametrize("extension", ["KHR_physics_rigid_bodies", "OMI_physics_body"])
def test_filters_name_their_systems_once(extension: str) -> None:
    lists = {"collisionSystems": ["a", "b", "a"], "collideWithSystems": ["b", "a"]}
    root = {
        "extensionsUsed": [extension],
        "extensions": {extension: {"collisionFilters": [{}, lists, {"collisionSystems": [1, 1]}]}},
    }
    document, changes = repair(Document(root))
    place = f"/extensions/{extension}/collisionFilters/1"
    assert [change.pointer for change in changes] == [f"{place}/collisionSystems"]
    once = document.json["extensions"][extension]["collisionFilters"][1]
    assert once == {**lists, "collisionSystems": ["a", "b"]}


def test_misspelt_keys_get_the_right_name_in_place_and_all_that_leads_there() -> None:
    target = f"/nodes/0/extensions/{MISSPELT}/motion/mass"
    leads_there = {"KHR_animation_pointer": {"pointer": target}}
    after, changes = repaired(
        extensionsUsed=["EXT_a", MISSPELT],
        extensionsRequired=[BODIES, MISSPELT],
        nodes=[{"extensions": {"EXT_a": {}, MISSPELT: {"motion": {}}, "EXT_b": {}}}],
        animations=[{"channels": [{"target": {"extensions": leads_there}}]}],
    )
    assert list(after["nodes"][0]["extensions"]) == ["EXT_a", BODIES, "EXT_b"]
    assert after["extensionsUsed"] == ["EXT_a", BODIES, "EXT_b", "KHR_animation_pointer"]
    assert after["extensionsRequired"] == [BODIES]
    follows = "/animations/0/channels/0/target/extensions/KHR_animation_pointer"
    channel = after["animations"][0]["channels"][0]["target"]["extensions"]
    assert channel["KHR_animation_pointer"]["pointer"] == target.replace(MISSPELT, BODIES)
    assert changes[:4] == [
        Change(f"/nodes/0/extensions/{BODIES}", f"renamed from {MISSPELT}"),
        Change("/extensionsUsed", f"{MISSPELT} is now {BODIES}"),
        Change("/extensionsRequired", f"{MISSPELT} is now {BODIES}"),
        Change(f"{follows}/pointer", f"copied from {target}"),
    ]


def test_an_object_with_both_names_stays() -> None:
    nodes = [{"extensions": {MISSPELT: {"motion": {}}, BODIES: {}}}]
    after, changes = repaired(nodes=nodes, extensionsUsed=[BODIES, MISSPELT])
    assert (after["nodes"], changes) == (nodes, [])


def test_the_text_of_a_file_changes_only_where_it_must(tmp_path: Path) -> None:
    text = (
        '{\r\n    "asset" : {"version": "2.0"},\r\n'
        '    "extensionsUsed": [\r\n        "EXT_a"\r\n    ],\r\n'
        '    "nodes": [{"rotation": [0.0, 0.0, 2.000, 0], "translation": [1.50, 1e2, -0]}],\r\n'
        '    "extensions": {"EXT_a": {}, "EXT_b": {"kept": 1.10}}\r\n}\r\n'
    )
    (tmp_path / "a.gltf").write_bytes(text.encode())
    fixed = repair(lg.load(tmp_path / "a.gltf"))
    lg.save(fixed.document, tmp_path / "b.gltf")
    expected = text.replace("[0.0, 0.0, 2.000, 0]", "[0.0, 0.0, 1.0, 0]").replace(
        '"EXT_a"\r\n', '"EXT_a",\r\n        "EXT_b"\r\n'
    )
    assert (tmp_path / "b.gltf").read_bytes().decode() == expected


def test_the_binary_chunk_and_other_chunks_of_a_glb_stay(tmp_path: Path) -> None:
    source = next(path for path in assets() if path.name == "door.glb")
    twisted = lg.load(source)
    twisted.json["nodes"][0]["rotation"] = [0, 0, 0, 5]
    lg.save(twisted, tmp_path / "twisted.glb")
    fixed, changes = repair(lg.load(tmp_path / "twisted.glb"))
    lg.save(fixed, tmp_path / "fixed.glb")
    assert [change.pointer for change in changes] == ["/nodes/0/rotation"]
    was, now = lg.load(tmp_path / "twisted.glb"), lg.load(tmp_path / "fixed.glb")
    assert now.read_buffer(0) == was.read_buffer(0)
    was.json["nodes"][0]["rotation"] = [0, 0, 0, 1.0]
    assert jsontext.encode(was.json) == jsontext.encode(now.json)


def test_a_document_edited_before_is_repaired_with_its_edits(tmp_path: Path) -> None:
    (tmp_path / "a.gltf").write_text('{"asset": {"version": "2.0"}, "nodes": [{"name": "A"}]}')
    edited = lg.load(tmp_path / "a.gltf")
    edited.json["nodes"].append({"rotation": [2, 0, 0, 0]})
    lg.save(repair(edited).document, tmp_path / "b.gltf")
    expected = [{"name": "A"}, {"rotation": [1, 0, 0, 0]}]
    assert json.loads((tmp_path / "b.gltf").read_text())["nodes"] == expected


NAMES = st.sampled_from(
    [
        *("nodes", "extensions", "extras", "rotation", "scale", "motion", "inertiaOrientation"),
        *("limits", "physicsJoints", "constraints", "linearAxes", "angularAxes", "pointer"),
        *(BODIES, MISSPELT, "OMI_physics_joint", "KHR_animation_pointer"),
        *("extensionsUsed", "extensionsRequired"),
    ]
)
NUMBERS = st.sampled_from([0, 1, 2, -0.0, 0.5, 3.0, True, 10**400])
ODD = st.recursive(
    NUMBERS | NAMES | VALUES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=25,
)


@given(st.dictionaries(NAMES, ODD, max_size=6))
def test_whatever_stands_in_a_file_repair_does_not_fail(root: dict[str, Any]) -> None:
    try:
        text = json.dumps(root).encode()
        before = loads(text)
    except lg.LigamentError:
        return
    after, changes = repair(before)
    assert (jsontext.encode(after.json) == jsontext.encode(before.json)) == (changes == [])
    assert after.origin is not None
    assert jsontext.decode(after.origin.text).digest == after.origin.digest
    assert repair(after).changes == []
