"""Penetration depths against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ligament import transforms as tf
from ligament.checker.overlaps import Blocks

EXACT = 1e-12
"""All values are sums and square roots of numbers near 1, in double precision."""


def blocks(*items: dict) -> Blocks:
    """Balls (radius) and boxes (half, axes), each with a center."""
    return Blocks(
        np.array([item["center"] for item in items], float),
        np.array([item.get("axes", np.eye(3)) for item in items], float),
        np.array([item.get("half", (0, 0, 0)) for item in items], float),
        np.array([item.get("radius", 0) for item in items], float),
    )


def depth(a: dict, b: dict) -> float:
    both = blocks(a, b)
    there, back = both.depth(np.array([0, 1]), np.array([1, 0]))
    assert there == pytest.approx(back, abs=EXACT)
    return float(there)


def ball(center: tuple[float, float, float], radius: float) -> dict:
    return {"center": center, "radius": radius}


def box(center: tuple[float, float, float], half: tuple[float, float, float], turn=None) -> dict:
    axes = np.eye(3) if turn is None else tf.to_matrix(np.asarray(turn))
    return {"center": center, "half": half, "axes": axes}


def test_balls() -> None:
    assert depth(ball((0, 0, 0), 1), ball((3, 4, 0), 5)) == pytest.approx(1, abs=EXACT)
    assert depth(ball((0, 0, 0), 1), ball((3, 4, 0), 3)) == pytest.approx(-1, abs=EXACT)


def test_a_ball_and_a_box() -> None:
    cube = box((0, 0, 0), (1, 1, 1))
    assert depth(ball((0, 2.5, 0), 1), cube) == pytest.approx(-0.5, abs=EXACT)
    assert depth(ball((0, 1.5, 0), 1), cube) == pytest.approx(0.5, abs=EXACT)
    corner = ball((2, 2, 2), 2)
    assert depth(corner, cube) == pytest.approx(2 - math.sqrt(3), abs=EXACT)
    inside = ball((0.25, 0, 0), 0.5)  # out by the face at x = 1
    assert depth(inside, cube) == pytest.approx(0.5 + 0.75, abs=EXACT)


def test_boxes_along_the_same_axes() -> None:
    cube = box((0, 0, 0), (1, 1, 1))
    assert depth(cube, box((2, 0, 0), (1, 1, 1))) == pytest.approx(0, abs=EXACT)
    assert depth(cube, box((1.5, 1, 0), (1, 1, 1))) == pytest.approx(0.5, abs=EXACT)
    assert depth(cube, box((0, 0, 5), (1, 1, 1))) == pytest.approx(-3, abs=EXACT)


def test_turned_boxes() -> None:
    """A cube on its edge reaches √2 far; the least overlap is along the axis between them."""
    cube = box((0, 0, 0), (1, 1, 1))
    on_edge = [0, 0, math.sin(math.pi / 8), math.cos(math.pi / 8)]
    for distance in (1.5, 2.0, 1 + math.sqrt(2), 3.0):
        wanted = 1 + math.sqrt(2) - distance
        assert depth(cube, box((distance, 0, 0), (1, 1, 1), on_edge)) == pytest.approx(wanted)


def test_edges_that_cross() -> None:
    """Two thin bars, one across and above the other: their edges are what separates them."""
    quarter = [0, math.sin(math.pi / 4), 0, math.cos(math.pi / 4)]
    roll = [math.sin(math.pi / 8), 0, 0, math.cos(math.pi / 8)]
    half = (5.0, 0.5, 0.5)
    lower = box((0, 0, 0), half, roll)
    upper = box((0, 1.2, 0), half, tf.multiply(np.array(quarter), np.array(roll)))
    assert depth(lower, upper) == pytest.approx(math.sqrt(2) - 1.2)


@given(st.integers(0, 10**6))
def test_moving_apart_by_the_depth_is_enough_and_less_is_not(seed: int) -> None:
    """Along the line between two balls; a property of the depth that needs no other formula."""
    rng = np.random.default_rng(seed)
    radii = rng.uniform(0.1, 2, 2)
    a, b = rng.normal(size=(2, 3))
    deep = depth(ball(tuple(a), radii[0]), ball(tuple(b), radii[1]))
    way = (b - a) / np.linalg.norm(b - a)
    moved = depth(ball(tuple(a), radii[0]), ball(tuple(b + way * deep), radii[1]))
    assert moved == pytest.approx(0, abs=1e-9)


def test_bounds_and_thickness() -> None:
    turn = [0, 0, math.sin(math.pi / 8), math.cos(math.pi / 8)]
    both = blocks(ball((1, 2, 3), 0.5), box((0, 0, 0), (1, 1, 2), turn))
    low, high = both.bounds()
    assert low[0] == pytest.approx([0.5, 1.5, 2.5])
    assert high[1] == pytest.approx([math.sqrt(2), math.sqrt(2), 2])
    assert both.thickness.tolist() == [1.0, 2.0]
