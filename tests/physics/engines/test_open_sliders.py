"""Sliders whose rotation starts violated slide along the axis of frame A while they close."""

from __future__ import annotations

import math

import numpy as np
import pytest

import ligament as lg
from tests.play.files import node, physics_file

RAIL = [{"linearAxes": [0, 2], "max": 0}]
FIXED, TURNING = {"angularAxes": [0, 1, 2], "max": 0}, {"angularAxes": [0, 2], "max": 0}


@pytest.mark.filterwarnings("ignore:.*closes a loop:ligament.errors.LigamentWarning")
@pytest.mark.parametrize("engine", ["rapier", "mujoco"])
@pytest.mark.parametrize("angle", [0.3, 2.0, 3.1])
@pytest.mark.parametrize("lock", [FIXED, TURNING], ids=["slider", "cylindrical"])
def test_it_falls_along_the_rail(lock: dict[str, object], angle: float, engine: str) -> None:
    motion = {"mass": 1, "inertiaDiagonal": [0.1] * 3, "centerOfMass": [0, 0, 0]}
    tilt = [math.sin(angle / 2), 0, 0, math.cos(angle / 2)]
    document = physics_file(
        node("rail", joint={"joint": 0, "connectedNode": 1}),
        node("lamp", rotation=tilt, motion=motion),
    )
    joints = {"physicsJoints": [{"limits": [*RAIL, lock]}]}
    document.json["extensions"]["KHR_physics_rigid_bodies"] = joints
    recording = lg.simulate(document, seconds=1, engine=engine)
    place = recording.translation[:, 0]
    assert np.abs(place[:, [0, 2]]).max() < 0.01
    assert place[:, 1] == pytest.approx(-9.81 / 2 * recording.times**2, abs=0.05)
