"""Agreement with trajectories that another program has simulated."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ligament as lg
from ligament.rig import SpringBones
from ligament.rig.animator import Animator
from tests.rig.sprung import degrees_apart
from tests.sampling import sample

TOLERANCE = 1e-3
"""In degrees; limits and poses of constraints carry the other program's rounding."""

pytestmark = pytest.mark.filterwarnings("ignore::ligament.errors.LigamentWarning")


def _worst(folder: Path, scene: dict[str, Any]) -> float:
    document = lg.load(folder / scene["file"])
    springs = SpringBones(document)
    pose = Animator(document).pose(np.arange(scene["frames"]) * scene["dt"])
    rotation = springs.solve(pose.rotation, pose.translation, pose.scale, rate=scene["rate"])
    expected = json.loads((folder / scene["reference"]).read_text())
    return float(degrees_apart(rotation[:, expected["joints"]], expected["rotations"]).max())


def test_every_scene(shared: Path) -> None:
    folder = shared / "golden/spring_bones"
    scenes = json.loads((folder / "index.json").read_text())["scenes"]
    judged = [scene for scene in scenes if scene.get("judged", True)]
    assert len(judged) >= 50
    worst = {scene["id"]: _worst(folder, scene) for scene in sample(judged, 24)}
    assert {name: degrees for name, degrees in worst.items() if degrees > TOLERANCE} == {}


def test_spring_motion_depends_on_the_rate(shared: Path) -> None:
    """The specification's algorithm depends on the rate; nothing is resampled behind its back."""
    folder = shared / "golden/spring_bones"
    scene = next(
        s
        for s in json.loads((folder / "index.json").read_text())["scenes"]
        if s["category"].startswith("rate30")
    )
    document = lg.load(folder / scene["file"])
    at_30, at_60 = (lg.simulate(document, rate=rate, seconds=1.0) for rate in (30, 60))
    apart = degrees_apart(at_30.local_rotation, at_60.local_rotation[::2])
    assert apart.max() > 1
