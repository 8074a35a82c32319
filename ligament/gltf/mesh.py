"""Mesh primitives as arrays of points and triangles."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ligament.errors import ContentError, LigamentError
from ligament.gltf import objects
from ligament.gltf.accessors import read_accessor
from ligament.gltf.bufferviews import read_view_bytes
from ligament.gltf.compression import decode_draco
from ligament.gltf.document import Document
from ligament.gltf.views import read_view

DRACO = "KHR_draco_mesh_compression"
TRIANGLES, TRIANGLE_STRIP, TRIANGLE_FAN = 4, 5, 6


class Geometry(NamedTuple):
    """One primitive: points (V, 3) [m] and triangles (T, 3), none for points and lines."""

    points: npt.NDArray[np.float64]
    triangles: npt.NDArray[np.int64]


def read_mesh(document: Document, index: int) -> list[Geometry]:
    """Read the rest geometry of every primitive of a mesh; normals and textures are not read."""
    mesh = document.view("meshes", index, objects.Mesh)
    result = []
    for i, primitive in enumerate(mesh.primitives):
        pointer = f"/meshes/{index}/primitives/{i}"
        try:
            result.append(_geometry(document, primitive, pointer))
        except LigamentError as fault:
            fault.pointer = fault.pointer or pointer
            raise fault.located(document.path) from fault.__cause__
    return result


def _geometry(document: Document, primitive: objects.Primitive, pointer: str) -> Geometry:
    if DRACO in primitive.extensions:
        points, indices = _compressed(document, primitive.extensions[DRACO], pointer)
    elif "POSITION" in primitive.attributes:
        points = read_accessor(document, primitive.attributes["POSITION"])
        given = primitive.indices
        indices = np.arange(len(points)) if given is None else read_accessor(document, given)
    else:
        raise ContentError("has no POSITION", pointer=f"{pointer}/attributes", remedy="add it")
    if points.ndim != 2 or points.shape[1] != 3:
        raise ContentError("POSITION is no VEC3", pointer=f"{pointer}/attributes/POSITION")
    if indices.ndim != 1 or indices.dtype.kind not in "iu" or indices.min(initial=0) < 0:
        raise ContentError("indices are no unsigned SCALAR", pointer=f"{pointer}/indices")
    points, corners = np.asarray(points, np.float64), np.asarray(indices, np.int64)
    # Draco gives separate triangles, whatever the mode of the primitive says.
    triangles = _triangles(corners, TRIANGLES if DRACO in primitive.extensions else primitive.mode)
    if triangles.size and triangles.max() >= len(points):
        raise ContentError(
            f"index {triangles.max()} of {len(points)} vertices",
            pointer=f"{pointer}/indices",
            remedy="indices must be below the number of vertices",
        )
    return Geometry(points, triangles)


def _compressed(document: Document, extension: Any, pointer: str) -> tuple[Any, Any]:
    place = f"{pointer}/extensions/{DRACO}"
    source = read_view(extension, objects.DracoPrimitive, place)
    if "POSITION" not in source.attributes:
        raise ContentError("has no POSITION", pointer=f"{place}/attributes", remedy="add it")
    data = read_view_bytes(document, source.buffer_view)
    arrays, indices = decode_draco(data, source.attributes)
    return arrays["POSITION"], indices


def _triangles(corners: npt.NDArray[np.int64], mode: int) -> npt.NDArray[np.int64]:
    """Cut a list, strip or fan into triangles (glTF 2.0, 3.7.2.1)."""
    count = len(corners)
    if mode == TRIANGLES:
        return corners[: count - count % 3].reshape(-1, 3)
    if mode not in (TRIANGLE_STRIP, TRIANGLE_FAN) or count < 3:
        return np.empty((0, 3), np.int64)
    i = np.arange(count - 2)
    if mode == TRIANGLE_FAN:
        return corners[np.stack([i + 1, i + 2, np.zeros_like(i)], axis=1)]
    return corners[np.stack([i, i + 1 + i % 2, i + 2 - i % 2], axis=1)]
