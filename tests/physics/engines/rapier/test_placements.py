from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ligament import transforms as tf
from ligament.physics.engines.constant_motion import ConstantMotion
from ligament.physics.engines.poses import AT_ORIGIN, compose, multiply, rotate

numbers = st.floats(-10, 10)
vectors = st.tuples(numbers, numbers, numbers)
units = (
    st.tuples(numbers, numbers, numbers, numbers)
    .filter(lambda q: np.linalg.norm(q) > 0.1)
    .map(lambda q: tuple(np.array(q) / np.linalg.norm(q)))
)


@given(units, units, vectors)
def test_the_algebra_is_that_of_transforms(
    a: tuple[float, float, float, float],
    b: tuple[float, float, float, float],
    v: tuple[float, float, float],
) -> None:
    np.testing.assert_allclose(rotate(a, v), tf.rotate(np.array(a), np.array(v)), atol=1e-12)
    np.testing.assert_allclose(multiply(a, b), tf.multiply(np.array(a), np.array(b)), atol=1e-12)


@given(vectors, units, vectors, units, vectors)
def test_composed_poses_act_one_after_the_other(
    t: tuple[float, float, float],
    q: tuple[float, float, float, float],
    u: tuple[float, float, float],
    r: tuple[float, float, float, float],
    v: tuple[float, float, float],
) -> None:
    translation, rotation = compose((t, q), (u, r))
    inner = np.add(u, rotate(r, v))
    expected = np.add(t, rotate(q, tuple(inner)))
    np.testing.assert_allclose(np.add(translation, rotate(rotation, v)), expected, atol=1e-10)
    assert compose((t, q), AT_ORIGIN) == (t, q)


@given(vectors, units, vectors, vectors, vectors, st.floats(0, 100))
def test_constant_motion_is_a_screw_about_the_center(
    t: tuple[float, float, float],
    q: tuple[float, float, float, float],
    center: tuple[float, float, float],
    velocity: tuple[float, float, float],
    spin: tuple[float, float, float],
    time: float,
) -> None:
    translation, rotation = ConstantMotion((t, q), center, velocity, spin).at(time)
    turn = tf.exp(np.array(spin) * time)
    start = np.add(t, rotate(q, center))
    expected = tf.multiply(turn, np.array(q))
    np.testing.assert_allclose(tf.angle_between(rotation, expected), 0, atol=1e-8)
    np.testing.assert_allclose(
        np.add(translation, rotate(rotation, center)),
        start + np.array(velocity) * time,
        atol=1e-8,
    )
