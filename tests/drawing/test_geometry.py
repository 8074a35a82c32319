"""Drawn shapes: every end of a line lies on the surface, and surfaces are closed and face out."""

import math
from collections import Counter

import numpy as np
import pytest

from ligament import transforms as tf
from ligament.drawing.geometry import (
    AROUND,
    BONE_SHAPE,
    PLANE_SIDE,
    SIDES,
    Surface,
    along,
    bars,
    chain,
    circle,
    contact_arrows,
    outline,
    surface,
)
from ligament.physics.engines import Contacts
from ligament.physics.shapes import Box, Capsule, Cylinder, Hull, Mesh, Plane, Sphere, scaled

CLOSE = {"abs": 1e-12}
SOLIDS = [
    Sphere(0.7),
    Box((1.0, 2.0, 0.5)),
    Capsule(1.0, 0.3, 0.3),
    Capsule(1.0, 0.4, 0.1),
    Capsule(0.2, 0.5, 0.1),
    Cylinder(1.0, 0.5, 0.2),
    Cylinder(1.0, 0.0, 0.4),
]


def distance(shape: object, point: np.ndarray) -> float:
    """Signed distance of a point from the surface of a shape, in closed form."""
    radius, height = math.hypot(point[0], point[2]), point[1]
    match shape:
        case Sphere(size):
            return float(np.linalg.norm(point)) - size
        case Box(size):
            beyond = np.abs(point) - np.array(size) / 2
            return float(np.linalg.norm(np.maximum(beyond, 0)) + min(beyond.max(), 0.0))
        case Capsule(length, bottom, top):
            return _capsule(radius, height, length, bottom, top)
        case Cylinder(length, bottom, top):
            return _frustum(radius, height, length, bottom, top)
    raise AssertionError(shape)


def _capsule(radius: float, height: float, length: float, bottom: float, top: float) -> float:
    ends = [
        math.hypot(radius, height + length / 2) - bottom,
        math.hypot(radius, height - length / 2) - top,
    ]
    if abs(bottom - top) >= length:
        return min(ends)
    sine = (bottom - top) / length
    cosine = math.sqrt(1 - sine * sine)
    up = height + length / 2
    along = up * cosine - radius * sine
    if 0 <= along <= length * cosine:
        return radius * cosine + up * sine - bottom
    return min(ends)


def _frustum(radius: float, height: float, length: float, bottom: float, top: float) -> float:
    if abs(abs(height) - length / 2) < 1e-12:
        here = bottom if height < 0 else top
        return max(radius - here, 0.0)
    here = bottom + (top - bottom) * (height / length + 0.5)
    return radius - here


@pytest.mark.parametrize("shape", SOLIDS, ids=str)
def test_lines_lie_on_the_surface(shape: object) -> None:
    lines = outline(shape)
    assert lines.shape[1:] == (2, 3)
    for point in lines.reshape(-1, 3):
        assert distance(shape, point) == pytest.approx(0, **CLOSE)


@pytest.mark.parametrize("shape", SOLIDS, ids=str)
def test_surfaces_are_on_the_shape_closed_and_face_out(shape: object) -> None:
    shown = surface(shape)
    for point in shown.points:
        assert distance(shape, point) == pytest.approx(0, **CLOSE)
    sides = Counter()
    points = np.unique(shown.points.round(12), axis=0, return_inverse=True)[1].reshape(-1)
    for a, b, c in points[shown.triangles]:
        for side in ((a, b), (b, c), (c, a)):
            if side[0] != side[1]:
                sides[side] += 1
    assert all(sides[b, a] == times for (a, b), times in sides.items())
    assert volume(shown) > 0


def volume(shown: Surface) -> float:
    a, b, c = (shown.points[shown.triangles[:, i]] for i in range(3))
    return float(np.einsum("ni,ni->", a, np.cross(b, c)) / 6)


def test_the_surface_of_a_ball_has_nearly_its_volume() -> None:
    # A polyhedron of AROUND sides about its axis misses less than 4 % of the ball.
    assert volume(surface(Sphere(1.0))) == pytest.approx(4 / 3 * math.pi, rel=0.04)


def test_a_box_has_twelve_edges() -> None:
    lengths = np.linalg.norm(np.diff(outline(Box((1.0, 2.0, 3.0))), axis=1)[:, 0], axis=1)
    assert sorted(lengths.round(12).tolist()) == [1.0] * 4 + [2.0] * 4 + [3.0] * 4


def test_planes_show_their_rim_or_a_part_of_what_has_no_end() -> None:
    finite = outline(Plane(2.0, 4.0)).reshape(-1, 3)
    assert finite.max(axis=0).tolist() == [1, 0, 2]
    endless = outline(Plane()).reshape(-1, 3)
    assert endless.max(axis=0).tolist() == [PLANE_SIDE / 2, 0, PLANE_SIDE / 2]
    up = surface(Plane(1.0, 1.0))
    a, b, c = up.points[up.triangles[0]]
    assert np.cross(b - a, c - a)[1] > 0


def test_hulls_hide_the_diagonals_of_their_flat_sides() -> None:
    cube = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
    lines = outline(Hull(cube))
    assert len(lines) == 12
    assert np.abs(lines[:, 1] - lines[:, 0]).sum(axis=1).tolist() == [1] * 12


def test_open_surfaces_show_their_rim_and_folds_alone() -> None:
    points = np.array([[0, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 1], [1, 1, 0], [1, 1, 1]], float)
    flat = Mesh(points[:4], np.array([[0, 1, 2], [0, 2, 3]]))
    assert len(outline(flat)) == 4
    folded = Mesh(points, np.array([[0, 1, 2], [0, 2, 3], [1, 4, 5], [1, 5, 2]]))
    assert len(outline(folded)) == 7


def test_large_smooth_surfaces_show_only_what_is_sharp() -> None:
    ball = surface(Sphere(1.0))
    assert len(ball.triangles) > 200
    assert len(outline(Mesh(*ball))) < len(ball.triangles) / 4


def test_a_stretched_ball_is_drawn_as_an_ellipsoid() -> None:
    stretch = np.diag([1.0, 2.0, 3.0])
    shape = scaled(Sphere(0.5), stretch)
    assert isinstance(shape, Hull)
    points = outline(shape).reshape(-1, 3)
    assert len(points) == len(outline(Sphere(0.5)).reshape(-1, 3))
    assert np.linalg.norm(points / np.diag(stretch), axis=1) == pytest.approx(0.5, **CLOSE)


def test_circles_start_on_the_next_axis() -> None:
    for axis in range(3):
        points = circle(axis, 2.0)
        assert points.shape == (AROUND, 3)
        assert points[0, (axis + 1) % 3] == 2.0
        assert np.abs(points[:, axis]).max() == 0


def test_bars_surround_their_lines() -> None:
    lines = np.array([[[0, 0, 0], [0, 0, 2]], [[1, 1, 1], [1, 1, 1]], [[0, 0, 0], [1, 1, 0.0]]])
    shown = bars(lines, 0.1)
    assert len(shown.points) == 2 * 2 * SIDES  # the line of no length has no bar
    assert len(shown.triangles) == 2 * 2 * SIDES
    first = shown.points[: 2 * SIDES]
    assert np.hypot(first[:, 0], first[:, 1]) == pytest.approx(0.1, **CLOSE)
    second = shown.points[2 * SIDES :]
    along = np.array([1, 1, 0]) / math.sqrt(2)
    away = second - np.outer(second @ along, along)
    assert np.linalg.norm(away, axis=1) == pytest.approx(0.1, **CLOSE)


def test_chains_close_where_asked() -> None:
    points = np.arange(9.0).reshape(3, 3)
    assert chain(points).shape == (2, 2, 3)
    closed = chain(points, closed=True)
    assert closed.shape == (3, 2, 3)
    assert closed[-1].tolist() == [points[2].tolist(), points[0].tolist()]


def test_bones_reach_from_joint_to_joint() -> None:
    vectors = np.array([[0, 2, 0], [0, -3, 0], [1, 1, 1], [0, 0, 0.0]])
    rotation, length = along(vectors)
    tips = tf.rotate(rotation, np.array([0.0, 1.0, 0.0])) * length[:, None]
    assert tips == pytest.approx(vectors, abs=1e-12)
    assert BONE_SHAPE.points[:, 1].min() == 0
    assert BONE_SHAPE.points[:, 1].max() == 1


def test_the_hardest_contact_has_the_longest_arrow() -> None:
    points = np.arange(6.0).reshape(2, 3)
    normals = np.array([[0, 1, 0], [1, 0, 0.0]])
    arrows = contact_arrows(Contacts(points, normals, np.array([4.0, 1.0])), 0.5)
    assert arrows[:, 0] == pytest.approx(points)
    assert arrows[:, 1] - arrows[:, 0] == pytest.approx(np.array([[0, 0.5, 0], [0.25, 0, 0]]))
    down = contact_arrows(Contacts(points, -normals, np.array([4.0, 1.0])), 0.5)
    assert down[0] == pytest.approx(arrows[0])  # the force on what lies above
    none = Contacts(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0))
    assert contact_arrows(none, 1.0).shape == (0, 2, 3)
