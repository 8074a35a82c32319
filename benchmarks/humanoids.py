"""A synthetic avatar and a motion for it: all bones but eyes and jaw, or those of the body."""

from __future__ import annotations

from typing import Any

import numpy as np

from ligament import transforms as tf
from ligament.extensions.humanoid.bones import BONES, nearest_parent
from ligament.gltf.animation import Clip, Track, append_clip
from ligament.gltf.document import Document

SEGMENTS = ("Metacarpal", "Proximal", "Intermediate", "Distal")
FULL = tuple(bone for bone in BONES if bone not in ("leftEye", "rightEye", "jaw"))
BODY = tuple(bone for bone in FULL if not bone.endswith(SEGMENTS))


def skeleton(bones: tuple[str, ...], extension: str, *, seed: int) -> Document:
    """A skeleton whose bones rest at random rotations, a metre above the ground."""
    rng = np.random.default_rng(seed)
    nodes: list[dict[str, Any]] = []
    index: dict[str, int] = {}
    for bone in bones:
        parent = nearest_parent(bone, index)
        index[bone] = len(nodes)
        place = [0, 1, 0] if parent is None else rng.normal(0, 0.1, 3).tolist()
        turn = tf.normalize(rng.standard_normal(4)).tolist()
        nodes.append({"name": bone, "translation": place, "rotation": turn})
        if parent is not None:
            nodes[index[parent]].setdefault("children", []).append(index[bone])
    content = {
        "specVersion": "1.0",
        "meta": {"name": "n", "authors": ["a"], "licenseUrl": "https://vrm.dev/licenses/1.0/"},
        "humanoid": {"humanBones": {bone: {"node": node} for bone, node in index.items()}},
    }
    json = {
        "asset": {"version": "2.0", "generator": "benchmark humanoids"},
        "extensionsUsed": [extension],
        "extensions": {extension: content},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": nodes,
    }
    return Document(json)


def avatar(bones: tuple[str, ...]) -> Document:
    """A VRM 1.0 avatar."""
    return skeleton(bones, "VRMC_vrm", seed=1)


def motion(bones: tuple[str, ...], keys: int, *, rate: float = 30.0) -> Document:
    """A VRM animation: every bone turns smoothly and the hips move, all on the same keys."""
    document = skeleton(bones, "VRMC_vrm_animation", seed=2)
    rng = np.random.default_rng(3)
    times = np.arange(keys) / rate
    tracks = []
    for node in range(len(bones)):
        pace, phase = rng.uniform(0.2, 3, 3), rng.uniform(0, 6, 3)
        turns = tf.exp(np.sin(times[:, None] * pace + phase))
        tracks.append(Track(node, "rotation", times, turns))
    tracks.append(Track(0, "translation", times, 1 + 0.2 * np.sin(times[:, None] + [0, 1, 2])))
    append_clip(document, Clip("Motion", tuple(tracks)))
    return document
