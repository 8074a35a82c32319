"""Sliding over flush tiles is like sliding on one slab."""

from __future__ import annotations

import itertools
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
    Cylinder,
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


@pytest.mark.parametrize("kind", ["boxes", "mixed", "hexagons", "sheets"])
@pytest.mark.parametrize("thing", ["crate", "hull", "cylinder"])
def test_friction_acts_against_a_slide_over_many_tiles(kind: str, thing: str) -> None:
    """Under each tile away from the centre, the engine's points beside the slide."""
    floor = Floor(kind, 0.1, thick=0.05, reach=1.0)
    options: dict[str, Any] = {"thing": thing, "size": 0.24, "speed": 3.0, "direction": 0.7}
    options |= {"start": (-0.4, -0.3), "seconds": 0.8}
    slab, tiles = slide(floor._replace(kind="slab"), **options), slide(floor, **options)
    assert tiles.along == pytest.approx(slab.along, rel=0.006)
    assert tiles.aside == pytest.approx(slab.aside, abs=0.003 * slab.along)


def _rows_of_unequal_tiles(*, joined: bool) -> tuple[Maker, int]:
    """Tiles of 4 to 12 cm whose corners lie on the sides of others, and a small crate."""
    maker, rng = Maker(), np.random.default_rng(4)
    columns = np.concatenate([[-0.7], -0.7 + rng.uniform(0.04, 0.12, 16).cumsum()])
    for left, right in itertools.pairwise(columns):
        rows = -0.4 + np.concatenate([[0.0], rng.uniform(0.04, 0.12, 10).cumsum()])
        for back, front in itertools.pairwise(rows):
            size = (right - left, 0.02, front - back)
            middle = ((left + right) / 2, -0.01, (back + front) / 2)
            if not joined:
                maker.body(Box(size), middle, kind=STATIC, material=ROUGH)
    if joined:
        maker.body(Box((4, 0.02, 4)), (0, -0.01, 0), kind=STATIC, material=ROUGH)
    size = (0.06, 0.06, 0.06)
    at, velocity = (-0.6, 0.03, 0.007), (1.9, 0, 0.06)
    weight = box_mass(0.2, size)
    crate = maker.body(Box(size), at, weight=weight, velocity=velocity, material=ROUGH)
    return maker, crate


def test_corners_on_the_sides_of_others_stop_nothing() -> None:
    ends = []
    for joined in (True, False):
        maker, crate = _rows_of_unequal_tiles(joined=joined)
        engine = make_engine(maker.scene())
        run(engine, 0.6, engine.settings.step)
        ends.append(engine.state().translation[crate])
    assert ends[0][0] > -0.3
    assert ends[1] == pytest.approx(ends[0], abs=0.01 * (ends[0][0] + 0.6))


def test_far_side_of_a_closed_mesh_stops_nothing() -> None:
    """Seen from within a tile, its side pushes along the normal of the opposite one."""
    floor = Floor("meshes", 2.0, thick=0.3, reach=2.0)
    assert_same(floor, thing="hull", size=0.3, direction=1.3, start=(-0.5, -0.9), seconds=1.0)


@pytest.mark.parametrize("kind", ["boxes", "meshes", "sheets"])
@pytest.mark.parametrize("tile", [0.1, 0.5])
def test_cylinder_rolls_over_tiles(kind: str, tile: float) -> None:
    def rolled(floor: Floor) -> tuple[float, float]:
        maker = Maker()
        floor.add_to(maker)
        lying = about((1, 0, 0), math.pi / 2)
        roller = maker.body(
            Cylinder(0.3, 0.15, 0.15),
            (-0.6, 0.15, 0.03),
            turned=lying,
            weight=box_mass(20, (0.26, 0.3, 0.26)),
            velocity=(2, 0, 0),
            spin=(0, 0, -2 / 0.15),
            material=ROUGH,
        )
        engine = make_engine(maker.scene())
        highest = 0.0
        for _ in range(36 * engine.substeps):
            engine.step()
            highest = max(highest, float(engine.state().translation[roller, 1]))
        return float(engine.state().translation[roller, 0]), highest

    floor = Floor(kind, tile, thick=0.05, reach=1.5)
    x, highest = rolled(floor)
    assert x == pytest.approx(rolled(floor._replace(kind="slab"))[0], abs=0.03 * 1.2)
    assert highest < 0.1525


@pytest.mark.parametrize("kind", KINDS)
def test_quality_fast_has_flush_floors_too(kind: str) -> None:
    assert_same(Floor(kind), quality="fast")


@pytest.mark.parametrize("compound", [False, True])
def test_slopes_of_tiles_are_slopes(compound: bool) -> None:
    slope = about((0.3, 0, 1), 0.2)
    assert_same(Floor("hulls", turned=slope, compound=compound), direction=0.6)


@pytest.mark.parametrize("thing", ["crate", "hull"])
@pytest.mark.parametrize("kind", ["boxes", "sheets"])
@pytest.mark.parametrize("speed", [0.0, 1.0])
def test_slope_as_steep_as_friction_allows_holds_as_one_slab(
    kind: str, thing: str, speed: float
) -> None:
    """Each tile beside the centre would brake a little beside the slide, and the crate creep."""
    for steepness in (0.99, 1.0, 1.02) if speed else (0.99, 1.0):
        slope = about((0.3, 0, 1), math.atan(0.5 * steepness))
        floor = Floor(kind, 0.1, thick=0.05, reach=1.0, turned=slope)
        options: dict[str, Any] = {"thing": thing, "size": 0.15, "speed": speed, "direction": 0.4}
        options |= {"start": (0.03, 0.02), "seconds": 1.5}
        slab, tiles = slide(floor._replace(kind="slab"), **options), slide(floor, **options)
        assert tiles.along == pytest.approx(slab.along, abs=0.002)
        assert tiles.aside == pytest.approx(slab.aside, abs=0.002)


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
