"""Shapes under scale and shear."""

from __future__ import annotations

import dataclasses
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ligament import transforms as tf
from ligament.extensions.shapes import Box, Capsule, Cylinder, Plane, Sphere
from ligament.physics.hulls import convex_hull
from ligament.physics.shapes import (
    PLANE_EXTENT,
    VOLUME_TOLERANCE,
    Hull,
    Mesh,
    Shape,
    scaled,
    welded,
)
from tests.physics.surfaces import ACCURACY, surface

Floats = npt.NDArray[np.float64]

TETRAHEDRON = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3.0]])
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
SHEAR = np.array([[1.0, 0.5, 0], [0, 1, 0], [0, 0, 1]])


def volume(points: Floats, triangles: npt.NDArray[np.int64]) -> float:
    return float(np.linalg.det(points[triangles]).sum() / 6)


def same(found: Shape | None, expected: Any) -> bool:
    """Compare sizes to the last digits: scaling rounds."""
    assert type(found) is type(expected)
    numbers = dataclasses.astuple(found) if found is not None else ()
    wanted = dataclasses.astuple(expected) if found is not None else ()
    pairs = zip(numbers, wanted, strict=True)
    return all(a == b or a == pytest.approx(b, rel=1e-12) for a, b in pairs)


@pytest.mark.parametrize(
    ("shape", "scale", "expected"),
    [
        (Sphere(0.5), (3, 3, 3), Sphere(1.5)),
        (Sphere(0.5), (-3, 3, -3), Sphere(1.5)),
        (Box((1, 2, 3)), (2, 3, 4), Box((2, 6, 12))),
        (Box((1, 2, 3)), (-2, 3, -4), Box((2, 6, 12))),
        (Cylinder(1, 0.5, 0.5), (2, 3, 2), Cylinder(3, 1, 1)),
        (Cylinder(1, 0.5, 0.25), (2, 3, -2), Cylinder(3, 1, 0.5)),
        (Cylinder(1, 0.5, 0), (-2, 3, 2), Cylinder(3, 1, 0)),
        (Cylinder(1, 0.5, 0), (2, -3, 2), Cylinder(3, 0, 1)),
        (Capsule(1, 0.5, 0.25), (2, 2, 2), Capsule(2, 1, 0.5)),
        (Capsule(1, 0.5, 0.25), (-2, 2, -2), Capsule(2, 1, 0.5)),
        (Capsule(1, 0.5, 0.25), (-2, -2, 2), Capsule(2, 0.5, 1)),
        (Capsule(0, 0.5, 0.25), (2, 2, 2), Capsule(0, 1, 0.5)),
        (Plane(1, 2), (2, 5, 3), Plane(2, 6)),
        (Plane(1, None, True), (-2, -5, 3), Plane(2, None, True)),
        (Plane(), (2, 0, 3), Plane()),
        (Plane(), (-2, 1, -3), Plane()),
        (Plane(1, 2), (2, -5, -3), Plane(2, 6, side=-1)),
    ],
)
def test_shapes_that_stay_what_they_are(shape: Shape, scale: Any, expected: Shape) -> None:
    assert same(scaled(shape, np.diag(scale)), expected)


EVERY = [
    Sphere(0.5),
    Box((1.0, 2.0, 3.0)),
    Cylinder(1.0, 0.5, 0.25),
    Capsule(1.0, 0.5, 0.25),
    Plane(1.0, 1.0),
    Plane(),
    Hull(TETRAHEDRON),
    Mesh(TETRAHEDRON, FACES),
]


@pytest.mark.parametrize("shape", EVERY)
def test_scale_zero_disables(shape: Shape) -> None:
    """Decision 15: zero on all axes; and what is left of two axes is a line."""
    assert scaled(shape, np.zeros((3, 3))) is None
    assert scaled(shape, np.diag([0, 0, 1])) is None
    assert scaled(shape, np.diag([1, 0, 0])) is None


@pytest.mark.parametrize("shape", EVERY[:4])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_scale_zero_on_one_axis_flattens(shape: Shape, axis: int) -> None:
    scale = np.ones(3)
    scale[axis] = 0
    flat = scaled(shape, np.diag(scale))
    assert isinstance(flat, Hull)
    assert (flat.points[:, axis] == 0).all()
    whole = convex_hull(surface(shape).points * scale)  # type: ignore[arg-type]
    assert convex_hull(flat.points).dimension == whole.dimension == 2
    assert area(flat.points, flat.triangles) == pytest.approx(
        area(surface(shape).points * scale, whole.triangles),  # type: ignore[arg-type]
        rel=VOLUME_TOLERANCE,
    )


def area(points: Floats, triangles: npt.NDArray[np.int64]) -> float:
    a, b, c = (points[triangles[:, i]] for i in range(3))
    return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 4)


def test_flat_hulls_and_meshes() -> None:
    hull = scaled(Hull(TETRAHEDRON), np.diag([1, 1, 0]))
    assert isinstance(hull, Hull)
    assert sorted(hull.points.tolist()) == [[0, 0, 0], [0, 2, 0], [1, 0, 0]]
    mesh = scaled(Mesh(TETRAHEDRON, FACES), np.diag([1, 1, 0]))
    assert isinstance(mesh, Mesh)
    assert mesh.triangles.tolist() == [[0, 2, 1], [1, 2, 3]]  # the others became lines


@pytest.mark.parametrize(
    "shape",
    [
        Sphere(0.0),
        Capsule(1.0, 0.0, 0.0),
        Cylinder(1.0, 0.0, 0.0),
        Box((0.0, 0.0, 1.0)),
        Plane(0.0),
    ],
)
def test_shapes_without_extent_are_disabled_too(shape: Shape) -> None:
    assert scaled(shape, np.eye(3)) is None


def test_a_box_without_height_is_flat() -> None:
    flat = scaled(Box((2.0, 0.0, 4.0)), np.eye(3))
    assert isinstance(flat, Hull)
    assert sorted(flat.points.tolist()) == [[-1, 0, -2], [-1, 0, 2], [1, 0, -2], [1, 0, 2]]


ROUND = [Sphere(0.5), Cylinder(1.0, 0.5, 0.25), Capsule(1.0, 0.5, 0.5), Capsule(1.0, 0.2, 0.6)]
stretches = st.tuples(*[st.floats(-2, 2)] * 9).map(lambda m: np.array(m).reshape(3, 3))


@cache
def bounds_and_volume(shape: Any) -> tuple[Floats, Floats, float]:
    mesh = surface(shape)
    exact = volume(mesh.points, mesh.triangles)
    return mesh.points.min(axis=0), mesh.points.max(axis=0), exact


@given(st.sampled_from(ROUND), stretches)
def test_deformed_shapes_become_hulls(shape: Any, stretch: Floats) -> None:
    """Before the stretch the hull has the bounds of the shape, and misses less than promised."""
    sizes = np.linalg.svd(stretch, compute_uv=False)
    assume(sizes[2] > 1e-3 and sizes[0] - sizes[2] > 1e-3)
    hull = scaled(shape, stretch)
    assert isinstance(hull, Hull)
    assert hull.origin is not None
    low, high, exact = bounds_and_volume(shape)
    before = hull.points @ np.linalg.inv(hull.origin.stretch).T
    assert before.min(axis=0) == pytest.approx(low, abs=1e-4)
    assert before.max(axis=0) == pytest.approx(high, abs=1e-4)
    found = volume(hull.points, hull.triangles) / abs(np.linalg.det(stretch))
    assert 1 - VOLUME_TOLERANCE < found / exact < 1 + ACCURACY


@pytest.mark.parametrize("shape", [*ROUND, Cylinder(1.0, 0.5, 0.0), Capsule(1.0, 0.3, 0.0)])
def test_every_point_of_a_sampled_hull_is_a_corner(shape: Shape) -> None:
    hull = scaled(shape, SHEAR)
    assert isinstance(hull, Hull)
    assert len(convex_hull(hull.points).corners) == len(hull.points)


def test_the_bounds_of_an_ellipsoid_are_exact() -> None:
    hull = scaled(Sphere(1.0), np.diag([1, 2, 3]))
    assert isinstance(hull, Hull)
    assert hull.points.max(axis=0) == pytest.approx([1, 2, 3], rel=1e-12)
    assert hull.points.min(axis=0) == pytest.approx([-1, -2, -3], rel=1e-12)


def test_a_sheared_box_is_exact() -> None:
    hull = scaled(Box((2.0, 2.0, 2.0)), SHEAR)
    assert isinstance(hull, Hull)
    expected = [[x + 0.5 * y, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    assert sorted(hull.points.tolist()) == sorted(expected)


@pytest.mark.parametrize("scale", [(1, -1, 2), (1, 1, 2), (-1, 1, 2), (-1, -1, -2)])
def test_a_taper_points_where_its_axis_does(scale: Any) -> None:
    hull = scaled(Cylinder(2.0, 1.0, 0.0), np.diag(scale))
    assert isinstance(hull, Hull)
    tip = hull.points[hull.points[:, 1] * scale[1] > 0]
    assert tip == pytest.approx(np.array([[0, scale[1], 0]]))


def test_mirrors_that_turn_nothing_leave_a_ball_a_ball() -> None:
    """A mirror above a turned node is no scale along the node's own axes."""
    turn = np.asarray(tf.to_matrix(tf.from_axis_angle([0, 0, 1], 0.7)))
    assert same(scaled(Sphere(0.5), turn.T @ np.diag([-2, 2, 2]) @ turn), Sphere(1.0))


def test_hulls_are_mirrored() -> None:
    hull = scaled(Hull(TETRAHEDRON), np.diag([-1, 1, 2]))
    assert isinstance(hull, Hull)
    assert hull.points.tolist() == (TETRAHEDRON * [-1, 1, 2]).tolist()
    assert volume(hull.points, hull.triangles) == pytest.approx(2)


@given(stretches)
def test_meshes_stay_turned_outwards(stretch: Floats) -> None:
    size = np.linalg.det(stretch)
    mesh = scaled(Mesh(TETRAHEDRON, FACES), stretch)
    if abs(size) > 1e-3:
        assert isinstance(mesh, Mesh)
        assert mesh.points == pytest.approx(TETRAHEDRON @ stretch.T)
        assert volume(mesh.points, mesh.triangles) == pytest.approx(abs(size))


def test_no_stretch_copies_nothing() -> None:
    """So that what is known of a mesh that many colliders share is found again."""
    for shape in (Hull(TETRAHEDRON), Mesh(TETRAHEDRON, FACES)):
        assert scaled(shape, np.eye(3) + 1e-15) is shape


def test_rounding_in_a_file_is_no_shear() -> None:
    """A turn of 90° in six digits above an uneven scale."""
    turn = np.asarray(tf.to_matrix(tf.normalize([0.707107, 0, 0, 0.707106])))
    stretch = turn.T @ np.diag([1, 2, 3]) @ turn
    result = scaled(Box((1.0, 1.0, 1.0)), stretch)
    assert isinstance(result, Box)
    assert result.size == pytest.approx((1, 3, 2), rel=1e-5)


def test_sheared_planes() -> None:
    along = np.array([[1.0, 7, 0.5], [0, 1, 0], [0, 0, 1]])
    assert scaled(Plane(), along) == Plane()
    slanted = scaled(Plane(2.0, 4.0), along)
    assert isinstance(slanted, Mesh)
    assert sorted(slanted.points.tolist()) == [[-2, 0, -2], [0, 0, -2], [0, 0, 2], [2, 0, 2]]
    assert facing(slanted) == pytest.approx(np.array([[0, 4, 0], [0, 4, 0]]))


def test_planes_mirrored_in_themselves_still_face_up() -> None:
    """A mirror above a node that is turned by 45° swaps its X and Z axes."""
    swapped = scaled(Plane(2.0, 4.0), np.array([[0.0, 0, 1], [0, 1, 0], [1, 0, 0]]))
    assert isinstance(swapped, Mesh)
    assert sorted(swapped.points.tolist()) == [[-2, 0, -1], [-2, 0, 1], [2, 0, -1], [2, 0, 1]]
    assert facing(swapped) == pytest.approx(np.array([[0, 4, 0], [0, 4, 0]]))


def test_tilted_planes() -> None:
    """Shear along Y tilts; the mesh that stands for the plane faces where its axis points."""
    tilt = np.array([[1.0, 0, 0], [1, 1, 0], [0, 0, 1]])
    for stretch, side in ((tilt, 1), (tilt * [-1, 1, 1], 1), (-tilt, -1), (tilt * [1, -1, 1], -1)):
        mesh = scaled(Plane(2.0, 4.0), stretch)
        assert isinstance(mesh, Mesh)
        assert facing(mesh) == pytest.approx(side * np.array([[-4, 4, 0], [-4, 4, 0]]))
    endless = scaled(Plane(), tilt)
    assert isinstance(endless, Mesh)
    assert np.abs(endless.points).max() == pytest.approx(PLANE_EXTENT)
    assert scaled(Plane(), np.diag([1, 1, 0])) is None


def facing(mesh: Mesh) -> Floats:
    a, b, c = (mesh.points[mesh.triangles[:, i]] for i in range(3))
    return np.cross(b - a, c - a) / 2


def test_welding() -> None:
    points = np.array([[1, 0, 0], [0, 0, 0], [0, 0, 0], [0, 1, 0], [-0.0, 0, 0], [9, 9, 9]])
    joined, triangles = welded(points, np.array([[1, 0, 3], [2, 4, 0], [3, 0, 4]]))
    assert sorted(joined.tolist()) == [[0, 0, 0], [0, 1, 0], [1, 0, 0]]
    corners = joined[triangles].tolist()
    assert corners == [[[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 0], [1, 0, 0], [0, 0, 0]]]
