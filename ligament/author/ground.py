"""A static floor below the scene."""

from __future__ import annotations

from typing import Final

import numpy as np

from ligament.author.editor import Editor
from ligament.drawing.framing import frame_of
from ligament.extensions.shapes import Box
from ligament.gltf.accessors import ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER, append_accessor
from ligament.gltf.document import Document

FLOOR_SIDE: Final = 8.0
"""Side of the floor relative to the extent of the scene."""

FLOOR_THICKNESS: Final = 0.25
"""Thickness of the floor relative to the extent of the scene."""

GAP: Final = 1e-3
"""Distance of the floor below the lowest point, relative to the extent of the scene."""

GREY: Final = (0.42, 0.44, 0.46)
"""Linear colour of the floor."""


def add_ground(editor: Editor, name: str = "Ground") -> int:
    """Add a node with a static box just below all other meshes, and a mesh of its top.

    Its size is proportional to the scene. Return the node.
    """
    framing = frame_of(editor.document)
    size = framing.size
    side, thickness = FLOOR_SIDE * size, FLOOR_THICKNESS * size
    x, y, z = (framing.center - [0, framing.half_size[1] + GAP * size, 0]).tolist()
    ground = editor.add_node(name, translation=(x, y - thickness / 2, z))
    editor.add_collider(ground, Box((side, thickness, side)))
    mesh = _add_square(editor.document, side, thickness / 2)
    editor.document.json["nodes"][ground]["mesh"] = mesh
    return ground


def _add_square(document: Document, side: float, height: float) -> int:
    """Append the mesh of a grey square that faces up; return its index."""
    corners = np.array([[-1, 0, -1], [-1, 0, 1], [1, 0, 1], [1, 0, -1]]) * side / 2
    corners[:, 1] = height
    points = append_accessor(document, corners, target=ARRAY_BUFFER, bounds=True)
    normals = append_accessor(document, np.tile([0.0, 1.0, 0.0], (4, 1)), target=ARRAY_BUFFER)
    triangles = np.array([0, 1, 2, 0, 2, 3], np.uint16)
    indices = append_accessor(document, triangles, target=ELEMENT_ARRAY_BUFFER)
    materials = document.growing_array("materials")
    look = {"baseColorFactor": [*GREY, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.9}
    materials.append({"name": "ground", "pbrMetallicRoughness": look})
    attributes = {"POSITION": points, "NORMAL": normals}
    primitive = {"attributes": attributes, "indices": indices, "material": len(materials) - 1}
    meshes = document.growing_array("meshes")
    meshes.append({"name": "ground", "primitives": [primitive]})
    return len(meshes) - 1
