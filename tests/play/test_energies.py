"""Energies of recorded bodies, against closed forms and against what physics conserves."""

from __future__ import annotations

import math

import numpy as np
import pytest

import ligament as lg
from examples.building import Scene
from ligament.extensions.shapes import Capsule, Sphere
from tests.play.files import BALL, CUBE, animate, animate_pointer, node, physics_file
from tests.sampling import IS_SOAK

GRAVITY = 9.81
TURN = [0, 0, math.sin(0.4), math.cos(0.4)]
ASYMMETRIC = {
    "mass": 2,
    "inertiaDiagonal": [1, 2, 3],
    "inertiaOrientation": TURN,
    "centerOfMass": [0.1, 0, 0],
    "angularVelocity": [0.1, 3, 0.1],
    "gravityFactor": 0,
}


def total(recording):
    return (recording.kinetic_energy + recording.potential_energy).sum(axis=1)


def test_energies_at_the_start_are_those_of_the_textbook():
    motion = {
        **ASYMMETRIC,
        "linearVelocity": [1, 2, 3],
        "gravityFactor": 0.5,
    }
    # Turned by a quarter about Z: the centre of mass lies 0.1 m above the node.
    quarter = [0, 0, math.sqrt(0.5), math.sqrt(0.5)]
    doc = physics_file(node("Top", at=(0, 4, 0), rotation=quarter, motion=motion))
    recording = lg.simulate(doc, seconds=0)
    axes = np.array([[math.cos(0.8), math.sin(0.8), 0], [-math.sin(0.8), math.cos(0.8), 0]])
    along = [*(axes @ [0.1, 3, 0.1]), 0.1]
    turning = 0.5 * np.dot([1, 2, 3], np.square(along))
    assert recording.kinetic_energy.shape == recording.potential_energy.shape == (1, 1)
    assert recording.kinetic_energy[0, 0] == pytest.approx(0.5 * 2 * 14 + turning, rel=1e-6)
    assert recording.potential_energy[0, 0] == pytest.approx(0.5 * 2 * GRAVITY * 4.1, rel=1e-6)


def test_free_fall_keeps_its_energy_to_the_error_of_the_integrator():
    motion = {"mass": 2, "linearVelocity": [1, 3, 0]}
    doc = physics_file(node("Ball", at=(0, 2, 0), motion=motion, shape=BALL))
    for rate in (60, 240):
        recording = lg.simulate(doc, seconds=1, rate=rate)
        change = total(recording) - total(recording)[0]
        # Semi-implicit Euler is ahead by g·h·t/2, whatever the velocity, and so loses m·g²·h·t/2;
        # the solver takes the step in four parts.
        lost = 2 * GRAVITY**2 * recording.times / (2 * 4 * rate)
        assert change == pytest.approx(-lost, abs=1e-3)
    moved = np.ptp(recording.potential_energy)
    assert moved > 50 * np.abs(change).max()


def test_gravity_of_the_run_counts():
    doc = physics_file(node("Ball", at=(5, 2, 0), motion={"mass": 2}, shape=BALL))
    sideways = lg.simulate(doc, seconds=1, gravity=(3, 0, 0))
    assert sideways.potential_energy[0, 0] == pytest.approx(-2 * 3 * 5)
    assert total(sideways) == pytest.approx(total(sideways)[0], abs=2 * 9 / (8 * 60) + 1e-4)


def test_a_pendulum_trades_potential_for_kinetic_energy():
    doc = physics_file(
        node("Bob", at=(1, 0, 0), motion={"mass": 2}, shape=BALL, children=[1]),
        node("Eye", at=(-1, 0, 0)),
        node("Hook", joint={"connectedNode": 1, "joint": 0}),
        joints=[{"limits": [{"linearAxes": [0, 1, 2], "min": 0, "max": 0}]}],
    )
    recording = lg.simulate(doc, seconds=3)
    # It swings from beside the hook to below it, one metre down.
    assert recording.potential_energy.min() == pytest.approx(-2 * GRAVITY, rel=1e-3)
    assert recording.kinetic_energy.max() == pytest.approx(2 * GRAVITY, rel=0.02)
    # First order in the step: with h/4 = 1/240 s the energy of 1.5 swings stays within 2 %.
    assert np.ptp(total(recording)) < 0.02 * 2 * GRAVITY


def test_a_free_asymmetric_top_keeps_its_energy_while_it_tumbles():
    errors = []
    for rate in (60, 240):
        recording = lg.simulate(physics_file(node("Top", motion=ASYMMETRIC)), seconds=6, rate=rate)
        energy = recording.kinetic_energy[:, 0]
        errors.append(np.ptp(energy) / energy[0])
        # The axis of the middle moment is unstable: nothing about the rotation itself is steady.
        assert np.ptp(recording.angular_velocity[:, 0], axis=0).min() > 0.5
    assert max(errors) < 2e-4  # single precision: nothing touches it, so Euler's equations hold


def test_a_rope_that_swings_for_minutes_only_loses_energy():
    """Thin links spin fast; their gyroscopic forces once tore such a rope after 55 s."""
    scene = Scene()
    editor = lg.Editor(scene.document)
    scene.node("Hook", translation=[0, 0, 0])
    editor.add_body("Hook", collider=Sphere(0.05), kind="static")
    held = "Hook"
    for i in range(8):
        scene.node(f"Link {i}", translation=[0.1 + 0.2 * i, 0, 0])
        editor.add_body(f"Link {i}", collider=Capsule(0.1, 0.03, 0.03), mass=0.1)
        editor.ball(held, f"Link {i}", at=(0.2 * i, 0, 0))
        held = f"Link {i}"
    recording = lg.simulate(scene.document, seconds=75 if IS_SOAK else 30)
    weight = 8 * 0.1 * GRAVITY  # which falls by 0.8 m at first
    assert total(recording).max() - total(recording)[0] < 0.01 * weight * 0.8


def test_immovable_bodies_have_no_energy():
    fast = {"linearVelocity": [0, 0, 1], "angularVelocity": [0, 2, 0]}
    doc = physics_file(
        node("Heavy", at=(0, 9, 0), motion={"mass": 0, "inertiaDiagonal": [0, 0, 0], **fast}),
        node("Led", at=(9, 9, 0), motion={"isKinematic": True, "mass": 1, **fast}, shape=CUBE),
        node("Animated", at=(-9, 9, 0), motion={"mass": 1}, shape=CUBE),
        node("Upright", at=(0, 0, 9), motion={"mass": 1, "inertiaDiagonal": [0, 3, 0], **fast}),
    )
    animate(doc, 2, "translation", [0, 1], [[-9, 9, 0], [-9, 9, 5]])
    recording = lg.simulate(doc, seconds=1)
    assert np.isfinite(total(recording)).all()
    assert not recording.kinetic_energy[:, :3].any()
    assert not recording.potential_energy[:, :3].any()
    assert recording.kinetic_energy[0, 3] == pytest.approx(0.5 * 1 + 0.5 * 3 * 4)


def test_a_recording_without_bodies_has_no_energies():
    doc = physics_file(node("Still"))
    recording = lg.simulate(doc, seconds=1)
    assert recording.kinetic_energy.shape == (61, 0)
    assert recording.potential_energy.shape == (61, 0)


def test_energies_are_those_of_the_mass_that_a_body_has_then():
    motion = {"mass": 1, "linearVelocity": [2, 0, 0], "gravityFactor": 1}
    doc = physics_file(node("Ball", at=(0, 4, 0), motion=motion))
    own = "/nodes/0/extensions/KHR_physics_rigid_bodies/motion"
    animate_pointer(doc, f"{own}/mass", [0, 0.5], [1, 3], "STEP")
    recording = lg.simulate(doc, seconds=1)
    mass = np.where(recording.times <= 0.5 + 1e-9, 1.0, 3.0)
    square = (recording.linear_velocity[:, 0] ** 2).sum(axis=1)
    assert recording.kinetic_energy[:, 0] == pytest.approx(0.5 * mass * square)
    height = recording.translation[:, 0, 1]
    assert recording.potential_energy[:, 0] == pytest.approx(mass * GRAVITY * height)


def test_energies_of_what_grows_are_those_of_its_size():
    doc = physics_file(
        node("Ball", motion={"linearVelocity": [2, 0, 0], "gravityFactor": 0}, shape=BALL)
    )
    animate(doc, 0, "scale", [0, 1], [[1, 1, 1], [2, 2, 2]])
    recording = lg.simulate(doc, seconds=1)
    assert recording.kinetic_energy[-1, 0] == pytest.approx(
        8 * recording.kinetic_energy[0, 0], rel=0.1
    )


@pytest.mark.parametrize("kind", ["limit", "drive"])
def test_a_weight_on_a_spring_keeps_its_energy_with_the_share_of_the_spring(kind):
    stiffness, mass = 200.0, 2.0
    sides = [{"linearAxes": [axis], "min": 0, "max": 0} for axis in (0, 2)]
    sides.append({"angularAxes": [0, 1, 2], "min": 0, "max": 0})
    soft = {"linearAxes": [1], "min": 0, "max": 0, "stiffness": stiffness, "damping": 0}
    drive = {"type": "linear", "mode": "force", "axis": 1, "stiffness": stiffness, "damping": 0}
    drive |= {"positionTarget": 0, "velocityTarget": 0}
    spring = {"limits": [*sides, soft]} if kind == "limit" else {"limits": sides, "drives": [drive]}
    doc = physics_file(
        node("Weight", motion={"mass": mass}, shape=BALL, children=[1]),
        node("Eye"),
        node("Hook", joint={"connectedNode": 1, "joint": 0}),
        joints=[spring],
    )
    recording = lg.simulate(doc, seconds=2, rate=240)
    fallen = 2 * mass * GRAVITY / stiffness  # it swings about where it would hang
    swung = 0.5 * stiffness * fallen**2
    assert recording.spring_energy.shape == (481, 1)
    assert recording.spring_energy.max() == pytest.approx(swung, rel=0.02)
    change = total(recording) + recording.spring_energy.sum(axis=1)
    assert np.ptp(change - change[0]) < 0.03 * swung  # first order in the step
    assert np.ptp(total(recording)) > 0.9 * swung


def test_a_recording_without_springs_has_no_energy_in_them():
    doc = physics_file(node("Ball", motion={"mass": 1}, shape=BALL))
    recording = lg.simulate(doc, seconds=0.1)
    assert recording.spring_energy.shape == (7, 0)
    half = recording.frames(recording.times < 0.05)
    assert half.spring_energy.shape == (3, 0)
    assert half.local_translation.shape == (3, 1, 3)
