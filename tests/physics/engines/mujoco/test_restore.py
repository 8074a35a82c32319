"""A snapshot of MuJoCo goes back without a compilation, and goes on to the same bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ligament as lg
from ligament.physics.engines.mujoco import engine as engines
from tests.envs.scenes import cart

pytest.importorskip("mujoco")


def played(sim: lg.Simulation, frames: int = 10) -> Any:
    for _ in range(frames):
        sim.step()
    return np.concatenate([*sim.state], axis=1)


def test_a_reset_compiles_nothing_and_repeats_to_the_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    sim = lg.Simulation(cart(), engine="mujoco", substeps=2)
    start = sim.snapshot()
    first = played(sim)
    monkeypatch.setattr(engines, "compile_scene", None)
    sim.apply_force("Pole", [5, 0, 0])
    sim.set_drive_target("Rail", velocity=2)
    sim.gravity = (1, -5, 0)
    assert not np.array_equal(played(sim), first)
    sim.restore(start)
    np.testing.assert_array_equal(played(sim), first)


def test_a_snapshot_of_another_scene_is_compiled() -> None:
    heavy, light = (lg.Simulation(cart(), engine="mujoco", substeps=2) for _ in range(2))
    start = heavy.snapshot()
    first = played(heavy)
    played(light, 3)
    light.restore(start)
    np.testing.assert_array_equal(played(light), first)
