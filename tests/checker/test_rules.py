"""Rules at their edges: the amounts that they tell, and where they are silent."""

from __future__ import annotations

import math
from typing import Any

import pytest

import ligament as lg
from ligament.gltf.document import Document
from tests.checker.playable import PLAYABLE

Json = dict[str, Any]
KHR = "KHR_physics_rigid_bodies"
BOX = {"type": "box", "box": {"size": [1, 1, 1]}}
TURNED = [0, 0, math.sin(math.pi / 4), math.cos(math.pi / 4)]
"""A quarter turn about Z."""


def reported(file: Json, code: str) -> list[str]:
    return [issue.message for issue in lg.check(Document(file)) if issue.code == code]


def codes(file: Json) -> set[str]:
    return {issue.code for issue in lg.check(Document(file))}


def joined(*limits: Json, b: Json | None = None, drives: Any = None, **motions: Json) -> Json:
    """Two boxes with a joint between them, the second one 3 m along X."""
    description = {"limits": list(limits)} | ({"drives": drives} if drives else {})
    collider = {"geometry": {"shape": 0}}
    joint = {"connectedNode": 1, "joint": 0}
    first = {"motion": motions.get("a", {"mass": 1}), "collider": collider, "joint": joint}
    second = {"motion": motions.get("other", {"mass": 1}), "collider": collider}
    return {
        "asset": {"version": "2.0"},
        "extensionsUsed": [KHR, "KHR_implicit_shapes"],
        "nodes": [
            {"extensions": {KHR: first}},
            {"translation": [3, 0, 0], **(b or {}), "extensions": {KHR: second}},
        ],
        "extensions": {
            "KHR_implicit_shapes": {"shapes": [BOX]},
            KHR: {"physicsJoints": [description]},
        },
    }


STARTS = "PHYSICS_JOINT_STARTS_VIOLATED"


@pytest.mark.parametrize(
    ("limit", "amount"),
    [
        ({"linearAxes": [0], "min": 0, "max": 1}, "2 m"),
        ({"linearAxes": [0], "min": 5, "max": 6}, "2 m"),
        ({"linearAxes": [0, 1], "min": 0, "max": 2.5}, "0.5 m"),
        ({"linearAxes": [0, 1, 2], "min": 0, "max": 0}, "3 m"),
        ({"angularAxes": [2], "min": -1, "max": 1}, "0.571 rad"),
        ({"angularAxes": [0, 1, 2], "min": 0, "max": 1}, "0.571 rad"),
        ({"angularAxes": [0, 1], "min": 1, "max": 2}, "1 rad"),
    ],
)
def test_initial_limit_violations_are_measured(limit: Json, amount: str) -> None:
    (message,) = reported(joined(limit, b={"rotation": TURNED}), STARTS)
    assert message.startswith(f"limit 0 starts {amount} out of bounds")


@pytest.mark.parametrize(
    "limit",
    [
        {"linearAxes": [0], "min": 0, "max": 3},
        {"linearAxes": [0], "min": 0, "max": 2.9995},
        {"linearAxes": [0], "max": 1, "stiffness": 100},
        {"linearAxes": [1, 2], "min": 0, "max": 0},
        {"angularAxes": [2], "min": 4, "max": 8},
        {"angularAxes": [0], "min": 0, "max": 0},
    ],
)
def test_where_a_joint_does_not(limit: Json) -> None:
    """Inside, within a millimetre, on a spring, across the way, a whole turn on, about X."""
    assert reported(joined(limit, b={"rotation": TURNED}), STARTS) == []


def test_the_start_is_where_animations_put_things() -> None:
    """At rest the two frames coincide; at 0 s one of them is 1 m away."""
    file = lg.Document(PLAYABLE["animated"]).copy().json
    file["extensions"][KHR] = {
        "physicsJoints": [{"limits": [{"linearAxes": [0], "min": 0, "max": 0}]}]
    }
    file["nodes"][3]["translation"] = [0, 0, 0]
    file["nodes"][3]["extensions"][KHR]["joint"] = {"connectedNode": 1, "joint": 0}
    assert reported(file, STARTS) == []
    file["nodes"][1]["translation"] = [1, 0, 0]  # which the animation replaces
    assert reported(file, STARTS) == []
    file["animations"][0]["channels"].pop(0)
    assert len(reported(file, STARTS)) == 1


def test_mass_ratios_are_those_of_shapes_where_no_mass_is_declared() -> None:
    """A box of 1 m³ has 1,000 kg."""
    file = joined({"linearAxes": [0], "min": 0, "max": 5}, a={}, other={"mass": 1.001})
    assert reported(file, "PHYSICS_MASS_RATIO") == []
    file = joined({"linearAxes": [0], "min": 0, "max": 5}, a={}, other={"mass": 0.9})
    (message,) = reported(file, "PHYSICS_MASS_RATIO")
    assert "1000 kg to 0.9 kg" in message
    file["nodes"][0]["scale"] = [0.5, 0.5, 0.5]
    assert reported(file, "PHYSICS_MASS_RATIO") == []


@pytest.mark.parametrize("mass", [0, 1e-3])
def test_infinite_masses_have_no_ratio(mass: float) -> None:
    file = joined({"linearAxes": [0], "min": 0, "max": 5}, a={"mass": 0}, other={"mass": mass})
    assert reported(file, "PHYSICS_MASS_RATIO") == []


def drive(target: float, kind: str = "linear", **members: Any) -> Json:
    gains = {"stiffness": 10, "damping": 1}
    return {"type": kind, "mode": "force", "axis": 0, "positionTarget": target, **gains, **members}


@pytest.mark.parametrize(
    ("limit", "target", "reachable"),
    [
        ({"linearAxes": [0], "min": -1, "max": 4}, 4, True),
        ({"linearAxes": [0], "min": -1, "max": 4}, 4.1, False),
        ({"linearAxes": [0, 1, 2], "min": 0, "max": 4}, -4, True),
        ({"linearAxes": [0, 1, 2], "min": 0, "max": 4}, -4.1, False),
        ({"linearAxes": [1, 2], "min": 0, "max": 0}, 9, True),
        ({"linearAxes": [0], "min": 0, "max": 3, "stiffness": 5}, 9, True),
        ({"angularAxes": [0], "min": -1, "max": 1}, 9, True),
    ],
)
def test_targets_outside_the_limits_on_their_axis(
    limit: Json, target: float, reachable: bool
) -> None:
    file = joined(limit, drives=[drive(target)])
    assert (reported(file, "PHYSICS_TARGET_UNREACHABLE") == []) is reachable


@pytest.mark.parametrize(
    ("limit", "code"),
    [
        ({"angularAxes": [0]}, "WITHOUT_BOUNDS"),
        ({"linearAxes": [0, 1, 2], "min": 0}, "WITHOUT_BOUNDS"),
        ({"linearAxes": [0], "stiffness": 9}, "WITHOUT_BOUNDS"),
        ({"angularAxes": [0], "min": -math.pi, "max": math.pi}, "WHOLE_TURN"),
        ({"angularAxes": [0], "min": 0, "max": 6.2832}, "WHOLE_TURN"),
        ({"angularAxes": [0], "min": -700.1, "max": 700.1}, "WHOLE_TURN"),
        ({"angularAxes": [0, 1], "max": math.pi}, "WHOLE_TURN"),
        ({"angularAxes": [0, 1, 2], "min": 0, "max": 3.1416}, "WHOLE_TURN"),
        ({"angularAxes": [0], "min": -90, "max": 90}, "IN_DEGREES"),
        ({"angularAxes": [0], "min": 0, "max": 22.5}, "IN_DEGREES"),
        ({"angularAxes": [0], "max": 45}, "IN_DEGREES"),
        ({"angularAxes": [0, 1], "max": 30}, "IN_DEGREES"),
        ({"angularAxes": [0], "min": -0.8}, None),
        ({"angularAxes": [0], "min": -3, "max": 3}, None),
        ({"angularAxes": [0], "min": 2, "max": 8}, None),
        ({"angularAxes": [0, 1], "max": 3}, None),
        ({"angularAxes": [0, 1], "min": 1, "max": math.pi}, None),
        ({"linearAxes": [0], "min": -90, "max": 90}, None),
        ({"linearAxes": [0, 1], "max": 90}, None),
    ],
)
def test_bounds_that_cannot_act_or_are_meant_otherwise(limit: Json, code: str | None) -> None:
    for each in ("WITHOUT_BOUNDS", "WHOLE_TURN", "IN_DEGREES"):
        places = reported(joined(limit), f"PHYSICS_LIMIT_{each}")
        assert bool(places) is (each == code), each


@pytest.mark.parametrize(
    ("members", "is_alone"),
    [({"damping": 2}, True), ({"damping": 0}, False), ({"damping": 2, "stiffness": 0}, False)],
)
def test_damping_without_stiffness(members: Json, is_alone: bool) -> None:
    limit = {"angularAxes": [0], "min": -1, "max": 1, **members}
    assert bool(reported(joined(limit), "PHYSICS_DAMPING_ALONE")) is is_alone


@pytest.mark.parametrize(
    "members",
    [
        {"stiffness": 0},
        {"positionTarget": 0, "stiffness": 0, "damping": 0},
        {"velocityTarget": 1, "damping": 0},
        {"maxForce": 0},
    ],
)
def test_drives_that_do_nothing_they_are_meant_to(members: Json) -> None:
    file = joined({"linearAxes": [0], "min": 0, "max": 5}, drives=[drive(1, **members)])
    assert len(reported(file, "PHYSICS_DRIVE_WITHOUT_GAIN")) == 1


def test_inertia_at_the_edge_of_what_is_possible() -> None:
    """A thin disc has one moment that is the sum of the others; files round them."""
    for moments, possible in (([1, 1, 2], True), ([1, 1, 2.001], True), ([1, 1, 2.1], False)):
        file = joined(a={"mass": 1, "inertiaDiagonal": moments})
        assert ("PHYSICS_INERTIA_IMPOSSIBLE" in codes(file)) is not possible
    file = joined(a={"mass": 1, "inertiaDiagonal": [0, 1, 0]})
    assert "PHYSICS_INERTIA_IMPOSSIBLE" not in codes(file)


def test_filters_of_both_sides_count() -> None:
    """A wants B, but B does not want A; a third that anybody meets saves them."""
    file = joined()
    filters = [
        {"collisionSystems": ["a"], "collideWithSystems": ["b"]},
        {"collisionSystems": ["b"], "notCollideWithSystems": ["a"]},
    ]
    file["extensions"][KHR] = {"collisionFilters": filters}
    for index, node in enumerate(file["nodes"]):
        node["extensions"][KHR].pop("joint", None)
        node["extensions"][KHR]["collider"] = {"geometry": {"shape": 0}, "collisionFilter": index}
    assert len(reported(file, "PHYSICS_FILTER_MEETS_NOTHING")) == 2
    ground = {
        "translation": [0, -9, 0],
        "extensions": {KHR: {"collider": {"geometry": {"shape": 0}}}},
    }
    file["nodes"].append(ground)
    assert reported(file, "PHYSICS_FILTER_MEETS_NOTHING") == []


def test_joints_need_not_be_in_the_first_scene() -> None:
    file = joined({"linearAxes": [0], "min": 0, "max": 5})
    for scenes, outside in (
        ([{"nodes": [0, 1]}], False),
        ([{"nodes": []}, {"nodes": [0, 1]}], False),
        ([{"nodes": [0]}, {"nodes": [1]}], True),
        ([{"nodes": [1]}], False),
    ):
        found = codes({**file, "scenes": scenes})
        assert ("PHYSICS_JOINT_OUTSIDE_SCENE" in found) is outside, scenes


@pytest.mark.parametrize(
    ("scenes", "outside"),
    [
        ([], []),
        ([{"nodes": [0, 1]}], []),
        ([{"nodes": [0]}, {"nodes": [1]}], []),
        ([{"nodes": [0]}], ["motion", "collider"]),
        ([{}], ["motion", "collider", "joint"]),
    ],
)
def test_bodies_outside_every_scene(scenes: list[Json], outside: list[str]) -> None:
    file = {**joined({"linearAxes": [0], "min": 0, "max": 5}), "scenes": scenes}
    issues = [i for i in lg.check(Document(file)) if i.code == "PHYSICS_OUTSIDE_SCENE"]
    assert {issue.pointer.rpartition("/")[2] for issue in issues} == set(outside)
    assert {issue.severity for issue in issues} <= {"warning"}


@pytest.mark.parametrize("member", ["collisionSystems", "collideWithSystems"])
@pytest.mark.parametrize(
    ("systems", "code", "below"),
    [
        ([], "PHYSICS_FILTER_EMPTY_LIST", ""),
        (["a", "b", "a"], "PHYSICS_FILTER_DUPLICATE_SYSTEM", "/2"),
    ],
)
def test_lists_of_systems(member: str, systems: list[str], code: str, below: str) -> None:
    file = joined()
    file["extensions"][KHR] = {
        "collisionFilters": [{"collisionSystems": ["a", "b"], member: systems}]
    }
    place = f"/extensions/{KHR}/collisionFilters/0/{member}{below}"
    (issue,) = [i for i in lg.check(Document(file)) if i.severity == "warning"]
    assert (issue.code, issue.pointer) == (code, place)


def turning(at: list[float], **motion: Any) -> Json:
    """A kinematic body that turns about Y, with its collider on a node below."""
    own = {"isKinematic": True, "angularVelocity": [0, 1, 0], **motion}
    return {
        "asset": {"version": "2.0"},
        "extensionsUsed": [KHR, "KHR_implicit_shapes"],
        "nodes": [
            {"children": [1], "rotation": TURNED, "extensions": {KHR: {"motion": own}}},
            {
                "translation": at,
                "extensions": {KHR: {"collider": {"geometry": {"shape": 0}}}},
            },
        ],
        "extensions": {"KHR_implicit_shapes": {"shapes": [BOX]}},
    }


@pytest.mark.parametrize(
    ("file", "is_reported"),
    [
        (turning([2, 0, 0]), True),
        (turning([0, 0, -0.1]), True),
        (turning([0, 3, 0]), False),  # along the axis: the node turns in place
        (turning([1e-5, 0, 0]), False),
        (turning([2, 0, 0], centerOfMass=[0, 0, 0]), False),
        (turning([2, 0, 0], angularVelocity=[0, 0, 0]), False),
        (turning([2, 0, 0], isKinematic=False), False),
    ],
)
def test_kinematic_bodies_that_turn_about_a_computed_centre(file: Json, is_reported: bool) -> None:
    assert bool(reported(file, "PHYSICS_KINEMATIC_CENTER")) is is_reported
    assert not is_reported or lg.check(Document(file)).counts["hint"]


def test_a_fault_is_reported_once() -> None:
    """By the reader and not by the schema too, nor by the rule about indices."""
    file = joined({"linearAxes": [0], "min": 0, "max": 5})
    file["nodes"][0]["extensions"][KHR]["joint"]["connectedNode"] = 7
    file["nodes"][1]["extensions"][KHR]["motion"] = {"mass": -1}
    serious = [issue for issue in lg.check(Document(file)) if issue.severity == "error"]
    assert sorted(issue.code for issue in serious) == ["UNRESOLVED_REFERENCE", "VALUE_NOT_IN_RANGE"]


def test_indices_of_extensions_that_only_the_table_knows() -> None:
    file = {"nodes": [{}], "extensions": {"VRMC_springBone": {"colliders": [{"node": 5}]}}}
    messages = reported(file, "UNRESOLVED_REFERENCE")
    assert messages == ["/nodes has no element 5; use 0 to 0"]


@pytest.mark.parametrize("value", [None, 5, "text", [], True])
@pytest.mark.parametrize("name", ["KHR_interactivity", "KHR_materials_unlit", "EXT_unknown", KHR])
def test_extensions_must_be_objects(name: str, value: Any) -> None:
    extended = {"extensions": {name: value}}
    file = {"nodes": [{"extras": extended}, extended], **extended, "scenes": [{"extensions": []}]}
    places = [i.pointer for i in lg.check(Document(file)) if i.code == "TYPE_MISMATCH"]
    here = f"extensions/{name}"
    assert sorted(places) == [f"/{here}", f"/nodes/1/{here}", "/scenes/0/extensions"]


@pytest.mark.parametrize(
    ("name", "place"),
    [("KHR_interactivity", "the root"), ("VRMC_node_constraint", "a node")],
)
def test_the_remedy_of_a_misplaced_extension_is_where_it_belongs(name: str, place: str) -> None:
    file = {"scenes": [{"extensions": {name: {}}}]}
    messages = reported(file, "UNEXPECTED_EXTENSION_OBJECT")
    assert messages == [f"{name} does not extend this; move it to {place}"]


def test_an_undeclared_extension_is_reported_once() -> None:
    file = joined()
    file["extensionsUsed"].remove(KHR)
    places = [i.pointer for i in lg.check(Document(file)) if i.code == "UNDECLARED_EXTENSION"]
    assert places == [f"/extensions/{KHR}"]


def test_checking_does_not_warn_nor_use_up_the_warnings_of_others() -> None:
    """A draft is warned of when it is played, also after it was checked."""
    rotation = {"constraint": {"rotation": {"source": 0}}}
    constraint = {"VRMC_node_constraint": {"specVersion": "1.0-draft", **rotation}}
    aim = {"constraint": {"aim": {"source": 0, "aimAxis": "PositiveX"}}}
    other = {"VRMC_node_constraint": {"specVersion": "1.0", **aim}}
    nodes = [{}, {"extensions": constraint}, {"translation": [1, 0, 0], "extensions": other}]
    document = Document({"extensionsUsed": ["VRMC_node_constraint"], "nodes": nodes})
    assert lg.check(document).ok
    with pytest.warns(lg.LigamentWarning, match="draft"):
        lg.NodeConstraints(document)
