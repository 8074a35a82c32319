"""Convex hulls: compared with Qhull, and by what every hull must be."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from ligament import transforms as tf
from ligament.physics.hulls import convex_hull, hull_points
from ligament.physics.shapes import Hull

Floats = npt.NDArray[np.float64]

CUBE = np.array(list(product((-1.0, 1.0), repeat=3)))
TURN = np.asarray(tf.to_matrix(tf.normalize(np.array([0.3, 0.2, 0.5, 0.7]))))

TOLERANCE = 4e-6
"""Of the extent along each axis: two units of a grid of 2**20, and rounding to it."""


def sphere(count: int, seed: int = 0) -> Floats:
    points = np.random.default_rng(seed).normal(size=(count, 3))
    return points / np.linalg.norm(points, axis=1)[:, None]


def grid(side: int) -> Floats:
    line = np.linspace(-1, 1, side)
    return np.stack(np.meshgrid(line, line, line), axis=-1).reshape(-1, 3)


def ring(count: int) -> Floats:
    angle = np.arange(count) * (2 * np.pi / count)
    return np.stack([np.cos(angle), np.sin(angle), np.zeros(count)], axis=1)


def volume(points: Floats, triangles: npt.NDArray[np.int64]) -> float:
    return float(np.linalg.det(points[triangles] - points[0]).sum() / 6)


def assert_is_hull(points: Floats) -> None:
    """Closed, turned outwards, of corners only, around all points."""
    hull = convex_hull(points)
    assert hull.dimension == 3
    assert set(hull.corners.tolist()) == set(hull.triangles.ravel().tolist())
    assert len(hull.triangles) == 2 * len(hull.corners) - 4  # Euler, for triangles
    edges = {(t[i], t[i - 2]) for t in hull.triangles.tolist() for i in range(3)}
    assert len(edges) == 3 * len(hull.triangles)
    assert edges == {(b, a) for a, b in edges}
    # In units of the extent along the hull's own axes, in which thin things are not thin.
    _, _, axes = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)
    unit = points @ axes.T
    unit = (unit - unit.min(axis=0)) / np.ptp(unit, axis=0)
    a, b, c = (unit[hull.triangles[:, i]] for i in range(3))
    normals = np.cross(b - a, c - a) * np.sign(np.linalg.det(axes))
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    heights = unit @ normals.T - np.einsum("ij,ij->i", normals, a)
    # The axes here are not those of the grid, which may be half again as fine.
    assert heights.max() < 2 * TOLERANCE


@pytest.mark.parametrize(
    "points",
    [
        CUBE,
        CUBE + 1e6,
        CUBE * 1e-6,
        CUBE * 1e9,
        CUBE @ TURN,
        np.concatenate([CUBE, CUBE, CUBE * 0.5]),
        (CUBE * [1, 1e-4, 1]) @ TURN,
        (CUBE * [1, 1e-4, 1e-4]) @ TURN,
        grid(9),
        grid(9) @ TURN,
        (grid(9) @ TURN).astype(np.float32).astype(float),
        sphere(500),
        sphere(500) * [1, 1e-3, 5],
        np.concatenate([ring(100), [[0, 0, 1]]]),
        np.concatenate([ring(100), ring(100) + np.array([0, 0, 1])]),
        np.random.default_rng(3).normal(size=(5000, 3)),
        np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]]),
        np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, -1.0]]),
    ],
)
def test_a_hull_is_closed_convex_and_around_everything(points: Floats) -> None:
    assert_is_hull(points)


coordinates = st.integers(-4, 4).map(float)


@given(arrays.arrays(np.float64, st.tuples(st.integers(4, 40), st.just(3)), elements=coordinates))
def test_any_arrangement_of_few_places(points: Floats) -> None:
    """Small whole numbers make every kind of coincidence: equal, collinear and coplanar points."""
    hull = convex_hull(points)
    spread = points - points[0]
    assert hull.dimension == np.linalg.matrix_rank(spread)
    if hull.dimension == 3:
        assert_is_hull(points)
    again = convex_hull(points[hull.corners])
    assert (len(again.corners), again.dimension) == (len(hull.corners), hull.dimension)


@pytest.mark.parametrize("seed", range(4))
def test_as_qhull_has_it(seed: int) -> None:
    spatial = pytest.importorskip("scipy.spatial")
    rng = np.random.default_rng(seed)
    for points in (rng.normal(size=(3000, 3)), rng.random((3000, 3)) * [1, 5, 0.1], sphere(3000)):
        other = spatial.ConvexHull(points)
        hull = convex_hull(points)
        missing = set(other.vertices.tolist()) - set(hull.corners.tolist())
        assert set(hull.corners.tolist()) <= set(other.vertices.tolist())
        assert len(missing) <= 0.01 * len(other.vertices)
        assert volume(points, hull.triangles) == pytest.approx(other.volume, rel=TOLERANCE)


def slab(seed: int) -> Floats:
    """Points on two sides of a box, some on their edges."""
    rng = np.random.default_rng(seed)
    points = rng.integers(-1000, 1001, (40, 3)).astype(float)
    points[:, 0] = np.where(points[:, 0] > 0, 1000, -1000)
    edge = 1000 * np.sign(points[:, 1])
    points[:, 1] = np.where(rng.random(40) < 0.5, points[:, 1], edge)
    return points


def layers(seed: int) -> Floats:
    """Three layers a few millionths of their width apart, with noise of that thickness."""
    rng = np.random.default_rng(seed)
    places = rng.integers(-1, 2, (40, 3)) * [1e6, 1e6, 40.0]
    return places + rng.integers(-6, 7, (40, 3))


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("arrange", [slab, layers])
def test_almost_flat_sides_are_closed_and_around_everything(
    arrange: Callable[[int], Floats], seed: int
) -> None:
    """Points get in before the corners around them, or lie near one plane and far above another."""
    assert_is_hull(arrange(seed))


@pytest.mark.parametrize("seed", range(40))
def test_without_a_corner_others_leave_it_out(seed: int) -> None:
    points = slab(seed)
    corners = convex_hull(points).corners
    for corner in corners:
        others = np.delete(points, corner, axis=0)
        others = others[(others != points[corner]).any(axis=1)]
        a, b, c = (others[convex_hull(others).triangles[:, i]] for i in range(3))
        assert (np.cross(b - a, c - a) * (points[corner] - a)).sum(axis=1).max() > 0


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("spread", [1, 2, 30, 1 << 19])
def test_whole_numbers_within_a_cube(seed: int, spread: int) -> None:
    """Most points coincide, or lie on the cube's sides and edges, at every resolution."""
    rng = np.random.default_rng(seed)
    few = rng.integers(-spread, spread + 1, (200, 3)).astype(float)
    assert_is_hull(few)
    assert sorted(hull_points(np.concatenate([few, CUBE * (1 << 19)])).tolist()) == sorted(
        (CUBE * (1 << 19)).tolist()
    )


def test_single_precision_far_from_the_origin_makes_few_corners() -> None:
    """Rounding lifts points of the 2,168 on a turned box by a millionth of its extent."""
    noisy = (grid(20) @ TURN + [30.0, 20.0, 10.0]).astype(np.float32).astype(float)
    assert 8 <= len(hull_points(noisy)) < 30


def test_a_hull_of_corners_knows_its_surface() -> None:
    points = sphere(300)
    made = Hull.around(np.concatenate([points * 0.5, points]))
    assert sorted(made.points.tolist()) == sorted(points.tolist())
    again = convex_hull(made.points)
    assert volume(made.points, made.triangles) == pytest.approx(
        volume(made.points, again.triangles), rel=1e-12
    )
    larger = made.enlarged(2.0, np.array([1.0, 2.0, 3.0]))
    assert larger.surface is made.surface
    assert np.array_equal(larger.points, made.points * 2 + [1, 2, 3])


def test_points_of_faces_and_edges_are_no_corners() -> None:
    assert sorted(hull_points(grid(20)).tolist()) == sorted(CUBE.tolist())


def test_noise_on_flat_faces_makes_few_corners() -> None:
    """Single precision lifts most of the 2,168 points of a turned box above their plane."""
    noisy = (grid(20) @ TURN).astype(np.float32).astype(float)
    assert 8 <= len(hull_points(noisy)) < 30


def test_points_inside_change_nothing() -> None:
    surface = sphere(2000)
    # The hull of the 2,000 points contains a ball of 0.98, and so these.
    inside = sphere(100_000, seed=1) * 0.98
    alone, together = convex_hull(surface), convex_hull(np.concatenate([inside, surface]))
    assert (together.corners - len(inside)).tolist() == alone.corners.tolist()


@pytest.mark.parametrize("thickness", [1e-2, 1e-3, 1e-4, 1e-5])
def test_thin_things_are_as_fine_in_any_direction(thickness: float) -> None:
    """A lens that slants through all axes has the volume of the ball that it was."""
    ball = sphere(2000)
    lens = (ball * [1, thickness, 1]) @ TURN
    expected = volume(ball, convex_hull(ball).triangles) * thickness
    assert volume(lens, convex_hull(lens).triangles) == pytest.approx(expected, rel=1e-4)


def test_flat_points_have_a_hull_of_two_sides() -> None:
    flat = (grid(5) * [1, 0, 2]) @ TURN + [5, 6, 7]
    hull = convex_hull(flat)
    assert (hull.dimension, len(hull.corners), len(hull.triangles)) == (2, 4, 4)
    around = flat[hull.corners] - flat[hull.corners].mean(axis=0)
    turns = np.cross(around, np.roll(around, -1, axis=0))
    assert np.allclose(turns, turns[0])  # in order: each quarter has the same area
    edges = {(t[i], t[i - 2]) for t in hull.triangles.tolist() for i in range(3)}
    assert edges == {(b, a) for a, b in edges}
    sides = np.cross(*(flat[hull.triangles[:, i]] - flat[hull.triangles[:, 0]] for i in (1, 2)))
    assert np.linalg.norm(sides, axis=1).sum() / 4 == pytest.approx(2 * 4)
    assert sides.sum(axis=0) == pytest.approx([0, 0, 0], abs=1e-12)


def test_a_disc_keeps_its_roundness() -> None:
    hull = convex_hull(ring(300) @ TURN)
    assert (hull.dimension, len(hull.corners)) == (2, 300)


@pytest.mark.parametrize("thickness", [0.0, 1e-7])
def test_thin_is_flat(thickness: float) -> None:
    assert convex_hull((CUBE * [1, thickness, 1]) @ TURN).dimension == 2


def test_lines_and_points() -> None:
    line = np.linspace(0, 1, 50)[:, None] * [1, 2, 3] + [7, 8, 9]
    hull = convex_hull(line[::-1])
    assert (hull.dimension, sorted(hull.corners.tolist())) == (1, [0, 49])
    assert hull.triangles.shape == (0, 3)
    assert convex_hull(np.full((9, 3), 0.1)).dimension == 0
    assert hull_points([[1, 2, 3]]).tolist() == [[1, 2, 3]]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="counts the threads of Linux")
def test_hulls_start_no_threads() -> None:
    """Under a limit of memory, the stacks of one thread for each core leave room for nothing."""
    code = (
        "import os, numpy as np; from ligament.physics.hulls import convex_hull\n"
        "points = np.random.default_rng(0).normal(size=(3000, 3))\n"
        "points /= np.linalg.norm(points, axis=1)[:, None]\n"
        "cores, before = os.sched_getaffinity(0), len(os.listdir('/proc/self/task'))\n"
        "assert len(convex_hull(points).corners) == 3000\n"
        "assert len(os.listdir('/proc/self/task')) == before\n"
        "assert os.sched_getaffinity(0) == cores\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
