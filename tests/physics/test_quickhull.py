"""Hulls on the grid of integers, in the arrangements that mislead an algorithm."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from ligament.physics.hulls import REACH, TOLERANCE, quickhull

Ints = npt.NDArray[np.int64]


def heights(points: Ints, triangles: Ints, of: Ints) -> npt.NDArray[np.float64]:
    """Distances (P, T) of points above the planes of faces, from exact products."""
    a, b, c = (points[triangles[:, i]] for i in range(3))
    normals = np.cross(b - a, c - a)
    volumes = of @ normals.T - np.einsum("ij,ij->i", normals, a)
    return np.asarray(volumes / np.linalg.norm(normals.astype(float), axis=1))


def slab(seed: int) -> Ints:
    """Points on two sides of a box, some on their edges."""
    rng = np.random.default_rng(seed)
    points = rng.integers(-1000, 1001, (40, 3))
    points[:, 0] = np.where(points[:, 0] > 0, 1000, -1000)
    edge = 1000 * np.sign(points[:, 1])
    points[:, 1] = np.where(rng.random(40) < 0.5, points[:, 1], edge)
    return np.unique(points, axis=0)


def layers(seed: int) -> Ints:
    """Three layers as wide as the grid and a few units apart, with noise of their thickness."""
    rng = np.random.default_rng(seed)
    places = rng.integers(-1, 2, (40, 3)) * [REACH - 10, REACH - 10, 20]
    return np.unique(places + rng.integers(-3, 4, (40, 3)), axis=0)


@pytest.mark.parametrize("seed", [22, 52, 109, 135, 281])
def test_every_vertex_is_a_corner(seed: int) -> None:
    """In these, points of a side get in before the corners around them."""
    points = slab(seed)
    corners = np.unique(quickhull(points))
    for corner in corners:
        others = points[np.setdiff1d(np.arange(len(points)), [corner])]
        assert heights(others, quickhull(others), points[[corner]]).max() > 0


@pytest.mark.parametrize("seed", [89, 120, 132, 136, 149, 152])
def test_no_point_is_left_outside(seed: int) -> None:
    """In these, a point is near the plane of one face and far above another."""
    points = layers(seed)
    assert heights(points, quickhull(points), points).max() <= TOLERANCE


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("spread", [1, 2, 30, REACH])
def test_surfaces_are_closed(seed: int, spread: int) -> None:
    rng = np.random.default_rng(seed)
    cube = np.array(list(np.ndindex(2, 2, 2))) * 2 * REACH - REACH
    few = np.unique(rng.integers(-spread, spread + 1, (200, 3)), axis=0)
    for points in (few, np.unique(np.concatenate([few, cube]), axis=0)):
        triangles = quickhull(points)
        assert len(triangles) == 2 * len(np.unique(triangles)) - 4
        edges = {(t[i], t[i - 2]) for t in triangles.tolist() for i in range(3)}
        assert edges == {(b, a) for a, b in edges}
        assert len(edges) == 3 * len(triangles)
        found = heights(points, triangles, points)
        assert found.max() <= TOLERANCE
        assert found.min() < 0


def test_the_largest_numbers_do_not_overflow() -> None:
    corners = np.array(list(np.ndindex(2, 2, 2))) * 2 * REACH - REACH
    assert len(quickhull(corners)) == 12
    volume = np.linalg.det(corners[quickhull(corners)].astype(float)).sum() / 6
    assert volume == pytest.approx((2.0 * REACH) ** 3)
