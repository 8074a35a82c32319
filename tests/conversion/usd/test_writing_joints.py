"""Joints in USD: which kind, in which units, and what is lost of those that USD cannot say."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pxr import UsdPhysics

import ligament as lg
from ligament.extensions.shapes import Sphere
from ligament.gltf import Document
from tests.conversion.usd.parsed import Parsed, assert_says, bounds_of, example, scene_of, written
from tests.play.files import BALL, CUBE, FLOOR, node, physics_file

SMALL = {"mass": 1.0, "inertiaDiagonal": [0.01, 0.02, 0.03]}
POINT = {"linearAxes": [0, 1, 2], "min": 0, "max": 0}
TURNS = {"angularAxes": [0, 1, 2], "min": 0, "max": 0}


def joined(
    *limits: dict[str, Any],
    drives: tuple[dict[str, Any], ...] = (),
    collide: bool = False,
    to_world: bool = False,
) -> Document:
    """Two balls and a joint between them, or between the second and the world."""
    joint = {"connectedNode": 3, "joint": 0, "enableCollision": collide}
    return physics_file(
        node("A", motion=SMALL, shape=BALL, children=[] if to_world else [2]),
        node("B", at=(0, -2, 0), motion=SMALL, shape=BALL, children=[3]),
        node("Joint", at=(0, -1, 0), joint=joint),
        node("End", at=(0, 1, 0)),
        joints=[{"limits": list(limits), "drives": list(drives)}],
    )


def only_joint(document: Document, folder: Path) -> tuple[Parsed, Any, Any]:
    parsed = written(document, folder)
    assert_says(parsed, scene_of(document))
    ((path, found),) = parsed.all("Joint").items()
    return parsed, parsed.stage.GetPrimAtPath(path), found


def bounds(low: float, high: float, **axes: list[int]) -> dict[str, Any]:
    return {**axes, "min": low, "max": high}


@pytest.mark.parametrize(
    ("limits", "kind"),
    [
        ([POINT, TURNS], "PhysicsFixedJoint"),
        ([POINT, bounds(0, 0, angularAxes=[0, 2])], "PhysicsRevoluteJoint"),
        ([TURNS, bounds(0, 0, linearAxes=[0, 2])], "PhysicsPrismaticJoint"),
        ([POINT], "PhysicsSphericalJoint"),
        ([POINT, bounds(0, 0.5, angularAxes=[0, 2])], "PhysicsSphericalJoint"),
        ([bounds(0, 2, linearAxes=[0, 1, 2])], "PhysicsDistanceJoint"),
        ([bounds(0, 0, linearAxes=[0, 1])], "PhysicsJoint"),
        ([POINT, bounds(-1, 1, angularAxes=[1])], "PhysicsJoint"),
        ([POINT, bounds(0, 0, angularAxes=[1])], "PhysicsJoint"),
    ],
)
def test_the_kind_that_is_exactly_meant_is_used(tmp_path, limits, kind):
    _stage, prim, _ = only_joint(joined(*limits), tmp_path)  # a prim lives as long as its stage
    assert prim.GetTypeName() == kind


def test_frames_bodies_and_collisions(tmp_path):
    for collide in (False, True):
        _, _, found = only_joint(joined(POINT, collide=collide), tmp_path)
        assert (str(found.body0), str(found.body1)) == ("/World/A", "/World/B")
        assert np.allclose(found.localPose0Position, (0, -1, 0))
        assert np.allclose(found.localPose1Position, (0, 1, 0))
        assert found.collisionEnabled is collide


def test_the_world_is_no_body(tmp_path):
    _, prim, found = only_joint(joined(POINT, to_world=True), tmp_path)
    assert not prim.GetRelationship("physics:body0").GetTargets()
    assert np.allclose(found.localPose0Position, (0, -1, 0))


def test_hinges_are_bounded_and_driven_by_degrees(tmp_path):
    drive = {
        "type": "angular", "mode": "acceleration", "axis": 1, "stiffness": 90.0, "damping": 9.0,
        "positionTarget": 1.0, "velocityTarget": 2.0, "maxForce": 7.0,
    }  # fmt: skip
    document = joined(
        POINT, bounds(0, 0, angularAxes=[0, 2]), bounds(-0.5, 1, angularAxes=[1]), drives=(drive,)
    )
    parsed, _, found = only_joint(document, tmp_path)
    assert found.axis == UsdPhysics.Axis.Y
    assert found.limit.lower == pytest.approx(math.degrees(-0.5), rel=1e-6)
    assert found.limit.upper == pytest.approx(math.degrees(1), rel=1e-6)
    assert found.drive.acceleration
    assert found.drive.targetPosition == pytest.approx(math.degrees(1), rel=1e-6)
    assert found.drive.targetVelocity == pytest.approx(math.degrees(2), rel=1e-6)
    # The torque at a distance of one radian is the same.
    assert found.drive.stiffness * math.degrees(1) == pytest.approx(90, rel=1e-6)
    assert found.drive.damping * math.degrees(1) == pytest.approx(9, rel=1e-6)
    assert found.drive.forceLimit == 7
    assert not parsed.losses


def test_sliders_are_bounded_and_driven_by_metres(tmp_path):
    drive = {"type": "linear", "mode": "force", "axis": 2, "stiffness": 5.0, "positionTarget": 0.2}
    held = bounds(0, 0, linearAxes=[0, 1])
    document = joined(TURNS, held, {"linearAxes": [2], "max": 0.7}, drives=(drive,))
    parsed, _, found = only_joint(document, tmp_path)
    assert (found.limit.lower, found.limit.upper) == (-math.inf, pytest.approx(0.7))
    assert found.drive.stiffness == 5
    assert found.drive.targetPosition == pytest.approx(0.2)
    assert math.isinf(found.drive.forceLimit)
    assert not found.drive.acceleration
    assert not parsed.losses


def test_locked_axes_of_general_joints_have_bounds_that_cross(tmp_path):
    held = bounds(0, 0, linearAxes=[0])
    _, _, found = only_joint(joined(held, bounds(-1, 2, linearAxes=[1])), tmp_path)
    low, high = bounds_of(found, "trans", "X") or (0, 0)
    assert low > high
    assert bounds_of(found, "trans", "Y") == (-1, 2)
    assert bounds_of(found, "trans", "Z") is None
    assert bounds_of(found, "rot", "X") is None


def test_locks_off_zero_move_a_frame(tmp_path):
    document = joined(bounds(0.5, 0.5, linearAxes=[0]), bounds(0, 0, linearAxes=[1, 2]), TURNS)
    _, prim, found = only_joint(document, tmp_path)
    assert prim.GetTypeName() == "PhysicsFixedJoint"
    assert np.allclose(found.localPose0Position, (0.5, -1, 0))


def test_cones_are_the_angles_of_a_ball(tmp_path):
    parsed, _, found = only_joint(joined(POINT, bounds(0, 0.5, angularAxes=[0, 2])), tmp_path)
    assert found.axis == UsdPhysics.Axis.Y
    assert found.limit.lower == pytest.approx(math.degrees(0.5), rel=1e-6)
    assert found.limit.upper == pytest.approx(math.degrees(0.5), rel=1e-6)
    assert not parsed.losses


def test_cones_with_more_limits_become_ranges_and_say_how_much_they_miss(tmp_path):
    document = joined(POINT, bounds(0, 0.5, angularAxes=[0, 2]), bounds(-0.2, 0.2, angularAxes=[1]))
    parsed, _, found = only_joint(document, tmp_path)
    for letter in "XZ":
        low, high = bounds_of(found, "rot", letter) or (0, 0)
        assert (-low, high) == (pytest.approx(28.64789), pytest.approx(28.64789))
    reported = {loss.what: loss.effect for loss in parsed.losses}
    assert f"{0.5 * (math.sqrt(2) - 1):g}" in reported["a limit on a cone"]


def test_ropes_rods_and_distances_from_a_plane(tmp_path):
    _, prim, found = only_joint(joined(bounds(1, 2, linearAxes=[0, 1, 2])), tmp_path)
    assert prim.GetTypeName() == "PhysicsDistanceJoint"
    assert (found.limit.lower, found.limit.upper) == (1, 2)
    # With one axis locked, a distance from that axis is one of the frames.
    held = bounds(0, 0, linearAxes=[2])
    parsed, prim, _ = only_joint(joined(held, bounds(0, 2, linearAxes=[0, 1])), tmp_path)
    assert UsdPhysics.LimitAPI(prim, "distance").GetHighAttr().Get() == 2
    assert not parsed.losses


def test_distances_from_a_line_become_squares_aloud(tmp_path):
    parsed, _, found = only_joint(joined(bounds(0, 2, linearAxes=[0, 1])), tmp_path)
    assert bounds_of(found, "trans", "X") == (-2, 2)
    assert bounds_of(found, "trans", "Y") == (-2, 2)
    (loss,) = parsed.losses
    assert f"{2 * (math.sqrt(2) - 1):g} m" in loss.effect


def test_springs_are_drives(tmp_path):
    held = [bounds(0, 0, linearAxes=[0, 2]), TURNS]
    spring = {**bounds(0.3, 0.3, linearAxes=[1]), "stiffness": 50.0, "damping": 2.0}
    parsed, prim, found = only_joint(joined(*held, spring), tmp_path)
    assert prim.GetTypeName() == "PhysicsPrismaticJoint"
    assert found.drive.targetPosition == pytest.approx(0.3)
    assert (found.drive.stiffness, found.drive.damping) == (50, 2)
    assert not found.drive.acceleration
    assert not parsed.losses


def test_springs_to_a_point_are_three_drives(tmp_path):
    parsed, prim, _ = only_joint(joined({**POINT, "stiffness": 50.0, "damping": 2.0}), tmp_path)
    for letter in "XYZ":
        drive = UsdPhysics.DriveAPI(prim, f"trans{letter}")
        assert drive.GetStiffnessAttr().Get() == 50
        assert drive.GetDampingAttr().Get() == 2
    assert not parsed.losses


@pytest.mark.parametrize(
    "other",
    [
        {"angularAxes": [0], "max": -2.0, "stiffness": 1.0, "damping": 1.0},
        {"angularAxes": [0, 1], "max": 0.3},
        {"angularAxes": [0, 1, 2], "max": 0.3},
    ],
    ids=["spring", "cone", "total angle"],
)
def test_a_hard_bound_holds_whatever_contradicts_it(tmp_path, other):
    _, _, found = only_joint(joined(POINT, other, {"angularAxes": [0], "min": 1.0}), tmp_path)
    assert bounds_of(found, "rot", "X") == pytest.approx((math.degrees(1.0),) * 2)


def test_soft_ranges_become_hard_and_report_their_compliance(tmp_path):
    held = [bounds(0, 0, linearAxes=[0, 2]), TURNS]
    soft = {**bounds(-1, 1, linearAxes=[1]), "stiffness": 50.0}
    parsed, _, found = only_joint(joined(*held, soft), tmp_path)
    assert (found.limit.lower, found.limit.upper) == (-1, 1)
    (loss,) = parsed.losses
    assert loss.what == "a soft limit"
    assert "0.02 m for each N" in loss.effect


def test_rotations_about_several_axes_are_reported(tmp_path):
    parsed, _, _ = only_joint(joined(POINT, bounds(0, 0, angularAxes=[1])), tmp_path)
    assert [loss.what for loss in parsed.losses] == ["a joint that rotates about several axes"]


# --- what is kept apart ---


def test_static_colliders_of_a_joint_are_filtered_pairs(tmp_path):
    document = example("door.glb")
    parsed = written(document, tmp_path)
    found = parsed.by_type["RigidBody"]["/World/Door"]
    assert [str(path) for path in found.filteredCollisions] == ["/World/Frame/collider"]


def test_bodies_of_a_joint_need_no_pairs(tmp_path):
    parsed = written(example("rope.glb"), tmp_path)
    assert not any(body.filteredCollisions for body in parsed.by_type["RigidBody"].values())


# --- articulations ---


def articulations(parsed: Parsed) -> set[str]:
    return set(parsed.by_type.get("Articulation", {}))


def test_trees_on_the_world_have_their_root_at_that_joint(tmp_path):
    parsed = written(example("rope.glb"), tmp_path)
    assert articulations(parsed) == {"/World/Joints/Anchor_ball"}
    ((_, found),) = parsed.by_type["Articulation"].items()
    assert len(found.articulatedJoints) == len(parsed.by_type["SphericalJoint"])
    assert not any(joint.excludeFromArticulation for joint in parsed.all("Joint").values())


def test_floating_trees_have_their_root_at_a_body(tmp_path):
    assert articulations(written(joined(POINT), tmp_path)) == {"/World/A"}


def test_bodies_without_joints_are_no_articulation(tmp_path):
    assert not articulations(written(example("stack.glb"), tmp_path))


def test_joints_that_close_a_loop_are_excluded(tmp_path):
    editor = lg.Editor(physics_file(*(node(f"N{i}", at=(i, i % 2, 0)) for i in range(4))))
    for i in range(4):
        editor.add_body(f"N{i}", mass=1.0, collider=Sphere(0.2))
    for a, b in ((0, 1), (1, 2), (2, 3), (3, 0)):
        editor.ball(f"N{a}", f"N{b}", at=f"N{b}")
    parsed = written(editor.document, tmp_path)
    excluded = [joint.excludeFromArticulation for joint in parsed.all("Joint").values()]
    assert sorted(excluded) == [False, False, False, True]
    assert len(articulations(parsed)) == 1


def test_distances_and_animated_bodies_are_outside_articulations(tmp_path):
    parsed, _, found = only_joint(joined(bounds(0, 2, linearAxes=[0, 1, 2])), tmp_path)
    assert found.excludeFromArticulation
    assert not articulations(parsed)
    document = joined(POINT)
    document.json["nodes"][0]["extensions"]["KHR_physics_rigid_bodies"]["motion"] = {
        "isKinematic": True
    }
    parsed, _, found = only_joint(document, tmp_path)
    assert found.excludeFromArticulation
    assert not articulations(parsed)


def test_infinite_masses_do_not_upset_articulations(tmp_path):
    document = joined(POINT, to_world=True)
    document.json["nodes"][1]["extensions"]["KHR_physics_rigid_bodies"]["motion"] = {"mass": 0}
    parsed, _, found = only_joint(document, tmp_path)
    assert found.excludeFromArticulation
    assert parsed.by_type["RigidBody"]["/World/B"].kinematicBody


def test_a_joint_on_a_static_collider_names_it(tmp_path):
    document = physics_file(
        node("Floor", at=(0, -1, 0), scale=[2, 1, 2], shape=FLOOR, children=[1]),
        node("Peg", at=(0.5, 1, 0), joint={"connectedNode": 2, "joint": 0}),
        node("Box", at=(1, 0, 0), motion=SMALL, shape=CUBE),
        joints=[{"limits": [POINT]}],
    )
    _, _, found = only_joint(document, tmp_path)
    assert str(found.rel0) == "/World/Floor"
    assert not str(found.body0)
    assert np.allclose(found.localPose0Position, (1, 0, 0))
