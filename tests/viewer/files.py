"""Small documents to look at."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np

from ligament.drawing.geometry import surface
from ligament.gltf import Document
from ligament.gltf.accessors import append_accessor
from ligament.physics.shapes import Box
from tests.play.files import CUBE, FLOOR, node, physics_file

RED, BLUE = (0.8, 0.02, 0.02), (0.02, 0.05, 0.8)
"""Base colours, linear."""


def png(red: int, green: int, blue: int, alpha: int = 255) -> bytes:
    """A picture of 2 by 2 equal pixels."""
    row = b"\0" + bytes([red, green, blue, alpha]) * 2

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    head = struct.pack(">IIBBBBB", 2, 2, 8, 6, 0, 0, 0)
    parts = [chunk(b"IHDR", head), chunk(b"IDAT", zlib.compress(row * 2)), chunk(b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def add_box(
    document: Document, colour: tuple[float, float, float], size: float = 1.0, **material: Any
) -> int:
    """Append the mesh of a cube in a plain colour; returns its index."""
    shown = surface(Box((size, size, size)))
    corners = shown.points[shown.triangles]  # flat shading needs corners of its own
    normals = np.repeat(
        np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), 3, 0
    )
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    attributes = {
        "POSITION": append_accessor(document, corners.reshape(-1, 3), bounds=True),
        "NORMAL": append_accessor(document, normals),
    }
    materials = document.growing_array("materials")
    look = {"baseColorFactor": [*colour, 1.0], "metallicFactor": 0.0, "roughnessFactor": 1.0}
    materials.append({"pbrMetallicRoughness": look, **material})
    primitive = {"attributes": attributes, "material": len(materials) - 1}
    meshes = document.growing_array("meshes")
    meshes.append({"primitives": [primitive]})
    return len(meshes) - 1


def red_box(**changes: Any) -> Document:
    """A red cube of 1 m that falls by 2 m onto a floor whose top is at 0."""
    document = physics_file(
        node("Floor", at=(0, -0.5, 0), shape=FLOOR),
        node("Red <b>box</b>", at=(0, 2.5, 0), motion={"mass": 2.0}, shape=CUBE, **changes),
    )
    document.json["nodes"][1]["mesh"] = add_box(document, RED)
    return document
