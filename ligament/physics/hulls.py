"""Convex hulls of any number of points in space, in any arrangement.

Manifold computes them (`docs/performance.md` compares it with Qhull and with the engine's own).
The points are scaled to a cube first, along directions in which they are not thin, so that its
tolerances mean the same for any size and shape.
"""

from __future__ import annotations

import os
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from ligament import transforms as tf
from ligament.arrays import Floats, Ints

TOLERANCE = 4e-6
"""Corners that stick out by less than this, in a cube from -1 to 1, are left out: rounding to
single precision alone lifts points of a slanting plane by about as much above each other."""

FLATNESS = 1e-6
"""Relative thickness below which points are flat, on a line, or one point."""

_SLANTED_THICKNESS = 0.01
_FIRST_HULL: Final = 1024
_HASH_FACTOR: Final = np.uint64(0x9E3779B97F4A7C15)


class ConvexHull(NamedTuple):
    """The corners (C,) of a hull, as indices of the points, and its triangles (T, 3) of these.

    Triangles are counter-clockwise from outside and index the points too. `dimension` is 3 for a
    solid; 2 for a flat hull, which has triangles on both sides and its corners in order around
    it; 1 for the two ends of a line; 0 for a single point.
    """

    corners: Ints
    triangles: Ints
    dimension: int


def convex_hull(points: npt.ArrayLike) -> ConvexHull:
    """Find the hull of finite points (P, 3), P > 0.

    All points are inside, up to four millionths of the extent of the hull; points that stick out
    less than that may be left out, so that noise on flat faces does not become corners.
    """
    places = np.asarray(points, np.float64)
    frame = _frame(places)
    if len(frame) < 2:
        ends = _ends(places, frame)
        return ConvexHull(ends, np.empty((0, 3), np.int64), len(frame))
    coordinates = places @ frame.T
    low, high = coordinates.min(axis=0), coordinates.max(axis=0)
    unit = (coordinates - low) / (high - low) * 2 - 1
    if len(frame) == 2:
        return _flat(unit)
    triangles = _triangles(unit)
    return ConvexHull(np.unique(triangles), triangles, 3)


def hull_points(points: npt.ArrayLike) -> Floats:
    """Reduce points (P, 3) to the corners (C, 3) of their hull."""
    places = np.asarray(points, np.float64)
    return places[convex_hull(places).corners]


def _frame(points: Floats) -> Floats:
    """Return as many directions (D, 3) as the points have dimensions, to measure along.

    These are the axes of space, for what is aligned with them to stay so, unless the points are
    flat or hug a slanting plane or line, along which the axes would not resolve them.
    """
    axes, thickness = _simplex_axes(points)
    noise = 1e-13 * float(np.abs(points).max())
    length = thickness[0]
    dimension = int(np.count_nonzero(thickness > max(FLATNESS * length, noise)))
    if dimension < 3:
        return axes[:dimension]
    extent = np.ptp(points, axis=0)
    _, relative = _simplex_axes(points / extent)
    return np.eye(3) if relative[2] > _SLANTED_THICKNESS else axes


def _simplex_axes(points: Floats) -> tuple[Floats, Floats]:
    """Return right-handed directions (3, 3) by decreasing extent, and approximate extents (3,)."""
    offsets = points - points[np.argmin(points[:, np.argmax(np.ptp(points, axis=0))])]
    axes, extents = [], []
    for _ in range(3):
        distances = np.sqrt((offsets**2).sum(axis=1))
        farthest = int(np.argmax(distances))
        extents.append(float(distances[farthest]))
        axis = offsets[farthest] / (extents[-1] or 1.0)
        axes.append(axis)
        offsets = offsets - (offsets @ axis)[:, None] * axis
    if tf.determinant(axes) < 0:
        axes[2] = -axes[2]
    return np.array(axes), np.array(extents)


def _ends(points: Floats, frame: Floats) -> Ints:
    if not len(frame):
        return np.zeros(1, np.int64)
    along = points @ frame[0]
    return np.array([np.argmin(along), np.argmax(along)])


def _triangles(points: Floats) -> Ints:
    """Return the triangles (T, 3) of the hull of points (P, 3) that fill a cube from -1 to 1."""
    solid = _manifold().hull_points(points)
    # Without a corner, others may stick out no farther than the tolerance.
    while (reduced := solid.simplify(TOLERANCE)).num_vert() < solid.num_vert():
        solid = reduced.hull()
    surface = solid.to_mesh64()
    corners, keys = _keys(np.asarray(surface.vert_properties)), _keys(points)
    order = np.argsort(corners)
    at = np.minimum(np.searchsorted(corners, keys, sorter=order), len(corners) - 1)
    found = np.flatnonzero(corners[order[at]] == keys)
    index = np.zeros(len(corners), np.int64)
    index[order[at[found]]] = found
    return np.asarray(index[np.asarray(surface.tri_verts, np.int64)])


def _keys(points: Floats) -> npt.NDArray[np.uint64]:
    """Return a hash (P,) of 64 bits for each point (P, 3)."""
    key = np.zeros(len(points), np.uint64)
    for column in np.ascontiguousarray(points.T + 0.0).view(np.uint64):  # -0.0 becomes 0.0
        key ^= column
        key ^= key >> np.uint64(32)
        key *= _HASH_FACTOR
    return key


@cache
def _manifold() -> Any:
    """Return Manifold's class of solids, in a library that starts no threads.

    It would start one for every core, whose stacks a command with little memory has no room for,
    though hulls gain nothing. How many it may use, it looks up once: at its first large hull.
    """
    from manifold3d import Manifold

    if hasattr(os, "sched_setaffinity"):
        cores = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {min(cores)})
        try:
            angle = np.arange(_FIRST_HULL)
            Manifold.hull_points(np.stack([np.cos(angle), np.sin(angle), angle / 1000], axis=1))
        finally:
            os.sched_setaffinity(0, cores)
    return Manifold


def _flat(points: Floats) -> ConvexHull:
    """Find a flat hull of points (P, 2): the base of the pyramid with an apex above it."""
    base = np.column_stack([points, np.full(len(points), -1.0)])
    corners = np.unique(_triangles(np.concatenate([base, [[0, 0, 1]]])))[:-1]
    angle = np.arctan2(*(points[corners] - points[corners].mean(axis=0)).T[::-1])
    ring = corners[np.argsort(angle)]
    first, second, third = np.broadcast_to(ring[0], len(ring) - 2), ring[1:-1], ring[2:]
    above, below = np.stack([first, second, third], 1), np.stack([first, third, second], 1)
    return ConvexHull(ring, np.concatenate([above, below]), 2)
