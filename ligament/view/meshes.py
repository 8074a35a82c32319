"""Meshes cut out of a document: small GLBs, so that nodes can be moved one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ligament.arrays import Floats, Ints
from ligament.gltf import jsontext, objects
from ligament.gltf.accessors import ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER, append_accessor
from ligament.gltf.document import Document
from ligament.gltf.mesh import TRIANGLES, Geometry, read_mesh
from ligament.gltf.skinning import read_posed_mesh
from ligament.gltf.storage.container import glb_pieces
from ligament.view.materials import MaterialCopier

SHOWN_ATTRIBUTES = ("NORMAL", "TANGENT", "TEXCOORD_", "COLOR_")


class Piece(NamedTuple):
    """A GLB of one primitive; `is_surface` tells triangles from points and lines."""

    glb: bytes
    is_surface: bool
    low: Floats
    high: Floats


def cut_mesh(
    document: Document,
    mesh: int,
    *,
    weights: Sequence[float] | None = None,
    joints: Floats | None = None,
) -> Iterator[Piece]:
    """Yield the primitives of a mesh with their materials, each as a GLB of its own.

    Arrays are written anew, so that the page needs no decoder for compressed files. `weights` mix
    the morph targets and `joints` (J, 4, 4) pose the skin, both once and for all.
    """
    declared = document.view("meshes", mesh, objects.Mesh)
    plain = read_mesh(document, mesh, attributes=SHOWN_ATTRIBUTES)
    posed = read_posed_mesh(document, mesh, weights=weights, joints=joints)
    for primitive, geometry, moved in zip(declared.primitives, plain, posed, strict=True):
        if len(geometry.corners) and np.isfinite(moved.points).all():
            attributes = dict(geometry.attributes)
            if joints is not None:
                attributes.pop("TANGENT", None)
                attributes["NORMAL"] = normals_of(moved.points, moved.triangles)
            yield _piece(document, primitive, moved._replace(attributes=attributes))


def normals_of(points: Floats, triangles: Ints) -> Floats:
    """Return smooth normals (V, 3): the sum of those of the triangles, by area."""
    a, b, c = (points[triangles[:, i]] for i in range(3))
    total = np.zeros_like(points)
    faces = np.cross(b - a, c - a)
    for corner in range(3):
        np.add.at(total, triangles[:, corner], faces)
    length = np.linalg.norm(total, axis=1, keepdims=True)
    return np.where(length > 0, total / np.where(length > 0, length, 1.0), [0.0, 1.0, 0.0])


def _piece(document: Document, primitive: objects.Primitive, geometry: Geometry) -> Piece:
    piece = Document({"asset": {"version": "2.0"}})
    is_surface = bool(len(geometry.triangles))
    written = _arrays(piece, geometry, is_surface=is_surface)
    written["mode"] = TRIANGLES if is_surface else primitive.mode
    if primitive.material is not None:
        material = MaterialCopier(document, piece).copy(primitive.material)
        written |= {} if material is None else {"material": material}
    piece.json |= {
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [written]}],
    }
    used = geometry.points[geometry.corners]
    glb = b"".join(glb_pieces(jsontext.encode(piece.json), piece.buffer(0), ()))
    return Piece(glb, is_surface, used.min(axis=0), used.max(axis=0))


def _arrays(piece: Document, geometry: Geometry, *, is_surface: bool) -> dict[str, Any]:
    points = append_accessor(piece, geometry.points, target=ARRAY_BUFFER, bounds=True)
    attributes = {"POSITION": points}
    for name, values in geometry.attributes.items():
        shown = np.asarray(values, np.float32)
        attributes[name] = append_accessor(piece, shown, target=ARRAY_BUFFER)
    corners = geometry.triangles.ravel() if is_surface else geometry.corners
    indices = append_accessor(piece, corners.astype(np.uint32), target=ELEMENT_ARRAY_BUFFER)
    return {"attributes": attributes, "indices": indices}
