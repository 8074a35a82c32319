"""Small documents with physics, written as their JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import ligament as lg
from ligament.gltf import Document
from ligament.gltf.accessors import append_accessor
from ligament.gltf.animation import Clip, Track, append_clip, read_clip, sample_pose
from ligament.gltf.tree import NodeTree
from ligament.recording import Recording

KHR, SHAPES = "KHR_physics_rigid_bodies", "KHR_implicit_shapes"

SHAPE_LIST = [
    {"type": "sphere", "sphere": {"radius": 0.5}},
    {"type": "box", "box": {"size": [1, 1, 1]}},
    {"type": "box", "box": {"size": [20, 1, 20]}},
]
BALL, CUBE, FLOOR = range(3)


def node(
    name: str,
    *,
    at: Sequence[float] = (0, 0, 0),
    motion: dict[str, Any] | None = None,
    shape: int | None = None,
    trigger: int | None = None,
    members: Sequence[int] = (),
    joint: dict[str, Any] | None = None,
    material: int | None = None,
    **rest: Any,
) -> dict[str, Any]:
    """A node with a translation and the parts of KHR_physics_rigid_bodies that are given."""
    extension: dict[str, Any] = {}
    if motion is not None:
        extension["motion"] = motion
    if shape is not None:
        extension["collider"] = {"geometry": {"shape": shape}}
        if material is not None:
            extension["collider"]["physicsMaterial"] = material
    if trigger is not None:
        extension["trigger"] = {"geometry": {"shape": trigger}}
    if members:
        extension["trigger"] = {"nodes": list(members)}
    if joint is not None:
        extension["joint"] = joint
    result = {"name": name, "translation": list(at), **rest}
    if extension:
        result["extensions"] = {KHR: extension}
    return result


def physics_file(
    *nodes: dict[str, Any],
    joints: Sequence[dict[str, Any]] = (),
    materials: Sequence[dict[str, Any]] = (),
    **rest: Any,
) -> Document:
    """A document of these nodes; those that are nobody's child are the roots of its scene."""
    children = {child for n in nodes for child in n.get("children", [])}
    own: dict[str, Any] = {}
    if joints:
        own["physicsJoints"] = list(joints)
    if materials:
        own["physicsMaterials"] = list(materials)
    return Document(
        {
            "asset": {"version": "2.0"},
            "extensionsUsed": [KHR, SHAPES],
            "scene": 0,
            "scenes": [{"nodes": [i for i in range(len(nodes)) if i not in children]}],
            "nodes": list(nodes),
            "extensions": {SHAPES: {"shapes": list(SHAPE_LIST)}, **({KHR: own} if own else {})},
            **rest,
        }
    )


def animate(
    document: Document,
    target: int,
    path: Any,
    times: Any,
    values: Any,
    interpolation: Any = "LINEAR",
) -> None:
    """Add an animation of one property of one node."""
    keys, points = np.asarray(times, float), np.asarray(values, float)
    track = Track(target, path, keys, points, interpolation)
    append_clip(document, Clip(f"clip {len(document.json.get('animations', []))}", (track,)))


def animate_pointer(
    document: Document, pointer: str, times: Any, values: Any, interpolation: str = "LINEAR"
) -> None:
    """Add an animation of the member at a JSON pointer; true and false become bytes with STEP."""
    keys = np.asarray(values)
    if keys.dtype == bool:
        keys, interpolation = keys.astype(np.uint8), "STEP"
    elif keys.dtype != np.uint8:
        keys = keys.astype(float)
    extension = {"KHR_animation_pointer": {"pointer": pointer}}
    inputs = append_accessor(document, np.asarray(times, float), bounds=True)
    outputs = append_accessor(document, keys)
    sampler = {"input": inputs, "output": outputs, "interpolation": interpolation}
    channel = {"sampler": 0, "target": {"path": "pointer", "extensions": extension}}
    animation = {"channels": [channel], "samplers": [sampler]}
    document.growing_array("animations").append(animation)
    used = document.json.setdefault("extensionsUsed", [])
    if "KHR_animation_pointer" not in used:
        used.append("KHR_animation_pointer")


def smooth(*values: Sequence[float]) -> list[list[Sequence[float]]]:
    """Return the keys of a CUBICSPLINE that comes to a halt at every one of these values."""
    return [[[0.0] * len(value), value, [0.0] * len(value)] for value in values]


def track_of(recording: Recording, target: int) -> np.ndarray:
    """Return the world positions (F, 3) of a body."""
    return recording.translation[:, recording.nodes.tolist().index(target)]


def assert_baked(document: Document, recording: Recording, within: float = 1e-5) -> None:
    """Require that the baked file shows all bodies where the recording has them."""
    baked = lg.bake(document, recording)
    clip = read_clip(baked, len(baked.json["animations"]) - 1)
    tree = NodeTree(baked)
    world = tree.world_transforms(*sample_pose(tree, [clip], recording.times))
    at, rotation = world.translation[:, recording.nodes], world.rotation[:, recording.nodes]
    assert np.abs(at - recording.translation).max() < within
    off = np.abs(np.abs((rotation * recording.rotation).sum(axis=-1)) - 1)
    assert off.max() < within**2
