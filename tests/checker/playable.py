"""Small documents that play, with meshes, animations, constraints, and physics of each family."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

Json = dict[str, Any]

KHR = "KHR_physics_rigid_bodies"


class Buffer:
    """Collects arrays into one buffer, and the accessors that name them."""

    def __init__(self) -> None:
        self.data = b""
        self.views: list[Json] = []
        self.accessors: list[Json] = []

    def add(self, values: Any, dtype: str = "<f4") -> int:
        array = np.asarray(values, dtype)
        kind = {1: "SCALAR", 3: "VEC3", 4: "VEC4"}[1 if array.ndim == 1 else array.shape[1]]
        content = array.tobytes() + bytes(-array.nbytes % 4)
        component = {"<f4": 5126, "<u2": 5123}[dtype]
        view = {"buffer": 0, "byteOffset": len(self.data), "byteLength": array.nbytes}
        accessor = {"bufferView": len(self.views), "componentType": component}
        self.views.append(view)
        self.accessors.append({**accessor, "count": len(array), "type": kind})
        self.data += content
        return len(self.accessors) - 1

    def members(self) -> Json:
        uri = "data:application/octet-stream;base64," + base64.b64encode(self.data).decode()
        buffers = [{"uri": uri, "byteLength": len(self.data)}]
        return {"buffers": buffers, "bufferViews": self.views, "accessors": self.accessors}


CORNERS = [[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
FACES = [
    *([0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1]),
    *([2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]),
]


def _bodies() -> Json:
    """Falling shapes of all kinds on a floor, jointed, filtered, in a trigger."""
    buffer = Buffer()
    points, faces = buffer.add(CORNERS), buffer.add(np.ravel(FACES), "<u2")

    def body(x: float, geometry: Json, **members: Any) -> Json:
        content = {"motion": {"mass": 1}, "collider": {"geometry": geometry, **members}}
        return {"translation": [x, 2, 0], "extensions": {KHR: content}}

    nodes = [
        {"scale": [50, 1, 50], "extensions": {KHR: {"collider": {"geometry": {"shape": 1}}}}},
        body(0, {"shape": 0}, physicsMaterial=0),
        body(3, {"shape": 1}, collisionFilter=0),
        body(6, {"shape": 2}),
        body(9, {"shape": 3}),
        body(12, {"mesh": 0, "convexHull": True}),
        body(15, {"node": 7, "convexHull": True}),
        {"translation": [0, -5, 0], "mesh": 0},
        {
            "translation": [0, 1, 0],
            "children": [9],
            "extensions": {KHR: {"trigger": {"nodes": [9]}}},
        },
        {"extensions": {KHR: {"trigger": {"geometry": {"shape": 1}}}}},
        {"translation": [20, 0, 0], "extensions": {KHR: {"collider": {"geometry": {"mesh": 0}}}}},
    ]
    nodes[1]["extensions"][KHR]["joint"] = {"connectedNode": 2, "joint": 0}
    limits = [
        {"linearAxes": [0, 1, 2], "min": 0, "max": 5},
        {"angularAxes": [0], "min": -1, "max": 1},
    ]
    drive = {"type": "angular", "mode": "force", "axis": 1, "positionTarget": 1, "stiffness": 2}
    return {
        "asset": {"version": "2.0"},
        "extensionsUsed": [KHR, "KHR_implicit_shapes"],
        "extensions": {
            "KHR_implicit_shapes": {
                "shapes": [
                    {"type": "sphere", "sphere": {"radius": 0.5}},
                    {"type": "box", "box": {"size": [1, 1, 1]}},
                    {"type": "capsule", "capsule": {"height": 1, "radiusTop": 0.2}},
                    {"type": "cylinder", "cylinder": {"height": 1}},
                ]
            },
            KHR: {
                "physicsMaterials": [{"staticFriction": 0.5, "restitution": 0.5}],
                "collisionFilters": [{"collisionSystems": ["a"], "notCollideWithSystems": ["a"]}],
                "physicsJoints": [{"limits": limits, "drives": [drive]}],
            },
        },
        "scene": 0,
        "scenes": [{"nodes": [0, 1, 2, 3, 4, 5, 6, 7, 8, 10]}],
        "nodes": nodes,
        "meshes": [{"primitives": [{"attributes": {"POSITION": points}, "indices": faces}]}],
        **buffer.members(),
    }


def _animated() -> Json:
    """An animated body that pushes another, below a node that a constraint turns."""
    buffer = Buffer()
    times, ways = buffer.add([0, 0.5, 1]), buffer.add([[0, 0, 0], [1, 0, 0], [2, 0, 0]])
    turns = buffer.add([[0, 0, 0, 1], [0, 0.6, 0, 0.8], [0, 0, 0, 1]])
    aim = {"aim": {"source": 1, "aimAxis": "PositiveX", "weight": 0.5}}
    constraint = {"VRMC_node_constraint": {"specVersion": "1.0", "constraint": aim}}
    solid = {"motion": {"mass": 1}, "collider": {"shape": 0}}
    return {
        "asset": {"version": "2.0"},
        "extensionsUsed": [KHR, "KHR_collision_shapes", "VRMC_node_constraint"],
        "extensions": {"KHR_collision_shapes": {"shapes": [{"type": "box"}]}},
        "nodes": [
            {"translation": [0, 0, 3], "children": [2], "extensions": constraint},
            {"translation": [0, 0, 0], "extensions": {KHR: solid}},
            {"translation": [0, 0, 1], "extensions": {KHR: {"collider": {"shape": 0}}}},
            {"translation": [2, 0, 0], "extensions": {KHR: solid}},
        ],
        "animations": [
            {
                "channels": [
                    {"sampler": 0, "target": {"node": 1, "path": "translation"}},
                    {"sampler": 1, "target": {"node": 1, "path": "rotation"}},
                ],
                "samplers": [
                    {"input": times, "output": ways},
                    {"input": times, "output": turns, "interpolation": "STEP"},
                ],
            }
        ],
        **buffer.members(),
    }


def _omi(era: str) -> Json:
    """Two bodies with a joint between them, of either era."""
    asset = {"asset": {"version": "2.0"}}
    if era == "2023":
        used = ["OMI_collider", "OMI_physics_body", "OMI_physics_joint"]
        joint = {"constraints": [0], "nodeA": 0, "nodeB": 1}
        bodies = [{"type": "rigid", "mass": 2}, {"type": "static"}]
        nodes: list[Json] = [
            {"children": [2], "extensions": {"OMI_physics_body": bodies[0]}},
            {
                "children": [3],
                "translation": [2, 0, 0],
                "extensions": {"OMI_physics_body": bodies[1]},
            },
            {"extensions": {"OMI_collider": {"collider": 0}}},
            {"extensions": {"OMI_collider": {"collider": 1}}},
            {"translation": [1, 0, 0], "extensions": {"OMI_physics_joint": joint}},
        ]
        shapes = [{"type": "box"}, {"type": "capsule", "height": 2, "radius": 0.25}]
        constraint = {"linearAxes": [0, 1, 2], "stiffness": 50}
        extensions = {
            "OMI_collider": {"colliders": shapes},
            "OMI_physics_joint": {"constraints": [constraint, {"angularAxes": [0]}]},
        }
        return {**asset, "extensionsUsed": used, "nodes": nodes, "extensions": extensions}
    used = ["OMI_physics_shape", "OMI_physics_body", "OMI_physics_joint"]
    body = {"motion": {"type": "dynamic"}, "collider": {"shape": 0}}
    other = {"motion": {"type": "kinematic"}, "collider": {"shape": 0}}
    limit = {"linearAxes": [0, 1, 2], "min": 0, "max": 0}
    return {
        **asset,
        "extensionsUsed": used,
        "nodes": [
            {
                "extensions": {
                    "OMI_physics_body": body,
                    "OMI_physics_joint": {"joint": 0, "connectedNode": 2},
                }
            },
            {"translation": [2, 0, 0], "children": [2], "extensions": {"OMI_physics_body": other}},
            {"translation": [-2, 0, 0]},
            {"extensions": {"OMI_physics_body": {"trigger": {"shape": 0}}}},
        ],
        "extensions": {
            "OMI_physics_shape": {"shapes": [{"type": "box", "box": {"size": [1, 1, 1]}}]},
            "OMI_physics_joint": {"physicsJoints": [{"limits": [limit]}]},
        },
    }


PLAYABLE: dict[str, Json] = {
    "bodies": _bodies(),
    "animated": _animated(),
    "OMI": _omi("2024"),
    "OMI of 2023": _omi("2023"),
}
