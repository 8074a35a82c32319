"""Drives that only damp, about axes that rotate: torques, targets, and one engine joint for all."""

import numpy as np
import pytest

from ligament.extensions.rigid_bodies import Drive
from ligament.physics import metrics
from ligament.physics.engines.rapier import RapierSettings
from ligament.transforms import exp, multiply
from tests.physics.engines.rapier.joined import BALL, Run, fixed, make_body, make_joint

STEP, INERTIA = 1 / 240, 0.1
SETTINGS = RapierSettings(step=STEP, iterations=16)


def damper(axis, damping, velocity=0.0):
    return Drive(type="angular", mode="force", axis=axis, damping=damping, velocity_target=velocity)


def held(drives, spin=(0.0, 0.0, 0.0)):
    """A body that rotates about its centre, which a joint holds in place."""
    body = make_body(inertia=(INERTIA,) * 3, spin=spin)
    return Run([fixed(), body], [make_joint(0, 1, BALL, drives)], SETTINGS)


def engine_joints(run):
    return len(run.engine._world.impulse_joints)


def integrated(spin, drives, seconds, parts=8):
    """Rotation and angular velocity of such a body, with the gradient of every twist in time."""
    rotation, velocity = np.array([0.0, 0.0, 0.0, 1.0]), np.array(spin)
    step = STEP / parts

    def gained(rotation, velocity):
        total = np.zeros(3)
        for drive in drives:
            along = metrics.twist_gradient(metrics.shortest(rotation), drive.axis, np.zeros(3))
            rate = along @ velocity - drive.velocity_target
            total -= drive.damping * rate * along / INERTIA
        return total

    for _ in range(round(seconds / step)):
        middle = velocity + gained(rotation, velocity) * step / 2
        there = multiply(exp(middle * step / 2), rotation)
        velocity = velocity + gained(there, middle) * step
        rotation = multiply(exp(middle * step), rotation)
    return metrics.shortest(rotation), velocity


@pytest.mark.parametrize("seed", range(6))
def test_dampers_about_any_axes_brake_as_their_twists_do(seed):
    """Within 2 % of the angular velocity at the start, through swings of up to a right angle."""
    rng = np.random.default_rng(seed)
    spin = rng.normal(size=3)
    spin *= 2.5 / np.linalg.norm(spin)
    axes = rng.permutation(3)[: 1 + seed % 3].tolist()
    drives = [damper(axis, rng.uniform(0.02, 0.3)) for axis in axes]
    run = held(drives, spin)
    for seconds in (0.25, 0.5):
        run.follow(60, BALL[0])
        rotation, velocity = integrated(spin, drives, seconds)
        state = run.engine.state()
        np.testing.assert_allclose(state.angular_velocity[1], velocity, atol=0.02 * 2.5)
        assert abs(abs(state.rotation[1] @ rotation) - 1) < 1e-4


def test_dampers_drive_towards_velocities():
    """Two drives about one axis pull towards the mean of their targets, by their damping."""
    run = held([damper(0, 0.5, 1.0), damper(0, 0.5, 2.0), damper(2, 0.5)])
    run.follow(240, BALL[0])
    np.testing.assert_allclose(run.engine.state().angular_velocity[1], (1.5, 0, 0), atol=0.01)


def test_a_damper_takes_a_new_target():
    run = held([damper(1, 0.5), damper(2, 0.5)])
    run.engine.set_drive_target(0, 0, 0.0, 1.5)
    run.follow(480, BALL[0])
    np.testing.assert_allclose(run.engine.state().angular_velocity[1], (0, 1.5, 0), atol=0.01)


def test_all_dampers_of_a_joint_are_one_engine_joint():
    bare = engine_joints(held([]))
    assert engine_joints(held([damper(axis, 1.0) for axis in range(3)])) == bare + 1
    spring = Drive(type="angular", mode="force", axis=0, stiffness=5.0, damping=1.0)
    assert engine_joints(held([spring, damper(1, 1.0), damper(2, 1.0)])) == bare + 2


def test_dampers_go_on_from_a_snapshot_to_the_same_bits():
    drives = [damper(axis, 0.2 * (axis + 1)) for axis in range(3)]
    run = held(drives, (2.0, -1.0, 3.0))
    run.follow(20, BALL[0])
    run.engine.set_drive_target(0, 1, 0.0, -1.0)
    run.follow(7, BALL[0])
    saved = run.engine.snapshot()
    run.follow(50, BALL[0])
    first = np.concatenate(run.engine.state(), axis=1)
    for engine in (run.engine, held(drives, (2.0, -1.0, 3.0)).engine):
        engine.restore(saved)
        for _ in range(50):
            engine.step()
        assert np.array_equal(np.concatenate(engine.state(), axis=1), first)
