"""Spring bones of both versions, read into one form; faults are reported with their place."""

from __future__ import annotations

from typing import Any

import pytest

import ligament as lg
from ligament.extensions.spring_bones import read_spring_bones
from ligament.gltf.document import Document
from tests.rig.sprung import chain

ROOT = "/extensions/VRMC_springBone"


def _changed(**changes: Any) -> Document:
    """Return a chain with colliders, some of whose members are others, by their pointers."""
    ball = {"node": 1, "shape": {"sphere": {"radius": 0.1}}}
    document = chain(3, colliders=[ball])
    for pointer, value in changes.items():
        owner: Any = document.json["extensions"]["VRMC_springBone"]
        *path, last = pointer.split("__")
        for segment in path:
            owner = owner[int(segment)] if isinstance(owner, list) else owner[segment]
        owner[int(last) if isinstance(owner, list) else last] = value
    return document


FAULTS: dict[str, tuple[dict[str, Any], str, str]] = {
    "a node that does not exist": (
        {"springs__0__joints__1__node": 99},
        "UNRESOLVED_REFERENCE",
        f"{ROOT}/springs/0/joints/1/node",
    ),
    "a collider that does not exist": (
        {"colliderGroups__0__colliders": [4]},
        "UNRESOLVED_REFERENCE",
        f"{ROOT}/colliderGroups/0/colliders/0",
    ),
    "a group that does not exist": (
        {"springs__0__colliderGroups": [1]},
        "UNRESOLVED_REFERENCE",
        f"{ROOT}/springs/0/colliderGroups/0",
    ),
    "negative stiffness": (
        {"springs__0__joints__0__stiffness": -1},
        "VALUE_NOT_IN_RANGE",
        f"{ROOT}/springs/0/joints/0/stiffness",
    ),
    "drag above 1": (
        {"springs__0__joints__0__dragForce": 1.5},
        "VALUE_NOT_IN_RANGE",
        f"{ROOT}/springs/0/joints/0/dragForce",
    ),
    "a negative radius": (
        {"colliders__0__shape": {"sphere": {"radius": -1}}},
        "VALUE_NOT_IN_RANGE",
        f"{ROOT}/colliders/0/shape/sphere/radius",
    ),
    "no joints": ({"springs__0__joints": []}, "EMPTY_ENTITY", f"{ROOT}/springs/0/joints"),
    "no node": (
        {"springs__0__joints__1": {}},
        "UNDEFINED_PROPERTY",
        f"{ROOT}/springs/0/joints/1",
    ),
    "two shapes": (
        {"colliders__0__shape": {"sphere": {}, "capsule": {}}},
        "SPRING_BONE_SHAPE",
        f"{ROOT}/colliders/0",
    ),
    "a skipped node that another spring holds": (
        {
            "springs": [
                {"joints": [{"node": 2}, {"node": 4}]},
                {"joints": [{"node": 3}, {"node": 5}]},
            ]
        },
        "SPRING_BONE_SHARED",
        f"{ROOT}/springs/1/joints/0",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_every_fault_is_reported_where_it_is(name: str) -> None:
    changes, code, pointer = FAULTS[name]
    found = {(issue.code, issue.pointer) for issue in lg.check(_changed(**changes))}
    assert (code, pointer) in found


@pytest.mark.parametrize("raw", [None, [], 3, "x", {}, {"specVersion": "1.0", "springs": [3, {}]}])
def test_nothing_raises_whatever_the_json(raw: Any) -> None:
    document = chain(2)
    document.json["extensions"]["VRMC_springBone"] = raw
    assert read_spring_bones(document).findings
    assert not lg.check(document).ok


def test_absent_members_have_the_defaults_of_the_schema() -> None:
    joint = read_spring_bones(chain(2)).springs[0].joints[0]
    assert (joint.stiffness, joint.drag, joint.hit_radius) == (1.0, 0.5, 0.0)
    assert joint.gravity == (0.0, -0.0, 0.0)


def test_an_extended_shape_takes_the_place_of_the_plain_one() -> None:
    shape = {"plane": {"offset": [0, 1, 0], "normal": [0, 1, 0]}}
    extended = {"VRMC_springBone_extended_collider": {"specVersion": "1.0", "shape": shape}}
    far = {"sphere": {"offset": [0, -10000, 0]}}
    document = _changed(colliders__0={"node": 1, "shape": far, "extensions": extended})
    (collider,) = read_spring_bones(document).colliders
    assert (collider.kind, collider.offset) == ("plane", (0.0, 1.0, 0.0))
    extended["VRMC_springBone_extended_collider"]["specVersion"] = "2.0"
    (collider,) = read_spring_bones(document).colliders
    assert collider.kind == "sphere"


def test_version_0_makes_a_joint_of_every_node_below_its_roots() -> None:
    """First children are tails, others begin chains of their own; z points the other way."""
    document = chain(2)
    document.json["nodes"][3]["children"].append(5)
    document.json["nodes"].append({"name": "Branch", "translation": [0.1, 0, 0]})
    sphere = {"offset": {"x": 0.1, "y": 0.2, "z": 0.3}, "radius": 0.05}
    groups = {
        "boneGroups": [
            {
                "bones": [2],
                "stiffiness": 2,
                "gravityPower": 0.5,
                "gravityDir": {"x": 0, "y": -1, "z": 0},
                "dragForce": 0.3,
                "center": -1,
                "hitRadius": 0.01,
                "colliderGroups": [0],
            }
        ],
        "colliderGroups": [{"node": 1, "colliders": [sphere]}],
    }
    document.json["extensions"] = {"VRM": {"secondaryAnimation": groups}}
    read = read_spring_bones(document)
    assert not read.findings
    assert [[j.node for j in spring.joints] for spring in read.springs] == [[2, 3, 4], [5]]
    assert read.springs[0].end == 0.07
    assert read.springs[0].center is None
    assert read.springs[0].joints[0].gravity == (0.0, -0.5, 0.0)
    assert read.colliders[0].offset == (0.1, 0.2, -0.3)
    assert len(lg.SpringBones(document).nodes) == 4


def test_children_of_version_0_may_be_written_as_decimals() -> None:
    """JSON Schema calls 1.0 an integer."""
    groups = {"boneGroups": [{"bones": [0]}]}
    nodes = [{"children": [1.0]}, {}]
    extensions = {"VRM": {"secondaryAnimation": groups}}
    found = read_spring_bones(Document({"nodes": nodes, "extensions": extensions}))
    assert [joint.node for joint in found.springs[0].joints] == [0, 1]


def test_broken_colliders_of_version_0_are_left_out() -> None:
    """It was a ball of radius 0 at the node."""
    document = chain(2)
    groups = {"colliderGroups": [{"node": 1, "colliders": [{"radius": 0.1}, 3]}]}
    document.json["extensions"] = {"VRM": {"secondaryAnimation": groups}}
    read = read_spring_bones(document)
    assert [collider.radius for collider in read.colliders] == [0.1]
    place = "/extensions/VRM/secondaryAnimation/colliderGroups/0/colliders/1"
    assert [(found.code, found.pointer) for found in read.findings] == [("TYPE_MISMATCH", place)]


def test_a_wrong_angle_of_a_limit_is_reported_once() -> None:
    limit = {"specVersion": "1.0-draft", "limit": {"cone": {"angle": "x"}}}
    document = chain(2)
    joint = document.json["extensions"]["VRMC_springBone"]["springs"][0]["joints"][0]
    joint["extensions"] = {"VRMC_springBone_limit": limit}
    found = [f for f in read_spring_bones(document).findings if f.code == "TYPE_MISMATCH"]
    assert [f.pointer.rpartition("/")[2] for f in found] == ["angle"]


@pytest.mark.parametrize("member", ["stiffness", "gravityDir", "extras"])
def test_regular_and_odd_joints_are_read_alike(member: str) -> None:
    """Beside a fault, which takes the careful reader."""
    regular = read_spring_bones(_changed(springs__0__joints__0__gravityPower=0.5))
    values = {"stiffness": 1, "gravityDir": [0, -1, 0], "extras": None}
    odd = {
        f"springs__0__joints__0__{member}": values[member],
        "springs__0__joints__0__hitRadius": "",
    }
    document = _changed(springs__0__joints__0__gravityPower=0.5, **odd)
    read = read_spring_bones(document)
    assert len(read.findings) == 1
    joint, other = read.springs[0].joints[0], regular.springs[0].joints[0]
    assert (joint.gravity, joint.drag) == (other.gravity, other.drag)
