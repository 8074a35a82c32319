"""Limits that are tendons in MuJoCo: cones whose pivots part, and distances from an axis."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ligament as lg
from ligament import transforms as tf
from ligament.physics.engines import engine_losses
from tests.play.files import node, physics_file

BODY = {"mass": 1.0, "inertiaDiagonal": [0.1] * 3, "centerOfMass": [0, 0.5, 0]}


def held(*limits: dict[str, Any], at: Any = (0, 0, 0), **motion: Any) -> lg.Document:
    document = physics_file(
        node("anchor", joint={"joint": 0, "connectedNode": 1}),
        node("body", at=at, motion=BODY | motion),
        joints=[{"limits": list(limits)}],
    )
    assert not engine_losses(lg.Simulation(document).scene, "mujoco")
    return document


@pytest.mark.parametrize("free", [0.3, 20.0])
def test_a_cone_holds_where_its_pivots_part(free: float) -> None:
    cone = {"angularAxes": [0, 2], "min": 0, "max": 0.4}
    document = held({"linearAxes": [0, 1, 2], "max": free}, cone)
    run = lg.simulate(document, seconds=3, engine="mujoco", gravity=(3, -9, 1))
    up = np.asarray(tf.rotate(run.rotation[:, 0], np.array([0.0, 1, 0])))
    angle = np.arccos(np.clip(up[:, 1], -1, 1))
    assert angle.max() < 0.43  # the jerk at 20 m turns it by 0.03 rad in a step
    if free < 1:
        assert angle[-1] == pytest.approx(0.4, abs=5e-3)


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("least", [0.0, 0.2])
def test_a_distance_from_an_axis_is_round(axis: int, least: float) -> None:
    """It falls along the diagonal of the square that two ranges would be."""
    axes = [each for each in range(3) if each != axis]
    at = 0.3 * np.eye(3)[axes[0]]
    document = held(
        {"linearAxes": axes, "min": least, "max": 0.5}, at=at.tolist(), centerOfMass=[0, 0, 0]
    )
    for sign in (1, -1):
        gravity = sign * 5.0 * np.array([float(each != axis) for each in range(3)])
        gravity[axis] = 0.5
        run = lg.simulate(document, seconds=3, engine="mujoco", gravity=tuple(gravity))
        radius = np.linalg.norm(run.translation[:, 0][:, axes], axis=1)
        assert radius.max() < 0.51
        assert radius.min() > least - 0.015
        assert radius[-1] == pytest.approx(0.5, abs=2e-3)
        # It slides along the axis as if there were nothing.
        fall = 0.25 * run.times**2
        assert run.translation[:, 0, axis] == pytest.approx(fall, abs=0.01)


def test_a_cone_that_starts_violated_closes_at_two_radians_a_second() -> None:
    cone = {"angularAxes": [0, 2], "min": 0, "max": 0.4}
    document = held({"linearAxes": [0, 1, 2], "max": 0.3}, cone, centerOfMass=[0, 0, 0])
    document.json["nodes"][1]["rotation"] = [np.sin(0.7), 0, 0, np.cos(0.7)]
    run = lg.simulate(document, seconds=1.5, engine="mujoco", gravity=(0, 0, 0))
    up = np.asarray(tf.rotate(run.rotation[:, 0], np.array([0.0, 1, 0])))
    angle = np.arccos(np.clip(up[:, 1], -1, 1))
    speed = -np.diff(angle) / np.diff(run.times)
    assert speed.max() < 3.0
    assert angle[run.times > 0.7].max() < 0.42
