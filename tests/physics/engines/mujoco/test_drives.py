"""Drives that no step resolves: they rest at F/k, and slip at their largest force."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import ligament as lg
from ligament.physics.engines.mujoco import engine as mujoco_engine
from tests.physics.engines.mujoco.machines import HINGE, Machine, angle_of
from tests.play.files import animate_pointer

G = 9.81


def wheel(**drive: Any) -> lg.Document:
    machine = Machine()
    speed = drive.pop("start", 0.0)
    machine.body("wheel", (0, 0), 5.0, [0.1] * 3, angularVelocity=[0, 0, speed])
    motor = {"type": "angular", "mode": "force", "axis": 2, **drive}
    machine.join(None, "wheel", (0, 0), limits=HINGE, drives=[motor])
    return machine.document()


@pytest.mark.parametrize("limit", [math.inf, 50.0], ids=["any torque", "50 N m"])
@pytest.mark.parametrize(
    ("stiffness", "damping"), [(1e4, 0.02), (1e6, 0.02), (1e8, 0.02), (1e8, 1e-5)]
)
def test_an_arm_rests_at_its_torque_over_its_stiffness(
    stiffness: float, damping: float, limit: float
) -> None:
    machine = Machine()
    machine.bar("arm", (0, 0), (1, 0), 10.0)
    drive = {"positionTarget": 0.0, "stiffness": stiffness, "damping": damping * stiffness}
    motor = {"type": "angular", "mode": "force", "axis": 2, **drive}
    if math.isfinite(limit):
        motor["maxForce"] = limit
    machine.join(None, "arm", (0, 0), limits=HINGE, drives=[motor])
    run = lg.simulate(machine.document(), seconds=3, engine="mujoco")
    assert angle_of(run, 0)[-1] == pytest.approx(-10 * G / 2 / stiffness, rel=1e-3)


@pytest.mark.parametrize("damping", [1e4, 1e8])
def test_a_motor_pushes_with_its_largest_torque_until_it_holds(damping: float) -> None:
    document = wheel(velocityTarget=10.0, damping=damping, maxForce=20.0)
    run = lg.simulate(document, seconds=0.5, engine="mujoco")
    expected = np.minimum(20 / 0.1 * run.times, 10.0)
    # A step of 1 ms with that torque makes 0.2 rad/s.
    assert run.angular_velocity[:, 0, 2] == pytest.approx(expected, abs=0.2)
    assert run.angular_velocity[5:, 0, 2] == pytest.approx(10.0, abs=1e-6)


@pytest.mark.parametrize("damping", [1e4, 1e8])
def test_a_brake_is_dry_friction(damping: float) -> None:
    document = wheel(start=30.0, velocityTarget=0.0, damping=damping, maxForce=2.0)
    run = lg.simulate(document, seconds=3, engine="mujoco")
    expected = np.maximum(30 - 20 * run.times, 0.0)
    assert run.angular_velocity[:, 0, 2] == pytest.approx(expected, abs=0.02)
    assert run.angular_velocity[92:, 0, 2] == pytest.approx(0.0, abs=1e-6)


def test_a_slipping_brake_continues_from_a_snapshot() -> None:
    document = wheel(start=3.0, velocityTarget=0.0, damping=1e6, maxForce=2.0)
    sim = lg.Simulation(document, engine="mujoco")
    sim.engine.step(100)
    snapshot = sim.engine.snapshot()
    states = []
    for _ in range(2):
        sim.engine.restore(snapshot)
        sim.engine.step(100)
        states.append(sim.engine.state().angular_velocity)
    assert np.array_equal(*states)
    assert np.abs(states[0]).max() < 2.0


def test_animated_targets_leave_the_model_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    document = wheel(positionTarget=0.0, stiffness=100.0, damping=10.0)
    pointer = "/extensions/KHR_physics_rigid_bodies/physicsJoints/0/drives/0/positionTarget"
    animate_pointer(document, pointer, [0.0, 1.0], [0.0, 1.0])
    counted, compiled = [], mujoco_engine.compile_scene

    def compile_scene(*args: Any, **options: Any) -> Any:
        counted.append(args)
        return compiled(*args, **options)

    monkeypatch.setattr(mujoco_engine, "compile_scene", compile_scene)
    run = lg.simulate(document, seconds=2, engine="mujoco")
    assert len(counted) == 1
    assert angle_of(run, 0)[-1] == pytest.approx(1.0, abs=1e-3)
