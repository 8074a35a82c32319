"""Ragdolls that fall on a floor are not thrown up by it."""

from __future__ import annotations

import os

import numpy as np

import ligament as lg
from benchmarks.jointed_worlds import ragdolls
from benchmarks.world_files import write_gltf

COUNT = 300 if os.environ.get("LIGAMENT_SOAK") else 60
LIMBS = 11
FASTEST = 20.0
"""A fall of 2 m ends at 6 m/s, and hands may whip at three times that [m/s]."""


def test_no_limb_gets_faster_than_its_fall_allows(tmp_path):
    simulation = lg.Simulation(lg.load(write_gltf(ragdolls(COUNT), tmp_path / "ragdolls.gltf")))
    top = np.zeros(COUNT)
    for _ in range(120):
        simulation.step()
        limbs = simulation.state.linear_velocity[: COUNT * LIMBS].reshape(COUNT, LIMBS, 3)
        top = np.maximum(top, np.linalg.norm(limbs, axis=2).max(axis=1))
    assert np.median(top) > 5.0
    # One of sixty reached 64 m/s while contacts remembered their pushes in spite of blows.
    assert top.max() < FASTEST
