"""An engine from outside of the library plays worlds and batches, in worker processes too."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import ligament as lg
from ligament.worlds import worlds
from tests.batches.inputs import write_good
from tests.physics.engines.toy import NAME

PUSH = {"quantity": "linear_velocity", "distribution": "uniform", "min": -1.0, "max": 1.0}
MASS = {"quantity": "mass", "distribution": "uniform", "min": 1.0, "max": 5.0}


@pytest.mark.parametrize("rule", [PUSH, MASS], ids=["engine reused", "engine rebuilt"])
def test_a_toy_engine_plays_worlds(tmp_path: Path, rule: dict[str, object]) -> None:
    file = write_good(tmp_path / "ball.gltf", 5.0)
    rules = {"vary": [{**rule, "nodes": "Ball"}]}
    report = worlds(
        file, rules, 3, tmp_path / "out.npz", seconds=0.5, rate=30, seed=1, jobs=1, engine=NAME
    )
    assert report.ok, report.failed
    with np.load(tmp_path / "out.npz") as data:
        times, drawn = data["frames/time"], data["worlds/parameters"]
        start = drawn if rule is PUSH else np.zeros((3, 3))
        fall = np.array([0.0, -9.81, 0.0]) * times[:, None] ** 2 / 2
        expected = [0.0, 5.0, 0.0] + start[:, None] * times[:, None] + fall
        np.testing.assert_allclose(data["worlds/translation"][:, :, 0], expected, atol=1e-9)


def test_a_script_of_processes_needs_no_guard(tmp_path: Path) -> None:
    file = write_good(tmp_path / "ball.gltf", 5.0)
    lines = ["import sys", "import ligament as lg", "worlds = lg.Worlds(sys.argv[1], 2, jobs=2)"]
    lines += ["worlds.step(30)", "print(worlds.translation[:, 0, 1].round(1).tolist())"]
    script = tmp_path / "script.py"
    script.write_text("\n".join(lines))
    found = subprocess.run(
        [sys.executable, script, file],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert found.stdout == "[3.8, 3.8]\n"
    assert found.stderr == ""


def test_a_toy_engine_plays_a_batch(tmp_path: Path) -> None:
    write_good(tmp_path / "in" / "ball.gltf", 5.0)
    out = tmp_path / "out"
    report = lg.batch("simulate", tmp_path / "in", out, jobs=1, seconds=1, rate=30, engine=NAME)
    assert report.ok, report.failed
    with np.load(out / "ball.gltf.npz") as data:
        assert data["translation"][-1, 0, 1] == pytest.approx(5 - 9.81 / 2, abs=1e-9)
