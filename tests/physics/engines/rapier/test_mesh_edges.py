"""Things slide over a mesh of triangles smaller than themselves as over one slab."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import pytest

from ligament.physics.engines import make_engine
from tests.physics.engines.rapier.scenes import STATIC, Box, Maker, Mesh, about, box_mass
from tests.physics.engines.rapier.test_lying import rolled
from tests.physics.engines.rapier.tiled_floors import ROUGH, brick, hexagon, sheet

THINGS = {
    "box": lambda size: Box((size, size, size)),
    "plate": lambda size: Box((size, 0.3 * size, size)),
    "hull": lambda size: brick(size, size, size),
    "prism": lambda size: hexagon(size, 0.5 * size),
}
HEIGHTS = {"box": 1.0, "plate": 0.3, "hull": 1.0, "prism": 0.5}


class Path(NamedTuple):
    """How far a thing slid along its path and beside it, and its hop, in m."""

    along: float
    aside: float
    hop: float


def slid(ground: Any, thing: str, size: float, direction: float) -> Path:
    """Slide a thing at 1.4 m/s until it rests."""
    maker, top = Maker(), size * HEIGHTS[thing] / 2
    maker.body(ground, (0, -0.5 * isinstance(ground, Box), 0), kind=STATIC, material=ROUGH)
    ahead = np.array([math.cos(direction), 0, math.sin(direction)])
    start = np.array([0, top, 0.0013]) - 0.1 * ahead
    body = maker.body(
        THINGS[thing](size),
        start,
        turned=about((0, 1, 0), -direction),
        weight=box_mass(1000 * size**3, (size,) * 3),
        velocity=1.4 * ahead,
        material=ROUGH,
    )
    engine, hop = make_engine(maker.scene()), 0.0
    for _ in range(round(0.4 / engine.settings.step)):
        engine.step()
        hop = max(hop, float(engine.state().translation[body, 1]) - top)
    moved = engine.state().translation[body] - start
    return Path(float(moved @ ahead), float(moved @ np.cross(ahead, [0, 1, 0])), hop)


def _soup(mesh: Mesh) -> Mesh:
    """Return the same triangles without shared corners."""
    return Mesh(
        mesh.points[mesh.triangles].reshape(-1, 3), np.arange(mesh.triangles.size).reshape(-1, 3)
    )


def _turned_over(mesh: Mesh) -> Mesh:
    """Return the same triangles, every other one facing down."""
    triangles = mesh.triangles.copy()
    triangles[::2] = triangles[::2, ::-1]
    return Mesh(mesh.points, triangles)


@pytest.mark.parametrize("thing", THINGS)
@pytest.mark.parametrize(
    ("size", "triangle"), [(0.02, 0.01), (0.04, 0.008), (0.04, 0.004), (0.1, 0.05)]
)
@pytest.mark.parametrize("direction", [0.0, 0.3])
def test_things_slide_over_fine_triangles_as_over_a_slab(
    thing: str, size: float, triangle: float, direction: float
) -> None:
    slab = slid(Box((4, 1, 4)), thing, size, direction)
    mesh = slid(sheet(round(0.4 / triangle), 0.4), thing, size, direction)
    assert math.dist(mesh[:2], slab[:2]) < 0.03 * slab.along
    assert mesh.hop < 0.01 * size


@pytest.mark.parametrize("change", [_soup, _turned_over])
def test_triangles_need_no_order(change: Any) -> None:
    slab = slid(Box((4, 1, 4)), "prism", 0.04, 0.3)
    mesh = slid(change(sheet(50, 0.4)), "prism", 0.04, 0.3)
    assert math.dist(mesh[:2], slab[:2]) < 0.03 * slab.along


def test_a_crowd_of_tiny_triangles_is_as_flat_as_one() -> None:
    mesh = sheet(50, 0.4)
    middle = np.sign(mesh.points) * np.abs(mesh.points / 0.2) ** 1.7 * 0.2
    slab = slid(Box((4, 1, 4)), "prism", 0.04, 0.3)
    path = slid(Mesh(middle, mesh.triangles), "prism", 0.04, 0.3)
    assert math.dist(path[:2], slab[:2]) < 0.03 * slab.along


@pytest.mark.parametrize(("kind", "tile"), [("mesh", 0.3), ("mesh", 0.4), ("boxes", 0.4)])
@pytest.mark.parametrize("direction", [0.0, 0.3, 1.1])
def test_a_small_cylinder_rolls_on_small_tiles(kind: str, tile: float, direction: float) -> None:
    roll = rolled(kind, tile, 0.02, 2.0, seconds=0.2, direction=direction)
    assert roll.along == pytest.approx(0.4, rel=0.01)
    assert roll.speed == pytest.approx(2.0, rel=0.03)
    assert roll.heights == pytest.approx(0.02, abs=0.0025)
