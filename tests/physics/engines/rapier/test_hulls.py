from __future__ import annotations

import numpy as np
import pytest
import rapier3d as rp

from ligament.physics.engines.rapier.world.hulls import (
    MOST_POINTS,
    Support,
    broad_faces,
    build_hull,
    directions,
    thinned,
)
from ligament.physics.engines.rapier.world.shapes import Role, ShapeBuilder
from tests.physics.engines.rapier.scenes import CUBE, CUBE_TRIANGLES, Box, Hull, Mesh, Sphere


def prism(corners: int) -> np.ndarray:
    angle = np.arange(corners) * (2 * np.pi / corners)
    ring = np.stack([np.cos(angle), np.zeros(corners), np.sin(angle)], axis=-1)
    return np.concatenate([ring, ring + np.array([0, 1, 0])])


def faces(points: np.ndarray) -> list[np.ndarray]:
    hull = rp.SharedShape.convex_hull(points).as_convex_polyhedron()
    assert hull is not None
    corners = np.array(hull.points, float)
    return [corners[face] for face in broad_faces(corners, np.array(hull.indices))]


@pytest.mark.parametrize("corners", [5, 6, 17, 64])
def test_broad_faces_of_prisms(corners: int) -> None:
    """The two ends, all around and in order."""
    ends = faces(prism(corners))
    assert sorted(len(end) for end in ends) == [corners, corners]
    edge = 2 * np.sin(np.pi / corners)
    for end in ends:
        lengths = np.linalg.norm(np.roll(end, 1, axis=0) - end, axis=1)
        np.testing.assert_allclose(lengths, edge, rtol=1e-5)


@pytest.mark.parametrize("points", [CUBE, prism(3), prism(4), directions(100)])
def test_most_hulls_have_no_broad_faces(points: np.ndarray) -> None:
    assert faces(points) == []
    assert build_hull(points, Support.STANDING).as_convex_polyhedron() is not None


def test_directions_are_spread_evenly() -> None:
    """Each of n has a cap of 4π/n to itself: no gap is wider than two of its radii."""
    unit = directions(200)
    np.testing.assert_allclose(np.linalg.norm(unit, axis=1), 1)
    probe = directions(5001)
    gap = np.arccos((probe @ unit.T).max(axis=1)).max()
    assert gap < 2 * np.arccos(1 - 2 / 200)


def test_thinned_hulls_keep_their_size() -> None:
    points = directions(4000) * [1, 0.05, 2]
    kept = thinned(points)
    assert len(kept) <= MOST_POINTS
    probe = directions(1000)
    lost = (points @ probe.T).max(axis=0) - (kept @ probe.T).max(axis=0)
    assert lost.min() >= 0
    assert lost.max() < 0.013 * 2
    hull = build_hull(directions(4000), Support.CARRYING).as_convex_polyhedron()
    assert hull is not None
    assert hull.num_points() <= MOST_POINTS


def test_points_inside_do_not_count() -> None:
    inside = np.random.default_rng(0).random((3000, 3)) * 0.9 - 0.45
    hull = build_hull(np.concatenate([inside, CUBE]), Support.STANDING).as_convex_polyhedron()
    assert hull is not None
    assert hull.num_points() == 8


def test_equal_shapes_are_built_once() -> None:
    builder = ShapeBuilder()
    hull, mesh = Hull(CUBE), Mesh(CUBE, CUBE_TRIANGLES)
    assert builder.build(Sphere(0.5), Role.MOVING) is builder.build(Sphere(0.5), Role.MOVING)
    boxes = [builder.build(Box((1, 2, z)), Role.MOVING) for z in (3, 4)]
    assert boxes[0] is not boxes[1]
    for shape in (hull, mesh):
        assert builder.build(shape, Role.MOVING) is builder.build(shape, Role.MOVING)
        assert builder.build(shape, Role.GROUND) is not builder.build(shape, Role.MOVING)
    assert builder.build(Hull(CUBE), Role.MOVING) is not builder.build(hull, Role.MOVING)


def test_parts_of_broad_faces() -> None:
    """One to stand on for each end; to carry, the rest of the circle but for slivers."""
    counts = []
    for support in Support:
        parts = build_hull(prism(64), support).as_compound()
        counts.append(parts.num_shapes() if parts else 0)
    assert counts == [3, 11]
