"""Bodies that are placed so that they just touch stay where they are, from the first step on."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from ligament.arrays import Floats
from ligament.physics.engines import make_engine
from tests.physics.engines.rapier.scenes import (
    CUBE,
    CUBE_TRIANGLES,
    STATIC,
    Box,
    Cylinder,
    Hull,
    Maker,
    Mesh,
    Plane,
    about,
    box_mass,
)

FLOORS = {
    "box": (Box((20, 2, 20)), (0, -1, 0)),
    "plane": (Plane(), (0, 0, 0)),
    "mesh": (Mesh(CUBE * 4, CUBE_TRIANGLES), (0, -2, 0)),
}


def prism(corners: int, size: float) -> Hull:
    angle = np.arange(corners) * 2 * math.pi / corners
    ring = size / 2 * np.stack([np.cos(angle), 0 * angle, np.sin(angle)], axis=1)
    half = np.array([0, size / 2, 0])
    return Hull(np.concatenate([ring - half, ring + half]))


def shapes(size: float) -> dict[str, Any]:
    radius = size / 2
    return {
        "box": Box((size, size, size)),
        "cylinder": Cylinder(size, radius, radius),
        "puck": Cylinder(0.2 * size, radius, radius),
        "cone": Cylinder(size, radius, 0.0),
        "tapered cylinder": Cylinder(size, radius, radius / 2),
        "hull of a cube": Hull(CUBE * size),
        "prism of 8 sides": prism(8, size),
        "prism of 64 sides": prism(64, size),
    }


def motion(
    shape: Any, size: float, floor: str, *, tilt: float = 0.0, count: int = 1, seconds: float = 1.0
) -> tuple[float, float]:
    """Return how far [m] bodies on a floor move from the place, and how far [rad] they tip."""
    half = (shape.height if isinstance(shape, Cylinder) else size) / 2
    turn = about((0, 0, 1), tilt)
    right, up = (
        np.array([math.cos(tilt), math.sin(tilt), 0]),
        np.array([-math.sin(tilt), math.cos(tilt), 0]),
    )
    maker = Maker()
    surface, (_, depth, _) = FLOORS[floor]
    maker.body(surface, depth * up, kind=STATIC, turned=turn)
    places = np.array([half * (2 * i + 1) * up for i in range(count)])
    weight = box_mass(1000 * size**3, (size, 2 * half, size))
    bodies = [maker.body(shape, place, turned=turn, weight=weight) for place in places]
    engine, farthest, tip = make_engine(maker.scene()), 0.0, 0.0
    for _ in range(round(seconds / engine.settings.step)):
        engine.step()
        state = engine.state()
        gaps: Floats = state.translation[bodies] - places
        farthest = max(farthest, float(np.abs(gaps @ np.stack([right, up], axis=1)).max()))
        cosine = np.abs(state.rotation[bodies] @ turn).min()
        tip = max(tip, 2 * math.acos(min(float(cosine), 1.0)))
    return farthest, tip


@pytest.mark.parametrize("tilt", [0.0, 0.2])
@pytest.mark.parametrize("floor", FLOORS)
@pytest.mark.parametrize("name", shapes(1.0))
def test_shapes_that_are_placed_on_a_floor_stay_there(name: str, floor: str, tilt: float) -> None:
    """Within 0.2 % of its size, or 0.2 mm, and 1°."""
    for size in (1.0, 0.1, 0.02):
        farthest, tip = motion(shapes(size)[name], size, floor, tilt=tilt)
        assert farthest < max(2e-3 * size, 2e-4)
        assert math.degrees(tip) < 1.0


@pytest.mark.parametrize("size", [5.0, 1.0, 0.3, 0.1, 0.02])
def test_ten_boxes_neither_sink_nor_lean(size: float) -> None:
    """Within a millimetre for a minute; the engine's own settings let them sink by 25."""
    assert motion(Box((size, size, size)), size, "box", count=10, seconds=60)[0] < 1e-3


@pytest.mark.parametrize("floor", ["box", "plane"])
@pytest.mark.parametrize("size", [1.0, 0.1])
@pytest.mark.parametrize("name", ["puck", "cylinder", "hull of a cube"])
def test_ten_of_a_kind_stand_on_each_other(name: str, size: float, floor: str) -> None:
    """They sink within a millimetre; on faces that just touch, pucks fell by 11 cm."""
    assert motion(shapes(size)[name], size, floor, count=10, seconds=3)[0] < 2.5e-3


@pytest.mark.parametrize("size", [1.0, 0.1])
def test_a_tonne_rests_on_a_kilogram(size: float) -> None:
    maker = Maker()
    maker.ground()
    light, heavy = (
        maker.body(Box((size,) * 3), (0, height * size, 0), weight=box_mass(weight, (size,) * 3))
        for height, weight in ((0.5, 1.0), (1.5, 1000.0))
    )
    engine = make_engine(maker.scene())
    for _ in range(round(5 / engine.settings.step)):
        engine.step()
    heights = engine.state().translation[[light, heavy], 1]
    assert heights == pytest.approx([0.5 * size, 1.5 * size], abs=2e-3)
