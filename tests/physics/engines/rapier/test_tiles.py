"""Sliding over flush tiles is like sliding on one slab."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from ligament import transforms as tf
from ligament.physics.engines import make_engine
from tests.physics.engines.rapier.scenes import (
    CUBE,
    CUBE_TRIANGLES,
    STATIC,
    Box,
    Maker,
    Mesh,
    about,
    box_mass,
    run,
)
from tests.physics.engines.rapier.tiled_floors import ROUGH, Floor, slide

KINDS = ["boxes", "hulls", "mixed", "hexagons", "meshes"]


def assert_same(floor: Floor, **options: Any) -> None:
    """Compare tiles with a slab: distance within 3 %, no hop, no rotation."""
    slab = slide(floor._replace(kind="slab"), **options)
    tiles = slide(floor, **options)
    size = options.get("size", 0.5)
    assert abs(tiles.along - slab.along) < 0.03 * abs(slab.along)
    assert abs(tiles.aside - slab.aside) < 0.03 * abs(slab.along)
    assert tiles.hop - max(slab.hop, 0.0) < 0.01 * size
    assert abs(tiles.rotation - slab.rotation) < math.radians(3) or options.get("thing") == "ball"


@pytest.mark.parametrize("kind", KINDS)
def test_crate_stops_where_it_stops_on_one_slab(kind: str) -> None:
    assert_same(Floor(kind))


@pytest.mark.parametrize("kind", KINDS)
def test_ball_keeps_its_rolling_speed(kind: str) -> None:
    rolled = slide(Floor(kind), thing="ball", speed=3.0, seconds=1.0)
    assert rolled.speed == pytest.approx(3.0, rel=0.01)
    assert rolled.hop < 1e-3


@pytest.mark.parametrize("thing", ["hull", "cylinder", "capsule"])
@pytest.mark.parametrize("kind", ["boxes", "mixed"])
def test_other_shapes_slide_as_on_one_slab(kind: str, thing: str) -> None:
    assert_same(Floor(kind), thing=thing)


@pytest.mark.parametrize("direction", [0.3, math.pi / 4, 2.5])
def test_direction_does_not_matter(direction: float) -> None:
    assert_same(Floor("boxes"), direction=direction, start=(0.1, -0.07))


@pytest.mark.parametrize(
    ("tile", "size", "speed"),
    [(0.05, 0.12, 1.5), (0.25, 0.6, 3.0), (2.0, 0.1, 4.0), (10.0, 0.5, 4.0)],
)
def test_size_does_not_matter(tile: float, size: float, speed: float) -> None:
    reach = max(tile, 0.6 if tile < 0.1 else 2.0)
    assert_same(Floor("boxes", tile, reach=reach), size=size, speed=speed, start=(-0.3, 0.03))


@pytest.mark.parametrize("thick", [0.01, 1.0])
def test_thickness_does_not_matter(thick: float) -> None:
    assert_same(Floor("mixed", thick=thick))


@pytest.mark.parametrize("direction", [0.0, 1.3])
def test_hexagons_of_two_millimetres_carry_a_small_crate(direction: float) -> None:
    floor = Floor("hexagons", 0.1, thick=0.002, reach=0.4)
    assert_same(floor, thing="hull", size=0.03, speed=1.9, direction=direction, start=(-0.3, 0.04))


def test_small_sheets_carry_a_cylinder_down_a_slope() -> None:
    floor = Floor("sheets", 0.1, reach=1.0, turned=about((0.3, 0, 1), 0.3))
    assert_same(
        floor,
        thing="cylinder",
        size=0.3,
        speed=2.4,
        direction=0.4,
        start=(-0.02, -0.02),
        seconds=0.6,
    )


@pytest.mark.parametrize("kind", KINDS)
def test_quality_fast_has_flush_floors_too(kind: str) -> None:
    assert_same(Floor(kind), quality="fast")


@pytest.mark.parametrize("compound", [False, True])
def test_slopes_of_tiles_are_slopes(compound: bool) -> None:
    slope = about((0.3, 0, 1), 0.2)
    assert_same(Floor("hulls", turned=slope, compound=compound), direction=0.6)


def test_tiles_of_a_moving_platform_are_one_floor() -> None:
    assert_same(Floor("boxes", compound=True, velocity=(0.5, 0, -0.2)))


def test_wall_of_blocks_is_one_wall() -> None:
    """A crate is pressed against it by a sloping force and slides along."""

    def slid(blocks: int) -> float:
        maker = Maker()
        width = 8 / blocks
        for i in range(blocks):
            at = (-4 + (i + 0.5) * width, 0, -0.5)
            maker.body(Box((width, 4, 1)), at, kind=STATIC, material=ROUGH)
        crate = maker.body(
            Box((0.5, 0.5, 0.5)),
            (-2.1, 0, 0.25),
            weight=box_mass(100, (0.5, 0.5, 0.5)),
            velocity=(4, 0, 0),
            material=ROUGH,
        )
        engine = make_engine(maker.scene(), gravity=(0, 0, -9.81))
        run(engine, 1.2, engine.settings.step)
        return float(engine.state().translation[crate, 0])

    assert slid(8) == pytest.approx(slid(1), abs=0.03 * 1.63)


def _two_tiles(step: float) -> tuple[Maker, int]:
    maker = Maker()
    maker.body(Box((4, 0.2, 2)), (-2, -0.1, 0), kind=STATIC, material=ROUGH)
    maker.body(Box((4, 0.2, 2)), (2, -0.1 + step, 0), kind=STATIC, material=ROUGH)
    weight = box_mass(125, (0.5, 0.5, 0.5))
    crate = maker.body(
        Box((0.5, 0.5, 0.5)), (-0.8, 0.25, 0), weight=weight, velocity=(4, 0, 0), material=ROUGH
    )
    return maker, crate


def test_step_stops_a_crate() -> None:
    maker, crate = _two_tiles(0.15)
    engine = make_engine(maker.scene())
    run(engine, 1.0, engine.settings.step)
    assert engine.state().translation[crate, 0] < -0.2


def test_ridge_between_slopes_carries_a_crate() -> None:
    maker = Maker()
    maker.body(Box((4, 0.2, 4)), (-2, -0.1, 0), kind=STATIC, material=ROUGH)
    down = about((0, 0, 1), -math.radians(15))
    at = tf.rotate(down, [2.0, -0.1, 0.0])
    maker.body(Box((4, 0.2, 4)), at, kind=STATIC, turned=down, material=ROUGH)
    weight = box_mass(10, (0.3, 0.3, 0.3))
    crate = maker.body(Box((0.3, 0.3, 0.3)), (-0.7, 0.15, 0), weight=weight, velocity=(3, 0, 0))
    engine = make_engine(maker.scene())
    assert len(engine._built.tiles) == 2
    for _ in range(90 * engine.substeps):
        engine.step()
        x, y, _ = engine.state().translation[crate]
        assert math.hypot(x, y) > 0.145


def test_tile_that_was_moved_away_covers_nothing() -> None:
    maker, crate = _two_tiles(0.0)
    engine = make_engine(maker.scene())
    engine.set_pose(0, np.array([-2, -0.25, 0]), np.array([0, 0, 0, 1.0]))
    engine.set_pose(crate, np.array([-0.8, 0.1, 0]), np.array([0, 0, 0, 1.0]))
    run(engine, 1.0, engine.settings.step)
    assert engine.state().translation[crate, 0] < -0.2


def test_only_tiles_ask() -> None:
    """A floor on its own, tiles with gaps, and what moves cost what they did."""
    maker = Maker()
    maker.ground()
    for i in range(3):
        maker.body(Box((1, 1, 1)), (i, 0.5, 0), weight=box_mass(1, (1, 1, 1)))
        maker.body(Box((1, 1, 1)), (1.1 * i, 5, 0), kind=STATIC)
    engine = make_engine(maker.scene())
    assert not engine._built.tiles
    assert engine._built.hooks is None


def test_snapshot_on_tiles_goes_on_to_the_bit() -> None:
    maker, crate = _two_tiles(0.0)
    engine = make_engine(maker.scene())
    run(engine, 0.1, engine.settings.step)
    saved = engine.snapshot()
    run(engine, 0.5, engine.settings.step)
    first = engine.state().translation[crate].tobytes()
    engine.restore(saved)
    run(engine, 0.5, engine.settings.step)
    assert engine.state().translation[crate].tobytes() == first


def test_rooms_of_meshes_side_by_side_hold_what_is_inside() -> None:
    maker = Maker()
    for x in (-1.0, 1.0):
        maker.body(Mesh(CUBE * 2.0, CUBE_TRIANGLES), (x, 1, 0), kind=STATIC, material=ROUGH)
    crate = maker.body(Box((0.5,) * 3), (-0.5, 0.25, 0), weight=box_mass(10, (0.5,) * 3))
    engine = make_engine(maker.scene())
    run(engine, 1.0, engine.settings.step)
    assert engine.state().translation[crate] == pytest.approx([-0.5, 0.25, 0], abs=1e-3)
