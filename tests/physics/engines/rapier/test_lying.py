"""Cylinders that lie touch the ground along a line, and roll on it as on one slab."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pytest

from ligament import transforms as tf
from ligament.physics.engines import make_engine
from tests.physics.engines.rapier.scenes import STATIC, Cylinder, Maker, about, box_mass
from tests.physics.engines.rapier.tiled_floors import ROUGH, Floor, sheet


class Roll(NamedTuple):
    """How far a cylinder rolled along its way [m], its last speed [m/s], and its heights [m]."""

    along: float
    speed: float
    heights: np.ndarray


def rolled(
    kind: str,
    tile: float,
    radius: float,
    speed: float,
    seconds: float = 0.6,
    direction: float = 0.3,
) -> Roll:
    """Roll a cylinder as long as it is wide over a slab, over tiles, or over one mesh."""
    maker, size = Maker(), tile * radius
    reach = math.ceil((0.6 * speed * seconds + 2 * radius) / size) * size
    if kind == "mesh":
        maker.body(sheet(round(2 * reach / size), 2 * reach), kind=STATIC, material=ROUGH)
    else:
        Floor(kind, size, thick=0.05, reach=reach).add_to(maker)
    ahead = np.array([math.cos(direction), 0, math.sin(direction)])
    start = np.array([0, radius, 0.003]) - 0.5 * speed * seconds * ahead
    cylinder = maker.body(
        Cylinder(2 * radius, radius, radius),
        start,
        turned=tf.multiply(about((0, 1, 0), -direction), about((1, 0, 0), math.pi / 2)),
        weight=box_mass(1000 * radius**3, (1.7 * radius, 2 * radius, 1.7 * radius)),
        velocity=speed * ahead,
        spin=np.cross([0, 1, 0], ahead) * speed / radius,
        material=ROUGH,
    )
    engine, heights = make_engine(maker.scene()), []
    for _ in range(round(seconds / engine.settings.step)):
        engine.step()
        heights.append(engine.state().translation[cylinder, 1])
    state = engine.state()
    along = float((state.translation[cylinder] - start) @ ahead)
    return Roll(along, float(state.linear_velocity[cylinder] @ ahead), np.array(heights))


@pytest.mark.parametrize("tile", [1.3, 0.4, 0.2])
@pytest.mark.parametrize("radius", [0.05, 0.15])
def test_cylinder_rolls_over_triangles_smaller_than_itself(radius: float, tile: float) -> None:
    roll = rolled("sheets", tile, radius, 2.0)
    assert roll.along == pytest.approx(1.2, rel=2e-3)
    assert roll.speed == pytest.approx(2.0, rel=2e-3)
    assert roll.heights == pytest.approx(radius, abs=0.011 * radius)


@pytest.mark.parametrize("kind", ["boxes", "hulls", "meshes"])
@pytest.mark.parametrize("direction", [0.0, 1.1])
def test_cylinder_rolls_over_small_tiles(kind: str, direction: float) -> None:
    roll = rolled(kind, 0.5, 0.15, 2.0, direction=direction)
    assert roll.along == pytest.approx(1.2, rel=2e-3)
    assert roll.speed == pytest.approx(2.0, rel=2e-3)


@pytest.mark.parametrize("radius", [0.01, 0.02, 0.03])
@pytest.mark.parametrize("speed", [0.2, 0.5])
def test_small_cylinder_rolls_without_rattling(radius: float, speed: float) -> None:
    roll = rolled("slab", 1.0, radius, speed, seconds=1.0)
    assert roll.along == pytest.approx(speed, rel=1e-3)
    assert roll.speed == pytest.approx(speed, rel=1e-3)
    assert np.ptp(roll.heights[10:]) < 0.015 * radius


@pytest.mark.parametrize("tile", [2.0, 0.4])
@pytest.mark.parametrize("radius", [0.02, 0.05, 0.15])
def test_cylinder_rolls_over_one_mesh(radius: float, tile: float) -> None:
    speed = min(2.0, 50 * radius)
    roll = rolled("mesh", tile, radius, speed, seconds=0.4)
    assert roll.along == pytest.approx(0.4 * speed, rel=2e-3)
    assert roll.speed == pytest.approx(speed, rel=2e-3)
    assert roll.heights == pytest.approx(radius, abs=0.03 * radius)
