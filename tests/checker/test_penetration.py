"""Colliders that start inside each other: found where they do, and nowhere else."""

from __future__ import annotations

import math
from typing import Any

import pytest

from ligament.checker.rules.penetration import penetration_rules
from ligament.checker.subject import Subject
from ligament.gltf.document import Document
from tests.checker.playable import CORNERS, FACES, Buffer

Json = dict[str, Any]
KHR = "KHR_physics_rigid_bodies"

SHAPES = {
    "box": {"type": "box", "box": {"size": [1, 1, 1]}},
    "ball": {"type": "sphere", "sphere": {"radius": 0.5}},
    "capsule": {"type": "capsule", "capsule": {"height": 2, "radiusBottom": 0.5, "radiusTop": 0.5}},
    "cylinder": {
        "type": "cylinder",
        "cylinder": {"height": 2, "radiusTop": 0.5, "radiusBottom": 0.5},
    },
    "plane": {"type": "plane"},
}
NAMES = list(SHAPES)


def solid(
    shape: str, at: tuple[float, float, float], *, moves: bool = True, **members: Any
) -> Json:
    geometry: Json = {"mesh": 0} if shape in ("mesh", "hull") else {"shape": NAMES.index(shape)}
    if shape == "hull":
        geometry["convexHull"] = True
    node_members = {k: members.pop(k) for k in ("rotation", "scale", "children") if k in members}
    joint = {"joint": members.pop("joint")} if "joint" in members else {}
    content = {"collider": {"geometry": geometry, **members}, **joint}
    motion = {"motion": {"mass": 1}} if moves else {}
    return {"translation": list(at), **node_members, "extensions": {KHR: {**motion, **content}}}


def found(*nodes: Json, **arrays: Any) -> list[str]:
    buffer = Buffer()
    points, faces = buffer.add(CORNERS), buffer.add([i for face in FACES for i in face], "<u2")
    file = {
        "nodes": list(nodes),
        "extensions": {"KHR_implicit_shapes": {"shapes": [*SHAPES.values()]}, KHR: arrays},
        "meshes": [{"primitives": [{"attributes": {"POSITION": points}, "indices": faces}]}],
        **buffer.members(),
    }
    return [finding.message for finding in penetration_rules(Subject(Document(file)))]


@pytest.mark.parametrize("shape", ["box", "ball", "capsule", "hull"])
def test_deep_penetration_is_found(shape: str) -> None:
    (message,) = found(solid(shape, (0, 0, 0)), solid("box", (0.5, 0, 0), moves=False))
    assert message == "it starts 0.5 m inside node 1"


def test_a_cylinder_counts_as_the_box_in_it() -> None:
    side = 0.5 / math.sqrt(2)
    (message,) = found(solid("cylinder", (0, 0, 0)), solid("box", (0.5, 0, 0), moves=False))
    assert message == f"it starts {side:.3g} m inside node 1"


def test_boxes_that_touch_or_overlap_a_little_are_not() -> None:
    for gap in (1.0, 0.999, 0.8, 0.76):
        assert found(solid("box", (0, gap, 0)), solid("box", (0, 0, 0), moves=False)) == []
    assert len(found(solid("box", (0, 0.74, 0)), solid("box", (0, 0, 0), moves=False))) == 1


def test_a_stack_and_a_row_of_touching_boxes_are_not() -> None:
    stack = [solid("box", (x, y, z)) for x in range(3) for y in range(3) for z in range(3)]
    assert found(*stack) == []


def test_static_solids_may_overlap() -> None:
    assert found(solid("box", (0, 0, 0), moves=False), solid("box", (0, 0, 0), moves=False)) == []


def test_parts_of_one_body_may_overlap() -> None:
    part = solid("box", (0.1, 0, 0), moves=False)
    assert found(solid("box", (0, 0, 0), children=[1]), part) == []


def test_filters_and_joints_keep_apart() -> None:
    apart = [{"collisionSystems": ["a"], "notCollideWithSystems": ["a"]}]
    pair = [solid("box", (i / 10, 0, 0), collisionFilter=0) for i in range(2)]
    assert found(*pair, collisionFilters=apart) == []
    joints = [{"limits": [{"linearAxes": [0], "min": 0, "max": 1}]}]
    joint = {"connectedNode": 1, "joint": 0}
    joined = [solid("box", (0, 0, 0), joint=joint), solid("box", (0.1, 0, 0))]
    assert found(*joined, physicsJoints=joints) == []
    touching = [solid("box", (0, 0, 0), joint={**joint, "enableCollision": True}), joined[1]]
    assert len(found(*touching, physicsJoints=joints)) == 1


def test_a_joint_to_a_static_collider_keeps_it_apart_and_no_other() -> None:
    joints = [{"limits": [{"linearAxes": [0], "min": 0, "max": 1}]}]
    body = solid("box", (0, 0, 0), joint={"connectedNode": 1, "joint": 0})
    frame = solid("box", (0.1, 0, 0), moves=False)
    assert found(body, frame, physicsJoints=joints) == []
    below = solid("box", (-2.9, 0, 0), moves=False)
    inside = found(
        body, {**solid("box", (3, 0, 0), moves=False), "children": [2]}, below, physicsJoints=joints
    )
    assert inside == ["it starts 0.9 m inside node 2"]


def test_surfaces_and_planes_have_no_inside() -> None:
    for shape in ("mesh", "plane"):
        assert found(solid("ball", (0, 0, 0)), solid(shape, (0, 0, 0), moves=False)) == []


def test_scale_and_rotation_count() -> None:
    turned = {"rotation": [0, 0, math.sin(math.pi / 8), math.cos(math.pi / 8)]}
    floor = solid("box", (0, 0, 0), moves=False, scale=[10, 1, 10])
    assert found(solid("box", (0, 1.25, 0)), floor) == []
    assert found(solid("box", (0, 1.25, 0), **turned), floor) == []
    assert len(found(solid("box", (0, 0.7, 0), **turned), floor)) == 1


def test_each_body_of_a_heap_is_reported_once_at_most() -> None:
    heap = [solid("ball", (0, 0, 0)) for _ in range(40)]
    assert len(found(*heap)) in range(20, 41)
