"""Mesh primitives as arrays of points and triangles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ligament.arrays import Floats, Ints
from ligament.errors import ContentError, LigamentError
from ligament.gltf import objects
from ligament.gltf.accessors import declared_count, read_accessor, read_view_bytes
from ligament.gltf.document import Document
from ligament.gltf.objects import read_view
from ligament.gltf.storage.compression import decode_draco

Array = npt.NDArray[Any]

DRACO = "KHR_draco_mesh_compression"
TRIANGLES, TRIANGLE_STRIP, TRIANGLE_FAN = 4, 5, 6
TRIANGLE_MODES = (TRIANGLES, TRIANGLE_STRIP, TRIANGLE_FAN)


class Geometry(NamedTuple):
    """One primitive: points (V, 3) [m] and triangles (T, 3), none for points and lines.

    `corners` (C,) are the vertices that it uses, in the order of its indices: primitives may share
    their points. `attributes` are further arrays (V, …) by name, if requested.
    """

    points: Floats
    triangles: Ints
    corners: Ints
    attributes: Mapping[str, Array]


def read_mesh(
    document: Document, index: int, *, attributes: tuple[str, ...] = ()
) -> list[Geometry]:
    """Read every primitive of a mesh, unmorphed and unskinned.

    Attributes whose names begin with one of `attributes` are read too.
    """
    mesh = document.element("meshes", index, objects.Mesh)
    result = []
    for i, primitive in enumerate(mesh.primitives):
        pointer = f"/meshes/{index}/primitives/{i}"
        try:
            result.append(_geometry(document, primitive, pointer, attributes))
        except LigamentError as fault:
            fault.pointer = fault.pointer or pointer
            raise fault.located(document.path) from fault.__cause__
    return result


def count_vertices(document: Document, index: int) -> int:
    """Return how many vertices or indices, whichever are more, the primitives of a mesh declare."""
    mesh = document.element("meshes", index, objects.Mesh)
    read = [(each.indices, each.attributes.get("POSITION")) for each in mesh.primitives]
    return sum(max(declared_count(document, accessor) for accessor in pair) for pair in read)


def _geometry(
    document: Document, primitive: objects.Primitive, pointer: str, prefixes: tuple[str, ...]
) -> Geometry:
    names = ["POSITION", *(name for name in primitive.attributes if name.startswith(prefixes))]
    arrays, indices, mode = _arrays(document, primitive, names, pointer)
    points = np.asarray(arrays.pop("POSITION"), np.float64)
    if points.ndim != 2 or points.shape[1] != 3:
        raise ContentError("POSITION is not a VEC3", pointer=f"{pointer}/attributes/POSITION")
    for name, values in arrays.items():
        _require_count(values, len(points), f"{pointer}/attributes/{name}")
    if indices is None:
        indices = np.arange(len(points))
    if indices.ndim != 1 or indices.dtype.kind not in "iu" or indices.min(initial=0) < 0:
        raise ContentError("indices are not an unsigned SCALAR", pointer=f"{pointer}/indices")
    if indices.max(initial=0) >= max(1, len(points)):
        raise ContentError(
            f"index {indices.max()} of {len(points)} vertices",
            pointer=f"{pointer}/indices",
            remedy="indices must be below the number of vertices",
        )
    corners = np.asarray(indices, np.int64)
    return Geometry(points, _triangles(corners, mode), corners, arrays)


def _arrays(
    document: Document, primitive: objects.Primitive, names: list[str], pointer: str
) -> tuple[dict[str, Array], Array | None, int]:
    """Return attributes by name, the indices if any, and the primitive mode."""
    arrays: dict[str, Array] = {}
    indices = None
    if DRACO in primitive.extensions:
        arrays, indices = _compressed(document, primitive.extensions[DRACO], names, pointer)
    elif "POSITION" not in primitive.attributes:
        raise ContentError("has no POSITION", pointer=f"{pointer}/attributes", remedy="add it")
    elif primitive.indices is not None:
        indices = read_accessor(document, primitive.indices)
    for name in names:
        if name not in arrays:
            arrays[name] = read_accessor(document, primitive.attributes[name])
    # Draco yields separate triangles, whatever the mode of the primitive.
    return arrays, indices, TRIANGLES if DRACO in primitive.extensions else primitive.mode


def _compressed(
    document: Document, extension: Any, names: list[str], pointer: str
) -> tuple[dict[str, Array], Array]:
    place = f"{pointer}/extensions/{DRACO}"
    source = read_view(extension, objects.DracoPrimitive, place)
    if "POSITION" not in source.attributes:
        raise ContentError("has no POSITION", pointer=f"{place}/attributes", remedy="add it")
    data = read_view_bytes(document, source.buffer_view)
    wanted = {name: id_ for name, id_ in source.attributes.items() if name in names}

    def decode(spent: int) -> tuple[tuple[dict[str, Array], Array], int]:
        arrays, indices = decode_draco(data, wanted, limits=document.limits, spent=spent)
        return (arrays, indices), indices.nbytes + sum(array.nbytes for array in arrays.values())

    key = (DRACO, source.buffer_view, *sorted(wanted.items()))
    arrays, indices = document.decoded.once(key, data, decode)
    return dict(arrays), indices


def _require_count(values: Array, count: int, pointer: str) -> None:
    if len(values) != count:
        raise ContentError(
            f"{len(values)} elements for {count} vertices",
            pointer=pointer,
            remedy="all attributes of a primitive have one element per vertex",
        )


def _triangles(corners: Ints, mode: int) -> Ints:
    """Convert a list, strip or fan to triangles (glTF 2.0, 3.7.2.1); the latter without repeats."""
    count = len(corners)
    if mode == TRIANGLES:
        return corners[: count - count % 3].reshape(-1, 3)
    if mode not in (TRIANGLE_STRIP, TRIANGLE_FAN) or count < 3:
        return np.empty((0, 3), np.int64)
    first = np.broadcast_to(corners[0], count - 2) if mode == TRIANGLE_FAN else corners[:-2]
    second, third = corners[1:-1], corners[2:]
    # Strips are joined by triangles that repeat a corner.
    i = np.flatnonzero((first != second) & (second != third) & (third != first))
    if mode == TRIANGLE_FAN:
        return np.column_stack([second[i], third[i], first[i]])
    return np.column_stack([corners[i], corners[i + 1 + i % 2], corners[i + 2 - i % 2]])
