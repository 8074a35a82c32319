"""The examples and files of others, run by MuJoCo for two seconds: it has nothing to warn of."""

from __future__ import annotations

import warnings

import mujoco
import numpy as np
import pytest

import ligament as lg
from ligament.demo import assets
from ligament.errors import LigamentWarning
from tests.conversion.mujoco_runs import compiled

SAMPLE = (
    "khr_conformance/RigidBodies_Joint_00.gltf",
    "khr_conformance/RigidBodies_ColliderTypeMatrix_20.gltf",
    "khr_samples_2024_03/Filtering/Filtering.glb",
    "khr_samples_2024_03/Materials_Friction/Materials_Friction.gltf",
    "khr_samples_2024_03/ShapeTypes/ShapeTypes.glb",
    "khr_synthetic/KinematicPlatform.gltf",
    "khr_synthetic2/AnimatedBodies.gltf",
    "khr_synthetic2/MeshHull2026.gltf",
    "omi_synthetic/OmiHinge.gltf",
    "omi_synthetic/OmiSoft.gltf",
)


def run_in_silence(file, folder):
    """Step for 2 s; after a warning MuJoCo would start again at time 0."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LigamentWarning)
        model, data, _ = compiled(lg.load(file), folder)
    while data.time < 2:
        mujoco.mj_step(model, data)
        assert not any(warning.number for warning in data.warning)
    assert np.isfinite(data.qpos).all()


@pytest.mark.parametrize("file", assets(), ids=lambda file: file.name)
def test_every_example_runs(file, tmp_path):
    run_in_silence(file, tmp_path)


@pytest.mark.parametrize("name", SAMPLE)
def test_files_of_the_corpus_run(shared, name, tmp_path):
    run_in_silence(shared / "corpus" / name, tmp_path)
