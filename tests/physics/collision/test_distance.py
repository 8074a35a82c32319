"""Distances of convex shapes agree with closed forms, in double precision."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from ligament.extensions.shapes import Box, Capsule, Cylinder, Plane, Sphere
from ligament.physics.collision.convex import Convex, Vector, convex
from ligament.physics.collision.distance import Placed, Quaternion, gap, touched
from ligament.physics.shapes import Hull, scaled
from tests.physics.engines.rapier.scenes import CUBE, about

UPRIGHT: Quaternion = (0.0, 0.0, 0.0, 1.0)


def shapes(size: float) -> dict[str, Convex]:
    """Shapes that reach up and down by their size [m] from their centre."""
    stretched = scaled(Sphere(1.0), np.diag([size / 2, size, 2 * size]))
    assert isinstance(stretched, Hull)
    return {
        "ball": convex(Sphere(size)),
        "box": convex(Box((size, 2 * size, size))),
        "hull": convex(Hull(CUBE * 2 * size)),
        "cylinder": convex(Cylinder(2 * size, size, size)),
        "cone": convex(Cylinder(2 * size, size / 2, 0)),
        "capsule": convex(Capsule(size, size / 2, size / 2)),
        "tapered": convex(Capsule(size, size / 2, size / 2 - 1e-9)),
        "ellipsoid": convex(stretched),
    }


def vector(values: Any) -> Vector:
    x, y, z = (float(value) for value in values)
    return x, y, z


def rotation(axis: Any, angle: float) -> Quaternion:
    x, y, z, w = about(axis, angle).tolist()
    return x, y, z, w


def above(shape: Convex, height: float, rotation: Quaternion = UPRIGHT) -> Placed:
    return Placed(shape, (0.0, height, 0.0), rotation)


@pytest.mark.parametrize("a", shapes(1))
@pytest.mark.parametrize("b", shapes(1))
def test_shapes_above_each_other(a: str, b: str) -> None:
    for low, high in ((0.5, 0.025), (0.005, 0.5)):
        below = above(shapes(low)[a], 0.0)
        for space in (1.0, 1e-3, 1e-6):
            wanted = space * min(low, high)
            upper = above(shapes(high)[b], low + high + wanted)
            assert gap(below, upper, exact=True).distance == pytest.approx(
                wanted, rel=1e-6, abs=2e-9
            )
            assert gap(below, upper).distance > 0
        assert gap(below, above(shapes(high)[b], low + high - 1e-6 * high)).distance <= 0


def test_a_corner_above_a_floor() -> None:
    box, floor = convex(Box((1, 1, 1))), above(convex(Plane()), -5.0)
    half, tilted = math.sqrt(2) / 2, rotation((1, 0, 0), math.pi / 4)
    assert gap(floor, above(box, half + 1e-7, tilted)).distance > 0
    assert gap(floor, above(box, half - 1e-7, tilted)).distance <= 0


def test_either_order_and_any_start_give_the_same() -> None:
    random = np.random.default_rng(0)
    forms = list(shapes(0.5).values())
    apart = 0
    for _ in range(200):
        one, other = (
            Placed(
                forms[random.integers(8)],
                vector(random.normal(size=3) * 0.5),
                rotation(random.normal(size=3), random.uniform(0, 3)),
            )
            for _ in range(2)
        )
        exact = gap(one, other, exact=True)
        signs = {each.distance > 0 for each in (exact, gap(one, other), gap(other, one))}
        assert len(signs) == 1
        apart += exact.distance > 0
        if exact.distance > 0:
            assert gap(one, other, exact.axis).distance == pytest.approx(exact.distance, rel=1e-3)
    assert 40 < apart < 160


@pytest.mark.parametrize("height", [0.0, 0.549, 0.551, 2.0])
@pytest.mark.parametrize("travel", [0.2, 5.0, 500.0])
def test_shapes_that_cross_within_one_motion_touch(height: float, travel: float) -> None:
    wall, ball = convex(Box((0.01, 1, 1))), convex(Sphere(0.05))
    still = Placed(wall, (0.0, 0.0, 0.0), UPRIGHT)
    for part in (0.1, 0.5, 0.9):
        start, end = -0.06 - part * travel, 0.06 + (1 - part) * travel
        ends = [Placed(ball, (x, height, 0.0), UPRIGHT) for x in (start, end)]
        assert touched((still, ends[0]), (still, ends[1])) == (height < 0.55)
        assert touched((ends[0], still), (ends[1], still)) == (height < 0.55)


def test_a_bar_that_rotates_sweeps() -> None:
    bar, ball = convex(Box((2, 0.02, 0.02))), convex(Sphere(0.05))
    turns = [rotation((0, 1, 0), angle) for angle in (0.0, 0.6)]
    for radius, hits in ((0.9, True), (1.1, False)):
        at = Placed(ball, (radius * math.cos(0.3), 0.0, -radius * math.sin(0.3)), UPRIGHT)
        bars = [Placed(bar, (0.0, 0.0, 0.0), turn) for turn in turns]
        assert all(gap(each, at).distance > 0 for each in bars)
        assert touched((bars[0], at), (bars[1], at)) is hits


def test_balls_around_and_inside() -> None:
    directions = np.random.default_rng(1).normal(size=(200, 3))
    for name, form in shapes(0.4).items():
        reach = [
            np.dot(form.support(*d), d) / np.linalg.norm(d) + form.margin
            - np.dot(form.center, d) / np.linalg.norm(d)
            for d in directions.tolist()
        ]  # fmt: skip
        assert form.inner - 1e-12 <= min(reach), name
        assert max(reach) <= form.outer + 1e-12, name
