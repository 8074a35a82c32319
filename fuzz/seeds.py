"""Honest files to start from: the demo's, one per finding of the checker, and a few made here."""

from __future__ import annotations

import functools
import math
import struct
from pathlib import Path
from typing import Any

import numpy as np

from fuzz.containers import Parts, put_together
from ligament.gltf.accessors import append_accessor
from ligament.gltf.document import Document
from ligament.gltf.mesh import DRACO

ROOT = Path(__file__).resolve().parents[1]
DEMO = ROOT / "ligament" / "demo" / "assets"
CASES = ROOT / "tests" / "checker" / "cases"

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float32)
TRIANGLES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], np.uint16)


@functools.cache
def demo_files() -> tuple[bytes, ...]:
    """Return the built-in examples: physics, an avatar, a motion."""
    return tuple(path.read_bytes() for path in sorted(DEMO.iterdir()) if path.is_file())


@functools.cache
def small_files() -> tuple[bytes, ...]:
    """Return one small file for each finding of the checker: together they use every extension."""
    return tuple(path.read_bytes() for path in sorted(CASES.glob("*.passing.gltf")))


@functools.cache
def accessor_files() -> tuple[bytes, ...]:
    """Return files in which every way to store numbers appears."""
    return (_plain(), _meshopt(), _draco())


def _plain() -> bytes:
    """Strided, normalised, sparse and unbacked accessors, animated and meshed."""
    document = _with_mesh()
    append_accessor(document, np.array([[0, 0, 0, 127]] * 3, np.int8), normalized=True)
    append_accessor(document, np.tile(np.eye(3), (2, 1, 1)))
    times = append_accessor(document, np.array([0.0, 0.5, 1.0]), bounds=True)
    places = document.append_view(struct.pack("<HH", 1, 2))
    values = document.append_view(struct.pack("<6f", *range(6)))
    sparse = {
        "count": 2,
        "indices": {"bufferView": places, "componentType": 5123},
        "values": {"bufferView": values},
    }
    moves = len(document.array("accessors"))
    document.array("accessors").append(
        {"componentType": 5126, "count": 3, "type": "VEC3", "sparse": sparse}
    )
    view = document.append_view(bytes(range(48)), byteStride=16)
    strided = {"bufferView": view, "componentType": 5121, "count": 3, "type": "VEC3"}
    document.array("accessors").append(strided | {"byteOffset": 4})
    channel = {"sampler": 0, "target": {"node": 0, "path": "translation"}}
    sampler = {"input": times, "output": moves, "interpolation": "LINEAR"}
    document.json["animations"] = [{"channels": [channel], "samplers": [sampler]}]
    return _bytes(document)


def _meshopt() -> bytes:
    """Positions compressed by EXT_meshopt_compression."""
    import meshopt

    points = np.array([[math.cos(i), math.sin(i), i, 0] for i in range(64)], np.float32)
    packed = meshopt.encode_vertex_buffer(points)
    document = _with_mesh()
    view = document.append_view(packed)
    raw = document.array("bufferViews")[view]
    raw["extensions"] = {
        "EXT_meshopt_compression": {
            **{name: raw[name] for name in ("buffer", "byteOffset", "byteLength")},
            "byteStride": 16,
            "count": len(points),
            "mode": "ATTRIBUTES",
        }
    }
    raw |= {"byteLength": points.nbytes, "byteStride": 16}
    accessor = {"bufferView": view, "componentType": 5126, "count": 64, "type": "VEC3"}
    document.array("accessors").append(accessor)
    return _bytes(document)


def _draco() -> bytes:
    """A mesh compressed by KHR_draco_mesh_compression."""
    import DracoPy

    packed = DracoPy.encode(CORNERS, TRIANGLES.astype(np.uint32))
    document = _with_mesh()
    view = document.append_view(packed)
    primitive = document.array("meshes")[0]["primitives"][0]
    primitive["extensions"] = {DRACO: {"bufferView": view, "attributes": {"POSITION": 0}}}
    return _bytes(document)


def _with_mesh() -> Document:
    document = Document()
    primitive: dict[str, Any] = {
        "attributes": {"POSITION": append_accessor(document, CORNERS, bounds=True)},
        "indices": append_accessor(document, TRIANGLES.reshape(-1)),
    }
    document.json |= {
        "meshes": [{"primitives": [primitive]}],
        "nodes": [{"mesh": 0, "name": "Tetrahedron"}],
        "scenes": [{"nodes": [0]}],
    }
    return document


def _bytes(document: Document) -> bytes:
    binary = bytes(document.read_buffer(0))
    return put_together(Parts(document.json, binary, is_glb=True))
