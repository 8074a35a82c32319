"""Small documents with physics, written as their JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ligament.gltf import Document
from ligament.gltf.accessors import append_accessor
from ligament.gltf.animation import Clip, Track, append_clip

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
            "extensions": {SHAPES: {"shapes": SHAPE_LIST}, **({KHR: own} if own else {})},
            **rest,
        }
    )


def animate(document: Document, target: int, path: Any, times: Any, values: Any) -> None:
    """Add an animation of one property of one node."""
    track = Track(target, path, np.asarray(times, float), np.asarray(values, float))
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
