"""Fast bodies hit what is on their way, however thin it is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ligament as lg
from tests.play.files import SHAPES, node, physics_file

SMOOTH = {"staticFriction": 0, "dynamicFriction": 0}


def shot(shape: dict[str, Any], speed: float, wall: float, **rest: Any) -> lg.Document:
    """Return a small body that flies along X towards a wall of a thickness [m] 2 m away."""
    motion = {
        "mass": 0.01,
        "inertiaDiagonal": [1e-6] * 3,
        "linearVelocity": [speed, 0, 0],
        "gravityFactor": 0,
    }
    document = physics_file(
        node("wall", shape=0, material=0, motion=rest.get("target")),
        node("bullet", at=(-2, *rest.get("at", (0, 0))), motion=motion, shape=1, material=0),
        materials=[SMOOTH | {"restitution": rest.get("restitution", 0.0)}],
    )
    document.json["extensions"][SHAPES]["shapes"] = [
        {"type": "box", "box": {"size": [wall, 2, 2]}},
        shape,
    ]
    return document


SPHERE = {"type": "sphere", "sphere": {"radius": 0.02}}
ROD = {"type": "capsule", "capsule": {"radiusTop": 0.005, "radiusBottom": 0.005, "height": 0.02}}
SPLINTER = {"type": "box", "box": {"size": [0.05, 0.02, 0.02]}}


@pytest.mark.parametrize("quality", ["exact", "fast"])
@pytest.mark.parametrize("speed", [20.0, 100.0, 300.0])
@pytest.mark.parametrize("shape", [SPHERE, ROD, SPLINTER], ids=["sphere", "rod", "splinter"])
def test_a_bullet_stops_at_a_thin_wall(shape: Any, speed: float, quality: Any) -> None:
    document = shot(shape, speed, 0.005, at=(0.3, -0.2))
    run = lg.simulate(document, seconds=0.5, engine="mujoco", quality=quality)
    place = run.translation[:, run.nodes.tolist().index(1), 0]
    assert place.max() < 0
    assert place[-1] > -0.1


def test_a_bullet_moves_what_it_hits() -> None:
    target = {"mass": 1.0, "inertiaDiagonal": [0.1] * 3, "gravityFactor": 0}
    run = lg.simulate(shot(SPHERE, 300.0, 0.2, target=target), seconds=0.5, engine="mujoco")
    masses = np.array([1.0, 0.01])
    assert masses @ run.linear_velocity[-1, :, 0] == pytest.approx(3.0)
    assert run.linear_velocity[-1, 0, 0] == pytest.approx(3 / 1.01, rel=1e-3)


@pytest.mark.filterwarnings("ignore:.*restitution")
def test_a_fast_ball_rebounds_with_its_restitution() -> None:
    run = lg.simulate(shot(SPHERE, 80.0, 0.01, restitution=0.8), seconds=0.2, engine="mujoco")
    assert run.linear_velocity[-1, -1, 0] == pytest.approx(-64.0)


def test_filters_let_bullets_pass() -> None:
    document = shot(SPHERE, 300.0, 0.01)
    filters = [{"collisionSystems": ["a"], "collideWithSystems": ["b"]}]
    document.json["extensions"]["KHR_physics_rigid_bodies"]["collisionFilters"] = filters
    for each in document.json["nodes"]:
        collider = each["extensions"]["KHR_physics_rigid_bodies"]["collider"]
        collider["collisionFilter"] = 0
    run = lg.simulate(document, seconds=0.2, engine="mujoco")
    assert run.translation[-1, -1, 0] == pytest.approx(58.0, abs=0.1)
