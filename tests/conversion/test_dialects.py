"""Dialects: what each can express, what becomes of the rest, and that nothing else changes."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ligament as lg
from ligament.conversion import Converted, Loss
from ligament.conversion.dialects import WRITERS
from ligament.conversion.mjcf import to_mjcf
from ligament.conversion.usd import to_usd
from ligament.errors import ContentError
from ligament.extensions.physics import read_physics
from ligament.extensions.rigid_bodies import Combine, MotionKind, NodeGeometry
from ligament.extensions.shapes import Box, MeshGeometry
from ligament.gltf import Document
from ligament.gltf.accessors import append_accessor
from tests.conversion.meaning import assert_same_scene, declared, difference, play
from tests.play.files import BALL, CUBE, FLOOR, KHR, SHAPES, animate, node, physics_file

LOCKED = [{"linearAxes": [0, 1, 2], "min": 0, "max": 0}, {"angularAxes": [0, 1, 2], "max": 0}]
TARGETS = [str(target) for target in WRITERS]


def losses(result: Converted) -> list[Loss]:
    """Losses, except for the shapes that the small files have and do not use."""
    return [loss for loss in result.losses if loss.reason != "nothing uses it"]


def whats(result: Converted) -> list[str]:
    return [loss.what for loss in losses(result)]


def joined(*limits: dict[str, Any], **rest: Any) -> Document:
    """A ball that hangs below a static cube, by a joint on a node of the ball's own."""
    return physics_file(
        node("cube", shape=CUBE),
        node("ball", at=(0, -2, 0), motion={"mass": 1}, shape=BALL, children=[2]),
        node("frame", at=(0, 2, 0), joint={"connectedNode": 0, "joint": 0}),
        joints=[{"limits": list(limits), **rest}],
    )


@pytest.mark.parametrize("to", TARGETS)
def test_a_file_in_the_dialect_stays_as_it_is(to: str) -> None:
    once = lg.convert(joined(*LOCKED), to).document
    again = lg.convert(once, to)
    assert not again.losses
    assert declared(again.document) == declared(once)


def test_a_document_without_physics_and_no_target_are_copies() -> None:
    document = Document({"asset": {"version": "2.0"}, "nodes": [{"extras": 1}]})
    for to in (None, "omi"):
        result = lg.convert(document, to)
        assert result.losses == ()
        assert result.document.json == document.json
        assert result.document.json is not document.json


def test_an_unknown_target_is_reported_with_the_known_ones() -> None:
    known = r"did you mean 'omi'\? use one of khr, khr-2024-10, .* vrm-1\.0"
    with pytest.raises(ContentError, match=known):
        lg.convert(Document(), "omu")


def test_unknown_members_are_kept() -> None:
    document = joined(*LOCKED)
    ball = document.json["nodes"][1]["extensions"][KHR]
    ball |= {"extras": "n"}
    ball["motion"] |= {"extras": {"a": 1}, "wind": 2}
    ball["collider"] |= {"extensions": {"EXT_x": {"y": 1}}, "physicsMaterial": 0}
    root = document.json["extensions"]
    root[KHR] |= {"physicsMaterials": [{"name": "wood"}], "extras": [1]}
    root[KHR]["physicsJoints"][0] |= {"name": "weld"}
    root[KHR]["physicsJoints"][0]["limits"][0]["extras"] = 5
    document.json["nodes"][2]["extensions"][KHR]["joint"]["extras"] = 6
    shapes = [dict(shape) for shape in root[SHAPES]["shapes"]]
    shapes[BALL] |= {"name": "round", "sphere": {"radius": 0.5, "extras": 3}}
    root[SHAPES] = {"shapes": shapes[:2], "extras": 4}
    result = lg.convert(document, "omi").document.json
    body = result["nodes"][1]["extensions"]["OMI_physics_body"]
    assert body["extras"] == "n"
    assert body["motion"]["extras"] == {"a": 1}
    assert body["motion"]["wind"] == 2
    assert body["collider"]["extensions"] == {"EXT_x": {"y": 1}}
    assert result["extensions"]["OMI_physics_body"]["physicsMaterials"][0]["name"] == "wood"
    assert result["extensions"]["OMI_physics_body"]["extras"] == [1]
    joint = result["extensions"]["OMI_physics_joint"]["physicsJoints"][0]
    assert joint["name"] == "weld"
    assert joint["limits"][0]["extras"] == 5
    assert result["nodes"][2]["extensions"]["OMI_physics_joint"]["extras"] == 6
    ball_shape = result["extensions"]["OMI_physics_shape"]["shapes"][1]
    assert ball_shape["name"] == "round"
    assert ball_shape["sphere"] == {"radius": 0.5, "extras": 3}
    assert result["extensions"]["OMI_physics_shape"]["extras"] == 4


@pytest.mark.parametrize("to", ["omi", "omi-2023", "khr-2024-03"])
def test_members_that_other_objects_understand_are_kept(to: str) -> None:
    """`restitution` belongs to a material: in a motion nothing understands it."""
    document = joined(*LOCKED)
    ball = document.json["nodes"][1]["extensions"][KHR]
    ball |= {"drives": 1}
    ball["motion"] |= {"restitution": 2, "shape": {"sphere": 3}, "nodes": [4]}
    ball["collider"] |= {"mass": 5, "min": 6}
    limit = document.json["extensions"][KHR]["physicsJoints"][0]["limits"][0]
    limit |= {"maxForce": 7, "axis": 8}
    result = lg.convert(document, to)
    written = repr(result.document.json)
    for member in ("'restitution': 2", "'shape': {'sphere': 3}", "'nodes': [4]", "'drives': 1"):
        assert member in written
    for member in ("'mass': 5", "'min': 6", "'maxForce': 7", "'axis': 8"):
        assert member in written
    assert not any("understood" in loss.reason for loss in result.losses)


def test_members_without_a_counterpart_are_losses() -> None:
    document = joined(*LOCKED)
    document.json["nodes"][0]["extensions"][KHR]["collider"]["geometry"]["extras"] = 1
    document.json["extensions"][KHR]["physicsMaterials"] = [{"name": "unused"}]
    places = {loss.pointer: loss.what for loss in lg.convert(document, "omi").losses}
    geometry = f"/nodes/0/extensions/{KHR}/collider/geometry/extras"
    assert places.pop(geometry) == "the member extras"
    assert places.pop(f"/extensions/{KHR}/physicsMaterials/0") == "an element"
    assert places == {f"/extensions/{SHAPES}/shapes/{FLOOR}": "an element"}


def test_unreadable_members_are_losses() -> None:
    document = joined(*LOCKED)
    document.json["nodes"][1]["extensions"][KHR]["motion"]["mass"] = "heavy"
    (loss,) = [x for x in lg.convert(document, "khr-2024-03").losses if "mass" in x.pointer]
    assert "heavy" in loss.what


def test_all_else_stays_in_place() -> None:
    document = joined(*LOCKED)
    document.json["extensionsUsed"] = ["EXT_a", KHR, SHAPES, "EXT_b"]
    document.json["extensionsRequired"] = [KHR]
    document.json["extensions"]["EXT_a"] = {"x": [1]}
    document.json["nodes"][1] |= {"extras": {"k": 1}}
    document.json["nodes"][1]["extensions"]["EXT_b"] = {"y": 2}
    result = lg.convert(document, "omi").document.json
    names = ["OMI_physics_body", "OMI_physics_joint", "OMI_physics_shape"]
    assert result["extensionsUsed"] == ["EXT_a", *names, "EXT_b"]
    assert result["extensionsRequired"] == names
    assert result["extensions"]["EXT_a"] == {"x": [1]}
    assert result["nodes"][1]["extras"] == {"k": 1}
    assert result["nodes"][1]["extensions"]["EXT_b"] == {"y": 2}
    assert KHR not in str(result)
    assert document.json["nodes"][1]["extensions"][KHR]["motion"] == {"mass": 1}


def test_equal_objects_are_written_once() -> None:
    balls = [node(f"b{i}", motion={}, shape=BALL, material=i % 2) for i in range(6)]
    document = physics_file(*balls, materials=[{"restitution": 0.5}, {"restitution": 0.5}])
    extensions = lg.convert(document, "omi").document.json["extensions"]
    assert len(extensions["OMI_physics_shape"]["shapes"]) == 1
    assert len(extensions["OMI_physics_body"]["physicsMaterials"]) == 1


def test_omi_gets_the_mass_and_the_centre_that_khr_computes() -> None:
    """Two cubes of 1 m³ at x = 0 and x = 3, half scaled: 1,000 and 125 kg in the node's metres."""
    document = physics_file(
        node("a", motion={}, shape=CUBE, scale=[2, 2, 2], children=[1]),
        node("b", at=(3, 0, 0), shape=CUBE, scale=[0.5, 0.5, 0.5]),
    )
    body = read_physics(lg.convert(document, "omi").document).motions[0]
    assert body.mass == pytest.approx(8 * 1125)
    assert body.center_of_mass == pytest.approx((3 * 125 / 1125, 0, 0))
    assert body.inertia_diagonal is None
    assert_same_scene(document, lg.convert(document, "omi").document)


def test_infinite_bodies_become_kinematic_or_vast() -> None:
    wall, top = {"mass": 0, "linearVelocity": [1, 0, 0]}, {"mass": 0, "inertiaDiagonal": [0, 2, 0]}
    document = physics_file(
        node("wall", motion=wall, shape=CUBE), node("top", at=(5, 0, 0), motion=top, shape=CUBE)
    )
    result = lg.convert(document, "omi")
    bodies = read_physics(result.document).motions
    assert bodies[0].kind is MotionKind.KINEMATIC
    assert bodies[1].kind is MotionKind.DYNAMIC
    assert bodies[1].mass == 2e6
    assert bodies[1].gravity_factor == 0
    assert bodies[1].inertia_diagonal == (2e6, 2, 2e6)
    assert len(losses(result)) == 3
    # A vast body does not fall, an infinite one neither; a way of 60 steps in single precision.
    assert difference(play(document), play(result.document)) <= 1e-5


def test_zero_inertia_of_omi_is_absent_in_khr() -> None:
    motion = {"type": "dynamic", "mass": 3, "inertiaDiagonal": [0, 0, 0]}
    nodes = [{"extensions": {"OMI_physics_body": {"motion": motion}}}]
    document = Document({"asset": {"version": "2.0"}, "nodes": nodes})
    result = lg.convert(document, "khr").document.json["nodes"][0]["extensions"][KHR]
    assert result == {"motion": {"mass": 3.0, "centerOfMass": [0.0, 0.0, 0.0]}}


def test_heights_of_capsules_change_their_meaning() -> None:
    shapes = [
        {"type": "capsule", "capsule": {"height": 1.0, "radiusBottom": 0.3, "radiusTop": 0.3}}
    ]
    document = physics_file(node("pill", motion={"mass": 1}, shape=0))
    document.json["extensions"][SHAPES] = {"shapes": shapes}
    newest = lg.convert(document, "omi").document.json["extensions"]["OMI_physics_shape"]
    assert newest["shapes"][0]["capsule"]["height"] == 1.0
    oldest = lg.convert(document, "omi-2023").document.json["extensions"]["OMI_collider"]
    assert oldest["colliders"] == [{"type": "capsule", "radius": 0.3, "height": 1.6}]


def test_two_radii_become_a_hull_in_2023() -> None:
    cone = [{"type": "cylinder", "cylinder": {"height": 2, "radiusBottom": 1, "radiusTop": 0}}]
    document = physics_file(node("cone", motion={"mass": 1}, shape=0))
    document.json["extensions"][SHAPES] = {"shapes": cone}
    result = lg.convert(document, "omi-2023")
    (collider,) = read_physics(result.document).colliders.values()
    assert isinstance(collider.geometry, MeshGeometry)
    assert collider.geometry.convex
    assert "a cylinder of two radii" in whats(result)


def test_axes_without_a_vote_vote_for_the_maximum() -> None:
    def combined(*materials: dict[str, Any]) -> Converted:
        bodies = [node(f"n{i}", shape=CUBE, material=i) for i in range(len(materials))]
        return lg.convert(physics_file(*bodies, materials=materials), "omi")

    fine = combined({"dynamicFriction": 1}, {"frictionCombine": "average"})
    assert "no vote on friction combine" not in whats(fine)
    assert read_physics(fine.document).colliders[0].material.friction_combine is Combine.MAXIMUM
    rival = combined({"dynamicFriction": 1}, {"frictionCombine": "multiply"})
    assert "no vote on friction combine" in whats(rival)


@pytest.mark.parametrize("to", ["omi", "omi-2023"])
def test_locks_of_several_axes_are_exact_by_axis(to: str) -> None:
    document = joined(*LOCKED)
    result = lg.convert(document, to)
    assert losses(result) == []
    assert_same_scene(document, result.document)
    assert difference(play(document), play(result.document)) <= 1e-6


@pytest.mark.parametrize(
    ("limit", "what", "effect"),
    [
        ({"linearAxes": [0, 1], "max": 2}, "a distance from an axis", "up to 0.828 m more"),
        ({"linearAxes": [0, 1, 2], "min": 1, "max": 2}, "the minimum", "below 1 m"),
        ({"angularAxes": [0, 1], "max": 0.5}, "a cone", "0.5 rad on every axis, up to 0.207 rad"),
        ({"angularAxes": [0, 1], "max": 0, "stiffness": 9}, "the spring of a cone", "small angles"),
        ({"linearAxes": [0, 1], "max": 0, "stiffness": 9, "damping": 2}, "damping", "2 N s/m"),
    ],
)
def test_distances_and_cones_become_boxes(limit: dict[str, Any], what: str, effect: str) -> None:
    found = lg.convert(joined(limit), "omi").losses
    assert any(loss.what.startswith(what) and effect in loss.effect for loss in found)


def test_an_isotropic_spring_is_a_spring_on_every_axis() -> None:
    spring = {"linearAxes": [0, 1, 2], "max": 0, "stiffness": 50}
    document = joined(spring, LOCKED[1])
    result = lg.convert(document, "omi")
    assert losses(result) == []
    # Springs of one and of three axes are stepped differently: a millimetre after a second.
    assert difference(play(document), play(result.document)) <= 1e-3


def test_hard_limits_on_one_axis_intersect_and_springs_add_up() -> None:
    hard = [{"linearAxes": [0], "min": -1, "max": 2}, {"linearAxes": [0], "min": 0}]
    soft = [{"linearAxes": [1], "min": 0, "max": 0, "stiffness": k} for k in (5, 7)]
    result = lg.convert(joined(*hard, *soft), "omi")
    (joint,) = read_physics(result.document).joints.values()
    bounds = [(limit.minimum, limit.maximum, limit.stiffness) for limit in joint.limits]
    assert bounds == [(0, 2, math.inf), (0, 0, 12)]
    mixed = lg.convert(joined(*hard[:1], {**soft[0], "linearAxes": [0]}), "omi")
    assert "a limit" in whats(mixed)


def test_a_slider_that_starts_off_centre_counts_from_there_in_2023() -> None:
    """Frames 0.5 m apart along a slider that nothing turns: exact, with other bounds."""
    slider = [{"linearAxes": [1, 2], "max": 0}, LOCKED[1], {"linearAxes": [0], "min": -1, "max": 1}]
    document = joined(*slider)
    document.json["nodes"][2]["translation"] = [0.5, 2, 0]
    document.json["nodes"][1]["extensions"][KHR]["motion"]["linearVelocity"] = [1, 0, 0]
    result = lg.convert(document, "omi-2023")
    assert losses(result) == []
    (joint,) = read_physics(result.document).joints.values()
    (limit,) = [limit for limit in joint.limits if limit.linear_axes == (0,)]
    assert (limit.minimum, limit.maximum) == pytest.approx((-0.5, 1.5))
    assert difference(play(document), play(result.document)) <= 1e-5


def test_frames_that_do_not_coincide_are_a_loss_in_2023() -> None:
    document = joined(LOCKED[0])
    document.json["nodes"][2]["translation"] = [0, 2, 0.25]
    result = lg.convert(document, "omi-2023")
    (loss,) = [loss for loss in result.losses if "frame on the second body" in loss.what]
    assert "0.25 m and 0 rad" in loss.effect


def test_losses_of_the_dialect_of_2023_are_reported() -> None:
    drive = {"type": "linear", "mode": "force", "axis": 0, "damping": 1, "velocityTarget": 2}
    document = joined(*LOCKED, drives=[drive])
    extension = document.json["nodes"][2]["extensions"][KHR]
    extension["joint"]["enableCollision"] = True
    document.json["nodes"][0]["extensions"][KHR]["motion"] = {"isKinematic": True}
    document.json["nodes"][1]["extensions"][KHR]["motion"]["gravityFactor"] = 0.5
    document.json["extensions"][KHR]["collisionFilters"] = [{"collisionSystems": ["a"]}]
    document.json["nodes"][0]["extensions"][KHR]["collider"]["collisionFilter"] = 0
    found = whats(lg.convert(document, "omi-2023"))
    for what in ("a drive", "contacts of joined bodies", "a factor of gravity"):
        assert what in found
    assert "a collision filter" in found


def test_the_world_gets_a_body_where_joints_need_one() -> None:
    document = joined(*LOCKED)
    del document.json["nodes"][0]["extensions"]
    for to in ("omi", "omi-2023"):
        result = lg.convert(document, to)
        physics = read_physics(result.document)
        assert len(physics.joints) == 1
        kinds = {motion.kind for motion in physics.motions.values()}
        assert kinds == {MotionKind.DYNAMIC, MotionKind.STATIC}
        assert difference(play(document), play(result.document)) <= 1e-6


def test_a_joint_on_the_node_of_its_body_gets_a_node_of_its_own_in_omi() -> None:
    """As OMI says it should have, so that `check` does not complain of what we wrote."""
    document = physics_file(
        node("cube", at=(0, 3, 0), motion={"isKinematic": True}, shape=CUBE),
        node("ball", at=(0, 2, 0), motion={}, shape=BALL, joint={"connectedNode": 0, "joint": 0}),
        joints=[{"limits": [{"linearAxes": [0, 1, 2], "min": 0, "max": 0}]}],
    )
    result = lg.convert(document, "omi")
    assert "SHARES_NODE_WITH" not in {issue.code for issue in lg.check(result.document)}
    assert_same_scene(document, result.document)


def test_2023_keeps_meshes_off_the_nodes_of_bodies() -> None:
    document = joined(*LOCKED)
    mesh = triangle(document)
    document.json["nodes"][1] |= {"mesh": mesh, "weights": [0.5]}
    animate(document, 1, "weights", [0, 1], [[0.0], [1.0]])
    result = lg.convert(document, "omi-2023").document
    moved = [i for i, raw in enumerate(result.json["nodes"]) if "mesh" in raw]
    assert moved != [1]
    assert result.json["nodes"][moved[0]]["weights"] == [0.5]
    target = result.json["animations"][0]["channels"][0]["target"]
    assert target == {"node": moved[0], "path": "weights"}
    assert not [i for i in lg.check(result) if i.code == "SHARES_NODE_WITH"]


def triangle(document: Document, *, at: float = 0.0, morphs: bool = True) -> int:
    """A mesh of one triangle of 1 m, with a morph target that lifts it by 1 m."""
    points = np.array([[at, 0, 0], [at + 1, 0, 0], [at, 0, 1]], float)
    primitive: dict[str, Any] = {
        "attributes": {"POSITION": append_accessor(document, points, bounds=True)}
    }
    if morphs:
        lift = append_accessor(document, np.tile([0.0, 1.0, 0.0], (3, 1)), bounds=True)
        primitive["targets"] = [{"POSITION": lift}]
    meshes = document.growing_array("meshes")
    meshes.append({"primitives": [primitive]})
    return len(meshes) - 1


def shaped_by(document: Document, geometry: dict[str, Any]) -> Document:
    document.json["nodes"][0]["extensions"] = {KHR: {"collider": {"geometry": geometry}}}
    return document


def test_a_node_with_one_mesh_is_that_mesh() -> None:
    document = physics_file(node("a"))
    document.json["nodes"][0]["mesh"] = triangle(document, morphs=False)
    result = lg.convert(shaped_by(document, {"node": 0}), "khr")
    assert read_physics(result.document).colliders[0].geometry == MeshGeometry(0, convex=False)
    back = lg.convert(result.document, "khr-2024-10").document
    assert read_physics(back).colliders[0].geometry == NodeGeometry(0, convex=False)


def test_a_mesh_that_no_node_shows_gets_a_node_outside_of_all_scenes() -> None:
    document = physics_file(node("a"))
    shaped_by(document, {"mesh": triangle(document, morphs=False), "convexHull": True})
    result = lg.convert(document, "khr-2024-10").document
    assert read_physics(result).colliders[0].geometry == NodeGeometry(1, convex=True)
    assert result.json["scenes"][0]["nodes"] == [0]
    assert result.json["nodes"][1]["mesh"] == 0


def test_several_meshes_below_a_node_become_one() -> None:
    document = physics_file(node("a", children=[1]), node("b", at=(0, 2, 0)))
    for i, raw in enumerate(document.json["nodes"]):
        raw["mesh"] = triangle(document, at=3.0 * i, morphs=False)
    shaped_by(document, {"node": 0})
    for to in ("khr", "khr-2024-03", "omi"):
        result = lg.convert(document, to)
        assert losses(result) == []
        assert_same_scene(document, result.document)


def test_a_morphed_mesh_becomes_one_at_rest_and_that_is_reported() -> None:
    document = physics_file(node("a"))
    document.json["nodes"][0] |= {"mesh": triangle(document), "weights": [0.25]}
    result = lg.convert(shaped_by(document, {"node": 0}), "khr")
    assert "the pose of a skin or morph" in whats(result)
    assert_same_scene(document, result.document)


@pytest.mark.parametrize("to", ["khr-2024-03", "omi", "omi-2023"])
def test_a_plane_becomes_the_ground(to: str) -> None:
    document = physics_file(
        node("floor", shape=0), node("ball", at=(0, 0.8, 0), motion={"mass": 1}, shape=1)
    )
    plane = {"type": "plane"}
    ball = {"type": "sphere", "sphere": {"radius": 0.5}}
    document.json["extensions"][SHAPES]["shapes"] = [plane, ball]
    result = lg.convert(document, to)
    assert "an infinite plane" in whats(result)
    assert Box((2e4, 2e3, 2e4)) in [
        c.geometry for c in read_physics(result.document).colliders.values()
    ]
    # The ball falls 0.3 m and lies still.
    assert play(result.document).translation[-1, 0, 1] == pytest.approx(0.5, abs=2e-3)


@pytest.mark.parametrize("to", TARGETS)
def test_compound_triggers_notice_the_same(to: str) -> None:
    document = physics_file(
        node("compound", members=[1, 2], children=[1, 2]),
        node("left", at=(-1, -2, 0), trigger=CUBE),
        node("right", at=(1, -2, 0), trigger=CUBE),
        node("ball", at=(0, 0, 0), motion={"mass": 1}, shape=FLOOR),
    )
    before, after = play(document), play(lg.convert(document, to).document)
    assert [e.type for e in before.events] == [e.type for e in after.events]
    assert [e.time for e in before.events] == [e.time for e in after.events]
    assert len(before.events) >= 3


def test_a_static_body_within_another_follows_animations_in_both() -> None:
    """In KHR it is kinematic at rest, so that the body above does not own its collider."""
    nodes: list[dict[str, Any]] = [{"children": [1]}, {"children": [2]}, {"translation": [0, 2, 0]}]
    for index, kind in ((1, "kinematic"), (2, "static")):
        body = {"motion": {"type": kind}, "collider": {"shape": 0}}
        nodes[index]["extensions"] = {"OMI_physics_body": body}
    document = Document(
        {
            "asset": {"version": "2.0"},
            "scenes": [{"nodes": [0]}],
            "nodes": nodes,
            "extensions": {
                "OMI_physics_shape": {"shapes": [{"type": "sphere", "sphere": {"radius": 1}}]}
            },
        }
    )
    animate(document, 0, "translation", [0, 1], [[0, 0, 0], [3, 0, 0]])
    result = lg.convert(document, "khr")
    assert losses(result) == []
    before, after = play(document), play(result.document)
    assert np.allclose(after.translation[-1], [[3, 0, 0], [3, 2, 0]], atol=1e-6)
    assert difference(before, after) <= 1e-6


def test_a_static_body_of_omi_is_no_body_in_khr() -> None:
    static = {"OMI_physics_body": {"motion": {"type": "static"}, "collider": {"shape": 0}}}
    document = Document(
        {
            "asset": {"version": "2.0"},
            "nodes": [{"extensions": static}],
            "extensions": {"OMI_physics_shape": {"shapes": [{"type": "box", "box": {}}]}},
        }
    )
    result = lg.convert(document, "khr")
    assert not result.losses
    assert result.document.json["nodes"][0]["extensions"] == {
        KHR: {"collider": {"geometry": {"shape": 0}}}
    }


def test_animated_members_follow_or_are_lost() -> None:
    document = joined(*LOCKED)
    animate(document, 1, "translation", [0, 1], np.zeros((2, 3)))
    place = "/nodes/1/extensions/KHR_physics_rigid_bodies/motion/gravityFactor"
    pointer = {"path": "pointer", "extensions": {"KHR_animation_pointer": {"pointer": place}}}
    document.json["animations"][0]["channels"].append({"sampler": 0, "target": pointer})
    kept = lg.convert(document, "khr-2024-03")
    assert len(kept.document.json["animations"][0]["channels"]) == 2
    lost = lg.convert(document, "omi")
    assert len(lost.document.json["animations"][0]["channels"]) == 1
    assert "an animated member of physics" in whats(lost)


def test_swings_of_omi_are_twists_in_khr() -> None:
    swings = [{"angularAxes": [axis], "min": -0.5, "max": 0.3} for axis in (0, 1)]
    omi = lg.convert(joined({"linearAxes": [0, 1, 2], "min": 0, "max": 0}, *swings), "omi").document
    assert whats(lg.convert(omi, "khr")) == ["the swing of a free axis"] * 2


SWINGS = [{"angularAxes": [axis], "min": -0.5, "max": 0.3, "stiffness": 40} for axis in range(3)]


@pytest.mark.parametrize("to", ["omi", "omi-2023"])
def test_twists_of_khr_about_two_axes_are_swings_in_omi(to: str) -> None:
    """About one axis or three they are what they were, and so are two locks, which make a hinge."""
    assert whats(lg.convert(joined(*SWINGS[:2]), to)) == ["the twist about an axis"] * 2
    hinge = [{"angularAxes": [axis], "min": 0, "max": 0} for axis in (0, 1)]
    for limits in (SWINGS[:1], SWINGS, hinge):
        document = joined(*limits)
        result = lg.convert(document, to)
        assert losses(result) == []
        assert_same_scene(document, result.document)


def test_swings_stay_swings_between_the_dialects_of_omi() -> None:
    document = lg.convert(joined(*SWINGS[:2]), "omi").document
    for to in ("omi-2023", "omi"):
        result = lg.convert(document, to)
        assert losses(result) == []
        assert_same_scene(document, result.document)
        document = result.document


def test_a_swing_whose_second_limit_is_gone_is_reported() -> None:
    weak = {**SWINGS[1], "stiffness": 0, "damping": 2}
    result = lg.convert(lg.convert(joined(SWINGS[0], weak), "omi").document, "omi-2023")
    assert whats(result) == ["the swing of axis 2", "a stiffness of 0", "the swing of axis 2"]


def test_a_swing_that_omi_locks_at_an_angle_is_lost_in_usd_alone(tmp_path: Path) -> None:
    """MuJoCo rotates hinges beside such a lock about the axis that is left."""
    held = {0: 0.0, 1: 0.4}
    locks = [{"angularAxes": [axis], "min": at, "max": at} for axis, at in held.items()]
    document = joined({"linearAxes": [0, 1, 2], "min": 0, "max": 0}, *locks)
    omi = lg.convert(document, "omi").document
    assert locked(to_usd(omi, tmp_path / "a.usda")) == ["the swing of axis 2, locked at 0.4 rad"]
    assert locked(to_usd(document, tmp_path / "a.usda")) == []
    assert locked(to_mjcf(omi, tmp_path / "a.xml")) == []


def locked(lost: Iterable[Loss]) -> list[str]:
    return [loss.what for loss in lost if "locked" in loss.what]
