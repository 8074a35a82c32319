"""Joints: frames, limits in metres and radians, drives, and what of them no document says."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ligament as lg
from ligament.extensions.rigid_bodies import Drive, Joint, Limit
from tests.conversion.usd.texts import METRES, Read, read

BODIES = """
def Cube "Base" (apiSchemas = ["PhysicsCollisionAPI"])
{
    double3 xformOp:translate = (0, 10, 0)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
def Cube "Arm" (apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])
{
    double3 xformOp:translate = (4, 10, 0)
    float3 xformOp:scale = (2, 2, 2)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:scale"]
}
"""
ENDS = """
    rel physics:body0 = </Base>
    rel physics:body1 = </Arm>
    point3f physics:localPos0 = (2, 0, 0)
    point3f physics:localPos1 = (-1, 0, 0)
"""
LOCKED = Limit(linear_axes=(0, 1, 2), minimum=0.0, maximum=0.0)
STRAIGHT = Limit(angular_axes=(0, 1, 2), minimum=0.0, maximum=0.0)


def joint(
    folder: Path,
    kind: str,
    members: str = "",
    *,
    apis: str = "",
    metadata: str = METRES,
    ends: str = ENDS,
) -> Read:
    head = f" (apiSchemas = [{apis}])" if apis else ""
    return read(folder, f'{BODIES}\ndef {kind} "J"{head}\n{{\n{ends}\n{members}\n}}', metadata)


def only(found: Read) -> Joint:
    (each,) = found.physics.joints.values()
    return each


def limits(found: Read) -> list[dict[str, Any]]:
    """The limits of the only joint, with angles and lengths rounded to what float32 holds."""
    return [_plain(limit) for limit in only(found).limits]


def _plain(limit: Limit) -> dict[str, Any]:
    return {
        "linear": limit.linear_axes,
        "angular": limit.angular_axes,
        "min": pytest.approx(limit.minimum, rel=1e-6),
        "max": pytest.approx(limit.maximum, rel=1e-6),
    }


def as_json(*expected: Limit) -> list[dict[str, Any]]:
    return [
        {
            "linear": limit.linear_axes,
            "angular": limit.angular_axes,
            "min": limit.minimum,
            "max": limit.maximum,
        }
        for limit in expected
    ]


def test_frames_lie_on_the_bodies(tmp_path: Path) -> None:
    found = joint(tmp_path, "PhysicsFixedJoint")
    frames = found.scene.joints[0]
    bodies = found.scene.bodies
    np.testing.assert_allclose(found.world("J A")[:3, 3], [2, 10, 0])
    np.testing.assert_allclose(found.world("J B")[:3, 3], [2, 10, 0])  # -1 at a scale of 2
    assert bodies[frames.a.body].node == found.index("Base")
    assert bodies[frames.b.body].node == found.index("Arm")
    assert limits(found) == as_json(LOCKED, STRAIGHT)
    assert not found.losses


@pytest.mark.parametrize(
    ("axis", "number", "others"), [("X", 0, (1, 2)), ("Y", 1, (0, 2)), ("Z", 2, (0, 1))]
)
def test_hinges(tmp_path: Path, axis: str, number: int, others: tuple[int, int]) -> None:
    members = f"""
    uniform token physics:axis = "{axis}"
    float physics:lowerLimit = -90
    float physics:upperLimit = 45
    """
    found = joint(tmp_path, "PhysicsRevoluteJoint", members, metadata="metersPerUnit = 0.01")
    swing = Limit(angular_axes=(number,), minimum=-math.pi / 2, maximum=math.pi / 4)
    straight = Limit(angular_axes=others, minimum=0.0, maximum=0.0)
    assert limits(found) == as_json(LOCKED, straight, swing)


def test_a_hinge_without_limits_and_one_with_one(tmp_path: Path) -> None:
    straight = Limit(angular_axes=(1, 2), minimum=0.0, maximum=0.0)
    assert limits(joint(tmp_path, "PhysicsRevoluteJoint")) == as_json(LOCKED, straight)
    found = joint(tmp_path, "PhysicsRevoluteJoint", "float physics:upperLimit = 180")
    half = Limit(angular_axes=(0,), maximum=math.pi)
    assert limits(found) == as_json(LOCKED, straight, half)


def test_bounds_the_wrong_way_round_lock(tmp_path: Path) -> None:
    members = "float physics:lowerLimit = 10\nfloat physics:upperLimit = -10"
    assert limits(joint(tmp_path, "PhysicsRevoluteJoint", members)) == as_json(LOCKED, STRAIGHT)


def test_sliders_count_in_metres(tmp_path: Path) -> None:
    members = """
    uniform token physics:axis = "Z"
    float physics:lowerLimit = -25
    float physics:upperLimit = 50
    """
    found = joint(tmp_path, "PhysicsPrismaticJoint", members, metadata="metersPerUnit = 0.01")
    across = Limit(linear_axes=(0, 1), minimum=0.0, maximum=0.0)
    along = Limit(linear_axes=(2,), minimum=-0.25, maximum=0.5)
    assert limits(found) == as_json(across, STRAIGHT, along)


def test_balls_and_their_cones(tmp_path: Path) -> None:
    found = joint(tmp_path, "PhysicsSphericalJoint")
    assert limits(found) == as_json(LOCKED)
    round_cone = "float physics:coneAngle0Limit = 60\nfloat physics:coneAngle1Limit = 60"
    found = joint(tmp_path, "PhysicsSphericalJoint", round_cone)
    cone = Limit(angular_axes=(1, 2), minimum=0.0, maximum=math.pi / 3)
    assert limits(found) == as_json(LOCKED, cone)
    assert not found.losses


def test_a_cone_with_two_angles_opens_to_the_right_sides(tmp_path: Path) -> None:
    members = "float physics:coneAngle0Limit = 30\nfloat physics:coneAngle1Limit = 60"
    found = joint(tmp_path, "PhysicsSphericalJoint", members)
    # X towards Y is a turn about Z, X towards Z one about Y.
    to_y = Limit(angular_axes=(2,), minimum=-math.pi / 6, maximum=math.pi / 6)
    to_z = Limit(angular_axes=(1,), minimum=-math.pi / 3, maximum=math.pi / 3)
    assert limits(found) == as_json(LOCKED, to_y, to_z)
    assert found.lost("/J") == ["a cone of 30 by 60 degrees"]
    one = joint(tmp_path, "PhysicsSphericalJoint", "float physics:coneAngle0Limit = 30")
    assert limits(one) == as_json(LOCKED, to_y)
    assert not one.losses


def test_distances(tmp_path: Path) -> None:
    members = "float physics:minDistance = 1\nfloat physics:maxDistance = 3"
    both = Limit(linear_axes=(0, 1, 2), minimum=1.0, maximum=3.0)
    assert limits(joint(tmp_path, "PhysicsDistanceJoint", members)) == as_json(both)
    rope = Limit(linear_axes=(0, 1, 2), minimum=0.0, maximum=3.0)
    found = joint(tmp_path, "PhysicsDistanceJoint", "float physics:maxDistance = 3")
    assert limits(found) == as_json(rope)
    assert limits(joint(tmp_path, "PhysicsDistanceJoint")) == []


def test_six_degrees_of_freedom(tmp_path: Path) -> None:
    apis = ", ".join(f'"PhysicsLimitAPI:{n}"' for n in ("transX", "transZ", "rotX", "rotY", "rotZ"))
    members = """
    float limit:transX:physics:low = 1
    float limit:transX:physics:high = -1
    float limit:transZ:physics:low = -2
    float limit:transZ:physics:high = 4
    float limit:rotX:physics:low = -30
    float limit:rotX:physics:high = 30
    float limit:rotY:physics:low = 1
    float limit:rotY:physics:high = 0
    float limit:rotZ:physics:high = 90
    """
    found = joint(tmp_path, "PhysicsJoint", members, apis=apis)
    assert limits(found) == as_json(
        Limit(linear_axes=(0,), minimum=0.0, maximum=0.0),
        Limit(angular_axes=(1,), minimum=0.0, maximum=0.0),
        Limit(linear_axes=(2,), minimum=-2.0, maximum=4.0),
        Limit(angular_axes=(0,), minimum=-math.pi / 6, maximum=math.pi / 6),
        Limit(angular_axes=(2,), maximum=math.pi / 2),
    )


def test_a_limit_on_what_is_locked_is_reported(tmp_path: Path) -> None:
    members = "float limit:transX:physics:low = -1\nfloat limit:transX:physics:high = 1"
    apis = '"PhysicsLimitAPI:transX"'
    found = joint(tmp_path, "PhysicsRevoluteJoint", members, apis=apis)
    assert found.lost("/J") == ["a limit on transX"]


# --- drives ---

ANGULAR = """
    uniform token drive:{0}:physics:type = "{1}"
    float drive:{0}:physics:targetPosition = 90
    float drive:{0}:physics:targetVelocity = -180
    float drive:{0}:physics:stiffness = 3
    float drive:{0}:physics:damping = 0.5
    float drive:{0}:physics:maxForce = 1000
"""


def drive_of(found: Read) -> Drive:
    (drive,) = only(found).drives
    return drive


def test_angular_drives_count_in_radians(tmp_path: Path) -> None:
    members = 'uniform token physics:axis = "Y"' + ANGULAR.format("angular", "force")
    found = joint(tmp_path, "PhysicsRevoluteJoint", members, apis='"PhysicsDriveAPI:angular"')
    drive = drive_of(found)
    assert (drive.type, drive.mode, drive.axis) == ("angular", "force", 1)
    assert drive.position_target == pytest.approx(math.pi / 2)
    assert drive.velocity_target == pytest.approx(-math.pi)
    assert drive.stiffness == pytest.approx(3 * 180 / math.pi)  # N m per degree
    assert drive.damping == pytest.approx(0.5 * 180 / math.pi)
    assert drive.max_force == 1000


def test_drives_in_centimetres_and_grams(tmp_path: Path) -> None:
    units = "metersPerUnit = 0.01\nkilogramsPerUnit = 0.001"
    found = joint(
        tmp_path,
        "PhysicsRevoluteJoint",
        ANGULAR.format("angular", "force"),
        apis='"PhysicsDriveAPI:angular"',
        metadata=units,
    )
    drive = drive_of(found)
    assert drive.stiffness == pytest.approx(3e-7 * 180 / math.pi)  # g cm²/s² are 1e-7 N m
    assert drive.max_force == pytest.approx(1e-4)
    found = joint(
        tmp_path,
        "PhysicsPrismaticJoint",
        ANGULAR.format("linear", "force"),
        apis='"PhysicsDriveAPI:linear"',
        metadata=units,
    )
    drive = drive_of(found)
    assert (drive.type, drive.axis) == ("linear", 0)
    assert drive.position_target == pytest.approx(0.9)
    assert drive.velocity_target == pytest.approx(-1.8)
    assert drive.stiffness == pytest.approx(3e-3)  # g/s²
    assert drive.max_force == pytest.approx(1000 * 1e-5)  # dyn


def test_accelerations_do_not_know_mass(tmp_path: Path) -> None:
    units = "metersPerUnit = 0.01\nkilogramsPerUnit = 0.001"
    found = joint(
        tmp_path,
        "PhysicsJoint",
        ANGULAR.format("rotZ", "acceleration"),
        apis='"PhysicsDriveAPI:rotZ"',
        metadata=units,
    )
    drive = drive_of(found)
    assert (drive.type, drive.mode, drive.axis) == ("angular", "acceleration", 2)
    assert drive.stiffness == pytest.approx(3 * 180 / math.pi)
    found = joint(
        tmp_path,
        "PhysicsJoint",
        ANGULAR.format("transY", "acceleration"),
        apis='"PhysicsDriveAPI:transY"',
        metadata=units,
    )
    assert drive_of(found).stiffness == pytest.approx(3)


def test_a_drive_that_has_nothing_to_push_is_reported(tmp_path: Path) -> None:
    members = ANGULAR.format("linear", "force")
    found = joint(tmp_path, "PhysicsRevoluteJoint", members, apis='"PhysicsDriveAPI:linear"')
    assert found.lost("/J") == ["a drive of linear"]


# --- ends and switches ---


def test_a_missing_body_is_the_world(tmp_path: Path) -> None:
    ends = """
    rel physics:body1 = </Arm>
    point3f physics:localPos0 = (0, 0, 7)
    """
    found = joint(
        tmp_path, "PhysicsFixedJoint", ends=ends, metadata='metersPerUnit = 1\nupAxis = "Z"'
    )
    frames = found.scene.joints[0]
    np.testing.assert_allclose(found.world("J A")[:3, 3], [0, 7, 0], atol=1e-12)
    assert found.scene.bodies[frames.a.body].node == -1
    assert only(found).frame_b == found.index("Arm")  # the frame is the body's own


def test_joints_of_nothing_are_left_out(tmp_path: Path) -> None:
    found = joint(tmp_path, "PhysicsFixedJoint", ends="")
    assert not found.physics.joints
    assert found.lost("/J") == ["a joint"]
    found = joint(tmp_path, "PhysicsFixedJoint", "bool physics:jointEnabled = 0")
    assert not found.physics.joints
    assert found.lost("/J") == ["a joint"]


def test_a_missing_target_is_reported(tmp_path: Path) -> None:
    ends = "rel physics:body0 = </Nowhere>\nrel physics:body1 = </Arm>"
    found = joint(tmp_path, "PhysicsFixedJoint", ends=ends)
    assert found.lost("/J") == ["body0 of a joint"]
    assert found.scene.joints


def test_switches_of_joints(tmp_path: Path) -> None:
    members = """
    bool physics:collisionEnabled = 1
    bool physics:excludeFromArticulation = 1
    float physics:breakForce = 100
    """
    found = joint(tmp_path, "PhysicsFixedJoint", members, apis='"PhysicsArticulationRootAPI"')
    assert only(found).enable_collision
    assert found.lost("/J") == ["a force that breaks it, 100"]


def test_two_joints_on_one_frame_get_a_node_each(tmp_path: Path) -> None:
    one = 'def PhysicsSphericalJoint "{}" {{ rel physics:body0 = </Arm> }}\n'
    found = read(tmp_path, BODIES + one.format("First") + one.format("Second"))
    assert len(found.scene.joints) == 2


PENDULUM = """
def Sphere "Bob" (apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
{
    float physics:mass = 2
    float3 physics:diagonalInertia = (1e-6, 1e-6, 1e-6)
    point3f physics:centerOfMass = (0, 0, 0)
    double3 xformOp:translate = (10, 0, -99.4987437)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
def PhysicsRevoluteJoint "Pivot"
{
    rel physics:body1 = </Bob>
    point3f physics:localPos1 = (-10, 0, 99.4987437)
    uniform token physics:axis = "Y"
}
"""


def test_a_pendulum_from_usd_keeps_time(tmp_path: Path) -> None:
    """One metre long, of 0.1 rad: its period is 2π√(l/g)(1 + θ²/16)."""
    found = read(tmp_path, PENDULUM, 'metersPerUnit = 0.01\nupAxis = "Z"')
    recording = lg.simulate(found.document, seconds=4.2, rate=240)
    place = recording.translation[:, 0]
    np.testing.assert_allclose(place[0], [0.1, -0.994987437, 0], atol=1e-6)
    # A joint of an engine gives way by less than a millimetre here.
    np.testing.assert_allclose(np.linalg.norm(place, axis=1), 1, atol=1e-3)
    swing = np.arctan2(place[:, 0], -place[:, 1])
    down = np.flatnonzero((swing[:-1] > 0) & (swing[1:] <= 0))
    times = recording.times[down] + swing[down] / (swing[down] - swing[down + 1]) / 240
    period = math.tau * math.sqrt(1 / 9.81) * (1 + np.arcsin(0.1) ** 2 / 16)
    # Steps of 1/240 s: the error of the period is of their second order, below 0.1 %.
    assert times[1] - times[0] == pytest.approx(period, rel=2e-3)
