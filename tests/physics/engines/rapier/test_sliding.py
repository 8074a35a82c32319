"""Things slide over one mesh as over a box, and what is fast does not pass through either."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from ligament.options.names import Quality
from ligament.physics.engines import make_engine
from ligament.physics.engines.rapier import RapierEngine
from tests.physics.engines.rapier.joined import BALL, make_joint
from tests.physics.engines.rapier.scenes import (
    STATIC,
    Box,
    Cylinder,
    Maker,
    Sphere,
    about,
    box_mass,
)
from tests.physics.engines.rapier.tiled_floors import ROUGH, brick, sheet


def slid(ground: Any, shape: Any, size: float, quality: Quality = "exact") -> float:
    """Return how far something slides that starts at 2 m/s."""
    maker = Maker()
    at = (0, -0.5, 0) if isinstance(ground, Box) else (0, 0, 0)
    maker.body(ground, at, kind=STATIC, material=ROUGH)
    ahead = np.array([math.cos(0.3), 0, math.sin(0.3)])
    start = np.array([0, size / 2, 0.013]) - 0.2 * ahead
    body = maker.body(
        shape,
        start,
        turned=about((0, 1, 0), -0.3),
        weight=box_mass(1000 * size**3, (size,) * 3),
        velocity=2 * ahead,
        material=ROUGH,
    )
    engine = make_engine(maker.scene(), quality=quality)
    for _ in range(round(0.6 / engine.settings.step)):
        engine.step()
    return float((engine.state().translation[body] - start) @ ahead)


SHAPES = {
    "box": lambda size: Box((size,) * 3),
    "hull": lambda size: brick(size, size, size),
    "cylinder": lambda size: Cylinder(size, size / 2, size / 2),
    "cone": lambda size: Cylinder(size, size / 2, 0.0),
}


@pytest.mark.parametrize("kind", SHAPES)
@pytest.mark.parametrize("size", [0.1, 0.3])
@pytest.mark.parametrize("quality", ["exact", "fast"])
def test_things_slide_over_one_mesh_as_over_a_box(kind: str, size: float, quality: Quality) -> None:
    shape = SHAPES[kind](size)
    slab = slid(Box((4, 1, 4)), shape, size, quality)
    cells = round((2 if kind in ("box", "hull") else 5) / size)
    assert slid(sheet(cells, 1.0), shape, size, quality) == pytest.approx(slab, rel=0.03)


def _thrown(size: float, speed: float) -> tuple[RapierEngine, list[int]]:
    """Two joined balls, thrown down on a layer of triangles."""
    maker = Maker()
    maker.body(sheet(8, 4.0), kind=STATIC)
    weight = box_mass(1000 * size**3, (size,) * 3)
    balls = [
        maker.body(Sphere(size / 2), (x, 1 + size, 0.07), weight=weight, velocity=(0, -speed, 0))
        for x in (0.03 - 0.8 * size, 0.03 + 0.8 * size)
    ]
    arm = 0.8 * size
    maker.joints.append(make_joint(*balls, BALL, at_a=(arm, 0, 0), at_b=(-arm, 0, 0)))
    return make_engine(maker.scene()), balls


@pytest.mark.parametrize(("size", "speed"), [(0.005, 50.0), (0.02, 30.0), (0.1, 100.0)])
def test_fast_joined_balls_stay_above_a_layer(size: float, speed: float) -> None:
    engine, balls = _thrown(size, speed)
    for _ in range(round(0.2 / engine.settings.step)):
        engine.step()
        assert engine.state().translation[balls, 1].min() > -0.5 * size
