"""Synthetic glTF scenes of any size: named parts with meshes, joints and constraints."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

ASSEMBLY = 100  # nodes in one assembly: its root and the parts below it
BRANCHES = 4  # children of one part
MESHES = 64

PHYSICS = "KHR_physics_rigid_bodies"
SHAPES = "KHR_implicit_shapes"
CONSTRAINT = "VRMC_node_constraint"
UNKNOWN_EXTENSION = "ACME_inventory"
UNKNOWN_MEMBER = "acmeRevision"

Json = dict[str, Any]


@dataclass(frozen=True)
class Scene:
    """A glTF document: its JSON without buffers, and the bytes of its one buffer."""

    json: Json
    blob: bytes


def scene(nodes: int, *, blob_bytes: int = 0, seed: int = 7) -> Scene:
    """A scene of `nodes` nodes whose buffer has about `blob_bytes` bytes, or small boxes if 0."""
    rng = np.random.default_rng(seed)
    blob, geometry = _geometry(rng, vertices=max(24, blob_bytes // (24 * MESHES)))
    roots = list(range(0, nodes, ASSEMBLY))
    return Scene(
        {
            "asset": {"version": "2.0", "generator": "benchmark scenes"},
            "extensionsUsed": [PHYSICS, SHAPES, CONSTRAINT, UNKNOWN_EXTENSION],
            "extensions": {
                SHAPES: {"shapes": [{"type": "box", "box": {"size": [1.0, 0.5, 0.25]}}]},
                PHYSICS: {
                    "physicsMaterials": [{"staticFriction": 0.5, "restitution": 0.1}],
                    "physicsJoints": [
                        {"limits": [{"linearAxes": [0, 1, 2], "min": 0.0, "max": 0.0}]},
                        {"limits": [{"angularAxes": [0], "min": -0.5, "max": 0.5}]},
                    ],
                },
                UNKNOWN_EXTENSION: {"warehouse": "north", "racks": [3, 5, 8]},
            },
            UNKNOWN_MEMBER: 12,
            "scene": 0,
            "scenes": [{"name": "hall", "nodes": roots}],
            "nodes": _nodes(nodes, rng),
            **geometry,
        },
        blob,
    )


def write(content: Scene, path: Path) -> Path:
    """Writes a .glb, or a .gltf with its buffer beside it."""
    if path.suffix == ".glb":
        _write_glb(content, path)
        return path
    beside = path.with_suffix(".bin")
    beside.write_bytes(content.blob)
    buffer = {"uri": beside.name, "byteLength": len(content.blob)}
    path.write_bytes(msgspec.json.encode({**content.json, "buffers": [buffer]}))
    return path


def read_json(path: Path) -> Json:
    """The JSON of a .glb or .gltf file, unchanged."""
    data = path.read_bytes()
    if data[:4] == b"glTF":
        (length,) = struct.unpack_from("<I", data, 12)
        data = data[20 : 20 + length]
    content: Json = msgspec.json.decode(data)
    return content


def _write_glb(content: Scene, path: Path) -> None:
    buffer = {"byteLength": len(content.blob)}
    text = msgspec.json.encode({**content.json, "buffers": [buffer]})
    text += b" " * (-len(text) % 4)
    blob = content.blob + bytes(-len(content.blob) % 4)
    with path.open("wb") as file:
        file.write(struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(blob)))
        file.write(struct.pack("<I4s", len(text), b"JSON") + text)
        file.write(struct.pack("<I4s", len(blob), b"BIN\0"))
        file.write(blob)


def _geometry(rng: np.random.Generator, *, vertices: int) -> tuple[bytes, Json]:
    """Meshes of `vertices` vertices with normals, which share their indices; bytes and JSON."""
    points = rng.random((MESHES, 2, vertices, 3), dtype=np.float32)
    points[:, 1] /= np.linalg.norm(points[:, 1], axis=-1, keepdims=True)
    triangles = np.arange(vertices - vertices % 3, dtype=np.uint32)
    size = points[0, 0].nbytes
    views = [{"buffer": 0, "byteOffset": i * size, "byteLength": size} for i in range(2 * MESHES)]
    views.append({"buffer": 0, "byteOffset": points.nbytes, "byteLength": triangles.nbytes})
    accessors: list[Json] = [
        {"bufferView": i, "componentType": 5126, "count": vertices, "type": "VEC3"}
        for i in range(2 * MESHES)
    ]
    for mesh, position in enumerate(points[:, 0]):
        bounds = {"min": position.min(axis=0).tolist(), "max": position.max(axis=0).tolist()}
        accessors[2 * mesh].update(bounds)
    accessors.append(
        {
            "bufferView": 2 * MESHES,
            "componentType": 5125,
            "count": triangles.size,
            "type": "SCALAR",
        }
    )
    return points.tobytes() + triangles.tobytes(), {
        "meshes": [{"name": f"shape_{i}", "primitives": [_primitive(i)]} for i in range(MESHES)],
        "materials": [{"name": "steel", "pbrMetallicRoughness": {"roughnessFactor": 0.4}}],
        "accessors": accessors,
        "bufferViews": views,
    }


def _primitive(mesh: int) -> Json:
    attributes = {"POSITION": 2 * mesh, "NORMAL": 2 * mesh + 1}
    return {"attributes": attributes, "indices": 2 * MESHES, "material": 0}


def _nodes(count: int, rng: np.random.Generator) -> list[Json]:
    translation = rng.uniform(-10, 10, (count, 3)).round(5).tolist()
    quaternion = rng.normal(size=(count, 4))
    quaternion /= np.linalg.norm(quaternion, axis=1, keepdims=True)
    rotation = quaternion.round(7).tolist()
    scale = rng.uniform(0.5, 2, (count, 3)).round(4).tolist()
    draw = rng.random((count, 6))
    nodes: list[Json] = []
    for index in range(count):
        has_rotation, has_scale, has_mesh, *rest = (draw[index] < _SHARES).tolist()
        node: Json = {"name": f"assembly_{index // ASSEMBLY}_part_{index % ASSEMBLY}"}
        if children := _children(index, count):
            node["children"] = children
        node["translation"] = translation[index]
        if has_rotation:
            node["rotation"] = rotation[index]
        if has_scale:
            node["scale"] = scale[index]
        if has_mesh:
            node["mesh"] = index % MESHES
        _decorate(node, index, *rest)
        nodes.append(node)
    return nodes


# The share of nodes with a rotation, scale, mesh, joint, constraint and with extras.
_SHARES = np.array([0.7, 0.1, 0.3, 0.05, 0.05, 0.1])


def _children(index: int, count: int) -> list[int]:
    first = index - index % ASSEMBLY
    low = first + (index % ASSEMBLY) * BRANCHES + 1
    return list(range(low, min(low + BRANCHES, first + ASSEMBLY, count)))


def _decorate(node: Json, index: int, joint: bool, constraint: bool, extras: bool) -> None:
    """Adds the extensions: a body on each assembly, joints and constraints to the node before."""
    extensions: Json = {}
    if index % ASSEMBLY == 0:
        collider = {"geometry": {"shape": 0}, "physicsMaterial": 0}
        extensions[PHYSICS] = {"motion": {"mass": 2.5}, "collider": collider}
        extensions[UNKNOWN_EXTENSION] = {"article": f"A-{index:07}", "stock": index % 17}
        node[UNKNOWN_MEMBER] = index % 5
    elif joint:
        extensions[PHYSICS] = {"joint": {"connectedNode": index - 1, "joint": index % 2}}
    elif constraint:
        roll = {"source": index - 1, "rollAxis": "Y", "weight": 0.5}
        extensions[CONSTRAINT] = {"specVersion": "1.0", "constraint": {"roll": roll}}
    if extensions:
        node["extensions"] = extensions
    if extras:
        node["extras"] = {"author": "hall team", "layer": index % 8}
