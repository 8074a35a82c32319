"""Animated joints: each member of limits and drives, and whether joined bodies collide."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ligament as lg
from ligament.gltf import Document
from ligament.options.names import ENGINES
from ligament.recording import save_recording
from tests.play.files import CUBE, animate_pointer, node, physics_file

JOINT = "/extensions/KHR_physics_rigid_bodies/physicsJoints/0"
DRIVE = {"type": "linear", "mode": "force", "axis": 0}
G = 9.81
STEP = "STEP"


def slider(
    *limits: dict[str, Any], drive: dict[str, Any] | None = None, cars: int = 1, **motion: Any
) -> Document:
    """Cars of 1 kg that a post holds on its X axis; the limits measure the post in the car."""
    locks = [
        {"linearAxes": [1, 2], "min": 0, "max": 0},
        {"angularAxes": [0, 1, 2], "min": 0, "max": 0},
    ]
    motion = {"mass": 1, "inertiaDiagonal": [1, 1, 1], "gravityFactor": 0, **motion}
    joined = {"connectedNode": 0, "joint": 0}
    nodes = [node(f"Car {i}", motion=motion, joint=joined) for i in range(cars)]
    drives = {"drives": [DRIVE | drive]} if drive else {}
    return physics_file(node("Post"), *nodes, joints=[{"limits": locks + list(limits)} | drives])


def places(document: Document, seconds: float = 2.0, **options: Any) -> Any:
    """Return the coordinate of the post in each car over time."""
    return -lg.simulate(document, seconds=seconds, **options).translation[:, :, 0]


RANGE = {"linearAxes": [0], "min": -1, "max": 1}


@pytest.mark.parametrize(("member", "keys"), [("min", [-1, 0.5]), ("max", [1, -0.5])])
def test_a_bound_that_moves_carries_what_is_at_it(member, keys):
    document = slider(RANGE)
    animate_pointer(document, f"{JOINT}/limits/2/{member}", [0, 1], keys)
    recording = lg.simulate(document, seconds=2)
    bound = np.interp(recording.times, [0, 1], keys)
    inside = np.maximum(bound, 0) if member == "min" else np.minimum(bound, 0)
    limit = recording.limits[2]
    assert limit.value == pytest.approx(inside, abs=1e-5)
    assert limit.violation.max() < 1e-5


@pytest.mark.parametrize("member", ["min", "max"])
def test_a_bound_that_jumps_throws_nothing(member):
    document, sign = slider(RANGE), 1 if member == "min" else -1
    animate_pointer(document, f"{JOINT}/limits/2/{member}", [0, 1], [-sign, sign * 0.5], STEP)
    recording = lg.simulate(document, seconds=2)
    place = sign * recording.limits[2].value
    assert place[60] == pytest.approx(0, abs=1e-6)
    assert np.diff(place).max() < 2.1 / 60  # it is approached at 2 m/s
    assert place[-1] == pytest.approx(0.5, abs=1e-5)
    assert abs(recording.linear_velocity).max() < 1e-3


@pytest.mark.parametrize("axes", [[2], [0, 1], [0, 1, 2]])
def test_bounds_of_angles_move_too(axes):
    document = slider()
    locks = [{"linearAxes": [0, 1, 2], "min": 0, "max": 0}]
    if axes == [2]:
        locks.append({"angularAxes": [0, 1], "min": 0, "max": 0})
    limit = {"angularAxes": axes, "min": -1 if axes == [2] else 0, "max": 1}
    own = document.json["extensions"]["KHR_physics_rigid_bodies"]
    own["physicsJoints"] = [{"limits": [*locks, limit]}]
    axis = 2 if axes == [2] else 1
    turn = [0.0, 0.0, 0.0, float(np.cos(0.4))]
    turn[axis] = -float(np.sin(0.4))
    document.json["nodes"][1]["rotation"] = turn
    animate_pointer(document, f"{JOINT}/limits/{len(locks)}/max", [0, 1], [1, 0.2])
    recording = lg.simulate(document, seconds=1.5)
    expected = np.minimum(0.8, np.interp(recording.times, [0, 1], [1, 0.2]))
    assert recording.limits[-1].value == pytest.approx(expected, abs=2e-4)


def test_reported_bounds_are_those_of_the_time(tmp_path):
    document = slider(RANGE)
    animate_pointer(document, f"{JOINT}/limits/2/min", [0, 1], [-1, 0.5])
    recording = lg.simulate(document, seconds=1)
    save_recording(recording, tmp_path / "r.npz")
    arrays = np.load(tmp_path / "r.npz")
    assert arrays["limit_min"].tolist() == [0, 0, -1]
    assert arrays["limit_min_at"][:, 2] == pytest.approx(
        np.interp(recording.times, [0, 1], [-1, 0.5])
    )
    assert (arrays["limit_max_at"][:, 2] == 1).all()


def test_a_shared_description_changes_every_joint():
    document = slider(RANGE, cars=3)
    animate_pointer(document, f"{JOINT}/limits/2/min", [0, 1], [-1, 0.5])
    assert places(document)[-1] == pytest.approx([0.5] * 3, abs=1e-5)


SOFT = {"linearAxes": [0], "min": 0, "max": 0}


def test_a_softer_limit_is_pressed_in_further():
    document = slider(SOFT | {"stiffness": 400, "damping": 40}, gravityFactor=1)
    animate_pointer(document, f"{JOINT}/limits/2/stiffness", [0, 2], [400, 100], STEP)
    place = places(document, 4, gravity=(G, 0, 0))[:, 0]
    assert -place[118] == pytest.approx(G / 400, rel=0.01)
    assert -place[-1] == pytest.approx(G / 100, rel=0.01)


def test_the_damping_of_a_limit_brakes():
    document = slider(SOFT | {"stiffness": 1e-3, "damping": 0}, linearVelocity=[1, 0, 0])
    animate_pointer(document, f"{JOINT}/limits/2/damping", [0, 1], [0, 2], STEP)
    velocity = lg.simulate(document, seconds=2).linear_velocity[:, 0, 0]
    assert velocity[60] == pytest.approx(1, abs=2e-3)
    assert velocity[90] == pytest.approx(np.exp(-1), rel=0.02)
    assert velocity[120] == pytest.approx(np.exp(-2), rel=0.02)


def test_a_target_that_moves_is_followed_with_a_lag():
    document = slider(drive={"stiffness": 100, "damping": 20, "positionTarget": 0})
    animate_pointer(document, f"{JOINT}/drives/0/positionTarget", [0, 4], [0, 4])
    assert places(document, 4)[-1, 0] == pytest.approx(4 - 20 * 1 / 100, abs=2e-3)  # c v / k


def test_a_target_velocity_that_grows_is_followed_with_a_lag():
    document = slider(drive={"damping": 20, "velocityTarget": 0})
    animate_pointer(document, f"{JOINT}/drives/0/velocityTarget", [0, 2], [0, 2])
    velocity = -lg.simulate(document, seconds=2).linear_velocity[-1, 0, 0]
    assert velocity == pytest.approx(2 - 1 * 1 / 20, abs=2e-3)  # m a / c


def test_the_stiffness_of_a_drive():
    document = slider(drive={"stiffness": 400, "damping": 40}, gravityFactor=1)
    animate_pointer(document, f"{JOINT}/drives/0/stiffness", [0, 2], [400, 100], STEP)
    place = places(document, 4, gravity=(G, 0, 0))[:, 0]
    assert -place[118] == pytest.approx(G / 400, rel=0.01)
    assert -place[-1] == pytest.approx(G / 100, rel=0.01)


def test_the_damping_of_a_drive():
    document = slider(drive={"damping": 20}, gravityFactor=1)
    animate_pointer(document, f"{JOINT}/drives/0/damping", [0, 1], [20, 10], STEP)
    velocity = lg.simulate(document, seconds=2, gravity=(G, 0, 0)).linear_velocity[:, 0, 0]
    assert velocity[60] == pytest.approx(G / 20, rel=0.01)
    assert velocity[-1] == pytest.approx(G / 10, rel=0.01)


def test_the_greatest_force_of_a_drive():
    document = slider(drive={"damping": 1e4, "velocityTarget": 100, "maxForce": 2})
    animate_pointer(document, f"{JOINT}/drives/0/maxForce", [0, 1], [2, 6], STEP)
    velocity = -lg.simulate(document, seconds=2).linear_velocity[:, 0, 0]
    assert velocity[60] == pytest.approx(2, rel=0.01)
    assert velocity[-1] == pytest.approx(8, rel=0.01)


@pytest.mark.parametrize("collide", [[False, True], [True, False]])
def test_joined_bodies_collide_while_they_are_to(collide):
    joined = {"connectedNode": 0, "joint": 0, "enableCollision": collide[0]}
    document = physics_file(
        node("Floor", shape=CUBE),
        node("Box", at=(0, 1.2, 0), motion={"mass": 1}, shape=CUBE, joint=joined),
        joints=[{"limits": [{"linearAxes": [0, 2], "min": 0, "max": 0}]}],
    )
    pointer = "/nodes/1/extensions/KHR_physics_rigid_bodies/joint/enableCollision"
    first, time = (0.15, 1.0) if collide[1] else (1.0, 1.3)
    animate_pointer(document, pointer, [0, first], collide)
    recording = lg.simulate(document, seconds=time + 0.7)
    height = recording.translation[:, 0, 1]
    if collide[1]:
        assert height[-1] == pytest.approx(1, abs=0.01)
    else:
        assert height[60] == pytest.approx(1, abs=0.01)
        assert height[-1] == pytest.approx(1 - G / 2, rel=0.03)


def test_a_target_given_by_hand_stays_while_gains_are_animated():
    document = slider(drive={"stiffness": 100, "damping": 20, "positionTarget": 0})
    animate_pointer(document, f"{JOINT}/drives/0/stiffness", [0, 2], [100, 200])
    sim = lg.Simulation(document)
    sim.set_drive_target(1, position=0.3)
    for _ in range(180):
        sim.step()
    assert -sim.translation[0, 0] == pytest.approx(0.3, abs=1e-3)


@pytest.mark.parametrize("kind", ["linear", "angular"])
def test_a_range_may_close_to_a_lock_and_open_again(kind):
    is_linear = kind == "linear"
    locks = [
        {"linearAxes": [1, 2] if is_linear else [0, 1, 2], "min": 0, "max": 0},
        {"angularAxes": [0, 1, 2] if is_linear else [1, 2], "min": 0, "max": 0},
    ]
    document = slider()
    own = document.json["extensions"]["KHR_physics_rigid_bodies"]
    own["physicsJoints"] = [{"limits": [*locks, {f"{kind}Axes": [0], "min": 0, "max": 0}]}]
    times = [0, 0.5, 1, 1.5, 2]
    animate_pointer(document, f"{JOINT}/limits/2/min", times, [0, 0.5, 0.5, -0.5, 0])
    animate_pointer(document, f"{JOINT}/limits/2/max", times, [0, 0.5, 1, 0.5, 0])
    limit = lg.simulate(document, seconds=2.5).limits[2]
    assert limit.violation.max() < 1e-5
    assert limit.value[[30, 60, 90, 120]] == pytest.approx([0.5, 0.5, 0.5, 0], abs=1e-5)


def test_a_joint_holds_on_when_its_kinematic_body_is_let_go():
    joined = {"connectedNode": 0, "joint": 0}
    arm = {"mass": 1, "inertiaDiagonal": [0.1] * 3, "centerOfMass": [1, 0, 0]}
    document = physics_file(
        node("Hook", motion={"mass": 1, "inertiaDiagonal": [1, 1, 1], "isKinematic": True}),
        node("Arm", motion=arm, joint=joined),
        joints=[{"limits": [{"linearAxes": [0, 1, 2], "min": 0, "max": 0}]}],
    )
    pointer = "/nodes/0/extensions/KHR_physics_rigid_bodies/motion/isKinematic"
    animate_pointer(document, pointer, [0, 0.5], [True, False])
    recording = lg.simulate(document, seconds=1)
    assert abs(np.diff(recording.translation, axis=1)).max() < 1e-4
    assert abs(recording.translation[:30, 0]).max() == 0
    mean = recording.linear_velocity[:, :, 1].mean(axis=1)
    assert mean[-1] - mean[30] == pytest.approx(-G / 2, rel=0.01)  # both fall as one


def test_effort_is_chosen_for_the_stiffest_that_a_spring_gets():
    soft, stiff = (
        slider(RANGE | {"stiffness": k, "damping": 1}).json["extensions"] for k in (10, 1e5)
    )
    animated, given = slider(), slider()
    animated.json["extensions"], given.json["extensions"] = soft, stiff
    animate_pointer(animated, f"{JOINT}/limits/2/stiffness", [0, 10], [10, 1e5])
    found, wanted = (lg.Simulation(each).engine for each in (animated, given))
    assert found.substeps >= wanted.substeps > 1
    assert found.settings.iterations >= wanted.settings.iterations


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("quality", ["fast", "exact"])
@pytest.mark.parametrize("mode", ["LINEAR", STEP])
def test_bounds_that_narrow_pull_back_over_whole_turns(engine, quality, mode):
    """A wheel at 7 rad whose bound comes back to 1 rad turns back by 6."""
    limits = [
        {"linearAxes": [0, 1, 2], "min": 0, "max": 0},
        {"angularAxes": [0, 1], "min": 0, "max": 0},
        {"angularAxes": [2], "min": -7, "max": 7},
    ]
    motion = {"mass": 1, "inertiaDiagonal": [0.1] * 3, "gravityFactor": 0}
    document = physics_file(
        node("Post", joint={"connectedNode": 1, "joint": 0}),
        node("Wheel", motion={**motion, "angularVelocity": [0, 0, 7]}),
        joints=[{"limits": limits}],
    )
    animate_pointer(document, f"{JOINT}/limits/2/max", [1.5, 4.5], [7, 1], mode)
    recording = lg.simulate(document, seconds=8, engine=engine, quality=quality)
    rotation = recording.rotation[:, list(recording.nodes).index(1)]
    angle = np.unwrap(2 * np.arctan2(rotation[:, 2], rotation[:, 3]))
    assert angle[90] == pytest.approx(7.0, abs=0.05)
    assert angle.max() < 7.05
    assert angle[-1] == pytest.approx(1.0, abs=0.03)
    assert recording.limits[2].value[-1] == pytest.approx(1.0, abs=0.03)
