"""Metrics of joint limits: closed forms, gradients against differences, and the odd points."""

import math
from itertools import combinations

import numpy as np
import pytest

from ligament.extensions.rigid_bodies import Limit
from ligament.physics import metrics
from ligament.physics.metrics import Rates
from ligament.transforms import from_axis_angle, multiply, rotate

AXES = [axes for count in (1, 2, 3) for axes in combinations(range(3), count)]
LINEAR = [Limit(linear_axes=axes) for axes in AXES]
ANGULAR = [Limit(angular_axes=axes) for axes in AXES]
STILL = np.array([0.0, 0.0, 0.0, 1.0])


def axes_of(limit):
    return "".join("xyz"[axis] for axis in limit.linear_axes or limit.angular_axes)


def random_poses(count, seed=1):
    rng = np.random.default_rng(seed)
    rotation = rng.normal(size=(count, 4))
    rotation /= np.linalg.norm(rotation, axis=-1, keepdims=True)
    return rng.normal(size=(count, 3)), rotation


@pytest.mark.parametrize("limit", LINEAR, ids=axes_of)
def test_linear_value_is_the_formula_of_the_appendix(limit):
    position, rotation = random_poses(50)
    axes = limit.linear_axes
    value = metrics.measure(limit, position, rotation)
    if len(axes) == 1:
        expected = position[:, axes[0]]
    else:
        rest = [axis for axis in range(3) if axis not in axes]
        flat = position.copy()
        flat[:, rest] = 0.0
        expected = np.linalg.norm(flat, axis=-1)
    np.testing.assert_allclose(value, expected, atol=1e-15)


@pytest.mark.parametrize("limit", ANGULAR, ids=axes_of)
def test_angular_value_is_the_formula_of_the_appendix(limit):
    position, rotation = random_poses(50)
    axes = limit.angular_axes
    value = metrics.measure(limit, position, rotation)
    q = rotation * np.sign(rotation[:, 3:])
    if len(axes) == 1:
        along, real = q[:, axes[0]], q[:, 3]
        expected = np.sign(along) * 2 * np.arccos(real / np.hypot(along, real))
    elif len(axes) == 2:
        (rest,) = set(range(3)) - set(axes)
        unit = np.eye(3)[rest]
        expected = np.arccos(rotate(rotation, unit) @ unit)
    else:
        expected = 2 * np.arccos(q[:, 3])
    # arccos loses half of the digits where its argument is near one; no random pose is that near.
    np.testing.assert_allclose(value, expected, atol=1e-12)


@pytest.mark.parametrize("limit", LINEAR + ANGULAR, ids=axes_of)
def test_gradient_is_the_slope_of_the_value(limit):
    position, rotation = random_poses(200)
    slope = metrics.gradient(limit, position, rotation)
    step = 1e-6
    for axis in range(3):
        nudge = step * np.eye(3)[axis]
        if limit.linear_axes:
            ahead = metrics.measure(limit, position + nudge, rotation)
            behind = metrics.measure(limit, position - nudge, rotation)
        else:
            turn = from_axis_angle(nudge, step)
            back = from_axis_angle(nudge, -step)
            ahead = metrics.measure(limit, position, multiply(turn, rotation))
            behind = metrics.measure(limit, position, multiply(back, rotation))
        difference = ahead - behind
        difference -= 2 * math.pi * np.round(difference / (2 * math.pi))
        # Central differences are right to step² times the third derivative, and to rounding/step.
        np.testing.assert_allclose(difference / (2 * step), slope[:, axis], atol=2e-8)


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("turn", [-3.1, -1.0, 0.0, 0.4, math.pi])
def test_twist_is_the_angle_of_a_plain_turn_and_its_gradient_the_axis(axis, turn):
    rotation = from_axis_angle(np.eye(3)[axis], turn)
    limit = Limit(angular_axes=(axis,))
    assert metrics.measure(limit, np.zeros(3), rotation) == pytest.approx(turn, abs=1e-12)
    np.testing.assert_allclose(
        metrics.gradient(limit, np.zeros(3), rotation), np.eye(3)[axis], atol=1e-12
    )


@pytest.mark.parametrize("axis", range(3))
def test_twist_gradient_lies_halfway_between_the_axis_in_both_frames(axis):
    _, rotation = random_poses(50)
    unit = np.eye(3)[axis]
    carried = rotate(rotation, unit)
    expected = (unit + carried) / (1 + carried @ unit)[:, None]
    slope = metrics.gradient(Limit(angular_axes=(axis,)), np.zeros(3), rotation)
    np.testing.assert_allclose(slope, expected, atol=1e-9)


def test_a_swing_does_not_change_the_twist():
    swing = from_axis_angle([0.0, 0.6, 0.8], 1.2)
    turn = from_axis_angle([1.0, 0.0, 0.0], 0.7)
    limit = Limit(angular_axes=(0,))
    value = metrics.measure(limit, np.zeros(3), multiply(swing, turn))
    assert value == pytest.approx(0.7, abs=1e-12)


def test_signs_of_the_quaternion_do_not_matter():
    position, rotation = random_poses(50)
    for limit in ANGULAR:
        for function in (metrics.measure, metrics.gradient):
            np.testing.assert_allclose(
                function(limit, position, rotation), function(limit, position, -rotation)
            )


@pytest.mark.parametrize("limit", LINEAR[3:] + ANGULAR[3:], ids=axes_of)
def test_where_a_distance_or_angle_is_zero_the_last_gradient_counts(limit):
    last = np.array([0.6, 0.0, 0.8])
    slope = metrics.gradient(limit, np.zeros(3), STILL, last)
    np.testing.assert_array_equal(slope, last)
    axes = limit.linear_axes or limit.angular_axes
    np.testing.assert_array_equal(metrics.gradient(limit, np.zeros(3), STILL), np.eye(3)[axes[0]])


def test_at_a_swing_of_half_a_turn_twist_keeps_its_last_gradient():
    last = np.array([[1.0, 2.0, 3.0]])
    rotation = np.array([[0.0, 0.6, 0.8, 0.0]])
    slope = metrics.gradient(Limit(angular_axes=(0,)), np.zeros((1, 3)), rotation, last)
    np.testing.assert_array_equal(slope, last)


def test_leading_axes_are_kept():
    rng = np.random.default_rng(3)
    position, rotation = rng.normal(size=(4, 5, 3)), rng.normal(size=(4, 5, 4))
    rotation /= np.linalg.norm(rotation, axis=-1, keepdims=True)
    for limit in LINEAR + ANGULAR:
        value = metrics.measure(limit, position, rotation)
        assert value.shape == (4, 5)
        assert metrics.gradient(limit, position, rotation).shape == (4, 5, 3)
        assert metrics.measure(limit, position[2, 3], rotation[2, 3]) == value[2, 3]


def test_relative_pose_is_b_in_the_axes_of_a():
    turned = from_axis_angle([0.0, 1.0, 0.0], math.pi / 2)
    position, rotation = metrics.relative([1, 0, 0], turned, [1, 2, -3], turned)
    np.testing.assert_allclose(position, [3, 2, 0], atol=1e-15)
    np.testing.assert_allclose(rotation, STILL, atol=1e-15)


def test_relative_rates_are_the_slope_of_the_relative_pose():
    rng = np.random.default_rng(5)
    t_a, t_b, v_a, v_b, w_a, w_b = rng.normal(size=(6, 20, 3))
    _, q_a = random_poses(20, 6)
    _, q_b = random_poses(20, 7)
    rates = metrics.relative_rates(q_a, t_b - t_a, Rates(v_a, w_a), Rates(v_b, w_b))

    def at(time):
        turn_a = from_axis_angle(w_a, np.linalg.norm(w_a, axis=-1) * time)
        turn_b = from_axis_angle(w_b, np.linalg.norm(w_b, axis=-1) * time)
        return metrics.relative(
            t_a + time * v_a, multiply(turn_a, q_a), t_b + time * v_b, multiply(turn_b, q_b)
        )

    step = 1e-6
    ahead, behind = at(step), at(-step)
    np.testing.assert_allclose(
        (ahead.position - behind.position) / (2 * step), rates.linear_velocity, atol=1e-8
    )
    for limit in ANGULAR:
        slope = metrics.gradient(limit, *at(0.0))
        change = metrics.measure(limit, *ahead) - metrics.measure(limit, *behind)
        expected = np.sum(slope * rates.angular_velocity, axis=-1)
        np.testing.assert_allclose(change / (2 * step), expected, rtol=1e-6, atol=1e-7)


def test_unwrap_follows_several_turns_from_a_given_start():
    true = np.linspace(0.0, 20.0, 60)
    wrapped = (true + math.pi) % (2 * math.pi) - math.pi
    np.testing.assert_allclose(metrics.unwrap(wrapped), true, atol=1e-12)
    np.testing.assert_allclose(metrics.unwrap(wrapped[30:], true[29]), true[30:], atol=1e-12)
    assert metrics.unwrap([]).shape == (0,)


@pytest.mark.parametrize(
    ("value", "minimum", "maximum", "expected"),
    [
        (0.5, -1.0, 1.0, 0.5),
        (-2.5, 2.5, 4.0, -2.5 + 2 * math.pi),
        (3.0, -1.0, 1.0, 3.0),
        (3.0, -math.inf, 1.0, 3.0),
        (-1e-9, 0.0, math.inf, -1e-9),
        (0.0, 10.0, 11.0, 4 * math.pi),
        (-3.0, -1.22, 4.54, -3.0 + 2 * math.pi),
        (-1e-7, 0.0, 2 * math.pi, -1e-7),
        (1e-7, -2 * math.pi, 0.0, 1e-7),
    ],
)
def test_a_range_past_half_a_turn_is_entered_at_the_turn_that_breaks_it_least(
    value, minimum, maximum, expected
):
    assert metrics.nearest_turn(value, minimum, maximum) == pytest.approx(expected)


def test_violation_is_the_distance_to_the_bounds():
    values = metrics.violation([-3.0, 0.0, 5.0], -1.0, 2.0)
    np.testing.assert_array_equal(values, [2.0, 0.0, 3.0])
