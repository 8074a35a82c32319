"""The time step of MJCF: what it is for typical scenes, and the measurements that it rests on."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest

import ligament as lg
from ligament.demo import assets
from ligament.physics.engines.mujoco.model.timestep import OVERLAP, STOP_OVERSHOOT
from tests.conversion.mujoco_runs import compiled
from tests.play.files import CUBE, FLOOR, node, physics_file

POINT = {"linearAxes": [0, 1, 2], "min": 0, "max": 0}
HINGE = [POINT, {"angularAxes": [0, 1], "min": 0, "max": 0}]


def step_of(document, folder):
    return compiled(document, folder)[0].opt.timestep


def hinged(joint, **motion):
    """A body on a hinge about Z of the world, through its centre of mass."""
    body = {"mass": 1.0, "inertiaDiagonal": [0.01] * 3, "gravityFactor": 0.0, **motion}
    return physics_file(
        node("Pivot", joint={"joint": 0, "connectedNode": 1}),
        node("Body", motion=body),
        joints=[joint],
    )


@pytest.mark.parametrize(
    ("name", "rate"),
    [("stack.glb", 240), ("gate.glb", 240), ("door.glb", 1000), ("rope.glb", 2000)],
)
def test_the_steps_of_the_examples(name, rate, tmp_path):
    file = next(path for path in assets() if path.name == name)
    assert 1 / step_of(lg.load(file), tmp_path) == pytest.approx(rate, rel=0.2)


def test_a_stiff_spring_is_followed_and_one_that_no_step_follows_is_not(tmp_path):
    for stiffness, followed in ((2500.0, True), (1e7, False)):
        drive = {"type": "angular", "mode": "force", "axis": 2, "stiffness": stiffness}
        document = hinged({"limits": HINGE, "drives": [{**drive, "positionTarget": 0.1}]})
        step = step_of(document, tmp_path)
        # ω² = k / I; (ωh)² is at most 0.1.
        assert (step**2 * stiffness / 0.01 == pytest.approx(0.1)) is followed
        assert step == pytest.approx(math.sqrt(0.1 * 0.01 / stiffness) if followed else 1e-3)


def test_small_bodies_meet_stops_in_finer_steps(tmp_path):
    limits = [*HINGE, {"angularAxes": [2], "min": -1, "max": 1}]
    steps = [
        step_of(hinged({"limits": limits}, inertiaDiagonal=[k * k] * 3), tmp_path)
        for k in (0.5, 0.1, 0.01)
    ]
    assert steps == [1e-3, pytest.approx(0.73e-3, rel=0.01), 0.5e-3]


def test_a_load_makes_steps_finer_before_it_sinks_in(tmp_path):
    document = physics_file(
        node("Floor", at=(0, -0.5, 0), shape=FLOOR),
        node("Light", at=(0, 0.5, 0), motion={"mass": 1}, shape=CUBE),
        node("Heavy", at=(0, 1.5, 0), motion={"mass": 1000}, shape=CUBE),
    )
    model, data, _ = compiled(document, tmp_path, up="y")
    assert model.opt.timestep < 1 / 400
    while data.time < 1:
        mujoco.mj_step(model, data)
    light, heavy = (data.body(name).xpos[1] for name in ("Light", "Heavy"))
    assert 0.5 - light < OVERLAP
    assert 1 - (heavy - light) < OVERLAP


@pytest.mark.parametrize("speed", [3.0, 12.0])
@pytest.mark.parametrize("step", [0.5e-3, 1e-3, 4e-3])
def test_overshoot_at_a_stop_is_about_one_step(tmp_path, speed, step):
    limits = [*HINGE, {"angularAxes": [2], "min": -9, "max": 0.5}]
    gone = []
    for faster in np.linspace(1.0, 1.02, 5):  # the stop is met anywhere within a step
        spinning = hinged({"limits": limits}, angularVelocity=[0, 0, speed * faster])
        model, data, _ = compiled(spinning, tmp_path, timestep=step)
        found = []
        while data.time < 0.6 / speed:
            mujoco.mj_step(model, data)
            found.append(float(data.qpos[0]))
        gone.append((max(found) - 0.5) / (speed * faster * step))
    assert 0 < max(gone) < STOP_OVERSHOOT
