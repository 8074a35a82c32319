"""Volume, centre and inertia of shapes against their surfaces, cut into tetrahedra by hand."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ligament import transforms as tf
from ligament.extensions.shapes import Box, Capsule, Cylinder, Plane, Sphere
from ligament.physics.mass import SHEET, Solid, combined, solid
from ligament.physics.shapes import Hull, Mesh, Shape, scaled
from tests.physics.surfaces import ACCURACY, moved, surface

Floats = npt.NDArray[np.float64]

ROUND = [
    Sphere(0.7),
    Cylinder(2.0, 0.5, 0.5),
    Cylinder(1.0, 0.8, 0.3),
    Cylinder(1.0, 0.3, 0.8),
    Cylinder(3.0, 0.0, 1.0),
    Cylinder(3.0, 1.0, 0.0),
    Capsule(1.0, 0.4, 0.4),
    Capsule(1.0, 0.6, 0.2),
    Capsule(1.0, 0.2, 0.6),
    Capsule(1.0, 0.9, 0.0),
    Capsule(1.0, 0.01, 1.0),
    Capsule(0.5, 0.2, 1.0),
    Capsule(0.5, 1.0, 0.5),
    Capsule(0.0, 0.3, 0.3),
]
SOLID = [*ROUND, Box((1.0, 2.0, 3.0))]
SHEARED = np.array([[1.0, 0.4, 0.0], [0.0, 0.8, -0.3], [0.2, 0.0, 1.5]])


def by_quadrature(mesh: Mesh) -> Solid:
    """Integrate 1, x and x·xᵀ over every tetrahedron, by its four points of second degree."""
    corners = np.concatenate(
        [mesh.points[mesh.triangles], np.zeros((len(mesh.triangles), 1, 3))], 1
    )
    volumes = np.linalg.det(mesh.points[mesh.triangles]) / 6
    a, b = 0.1381966011250105, 0.5854101966249685
    samples = np.einsum("sc,tcx->tsx", np.full((4, 4), a) + np.eye(4) * (b - a), corners)
    shares = np.repeat(volumes[:, None] / 4, 4, axis=1)
    volume = shares.sum()
    center = np.einsum("ts,tsx->x", shares, samples) / volume
    x, y, z = np.moveaxis(samples - center, -1, 0)
    tensor = [
        [y * y + z * z, -x * y, -x * z],
        [-x * y, x * x + z * z, -y * z],
        [-x * z, -y * z, x * x + y * y],
    ]
    return Solid(volume, center, np.einsum("ts,ijts->ij", shares, np.array(tensor)))


def assert_same(found: Solid, expected: Solid, *, rel: float) -> None:
    size = np.cbrt(expected.volume)
    assert found.volume == pytest.approx(expected.volume, rel=rel)
    assert found.center == pytest.approx(expected.center, abs=rel * size)
    assert found.inertia == pytest.approx(expected.inertia, abs=rel * np.trace(expected.inertia))


@pytest.mark.parametrize("shape", SOLID)
def test_closed_forms_agree_with_the_surface(shape: Sphere | Box | Capsule | Cylinder) -> None:
    assert_same(solid(shape), by_quadrature(surface(shape)), rel=ACCURACY)


@pytest.mark.parametrize("shape", SOLID)
def test_tetrahedra_agree_with_quadrature(shape: Sphere | Box | Capsule | Cylinder) -> None:
    """Both are exact for the same surface, so that only rounding is left."""
    mesh = moved(surface(shape), SHEARED @ tf.to_matrix([0.5, 0.5, 0.5, 0.5]), [3, -4, 5])
    assert_same(solid(mesh), by_quadrature(mesh), rel=1e-9)


@pytest.mark.parametrize(
    ("shape", "volume", "inertia"),
    [
        (Sphere(2.0), 32 / 3 * math.pi, [8 / 5] * 3),
        (Box((1.0, 2.0, 3.0)), 6.0, [13 / 12, 10 / 12, 5 / 12]),
        (Cylinder(2.0, 3.0, 3.0), 18 * math.pi, [31 / 12, 9 / 2, 31 / 12]),
        (Cylinder(2.0, 3.0, 0.0), 6 * math.pi, [1.5, 2.7, 1.5]),
        (
            Capsule(2.0, 1.0, 1.0),
            10 / 3 * math.pi,
            # A cylinder of mass 0.6 and two half balls of mass 0.2, 3/8 beyond its ends.
            [0.6 * 7 / 12 + 0.4 * (83 / 320 + (11 / 8) ** 2), 0.6 / 2 + 0.4 * 0.4] * 2,
        ),
    ],
)
def test_the_forms_of_textbooks(shape: Shape, volume: float, inertia: list[float]) -> None:
    found = solid(shape)
    assert found.volume == pytest.approx(volume, rel=1e-12)
    assert found.inertia / volume == pytest.approx(np.diag(inertia[:3]), rel=1e-12)


def test_a_cone_has_its_centre_a_quarter_up() -> None:
    assert solid(Cylinder(4.0, 1.0, 0.0)).center == pytest.approx([0, -1, 0])
    assert solid(Cylinder(4.0, 0.0, 1.0)).center == pytest.approx([0, 1, 0])


def test_where_one_ball_holds_the_other_only_that_counts() -> None:
    assert_same(
        solid(Capsule(0.5, 1.0, 0.3)),
        solid(Sphere(1.0)).placed([0, -0.25, 0], [0, 0, 0, 1]),
        rel=1e-12,
    )
    assert_same(
        solid(Capsule(0.5, 0.3, 1.0)),
        solid(Sphere(1.0)).placed([0, 0.25, 0], [0, 0, 0, 1]),
        rel=1e-12,
    )
    # Without a jump: at a tapering of just under the height the tip is about to vanish.
    assert_same(solid(Capsule(0.5, 1.0, 0.5 + 1e-9)), solid(Capsule(0.5, 1.0, 0.5)), rel=1e-6)


sizes = st.floats(0.05, 20.0)
round_shapes = st.one_of(
    st.builds(Sphere, sizes),
    st.builds(Box, st.tuples(sizes, sizes, sizes)),
    st.builds(Cylinder, sizes, sizes, st.just(0.0) | sizes),
    st.builds(Capsule, sizes, sizes, st.just(0.0) | sizes),
)
turns = st.tuples(*[st.floats(-1, 1)] * 4).map(lambda q: np.asarray(tf.normalize(np.array(q))))
stretches = st.tuples(*[st.floats(-2, 2)] * 9).map(lambda m: np.array(m).reshape(3, 3))


@given(round_shapes, turns, st.tuples(*[st.floats(-5, 5)] * 3))
def test_every_inertia_is_possible(shape: Shape, turn: Floats, offset: Floats) -> None:
    moments = np.linalg.eigvalsh(solid(shape).placed(offset, turn).inertia)
    assert moments[0] > 0
    assert moments[0] + moments[1] >= moments[2] * (1 - 1e-9)


@given(round_shapes, stretches)
def test_volume_grows_with_the_determinant(shape: Shape, stretch: Floats) -> None:
    grown = solid(shape).stretched(stretch)
    size = abs(tf.determinant(stretch))
    assert grown.volume == pytest.approx(solid(shape).volume * size, rel=1e-9)
    result = scaled(shape, stretch)
    if result is None or (isinstance(result, Hull) and result.origin is None):
        assert size < 1e-4  # flat, and a sheet has a thickness of its own
    else:
        assert solid(result).volume == pytest.approx(grown.volume, rel=1e-4)


@given(round_shapes, turns)
def test_turning_and_stretching_are_one(shape: Shape, turn: Floats) -> None:
    turned = solid(shape).placed([0, 0, 0], turn)
    assert_same(solid(shape).stretched(tf.to_matrix(turn)), turned, rel=1e-9)


def test_halves_make_a_whole() -> None:
    """Parallel axes: eight small boxes, each turned by a right angle, are one large box."""
    quarter = [0, math.sqrt(0.5), 0, math.sqrt(0.5)]
    small = solid(Box((3.0, 2.0, 1.0)))
    corners = np.array(list(np.ndindex(2, 2, 2))) - 0.5
    whole = combined(small.placed(c * [1, 2, 3] + [7, 8, 9], quarter) for c in corners)
    assert_same(whole, solid(Box((2.0, 4.0, 6.0))).placed([7, 8, 9], [0, 0, 0, 1]), rel=1e-12)


def test_nothing_counts_nothing() -> None:
    assert combined([]).volume == solid(Plane()).volume == solid(Plane(1.0, 2.0)).volume == 0
    assert_same(combined([solid(Plane()), solid(Sphere(1.0))]), solid(Sphere(1.0)), rel=1e-12)
    for empty in (
        Sphere(0.0),
        Box((1.0, 0.0, 1.0)),
        Cylinder(0.0, 1.0, 1.0),
        Capsule(1.0, 0.0, 0.0),
    ):
        assert solid(empty).volume == 0


def box_mesh(*, seams: bool) -> Mesh:
    """A box of 8 points, or of 24 as files have them."""
    hull = Hull(np.array(list(np.ndindex(2, 2, 2)), float) * [1, 2, 3])
    if seams:
        return Mesh(hull.points[hull.triangles.ravel()], np.arange(36).reshape(-1, 3))
    return Mesh(hull.points, hull.triangles)


@pytest.mark.parametrize("seams", [False, True])
@pytest.mark.parametrize("inside_out", [False, True])
def test_closed_meshes(seams: bool, inside_out: bool) -> None:
    mesh = box_mesh(seams=seams)
    mesh = Mesh(mesh.points, mesh.triangles[:, ::-1] if inside_out else mesh.triangles)
    expected = solid(Box((1.0, 2.0, 3.0))).placed([0.5, 1, 1.5], [0, 0, 0, 1])
    assert_same(solid(mesh), expected, rel=1e-12)


def test_a_hollow_mesh_lacks_what_is_hollow() -> None:
    outer, inner = (
        box_mesh(seams=True),
        moved(box_mesh(seams=True), np.eye(3) / 2, [0.25, 0.5, 0.75]),
    )
    points = np.concatenate([outer.points, inner.points])
    mesh = Mesh(points, np.concatenate([outer.triangles, inner.triangles[:, ::-1] + 36]))
    assert solid(mesh).volume == pytest.approx(6 - 6 / 8)


def test_an_l_is_no_hull() -> None:
    """Two cubes make a mesh that is not convex: less volume than its hull has."""
    cube = Hull(np.array(list(np.ndindex(2, 2, 2)), float))
    cubes = [cube.points + np.array(o) for o in ([0, 0, 0], [0, 1.5, 0], [1.5, 0, 0])]
    mesh = Mesh(np.concatenate(cubes), np.concatenate([cube.triangles + 8 * i for i in range(3)]))
    assert solid(mesh).volume == pytest.approx(3)
    assert solid(Hull(mesh.points)).volume > 4


def test_open_and_tangled_meshes_count_as_their_hulls() -> None:
    mesh = box_mesh(seams=True)
    hull = solid(Hull(mesh.points))
    lidless = Mesh(mesh.points, mesh.triangles[2:])
    one_flipped = np.concatenate([mesh.triangles[:1, ::-1], mesh.triangles[1:]])
    fin = np.concatenate([mesh.triangles, [[0, 1, 35]]])
    twice = np.concatenate([mesh.triangles, mesh.triangles[:, ::-1]])
    doubled = np.concatenate([mesh.triangles, mesh.triangles])
    for triangles in (lidless.triangles, one_flipped, fin, twice, doubled):
        assert_same(solid(Mesh(mesh.points, triangles)), hull, rel=1e-12)


def test_points_that_no_triangle_uses_do_not_count() -> None:
    mesh = box_mesh(seams=False)
    points = np.concatenate([mesh.points, [[100, 100, 100]]])
    assert_same(solid(Mesh(points, mesh.triangles[:-1])), solid(Hull(mesh.points)), rel=1e-12)


def test_flat_hulls_are_sheets() -> None:
    square = np.array([[0, 0, 0], [2, 0, 0], [2, 0, 3], [0, 0, 3], [1, 0, 1.0]])
    expected = solid(Box((2.0, SHEET, 3.0))).placed([1, 0, 1.5], [0, 0, 0, 1])
    assert_same(solid(Hull(square)), expected, rel=1e-12)
    assert_same(solid(Mesh(square, np.array([[0, 1, 2], [0, 2, 3]]))), expected, rel=1e-12)
    two_sided = np.array([[0, 1, 2], [0, 2, 3], [2, 1, 0], [3, 2, 0]])
    assert_same(solid(Mesh(square, two_sided)), expected, rel=1e-12)


def test_lines_enclose_nothing() -> None:
    line = np.array([[0, 0, 0], [1, 1, 1], [2, 2, 2.0]])
    assert solid(Hull(line)).volume == 0
    for triangles in ([[0, 1, 2]], [[0, 1, 1]], np.empty((0, 3))):
        assert solid(Mesh(line, np.array(triangles, np.int64))).volume == 0


@pytest.mark.parametrize("shape", ROUND)
def test_hulls_of_stretched_shapes_weigh_what_the_shapes_do(shape: Shape) -> None:
    result = scaled(shape, SHEARED)
    assert isinstance(result, Hull)
    assert_same(solid(result), by_quadrature(moved(surface(shape), SHEARED)), rel=ACCURACY)
    by_points = solid(Hull(result.points))
    assert 0.99 < by_points.volume / solid(result).volume < 1
