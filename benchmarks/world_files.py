"""Worlds as files: glTF for Ligament, and plain JSON for engines that know no glTF."""

from __future__ import annotations

import dataclasses
import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.scenes import PHYSICS, SHAPES
from benchmarks.world import Body, Joint, JointKind, Shape, World
from ligament.extensions.rigid_bodies import Limit
from ligament.extensions.shapes import Box, Capsule, Sphere
from ligament.transforms import conjugate, multiply, rotate

if TYPE_CHECKING:
    from pathlib import Path

Json = dict[str, Any]


def write_gltf(world: World, path: Path) -> Path:
    """Writes a world as a .gltf with KHR_physics_rigid_bodies and KHR_implicit_shapes."""
    path.write_text(json.dumps(_Gltf(world).document()))
    return path


def write_plain(world: World, path: Path) -> Path:
    """Writes a world in the form that the programs in peers/ read (see peers/engine_loop.py)."""
    content = {
        "bodies": [_plain_body(body) for body in world.bodies],
        "joints": [_plain_joint(world, joint) for joint in world.joints],
    }
    path.write_text(json.dumps(content))
    return path


def frame_in(world: World, body: int | None, joint: Joint) -> tuple[list[float], list[float]]:
    """The frame of a joint in one of its bodies, or in the world: position [m] and rotation."""
    if body is None:
        return list(joint.position), list(joint.rotation)
    inverse = conjugate(np.array(world.bodies[body].rotation))
    offset = np.subtract(joint.position, world.bodies[body].position)
    turned: list[float] = multiply(inverse, np.array(joint.rotation)).tolist()
    return rotate(inverse, offset).tolist(), turned


class _Gltf:
    """Collects nodes and what they share. Nodes of bodies come first, in the order of the world."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._shapes: dict[Shape, int] = {}
        self._kinds: dict[JointKind, int] = {}
        self._roots = list(range(len(world.bodies)))
        self._nodes: list[Json] = [_placed(body.position, body.rotation) for body in world.bodies]

    def document(self) -> Json:
        """The whole glTF document."""
        for index, body in enumerate(self._world.bodies):
            self._equip(index, body)
        for joint in self._world.joints:
            self._join(joint)
        physics = {"physicsJoints": [_description(kind) for kind in self._kinds]}
        return {
            "asset": {"version": "2.0", "generator": "benchmark worlds"},
            "extensionsUsed": [PHYSICS, SHAPES],
            "extensions": {
                SHAPES: {"shapes": [_shape(shape) for shape in self._shapes]},
                **({PHYSICS: physics} if self._kinds else {}),
            },
            "scene": 0,
            "scenes": [{"nodes": self._roots}],
            "nodes": self._nodes,
        }

    def _equip(self, index: int, body: Body) -> None:
        """Gives a node its motion and collider; parts beside the origin get nodes of their own."""
        physics: Json = {} if body.is_static else {"motion": {}}
        for part in body.parts:
            number = self._shapes.setdefault(part.shape, len(self._shapes))
            collider = {"geometry": {"shape": number}}
            if any(part.position) or len(body.parts) > 1:
                self._add(
                    index, {"translation": part.position, **_extended({"collider": collider})}
                )
            else:
                physics["collider"] = collider
        if physics:
            self._nodes[index] |= _extended(physics)

    def _join(self, joint: Joint) -> None:
        far = self._add(joint.b, _placed(*frame_in(self._world, joint.b, joint)))
        number = self._kinds.setdefault(joint.kind, len(self._kinds))
        near = _placed(*frame_in(self._world, joint.a, joint))
        self._add(joint.a, near | _extended({"joint": {"connectedNode": far, "joint": number}}))

    def _add(self, parent: int | None, node: Json) -> int:
        index = len(self._nodes)
        self._nodes.append(node)
        siblings = self._roots if parent is None else self._nodes[parent].setdefault("children", [])
        siblings.append(index)
        return index


def _placed(position: Any, rotation: Any) -> Json:
    return {"translation": list(position), "rotation": list(rotation)}


def _extended(physics: Json) -> Json:
    return {"extensions": {PHYSICS: physics}}


def _shape(shape: Shape) -> Json:
    match shape:
        case Box(size):
            return {"type": "box", "box": {"size": size}}
        case Sphere(radius):
            return {"type": "sphere", "sphere": {"radius": radius}}
        case Capsule(height, bottom, top):
            sizes = {"height": height, "radiusBottom": bottom, "radiusTop": top}
            return {"type": "capsule", "capsule": sizes}


def _description(kind: JointKind) -> Json:
    return {"limits": [_limit(limit) for limit in kind.limits]}


def _limit(limit: Limit) -> Json:
    axes = {"linearAxes": limit.linear_axes, "angularAxes": limit.angular_axes}
    bounds = {"min": limit.minimum, "max": limit.maximum}
    spring = {"stiffness": limit.stiffness, "damping": limit.damping}
    is_soft = math.isfinite(limit.stiffness)
    return (
        {key: named for key, named in axes.items() if named} | bounds | (spring if is_soft else {})
    )


def _plain_body(body: Body) -> Json:
    parts = [
        {"kind": _name(part.shape), **dataclasses.asdict(part.shape), "position": part.position}
        for part in body.parts
    ]
    return dataclasses.asdict(body) | {"parts": parts}


def _plain_joint(world: World, joint: Joint) -> Json:
    return {
        "kind": _name(joint.kind),
        **dataclasses.asdict(joint.kind),
        "a": joint.a,
        "b": joint.b,
        "frame_a": frame_in(world, joint.a, joint),
        "frame_b": frame_in(world, joint.b, joint),
    }


def _name(value: object) -> str:
    return type(value).__name__
