"""Files with floors of tiles: a crate stops where it stops on one slab."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import ligament as lg
from tests.play.files import BALL, CUBE, FLOOR, node, physics_file

SLIPPERY = {"staticFriction": 0.7, "dynamicFriction": 0.4, "restitution": 0}
KINEMATIC = {"isKinematic": True}


def _slab() -> list[dict[str, Any]]:
    return [node("Slab", at=(0, -0.5, 0), shape=FLOOR, material=0)]


def _tiles(layout: str) -> list[dict[str, Any]]:
    """Return tiles of 1 m, each static, or all of them children of a static or kinematic node."""
    places = [(x + 0.5, z + 0.5) for x in range(-4, 5) for z in range(-2, 2)]
    tiles = [node(f"Tile {x} {z}", at=(x, -0.5, z), shape=CUBE, material=0) for x, z in places]
    if layout == "static":
        return tiles
    motion = KINEMATIC if layout == "kinematic" else None
    return [node("Floor", motion=motion, children=list(range(1, len(tiles) + 1))), *tiles]


def _played(floor: list[dict[str, Any]], thing: dict[str, Any], seconds: float) -> lg.Recording:
    return lg.simulate(physics_file(*floor, thing, materials=[SLIPPERY]), seconds=seconds)


@pytest.mark.parametrize("layout", ["static", "compound", "kinematic"])
def test_crate_on_tiles_stops_where_it_stops_on_one_slab(layout: str) -> None:
    motion = {"mass": 10, "linearVelocity": [4, 0, 0.3]}
    crate = node(
        "Crate", at=(-3, 0.25, 0.1), scale=[0.5] * 3, motion=motion, shape=CUBE, material=0
    )
    slab, tiles = _played(_slab(), crate, 2.0), _played(_tiles(layout), crate, 2.0)
    end, expected = tiles.translation[-1, -1], slab.translation[-1, -1]
    assert end == pytest.approx(expected, abs=0.03 * (expected[0] + 3))
    assert tiles.translation[:, -1, 1].max() < 0.251
    assert abs(tiles.rotation[-1, -1, 3]) > math.cos(math.radians(1.5))


def test_ball_keeps_its_rolling_speed() -> None:
    motion = {"mass": 10, "linearVelocity": [3, 0, 0], "angularVelocity": [0, 0, -12]}
    ball = node("Ball", at=(-3, 0.25, 0.2), scale=[0.5] * 3, motion=motion, shape=BALL, material=0)
    tiles = _played(_tiles("static"), ball, 1.5)
    speed = np.linalg.norm(tiles.linear_velocity[:, -1], axis=1)
    assert speed == pytest.approx(3, rel=0.01)


def test_ball_that_just_touches_a_trigger_at_a_step_enters_once() -> None:
    """After 1 s it touches the trigger at -0.3 m, to the bit or nearly so."""
    motion = {"mass": 1, "linearVelocity": [1.5, 0, 0], "angularVelocity": [0, 0, -7.5]}
    ball = node("Ball", at=(-2, 0.2, 0), scale=[0.4] * 3, motion=motion, shape=BALL, material=0)
    gate = node("Gate", at=(0, 0.5, 0), scale=[0.6, 1, 1], trigger=CUBE)
    document = physics_file(*_slab(), ball, gate, materials=[SLIPPERY])
    reported = [event.type for event in lg.simulate(document, seconds=2.5).events]
    assert reported == ["trigger_enter", "trigger_exit"]
