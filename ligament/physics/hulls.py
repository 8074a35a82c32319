"""Convex hulls of points in space, whatever their number and arrangement."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ligament import transforms as tf
from ligament.arrays import Floats, Ints
from ligament.physics.quickhull import REACH, quickhull

FLATNESS = 1e-6
"""Points thinner than this part of their length are flat, or lie on a line, or are one point."""

_SLANTED = 0.01


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
    cells, chosen = _gridded(places @ frame.T)
    if len(frame) == 2:
        return _flat(cells, chosen)
    triangles = chosen[quickhull(cells)]
    return ConvexHull(np.unique(triangles), triangles, 3)


def hull_points(points: npt.ArrayLike) -> Floats:
    """Reduce points (P, 3) to the corners (C, 3) of their hull."""
    places = np.asarray(points, np.float64)
    return places[convex_hull(places).corners]


def _frame(points: Floats) -> Floats:
    """Return as many directions (D, 3) as the points have dimensions, to measure them along.

    These are the axes of space, for what is aligned with them to stay so, unless the points are
    flat or hug a slanting plane or line, which the grid along the axes would not resolve.
    """
    axes, thickness = _simplex_axes(points)
    noise = 1e-13 * float(np.abs(points).max())
    length = thickness[0]
    dimension = int(np.count_nonzero(thickness > max(FLATNESS * length, noise)))
    if dimension < 3:
        return axes[:dimension]
    extent = np.ptp(points, axis=0)
    _, relative = _simplex_axes(points / extent)
    return np.eye(3) if relative[2] > _SLANTED else axes


def _simplex_axes(points: Floats) -> tuple[Floats, Floats]:
    """Return right-handed directions (3, 3) of falling extent, and the extents (3,), nearly so."""
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


def _gridded(coordinates: Floats) -> tuple[Ints, Ints]:
    """Round coordinates (P, D) to the grid; returns its cells in use and a point in each."""
    low, high = coordinates.min(axis=0), coordinates.max(axis=0)
    unit = (coordinates - low) / (high - low) * 2 - 1
    cells = np.rint(unit * REACH).astype(np.int64)
    bits = REACH.bit_length() + 1
    keys = np.zeros(len(cells), np.int64)
    for column in cells.T:
        keys = (keys << bits) + column + REACH
    _, chosen = np.unique(keys, return_index=True)
    return cells[chosen], chosen


def _flat(cells: Ints, chosen: Ints) -> ConvexHull:
    """Find a flat hull: the base of the pyramid with a tip above it."""
    base = np.column_stack([cells, np.full(len(cells), -REACH)])
    pyramid = np.concatenate([base, [[0, 0, REACH]]])
    corners = np.unique(quickhull(pyramid))[:-1]
    angle = np.arctan2(*(cells[corners] - cells[corners].mean(axis=0)).T[::-1])
    ring = chosen[corners[np.argsort(angle)]]
    first, second, third = np.broadcast_to(ring[0], len(ring) - 2), ring[1:-1], ring[2:]
    above, below = np.stack([first, second, third], 1), np.stack([first, third, second], 1)
    return ConvexHull(ring, np.concatenate([above, below]), 2)
