"""A few lines to build small scenes: coloured solids on nodes, for the editor to give physics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

import ligament as lg
from ligament.gltf.accessors import ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER, append_accessor

Mesh = tuple[np.ndarray, np.ndarray, np.ndarray]
Colour = tuple[float, float, float]


class Solid(NamedTuple):
    """A shape in a colour: "box" x y z, "pad" x y z radius, "ball" radius, "rod" radius length.

    A pad is a box with round edges; a rod lies along Y. `at` is where its middle is [m].
    """

    shape: str
    colour: Colour
    size: tuple[float, ...]
    at: tuple[float, float, float] = (0.0, 0.0, 0.0)


class Scene:
    """A document under construction, a new one unless it is given."""

    def __init__(self, document: lg.Document | None = None) -> None:
        asset = {"version": "2.0", "generator": "Ligament examples"}
        fresh = {"asset": asset, "scene": 0, "scenes": [{"nodes": []}]}
        self.document = lg.Document(fresh) if document is None else document
        self.json = self.document.json
        self._meshes: dict[tuple[Solid, ...], int] = {}
        self._materials: dict[tuple[float, ...], int] = {}

    def node(self, name: str, *, parent: int | None = None, **members: Any) -> int:
        """Add a node; returns its index."""
        nodes = self.json.setdefault("nodes", [])
        nodes.append({"name": name, **members})
        index = len(nodes) - 1
        family = self.json["scenes"][0] if parent is None else nodes[parent]
        family.setdefault("nodes" if parent is None else "children", []).append(index)
        return index

    def solid(self, shape: str, colour: Colour, *size: float) -> int:
        """Return a mesh of one solid."""
        return self.mesh(Solid(shape, colour, size))

    def mesh(self, *solids: Solid) -> int:
        """Return a mesh of some solids, those of one colour as one primitive."""
        if solids not in self._meshes:
            by_colour: dict[Colour, list[Mesh]] = {}
            for solid in solids:
                points, normals, triangles = _SHAPES[solid.shape](*solid.size)
                moved = points + np.array(solid.at)
                by_colour.setdefault(solid.colour, []).append((moved, normals, triangles))
            primitives = [self._primitive(colour, parts) for colour, parts in by_colour.items()]
            meshes = self.json.setdefault("meshes", [])
            meshes.append({"name": solids[0].shape, "primitives": primitives})
            self._meshes[solids] = len(meshes) - 1
        return self._meshes[solids]

    def _primitive(self, colour: Colour, parts: list[Mesh]) -> dict[str, Any]:
        document, starts = self.document, np.cumsum([0, *(len(part[0]) for part in parts)])
        points, normals = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
        triangles = np.concatenate(
            [part[2] + start for part, start in zip(parts, starts[:-1], strict=True)]
        )
        attributes = {
            "POSITION": append_accessor(document, points, target=ARRAY_BUFFER, bounds=True),
            "NORMAL": append_accessor(document, normals, target=ARRAY_BUFFER),
        }
        indices = append_accessor(document, triangles.ravel(), target=ELEMENT_ARRAY_BUFFER)
        return {"attributes": attributes, "indices": indices, "material": self._material(colour)}

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


def pad(x: float, y: float, z: float, radius: float, *, steps: int = 4) -> Mesh:
    """A box whose edges are round: a ball, pulled apart at its three middles."""
    quarter = np.radians(np.linspace(0, 90, steps + 1))
    around = np.concatenate([quarter + turn * np.pi / 2 for turn in range(4)])
    above = np.concatenate([quarter - np.pi / 2, quarter])
    up, out = np.sin(above)[:, None], np.cos(above)[:, None]
    normals = np.stack([out * np.cos(around), up + 0 * around, out * np.sin(around)], axis=-1)
    corner = np.pi / 4 + np.pi / 2 * np.repeat(np.arange(4), steps + 1)
    signs = np.stack(
        [
            np.broadcast_to(np.sign(np.cos(corner)), normals.shape[:2]),
            np.broadcast_to(np.repeat([-1.0, 1.0], steps + 1)[:, None], normals.shape[:2]),
            np.broadcast_to(np.sign(np.sin(corner)), normals.shape[:2]),
        ],
        axis=-1,
    )
    points = signs * (np.array([x, y, z]) / 2 - radius) + normals * radius
    rows, columns = normals.shape[:2]
    row, column = np.meshgrid(np.arange(rows - 1), np.arange(columns), indexing="ij")
    a = (row * columns + column).ravel()
    b = (row * columns + (column + 1) % columns).ravel()
    sides = [np.stack([a, a + columns, b], 1), np.stack([b, a + columns, b + columns], 1)]
    low = np.arange(4) * (steps + 1)  # one vertex at each corner of the two flat ends
    high = low + (rows - 1) * columns
    ends = [low[[0, 1, 2]], low[[0, 2, 3]], high[[0, 2, 1]], high[[0, 3, 2]]]
    triangles = np.concatenate([*sides, np.array(ends)])
    flat = points.reshape(-1, 3)
    first, second, third = (flat[triangles[:, i]] for i in range(3))
    area = np.linalg.norm(np.cross(second - first, third - first), axis=1)
    return _with_flat_faces(flat, normals.reshape(-1, 3), triangles[area > 1e-12])


def _with_flat_faces(points: np.ndarray, normals: np.ndarray, triangles: np.ndarray) -> Mesh:
    """Give flat faces vertices of their own, for programs that recompute normals."""
    is_flat = np.ptp(normals[triangles], axis=1).max(axis=1) < 1e-6
    used, corners = np.unique(triangles[is_flat], return_inverse=True)
    own = corners.reshape(-1, 3) + len(points)
    return (
        np.concatenate([points, points[used]]),
        np.concatenate([normals, normals[used]]),
        np.concatenate([triangles[~is_flat], own]),
    )


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


_SHAPES: Final[dict[str, Callable[..., Mesh]]] = {"box": box, "pad": pad, "ball": ball, "rod": rod}
