"""The nearest points of convex shapes, against closed forms and the theorem of separation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ligament import transforms as tf
from ligament.author.proximity import Rounded, nearest, nearest_of, rounded
from ligament.extensions.shapes import Box, Capsule, Cylinder, Plane, Sphere
from ligament.physics.shapes import Hull, Mesh

TOLERANCE = 1e-5
"""Nearest points are pulled to the middles of both shapes, by a millionth of their extent."""


def at(shape: Rounded, *place: float) -> Rounded:
    return Rounded(shape.points + np.array(place), shape.radius)


def test_balls() -> None:
    found = nearest(at(rounded(Sphere(0.5)), 0, 0, 0), at(rounded(Sphere(1)), 3, 4, 0))
    np.testing.assert_allclose(found.a, (0.3, 0.4, 0), atol=1e-9)
    np.testing.assert_allclose(found.b, (2.4, 3.2, 0), atol=1e-9)
    assert found.distance == pytest.approx(3.5)


def test_capsules_that_cross() -> None:
    upright = rounded(Capsule(2, 0.1, 0.1))
    lying = Rounded(upright.points[:, [1, 0, 2]], 0.1)
    found = nearest(upright, at(lying, 0.5, 0.25, 1))
    np.testing.assert_allclose((found.a, found.b), [[0, 0.25, 0.1], [0, 0.25, 0.9]], atol=1e-5)
    assert found.distance == pytest.approx(0.8)


def test_sides_that_face_each_other_meet_in_the_middle_of_what_they_share() -> None:
    wall = rounded(Box((0.2, 4, 4)))
    found = nearest(wall, at(rounded(Box((1, 1, 1))), 1, 0.5, 1))
    np.testing.assert_allclose(found.a[0], 0.1, atol=TOLERANCE)
    assert 0 < found.a[1] < 0.5  # between the two middles, and within both sides
    np.testing.assert_allclose(found.a[1:], found.b[1:], atol=TOLERANCE)
    assert found.distance == pytest.approx(0.4, abs=TOLERANCE)


def test_shapes_that_overlap_have_a_point_inside_both() -> None:
    found = nearest(rounded(Box((1, 1, 1))), at(rounded(Box((1, 1, 1))), 0.6, 0.5, 0))
    np.testing.assert_allclose((found.a, found.b), [[0.3, 0.25, 0]] * 2, atol=TOLERANCE)
    assert found.distance == pytest.approx(0, abs=TOLERANCE)


def test_every_kind_of_shape_has_an_outline() -> None:
    corners = rounded(Box((1, 1, 1))).points
    ball = at(rounded(Sphere(0.1)), 0, 2, 0)
    for shape, top in (
        (Cylinder(2, 0.5, 0.5), 1.0),
        (Cylinder(2, 0.5, 0.0), 1.0),
        (Capsule(1, 0.5, 0.25), 0.75),
        (Plane(), 0.0),
        (Plane(1, 2), 0.0),
        (Hull(corners), 0.5),
        (Mesh(corners, np.array([[0, 1, 2], [2, 3, 7]])), 0.5),
    ):
        assert nearest(rounded(shape), ball).distance == pytest.approx(1.9 - top, abs=0.01)


def test_of_several_pieces_the_nearest_pair_counts() -> None:
    ball = rounded(Sphere(0.1))
    found = nearest_of(
        [at(ball, 0, 0, 0), at(ball, 5, 0, 0)], [at(ball, 9, 0, 0), at(ball, 0, 3, 0)]
    )
    assert found.distance == pytest.approx(2.8)


@given(st.integers(0, 10_000), st.sampled_from([1e-3, 1.0, 1e3]))
def test_a_plane_between_the_nearest_points_parts_the_shapes(seed: int, size: float) -> None:
    """Shapes are as far apart as their supports along the line between the nearest points."""
    random = np.random.default_rng(seed)
    turn = tf.normalize(random.normal(size=4))
    a = random.normal(size=(random.integers(1, 30), 3)) * size
    b = (
        np.asarray(tf.rotate(turn, random.normal(size=(20, 3)))) * size
        + random.normal(size=3) * 5 * size
    )
    found = nearest(Rounded(a, 0.0), Rounded(b, 0.0))
    if found.distance > 0.1 * size:
        along = (found.b - found.a) / found.distance
        apart = (b @ along).min() - (a @ along).max()
        assert apart == pytest.approx(found.distance, abs=1e-3 * size)
