"""Gyroscopes and tops on joints follow Euler's equations, which are integrated here."""

from __future__ import annotations

import math

import numpy as np
import pytest

import ligament as lg
from ligament import transforms as tf
from tests.play.files import node, physics_file

G, MASS, ARM = 9.81, 1.0, 0.2
POINT = {"linearAxes": [0, 1, 2], "min": 0, "max": 0}


def axis_of_top(
    moments: np.ndarray, spin: np.ndarray, rotation: np.ndarray, times: np.ndarray, steps: int = 40
) -> np.ndarray:
    """Return the axis Y of a body on its pivot over time, by RK4 steps within each frame.

    `moments` (3,) are about the pivot, which is ARM below the centre of mass.
    """

    def rate(q: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        down = np.asarray(tf.rotate(tf.conjugate(q), np.array([0, -G * MASS, 0])))
        torque = np.cross([0, ARM, 0], down)
        turn = np.asarray(tf.multiply(q, np.append(w, 0.0))) / 2
        return turn, (torque - np.cross(w, moments * w)) / moments

    q, w, axes = rotation, spin, []
    h = float(times[1] - times[0]) / steps
    for _ in times:
        axes.append(np.asarray(tf.rotate(q, np.array([0.0, 1, 0]))))
        for _ in range(steps):
            a = rate(q, w)
            b = rate(q + h / 2 * a[0], w + h / 2 * a[1])
            c = rate(q + h / 2 * b[0], w + h / 2 * b[1])
            d = rate(q + h * c[0], w + h * c[1])
            q = q + h / 6 * (a[0] + 2 * b[0] + 2 * c[0] + d[0])
            w = w + h / 6 * (a[1] + 2 * b[1] + 2 * c[1] + d[1])
            q = q / np.linalg.norm(q)
    return np.array(axes)


@pytest.mark.parametrize("quality", ["exact", "balanced", "fast"])
@pytest.mark.parametrize(("spin", "tilt"), [(100.0, math.pi / 2), (40.0, 0.4)])
def test_a_top_precesses_and_nutates(spin: float, tilt: float, quality: str) -> None:
    own = np.array([0.02, 0.03, 0.02])
    rotation = np.array([0, 0, -math.sin(tilt / 2), math.cos(tilt / 2)])
    motion = {
        "mass": MASS,
        "inertiaDiagonal": own.tolist(),
        "centerOfMass": [0, ARM, 0],
        "angularVelocity": [0, spin, 0],
    }
    document = physics_file(
        node(
            "top", rotation=rotation.tolist(), motion=motion, joint={"joint": 0, "connectedNode": 1}
        ),
        node("pivot"),
        joints=[{"limits": [POINT]}],
    )
    run = lg.simulate(document, seconds=4, engine="mujoco", quality=quality)
    moments = own + MASS * ARM**2 * np.array([1, 0, 1])
    expected = axis_of_top(moments, np.array([0, spin, 0]), rotation, run.times)
    axis = np.asarray(tf.rotate(run.rotation[:, 0], np.array([0.0, 1, 0])))
    # The axis turns by several radians; 1 % of one.
    assert np.abs(axis - expected).max() < 0.01


def test_a_tumbling_body_on_a_pivot_keeps_energy_and_momentum() -> None:
    moments = np.array([0.01, 0.02, 0.025])
    motion = {
        "mass": 1.0,
        "inertiaDiagonal": moments.tolist(),
        "centerOfMass": [0, 0, 0],
        "angularVelocity": [0.05, 8, 0.05],
    }
    document = physics_file(
        node("handle", motion=motion, joint={"joint": 0, "connectedNode": 1}),
        node("pivot"),
        joints=[{"limits": [POINT]}],
    )
    run = lg.simulate(document, seconds=10, engine="mujoco")
    own = tf.rotate(tf.conjugate(run.rotation[:, 0]), run.angular_velocity[:, 0])
    momentum = np.asarray(tf.rotate(run.rotation[:, 0], moments * own))
    assert momentum == pytest.approx(np.broadcast_to(momentum[0], momentum.shape), abs=1e-5)
    energy = (moments * np.asarray(own) ** 2).sum(axis=1) / 2
    assert energy == pytest.approx(energy[0], rel=1e-4)
    assert np.sign(np.asarray(own)[:, 1]).min() == -1  # it turned over (Dzhanibekov)
