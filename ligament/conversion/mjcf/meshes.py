"""Meshes of a model: content-addressed files, and the visible meshes of nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ligament.arrays import Floats, Ints
from ligament.conversion.folders import name_of
from ligament.conversion.source import Source
from ligament.errors import LigamentError
from ligament.gltf import objects, pointers
from ligament.gltf.mesh import Geometry
from ligament.gltf.skinning import read_posed_mesh
from ligament.gltf.tree import nearest
from ligament.physics.engines.mujoco.model.elements import Element
from ligament.physics.engines.mujoco.model.links import Link
from ligament.physics.scene import Pose
from ligament.physics.shapes import has_area


class MeshStore:
    """Collects meshes without duplicates; `files` are their contents by file name."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self._names: dict[str, str] = {}

    def add(self, points: Floats, triangles: Ints) -> str:
        """Keep points (P, 3) [m] and triangles (T, 3); return the name of the mesh."""
        content = _obj(points, triangles)
        file = name_of(content, "obj")
        self.files[file] = content
        return self._names.setdefault(file, f"mesh_{len(self._names)}")

    def declared(self) -> Element:
        """Return the assets that name the files."""
        asset = Element("asset")
        for file, name in self._names.items():
            # MuJoCo can weigh any surface as a shell, flat or open ones too.
            asset.add("mesh", {"name": name, "file": file, "inertia": "shell"})
        return asset


def _obj(points: Floats, triangles: Ints) -> bytes:
    corners = "\n".join(f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in points.tolist())
    faces = "\n".join(f"f {a} {b} {c}" for a, b, c in (triangles + 1).tolist())
    return f"{corners}\n{faces}\n".encode()


class Visual(NamedTuple):
    """A visible mesh on a link (None: the world); `pose` is its world pose at the start."""

    node: int
    link: Link | None
    mesh: str
    pose: Pose
    rgba: tuple[float, float, float, float]


def visuals(source: Source, link_of: Sequence[Link | None], meshes: MeshStore) -> Iterator[Visual]:
    """Yield the primitives of all nodes of the scene; skinned meshes are left out."""
    owner = nearest(source.tree, source.physics.motions)
    link_at = {body.node: link for body, link in zip(source.scene.bodies, link_of, strict=True)}
    textured: set[int] = set()
    for node in sorted(source.members):
        link = link_at.get(int(owner[node]) if owner[node] >= 0 else node)
        for part, material in _parts(source, node):
            triangles = part.triangles[has_area(part.points, part.triangles)]
            if not len(triangles):
                continue
            used, corners = np.unique(triangles, return_inverse=True)
            name = meshes.add(part.points[used], corners.reshape(-1, 3))
            yield Visual(node, link, name, source.placement.of(node), _color(source, material))
            if material is not None and _member(source, material, "baseColorTexture") is not None:
                textured.add(material)
    for material in sorted(textured):
        pointer = f"/materials/{material}/pbrMetallicRoughness/baseColorTexture"
        effect, reason = "the surface has one colour", "only base colours are written"
        source.lose(pointer, "a texture", reason, effect)


def _parts(source: Source, node: int) -> Iterator[tuple[Geometry, int | None]]:
    """Yield the primitives of a node's mesh, its scale applied, and their materials."""
    document, pointer = source.document, f"/nodes/{node}/mesh"
    declared = document.element("nodes", node, objects.Node)
    if declared.mesh is None:
        return
    if declared.skin is not None:
        effect, reason = "the mesh is not shown", "MuJoCo moves bodies, not vertices"
        source.lose(pointer, "a skinned mesh", reason, effect)
        return
    stretch = np.eye(4)
    stretch[:3, :3] = source.placement.stretch[node]
    try:
        mesh = document.element("meshes", declared.mesh, objects.Mesh)
        parts = read_posed_mesh(document, declared.mesh, weights=declared.weights, place=stretch)
    except LigamentError as fault:
        source.lose(pointer, "a mesh", fault.message, "it is not shown")
        return
    for primitive, part in zip(mesh.primitives, parts, strict=True):
        if len(part.triangles) and np.isfinite(part.points).all():
            yield part, primitive.material


def _color(source: Source, material: int | None) -> tuple[float, float, float, float]:
    """Return the base colour of a material, white by default, as sRGB with its opacity."""
    found = None if material is None else _member(source, material, "baseColorFactor")
    try:
        values = np.clip(np.array([1.0] * 4 if found is None else found, np.float64), 0.0, 1.0)
    except (TypeError, ValueError):
        values = np.ones(4)
    if values.shape != (4,) or np.isnan(values).any():
        values = np.ones(4)
    shown = np.where(values <= 0.0031308, 12.92 * values, 1.055 * values ** (1 / 2.4) - 0.055)
    red, green, blue = shown[:3].tolist()
    return red, green, blue, float(values[3])


def _member(source: Source, material: int, name: str) -> Any:
    """Return a member of pbrMetallicRoughness, None where there is none."""
    place = f"/materials/{material}/pbrMetallicRoughness/{name}"
    return pointers.find(source.document.json, place)
