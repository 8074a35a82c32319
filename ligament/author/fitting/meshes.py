"""Meshes that only physics sees: geometry of a document that no node shows."""

from __future__ import annotations

from typing import Any

import numpy as np

from ligament.errors import ContentError
from ligament.gltf.accessors import ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER, append_accessor
from ligament.gltf.document import Document
from ligament.physics.shapes import Hull, Mesh

# The largest index of two bytes restarts strips (glTF 2.0, 3.7.2.1), so that it is not used.
_SHORT_INDICES = 65535


def append_collider_mesh(document: Document, shape: Hull | Mesh, *, name: str | None = None) -> int:
    """Append a mesh of the surface of a hull or a mesh, for a collider's `geometry.mesh`.

    Returns its index. No node shows it; points (P, 3) [m] are in the space of the collider's node,
    and only those that triangles use are written.
    """
    if not len(shape.triangles):
        raise ContentError("the shape has no triangles", remedy="give a hull or a mesh with some")
    used, corners = np.unique(shape.triangles, return_inverse=True)
    index_type = np.uint16 if len(used) < _SHORT_INDICES else np.uint32
    points = append_accessor(
        document, shape.points[used].astype(np.float32), target=ARRAY_BUFFER, bounds=True
    )
    indices = append_accessor(
        document, corners.ravel().astype(index_type), target=ELEMENT_ARRAY_BUFFER
    )
    mesh: dict[str, Any] = {"name": name} if name else {}
    mesh["primitives"] = [{"attributes": {"POSITION": points}, "indices": indices}]
    meshes = document.growing_array("meshes")
    meshes.append(mesh)
    return len(meshes) - 1
