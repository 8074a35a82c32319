"""Agreement with reference scenes that another program has solved."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ligament.gltf.document import Document
from ligament.rig import NodeConstraints
from tests.rig.constrained import degrees_apart

TOLERANCE = 1e-3
"""In degrees; most of what is left is the rounding of the program that made the scenes."""

pytestmark = pytest.mark.filterwarnings("ignore:.*1.0-draft:ligament.errors.LigamentWarning")


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def _pose(scene: dict[str, Any], solver: NodeConstraints) -> tuple[Any, Any]:
    """Every frame is the rest pose with some nodes moved."""
    frames = len(scene["frames"])
    rotation = np.repeat(solver.tree.rotation[None], frames, axis=0)
    translation = np.repeat(solver.tree.translation[None], frames, axis=0)
    for frame, moved in enumerate(scene["frames"]):
        for node, change in moved.items():
            rotation[frame, int(node)] = change.get("r", rotation[frame, int(node)])
            translation[frame, int(node)] = change.get("t", translation[frame, int(node)])
    return rotation, translation


def _worst(scene: dict[str, Any], expected: Any) -> float:
    solver = NodeConstraints(Document(scene["gltf"]))
    result = solver.solve(*_pose(scene, solver))
    np.testing.assert_allclose(np.linalg.norm(result, axis=-1), 1, atol=1e-8)
    unit = expected / np.linalg.norm(expected, axis=-1, keepdims=True)
    return float(degrees_apart(result, unit).max())


def test_final_scenes(shared: Path) -> None:
    """130 scenes of 1.0 with hierarchies, chains, uniform scales and moving sources."""
    scenes = _lines(shared / "golden/node_constraint/scenes.jsonl")
    worst = {scene["id"]: _worst(scene, np.array(scene["rotations"])) for scene in scenes}
    assert len(worst) >= 130
    assert max(worst.values()) < TOLERANCE, max(worst, key=lambda name: worst[name])


def test_draft_scenes(shared: Path) -> None:
    """60 scenes of the draft with frozen axes, by the reading that does not depend on signs."""
    scenes = _lines(shared / "golden/node_constraint_draft/scenes.jsonl")
    for scene in scenes:
        frames = zip(scene["rotations"], scene["rotations_canonical"], strict=True)
        expected = np.array([given if other is None else other for given, other in frames])
        assert _worst(scene, expected) < TOLERANCE, scene["id"]
    assert len(scenes) >= 60
