"""Axioms, comparison with fifty-digit arithmetic, and the same answers from every array library.

Tolerances are in units of the dtype's ε (2.2e-16 in float64, 1.2e-7 in float32). A component of a
unit quaternion that went through n roundings is off by about √n·ε/2; `ROUNDING` = 16 ε covers the
longest chains here with a margin of two to four, and is far below what a wrong formula gives.
"""

from __future__ import annotations

import math
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ligament import transforms as tf
from tests.sampling import IS_SOAK, sample

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

EPS = float(np.finfo(np.float64).eps)
ROUNDING = 16 * EPS
ORDERS = get_args(tf.EulerOrder)
IDENTITY = (0.0, 0.0, 0.0, 1.0)
HALF = math.sqrt(0.5)
HALF_TURNS = ((1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0), (HALF, HALF, 0, 0))


def close(actual: Any, expected: Any, tolerance: float = ROUNDING) -> None:
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance)


def same_rotation(actual: Any, expected: Any, tolerance: float = 4 * ROUNDING) -> None:
    actual, expected = np.asarray(actual), np.asarray(expected)
    close(np.linalg.norm(actual, axis=-1), 1.0, tolerance)
    distance = np.minimum(
        np.abs(actual - expected).max(axis=-1), np.abs(actual + expected).max(axis=-1)
    )
    assert np.all(distance <= tolerance), distance.max()


def axiom(*strategies: st.SearchStrategy[Any]) -> Callable[[Any], Any]:
    """Make a property test without a deadline: that the machine was busy is no finding."""
    return lambda test: settings(deadline=None)(given(*strategies)(test))


def _unit(values: Sequence[float]) -> Any:
    length = math.hypot(*values)
    assume(length > 1e-3)
    return np.array(values) / length


def vectors(count: int, limit: float = 1.0) -> st.SearchStrategy[Any]:
    return st.tuples(*[st.floats(-limit, limit, allow_subnormal=False)] * count)


directions = vectors(3).map(_unit)
special = st.sampled_from([IDENTITY, (0.0, 0.0, 0.0, -1.0), *HALF_TURNS]).map(np.array)
small_turns = vectors(3, 1e-7).map(lambda v: _unit([*v, 1.0]))
quaternions = st.one_of(vectors(4).map(_unit), special, small_turns)
angles = st.floats(-3.0, 3.0)


# Algebra


@axiom(quaternions, quaternions, quaternions)
def test_product_is_associative(a: Any, b: Any, c: Any) -> None:
    close(tf.multiply(tf.multiply(a, b), c), tf.multiply(a, tf.multiply(b, c)))


@axiom(vectors(4), vectors(4))
def test_product_is_exact_to_rounding(a: Any, b: Any) -> None:
    ax, ay, az, aw = map(Fraction, a)
    bx, by, bz, bw = map(Fraction, b)
    expected = [
        aw * bx + bw * ax + (ay * bz - az * by),
        aw * by + bw * ay + (az * bx - ax * bz),
        aw * bz + bw * az + (ax * by - ay * bx),
        aw * bw - (ax * bx + ay * by + az * bz),
    ]
    close(tf.multiply(a, b), [float(part) for part in expected])


@axiom(vectors(4), st.integers(-140, 140))
def test_inverse_undoes_quaternions_of_any_length(direction: Any, exponent: int) -> None:
    q = _unit(direction) * 10.0**exponent
    close(tf.multiply(q, tf.inverse(q)), IDENTITY)
    close(tf.multiply(tf.inverse(q), q), IDENTITY)
    close(tf.normalize(q), _unit(direction))


def test_zero_quaternion_is_defined() -> None:
    zero = np.zeros(4)
    assert tf.normalize(zero).tolist() == [0, 0, 0, 1]
    assert tf.inverse(zero).tolist() == [0, 0, 0, 0]
    assert tf.log(zero).tolist() == [0, 0, 0]


def test_normalize_reaches_the_ends_of_the_range() -> None:
    for size in (5e-324, 1e-200, 1e200, 1.7e308):
        close(tf.normalize([0.0, size, 0.0, 0.0]), [0, 1, 0, 0], 0)
    tiny = np.array([3e-38, 4e-38, 0, 0], dtype=np.float32)
    close(tf.normalize(tiny), [0.6, 0.8, 0, 0], 2 * float(np.finfo(np.float32).eps))


@axiom(quaternions, quaternions, vectors(3))
def test_rotate_is_a_homomorphism(a: Any, b: Any, v: Any) -> None:
    close(tf.rotate(tf.multiply(a, b), v), tf.rotate(a, tf.rotate(b, v)), 2 * ROUNDING)


@axiom(quaternions, vectors(3))
def test_rotate_is_the_sandwich_product(q: Any, v: Any) -> None:
    sandwich = tf.multiply(tf.multiply(q, [*v, 0.0]), tf.conjugate(q))
    close(tf.rotate(q, v), sandwich[:3])


def test_right_handed_quarter_turns() -> None:
    x, y, z = np.eye(3)
    for axis, source, target in ((x, y, z), (y, z, x), (z, x, y)):
        turn = tf.from_axis_angle(5 * axis, math.pi / 2)
        close(turn, [*(HALF * axis), HALF])
        close(tf.rotate(turn, source), target)
    assert tf.from_axis_angle([0, 0, 0], 1.0).tolist() == [0, 0, 0, 1]


@axiom(quaternions, quaternions, quaternions)
def test_angle_between_is_a_metric_of_rotations(a: Any, b: Any, c: Any) -> None:
    ab = tf.angle_between(a, b)
    assert tf.angle_between(a, a) == tf.angle_between(a, -a) == 0
    assert ab == tf.angle_between(b, a) == tf.angle_between(-a, b)
    assert 0 <= ab <= math.pi
    assert ab <= tf.angle_between(a, c) + tf.angle_between(c, b) + ROUNDING


@pytest.mark.parametrize("angle", [1e-300, 1e-15, 1e-8, 1.0, 3.0, math.pi])
def test_angle_between_keeps_small_angles(angle: float) -> None:
    q = tf.from_axis_angle([1, 2, -2], angle)
    # Chords of 1e-300 vanish when squared; from 1e-150 up every digit is kept.
    expected = 0 if angle < 1e-150 else angle
    assert tf.angle_between(q, IDENTITY) == pytest.approx(expected, rel=ROUNDING)


# Exponential, powers, interpolation


def _sin_cos(x: Decimal) -> tuple[Decimal, Decimal]:
    total, term, n = [Decimal(0), Decimal(0)], Decimal(1), 0
    while abs(term) > Decimal("1e-60"):
        total[n % 2] += term * (-1) ** (n // 2)
        n += 1
        term = term * x / n
    return total[1], total[0]


def _atan(x: Decimal) -> Decimal:
    halvings = 0
    while abs(x) > Decimal("0.1"):
        x = x / (1 + (1 + x * x).sqrt())
        halvings += 1
    total, term, n = Decimal(0), x, 1
    while abs(term) > abs(x) * Decimal("1e-60"):
        total += term / n
        term, n = -term * x * x, n + 2
    return total * Decimal(2) ** halvings


def _decimals(values: Any) -> list[Decimal]:
    return [Decimal(float(value)) for value in values]


def _normalized(values: list[Decimal]) -> list[Decimal]:
    length = sum(value * value for value in values).sqrt()  # type: ignore[union-attr]
    return [value / length for value in values]


def reference_slerp(a: Any, b: Any, t: float) -> list[float]:
    """Sine ratio of the angle between the (exactly normalised) inputs, in fifty digits."""
    with localcontext() as context:
        context.prec = 60
        p, q = _normalized(_decimals(a)), _normalized(_decimals(b))
        cosine = sum(x * y for x, y in zip(p, q, strict=True))
        if cosine < 0:
            q, cosine = [-x for x in q], -cosine
        chord = sum((x - y) ** 2 for x, y in zip(p, q, strict=True)).sqrt()  # type: ignore[union-attr]
        if chord == 0:
            return [float(x) for x in p]
        angle = 2 * _atan(chord / (4 - chord * chord).sqrt())
        rest, part = (_sin_cos(angle * s)[0] for s in (1 - Decimal(t), Decimal(t)))
        whole = _sin_cos(angle)[0]
        return [float((rest * x + part * y) / whole) for x, y in zip(p, q, strict=True)]


def reference_log(q: Any) -> list[float]:
    with localcontext() as context:
        context.prec = 60
        *vector, w = _decimals(q)
        sine = sum(x * x for x in vector).sqrt()  # type: ignore[union-attr]
        # atan(s/w) from the half-angle, which stays finite at w = 0.
        angle = 4 * _atan(sine / (abs(w) + (w * w + sine * sine).sqrt()))
        return [float(x * angle / sine * (-1 if w < 0 else 1)) for x in vector]


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-3, 4.8e-3, 5e-3, 0.1, 3.0, 12.0])
def test_exp_agrees_with_fifty_digits(angle: float) -> None:
    v = np.array([0.48, -0.6, 0.64]) * angle
    with localcontext() as context:
        context.prec = 60
        length = sum(x * x for x in _decimals(v)).sqrt()  # type: ignore[union-attr]
        sine, cosine = _sin_cos(length / 2)
        expected = [*(float(x * sine / (length or 1)) for x in _decimals(v)), float(cosine)]
    close(tf.exp(v), expected, 4 * EPS)


@axiom(quaternions)
def test_exp_undoes_log(q: Any) -> None:
    assert np.linalg.norm(tf.log(q)) <= math.pi * (1 + 2 * EPS)
    same_rotation(tf.exp(tf.log(q)), q)


@axiom(directions, st.one_of(st.just(0.0), st.floats(1e-200, 1e-7), st.floats(1e-7, 3.14159)))
def test_log_undoes_exp(axis: Any, angle: float) -> None:
    close(tf.log(tf.exp(axis * angle)), axis * angle, ROUNDING * angle)


@pytest.mark.parametrize("scale", [1e-12, 1e-4, 2e-3, 3e-3, 0.07, 1.0])
@pytest.mark.parametrize("w", [1.0, 0.5, 1e-3, 1e-9, 1e-17, 0.0, -1e-9, -0.7])
def test_log_agrees_with_fifty_digits(scale: float, w: float) -> None:
    q = np.array([0.48 * scale, -0.6 * scale, 0.64 * scale, w])
    expected = np.array(reference_log(q))
    close(tf.log(q), expected, ROUNDING * np.abs(expected).max())


def test_log_of_tiny_turns_keeps_every_digit() -> None:
    for size in (1e-12, 1e-100, 1e-160, 1e-300):
        np.testing.assert_allclose(tf.log([0, size, 0, 1]), [0, 2 * size, 0], rtol=2 * EPS)


def test_log_of_q_and_minus_q_agree() -> None:
    q = tf.from_axis_angle([1, 2, 3], np.linspace(0.1, 3.1, 7))
    assert np.array_equal(tf.log(q), tf.log(-q))


@axiom(quaternions, st.integers(0, 5))
def test_power_repeats_the_product(q: Any, n: int) -> None:
    product = np.array(IDENTITY)
    for _ in range(n):
        product = tf.multiply(product, q)
    same_rotation(tf.power(q, n), product)
    same_rotation(tf.power(q, -1), tf.inverse(q))


@axiom(quaternions, quaternions)
def test_slerp_meets_its_ends_exactly(a: Any, b: Any) -> None:
    assert np.array_equal(tf.slerp(a, b, 0), a)
    end = tf.slerp(a, b, 1)
    assert np.array_equal(end, b) or np.array_equal(end, -b)
    assert tf.dot(a, end) >= 0


@axiom(quaternions, quaternions, st.floats(-1, 2))
def test_slerp_has_constant_speed(a: Any, b: Any, t: float) -> None:
    whole = tf.angle_between(a, b)
    turned = abs(t) * whole
    # The inputs' own rounding shows as an angle of a few ε between a and the result.
    close(tf.angle_between(a, tf.slerp(a, b, t)), min(turned, 2 * math.pi - turned), 8 * ROUNDING)


@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-8, 1e-4, 5e-3, 0.1, 1.0, 3.0, 3.1415926, 6.2])
@pytest.mark.parametrize("t", [-0.5, 0.0, 1e-9, 0.25, 0.5, 1.0, 3.0])
def test_slerp_agrees_with_fifty_digits(angle: float, t: float) -> None:
    a = tf.from_axis_angle([3, 1, -2], 0.7)
    b = tf.multiply(tf.from_axis_angle([1, -1, 0.3], angle), a)
    close(tf.slerp(a, b, t), reference_slerp(a, b, t))


def test_slerp_between_equal_and_opposite_signs_stays() -> None:
    q = tf.from_axis_angle([3, 1, -2], 0.7)
    t = np.linspace(-1, 2, 13)
    for end in (q, -q):
        close(tf.slerp(q, end, t), np.broadcast_to(q, (13, 4)), 4 * EPS)


def test_slerp_over_half_a_turn_goes_towards_b_as_given() -> None:
    half = tf.slerp(IDENTITY, [[0, 1, 0, 0], [0, -1, 0, 0]], 0.5)
    close(half, [[0, HALF, 0, HALF], [0, -HALF, 0, HALF]])


# Directions


def reference_between(u: Any, v: Any) -> list[float]:
    """Quaternion (u×v, |u||v| + u·v), normalised, in two hundred digits against cancellation."""
    with localcontext() as context:
        context.prec = 200
        (ux, uy, uz), (vx, vy, vz) = _decimals(u), _decimals(v)
        lengths = ((ux * ux + uy * uy + uz * uz) * (vx * vx + vy * vy + vz * vz)).sqrt()
        cross = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx]
        return [float(x) for x in _normalized([*cross, lengths + ux * vx + uy * vy + uz * vz])]


@axiom(directions, directions, st.floats(1e-30, 1e30))
def test_between_takes_one_direction_to_the_other(u: Any, v: Any, size: float) -> None:
    q = tf.between(u * size, v)
    close(tf.rotate(q, u), v)
    assert q[3] >= 0
    # The shortest rotation turns about the common perpendicular: no twist about either.
    close(tf.dot(q[:3], u), 0)
    close(tf.dot(q[:3], v), 0)


@pytest.mark.parametrize("offset", [1.0, 1e-2, 1e-4, 1e-6, 1e-9, 1e-12, 1e-15])
@pytest.mark.parametrize("sign", [1, -1])
def test_between_agrees_with_exact_arithmetic_up_to_opposite(offset: float, sign: int) -> None:
    rng = np.random.default_rng(7)
    u = rng.normal(size=(50, 3))
    aside = np.cross(u, rng.normal(size=(50, 3)))
    aside /= np.linalg.norm(aside, axis=-1, keepdims=True)
    v = (sign * u + offset * aside) * rng.uniform(0.1, 10, size=(50, 1))
    expected = [reference_between(*pair) for pair in zip(u, v, strict=True)]
    # Rounding the vectors themselves would move the axis by ε/offset: 2e-10 rad at 1e-6.
    close(tf.between(u, v), expected, 8 * EPS)


def test_between_opposite_turns_about_the_least_aligned_axis() -> None:
    u = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [3, -1, 2], [0.1, 0.2, 0.3], [2, 2, 1]])
    e = np.array([[0, 1, 0], [1, 0, 0], [1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 0, 1]])
    axis = np.cross(u, e)
    axis /= np.linalg.norm(axis, axis=-1, keepdims=True)
    q = tf.between(u, -2 * u)
    close(q, np.concatenate([axis, np.zeros((6, 1))], axis=-1))
    close(tf.rotate(q, u), -u)


@pytest.mark.parametrize(
    ("dtype", "size"), [("f4", 1e-37), ("f4", 1e37), ("f8", 1e-307), ("f8", 1e307)]
)
def test_between_reaches_the_ends_of_the_range(dtype: str, size: float) -> None:
    u, v = np.array([[1, 2, -2], [3, 0, -4]], dtype=dtype)
    close(tf.between(u * size, v * size), tf.between(u, v), 2 * float(np.finfo(dtype).eps))


def test_between_parallel_or_zero_is_the_identity() -> None:
    u = np.array([0.1, 0.2, -0.3])
    for pair in ((u, u), (u, 4 * u), (u, 0 * u), (0 * u, u), (0 * u, 0 * u)):
        close(tf.between(*pair), IDENTITY, 0)


@axiom(quaternions, directions)
def test_swing_and_twist_recompose(q: Any, axis: Any) -> None:
    swing, twist = tf.swing_twist(q, axis)
    close(tf.multiply(swing, twist), q)
    close(np.linalg.norm(twist), 1)
    close(np.cross(twist[:3], axis), 0)
    close(tf.dot(swing[:3], axis), 0)
    same_rotation(tf.from_axis_angle(axis, tf.twist_angle(q, axis)), twist)


@axiom(directions, st.floats(-math.pi, math.pi, exclude_min=True))
def test_twist_angle_is_signed(axis: Any, angle: float) -> None:
    assume(angle > -math.pi * (1 - 4 * EPS))
    q = tf.from_axis_angle(axis, angle)
    for same in (q, -q):
        measured = tf.twist_angle(same, axis)
        assert -math.pi < measured <= math.pi
        # Next to ±π the rounding of q may carry the angle over the seam.
        close(math.remainder(measured - angle, 2 * math.pi), 0)


def test_twist_angle_of_half_a_turn_is_plus_pi() -> None:
    close(tf.twist_angle([[0, 1, 0, 0], [0, -1, 0, 0], [0, -1, 0, 1e-300]], [0, 1, 0]), math.pi, 0)


def test_half_turn_swing_has_no_twist() -> None:
    noise = np.array([1.0, 1e-16, 0.0, 6e-17])
    for q in (*np.eye(4)[[0, 2]], noise):
        swing, twist = tf.swing_twist(q, [0, 1, 0])
        assert twist.tolist() == [0, 0, 0, 1]
        assert tf.twist_angle(q, [0, 1, 0]) == 0
        close(swing, q, 0)


# Euler angles


@pytest.mark.parametrize("order", ORDERS)
@axiom(angles, angles, angles)
def test_euler_order_is_intrinsic(order: tf.EulerOrder, a: float, b: float, c: float) -> None:
    turns = [
        tf.from_axis_angle(np.eye(3)["XYZ".index(letter)], angle)
        for letter, angle in zip(order, (a, b, c), strict=True)
    ]
    close(tf.from_euler([a, b, c], order), tf.multiply(tf.multiply(*turns[:2]), turns[2]))


@pytest.mark.parametrize("order", ORDERS)
@axiom(quaternions)
def test_euler_round_trip(order: tf.EulerOrder, q: Any) -> None:
    first, middle, third = tf.to_euler(q, order)
    assert -math.pi < first <= math.pi
    assert -math.pi < third <= math.pi
    assert abs(middle) <= math.pi / 2
    same_rotation(tf.from_euler([first, middle, third], order), q)


@pytest.mark.parametrize("order", ORDERS)
@axiom(angles, st.floats(-1.5, 1.5), angles)
def test_euler_angles_come_back(order: tf.EulerOrder, a: float, b: float, c: float) -> None:
    found = tf.to_euler(tf.from_euler([a, b, c], order), order)
    # The outer angles are ill-conditioned by 1/cos(b), at most 15 here.
    close(found, [a, b, c], 15 * ROUNDING)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("middle", [math.pi / 2, -math.pi / 2])
def test_gimbal_lock_puts_the_third_angle_to_zero(order: tf.EulerOrder, middle: float) -> None:
    q = tf.from_euler([[0.4, middle, -1.3], [3.0, middle, 3.0], [0, middle, 0]], order)
    found = tf.to_euler(q, order)
    assert found[:, 2].tolist() == [0, 0, 0]
    close(found[:, 1], middle)
    same_rotation(tf.from_euler(found, order), q)


# Matrices


@axiom(quaternions)
def test_matrix_round_trip(q: Any) -> None:
    m = tf.to_matrix(q)
    close(m @ m.T, np.eye(3))
    close(np.linalg.det(m), 1)
    found = tf.from_matrix(m)
    assert found[3] >= 0
    same_rotation(found, q)


@axiom(quaternions, vectors(3))
def test_matrix_turns_vectors_as_the_quaternion_does(q: Any, v: Any) -> None:
    close(tf.apply_matrix(tf.to_matrix(q), v), tf.rotate(q, v))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_from_matrix_is_stable_for_every_rotation(dtype: type) -> None:
    grid = np.stack(np.meshgrid(*[[-1, -0.5, -1e-4, 0, 1e-4, 0.5, 1]] * 4), -1).reshape(-1, 4)
    q = tf.normalize(grid).astype(dtype)
    found = tf.from_matrix(tf.compose([1, 2, 3], q))
    assert found.dtype == dtype
    assert np.all(found[:, 3] >= 0)
    # Off by the matrix's rounding (2 ε per element) over the largest component (at least ½).
    same_rotation(found, q, 4 * float(np.finfo(dtype).eps))


@axiom(vectors(3, 10), quaternions, vectors(3, 10), vectors(3))
def test_compose_scales_rotates_translates(t: Any, q: Any, s: Any, point: Any) -> None:
    expected = tf.rotate(q, np.multiply(s, point)) + t
    close(tf.apply_matrix(tf.compose(t, q, s), point), expected, 20 * ROUNDING)


@axiom(vectors(3), quaternions, st.tuples(*[st.floats(1e-9, 1e9)] * 3), st.sampled_from([1, -1]))
def test_decompose_undoes_compose(t: Any, q: Any, s: Any, sign: int) -> None:
    s = sign * np.array(s)
    translation, rotation, scale = tf.decompose(tf.compose(t, q, s))
    assert np.array_equal(translation, t)
    np.testing.assert_allclose(scale, s, rtol=ROUNDING)
    same_rotation(rotation, q)


def test_decompose_negates_all_scales_of_a_mirror() -> None:
    q = tf.from_axis_angle([1, 2, 3], 0.8)
    m = tf.compose([1, 2, 3], q, [-2, 3, 4])
    translation, rotation, scale = tf.decompose(m)
    close(scale, [-2, -3, -4])
    close(tf.compose(translation, rotation, scale), m, 4 * ROUNDING)


@axiom(quaternions, st.lists(st.sampled_from([0.0, 2.0, 1e-30]), min_size=3, max_size=3))
def test_decompose_completes_flattened_axes(q: Any, s: Any) -> None:
    m = tf.compose([0, 0, 0], q, s)
    translation, rotation, scale = tf.decompose(m)
    close(np.linalg.norm(rotation), 1)
    np.testing.assert_allclose(scale, s, rtol=ROUNDING)
    close(tf.compose(translation, rotation, scale), m, 4 * ROUNDING)
    if np.count_nonzero(s) >= 2:
        same_rotation(rotation, q)


@pytest.mark.parametrize("s", [(0, 0, 0), (1, 0, 0), (0, 2, 0), (0, 0, 3), (0, 2, 3), (1, 0, 3)])
def test_flattened_axis_aligned_matrix_is_not_turned(s: Any) -> None:
    _, rotation, scale = tf.decompose(np.diag([*s, 1]))
    assert rotation.tolist() == [0, 0, 0, 1]
    assert scale.tolist() == list(s)


def test_multiply_matrices_agrees_with_applying_in_turn() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(2, 5, 4, 4))
    a[:, 3] = b[:, 3] = [0, 0, 0, 1]
    points = rng.normal(size=(7, 1, 3))
    expected = tf.apply_matrix(a, tf.apply_matrix(b, points))
    close(tf.apply_matrix(tf.multiply_matrices(a, b), points), expected, 8 * ROUNDING)


# Accepted types, and those of results


def test_leading_axes_broadcast() -> None:
    q = tf.from_axis_angle([0, 1, 0], np.linspace(0, 1, 6).reshape(3, 1, 2))
    assert tf.multiply(q, np.ones((5, 1, 4))).shape == (3, 5, 2, 4)
    assert tf.slerp(q, IDENTITY, np.zeros((5, 1))).shape == (3, 5, 2, 4)
    assert tf.between([1, 0, 0], np.ones((6, 3))).shape == (6, 4)
    assert tf.compose(np.ones((4, 1, 1, 1, 3)), q).shape == (4, 3, 1, 2, 4, 4)
    assert tf.angle_between(q, IDENTITY).shape == (3, 1, 2)
    assert tf.multiply(np.ones((0, 4)), IDENTITY).shape == (0, 4)
    swing, twist = tf.swing_twist(IDENTITY, np.eye(3))
    assert swing.shape == twist.shape == (3, 4)


def test_numpy_dtype_rules() -> None:
    single = np.array([IDENTITY] * 2, dtype=np.float32)
    assert tf.slerp(single, [0, 1, 0, 0], np.float64(0.5)).dtype == np.float32
    assert tf.multiply(single, single.astype(np.float64)).dtype == np.float64
    assert tf.multiply(single, np.array([0, 0, 0, 1])).dtype == np.float32
    assert tf.multiply([0, 0, 0, 1], [0, 1, 0, 0]).dtype == np.float64
    assert tf.log(np.array([0, 0, 0, 1], dtype=np.int32)).dtype == np.float64
    assert tf.namespace(single, 1, [2.0]) is np


def test_wrong_shapes_and_orders_are_named() -> None:
    with pytest.raises(ValueError, match=r"shape \(2, 3\); its last axis must have 4"):
        tf.multiply(np.ones((2, 3)), IDENTITY)
    with pytest.raises(ValueError, match=r"shape \(4, 3\); it must be \(\.\.\., 3, 3\) or"):
        tf.from_matrix(np.ones((4, 3)))
    with pytest.raises(ValueError, match=r"shape \(3, 3\); it must be \(\.\.\., 4, 4\)"):
        tf.decompose(np.eye(3))
    with pytest.raises(ValueError, match="'XYX'; it is one of XYZ, "):
        tf.from_euler([0, 0, 0], "XYX")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        tf.log(None)


def test_import_needs_numpy_alone() -> None:
    program = """
import pathlib, sys, types
package = types.ModuleType("ligament")
package.__path__ = [sys.argv[1]]
sys.modules["ligament"] = package
before = set(sys.modules)
from ligament import transforms as tf
tf.slerp([0, 0, 0, 1], [0, 1, 0, 0], 0.5)
names = {name.partition(".")[0] for name in set(sys.modules) - before}
print(sorted(names - sys.stdlib_module_names))
"""
    folder = str(Path(tf.__file__).parents[1])
    command = [sys.executable, "-c", program, folder]
    found = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert found.stdout.strip() in ("['numpy']", "['ligament', 'numpy']")


# The same answers from every library


@dataclass(frozen=True)
class Library:
    """How one array library takes NumPy arrays in and gives them back."""

    name: str
    take: Callable[[np.ndarray], Any]
    give: Callable[[Any], np.ndarray]
    holds: Callable[[Any], bool]


def _torch() -> Library:
    import torch

    return Library("torch", torch.asarray, lambda x: x.numpy(), torch.is_tensor)


def _jax() -> Library:
    import jax

    return Library("jax", jax.numpy.asarray, np.asarray, lambda x: isinstance(x, jax.Array))


def _strict() -> Library:
    """Accepts the standard's functions alone; arrays of its second device refuse to meet others."""
    import array_api_strict as xp

    device, host = xp.Device("device1"), xp.Device("CPU_DEVICE")
    return Library(
        "strict",
        lambda array: xp.asarray(array, device=device),
        lambda x: np.asarray(x.to_device(host)),
        lambda x: x.device == device,
    )


@pytest.fixture(params=[_torch, _jax, _strict], ids=["torch", "jax", "array_api_strict"])
def library(request: pytest.FixtureRequest) -> Iterator[Library]:
    with ExitStack() as stack:
        if request.param is _jax:
            import jax

            stack.enter_context(jax.enable_x64(True))
        yield request.param()


def _samples() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(11)
    q = np.array([*HALF_TURNS, IDENTITY, (0, 0, 0, -1), (1e-9, 0, 0, 1), *rng.normal(size=(5, 4))])
    q /= np.linalg.norm(q, axis=-1, keepdims=True)
    u, v = rng.normal(size=(2, 12, 3))
    v[0], v[1], v[2], v[3] = -u[0], u[1], 0, -2 * u[3]
    scale = np.abs(rng.normal(size=(12, 3))) + 0.1
    scale[0], scale[1, 1:], scale[2, 0], scale[3] = 0, 0, 0, -scale[3]
    m = tf.compose(u, q, scale)
    return {"q": q, "p": q[::-1].copy(), "u": u, "v": v, "s": scale, "m": m, "t": u[:, 0].copy()}


SAMPLES = _samples()
AXIS = [0.0, 0.6, 0.8]
CALLS: dict[str, tuple[Callable[..., Any], str]] = {
    "multiply": (tf.multiply, "qp"),
    "conjugate": (tf.conjugate, "q"),
    "inverse": (tf.inverse, "q"),
    "normalize": (tf.normalize, "q"),
    "rotate": (tf.rotate, "qu"),
    "dot": (tf.dot, "qp"),
    "slerp": (tf.slerp, "qpt"),
    "log": (tf.log, "q"),
    "exp": (tf.exp, "v"),
    "power": (tf.power, "qt"),
    "between": (tf.between, "uv"),
    "swing_twist": (lambda q: tf.swing_twist(q, AXIS), "q"),
    "twist_angle": (lambda q: tf.twist_angle(q, [0, 1, 0]), "q"),
    "angle_between": (tf.angle_between, "qp"),
    "from_axis_angle": (tf.from_axis_angle, "vt"),
    "from_euler": (lambda v: tf.from_euler(v, "YXZ"), "v"),
    "to_euler": (lambda q: tf.to_euler(q, "ZYX"), "q"),
    "to_matrix": (tf.to_matrix, "q"),
    "from_matrix": (lambda q: tf.from_matrix(tf.to_matrix(q)), "q"),
    "compose": (tf.compose, "uqs"),
    "decompose": (tf.decompose, "m"),
    "determinant": (tf.determinant, "m"),
    "multiply_matrices": (tf.multiply_matrices, "mm"),
    "apply_matrix": (tf.apply_matrix, "mv"),
}


def _arguments(name: str, dtype: type) -> list[np.ndarray]:
    return [SAMPLES[key].astype(dtype) for key in CALLS[name][1]]


def _parts(result: Any) -> tuple[Any, ...]:
    return result if isinstance(result, tuple) else (result,)


def _agree(actual: Any, expected: Any, give: Callable[[Any], np.ndarray] = np.asarray) -> None:
    for found, wanted in zip(map(give, _parts(actual)), _parts(expected), strict=True):
        assert found.dtype == wanted.dtype
        assert np.all(np.isfinite(wanted))
        # Values are at most about 30; the libraries' sines and roots differ by a few ulp.
        close(found, wanted, 128 * float(np.finfo(wanted.dtype).eps))


def test_every_function_is_compared() -> None:
    assert set(CALLS) == {name for name in tf.__all__ if name.islower()} - {"namespace"}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", CALLS)
def test_libraries_agree(library: Library, name: str, dtype: type) -> None:
    if library.name == "jax" and dtype is np.float64 and not IS_SOAK:
        pytest.skip("JAX recompiles every operation: float32 here, both in a soak")
    arguments = _arguments(name, dtype)
    function = CALLS[name][0]
    result = function(*(library.take(argument) for argument in arguments))
    assert all(library.holds(part) for part in _parts(result))
    _agree(result, function(*arguments), library.give)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("name", CALLS)
def test_numpy_keeps_dtype_and_input(name: str, dtype: type) -> None:
    arguments = _arguments(name, dtype)
    for argument in arguments:
        argument.flags.writeable = False
    for part in _parts(CALLS[name][0](*arguments)):
        assert part.dtype == dtype
        assert np.all(np.isfinite(part))


def test_constants_join_the_library(library: Library) -> None:
    q = library.take(SAMPLES["q"].astype(np.float32))
    constant = SAMPLES["p"][::-1]
    constant.flags.writeable = False
    for other in (constant, constant.astype(np.float32)[::-1], [0.0, 1.0, 0.0, 0.0], (0, 1, 0, 0)):
        for product in (tf.multiply(q, other), tf.multiply(other, q)):
            assert library.holds(product)
            assert library.give(product).dtype == np.float32
    assert library.give(tf.slerp(q, constant, 0.25)).dtype == np.float32


def test_integers_become_double(library: Library) -> None:
    q = library.take(np.array([0, 1, 0, 0]))
    assert library.give(tf.multiply(q, q)).dtype == np.float64


def test_jax_without_doubles_stays_single() -> None:
    import jax.numpy as jnp

    assert tf.multiply(jnp.asarray([0, 1, 0, 0]), SAMPLES["q"]).dtype == jnp.float32


@pytest.mark.parametrize("name", sample(CALLS, 8))
def test_jax_traces_and_maps(name: str) -> None:
    import jax

    function = CALLS[name][0]
    arguments = _arguments(name, np.float64)
    expected = function(*arguments)
    with jax.enable_x64(True):
        _agree(jax.jit(function)(*arguments), expected)
        _agree(jax.jit(jax.vmap(function))(*arguments), expected)


def test_jax_between_stays_exact_when_compiled() -> None:
    import jax

    u = SAMPLES["u"][4:]
    v = -u + 1e-6 * SAMPLES["s"][4:]
    with jax.enable_x64(True):
        close(jax.jit(tf.between)(u, v), tf.between(u, v))


X = np.array([1.0, 0.0, 0.0])
ONE = np.array(IDENTITY)
QUARTER = np.array([0.0, HALF, 0.0, HALF])
SINGULAR: dict[str, tuple[Callable[..., Any], tuple[np.ndarray, ...]]] = {
    "log at identity": (tf.log, (ONE,)),
    "log at half turn": (tf.log, (np.array([1.0, 0, 0, 0]),)),
    "exp at zero": (tf.exp, (np.zeros(3),)),
    "power at identity": (lambda q: tf.power(q, 0.5), (ONE,)),
    "slerp of equals": (lambda a, b: tf.slerp(a, b, 0.3), (ONE, ONE)),
    "slerp of opposites": (lambda a, b: tf.slerp(a, b, 0.3), (ONE, -ONE)),
    "between equals": (tf.between, (X, X)),
    "between opposites": (tf.between, (X, -X)),
    "between zeros": (tf.between, (0 * X, 0 * X)),
    "normalize zero": (tf.normalize, (0 * ONE,)),
    "inverse of identity": (tf.inverse, (ONE,)),
    "angle between equals": (tf.angle_between, (ONE, ONE)),
    "twist of half-turn swing": (lambda q: tf.swing_twist(q, [0, 1, 0]), (np.eye(4)[0],)),
    "twist angle at half-turn swing": (lambda q: tf.twist_angle(q, [0, 1, 0]), (np.eye(4)[0],)),
    "euler in gimbal lock": (lambda q: tf.to_euler(q, "XYZ"), (QUARTER,)),
    "matrix at identity": (tf.from_matrix, (np.eye(3),)),
    "decompose flat": (tf.decompose, (np.diag([1.0, 0, 0, 1]),)),
}


@pytest.mark.parametrize("name", SINGULAR)
def test_gradients_of_torch_are_finite_at_singular_places(name: str) -> None:
    import torch

    function, arguments = SINGULAR[name]
    tensors = [torch.tensor(argument, requires_grad=True) for argument in arguments]
    for part in _parts(function(*tensors)):
        for number in part.flatten():
            for gradient in torch.autograd.grad(
                number, tensors, retain_graph=True, allow_unused=True
            ):
                assert gradient is None or bool(torch.isfinite(gradient).all())


@pytest.mark.parametrize("name", sample(SINGULAR, 3))
def test_gradients_of_jax_are_finite_at_singular_places(name: str) -> None:
    import jax

    function, arguments = SINGULAR[name]
    with jax.enable_x64(True):
        for i in range(len(arguments)):
            jacobian = jax.jacobian(function, argnums=i)(*arguments)
            assert all(np.all(np.isfinite(part)) for part in jax.tree.leaves(jacobian))


def test_gradients_at_the_identity_are_right() -> None:
    import jax
    import torch

    with jax.enable_x64(True):
        close(jax.jacobian(tf.log)(ONE)[:, :3], 2 * np.eye(3))
        close(jax.jacobian(tf.exp)(np.zeros(3))[:3], np.eye(3) / 2)
        close(jax.hessian(lambda v: tf.exp(v)[3])(np.zeros(3)), -np.eye(3) / 4)
        # A turn of u by dφ turns the shortest rotation to v back by it, about the same axis.
        close(jax.jacobian(tf.between, argnums=1)(X, X)[2, 1], 0.5)
    v = torch.zeros(3, dtype=torch.float64, requires_grad=True)
    tf.rotate(tf.exp(v), [0.0, 1.0, 0.0])[2].backward()
    close(v.grad, [1, 0, 0])


def test_determinants_are_those_of_lapack_and_take_anything() -> None:
    rng = np.random.default_rng(3)
    matrices = rng.standard_normal((50, 4, 3, 3))
    np.testing.assert_allclose(tf.determinant(matrices), np.linalg.det(matrices), atol=1e-12)
    smallest = np.diag([0.0, 1.0, 1.0])
    smallest[1, 0] = 5e-324  # LAPACK divides by it, and warns
    assert tf.determinant(smallest) == 0
    assert tf.determinant(np.zeros((3, 3))) == 0


@pytest.mark.parametrize(
    ("function", "sizes"),
    [(tf.multiply, (4, 4)), (tf.rotate, (4, 3)), (tf.conjugate, (4,)), (tf.to_matrix, (4,))],
)
def test_single_vectors_have_the_bits_of_many(
    function: Callable[..., Any], sizes: Sequence[int]
) -> None:
    rng = np.random.default_rng(5)
    odd = [0.0, -0.0, math.inf, -math.inf, math.nan, 1e300, 5e-324]
    for _ in sample(range(2000), 200):
        vectors = [rng.normal(size=size) for size in sizes]
        if rng.random() < 0.3:
            vectors[0][rng.integers(sizes[0])] = rng.choice(odd)
        with np.errstate(all="ignore"):
            one, many = function(*vectors), function(*(v[None] for v in vectors))[0]
        assert one.shape == many.shape
        assert one.dtype == many.dtype
        known = ~np.isnan(many)
        assert (np.isnan(one) == ~known).all()
        assert one[known].tobytes() == many[known].tobytes()


def test_single_vectors_of_other_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match="its last axis must have 4 components"):
        tf.multiply(np.zeros(4), np.zeros(3))
    with pytest.raises(ValueError, match="its last axis must have 3 components"):
        tf.rotate(np.zeros(4), np.zeros(4))
