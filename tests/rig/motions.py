"""A motion file with bones, hips, an expression and a gaze."""

from __future__ import annotations

import numpy as np

from ligament.extensions.humanoid.bones import REQUIRED
from ligament.gltf.animation import Track
from ligament.gltf.document import Document
from tests.rig.skeletons import animate, humanoid, wiggle

TIMES = np.array([0.0, 1.0])


def motion() -> Document:
    """A VRMA with two bones, hips, an expression and a gaze, all in order."""
    document = humanoid(REQUIRED, dialect="VRMC_vrm_animation")
    nodes = document.json["nodes"]
    nodes.extend([{"name": "weight"}, {"name": "gaze"}])
    face, gaze = len(nodes) - 2, len(nodes) - 1
    extension = document.json["extensions"]["VRMC_vrm_animation"]
    extension["expressions"] = {"preset": {"happy": {"node": face}}, "custom": {}}
    extension["lookAt"] = {"node": gaze}
    rng = np.random.default_rng(0)
    places = np.array([[0, 1, 0], [0, 1.1, 0.0]])
    weights = np.array([[0.0, 0, 0], [1, 0, 0]])
    return animate(
        document,
        [
            wiggle(rng, 0, TIMES),
            wiggle(rng, 1, TIMES),
            wiggle(rng, gaze, TIMES),
            Track(0, "translation", TIMES, places),
            Track(face, "translation", TIMES, weights),
        ],
    )
