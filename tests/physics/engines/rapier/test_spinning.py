"""Balls, capsules and cylinders that roll fast: they stay on the ground and keep their speed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from ligament.physics.engines import make_engine
from ligament.physics.engines.rapier import RapierEngine
from ligament.physics.engines.rapier.workarounds.spinning import Spinning
from tests.physics.engines.rapier.scenes import (
    STATIC,
    Box,
    Capsule,
    Cylinder,
    Maker,
    Sphere,
    about,
    ball_mass,
    box_mass,
    run,
)
from tests.physics.engines.rapier.tiled_floors import ROUGH, sheet

LYING = about((1, 0, 0), math.pi / 2)


def rolling(
    shape: Any, radius: float, speed: float, ground: Any = None
) -> tuple[RapierEngine, int]:
    """Something round that rolls along X, on a box unless another ground is given."""
    maker = Maker()
    if ground is None:
        maker.body(Box((20, 1, 4)), (0, -0.5, 0), kind=STATIC, material=ROUGH)
    else:
        maker.body(ground, kind=STATIC, material=ROUGH)
    mass = 1000 * radius**3
    is_ball = isinstance(shape, Sphere)
    body = maker.body(
        shape,
        (-3, radius, 0.013),
        turned=(0, 0, 0, 1) if is_ball else LYING,
        weight=ball_mass(mass, radius) if is_ball else box_mass(mass, (1.7 * radius,) * 3),
        velocity=(speed, 0, 0),
        spin=(0, 0, -speed / radius),
        material=ROUGH,
    )
    return make_engine(maker.scene()), body


def heights(engine: RapierEngine, body: int, seconds: float) -> np.ndarray:
    found = []
    for _ in range(round(seconds / engine.settings.step)):
        engine.step()
        found.append(engine.state().translation[body, 1])
    return np.array(found)


@pytest.mark.parametrize(
    ("radius", "speed", "within"),
    [
        (0.01, 0.5, 0.05),
        (0.01, 2, 0.05),
        (0.03, 2, 0.02),
        (0.03, 6, 0.05),
        (0.1, 6, 0.01),
        (0.25, 6, 0.003),
    ],
)
def test_ball_that_rolls_fast_neither_sinks_nor_slows_down(
    radius: float, speed: float, within: float
) -> None:
    engine, ball = rolling(Sphere(radius), radius, speed)
    y = heights(engine, ball, 0.8)
    assert y == pytest.approx(radius, rel=within)
    assert engine.state().linear_velocity[ball, 0] == pytest.approx(speed, rel=1e-3)
    assert -radius * engine.state().angular_velocity[ball, 2] == pytest.approx(speed, rel=1e-3)


@pytest.mark.parametrize("shape", [Capsule(0.2, 0.1, 0.1), Cylinder(0.2, 0.1, 0.1)])
def test_capsules_and_cylinders_roll_as_balls_do(shape: Any) -> None:
    engine, body = rolling(shape, 0.1, 2.0)
    assert heights(engine, body, 0.8) == pytest.approx(0.1, rel=0.02)
    assert engine.state().linear_velocity[body, 0] == pytest.approx(2, rel=0.01)


@pytest.mark.parametrize("speed", [0.3, 2.0, 5.0])
def test_marbles_roll_over_a_single_layer_of_triangles(speed: float) -> None:
    engine, marble = rolling(Sphere(0.005), 0.005, speed, sheet(20, 12))
    y = heights(engine, marble, 1.0)
    assert (y > 0.0035).all()
    assert (y < 0.0065).all()
    assert engine.state().linear_velocity[marble, 0] == pytest.approx(speed, rel=0.01)


def test_ball_that_spins_in_flight_lands_on_the_ground() -> None:
    maker = Maker()
    maker.body(Box((20, 1, 4)), (0, -0.5, 0), kind=STATIC)
    weight = ball_mass(1, 0.1)
    ball = maker.body(Sphere(0.1), (0, 3, 0), weight=weight, velocity=(0, -20, 0), spin=(0, 0, 40))
    engine = make_engine(maker.scene())
    y = heights(engine, ball, 1.0)
    assert y.min() > 0.08
    assert y[-1] == pytest.approx(0.1, abs=0.003)


def test_only_what_spins_fast_is_asked_about() -> None:
    engine, ball = rolling(Sphere(0.1), 0.1, 2.0)
    spinning = next(stage for stage in engine._stages if isinstance(stage, Spinning))
    engine.step()
    assert spinning._modifies_contacts.all()
    engine.set_velocity(ball, np.zeros(3), np.zeros(3))
    for _ in range(4):
        engine.step()
    assert not spinning._modifies_contacts.any()


def test_snapshot_of_what_spins_goes_on_to_the_bit() -> None:
    engine, ball = rolling(Sphere(0.03), 0.03, 2.0)
    run(engine, 0.1, engine.settings.step)
    saved = engine.snapshot()
    run(engine, 0.3, engine.settings.step)
    first = engine.state().translation[ball].tobytes()
    engine.restore(saved)
    run(engine, 0.3, engine.settings.step)
    assert engine.state().translation[ball].tobytes() == first
