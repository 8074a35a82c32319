"""How far surfaces move where a shape takes the place of another."""

from __future__ import annotations

import numpy as np
import pytest

from ligament.extensions.shapes import Box, Capsule, Cylinder, Plane, Sphere
from ligament.physics.growth import growth, support
from ligament.physics.shapes import Hull, Mesh, sampled

SOLIDS = [Sphere(0.7), Box((1, 2, 3)), Capsule(1.0, 0.3, 0.5), Cylinder(1.0, 0.4, 0.8)]
DIRECTIONS = np.random.default_rng(1).normal(size=(20, 3))
NORMALS = DIRECTIONS / np.linalg.norm(DIRECTIONS, axis=1)[:, None]


@pytest.mark.parametrize("shape", SOLIDS, ids=lambda shape: type(shape).__name__)
def test_the_support_of_a_shape_is_that_of_its_points(shape):
    points = sampled(shape)
    for normal in NORMALS:
        exact = support(shape, normal)
        assert exact is not None
        assert (points @ normal).max() <= exact + 1e-9
        assert (points @ normal).max() == pytest.approx(exact, rel=0.01)
        assert support(Hull(points), normal) == pytest.approx((points @ normal).max())


def test_a_box_grows_by_half_of_what_its_size_gains():
    up, none = np.array([[0.0, 1, 0]]), np.zeros(1, np.intp)
    assert growth(Box((1, 1, 1)), Box((2, 4, 1)), up * 0.5, up, none) == pytest.approx([1.5])


def test_a_mesh_moves_as_the_corners_of_the_triangle_that_is_touched():
    points = np.array([[0.0, 0, 0], [1, 0, 0], [0, 0, 1], [1, 0, 1]])
    triangles = np.array([[0, 2, 1], [1, 2, 3]])
    risen = points + [0, 1, 0] * points[:, :1]  # by x
    at = np.array([[0.25, 0, 0.25], [0.75, 0, 0.75]])
    normals = np.array([[0.0, 1, 0]] * 2)
    moved = growth(Mesh(points, triangles), Mesh(risen, triangles), at, normals, np.array([0, 1]))
    assert moved == pytest.approx([0.25, 0.75])


def test_planes_have_no_thickness_to_grow():
    up, none = np.array([[0.0, 1, 0]]), np.zeros(1, np.intp)
    assert growth(Plane(1.0, 1.0), Plane(2.0, 2.0), 0 * up, up, none) == 0
