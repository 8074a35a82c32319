"""Rolling without slipping on flat ground keeps its speed, however slow it is."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ligament.extensions.shapes import Capsule, Cylinder
from ligament.physics.engines.rapier import RapierEngine
from tests.physics.engines.rapier.scenes import Box, Maker, about, ball_mass, mass, run

RADIUS = 0.5
LYING = about((1, 0, 0), math.pi / 2)


def rolling(shape: Capsule | Cylinder, speed: float) -> tuple[RapierEngine, int]:
    """Something that lies along Z and rolls along X at a speed [m/s]."""
    maker = Maker()
    maker.ground()
    body = maker.body(
        shape,
        (0, RADIUS, 0),
        turned=LYING,
        velocity=(speed, 0, 0),
        spin=(0, 0, -speed / RADIUS),
        weight=ball_mass(10, RADIUS),
    )
    return maker.start(), body


@pytest.mark.parametrize("speed", [0.05, 0.2, 1.0, -0.2])
def test_a_capsule_keeps_its_speed(speed: float) -> None:
    """Within 1 %; contacts that stay behind would add 0.25 m/s in these five seconds."""
    engine, body = rolling(Capsule(1.0, RADIUS, RADIUS), speed)
    run(engine, 5)
    assert engine.state().linear_velocity[body, 0] == pytest.approx(speed, rel=0.01)


@pytest.mark.parametrize("speed", [0.05, 0.2, 1.0])
def test_a_cylinder_nearly_keeps_its_speed(speed: float) -> None:
    """Within 3 cm/s: the engine finds the contacts of a cylinder less exactly."""
    engine, body = rolling(Cylinder(1.0, RADIUS, RADIUS), speed)
    run(engine, 5)
    assert engine.state().linear_velocity[body, 0] == pytest.approx(speed, abs=0.03)


def test_shapes_stay_where_they_are_in_their_bodies() -> None:
    """Turned about its own axis alone, to and fro, a shape is what it was."""
    engine, _ = rolling(Capsule(1.0, RADIUS, RADIUS), 0.1)
    turned = []
    for _ in range(4):
        engine.step()
        pose = engine._world.colliders[engine._built.colliders[1]].position_wrt_parent
        assert pose.translation.to_tuple() == (0, 0, 0)
        x, y, z, _ = pose.rotation.to_tuple()
        assert (x, z) == (0, 0)
        turned.append(y != 0)
    assert turned in ([False, True, False, True], [True, False, True, False])


def test_a_snapshot_goes_on_to_the_same_bits() -> None:
    engine, _ = rolling(Cylinder(1.0, RADIUS, RADIUS), 0.1)
    run(engine, 0.55)
    saved = engine.snapshot()
    run(engine, 0.5)
    expected = np.concatenate(engine.state(), axis=1)
    engine.restore(saved)
    run(engine, 0.5)
    np.testing.assert_array_equal(np.concatenate(engine.state(), axis=1), expected)


def test_sliding_and_falling_bodies_are_not_turned() -> None:
    maker = Maker()
    maker.ground()
    maker.body(Box((1, 1, 1)), (9, 0.5, 0), velocity=(0.2, 0, 0))
    weight = mass(1, (0.02, 0.02, 0.02))
    fall = maker.body(Capsule(1, 0.2, 0.2), (0, 9, 0), spin=(0.5, 0, 0), weight=weight)
    engine = maker.start()
    run(engine, 0.1)
    pose = engine._world.colliders[engine._built.colliders[fall]].position_wrt_parent
    assert pose.rotation.to_tuple() == (0, 0, 0, 1)
