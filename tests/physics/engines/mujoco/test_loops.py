"""Machines with loops, in every order of their joints: which of them close the loops is open."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest

import ligament as lg
from ligament.physics.engines import engine_losses
from tests.physics.engines.mujoco.machines import HINGE, SLIDER, Machine, angle_of

G = 9.81
ORDERS = [*permutations(range(4))][::5]


def crane(**drive: float) -> Machine:
    """A boom of 200 kg and 4 m at 0.5 rad, which a driven strut of two light parts holds."""
    machine = Machine()
    foot, tip = np.array([0.6, -0.8]), 4 * np.array([math.cos(0.5), math.sin(0.5)])
    eye = 0.4 * tip
    middle, angle = (foot + eye) / 2, math.atan2(*(eye - foot)[::-1])
    machine.bar("boom", (0, 0), tip, 200.0)
    machine.bar("cylinder", foot, middle, 1.0)
    machine.bar("rod", middle, eye, 1.0)
    machine.join(None, "boom", (0, 0), limits=HINGE)
    machine.join(None, "cylinder", foot, limits=HINGE)
    machine.join("boom", "rod", eye, limits=HINGE)
    motor = {"type": "linear", "mode": "force", "axis": 0, **drive}
    machine.join("cylinder", "rod", middle, angle, limits=SLIDER, drives=[motor])
    return machine


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("limit", [math.inf, 2e4], ids=["any force", "20 kN"])
@pytest.mark.parametrize("quality", ["exact", "fast"])
def test_a_strut_rests_at_its_force_over_its_stiffness(order, limit, quality) -> None:
    """The damper of 1e6 N s/m acts on 1 kg, were it not for the loop."""
    stiffness, target = 2e7, 0.3
    drive = {"positionTarget": target, "stiffness": stiffness, "damping": 1e6}
    machine = crane(**drive, **({"maxForce": limit} if math.isfinite(limit) else {}))
    run = lg.simulate(machine.document(order), seconds=4, engine="mujoco", quality=quality)
    angle = angle_of(run, 0)[-1]
    eye, foot = 1.6 * np.array([math.cos(angle), math.sin(angle)]), np.array([0.6, -0.8])
    start = 1.6 * np.array([math.cos(0.5), math.sin(0.5)])
    span = float(np.hypot(*(eye - foot)))
    lever = (eye[0] * (eye - foot)[1] - eye[1] * (eye - foot)[0]) / span
    force = (200 * 2 + 1.6) * G * math.cos(angle) / lever
    length = span - float(np.hypot(*(start - foot)))
    # The parts of the strut weigh 1 % of the force that the stiffness turns into 0.3 mm.
    assert length == pytest.approx(target - force / stiffness, abs=3e-5)
    assert np.abs(run.angular_velocity[-30:]).max() < 1e-4


@pytest.mark.filterwarnings("ignore:.*closes a loop:ligament.errors.LigamentWarning")
@pytest.mark.parametrize("order", ORDERS)
def test_springs_in_a_loop_act_on_its_bodies(order) -> None:
    """A parallelogram with a spring in each joint: 4 k θ = (6 m/s² cos θ + 2 G sin θ) kg m."""
    machine, corners = Machine(), [(0, 0), (0, 1), (1, 1), (1, 0)]
    names = ["left", "top", "right"]
    for name, start, end in zip(names, corners, corners[1:], strict=False):
        machine.bar(name, start, end, 1.0)
    spring = {"angularAxes": [2], "min": 0, "max": 0, "stiffness": 50.0, "damping": 5.0}
    for a, b, at in zip([None, *names], [*names, None], corners, strict=True):
        machine.join(a, b, at, limits=[*HINGE, spring])
    document = machine.document(order)
    run = lg.simulate(document, seconds=8, engine="mujoco", gravity=(3.0, -G, 0))
    tilt = math.pi / 2 - angle_of(run, 0)[-1]
    assert 4 * 50 * tilt == pytest.approx(6 * math.cos(tilt) + 2 * G * math.sin(tilt), rel=0.01)


def test_a_loop_of_hinges_needs_no_further_body() -> None:
    machine, corners = Machine(), [(0, 0), (0, 1), (1, 1), (1, 0)]
    names = ["left", "top", "right"]
    for name, start, end in zip(names, corners, corners[1:], strict=False):
        machine.bar(name, start, end, 1.0)
    for a, b, at in zip([None, *names], [*names, None], corners, strict=True):
        machine.join(a, b, at, limits=HINGE)
    document = machine.document()
    assert not engine_losses(lg.Simulation(document).scene, "mujoco")
    run = lg.simulate(document, seconds=2, engine="mujoco", gravity=(1.0, -G, 0))
    assert np.abs(run.rotation[:, 1, :3]).max() < 1e-4
    along = np.stack([np.cos(angle_of(run, 0)), np.sin(angle_of(run, 0))], axis=1) / 2
    place = run.translation[:, :, :2]
    assert place[:, 1] - [0.5, 0] == pytest.approx(place[:, 0] + along, abs=1e-4)
    assert np.ptp(place[:, 1, 0]) > 0.3
