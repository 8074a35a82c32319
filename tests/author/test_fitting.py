"""Fitted shapes against the primitives that meshes were made from, and against closed forms."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import trimesh

from ligament import transforms as tf
from ligament.author.fitting import Fit, Kind, fit
from ligament.physics.mass import solid
from ligament.physics.shapes import Box, Capsule, Cylinder, Hull, Mesh, Sphere
from tests.sampling import sample

Floats = npt.NDArray[np.float64]

CUBE = np.array(list(itertools.product((-0.5, 0.5), repeat=3)))
TETRAHEDRON = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]) / 2.0
PRIMITIVES = ("sphere", "box", "capsule", "cylinder", "cone", "frustum")
TO_Y = tf.from_axis_angle([1, 0, 0], -math.pi / 2)


def revolved(profile: list[tuple[float, float]], sections: int) -> trimesh.Trimesh:
    """Turn a line of (radius, height) about the Y axis."""
    surface = trimesh.creation.revolve(np.array(profile), sections=sections)
    surface.apply_transform(np.asarray(tf.compose([0, 0, 0], TO_Y)))
    return surface


def arc(radius: float, center: float, start: float, stop: float, parts: int) -> Any:
    angles = np.linspace(start, stop, parts + 1)
    height = center + radius * np.sin(angles)
    return list(zip(np.abs(radius * np.cos(angles)), height, strict=True))


def made(kind: str, rng: np.random.Generator) -> tuple[trimesh.Trimesh, tuple[float, ...]]:
    """Return a primitive of random proportions about the Y axis, and its sizes, as declared.

    Sixteen sides or more: their circle is then less than 3 % larger than the polygon.
    """
    sides, parts = int(rng.integers(16, 40)), int(rng.integers(5, 10))
    radius, height = rng.uniform(0.2, 2.0), rng.uniform(0.5, 5.0)
    quarter = math.pi / 2
    match kind:
        case "sphere":
            return revolved(arc(radius, 0, -quarter, quarter, 2 * parts), sides), (radius,)
        case "box":
            size = rng.uniform(0.2, 3.0, 3)
            return trimesh.creation.box(size), tuple(sorted(size))
        case "capsule":
            lower = arc(radius, -height / 2, -quarter, 0, parts)
            upper = arc(radius, height / 2, 0, quarter, parts)
            return revolved(lower + upper, sides), (height, radius, radius)
    top = {"cylinder": radius, "cone": 0.0, "frustum": radius * rng.uniform(0.2, 0.9)}[kind]
    half = height / 2
    profile = [(0.0, -half), (radius, -half), (top, half)] + ([(0.0, half)] if top else [])
    return revolved(profile, sides), (height, top, radius)


def sizes(found: Fit) -> tuple[float, ...]:
    """Return the sizes of a shape as `made` does: sides and radii in rising order."""
    match found.shape:
        case Sphere(radius):
            return (radius,)
        case Box(size):
            return tuple(sorted(size))
        case Capsule(height, bottom, top) | Cylinder(height, bottom, top):
            return (height, min(bottom, top), max(bottom, top))
    raise AssertionError(found.kind)


@pytest.mark.parametrize("seed", sample(range(4), 2))
@pytest.mark.parametrize("kind", PRIMITIVES)
def test_auto_finds_what_a_mesh_was_made_from(kind: str, seed: int) -> None:
    rng = np.random.default_rng([PRIMITIVES.index(kind), seed])
    surface, expected = made(kind, rng)
    turn, scale = tf.normalize(rng.normal(size=4)), 10 ** rng.uniform(-3, 3)
    move = rng.normal(size=3) * 5 * scale
    points = np.asarray(tf.rotate(turn, surface.vertices * scale)) + move
    if seed % 2:  # as files keep them
        points = points.astype(np.float32).astype(np.float64)
    found = fit(points, surface.faces)
    assert found.kind == ("cylinder" if kind in ("cone", "frustum") else kind)
    # One per cent of the largest size, since a radius of 0 has no per cent.
    assert np.abs(np.array(sizes(found)) / scale - expected).max() < 0.01 * max(expected)
    assert np.linalg.norm(found.translation - move) < 0.01 * scale * max(expected)
    if kind in ("capsule", "cylinder", "cone", "frustum"):
        axis = tf.rotate(found.rotation, [0, 1, 0])
        assert abs(np.dot(axis, tf.rotate(turn, [0, 1, 0]))) > 0.9999
    expected_excess = solid(found.shape).volume / (surface.volume * scale**3) - 1
    assert found.error.excess == pytest.approx(expected_excess, abs=1e-3)
    assert found.error.hollow == pytest.approx(0.0, abs=1e-3)


def test_the_wide_end_of_a_cone_is_where_the_points_are() -> None:
    surface, _ = made("cone", np.random.default_rng(5))
    found = fit(surface.vertices @ np.diag([1, -1, -1]))  # upside down
    assert isinstance(found.shape, Cylinder)
    assert found.shape.radius_bottom == 0 < found.shape.radius_top
    assert np.allclose(found.rotation, [0, 0, 0, 1])


@pytest.mark.parametrize(
    ("sides", "kind"), [(6, "hull"), (8, "cylinder"), (12, "cylinder"), (4, "box")]
)
def test_prisms_of_few_sides(sides: int, kind: str) -> None:
    surface = revolved([(0.0, -1.0), (1.0, -1.0), (1.0, 1.0), (0.0, 1.0)], sides)
    found = fit(surface.vertices)
    assert found.kind == kind
    circle = math.pi / (sides / 2 * math.sin(2 * math.pi / sides)) - 1
    assert found.error.excess == pytest.approx(circle if kind == "cylinder" else 0.0, abs=1e-6)


def test_a_looser_tolerance_takes_simpler_shapes() -> None:
    surface = revolved([(0.0, -1.0), (1.0, -1.0), (1.0, 1.0), (0.0, 1.0)], 6)
    assert fit(surface.vertices, tolerance=0.3).kind == Kind.CYLINDER
    assert fit(surface.vertices, tolerance=0.1).kind == Kind.HULL
    coarse = trimesh.creation.icosphere(1).vertices
    assert fit(coarse).kind == Kind.SPHERE
    assert fit(coarse, tolerance=0.1).kind == Kind.HULL


def test_the_smallest_ball_is_exact() -> None:
    rng = np.random.default_rng(0)
    for _ in range(5):
        points = rng.normal(size=(14, 3))
        found = fit(points, kind="sphere")
        assert isinstance(found.shape, Sphere)
        assert found.shape.radius == pytest.approx(_smallest_radius(points), rel=1e-9)
        distances = np.linalg.norm(points - found.translation, axis=1)
        assert distances.max() == pytest.approx(found.shape.radius, rel=1e-12)


def _smallest_radius(points: Floats) -> float:
    """Try the ball of every two, three and four points."""
    best = math.inf
    for count in (2, 3, 4):
        for few in itertools.combinations(range(len(points)), count):
            places = points[list(few)]
            offsets = places[1:] - places[0]
            middle = np.linalg.pinv(2 * offsets) @ (offsets**2).sum(axis=1)
            squares = ((points - places[0] - middle) ** 2).sum(axis=1)
            if squares.max() <= (middle**2).sum() * (1 + 1e-9):
                best = min(best, float(np.sqrt(squares.max())))
    return best


def test_the_box_around_a_tetrahedron_is_the_cube_that_it_stands_in() -> None:
    # No face of this box is flush with a face of the hull: edges lie in all of them.
    turn = tf.normalize(np.array([0.3, -0.2, 0.5, 0.7]))
    found = fit(np.asarray(tf.rotate(turn, TETRAHEDRON)), kind="box")
    assert isinstance(found.shape, Box)
    assert np.allclose(found.shape.size, 1, atol=1e-6)
    assert found.error.excess == pytest.approx(2.0, abs=1e-5)  # a third of the cube is filled


def test_boxes_are_no_larger_than_those_along_random_axes() -> None:
    rng = np.random.default_rng(1)
    turns = np.asarray(tf.to_matrix(tf.normalize(rng.normal(size=(3000, 4)))))
    for count in (5, 12, 40, 200):
        points = rng.normal(size=(count, 3)) * [3, 2, 1]
        found = fit(points, kind="box")
        extents = np.ptp(points @ turns, axis=1)
        assert solid(found.shape).volume <= extents.prod(axis=1).min() * (1 + 1e-9)


def test_boxes_along_the_axes_are_not_turned() -> None:
    found = fit(CUBE * [3, 1, 2] + [5, 6, 7])
    assert found.shape == Box((3.0, 1.0, 2.0))
    assert np.allclose(found.rotation, [0, 0, 0, 1])
    assert np.allclose(found.translation, [5, 6, 7])


@pytest.mark.parametrize(
    ("kind", "points", "distance"),
    [
        ("sphere", CUBE, math.sqrt(3) / 2 - 0.5),  # over the middle of a face
        ("cylinder", CUBE * [1, 4, 1], math.sqrt(0.5) - 0.5),
        ("box", TETRAHEDRON, 1 / math.sqrt(3)),  # from a free corner of the cube to a face
        ("box", CUBE, 0.0),
        ("hull", TETRAHEDRON, 0.0),
    ],
)
def test_distance_between_the_surfaces(kind: str, points: Floats, distance: float) -> None:
    turn = tf.normalize(np.array([0.1, 0.2, -0.3, 0.9]))
    found = fit(np.asarray(tf.rotate(turn, points)) * 7, kind=kind)
    assert found.error.distance == pytest.approx(7 * distance, rel=1e-3, abs=1e-6)


def test_the_capsule_around_two_points_and_a_ring() -> None:
    ring = np.array([[math.cos(a), 0, math.sin(a)] for a in np.linspace(0, 6, 20)])
    found = fit([*ring, [0, 4, 0], [0, -4, 0]], kind="capsule")
    # A radius of 1 is needed sideways, and the ends must reach 4.
    assert found.shape == Capsule(pytest.approx(6.0), pytest.approx(1.0), pytest.approx(1.0))


def test_a_mesh_is_itself() -> None:
    torus = trimesh.creation.torus(1.0, 0.3)
    found = fit(torus.vertices, torus.faces, "mesh")
    assert isinstance(found.shape, Mesh)
    assert solid(found.shape).volume == pytest.approx(torus.volume)
    assert found.error.hollow == pytest.approx(1 - torus.volume / torus.convex_hull.volume)
    assert found.error.excess == pytest.approx(-(found.error.hollow or 0))
    assert found.error.distance == 0


def test_a_concave_surface_says_how_hollow_it_is() -> None:
    # An L of three unit cubes, whose hull has half a cube more.
    outline = np.array([[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]])
    points = np.concatenate([np.insert(outline, 2, z, axis=1) for z in (0, 1)])
    floor = np.array([[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]])
    walls = [[(i, j, j + 6), (i, j + 6, i + 6)] for i, j in enumerate((*range(1, 6), 0))]
    triangles = np.concatenate([floor[:, ::-1], floor + 6, np.array(walls).reshape(-1, 3)])
    found = fit(points, triangles, "hull")
    assert found.error.hollow == pytest.approx(1 - 3 / 3.5)
    assert fit(points, triangles[:-1]).error.hollow is None
    assert fit(points).error.hollow is None


def test_parts_are_the_shape_itself_where_nothing_was_cut() -> None:
    found = fit(CUBE)
    assert found.parts == (found,)
    assert isinstance(fit(CUBE, kind="hull").shape, Hull)
