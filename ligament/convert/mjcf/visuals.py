"""What is seen: the meshes of the nodes, in the colour of their material, touching nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ligament.convert.mjcf.links import Link
from ligament.convert.mjcf.meshes import MeshStore
from ligament.convert.mjcf.source import Source
from ligament.errors import LigamentError
from ligament.gltf import objects, pointers
from ligament.gltf.skinning import read_posed_mesh
from ligament.physics.placement import nearest
from ligament.physics.scene import Pose
from ligament.physics.shapes import has_area


class Visual(NamedTuple):
    """A mesh to show: on a link (None: the world), at a pose of the world at the start."""

    node: int
    link: Link | None
    mesh: str
    pose: Pose
    rgba: tuple[float, float, float, float]


def visuals(source: Source, link_of: Sequence[Link | None], meshes: MeshStore) -> Iterator[Visual]:
    """Yield the primitives of all nodes that take part; skins are left out."""
    document, placement = source.document, source.placement
    owner = nearest(source.tree, source.physics.motions)
    link_at = {body.node: link for body, link in zip(source.scene.bodies, link_of, strict=True)}
    textured = False
    for node in sorted(source.members):
        declared = document.view("nodes", node, objects.Node)
        if declared.mesh is None:
            continue
        pointer = f"/nodes/{node}/mesh"
        if declared.skin is not None:
            effect, reason = "the mesh is not shown", "MuJoCo moves bodies, not vertices"
            source.lose(pointer, "a skinned mesh", reason, effect)
            continue
        stretch = np.eye(4)
        stretch[:3, :3] = placement.stretch[node]
        mesh = document.view("meshes", declared.mesh, objects.Mesh)
        try:
            parts = read_posed_mesh(
                document, declared.mesh, weights=declared.weights, place=stretch
            )
        except LigamentError as fault:
            source.lose(pointer, "a mesh", fault.message, "it is not shown")
            continue
        link = link_at.get(int(owner[node])) if owner[node] >= 0 else link_at.get(node)
        for primitive, part in zip(mesh.primitives, parts, strict=True):
            if not np.isfinite(part.points).all():
                continue
            triangles = part.triangles[has_area(part.points, part.triangles)]
            if not len(triangles):
                continue
            rgba, has_texture = _color(source, primitive.material)
            textured |= has_texture
            used, corners = np.unique(triangles, return_inverse=True)
            name = meshes.add(part.points[used], corners.reshape(-1, 3))
            yield Visual(node, link, name, placement.of(node), rgba)
    if textured:
        effect, reason = "surfaces have one colour each", "only base colours are written"
        source.lose("/materials", "textures", reason, effect)


def _color(source: Source, index: int | None) -> tuple[tuple[float, float, float, float], bool]:
    """Return the base colour of a material as sRGB with opacity, and whether a texture covers it."""
    materials = source.document.array("materials")
    raw = materials[index] if index is not None and 0 <= index < len(materials) else None
    factor = pointers.find(raw, "/pbrMetallicRoughness/baseColorFactor") if raw else None
    has_texture = bool(raw) and pointers.find(raw, "/pbrMetallicRoughness/baseColorTexture")
    try:
        values = np.clip(np.array(factor, np.float64), 0.0, 1.0)
    except (TypeError, ValueError):
        values = np.ones(4)
    if values.shape != (4,) or not np.isfinite(values).all():
        values = np.ones(4)
    shown = np.where(values <= 0.0031308, 12.92 * values, 1.055 * values ** (1 / 2.4) - 0.055)
    red, green, blue = shown[:3].tolist()
    return (red, green, blue, float(values[3])), has_texture is not None and bool(has_texture)
