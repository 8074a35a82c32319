"""Sliding bodies stay on their surface, and stop where friction stops them."""

from __future__ import annotations

import pytest

import ligament as lg
from tests.play.files import SHAPES, node, physics_file

FRICTION, GRAVITY, SIZE = 0.6, 9.81, 0.2


def surfaces(*nodes: dict[str, object]) -> lg.Document:
    document = physics_file(
        node("floor", at=(0, -0.5, 0), shape=1, material=0),
        *nodes,
        materials=[{"staticFriction": FRICTION, "dynamicFriction": FRICTION}],
    )
    document.json["extensions"][SHAPES]["shapes"] = [
        {"type": "box", "box": {"size": [SIZE] * 3}},
        {"type": "box", "box": {"size": [100, 1, 100]}},
    ]
    return document


@pytest.mark.parametrize("spin", [0.0, 20.0])
@pytest.mark.parametrize("speed", [1.0, 5.0, 20.0])
def test_a_sliding_box_stays_on_the_floor(speed: float, spin: float) -> None:
    motion = {
        "mass": 1,
        "inertiaDiagonal": [0.006, 0.007, 0.008],
        "linearVelocity": [speed, 0, 0],
        "angularVelocity": [0, spin, 0],
    }
    document = surfaces(node("box", at=(0, SIZE / 2, 0), motion=motion, shape=0, material=0))
    distance = speed**2 / (2 * FRICTION * GRAVITY)
    run = lg.simulate(document, seconds=speed / FRICTION / GRAVITY + 1, engine="mujoco")
    place = run.translation[:, -1]
    assert place[:, 1].max() < SIZE / 2 + 1e-3  # it leapt by 2.6 m at 20 m/s
    if not spin:
        assert place[-1, 0] == pytest.approx(distance, rel=0.01, abs=2e-3)
