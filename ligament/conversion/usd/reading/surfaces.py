"""Surfaces of prims: polygons cut into triangles, with normals and texture coordinates."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt
from pxr import UsdGeom

from ligament.arrays import Floats, Ints
from ligament.conversion.usd.reading.stage import NOW, Stage

MOST_CORNERS = 2000
"""Polygons with more corners than this are triangulated as a fan, convex or not."""


@dataclasses.dataclass(frozen=True, eq=False)
class Surface:
    """Points (P, 3) [m], triangles (T, 3), and attributes of the points.

    `faces` (T,) are the polygons that the triangles were cut from.
    """

    points: Floats
    triangles: Ints
    faces: Ints
    normals: Floats | None = None
    uvs: Floats | None = None
    colors: Floats | None = None


def mesh_surface(stage: Stage, prim: Any, *, painted: bool = False) -> Surface | None:
    """Read the surface of a mesh; None, with a loss, where there is none.

    `painted` also reads the colours of points.
    """
    points = stage.attributes.array(prim, "points", 3)
    counts = _whole(stage, prim, "faceVertexCounts")
    corners = _whole(stage, prim, "faceVertexIndices")
    if points is None or counts is None or corners is None or not len(points):
        stage.lose(prim, "a mesh", "it has no points or no faces", "it is left out")
        return None
    fault = _fault(points, counts, corners)
    if fault:
        stage.lose(prim, "a mesh", fault, "it is left out")
        return None
    places, faces = triangulate(points, counts, corners)
    holes = _whole(stage, prim, "holeIndices")
    if holes is not None and len(holes):
        is_kept = ~np.isin(faces, holes)
        places, faces = places[is_kept], faces[is_kept]
    if stage.attributes.token(prim, "orientation", "rightHanded") == "leftHanded":
        places = places[:, ::-1]
    if not len(places):
        stage.lose(prim, "a mesh", "it has no triangles", "it is left out")
        return None
    reader = _Corners(stage, prim, points, counts, corners)
    return reader.surface(places, faces, painted=painted)


def _whole(stage: Stage, prim: Any, name: str) -> Ints | None:
    values = stage.attributes.array(prim, name, 1)
    return None if values is None else values.astype(np.int64)


def _fault(points: Floats, counts: Ints, corners: Ints) -> str:
    if len(counts) == 0 or counts.min() < 0 or counts.sum() != len(corners):
        return "faceVertexCounts do not add up to faceVertexIndices"
    if len(corners) == 0 or corners.min() < 0 or corners.max() >= len(points):
        return "faceVertexIndices refer to missing points"
    return ""


class _Corners:
    """Moves values from corners of faces to points; points are split where they differ."""

    def __init__(
        self, stage: Stage, prim: Any, points: Floats, counts: Ints, corners: Ints
    ) -> None:
        self.stage, self.prim = stage, prim
        self.points, self.counts, self.corners = points, counts, corners

    def surface(self, places: Ints, faces: Ints, *, painted: bool) -> Surface:
        points = self.points * self.stage.units.length
        values = {"normals": self._normals(), "uvs": self._uvs()}
        values |= {"colors": self._colors()} if painted else {}
        at_points = {k: v for k, (v, where) in values.items() if v is not None and where == "point"}
        at_corners = {
            k: v for k, (v, where) in values.items() if v is not None and where != "point"
        }
        if not at_corners:
            return Surface(points, self.corners[places], faces, **_ready(at_points))
        split = {k: v[self.corners] for k, v in at_points.items()} | at_corners
        rows = np.concatenate([self.corners[:, None].astype(float), *split.values()], axis=1)
        _, first, inverse = np.unique(rows, axis=0, return_index=True, return_inverse=True)
        order = np.argsort(first, kind="stable")  # points stay in the order of the file
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order))
        first = first[order]
        kept = {k: v[first] for k, v in split.items()}
        triangles = rank[inverse.reshape(-1)][places]
        return Surface(points[self.corners[first]], triangles, faces, **_ready(kept))

    def _normals(self) -> tuple[Floats | None, str]:
        api = UsdGeom.PrimvarsAPI(self.prim)
        primvar = api.GetPrimvar("normals")
        if primvar and primvar.HasAuthoredValue():
            return self._primvar(primvar, 3)
        values = self.stage.attributes.array(self.prim, "normals", 3)
        if values is None or not len(values):
            return None, ""
        return self._spread(values, str(UsdGeom.Mesh(self.prim).GetNormalsInterpolation()))

    def _uvs(self) -> tuple[Floats | None, str]:
        api = UsdGeom.PrimvarsAPI(self.prim)
        primvar = api.GetPrimvar("st")
        if not primvar or not primvar.HasAuthoredValue():
            kinds = ("texCoord2f[]", "texCoord2d[]", "texCoord2h[]")
            named = [
                p for p in api.GetPrimvarsWithAuthoredValues() if str(p.GetTypeName()) in kinds
            ]
            if not named:
                return None, ""
            primvar = named[0]
        values, where = self._primvar(primvar, 2)
        return (None if values is None else np.array([0, 1]) + values * np.array([1, -1])), where

    def _colors(self) -> tuple[Floats | None, str]:
        """Return colours that vary over the surface; a constant one belongs to the material."""
        primvar = UsdGeom.PrimvarsAPI(self.prim).FindPrimvarWithInheritance("displayColor")
        if not primvar or str(primvar.GetInterpolation()) == "constant":
            return None, ""
        values, where = self._primvar(primvar, 3)
        return (None if values is None else np.clip(values, 0, 1)), where

    def _primvar(self, primvar: Any, width: int) -> tuple[Floats | None, str]:
        raw = primvar.ComputeFlattened(NOW)
        name = str(primvar.GetPrimvarName())
        if raw is None:
            return None, ""
        values = self.stage.attributes.checked_array(self.prim, name, raw, width)
        return (
            (None, "") if values is None else self._spread(values, str(primvar.GetInterpolation()))
        )

    def _spread(self, values: Floats, interpolation: str) -> tuple[Floats | None, str]:
        """Return values per point or per corner, and which of the two."""
        sizes = {
            "vertex": (len(self.points), "point"),
            "varying": (len(self.points), "point"),
            "faceVarying": (len(self.corners), "corner"),
            "uniform": (len(self.counts), "corner"),
            "constant": (1, "point"),
        }
        size, where = sizes.get(interpolation, (0, ""))
        if not where or len(values) != size:
            reason = f"{len(values)} values do not fit {size} of interpolation {interpolation!r}"
            self.stage.lose(self.prim, "normals or texture coordinates", reason, "there are none")
            return None, ""
        if interpolation == "uniform":
            return np.repeat(values, self.counts, axis=0), where
        if interpolation == "constant":
            return np.repeat(values, len(self.points), axis=0), where
        return values, where


def _ready(values: dict[str, Floats]) -> dict[str, Floats]:
    """Return normals of length one, as glTF requires."""
    if "normals" in values:
        lengths = np.linalg.norm(values["normals"], axis=1, keepdims=True)
        up = np.array([0.0, 1.0, 0.0])
        usable = lengths > 1e-12
        values["normals"] = np.where(usable, values["normals"] / np.where(usable, lengths, 1), up)
    return values


# --- polygons ---


def triangulate(points: Floats, counts: Ints, corners: Ints) -> tuple[Ints, Ints]:
    """Triangulate polygons: indices (T, 3) into `corners`, and the face (T,) of each.

    `counts` (F,) are the numbers of corners of the faces, `corners` their points. Faces keep their
    order, triangles the orientation of their face; faces of fewer than three corners have none.
    """
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)
    pieces, owners = [], []
    for count in np.unique(counts):
        faces = np.flatnonzero(counts == count)
        if count < 3:
            continue
        places = starts[faces][:, None] + np.arange(count)
        cut = _cut(points, corners, places)
        pieces.append(cut.reshape(-1, 3))
        owners.append(np.repeat(faces, count - 2))
    if not pieces:
        return np.zeros((0, 3), np.int64), np.zeros(0, np.int64)
    triangles, faces = np.concatenate(pieces), np.concatenate(owners)
    order = np.argsort(faces, kind="stable")
    return triangles[order], faces[order]


def _cut(points: Floats, corners: Ints, places: Ints) -> Ints:
    """Triangulate faces (F, n) of n corners into (F, n - 2, 3)."""
    count = places.shape[1]
    fan = np.stack([np.zeros(count - 2, int), np.arange(1, count - 1), np.arange(2, count)], axis=1)
    if count == 3 or count > MOST_CORNERS:
        return np.asarray(places[:, fan])
    shape = points[corners[places]]
    cut = places[:, fan]
    for face in np.flatnonzero(~_is_convex(shape)):
        cut[face] = places[face][_ears(shape[face])]
    return np.asarray(cut)


def _is_convex(shape: Floats) -> npt.NDArray[np.bool_]:
    """Tell which polygons (F, n, 3) are convex."""
    turns = np.cross(shape - np.roll(shape, 1, axis=1), np.roll(shape, -1, axis=1) - shape)
    normal = turns.sum(axis=1, keepdims=True)
    result: npt.NDArray[np.bool_] = ((turns * normal).sum(axis=-1) >= 0).all(axis=1)
    return result


def _ears(shape: Floats) -> Ints:
    """Triangulate one polygon (n, 3) into (n - 2, 3) by ear clipping."""
    flat = _flattened(shape)
    left = list(range(len(flat)))
    found = []
    while len(left) > 3:
        ear = next((i for i in range(len(left)) if _is_ear(flat, left, i)), 0)
        found.append([left[ear - 1], left[ear], left[(ear + 1) % len(left)]])
        del left[ear]
    return np.array([*found, left])


def _flattened(shape: Floats) -> Floats:
    """Project a polygon to its plane (n, 2), counter-clockwise."""
    following = np.roll(shape, -1, axis=0)
    normal = np.cross(shape, following).sum(axis=0)
    length = np.linalg.norm(normal)
    normal = normal / length if length > 0 else np.array([0.0, 0.0, 1.0])
    across = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
    across /= np.linalg.norm(across)
    return np.asarray(shape @ np.stack([across, np.cross(normal, across)], axis=1))


def _is_ear(flat: Floats, left: list[int], index: int) -> bool:
    """Tell whether the triangle at a corner lies inside, with no other corner in it."""
    corner = [left[index - 1], left[index], left[(index + 1) % len(left)]]
    a, b, c = flat[corner]
    if _area(a, b, c) <= 0:
        return False
    others = flat[[i for i in left if i not in corner]]
    sides = [_area(p, q, others) for p, q in ((a, b), (b, c), (c, a))]
    return not np.logical_and.reduce([side >= 0 for side in sides]).any()


def _area(a: Floats, b: Floats, c: Floats) -> Floats:
    edge, to = b - a, c - a
    return np.asarray(edge[..., 0] * to[..., 1] - edge[..., 1] * to[..., 0])
