"""Spheres bounce as rigid bodies do: at a point, at once, with the restitution of the file."""

from __future__ import annotations

import math

import numpy as np
import pytest

import ligament as lg
from ligament.physics.engines import engine_losses
from tests.play.files import SHAPES, node, physics_file

RADIUS = 0.05
HINGE = [
    {"linearAxes": [0, 1, 2], "min": 0, "max": 0},
    {"angularAxes": [0, 1], "min": 0, "max": 0},
]


def smooth(restitution: float) -> dict[str, float]:
    return {"staticFriction": 0, "dynamicFriction": 0, "restitution": restitution}


def balls(*nodes: dict[str, object], restitution: float = 1.0, **rest: object) -> lg.Document:
    document = physics_file(*nodes, materials=[smooth(restitution)], **rest)  # type: ignore[arg-type]
    document.json["extensions"][SHAPES]["shapes"] = [
        {"type": "sphere", "sphere": {"radius": RADIUS}},
        {"type": "box", "box": {"size": [4, 0.1, 4]}},
    ]
    return document


def ball(**motion: object) -> dict[str, object]:
    moments = [0.4 * 0.17 * RADIUS**2] * 3
    return {"mass": 0.17, "inertiaDiagonal": moments, "gravityFactor": 0, **motion}


@pytest.mark.parametrize("quality", ["exact", "fast"])
@pytest.mark.parametrize("cut", [0.0, 15.0, 30.0, 60.0, 80.0])
@pytest.mark.parametrize("speed", [0.6, 2.0, 8.0])
def test_billiard_balls_part_at_a_right_angle(cut: float, speed: float, quality: str) -> None:
    aside = 2 * RADIUS * math.sin(math.radians(cut))
    cue = ball(linearVelocity=[speed, 0, 0])
    document = balls(
        node("cue", at=(-0.5, 0, aside), motion=cue, shape=0, material=0),
        node("object", motion=ball(), shape=0, material=0),
    )
    assert not engine_losses(lg.Simulation(document).scene, "mujoco")
    run = lg.simulate(document, seconds=1 / speed, engine="mujoco", quality=quality)
    along = np.array([math.cos(math.radians(cut)), 0, -math.sin(math.radians(cut))])
    left = np.array([speed, 0, 0]) - speed * along[0] * along
    assert run.linear_velocity[-1, 1] == pytest.approx(speed * along[0] * along, abs=0.01 * speed)
    assert run.linear_velocity[-1, 0] == pytest.approx(left, abs=0.01 * speed)


def test_a_cradle_passes_the_swing_on() -> None:
    tilt, nodes, joints = 0.4, [], []
    for i in range(5):
        x, angle = i * (2 * RADIUS + 1e-4), -tilt if i == 0 else 0.0
        turn = [0, 0, math.sin(angle / 2), math.cos(angle / 2)]
        at = (x + math.sin(angle), -math.cos(angle), 0)
        motion = ball(gravityFactor=1.0)
        nodes.append(node(f"ball {i}", at=at, rotation=turn, motion=motion, shape=0, material=0))
        nodes[-1]["children"] = [10 + i]
        joints.append(node(f"hook {i}", at=(x, 0, 0), rotation=turn))
        joints[-1]["extensions"] = {
            "KHR_physics_rigid_bodies": {"joint": {"joint": 0, "connectedNode": 10 + i}}
        }
    ends = [node(f"eye {i}", at=(0, 1, 0)) for i in range(5)]
    document = balls(*nodes, *joints, *ends, joints=[{"limits": HINGE}])
    run = lg.simulate(document, seconds=3, engine="mujoco")
    hooks = np.arange(5) * (2 * RADIUS + 1e-4)
    swing = np.arcsin(run.translation[:, :5, 0] - hooks)
    assert swing[:, 4].max() == pytest.approx(tilt, abs=0.01)
    assert np.abs(swing[:, 1:4]).max() < 0.01
    assert swing[60:, 0].min() == pytest.approx(-tilt, abs=0.01)


@pytest.mark.parametrize("restitution", [0.3, 0.8])
def test_a_ball_bounces_to_the_square_of_its_restitution(restitution: float) -> None:
    document = balls(
        node("floor", at=(0, -0.05, 0), shape=1, material=0),
        node("ball", at=(0, 1 + RADIUS, 0), motion=ball(gravityFactor=1.0), shape=0, material=0),
        restitution=restitution,
    )
    run = lg.simulate(document, seconds=4, engine="mujoco", rate=240)
    height = run.translation[:, run.nodes.tolist().index(1), 1] - RADIUS
    fall = math.sqrt(2 / 9.81)
    first = (run.times > fall) & (run.times < fall * (1 + 2 * restitution))
    # One step of 1 ms at 4.4 m/s is 4.4 mm.
    assert height[first].max() == pytest.approx(restitution**2, abs=4.5e-3)
    assert height.min() > -1e-3
    assert height[-1] == pytest.approx(0.0, abs=1e-3)


def test_bounces_continue_from_a_snapshot() -> None:
    document = balls(
        node("floor", at=(0, -0.05, 0), shape=1, material=0),
        node("ball", at=(0, 0.2, 0), motion=ball(gravityFactor=1.0), shape=0, material=0),
        restitution=0.9,
    )
    engine = lg.Simulation(document, engine="mujoco").engine
    engine.step(150)
    snapshot = engine.snapshot()
    states = []
    for _ in range(2):
        engine.restore(snapshot)
        engine.step(500)
        states.append(engine.state().translation)
    assert np.array_equal(*states)
