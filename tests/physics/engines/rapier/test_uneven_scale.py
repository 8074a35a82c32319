"""Balls and capsules under uneven scale are at full size: they rest, roll and meet rays as such."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from ligament import transforms as tf
from ligament.extensions.rigid_bodies import Material
from ligament.physics.collision.convex import convex
from ligament.physics.engines import State, make_engine
from ligament.physics.mass import solid
from ligament.physics.shapes import Hull, scaled
from tests.physics.engines.rapier.scenes import (
    STATIC,
    UPRIGHT,
    Box,
    Capsule,
    Cylinder,
    Maker,
    Mesh,
    Plane,
    Shape,
    Sphere,
    about,
    mass,
)

SCALES = [(2, 1, 1), (1, 2, 1), (1, 1, 2), (1, 3, 0.5)]
SHAPES = {
    "ball": Sphere(0.5),
    "capsule": Capsule(0.6, 0.3, 0.3),
    "cylinder": Cylinder(1, 0.4, 0.3),
    "tapered capsule": Capsule(0.8, 0.3, 0.2),
}
PLACES = [UPRIGHT, about((1, 0, 0), math.pi / 2), about((1, 2, 3), 0.7)]
FLOOR = np.array([[-20, 0, -20], [20, 0, -20], [20, 0, 20], [-20, 0, 20]], float)
FLOORS: dict[str, tuple[Shape, float]] = {
    "box": (Box((100, 2, 100)), -1),
    "plane": (Plane(), 0),
    "mesh": (Mesh(FLOOR, np.array([[0, 2, 1], [0, 3, 2]])), 0),
}


Solid = Hull | Cylinder


def stretched(shape: Any, scale: Any) -> Solid:
    found = scaled(shape, np.diag(np.array(scale, float)))
    assert isinstance(found, Hull | Cylinder)
    return found


def height(shape: Solid, rotation: Any) -> float:
    """Return how high [m] the origin of a shape is above the floor that it touches."""
    down = tf.rotate(tf.conjugate(np.array(rotation, float)), np.array([0.0, -1, 0]))
    form = convex(shape)
    return float(np.dot(form.support(*down.tolist()), down))


def settle(
    shape: Solid,
    rotation: Any = UPRIGHT,
    *,
    floor: str = "box",
    frames: int = 90,
    is_held: bool = False,
    drop: float = 0.01,
    bounce: float = 0.0,
    **motion: Any,
) -> list[State]:
    """Drop a body from just above a floor, `is_held` so that it does not rotate."""
    whole, maker = solid(shape), Maker()
    material = Material(restitution=bounce)
    ground, level = FLOORS[floor]
    maker.body(ground, (0, level, 0), kind=STATIC, material=material)
    inertia = np.full(3, math.inf) if is_held else 1000 * np.diagonal(whole.inertia)
    weight = mass(1000 * whole.volume, inertia)
    at = (0, height(shape, rotation) + drop, 0)
    maker.body(shape, at, turned=rotation, weight=weight, material=material, **motion)
    engine = make_engine(maker.scene())
    states = []
    for _ in range(frames):
        for _ in range(engine.substeps):
            engine.step()
        states.append(engine.state())
    return states


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("name", SHAPES)
def test_rest_at_the_height_of_the_true_shape(name: str, scale: Any) -> None:
    """Within 0.1 %: the engine lets bodies of a metre sink in by as much as 0.09 %."""
    shape = stretched(SHAPES[name], scale)
    for rotation in PLACES:
        state = settle(shape, rotation, frames=40, is_held=True)[-1]
        assert state.translation[1, 1] == pytest.approx(height(shape, rotation), rel=1e-3)


@pytest.mark.parametrize("floor", FLOORS)
def test_lie_on_any_floor(floor: str) -> None:
    shape = stretched(Sphere(0.5), (2, 1, 1.2))
    state = settle(shape, floor=floor)[-1]
    assert state.translation[1, 1] == pytest.approx(0.5, rel=1e-3)


def test_a_capsule_lies_along_a_line() -> None:
    """On both of its ends: one point alone would let it rock."""
    shape = stretched(Capsule(1.0, 0.2, 0.2), (1, 1, 1.5))
    lying = about((0, 0, 1), math.pi / 2)
    states = settle(shape, lying, frames=120)
    assert states[-1].translation[1, 1] == pytest.approx(height(shape, lying), rel=1e-3)
    assert np.linalg.norm(states[-1].angular_velocity[1]) < 0.01


@pytest.mark.parametrize("scale", [(1.001, 1, 1), (1.02, 1, 1), (1, 1, 1.02)])
def test_near_spheres_roll_like_spheres(scale: Any) -> None:
    """A hull of as many corners loses two thirds of its speed in three seconds."""
    shape = stretched(Sphere(0.5), scale)
    rolling = {"velocity": (2, 0, 0), "spin": (0, 0, -4)}
    states = settle(shape, frames=180, drop=0.0, **rolling)
    speeds = [float(np.linalg.norm(state.linear_velocity[1])) for state in states]
    assert 1.95 < min(speeds) <= max(speeds) < 2.05
    rises = [s.translation[1, 1] - height(shape, s.rotation[1]) for s in states]
    assert np.abs(rises).max() < 1e-3


def test_near_spheres_bounce_straight_up() -> None:
    shape = stretched(Sphere(0.1), (1.01, 1, 1))
    states = settle(shape, drop=0.5, frames=50, bounce=0.8)
    plain = settle(stretched(Sphere(0.1), (1.0001, 1, 1)), drop=0.5, frames=50, bounce=0.8)
    tops = [max(state.translation[1, 1] for state in each[25:]) for each in (states, plain)]
    assert tops[0] == pytest.approx(tops[1], rel=0.05)
    assert np.abs(states[-1].translation[1, [0, 2]]).max() < 5e-3


def test_rocking_ellipsoids_gain_no_energy() -> None:
    """It does with contacts where they were at the start of each step."""
    shape = stretched(Sphere(0.05), (1, 1, 1.3))
    states = settle(shape, about((1, 2, 3), 0.7), frames=300)
    speeds = [float(np.linalg.norm(state.angular_velocity[1])) for state in states]
    assert max(speeds[200:]) < max(speeds[:100])
    assert states[-1].translation[1, 1] == pytest.approx(0.05, rel=2e-3)


@pytest.mark.parametrize("scale", SCALES)
def test_rays_meet_the_true_surface(scale: Any) -> None:
    maker = Maker()
    place = about((1, 2, 3), 0.7)
    maker.body(stretched(Sphere(0.5), scale), (1, 2, 3), turned=place, kind=STATIC)
    maker.body(Box((0.1, 9, 9)), (9, 2, 3), kind=STATIC)
    engine = maker.start()
    into = np.diag(1 / (0.5 * np.array(scale))) @ np.asarray(tf.to_matrix(place)).T
    random = np.random.default_rng(2)
    for _ in range(20):
        origin = np.array([1, 2, 3]) + random.normal(size=3) * 3
        towards = np.array([1, 2, 3]) + random.normal(size=3) * 0.4 - origin
        direction = towards / np.linalg.norm(towards)
        a, b = into @ direction, into @ (origin - [1, 2, 3])
        root = (a @ b) ** 2 - (a @ a) * (b @ b - 1)
        wanted = (-(a @ b) - math.sqrt(root)) / (a @ a) if root > 0 else math.inf
        hit = engine.cast_ray(origin, direction, 100.0)
        if b @ b > 1.01 and abs(root) > 1e-3:
            assert (hit is not None and hit.collider == 0) == (root > 0 and wanted > 0)
            if hit is not None and hit.collider == 0:
                assert hit.distance == pytest.approx(wanted, abs=1e-5)
                normal = into.T @ (b + wanted * a)
                assert hit.normal @ normal == pytest.approx(np.linalg.norm(normal), rel=1e-5)


def test_mass_and_inertia_are_those_of_the_ellipsoid() -> None:
    a, b, c = 0.5, 1.5, 0.25
    whole = solid(stretched(Sphere(0.5), (1, 3, 0.5)))
    volume = 4 / 3 * math.pi * a * b * c
    assert whole.volume == pytest.approx(volume, rel=1e-12)
    moments = volume / 5 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])
    np.testing.assert_allclose(whole.inertia, np.diag(moments), atol=1e-12)
