"""Mass properties of bodies, declared and computed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ligament import transforms as tf
from ligament.extensions.rigid_bodies import Motion
from ligament.extensions.shapes import Box, Plane, Sphere
from ligament.physics.mass import (
    DENSITY,
    FIXED,
    MassProperties,
    Part,
    is_mass_known,
    mass_properties,
)
from ligament.physics.shapes import Hull

Floats = npt.NDArray[np.float64]

ONE = (1.0, 1.0, 1.0)
STRAIGHT = np.array([0.0, 0.0, 0.0, 1.0])
CUBE = Part(Box(ONE), np.zeros(3), STRAIGHT)
ASIDE = Part(Box(ONE), np.array([2.0, 0.0, 0.0]), STRAIGHT)


def body(*parts: Part, scale: Any = ONE, **members: Any) -> MassProperties:
    return mass_properties(Motion(node=0, **members), scale, parts)


def tensor(found: MassProperties) -> Floats:
    axes = np.asarray(tf.to_matrix(found.orientation))
    return axes @ np.diag(found.inertia) @ axes.T


def test_everything_follows_from_the_shapes() -> None:
    found = body(CUBE, ASIDE)
    assert found.mass == 2 * DENSITY
    assert found.center.tolist() == [1, 0, 0]
    # Two cubes of a ton, each 1/6 about itself, and 1 m from the centre.
    assert tensor(found) == pytest.approx(1000 * np.diag([1 / 3, 7 / 3, 7 / 3]))


def test_a_given_mass_scales_the_inertia() -> None:
    found = body(CUBE, ASIDE, mass=4.0)
    assert (found.mass, found.center.tolist()) == (4.0, [1, 0, 0])
    assert tensor(found) == pytest.approx(np.diag([2 / 3, 14 / 3, 14 / 3]))


def test_inertia_is_about_the_given_centre() -> None:
    """Parallel axes: the inertia of the shapes about a point that is not their centre."""
    found = body(CUBE, mass=6.0, center_of_mass=(0.0, 0.5, 0.0))
    assert found.center.tolist() == [0, 0.5, 0]
    assert tensor(found) == pytest.approx(np.diag([2.5, 1, 2.5]))
    assert tensor(body(CUBE, center_of_mass=(0.0, 0.5, 0.0))) == pytest.approx(
        1000 * np.diag([1 / 6 + 1 / 4, 1 / 6, 1 / 6 + 1 / 4])
    )


def test_a_given_inertia_stays_as_it_is() -> None:
    turn = (0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5))
    found = body(CUBE, ASIDE, inertia_diagonal=(1.0, 2.0, 3.0), inertia_orientation=turn)
    assert found.mass == 2 * DENSITY
    assert found.inertia.tolist() == [1, 2, 3]
    assert tensor(found) == pytest.approx(np.diag([2, 1, 3]))  # decision 4: R · diag · Rᵀ


def test_the_centre_is_scaled_and_nothing_else() -> None:
    given = {"mass": 2.0, "inertia_diagonal": (1.0, 2.0, 3.0), "center_of_mass": (1.0, 2.0, 3.0)}
    found = body(CUBE, scale=(2.0, 3.0, -1.0), **given)
    assert (found.mass, found.inertia.tolist()) == (2.0, [1, 2, 3])
    assert found.center.tolist() == [2, 6, -3]
    sheared = np.array([[1, 1, 0], [0, 1, 0], [0, 0, 1]])
    assert body(CUBE, scale=sheared, **given).center.tolist() == [3, 2, 3]


def test_a_computed_centre_is_not_scaled_again() -> None:
    assert body(ASIDE, scale=(5.0, 5.0, 5.0)).center.tolist() == [2, 0, 0]


def test_infinities_are_independent() -> None:
    """Decision 1; MotionProperties of the official samples has mass 0 and inertia [0, 1, 0]."""
    found = body(CUBE, mass=math.inf, inertia_diagonal=(math.inf, 1.0, math.inf))
    assert (found.mass, found.inertia.tolist()) == (math.inf, [math.inf, 1, math.inf])
    found = body(CUBE, mass=2.0, inertia_diagonal=(math.inf, math.inf, math.inf))
    assert (found.mass, found.inertia.tolist()) == (2.0, [math.inf] * 3)
    found = body(CUBE, inertia_diagonal=(math.inf, 1.0, 1.0))
    assert (found.mass, found.inertia.tolist()) == (DENSITY, [math.inf, 1, 1])


def test_infinite_mass_without_inertia_cannot_be_turned() -> None:
    found = body(ASIDE, mass=math.inf)
    assert (found.center.tolist(), found.inertia.tolist()) == ([2, 0, 0], [math.inf] * 3)
    assert FIXED.mass == math.inf


def test_without_shapes_a_body_is_a_ball_of_water() -> None:
    found = body(mass=2.0)
    radius = (2.0 / DENSITY / (4 / 3 * math.pi)) ** (1 / 3)
    assert found.center.tolist() == [0, 0, 0]
    assert found.inertia == pytest.approx([0.4 * 2.0 * radius**2] * 3)
    assert body(mass=math.inf).inertia.tolist() == [math.inf] * 3
    aside = body(mass=2.0, center_of_mass=(1.0, 0.0, 0.0))
    assert (aside.center.tolist(), aside.inertia.tolist()) == ([1, 0, 0], found.inertia.tolist())


@pytest.mark.parametrize("parts", [(), (Part(Plane(), np.zeros(3), STRAIGHT),)])
def test_without_mass_and_volume_a_body_has_a_kilogram(parts: tuple[Part, ...]) -> None:
    assert body(*parts).mass == 1.0
    assert body(*parts, inertia_diagonal=(1.0, 2.0, 3.0)).mass == 1.0
    assert not is_mass_known(Motion(node=0), parts)
    assert is_mass_known(Motion(node=0, mass=0.5), parts)
    assert is_mass_known(Motion(node=0), [*parts, CUBE])


def test_a_sheet_turns_like_a_sheet() -> None:
    """Flat shapes have no volume, but a card of 1 m² must not turn like a point."""
    corners = np.array([[0, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 1.0]])
    found = body(Part(Hull(corners), np.zeros(3), STRAIGHT), mass=12.0)
    assert found.center == pytest.approx([0.5, 0, 0.5])
    assert tensor(found) == pytest.approx(np.diag([1, 2, 1]), rel=1e-5)


turns = st.tuples(*[st.floats(-1, 1)] * 4).map(lambda q: np.asarray(tf.normalize(np.array(q))))
places = st.tuples(*[st.floats(-3, 3)] * 3).map(np.array)
sizes = st.tuples(*[st.floats(0.1, 3)] * 3)
parts = st.builds(lambda s, t, r: Part(Box(s), t, r), sizes, places, turns)


@given(st.lists(parts, min_size=1, max_size=4), places)
def test_principal_axes_are_those_of_the_parts(pieces: list[Part], center: Floats) -> None:
    """The sum of all mass points of all boxes, three to a side by Gauss, gives the same tensor."""
    found = body(*pieces, mass=5.0, center_of_mass=tuple(center.tolist()))
    nodes = np.array([-math.sqrt(0.6), 0, math.sqrt(0.6)]) / 2
    shares = np.array([5, 8, 5]) / 18
    grid = np.stack(np.meshgrid(nodes, nodes, nodes), axis=-1).reshape(-1, 3)
    weight = np.einsum("i,j,k->ijk", shares, shares, shares).ravel()
    points, masses = [], []
    for shape, translation, rotation in pieces:
        assert isinstance(shape, Box)
        points.append(np.asarray(tf.rotate(rotation, grid * shape.size)) + translation - center)
        masses.append(weight * math.prod(shape.size))
    x, m = np.concatenate(points), np.concatenate(masses)
    m *= 5.0 / m.sum()
    spread = np.einsum("p,pi,pj->ij", m, x, x)
    expected = np.trace(spread) * np.eye(3) - spread
    assert tensor(found) == pytest.approx(expected, abs=1e-9 * np.trace(expected))
    assert np.linalg.norm(found.orientation) == pytest.approx(1)


def test_a_sphere_of_water() -> None:
    found = body(Part(Sphere(0.5), np.array([0, 3.0, 0]), STRAIGHT))
    assert found.mass == pytest.approx(1000 * math.pi / 6)
    assert found.center.tolist() == [0, 3, 0]
    assert found.inertia == pytest.approx([0.1 * found.mass] * 3)
