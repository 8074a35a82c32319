"""Small files built byte by byte, without the code under test."""

from __future__ import annotations

import base64
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np

JSON_CHUNK, BIN_CHUNK = 0x4E4F534A, 0x004E4942
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
COMPONENT_TYPES = {"i1": 5120, "u1": 5121, "i2": 5122, "u2": 5123, "u4": 5125, "f4": 5126}


def text_of(root: Any) -> bytes:
    return json.dumps(root).encode()


def glb_bytes(root: Any, binary: bytes | None = None, *chunks: tuple[int, bytes]) -> bytes:
    """Put a GLB file together; `root` is JSON data or text."""
    text = root if isinstance(root, bytes) else text_of(root)
    parts = [(JSON_CHUNK, text + b" " * (-len(text) % 4))]
    parts += [] if binary is None else [(BIN_CHUNK, binary)]
    parts += chunks
    body = b""
    for kind, data in parts:
        padding = b"\0" * (-len(data) % 4)
        body += struct.pack("<II", len(data) + len(padding), kind) + data + padding
    return struct.pack("<4sII", b"glTF", 2, 12 + len(body)) + body


def data_uri(data: bytes, media_type: str = "application/octet-stream") -> str:
    return f"data:{media_type};base64,{base64.b64encode(data).decode()}"


class Builder:
    """Collects bytes into one buffer, with views and accessors on it."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []

    def view(self, data: bytes, **members: Any) -> int:
        self.data += b"\0" * (-len(self.data) % 4)
        span = {"buffer": 0, "byteOffset": len(self.data), "byteLength": len(data)}
        self.views.append(span | members)
        self.data += data
        return len(self.views) - 1

    def accessor(self, values: Any, code: str = "f4", kind: str = "SCALAR", **members: Any) -> int:
        array = np.asarray(values, f"<{code}")
        self.accessors.append(
            {
                "bufferView": self.view(array.tobytes()),
                "componentType": COMPONENT_TYPES[code],
                "count": len(array),
                "type": kind,
                **members,
            }
        )
        return len(self.accessors) - 1

    def root(self, **members: Any) -> dict[str, Any]:
        """The JSON of a document whose buffer 0 holds the bytes collected so far."""
        return {
            "asset": {"version": "2.0"},
            "buffers": [{"byteLength": len(self.data)}],
            "bufferViews": self.views,
            "accessors": self.accessors,
            **members,
        }


def everything() -> tuple[dict[str, Any], bytes]:
    """The JSON and BIN chunk of a file in which each core object appears, with all its members."""
    b = Builder()
    corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    position = b.accessor(corners, kind="VEC3", min=[0.0, 0.0, 0.0], max=[1.0, 1.0, 1.0])
    indices = b.accessor([0, 1, 2, 0, 2, 3], "u2")
    joints = b.accessor(np.zeros((4, 4)), "u1", "VEC4")
    weights = b.accessor([[255, 0, 0, 0]] * 4, "u1", "VEC4", normalized=True)
    shift = b.accessor(np.ones((4, 3)), kind="VEC3")
    places, moved = b.view(struct.pack("<HH", 1, 3)), b.view(struct.pack("<6f", *range(6)))
    b.accessors.append(
        {
            "componentType": 5126,
            "count": 4,
            "type": "VEC3",
            "sparse": {
                "count": 2,
                "indices": {"bufferView": places, "componentType": 5123, "byteOffset": 0},
                "values": {"bufferView": moved, "byteOffset": 0},
            },
        }
    )
    binds = b.accessor(np.tile(np.eye(4), (2, 1, 1)), kind="MAT4")
    times = b.accessor([0.0, 0.5, 1.0], min=[0.0], max=[1.0])
    moves = b.accessor(np.arange(9).reshape(3, 3), kind="VEC3")
    turns = b.accessor([[0, 0, 0, 127], [127, 0, 0, 0], [0, 127, 0, 0]], "i1", "VEC4")
    b.accessors[turns]["normalized"] = True
    sizes = b.accessor(np.arange(1, 28).reshape(9, 3), kind="VEC3")
    blends = b.accessor([0, 1, 0.5, 0.5, 1, 0])
    picture = b.view(PNG)
    channels = [
        {"sampler": 0, "target": {"node": 1, "path": "translation"}},
        {"sampler": 1, "target": {"node": 1, "path": "rotation"}},
        {"sampler": 2, "target": {"node": 2, "path": "scale"}},
        {"sampler": 3, "target": {"node": 0, "path": "weights"}},
        {
            "sampler": 0,
            "target": {
                "path": "pointer",
                "extensions": {"KHR_animation_pointer": {"pointer": "/nodes/2/translation"}},
            },
        },
    ]
    samplers = [
        {"input": times, "output": moves, "interpolation": "LINEAR"},
        {"input": times, "output": turns, "interpolation": "STEP"},
        {"input": times, "output": sizes, "interpolation": "CUBICSPLINE"},
        {"input": times, "output": blends},
    ]
    primitive = {
        "attributes": {"POSITION": position, "JOINTS_0": joints, "WEIGHTS_0": weights},
        "indices": indices,
        "material": 0,
        "mode": 4,
        "targets": [{"POSITION": shift}, {"POSITION": shift + 1}],
    }
    far = {"yfov": 0.7, "znear": 0.1, "zfar": 100.0, "aspectRatio": 1.5}
    flat = {"xmag": 1.0, "ymag": 1.0, "znear": 0.1, "zfar": 10.0}
    root = b.root(
        scene=0,
        scenes=[{"name": "main", "nodes": [0, 3]}],
        nodes=[
            {"name": "body", "children": [1, 2], "mesh": 0, "skin": 0, "weights": [0.5, 0.25]},
            {"name": "arm", "translation": [1, 2, 3], "rotation": [0, 0, 0.6, 0.8]},
            {"scale": [2.0, 2.0, 2.0], "camera": 0, "extras": {"note": "unknown", "n": None}},
            {"matrix": [*np.eye(4).T.ravel().tolist()], "camera": 1},
        ],
        meshes=[{"name": "mesh", "primitives": [primitive], "weights": [0.0, 1.0]}],
        skins=[{"joints": [1, 2], "inverseBindMatrices": binds, "skeleton": 0}],
        cameras=[
            {"type": "perspective", "perspective": far},
            {"type": "orthographic", "orthographic": flat},
        ],
        animations=[{"name": "wave", "channels": channels, "samplers": samplers}],
        materials=[
            {
                "pbrMetallicRoughness": {
                    "baseColorFactor": [1, 1, 1, 1],
                    "baseColorTexture": {"index": 0, "texCoord": 0},
                    "metallicRoughnessTexture": {"index": 1},
                },
                "normalTexture": {"index": 0, "scale": 1.0},
                "occlusionTexture": {"index": 1, "strength": 0.5},
                "emissiveTexture": {"index": 0},
                "emissiveFactor": [0, 0, 0.5],
                "alphaMode": "MASK",
                "alphaCutoff": 0.4,
                "doubleSided": True,
            }
        ],
        textures=[{"source": 0, "sampler": 0}, {"source": 1}],
        images=[
            {"bufferView": picture, "mimeType": "image/png"},
            {"uri": data_uri(PNG, "image/png")},
        ],
        samplers=[{"magFilter": 9729, "minFilter": 9987, "wrapS": 10497, "wrapT": 33071}],
        extensionsUsed=["KHR_animation_pointer", "ACME_unknown"],
        extensionsRequired=[],
        extensions={"ACME_unknown": {"nodes": [0, 1], "deep": {"list": [1, 2.0, "x", None]}}},
        extras=[1, 1.0, True, None, "é", {"a": {}}],
    )
    root["asset"] |= {"generator": "a test", "copyright": "nobody", "minVersion": "2.0"}
    extra = struct.pack("<4f", 1, 2, 3, 4)
    root["buffers"].append({"byteLength": len(extra), "uri": data_uri(extra), "name": "inline"})
    root["bufferViews"].append(
        {"buffer": 1, "byteLength": 16, "byteStride": 8, "target": 34962, "name": "strided"}
    )
    root["accessors"].append(
        {
            "bufferView": len(b.views) - 1,
            "byteOffset": 4,
            "componentType": 5126,
            "count": 2,
            "type": "SCALAR",
        }
    )
    return root, bytes(b.data)


def write_everything(folder: Path, name: str) -> Path:
    """Write that file into a folder as GLB, or as JSON with a .bin and a picture beside it."""
    root, binary = everything()
    path = folder / name
    if path.suffix == ".gltf":
        root["buffers"][0]["uri"] = "side.bin"
        root["images"].append({"uri": "picture%20one.png"})
        (folder / "side.bin").write_bytes(binary)
        (folder / "picture one.png").write_bytes(PNG)
        path.write_bytes(text_of(root))
    else:
        path.write_bytes(glb_bytes(root, binary))
    return path
