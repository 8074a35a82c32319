"""Documents with spring bones, and how far rotations are apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from ligament.gltf.animation import Clip, Track, append_clip
from ligament.gltf.document import Document
from ligament.rig import SpringBones
from tests.rig.constrained import degrees_apart

__all__ = ["branched", "chain", "degrees_apart", "ends", "held", "moved", "swaying"]

SWAY = np.array([0.0, 0.25, 0.5, 0.75, 1.0])


def chain(
    joints: int = 3,
    *,
    step: tuple[float, float, float] = (0.0, -0.1, 0.0),
    colliders: list[dict[str, Any]] | None = None,
    center: int | None = None,
    **settings: Any,
) -> Document:
    """Make a root (0), a head on it (1), and a chain below that starts at node 2."""
    nodes: list[dict[str, Any]] = [
        {"name": "Root", "children": [1]},
        {"name": "Head", "translation": [0.0, 1.0, 0.0], "children": [2]},
    ]
    for i in range(joints + 1):
        node: dict[str, Any] = {"name": f"Hair{i}", "translation": list(step) if i else [0, 0, 0]}
        nodes.append(node if i == joints else {**node, "children": [3 + i]})
    spring: dict[str, Any] = {
        "joints": [{"node": 2 + i, **settings} for i in range(joints + 1)],
        **({} if center is None else {"center": center}),
    }
    springs: dict[str, Any] = {"specVersion": "1.0", "springs": [spring]}
    if colliders:
        spring["colliderGroups"] = [0]
        springs["colliders"] = colliders
        springs["colliderGroups"] = [{"colliders": list(range(len(colliders)))}]
    return Document(
        {
            "asset": {"version": "2.0"},
            "scene": 0,
            "scenes": [{"nodes": [0]}],
            "nodes": nodes,
            "extensionsUsed": ["VRMC_springBone"],
            "extensions": {"VRMC_springBone": springs},
        }
    )


def _unit(rng: np.random.Generator, size: int) -> list[float]:
    value = rng.standard_normal(size)
    return list(map(float, value / np.linalg.norm(value)))


def branched(rng: np.random.Generator, *, center: int | None = None, carrier: int = 1) -> Document:
    """Make two chains, the second of which starts at an inner joint of the first."""
    nodes: list[dict[str, Any]] = [{"children": [1]}, {"translation": [0, 1, 0], "children": [2]}]
    for i in range(2, 10):
        way = (rng.standard_normal(3) * 0.1).tolist()
        nodes.append({"translation": way, "rotation": _unit(rng, 4), "children": [i + 1]})
    del nodes[6]["children"], nodes[9]["children"]
    nodes[3]["children"] = [4, 7]
    springs = []
    for joints in ([7, 8, 9], [2, 3, 4, 5, 6]):
        settings = [
            {
                "node": node,
                "stiffness": float(rng.uniform(0.2, 2)),
                "gravityPower": float(rng.uniform(0, 1)),
                "gravityDir": _unit(rng, 3),
                "dragForce": float(rng.uniform(0.1, 0.9)),
                "hitRadius": 0.02,
            }
            for node in joints
        ]
        own = {} if center is None or joints[0] == 7 else {"center": center}
        springs.append({"joints": settings, "colliderGroups": [1, 0], **own})
    ball = {"sphere": {"offset": (rng.standard_normal(3) * 0.1).tolist(), "radius": 0.08}}
    rod = {"capsule": {"offset": [0, 0, 0], "tail": _unit(rng, 3), "radius": 0.05}}
    extension = {
        "specVersion": "1.0",
        "colliders": [{"node": carrier, "shape": ball}, {"node": 0, "shape": rod}],
        "colliderGroups": [{"colliders": [0]}, {"colliders": [1, 0]}],
        "springs": springs,
    }
    json = {
        "asset": {"version": "2.0"},
        "nodes": nodes,
        "extensionsUsed": ["VRMC_springBone"],
        "extensions": {"VRMC_springBone": extension},
    }
    return Document(json)


def held(springs: SpringBones, frames: int) -> tuple[Any, Any]:
    """Return rotations and translations (frames, nodes, …) of the rest pose."""
    tree = springs.tree
    return tuple(np.repeat(x[None], frames, axis=0) for x in (tree.rotation, tree.translation))


def moved(springs: SpringBones, frames: int, rate: float = 60.0) -> tuple[Any, Any]:
    """Return the same while the root goes to and fro and turns."""
    rotation, translation = held(springs, frames)
    time = np.arange(frames) / rate
    translation[:, 0, 0] = 0.3 * np.sin(5 * time)
    turn = 0.4 * np.sin(3 * time)
    rotation[:, 0] = np.stack([0 * turn, np.sin(turn), 0 * turn, np.cos(turn)], axis=-1)
    return rotation, translation


def ends(springs: SpringBones, rotation: Any, translation: Any) -> Any:
    """Return the world positions (frames, nodes, 3) under springs."""
    return springs.tree.world_matrices(translation, rotation)[..., :3, 3]


def swaying(document: Document, *, node: int = 0, interpolation: Any = "LINEAR") -> Document:
    """Move a node to and fro, and not back to where it started."""
    places = np.stack([[0.0, 0.2, 0.0, -0.2, 0.1], 0 * SWAY, 0 * SWAY], axis=-1)
    places = places + np.array([0.0, 1.0, 0.0]) * (node == 1)
    track = Track(node, "translation", SWAY, places, interpolation)
    append_clip(document, Clip("sway", (track,)))
    return document
