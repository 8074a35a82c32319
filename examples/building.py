"""A few lines to build small scenes: coloured solids on nodes, for the editor to give physics."""

from __future__ import annotations

from typing import Any

import numpy as np

import ligament as lg
from ligament.gltf.accessors import ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER, append_accessor

Mesh = tuple[np.ndarray, np.ndarray, np.ndarray]


class Scene:
    """A document under construction, a new one unless it is given."""

    def __init__(self, document: lg.Document | None = None) -> None:
        asset = {"version": "2.0", "generator": "Ligament examples"}
        fresh = {"asset": asset, "scene": 0, "scenes": [{"nodes": []}]}
        self.document = lg.Document(fresh) if document is None else document
        self.json = self.document.json
        self._meshes: dict[tuple[Any, ...], int] = {}
        self._materials: dict[tuple[float, ...], int] = {}

    def node(self, name: str, *, parent: int | None = None, **members: Any) -> int:
        """Add a node; returns its index."""
        nodes = self.json.setdefault("nodes", [])
        nodes.append({"name": name, **members})
        index = len(nodes) - 1
        family = self.json["scenes"][0] if parent is None else nodes[parent]
        family.setdefault("nodes" if parent is None else "children", []).append(index)
        return index

    def solid(self, shape: str, colour: tuple[float, float, float], *size: float) -> int:
        """Return a mesh: "box" x y z, "ball" radius, "rod" radius length (along Y)."""
        key = (shape, colour, size)
        if key not in self._meshes:
            points, normals, triangles = {"box": box, "ball": ball, "rod": rod}[shape](*size)
            document = self.document
            attributes = {
                "POSITION": append_accessor(document, points, target=ARRAY_BUFFER, bounds=True),
                "NORMAL": append_accessor(document, normals, target=ARRAY_BUFFER),
            }
            indices = append_accessor(document, triangles.ravel(), target=ELEMENT_ARRAY_BUFFER)
            primitive = {"attributes": attributes, "indices": indices}
            primitive["material"] = self._material(colour)
            meshes = self.json.setdefault("meshes", [])
            meshes.append({"name": shape, "primitives": [primitive]})
            self._meshes[key] = len(meshes) - 1
        return self._meshes[key]

    def _material(self, colour: tuple[float, float, float]) -> int:
        if colour not in self._materials:
            materials = self.json.setdefault("materials", [])
            surface = {"baseColorFactor": [*colour, 1], "metallicFactor": 0, "roughnessFactor": 0.7}
            materials.append({"pbrMetallicRoughness": surface})
            self._materials[colour] = len(materials) - 1
        return self._materials[colour]


def box(x: float, y: float, z: float) -> Mesh:
    """A box with flat faces."""
    points, normals, triangles = [], [], []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            normal = np.eye(3)[axis] * sign
            u = np.eye(3)[(axis + 1) % 3]
            v = np.cross(normal, u)
            start = len(points)
            points += [normal - u - v, normal + u - v, normal + u + v, normal - u + v]
            normals += [normal] * 4
            triangles += [(start, start + 1, start + 2), (start, start + 2, start + 3)]
    return np.array(points) * np.array([x, y, z]) / 2, np.array(normals), np.array(triangles)


def ball(radius: float) -> Mesh:
    """A sphere."""
    return _lathe(radius, 0.0)


def rod(radius: float, length: float) -> Mesh:
    """A capsule along Y; `length` is the distance between the centres of its caps."""
    return _lathe(radius, length)


def _lathe(radius: float, length: float, *, around: int = 20, half: int = 6) -> Mesh:
    latitude = np.concatenate([np.linspace(-90, 0, half), np.linspace(0, 90, half)])
    shift = np.repeat([-length / 2, length / 2], half)
    angle = np.linspace(0, 2 * np.pi, around + 1)
    up, out = np.sin(np.radians(latitude)), np.cos(np.radians(latitude))
    normals = np.stack(
        [
            out[:, None] * np.sin(angle),
            np.repeat(up[:, None], around + 1, axis=1),
            out[:, None] * np.cos(angle),
        ],
        axis=-1,
    )
    points = normals * radius
    points[..., 1] += shift[:, None]
    row, column = np.meshgrid(np.arange(2 * half - 1), np.arange(around), indexing="ij")
    a = (row * (around + 1) + column).ravel()
    b = a + around + 1
    triangles = np.concatenate([np.stack([a, a + 1, b + 1], 1), np.stack([a, b + 1, b], 1)])
    return points.reshape(-1, 3), normals.reshape(-1, 3), triangles
