"""Bodies that touch nothing, against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ligament import transforms as tf
from ligament.extensions.rigid_bodies import Material
from tests.physics.engines.rapier.scenes import (
    DYNAMIC,
    KINEMATIC,
    STATIC,
    STEP,
    G,
    Maker,
    Sphere,
    about,
    box_mass,
    mass,
    run,
)

ITERATIONS = 4
SINGLE = 1e-5
"""Error of single precision, for numbers around one, after a few hundred steps."""


def test_free_fall_is_that_of_the_integrator() -> None:
    """Velocity is exact; the way is longer by half a substep's gain, g t h / 2."""
    maker = Maker()
    maker.body(Sphere(0.5), velocity=(1, 2, 0))
    engine = maker.start()
    run(engine, 1)
    state = engine.state()
    substep = STEP / ITERATIONS
    assert state.linear_velocity[0] == pytest.approx([1, 2 - G, 0], abs=1e-4)
    way = 2 - G / 2 - G * substep / 2
    assert state.translation[0] == pytest.approx([1, way, 0], abs=1e-4)


def test_gravity_factor_and_gravity() -> None:
    maker = Maker()
    for factor in (0, 0.5, -1):
        maker.body(Sphere(0.1), (factor * 10, 0, 0), gravity=factor)
    engine = maker.start(gravity=(0, 0, -2))
    run(engine, 1)
    expected = [[0, 0, 0], [0, 0, -1], [0, 0, 2]]
    np.testing.assert_allclose(engine.state().linear_velocity, expected, atol=SINGLE)


def test_gravity_may_change() -> None:
    maker = Maker()
    maker.body(Sphere(0.1))
    engine = maker.start()
    run(engine, 0.5)
    engine.gravity = (3.0, 0.0, 0.0)
    run(engine, 1)
    assert engine.gravity == (3.0, 0.0, 0.0)
    np.testing.assert_allclose(engine.state().linear_velocity, [[3, -G / 2, 0]], atol=1e-4)


def test_nothing_slow_is_stopped_in_empty_space() -> None:
    maker = Maker()
    maker.body(Sphere(0.1), velocity=(1e-3, 0, 0), gravity=0)
    maker.body(Sphere(0.1), (5, 0, 0), spin=(0, 1e-3, 0), gravity=0)
    maker.body(Sphere(0.1), (9, 0, 0), velocity=(0, 0, 1e-3), weight=mass(math.inf))
    engine = maker.start()
    run(engine, 10)
    state = engine.state()
    assert state.translation[0] == pytest.approx([0.01, 0, 0], rel=1e-4)
    assert state.angular_velocity[1] == pytest.approx([0, 1e-3, 0], rel=1e-3)
    assert state.translation[2] == pytest.approx([9, 0, 0.01], rel=1e-4)


def test_turning_about_the_center_of_mass() -> None:
    """The body frame circles a centre of mass that goes straight on."""
    maker = Maker()
    weight = mass(2.0, center=(0.5, 0, 0))
    maker.body(Sphere(0.1), velocity=(1, 0, 0), spin=(0, 0, 2), weight=weight)
    engine = maker.start(gravity=(0, 0, 0))
    run(engine, 1)
    state = engine.state()
    turn = about((0, 0, 1), 2)
    center = np.array([1.5, 0, 0])
    # The engine turns by 2 atan(w h / 2) instead of w h: 1e-5 at this speed.
    np.testing.assert_allclose(state.rotation[0], turn, atol=2e-5)
    np.testing.assert_allclose(
        state.translation[0], center - tf.rotate(turn, np.array([0.5, 0, 0])), atol=2e-5
    )
    np.testing.assert_allclose(state.linear_velocity[0], [1, 0, 0], atol=SINGLE)


def test_spin_of_an_asymmetric_body_keeps_its_momentum() -> None:
    """Torque-free: angular momentum is constant while the spin is not."""
    moments, turned = np.array([1.0, 2.0, 3.0]), about((1, 1, 0), 0.7)
    maker = Maker()
    spin = tf.rotate(turned, np.array([0.5, 2.0, 0.1]))
    maker.body(spin=spin, weight=mass(1.0, moments, orientation=turned))
    engine = maker.start(gravity=(0, 0, 0))
    frame = tf.to_matrix(turned)
    tensor = frame @ np.diag(moments) @ frame.T
    expected = tensor @ spin
    run(engine, 5)
    state = engine.state()
    rotation = tf.to_matrix(state.rotation[0])
    momentum = rotation @ tensor @ rotation.T @ state.angular_velocity[0]
    # First-order integration at 240 Hz; without gyroscopic terms the error is of the order of 1.
    np.testing.assert_allclose(momentum, expected, atol=0.03 * np.linalg.norm(expected))
    assert np.linalg.norm(state.angular_velocity[0] - spin) > 0.4


@pytest.mark.parametrize("ratio", [1, 10, 1000])
def test_elastic_collision_shares_momentum(ratio: float) -> None:
    bouncy = Material(0, 0, 1)
    maker = Maker()
    heavy = maker.body(
        Sphere(0.5), (-2, 0, 0), weight=mass(ratio), velocity=(5, 0, 0), material=bouncy
    )
    light = maker.body(Sphere(0.5), (2, 0, 0), weight=mass(1), material=bouncy)
    engine = maker.start(gravity=(0, 0, 0))
    run(engine, 2)
    velocity = engine.state().linear_velocity[:, 0]
    assert velocity[heavy] == pytest.approx(5 * (ratio - 1) / (ratio + 1), abs=1e-3)
    assert velocity[light] == pytest.approx(10 * ratio / (ratio + 1), abs=1e-3)


def test_infinite_mass_ignores_forces_and_keeps_its_velocity() -> None:
    maker = Maker()
    anvil = maker.body(Sphere(0.5), weight=mass(math.inf, (math.inf,) * 3), velocity=(1, 0, 0))
    ball = maker.body(Sphere(0.5), (3, 0, 0), weight=mass(1), gravity=0)
    engine = maker.start()
    for _ in range(180):
        engine.apply_force(anvil, np.array([0, 1e3, 0]))
        engine.apply_torque(anvil, np.array([0, 1e3, 0]))
        engine.step()
    state = engine.state()
    np.testing.assert_allclose(state.linear_velocity[anvil], [1, 0, 0], atol=SINGLE)
    np.testing.assert_allclose(state.angular_velocity[anvil], 0, atol=SINGLE)
    assert state.linear_velocity[ball][0] == pytest.approx(1, abs=0.02)


def test_infinite_inertia_is_per_axis() -> None:
    maker = Maker()
    body = maker.body(weight=mass(2, (math.inf, 0.5, math.inf)))
    engine = maker.start(gravity=(0, 0, 0))
    for _ in range(60):
        engine.apply_torque(body, np.array([3.0, 1.0, 2.0]))
        engine.apply_force(body, np.array([4.0, 0, 0]))
        engine.step()
    state = engine.state()
    np.testing.assert_allclose(state.angular_velocity[body], [0, 2, 0], atol=1e-3)
    np.testing.assert_allclose(state.linear_velocity[body], [2, 0, 0], atol=1e-4)


def test_infinite_inertia_along_turned_axes() -> None:
    """The free axis is the turned Y axis, which is the body's Z axis here."""
    maker = Maker()
    weight = mass(1, (math.inf, 0.25, math.inf), orientation=about((1, 0, 0), math.pi / 2))
    body = maker.body(weight=weight)
    engine = maker.start(gravity=(0, 0, 0))
    engine.apply_torque(body, np.array([1.0, 1.0, 1.0]))
    engine.step()
    np.testing.assert_allclose(engine.state().angular_velocity[body], [0, 0, 4 * STEP], atol=1e-5)


def test_speeds_are_not_capped() -> None:
    maker = Maker()
    maker.body(Sphere(0.1), velocity=(3000, 0, 0), spin=(0, 0, 500), weight=box_mass(1, (1, 1, 1)))
    engine = maker.start(gravity=(0, 0, 0))
    run(engine, 1)
    state = engine.state()
    assert state.translation[0] == pytest.approx([3000, 0, 0], rel=1e-4)
    assert state.linear_velocity[0] == pytest.approx([3000, 0, 0], rel=1e-4)
    # Symmetric, so that the gyroscopic terms of this spin are zero but for rounding.
    assert state.angular_velocity[0] == pytest.approx([0, 0, 500], rel=1e-3)


def test_force_lasts_one_step_and_impulse_acts_at_once() -> None:
    maker = Maker()
    pushed, kicked = maker.body(weight=mass(2)), maker.body(at=(5, 0, 0), weight=mass(2))
    engine = maker.start(gravity=(0, 0, 0))
    engine.apply_force(pushed, np.array([120.0, 0, 0]))
    engine.apply_impulse(kicked, np.array([0, 6.0, 0]))
    np.testing.assert_allclose(engine.state().linear_velocity, [[0, 0, 0], [0, 3, 0]], atol=SINGLE)
    run(engine, 1)
    np.testing.assert_allclose(engine.state().linear_velocity, [[1, 0, 0], [0, 3, 0]], atol=SINGLE)


def test_pushes_at_a_point_turn_about_the_center_of_mass() -> None:
    maker = Maker()
    weight = mass(2, (0.5, 0.5, 0.5), center=(1, 0, 0))
    pushed, kicked = maker.body(weight=weight), maker.body(at=(9, 0, 0), weight=weight)
    engine = maker.start(gravity=(0, 0, 0))
    engine.apply_force(pushed, np.array([0, 60.0, 0]), np.array([2.0, 0, 0]))
    engine.apply_impulse(kicked, np.array([0, 1.0, 0]), np.array([11.0, 0, 0]))
    engine.step()
    state = engine.state()
    np.testing.assert_allclose(state.linear_velocity, [[0, 0.5, 0]] * 2, atol=1e-4)
    np.testing.assert_allclose(state.angular_velocity, [[0, 0, 2.0]] * 2, atol=1e-3)


def test_placing_a_body_moves_its_center_of_mass_at_once() -> None:
    maker = Maker()
    body = maker.body(weight=mass(1, (1, 1, 1), center=(0, 1, 0)))
    engine = maker.start(gravity=(0, 0, 0))
    engine.set_pose(body, np.array([5.0, 0, 0]), about((0, 0, 1), math.pi / 2))
    engine.set_velocity(body, np.array([0, 0, 1.0]), np.zeros(3))
    engine.apply_impulse(body, np.array([0, 0, 1.0]), np.array([4.0, 0, 0]))  # at the new centre
    state = engine.state()
    np.testing.assert_allclose(state.translation[body], [5, 0, 0], atol=SINGLE)
    np.testing.assert_allclose(state.rotation[body], about((0, 0, 1), math.pi / 2), atol=SINGLE)
    np.testing.assert_allclose(state.linear_velocity[body], [0, 0, 2], atol=SINGLE)
    np.testing.assert_allclose(state.angular_velocity[body], 0, atol=SINGLE)


def test_kinematic_motion_is_exact_for_any_spin() -> None:
    """Hours of spin add up to nothing but the rounding of one sine."""
    spin, center = np.array([10.0, 60.0, -3.0]), np.array([0.1, 0.2, 0.3])
    maker = Maker()
    turned = about((1, 2, 3), 0.4)
    body = maker.body(
        Sphere(0.5),
        (1, 2, 3),
        kind=KINEMATIC,
        turned=turned,
        velocity=(0, 0.5, 0),
        spin=spin,
        weight=mass(1, center=center),
    )
    engine = maker.start()
    run(engine, 10)
    state = engine.state()
    rotation = tf.multiply(about(spin, 10 * float(np.linalg.norm(spin))), turned)
    middle = np.array([1, 2, 3]) + tf.rotate(turned, center) + [0, 5, 0]
    np.testing.assert_allclose(tf.angle_between(state.rotation[body], rotation), 0, atol=1e-9)
    np.testing.assert_allclose(
        state.translation[body], middle - tf.rotate(rotation, center), atol=1e-9
    )
    np.testing.assert_allclose(state.linear_velocity[body], [0, 0.5, 0])
    np.testing.assert_allclose(state.angular_velocity[body], spin)


def test_kinematic_body_goes_on_from_where_it_is_put() -> None:
    maker = Maker()
    body = maker.body(Sphere(0.5), kind=KINEMATIC, velocity=(1, 0, 0))
    engine = maker.start()
    run(engine, 1)
    engine.set_velocity(body, np.array([0, 2.0, 0]), np.zeros(3))
    run(engine, 1)
    np.testing.assert_allclose(engine.state().translation[body], [1, 2, 0], atol=1e-9)
    engine.set_pose(body, np.array([0, 0, 7.0]), np.array([0, 0, 0, 1.0]))
    run(engine, 0.5)
    np.testing.assert_allclose(engine.state().translation[body], [0, 1, 7], atol=1e-9)


def test_a_driven_body_is_at_its_target() -> None:
    maker = Maker()
    body = maker.body(Sphere(0.5), kind=DYNAMIC, driven=True, weight=mass(1))
    engine = maker.start()
    for frame in range(1, 61):
        engine.drive_body(
            body, np.array([0, frame * STEP, 0]), np.array(about((0, 1, 0), frame / 60))
        )
        engine.step()
        state = engine.state()
    np.testing.assert_array_equal(state.translation[body], [0, 60 * STEP, 0])
    np.testing.assert_array_equal(state.rotation[body], about((0, 1, 0), 1))
    np.testing.assert_allclose(state.linear_velocity[body], [0, 1, 0], atol=1e-4)
    np.testing.assert_allclose(state.angular_velocity[body], [0, 1, 0], atol=1e-3)
    run(engine, 0.1)
    np.testing.assert_array_equal(engine.state().translation[body], [0, 60 * STEP, 0])
    np.testing.assert_allclose(engine.state().linear_velocity[body], 0, atol=1e-6)


def test_following_shows_after_the_step_only() -> None:
    maker = Maker()
    body = maker.body(Sphere(0.5), driven=True)
    engine = maker.start()
    engine.drive_body(body, np.array([1.0, 0, 0]), np.array([0, 0, 0, 1.0]))
    np.testing.assert_array_equal(engine.state().translation[body], [0, 0, 0])


def test_states_do_not_change_later() -> None:
    maker = Maker()
    maker.body(Sphere(0.5))
    engine = maker.start()
    before = engine.state()
    run(engine, 0.5)
    engine.state()
    np.testing.assert_array_equal(before.translation, 0)


def test_a_driven_body_stays_where_it_is_placed() -> None:
    maker = Maker()
    body = maker.body(Sphere(0.5), driven=True)
    engine = maker.start()
    engine.drive_body(body, np.array([1.0, 0, 0]), np.array([0, 0, 0, 1.0]))
    engine.step()
    engine.set_pose(body, np.array([7.0, 0, 0]), np.array([0, 0, 0, 1.0]))
    run(engine, 0.1)
    np.testing.assert_array_equal(engine.state().translation[body], [7, 0, 0])
    hit = engine.cast_ray(np.array([7.0, 9, 0]), np.array([0, -1.0, 0]), 20.0)
    assert hit is not None
    assert hit.distance == pytest.approx(8.5, abs=1e-5)


def test_static_bodies_have_no_velocity() -> None:
    maker = Maker()
    body = maker.body(Sphere(0.5), kind=STATIC, velocity=(1, 2, 3), spin=(4, 5, 6))
    engine = maker.start()
    engine.set_velocity(body, np.ones(3), np.ones(3))
    engine.step()
    state = engine.state()
    np.testing.assert_array_equal([state.linear_velocity[body], state.angular_velocity[body]], 0)
    np.testing.assert_array_equal(state.translation[body], 0)
