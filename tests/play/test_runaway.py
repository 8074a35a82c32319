"""Scenes that run away: bodies are frozen and named, recordings stay finite, commands say no."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ligament as lg
from ligament.errors import SimulationError
from tests.cli.command import ligament

KHR, SHAPES = "KHR_physics_rigid_bodies", "KHR_implicit_shapes"

RUNAWAYS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "speed": ({}, {"linearVelocity": [1e30, 0, 0]}),
    "speed at the end of single precision": ({}, {"linearVelocity": [3e38, 0, 0]}),
    "spin": ({}, {"angularVelocity": [0, 1e30, 0]}),
    "place": ({"translation": [1e30, 0, 0]}, {}),
}


def scene(path: Path, node: dict[str, Any], motion: dict[str, Any]) -> Path:
    """A body that runs away, and one that falls as it should."""
    shape = {"type": "sphere", "sphere": {"radius": 0.1}}
    collider = {"geometry": {"shape": 0}}
    wild = {"name": "Wild", **node, "extensions": {KHR: {"motion": motion, "collider": collider}}}
    calm = {
        "name": "Calm",
        "translation": [0, 0, 5],
        "extensions": {KHR: {"motion": {"gravityFactor": 0}, "collider": collider}},
    }
    root = {
        "asset": {"version": "2.0"},
        "extensionsUsed": [KHR, SHAPES],
        "extensions": {SHAPES: {"shapes": [shape]}},
        "nodes": [wild, calm],
        "scenes": [{"nodes": [0, 1]}],
    }
    path.write_text(json.dumps(root))
    return path


@pytest.mark.parametrize("name", RUNAWAYS)
def test_a_body_that_runs_away_is_named_and_frozen(tmp_path: Path, name: str) -> None:
    node, motion = RUNAWAYS[name]
    path = scene(tmp_path / "wild.gltf", node, motion)
    with pytest.warns(lg.LigamentWarning, match=r"/nodes/0: 'Wild' \(node 0\) became non-finite"):
        recording = lg.simulate(lg.load(path), seconds=0.2)
    assert recording.lost == (0,)
    assert all(np.isfinite(track).all() for track in (recording.translation, recording.rotation))
    assert np.isfinite(recording.linear_velocity).all()
    assert np.isfinite(recording.kinetic_energy).all()
    assert (recording.translation[:, 0] == recording.translation[0, 0]).all()
    np.testing.assert_allclose(recording.translation[:, 1], [[0, 0, 5]] * 13, atol=1e-6)
    with pytest.raises(SimulationError, match=r"'Wild' \(node 0\)") as caught:
        recording.require_finite()
    assert (caught.value.file, caught.value.pointer) == (str(path), "/nodes/0")


def test_a_body_out_of_any_reach_is_lost(tmp_path: Path) -> None:
    path = scene(tmp_path / "far.gltf", {}, {"linearVelocity": [1e13, 0, 0]})
    with pytest.warns(lg.LigamentWarning, match="'Wild' .* out of range at 0.1"):
        recording = lg.simulate(lg.load(path), seconds=0.2)
    assert recording.lost == (0,)
    assert 1e12 < recording.translation[-1, 0, 0] < 1.2e12
    np.testing.assert_array_equal(recording.linear_velocity[-1, 0], 0.0)


def test_a_scene_that_stays_finite_has_lost_nothing(tmp_path: Path) -> None:
    path = scene(tmp_path / "calm.gltf", {}, {"linearVelocity": [1e6, 0, 0]})
    recording = lg.simulate(lg.load(path), seconds=0.2)
    assert recording.lost == ()
    recording.require_finite()


@pytest.mark.filterwarnings("ignore::ligament.errors.LigamentWarning")
@pytest.mark.parametrize(("command", "output"), [("simulate", "out.npz"), ("bake", "out.glb")])
def test_commands_refuse_to_write_what_did_not_happen(
    tmp_path: Path, command: str, output: str
) -> None:
    path = scene(tmp_path / "wild.gltf", {}, {"linearVelocity": [1e30, 0, 0]})
    target = tmp_path / output
    target.write_bytes(b"old")
    arguments = [command, str(path), "-o", str(target), "--seconds", "0.2", "--quiet"]
    done = ligament(*arguments)
    assert done.exit_code == 2
    assert "/nodes/0: 'Wild' (node 0) became non-finite" in done.stderr
    assert target.read_bytes() == b"old"


@pytest.mark.parametrize("command", ["simulate", "bake"])
def test_a_batch_reports_it(tmp_path: Path, command: str) -> None:
    path = scene(tmp_path / "wild.gltf", {}, {"linearVelocity": [1e30, 0, 0]})
    (entry,) = lg.batch(command, path, tmp_path / "out", jobs=1, seconds=0.2)
    assert entry.status == "failed"
    assert "'Wild' (node 0)" in (entry.reason or "")
