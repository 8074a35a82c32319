from __future__ import annotations

import math

import numpy as np
import pytest

from ligament.physics.engines import RayHit
from ligament.physics.engines.rapier import RapierEngine
from tests.physics.engines.rapier.scenes import (
    CUBE,
    CUBE_TRIANGLES,
    STATIC,
    Box,
    Capsule,
    Cylinder,
    Hull,
    Maker,
    Mesh,
    Plane,
    Sphere,
    about,
    run,
)

DOWN = np.array([0, -1.0, 0])


def cast(engine: RapierEngine, x: float, reach: float = 100.0) -> RayHit | None:
    return engine.cast_ray(np.array([x, 10.0, 0]), DOWN, reach)


def test_the_nearest_solid_collider_is_hit() -> None:
    maker = Maker()
    maker.ground()
    maker.body(Box((1, 1, 1)), (0, 5, 0), sensor=True, gravity=0)
    box = maker.body(Box((1, 1, 1)), (0, 2, 0), turned=about((0, 0, 1), math.pi / 6), gravity=0)
    engine = maker.start()
    hit = cast(engine, 0.1)
    assert hit is not None
    # The face that looks up to the left passes through (0.1, y) at a slope of 30°.
    height = 2 + 0.5 / math.cos(math.pi / 6) + 0.1 * math.tan(math.pi / 6)
    assert hit.collider == box
    assert hit.distance == pytest.approx(10 - height, abs=1e-5)
    np.testing.assert_allclose(hit.point, [0.1, height, 0], atol=1e-5)
    np.testing.assert_allclose(hit.normal, [-0.5, math.sqrt(0.75), 0], atol=1e-5)


def test_a_ray_ends_at_its_reach() -> None:
    maker = Maker()
    maker.ground()
    engine = maker.start()
    assert cast(engine, 0, reach=9.9) is None
    assert cast(engine, 0, reach=10.1) is not None
    assert cast(engine, 60) is None


def test_rays_meet_the_present() -> None:
    """After a step, a jump, and before anything at all."""
    maker = Maker()
    ball = maker.body(Sphere(0.5), velocity=(60, 0, 0), gravity=0)
    engine = maker.start()
    assert cast(engine, 0) is not None
    run(engine, 0.1)
    assert cast(engine, 0) is None
    assert cast(engine, 6) is not None
    engine.set_pose(ball, np.array([-20.0, 0, 0]), np.array([0, 0, 0, 1.0]))
    assert cast(engine, 6) is None
    assert cast(engine, -20) is not None


def test_a_ray_from_inside_is_stopped_at_once() -> None:
    maker = Maker()
    maker.body(Sphere(1), kind=STATIC)
    hit = maker.start().cast_ray(np.array([0, 0.5, 0]), DOWN, 10.0)
    assert hit is not None
    assert hit.distance == 0
    np.testing.assert_array_equal(hit.normal, -DOWN)
    np.testing.assert_array_equal(hit.point, [0, 0.5, 0])


SLOPE = (0.4 - 0.1) / 1.0
"""Sine of the angle between the sides and the axis of the capsule below."""

HEIGHTS = {
    "ball": (Sphere(0.5), {0.0: 0.5, 0.3: 0.4}),
    "box": (Box((1, 2, 1)), {0.4: 1.0}),
    "capsule": (Capsule(1, 0.3, 0.3), {0.0: 0.8, 0.18: 0.5 + 0.24}),
    # At the top the small ball, at x = 0.3 the side: the tangent of both balls.
    "tapered capsule": (
        Capsule(1, 0.4, 0.1),
        {
            0.0: 0.6,
            0.3: 0.5 + (0.1 - 0.3 * math.sqrt(1 - SLOPE**2)) / SLOPE,
        },
    ),
    "turned capsule": (Capsule(1, 0.1, 0.4), {0.0: 0.9, 0.24: 0.5 + 0.32}),
    "cylinder": (Cylinder(1, 0.5, 0.5), {0.49: 0.5}),
    "frustum": (Cylinder(1, 0.5, 0.25), {0.2: 0.5, 0.375: 0.0}),
    "cone": (Cylinder(1, 0.5, 0), {0.25: 0.0}),
    "turned cone": (Cylinder(1, 0, 0.5), {0.4: 0.5}),
    "hull": (Hull(CUBE), {0.4: 0.5}),
    "mesh": (Mesh(CUBE, CUBE_TRIANGLES), {0.4: 0.5}),
    "plane": (Plane(), {0.0: 0.0, 900.0: 0.0}),
    "finite plane": (Plane(2, 2), {0.9: 0.0, 1.1: None}),
    "double plane": (Plane(None, None, double_sided=True), {900.0: 0.0}),
}


@pytest.mark.parametrize("shape", HEIGHTS)
def test_shapes_have_their_form(shape: str) -> None:
    """Circles have 64 corners: that is 0.06 % of the radius, a third of a millimetre here."""
    form, heights = HEIGHTS[shape]
    maker = Maker()
    maker.body(form, kind=STATIC)
    engine = maker.start()
    for x, height in heights.items():
        hit = cast(engine, x)
        if height is None:
            assert hit is None
        else:
            assert hit is not None
            assert 10 - hit.distance == pytest.approx(height, abs=1.5e-3)


def test_colliders_lie_where_they_are_put() -> None:
    """The engine's form of a shape may lie elsewhere in its frame than ours."""
    maker = Maker()
    body = maker.body(kind=STATIC, at=(1, 0, 0))
    cone = maker.collider(Cylinder(1, 0, 0.5), body, (1, 0, 0), turned=about((0, 0, 1), math.pi))
    engine = maker.start()
    hit = cast(engine, 2)
    assert hit is not None
    assert hit.distance == pytest.approx(9.5, abs=1e-4)
    engine.place_collider(cone, np.array([1, 1.0, 0]), np.array([0, 0, 0, 1.0]))
    hit = cast(engine, 2.3)
    assert hit is not None
    assert hit.distance == pytest.approx(8.5, abs=1e-4)
