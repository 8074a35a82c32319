"""Convex hulls that stand stably on their broad faces.

Of a face with more than four corners the engine uses four adjacent ones as contacts: a body that
stands on such a face tips over, and one that lies on it sinks in by centimetres. So these faces get
separate parts, quadrilaterals with a pyramid into the hull: one to stand on, or as many as it takes
to support bodies anywhere, which costs ten times as much in a heap.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from enum import Enum
from typing import Final

import numpy as np
import numpy.typing as npt
import rapier3d as rp

from ligament.arrays import Floats, Ints
from ligament.physics.engines.poses import AT_ORIGIN
from ligament.physics.engines.rapier.workarounds.round_contacts import RoundShape, enlarged

MOST_POINTS: Final = 256
"""Most corners of a hull, since contacts cost more with each: within 1 % of a smooth body."""

_ROUND_POINTS: Final = 192
"""Corners of the hull around a round shape, besides those of circles: 2 % larger at most."""

_MERGED: Final = 1 - 3.4e-4
"""Dot product of normals above which the engine merges triangles into one face (1.5°)."""

EDGE, LEAST_EDGE, THICKEST_EDGE = 3e-3, 1e-5, 0.01
"""Radius of the edges of hulls and cylinders among others (see `shapes`), relative to that of the
inscribed ball; its minimum [m], and the fraction that this may be."""

_FLATNESS: Final = 1e-3
"""Largest bend of a broad face, relative to its size; curved ones need no support."""

_SLIVER: Final = 0.03
"""Largest uncovered rim of a supporting face, as a fraction of its width."""


class Support(Enum):
    """Use of a hull's broad faces."""

    STANDING = 1
    CARRYING = 2


def build_hull(points: Floats, support: Support, *, is_rounded: bool = False) -> rp.SharedShape:
    """Build the convex hull of points (P, 3) [m]."""
    hull = _hull(points)
    corners = _corners(hull)
    if len(corners) > MOST_POINTS:
        hull = _hull(thinned(corners))
        corners = _corners(hull)
    polyhedron = hull.as_convex_polyhedron()
    if polyhedron is None:
        return hull
    thin = _SLIVER if support is Support.CARRYING else math.inf
    triangles = np.array(polyhedron.indices)
    core, edge = _core(corners, triangles) if is_rounded else (corners, 0.0)
    faces = broad_faces(corners, triangles)
    parts = [_stand(core, part, edge) for face in faces for part in _covering(corners, face, thin)]
    whole = _rounded(core, edge) if is_rounded else hull
    if not parts:
        return whole
    return rp.SharedShape.compound([(AT_ORIGIN, whole), *((AT_ORIGIN, part) for part in parts)])


def edge_radius(inscribed: float) -> float:
    """Return the radius [m] of edges for that of the inscribed ball."""
    return max(EDGE * inscribed, min(LEAST_EDGE, THICKEST_EDGE * inscribed))


def _core(corners: Floats, triangles: Ints) -> tuple[Floats, float]:
    """Return corners (P, 3) with all faces moved inwards, and by how much [m]: radius of edges."""
    edge = edge_radius(float(np.ptp(corners, axis=0).min()) / 2)
    normals = _normals(corners, triangles)
    squares, sums = np.zeros((len(corners), 3, 3)), np.zeros((len(corners), 3))
    for column in triangles.T:
        np.add.at(squares, column, normals[:, :, None] * normals[:, None])
        np.add.at(sums, column, normals)
    shift = np.linalg.solve(squares + 1e-6 * np.eye(3), sums[..., None])[..., 0]
    core: Floats = corners - edge * shift
    return core, edge


def _rounded(core: Floats, edge: float) -> rp.SharedShape:
    """Build the hull of points with rounded edges, as far as it is thick enough for any."""
    try:
        if edge > 0:
            return rp.SharedShape.round_convex_hull(core, edge)
    except rp.RapierError:
        pass
    return rp.SharedShape.convex_hull(core)


def build_round_hull(shape: RoundShape) -> rp.SharedShape:
    """Build a hull around a round shape."""
    hull = _hull(shape.corners(directions(_ROUND_POINTS)))
    polyhedron = hull.as_convex_polyhedron()
    if polyhedron is None:
        return hull
    triangles = np.array(polyhedron.indices)
    corners = enlarged(_corners(hull), triangles, shape)
    try:
        return rp.SharedShape.convex_mesh(corners, triangles)
    except rp.RapierError:  # merging nearly coplanar faces failed
        return _hull(corners)


def _hull(points: Floats) -> rp.SharedShape:
    """Build a hull; needles, which the engine takes for lines, are scaled to a cube for that."""
    try:
        return rp.SharedShape.convex_hull(points)
    except rp.RapierError:
        size = np.ptp(points, axis=0)
        if not size.all():
            raise
    polyhedron = rp.SharedShape.convex_hull(points / size).as_convex_polyhedron()
    if polyhedron is not None:
        hull = rp.SharedShape.convex_mesh(polyhedron.points * size, polyhedron.indices)
        made = hull.as_convex_polyhedron()
        if made is None or len(made.indices):  # sizes of 1e-38 m leave no faces
            return hull
    raise rp.MeshConversionError("convex hull computation failed")


def _corners(hull: rp.SharedShape) -> Floats:
    polyhedron = hull.as_convex_polyhedron()
    return np.array([] if polyhedron is None else polyhedron.points, np.float64)


def thinned(points: Floats) -> Floats:
    """Reduce points (P, 3) to those farthest in evenly spread directions, if too many."""
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    size = np.maximum(np.ptp(points, axis=0), np.finfo(float).tiny)
    # Scaled to a box of equal sides, so that a thin hull keeps its corners too.
    reach = np.einsum("dk,pk->dp", directions(MOST_POINTS), (points - middle) / size)
    farthest = reach.argmax(axis=1)
    kept: Floats = points[np.unique(farthest)]
    return kept


def directions(count: int) -> Floats:
    """Return unit vectors (count, 3) spread evenly, on a spiral from pole to pole."""
    place = np.arange(count) + 0.5
    height = 1 - 2 * place / count
    radius = np.sqrt(1 - height * height)
    angle = place * (math.pi * (3 - math.sqrt(5)))
    return np.stack([radius * np.cos(angle), height, radius * np.sin(angle)], axis=-1)


def broad_faces(corners: Floats, triangles: Ints) -> Iterator[Ints]:
    """Yield the corners, in order around the face, of each flat face with more than four."""
    normals = _normals(corners, triangles)
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    sides = np.tile(np.arange(len(triangles)), 3)
    inside = _is_inside_face(edges, sides, normals)
    # A face of five corners has three triangles, and the middle one has two inner edges.
    if np.bincount(sides[inside], minlength=len(triangles)).max(initial=0) < 2:
        return
    faces = _joined(len(triangles), edges[inside], sides[inside])
    for face in np.unique(faces[np.bincount(faces, minlength=len(faces))[faces] > 2]):
        border = edges[~inside & (faces[sides] == face)]
        loop = _chained(border)
        if len(loop) > 4 and _is_flat(corners[loop], normals[face]):
            yield loop


def _normals(corners: Floats, triangles: Ints) -> Floats:
    a, b, c = (corners[triangles[:, i]] for i in range(3))
    normals = np.cross(b - a, c - a)
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    unit: Floats = normals / np.maximum(length, np.finfo(float).tiny)
    return unit


def _is_inside_face(edges: Ints, sides: Ints, normals: Floats) -> npt.NDArray[np.bool_]:
    """Tell for each directed edge (E, 2) whether it and its twin lie within one face."""
    twin = {(a, b): side for (a, b), side in zip(edges.tolist(), sides.tolist(), strict=True)}
    other = np.array([twin.get((b, a), -1) for a, b in edges.tolist()])
    together = np.einsum("ij,ij->i", normals[sides], normals[other])
    inside: npt.NDArray[np.bool_] = (other >= 0) & (together > _MERGED)
    return inside


def _joined(count: int, edges: Ints, sides: Ints) -> Ints:
    """Label each triangle with the lowest index that it reaches across inner edges."""
    owner = {(a, b): side for (a, b), side in zip(edges.tolist(), sides.tolist(), strict=True)}
    pairs = np.array([(side, owner.get((b, a), side)) for (a, b), side in owner.items()])
    faces = np.arange(count)
    while True:
        before = faces.copy()
        np.minimum.at(faces, pairs[:, 0], faces[pairs[:, 1]])
        if (faces == before).all():
            return faces


def _chained(border: Ints) -> Ints:
    """Order the directed edges (E, 2) of one loop; return its corners."""
    follow = dict(border.tolist())
    loop = [int(border[0, 0])]
    while (corner := follow.get(loop[-1], loop[0])) != loop[0] and len(loop) < len(border):
        loop.append(corner)
    return np.array(loop)


def _is_flat(loop: Floats, normal: Floats) -> bool:
    heights = loop @ normal
    return float(np.ptp(heights)) < _FLATNESS * float(np.ptp(loop, axis=0).max())


def _stand(core: Floats, part: list[int], edge: float) -> rp.SharedShape:
    """Build the pyramid from a part of a face up to the middle of the hull."""
    base = core[part]
    try:
        return _rounded(np.concatenate([base, [core.mean(axis=0)]]), edge)
    except rp.RapierError:  # the hull is flat
        return rp.SharedShape.convex_hull(base)


def _covering(corners: Floats, loop: Ints, thin: float) -> Iterator[list[int]]:
    """Yield quadrilaterals and triangles, widest first, that cover all but slivers of a face.

    A sliver is thinner than the fraction `thin` of the face's width.
    """
    places = corners[loop]
    distances = np.linalg.norm(places[:, None] - places, axis=2)
    first, last = sorted(map(int, np.unravel_index(distances.argmax(), distances.shape)))
    ring = np.roll(loop, -first)
    middle, count = last - first, len(loop)
    left, right = _farthest(corners, ring, 0, middle), _farthest(corners, ring, middle, count)
    bends = sorted({0, left, middle, right})
    yield ring[bends].tolist()
    for start, end in zip(bends, [*bends[1:], count], strict=True):
        yield from _covering_arc(corners, ring, start, end, thin * float(distances.max()))


def _covering_arc(
    corners: Floats, ring: Ints, start: int, end: int, thin: float
) -> Iterator[list[int]]:
    """Yield parts that cover the face between a chord and its arc, which may end with the ring."""
    if end - start < 2 or _height(corners, ring, start, end).max() < thin:
        return
    third = (end - start) // 3
    bends = [start, start + third, end - third, end] if third else [start, start + 1, end]
    yield [int(ring[i % len(ring)]) for i in bends]
    for first, last in itertools.pairwise(bends):
        yield from _covering_arc(corners, ring, first, last, thin)


def _farthest(corners: Floats, ring: Ints, start: int, end: int) -> int:
    """Return the index on the ring, from `start` to before `end`, farthest from their chord."""
    return start + int(_height(corners, ring, start, end)[:-1].argmax())


def _height(corners: Floats, ring: Ints, start: int, end: int) -> Floats:
    """Return the distances [m] of a stretch of the ring from the chord of its ends."""
    places = corners[ring[np.arange(start, end + 1) % len(ring)]]
    offset = places - places[0]
    chord = offset[-1] / max(float(np.linalg.norm(offset[-1])), np.finfo(float).tiny)
    heights: Floats = np.linalg.norm(offset - np.outer(offset @ chord, chord), axis=1)
    return heights
