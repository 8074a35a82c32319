"""Animated motions: each member of a body that an animation may change, against a closed form."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ligament as lg
from ligament.gltf import Document
from tests.play.files import CUBE, FLOOR, animate_pointer, node, physics_file

MOTION = "/nodes/0/extensions/KHR_physics_rigid_bodies/motion"
G = 9.81
STEP = "STEP"


def body(**motion: Any) -> Document:
    return physics_file(node("Body", motion={"mass": 1, "inertiaDiagonal": [1, 1, 1], **motion}))


def weightless(**motion: Any) -> Document:
    return body(gravityFactor=0, **motion)


def pushed(
    document: Document, *, force: Any = (0, 0, 0), torque: Any = (0, 0, 0)
) -> list[lg.Simulation]:
    """Push for two seconds; returns (linear, angular) velocities after one and after two."""
    sim, seen = lg.Simulation(document), []
    for _ in range(2):
        for _ in range(60):
            sim.apply_force(0, force)
            sim.apply_torque(0, torque)
            sim.step()
        seen.append((sim.linear_velocity[0], sim.angular_velocity[0]))
    return seen


@pytest.mark.parametrize(("interpolation", "speed"), [(STEP, G), ("LINEAR", G / 2)])
def test_without_gravity_the_velocity_is_constant(interpolation, speed):
    document = body()
    animate_pointer(document, f"{MOTION}/gravityFactor", [0, 1], [1, 0], interpolation)
    found = lg.simulate(document, seconds=2).linear_velocity[60:, 0, 1]
    assert found == pytest.approx(-speed, rel=1e-4)


def test_gravity_wakes_what_floats():
    document = weightless()
    animate_pointer(document, f"{MOTION}/gravityFactor", [0, 3], [0, 1], STEP)
    assert lg.simulate(document, seconds=4).linear_velocity[-1, 0, 1] == pytest.approx(-G, rel=1e-3)


def test_a_body_that_becomes_kinematic_keeps_its_velocity():
    document = body()
    animate_pointer(document, f"{MOTION}/isKinematic", [0, 1], [False, True])
    recording = lg.simulate(document, seconds=2)
    assert recording.linear_velocity[60:, 0, 1] == pytest.approx(-G, rel=1e-4)
    fallen = recording.translation[60, 0, 1] - recording.translation[-1, 0, 1]
    assert fallen == pytest.approx(G, rel=1e-4)


def test_a_body_that_is_no_longer_kinematic_falls_on_at_its_velocity():
    document = body(linearVelocity=[1, 0, 0], angularVelocity=[0, 2, 0])
    animate_pointer(document, f"{MOTION}/isKinematic", [0, 1], [True, False])
    recording = lg.simulate(document, seconds=2)
    assert recording.translation[60, 0] == pytest.approx([1, 0, 0], abs=1e-5)
    assert recording.linear_velocity[-1, 0] == pytest.approx([1, -G, 0], abs=1e-3)
    assert recording.angular_velocity[-1, 0] == pytest.approx([0, 2, 0], abs=1e-4)
    assert recording.translation[-1, 0] == pytest.approx([2, -G / 2, 0], rel=0.02, abs=1e-3)


def test_another_mass_keeps_the_velocity():
    document = weightless()
    animate_pointer(document, f"{MOTION}/mass", [0, 1], [1, 2], STEP)
    (first, _), (second, _) = pushed(document, force=(10, 0, 0))
    assert first == pytest.approx([10, 0, 0], abs=1e-3)
    assert second == pytest.approx([15, 0, 0], abs=1e-3)


def test_computed_inertia_follows_the_mass():
    document = physics_file(node("Body", motion={"mass": 1, "gravityFactor": 0}, shape=1))
    animate_pointer(document, f"{MOTION}/mass", [0, 1], [1, 2], STEP)
    (_, first), (_, second) = pushed(document, torque=(0, 1, 0))  # a cube of 1 m: I = m / 6
    assert first[1] == pytest.approx(6, rel=1e-3)
    assert second[1] == pytest.approx(9, rel=1e-3)


@pytest.mark.parametrize("kinematic", [False, True])
def test_the_new_centre_of_mass_moves_as_that_point_did(kinematic):
    motion = {"isKinematic": True} if kinematic else {}
    document = weightless(angularVelocity=[0, 0, 2], centerOfMass=[0, 0, 0], **motion)
    animate_pointer(document, f"{MOTION}/centerOfMass", [0, 1], [[0, 0, 0], [1, 0, 0]], STEP)
    recording = lg.simulate(document, seconds=2)
    arm = np.array([np.cos(2), np.sin(2), 0])  # of the new centre, after a turn of 2 rad
    velocity = np.cross([0, 0, 2], arm)
    assert recording.translation[60, 0] == pytest.approx([0, 0, 0], abs=1e-5)
    assert recording.linear_velocity[-1, 0] == pytest.approx(velocity, abs=1e-3)
    center = arm + velocity - [np.cos(4), np.sin(4), 0]
    assert recording.translation[-1, 0] == pytest.approx(center, abs=2e-3)


def test_another_inertia_keeps_the_angular_velocity():
    document = weightless()
    animate_pointer(document, f"{MOTION}/inertiaDiagonal", [0, 1], [[1, 1, 1], [1, 1, 4]], STEP)
    (_, first), (_, second) = pushed(document, torque=(0, 0, 2))
    assert first == pytest.approx([0, 0, 2], abs=1e-3)
    assert second == pytest.approx([0, 0, 2.5], abs=1e-3)


def test_the_principal_axes_turn():
    document = body(gravityFactor=0, inertiaDiagonal=[1, 1, 4])
    turns = [[0, 0, 0, 1], [0.5**0.5, 0, 0, 0.5**0.5]]  # z becomes y
    animate_pointer(document, f"{MOTION}/inertiaOrientation", [0, 1], turns, STEP)
    (_, first), (_, second) = pushed(document, torque=(0, 0, 2))
    assert first == pytest.approx([0, 0, 0.5], abs=1e-3)
    assert second == pytest.approx([0, 0, 2.5], abs=1e-3)


@pytest.mark.parametrize("kinematic", [False, True])
def test_the_pose_is_the_integral_of_the_velocity(kinematic):
    document = weightless(isKinematic=kinematic)
    animate_pointer(document, f"{MOTION}/linearVelocity", [0, 1], [[0, 0, 0], [2, 0, 0]])
    recording = lg.simulate(document, seconds=2)
    times = recording.times
    expected = np.where(times < 1, times**2, 2 * times - 1)
    assert recording.translation[:, 0, 0] == pytest.approx(expected, abs=1e-4)
    assert recording.linear_velocity[-1, 0] == pytest.approx([2, 0, 0], abs=1e-5)


@pytest.mark.parametrize("kinematic", [False, True])
def test_the_rotation_is_the_integral_of_the_angular_velocity(kinematic):
    document = weightless(isKinematic=kinematic)
    animate_pointer(document, f"{MOTION}/angularVelocity", [0, 1], [[0, 0, 0], [0, 2, 0]])
    recording = lg.simulate(document, seconds=1)
    angle = 2 * np.arctan2(recording.rotation[:, 0, 1], recording.rotation[:, 0, 3])
    assert angle == pytest.approx(recording.times**2, abs=1e-4)


def test_velocities_are_in_the_space_of_the_node():
    document = weightless(isKinematic=True)
    document.json["nodes"][0]["rotation"] = [0, 0, 0.5**0.5, 0.5**0.5]
    animate_pointer(document, f"{MOTION}/linearVelocity", [0, 1], [[3, 0, 0], [3, 0, 0]])
    found = lg.simulate(document, seconds=1).translation[-1, 0]
    assert found == pytest.approx([0, 3, 0], abs=1e-5)


def test_forces_act_again_when_the_keys_of_a_velocity_have_ended():
    document = body()
    animate_pointer(document, f"{MOTION}/linearVelocity", [0, 1], [[1, 0, 0], [1, 0, 0]])
    velocity = lg.simulate(document, seconds=2).linear_velocity[:, 0]
    assert abs(velocity[1:60, 1]).max() < G / 50  # set again in every step
    assert velocity[-1] == pytest.approx([1, -G, 0], abs=0.2)


def test_a_load_falls_with_its_kinematic_body_when_released():
    document = physics_file(
        node("Shelf", at=(0, 3, 0), motion={"mass": 1, "isKinematic": True}, shape=CUBE),
        node("Box", at=(0, 4, 0), motion={"mass": 1}, shape=CUBE),
        node("Floor", at=(0, -0.5, 0), shape=FLOOR),
    )
    animate_pointer(document, f"{MOTION}/isKinematic", [0, 1], [True, False])
    height = lg.simulate(document, seconds=4).translation[:, :, 1]
    assert height[59] == pytest.approx([3, 4], abs=1e-3)
    assert height[-1] == pytest.approx([0.5, 1.5], abs=0.01)
