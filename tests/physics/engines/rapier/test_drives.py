"""Drives: step responses, terminal speeds, limited forces, whole turns, and limits beside them."""

import dataclasses
import itertools
import math

import numpy as np
import pytest

from ligament.extensions.rigid_bodies import Drive, Limit
from ligament.physics import metrics
from ligament.physics.engines.rapier import RapierSettings
from ligament.transforms import rotate
from tests.physics.engines.rapier.joined import (
    BALL,
    Run,
    fixed,
    hinge,
    joined_at,
    make_body,
    make_joint,
    random_rotation,
    slider,
)
from tests.physics.engines.rapier.oscillators import damped
from tests.sampling import sample

STEP = 1 / 60
ABOUT_Z = Limit(angular_axes=(2,))
ALONG_X = Limit(linear_axes=(0,))


def drive(kind="angular", mode="force", axis=2, **values):
    return Drive(type=kind, mode=mode, axis=axis, **values)


def driven(seed, limits, drives, *, arm=1.0, inertia=0.1, iterations=16):
    """A body of 1 kg, `arm` [m] from a joint to the world at a random pose."""
    rng = np.random.default_rng(seed)
    at, turn = rng.normal(size=3), random_rotation(rng)
    place = at + rotate(turn, [arm, 0.0, 0.0])
    body = make_body(at=place, turn=random_rotation(rng), inertia=(inertia,) * 3)
    bodies = [fixed(rng.normal(size=3), random_rotation(rng)), body]
    joint = joined_at(bodies, 0, 1, at, turn, limits, drives)
    return Run(bodies, [joint], RapierSettings(iterations=iterations)), turn


def times(count):
    return STEP * np.arange(1, count + 1)


GAINS = [(10, 1), (100, 2), (100, 20), (300, 30)]


@pytest.mark.parametrize(
    ("gains", "inertia", "iterations"), sample(itertools.product(GAINS, [0.1, 1e-3], [4, 16]), 8)
)
def test_an_angular_drive_reaches_its_target_like_a_damped_oscillator(gains, inertia, iterations):
    stiffness, damping = gains
    motor = drive(position_target=0.5, stiffness=stiffness, damping=damping)
    run, _ = driven(1, hinge(2), [motor], inertia=inertia, iterations=iterations)
    values = run.follow(120, ABOUT_Z)
    expected = damped(times(120), 0.0, 0.5, stiffness=stiffness, damping=damping, mass=1 + inertia)
    np.testing.assert_allclose(values, expected, atol=0.03 * 0.5)


@pytest.mark.parametrize("iterations", [4, 16])
@pytest.mark.parametrize(("stiffness", "damping"), [(10, 1), (100, 2), (100, 20)])
def test_a_linear_drive_reaches_its_target_like_a_damped_oscillator(stiffness, damping, iterations):
    motor = drive("linear", axis=0, position_target=0.5, stiffness=stiffness, damping=damping)
    run, _ = driven(2, slider(0), [motor], iterations=iterations)
    values = run.follow(120, ALONG_X)
    expected = damped(times(120), 0.0, 0.5, stiffness=stiffness, damping=damping, mass=1.0)
    np.testing.assert_allclose(values, expected, atol=0.03 * 0.5)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("limits", "motor", "limit"),
    [
        (hinge(2), drive(mode="acceleration"), ABOUT_Z),
        (slider(0), drive("linear", "acceleration", 0), ALONG_X),
    ],
    ids=["hinge", "slider"],
)
def test_acceleration_mode_of_two_moving_bodies_has_unit_mass(limits, motor, limit, seed):
    rng = np.random.default_rng(seed)
    at, turn = rng.normal(size=3), random_rotation(rng)
    bodies = [
        make_body(at=at + rotate(turn, [-0.6, 0, 0]), mass=3.0, inertia=(0.4,) * 3),
        make_body(at=at + rotate(turn, [0.8, 0.1, 0]), mass=1.0, inertia=(0.01,) * 3),
    ]
    # A mass that changes with the pose has forces of its own; they go with the square of this.
    target = 0.05
    motor = dataclasses.replace(motor, position_target=target, stiffness=100.0, damping=2.0)
    run = Run(bodies, [joined_at(bodies, 0, 1, at, turn, limits, [motor])])
    values = run.follow(120, limit)
    expected = damped(times(120), 0.0, target, stiffness=100.0, damping=2.0, mass=1.0)
    np.testing.assert_allclose(values, expected, atol=0.03 * target)


def test_acceleration_mode_follows_an_effective_mass_that_changes():
    """Two arms in line resist more than two that are folded; the response stays the same."""
    for fold in (0.0, 2.0):
        first = make_body(at=(-0.5, 0, 0), inertia=(0.02,) * 3)
        second = make_body(at=(0.5, 0, 0), inertia=(0.02,) * 3)
        bodies = [first, second]
        motor = drive(mode="acceleration", position_target=fold, stiffness=400.0, damping=40.0)
        run = Run(bodies, [joined_at(bodies, 0, 1, (0, 0, 0), (0, 0, 0, 1), hinge(2), [motor])])
        run.follow(240, ABOUT_Z)
        run.engine.set_drive_target(0, 0, fold + 0.05, 0.0)
        values = run.follow(60, ABOUT_Z)
        expected = damped(times(60), fold, fold + 0.05, stiffness=400, damping=40, mass=1.0)
        np.testing.assert_allclose(values, expected, atol=0.03 * 0.05)


@pytest.mark.parametrize("seed", range(3))
def test_terminal_speed_balances_load_and_damping(seed):
    motor = drive("linear", axis=0, velocity_target=0.5, damping=10.0)
    run, turn = driven(seed, slider(0), [motor], arm=0.4)
    load = rotate(turn, [3.0, 0, 0])
    values = run.follow(240, ALONG_X, push=lambda run: run.engine.apply_force(1, load))
    assert (values[-1] - values[-61]) / (60 * STEP) == pytest.approx(0.8, rel=0.01)
    motor = drive(axis=2, velocity_target=5.0, damping=2.0)
    run, turn = driven(seed, hinge(2), [motor], arm=0.0, inertia=0.2)
    twist = rotate(turn, [0, 0, 3.0])
    run.follow(240, ABOUT_Z, push=lambda run: run.engine.apply_torque(1, twist))
    assert np.linalg.norm(run.engine.state().angular_velocity[1]) == pytest.approx(6.5, rel=0.01)


def test_position_and_velocity_targets_add_up():
    motor = drive(position_target=0.4, velocity_target=1.0, stiffness=50.0, damping=10.0)
    run, _ = driven(4, hinge(2), [motor])
    assert run.follow(400, ABOUT_Z)[-1] == pytest.approx(0.4 + 10.0 / 50.0, rel=1e-3)


@pytest.mark.parametrize("mode", ["force", "acceleration"])
@pytest.mark.parametrize("inertia", [0.1, 1e-3])
def test_force_never_exceeds_its_maximum(mode, inertia):
    motor = drive(mode=mode, position_target=3.0, stiffness=1000.0, damping=10.0, max_force=0.5)
    run, _ = driven(5, hinge(2), [motor], inertia=inertia)
    values = run.follow(60, ABOUT_Z)
    expected = 0.5 * 0.5 / (1 + inertia) * times(60) ** 2
    np.testing.assert_allclose(values[10:], expected[10:], rtol=0.01)


def test_a_motor_that_is_too_weak_does_not_lift():
    """Just under and just over the weight."""
    for force, rises in ((9.7, False), (9.9, True)):
        motor = drive("linear", axis=1, position_target=1.0, stiffness=1e4, max_force=force)
        body = make_body()
        floor = slider(1, minimum=0.0)
        run = Run([fixed(), body], [make_joint(0, 1, floor, [motor])], gravity=(0, -9.81, 0))
        assert bool(run.follow(120, Limit(linear_axes=(1,)))[-1] > 0.05) is rises


@pytest.mark.parametrize("target", [4.0, -10.0, 20.0])
@pytest.mark.parametrize("limits", [hinge(2), BALL], ids=["hinge", "ball"])
def test_targets_may_be_several_turns_away(limits, target):
    motor = drive(position_target=target, stiffness=5.0, damping=1.0)
    run = Run([fixed(), make_body(inertia=(0.2,) * 3)], [make_joint(0, 1, limits, [motor])])
    values = metrics.unwrap(run.follow(300, ABOUT_Z), 0.0)
    expected = damped(times(300), 0.0, target, stiffness=5.0, damping=1.0, mass=0.2)
    np.testing.assert_allclose(values, expected, atol=0.03 * abs(target))


@pytest.mark.parametrize("targets", [(0.5, -0.3, 0.2), (1.0, 0.6, -0.8), (2.0, 1.0, 0.5)])
def test_several_angular_drives_each_reach_their_twist(targets):
    motors = [
        drive(axis=axis, position_target=target, stiffness=20.0, damping=3.0)
        for axis, target in enumerate(targets)
    ]
    run = Run([fixed(), make_body(inertia=(0.2, 0.25, 0.3))], [make_joint(0, 1, BALL, motors)])
    for _ in range(400):
        run.engine.step()
    reached = [run.measure(Limit(angular_axes=(axis,))) for axis in range(3)]
    np.testing.assert_allclose(reached, targets, atol=1e-3)


@pytest.mark.parametrize(("stiffness", "damping"), [(100.0, 5.0), (0.0, 1e5)])
@pytest.mark.parametrize(
    ("limits", "kind"),
    [
        (hinge(2, minimum=-0.5, maximum=0.6), "angular"),
        (slider(0, minimum=-0.5, maximum=0.6), "linear"),
    ],
    ids=["hinge", "slider"],
)
def test_a_limit_is_stronger_than_a_drive(limits, kind, stiffness, damping):
    axis = 2 if kind == "angular" else 0
    motor = drive(
        kind,
        axis=axis,
        position_target=2.0,
        velocity_target=3.0,
        stiffness=stiffness,
        damping=damping,
    )
    run, _ = driven(6, limits, [motor], arm=0.5)
    values = run.follow(120, limits[-1])
    # Where rounding puts the bound a hair away, the motor of 3 rad/s moves freely for one substep.
    within = 3.0 / 960 if damping > 5 else 0.0
    assert values.max() < 0.6 + within + 1e-3
    assert values[-1] == pytest.approx(0.6, abs=within + 1e-3)


def test_drives_without_effect_are_left_out():
    idle = [
        drive(position_target=1.0, stiffness=10.0, max_force=0.0),
        drive(position_target=1.0),
        drive("linear", axis=0, position_target=1.0, stiffness=10.0),
    ]
    run, _ = driven(7, hinge(2), idle)
    assert run.follow(60, ABOUT_Z)[-1] == pytest.approx(0.0, abs=1e-6)


def test_new_targets_and_snapshots_of_them():
    motor = drive(position_target=0.0, stiffness=30.0, damping=8.0)
    run, _ = driven(8, hinge(2), [motor], inertia=1e-3)
    run.engine.set_drive_target(0, 0, 0.7, 0.0)
    run.follow(20, ABOUT_Z)
    saved = run.engine.snapshot()
    expected = run.follow(100, ABOUT_Z)
    assert expected[-1] == pytest.approx(0.7, rel=0.01)
    run.engine.set_drive_target(0, 0, -0.7, 0.0)
    run.follow(100, ABOUT_Z)
    run.engine.restore(saved)
    np.testing.assert_array_equal(run.follow(100, ABOUT_Z), expected)


def test_rate_of_a_motor_is_exact_over_many_turns():
    motor = drive(velocity_target=2 * math.pi, damping=50.0)
    run, _ = driven(9, hinge(2), [motor], arm=0.0)
    values = metrics.unwrap(run.follow(300, ABOUT_Z), 0.0)
    assert values[-1] - values[59] == pytest.approx(4 * 2 * math.pi, rel=0.01)
