"""States that the engine hands out are those that MuJoCo itself reports for each body."""

from __future__ import annotations

import numpy as np
import pytest

import ligament as lg
from ligament.extensions.shapes import Box
from tests.envs.scenes import cart

mujoco = pytest.importorskip("mujoco")


def test_velocities_are_those_of_centres_of_mass() -> None:
    sim = lg.Simulation(cart(), engine="mujoco", substeps=2)
    sim.apply_impulse("Pole", [0.3, 0, 0])
    for _ in range(20):
        sim.step()
    compiled, data = sim.engine._compiled, sim.engine._data
    state, velocity = sim.state, np.zeros(6)
    for row, body in enumerate(compiled.bodies):
        if not body:
            continue
        kind = mujoco.mjtObj.mjOBJ_BODY
        mujoco.mj_objectVelocity(compiled.model, data, kind, body, velocity, 0)
        reported = np.concatenate([state.angular_velocity[row], state.linear_velocity[row]])
        np.testing.assert_allclose(reported, velocity, atol=1e-12)
        np.testing.assert_array_equal(state.translation[row], data.xpos[body])


def test_bodies_of_the_world_stay_where_they_are() -> None:
    editor = lg.Editor(cart())
    wall = editor.add_node("Wall", translation=(3, 1, 2))
    editor.add_body(wall, kind="kinematic")
    sim = lg.Simulation(editor.document, engine="mujoco", substeps=2)
    sim.step()
    row = sim.nodes.tolist().index(wall)
    np.testing.assert_array_equal(sim.translation[row], [3, 1, 2])
    np.testing.assert_array_equal(sim.linear_velocity[row], [0, 0, 0])


def test_flight_through_a_trigger_is_as_exact_as_elsewhere() -> None:
    """Only what touches a body ends its free flight."""
    editor = lg.Editor(lg.Document({"asset": {"version": "2.0"}, "scenes": [{}], "scene": 0}))
    editor.add_trigger(editor.add_node("Gate", translation=(0, -1, 0)), Box((4.0, 0.2, 4.0)))
    ball = editor.add_node("Ball")
    editor.add_body(ball, mass=1)
    editor.add_collider(ball, Box((0.2, 0.3, 0.4)))
    sim = lg.Simulation(editor.document, engine="mujoco", rate=60)
    for _ in range(30):
        sim.step()
    fallen = sim.translation[sim.nodes.tolist().index(ball)][1]
    assert fallen == pytest.approx(-9.81 / 2 * 0.5**2, abs=1e-6)
