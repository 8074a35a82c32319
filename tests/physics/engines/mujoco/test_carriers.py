"""Drives of joints that MuJoCo cannot have in a tree: on light links that are welded."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ligament as lg
from tests.play.files import node, physics_file

pytestmark = pytest.mark.filterwarnings("ignore::ligament.errors.LigamentWarning")

GAP = 0.02
"""How far the joint is open when it starts [m], so that it is no joint of a tree."""

FLOATING = {"mass": 1, "gravityFactor": 0, "centerOfMass": [0, 0, 0], "inertiaDiagonal": [0.1] * 3}
HINGE = [{"linearAxes": [0, 1, 2], "max": 0}, {"angularAxes": [0, 1], "max": 0}]


def wheel(**drive: Any) -> lg.Document:
    frame = {"joint": 0, "connectedNode": 1}
    motor = {"type": "angular", "axis": 2, **drive}
    document = physics_file(
        node("frame", joint=frame), node("wheel", at=(GAP, 0, 0), motion=FLOATING)
    )
    joints = {"physicsJoints": [{"limits": HINGE, "drives": [motor]}]}
    document.json["extensions"]["KHR_physics_rigid_bodies"] = joints
    return document


@pytest.mark.parametrize("quality", ["fast", "exact"])
def test_strong_dampers_brake(quality: Any) -> None:
    document = wheel(mode="force", velocityTarget=1.0, damping=5.0)
    recording = lg.simulate(document, seconds=2, engine="mujoco", quality=quality)
    assert recording.angular_velocity[10:, 0, 2] == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize("mode", ["force", "acceleration"])
def test_springs_move_the_mass_of_the_body(mode: str) -> None:
    """The angle follows θ'' = 20 (0.5 − θ) − 2 θ'."""
    mass = 0.1 if mode == "force" else 1.0
    document = wheel(mode=mode, positionTarget=0.5, stiffness=20 * mass, damping=2 * mass)
    recording = lg.simulate(document, seconds=2, engine="mujoco")
    turn = 2 * np.arcsin(recording.rotation[:, 0, 2])
    frequency = np.sqrt(20 - 1)
    envelope, phase = np.exp(-recording.times), frequency * recording.times
    expected = 0.5 * (1 - envelope * (np.cos(phase) + np.sin(phase) / frequency))
    assert turn == pytest.approx(expected, abs=0.01)
