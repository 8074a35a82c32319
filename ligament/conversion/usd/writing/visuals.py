"""Visible meshes of the nodes, a prim for each primitive."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from pxr import Gf, Sdf, UsdGeom, UsdShade, Vt

from ligament.conversion.usd.writing.materials import Materials, coordinates
from ligament.conversion.usd.writing.values import extent, indices, place_by_matrix, points
from ligament.conversion.usd.writing.world import World
from ligament.errors import LigamentError
from ligament.gltf import objects
from ligament.gltf.mesh import Geometry, read_mesh
from ligament.gltf.skinning import read_posed_mesh, skin_matrices

Array = npt.NDArray[Any]

_WANTED: Final = ("NORMAL", "TEXCOORD_", "COLOR_0")
_TYPES: Final = Sdf.ValueTypeNames


class Part(NamedTuple):
    """A visible primitive: its geometry, other vertex attributes and material."""

    geometry: Geometry
    attributes: dict[str, Array]
    material: int | None


def write_visuals(world: World, materials: Materials) -> None:
    """Write the meshes of all nodes of the scene."""
    for node in world.ordered():
        declared = world.source.document.element("nodes", node, objects.Node)
        if declared.mesh is None:
            continue
        is_skinned = declared.skin is not None
        parts, holder = [*_parts(world, node, declared)], world.holders[node].path
        paths = [world.names.give(holder, "mesh", "mesh") for _ in parts]
        prims = world.define_all(dict.fromkeys(paths, "Mesh"))
        for part, prim in zip(parts, prims, strict=True):
            if is_skinned:
                # Its points are in the world: the node's transform does not apply.
                UsdGeom.Xformable(prim).SetResetXformStack(True)
                place_by_matrix(prim, world.rotation)
            _fill(prim, part, materials)


def _parts(world: World, node: int, declared: objects.Node) -> Iterator[Part]:
    source, pointer = world.source, f"/nodes/{node}/mesh"
    document, index = source.document, declared.mesh
    assert index is not None
    try:
        mesh = document.element("meshes", index, objects.Mesh)
        weights = mesh.weights if declared.weights is None else declared.weights
        joints = None
        if declared.skin is not None:
            pose = source.pose
            place = source.tree.world_matrices(pose.translation, pose.rotation, pose.scale)
            joints = skin_matrices(document, declared.skin, place)
        posed = read_posed_mesh(document, index, weights=weights, joints=joints)
        plain = read_mesh(document, index, attributes=_WANTED)
    except LigamentError as fault:
        source.lose(pointer, "a mesh", fault.message, "it is not shown")
        return
    _report_deformation(world, node, mesh, is_skinned=declared.skin is not None)
    is_bent = joints is not None or any(weights or ())
    for i, (primitive, shape, bare) in enumerate(zip(mesh.primitives, posed, plain, strict=True)):
        if not len(shape.triangles) or not np.isfinite(shape.points).all():
            place_of = f"/meshes/{index}/primitives/{i}"
            reason = "only triangles are written"
            source.lose(place_of, "points or lines", reason, "they are not shown")
            continue
        kept = {n: v for n, v in bare.attributes.items() if not (is_bent and n == "NORMAL")}
        yield Part(shape, kept, primitive.material)


def _report_deformation(world: World, node: int, mesh: objects.Mesh, *, is_skinned: bool) -> None:
    pointer = f"/nodes/{node}/mesh"
    if is_skinned:
        effect, reason = "it keeps its initial state", "only rigid motion is written"
        world.source.lose(pointer, "a skinned mesh", reason, effect)
    elif any(primitive.targets for primitive in mesh.primitives):
        effect, reason = "it keeps its initial state", "only rigid motion is written"
        world.source.lose(pointer, "a mesh with morph targets", reason, effect)


def _fill(prim: Any, part: Part, materials: Materials) -> None:
    """Write points, faces and vertex attributes, without unused vertices."""
    used, corners = np.unique(part.geometry.triangles, return_inverse=True)
    places = part.geometry.points[used]
    mesh = UsdGeom.Mesh(prim)
    mesh.CreatePointsAttr(points(places))
    mesh.CreateFaceVertexCountsAttr(indices(np.full(len(part.geometry.triangles), 3)))
    mesh.CreateFaceVertexIndicesAttr(indices(corners))
    mesh.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
    mesh.CreateExtentAttr(extent(places))
    _fill_attributes(mesh, {name: values[used] for name, values in part.attributes.items()})
    look, material = materials.of(part.material)
    if look.double_sided:
        mesh.CreateDoubleSidedAttr(True)
    if "COLOR_0" not in part.attributes:
        color = Gf.Vec3f(*look.pbr_metallic_roughness.base_color_factor[:3])
        mesh.CreateDisplayColorAttr([color])
    UsdShade.MaterialBindingAPI.Apply(prim).Bind(material)


def _fill_attributes(mesh: Any, attributes: dict[str, Array]) -> None:
    """Write normals, colours and texture coordinates, whose second axis points up in USD."""
    variables = UsdGeom.PrimvarsAPI(mesh)
    vertex = UsdGeom.Tokens.vertex
    for name, values in attributes.items():
        if values.ndim != 2 or values.shape[1] < 2:
            continue
        if name == "NORMAL" and values.shape[1] == 3:
            mesh.CreateNormalsAttr(points(values))
            mesh.SetNormalsInterpolation(vertex)
        elif name == "COLOR_0" and values.shape[1] >= 3:
            mesh.CreateDisplayColorPrimvar(vertex).Set(points(values[:, :3]))
        elif name.startswith("TEXCOORD_") and name[9:].isdecimal():
            upright = np.stack([values[:, 0], 1.0 - values[:, 1]], axis=1)
            found = variables.CreatePrimvar(
                coordinates(int(name[9:])), _TYPES.TexCoord2fArray, vertex
            )
            found.Set(Vt.Vec2fArray.FromNumpy(np.ascontiguousarray(upright, np.float32)))
