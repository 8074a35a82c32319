"""Documents without physics: boxes on nodes, some of them below turned and scaled ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ligament.gltf import Document
from ligament.gltf.accessors import append_accessor

CORNERS = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
FACES = np.array(
    [
        [0, 1, 3, 2],
        [4, 6, 7, 5],
        [0, 4, 5, 1],
        [2, 3, 7, 6],
        [0, 2, 6, 4],
        [1, 5, 7, 3],
    ]
)
TRIANGLES = np.concatenate([FACES[:, [0, 1, 2]], FACES[:, [0, 2, 3]]])


class Bare:
    """A document under construction, without any extension."""

    def __init__(self) -> None:
        scenes: dict[str, Any] = {"scene": 0, "scenes": [{"nodes": []}]}
        self.document = Document({"asset": {"version": "2.0"}, **scenes, "nodes": []})

    def node(self, name: str, *, parent: int | None = None, **members: Any) -> int:
        nodes = self.document.json["nodes"]
        nodes.append({"name": name, **members})
        owner = self.document.json["scenes"][0] if parent is None else nodes[parent]
        owner.setdefault("nodes" if parent is None else "children", []).append(len(nodes) - 1)
        return len(nodes) - 1

    def box(self, size: Sequence[float] = (1, 1, 1), at: Sequence[float] = (0, 0, 0)) -> int:
        """Add the mesh of a box."""
        points = CORNERS * size + at
        primitive = {
            "attributes": {"POSITION": append_accessor(self.document, points, bounds=True)},
            "indices": append_accessor(self.document, TRIANGLES.ravel()),
        }
        return self.mesh(primitive)

    def points(self) -> int:
        """Add a mesh of points, which has no surface."""
        accessor = append_accessor(self.document, CORNERS, bounds=True)
        return self.mesh({"attributes": {"POSITION": accessor}, "mode": 0})

    def mesh(self, *primitives: dict[str, Any]) -> int:
        meshes = self.document.json.setdefault("meshes", [])
        meshes.append({"primitives": list(primitives)})
        return len(meshes) - 1


def two_boxes(gap: float = 0.0) -> Document:
    """Boxes of one metre, "A" at the origin and "B" at its right."""
    bare = Bare()
    mesh = bare.box()
    bare.node("A", mesh=mesh)
    bare.node("B", mesh=mesh, translation=[1.0 + gap, 0, 0])
    return bare.document
