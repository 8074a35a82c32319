"""Cylinders and hulls that are dropped flat stay upright."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from ligament.physics.engines import make_engine
from ligament.physics.shapes import Hull
from tests.physics.engines.rapier.scenes import STATIC, Box, Cylinder, Maker, box_mass


def tilt(shape: Any, size: tuple[float, float], drop: float) -> float:
    """Return the largest angle [rad] by which a body tips that is dropped flat on a floor."""
    maker, (height, width) = Maker(), size
    maker.body(Box((10, 1, 10)), (0, -0.5, 0), kind=STATIC)
    weight = box_mass(1.0, (width, height, width))
    body = maker.body(shape, (0, height / 2 + drop, 0), weight=weight)
    engine, largest = make_engine(maker.scene()), 0.0
    for _ in range(round((math.sqrt(drop / 4.9) + 0.8) / engine.settings.step)):
        engine.step()
        x, _, z, _ = engine.state().rotation[body]
        largest = max(largest, 2 * math.asin(min(math.hypot(x, z), 1.0)))
    return largest


@pytest.mark.parametrize(
    ("height", "radius", "drop"),
    [(1.0, 0.3, 1.0), (0.2, 0.5, 0.9), (0.5, 0.25, 1.0), (2.0, 0.5, 1.0), (1.0, 0.3, 4.5)],
)
def test_a_cylinder_dropped_flat_stays_upright(height: float, radius: float, drop: float) -> None:
    """Boxes with the same corners tip by 0.3° and, from 4.5 m, by 1.7°."""
    angle = tilt(Cylinder(height, radius, radius), (height, 2 * radius), drop)
    assert angle < math.radians(1.0 if drop < 2 else 2.5)


def test_a_prism_of_eight_sides_dropped_flat_stays_upright() -> None:
    angle = np.arange(8) * math.pi / 4
    ring = np.stack([0.3 * np.cos(angle), 0 * angle, 0.3 * np.sin(angle)], axis=1)
    half = np.array([0, 0.5, 0])
    prism = Hull(np.concatenate([ring - half, ring + half]))
    assert tilt(prism, (1.0, 0.6), 1.0) < math.radians(1.0)
