"""Hulls of few points that hold all the others, and by how much they are too large."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ligament.author.fitting.cloud import NEGLIGIBLE, Cloud, directions, supports
from ligament.author.fitting.placed import Placed, gap
from ligament.errors import ContentError
from ligament.physics.hulls import convex_hull
from ligament.physics.shapes import Hull

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

MAX_POINTS = 255
"""So many points a hull has at most, unless asked otherwise: what physics engines take."""

_FIRST = 26
_NOWHERE = np.zeros(3)
_UPRIGHT = np.array([0.0, 0.0, 0.0, 1.0])


class Simplified(NamedTuple):
    """A hull, and how far [m] its surface is from that of the given one at most."""

    hull: Hull
    deviation: float


def simplified(hull: Hull, *, max_points: int = MAX_POINTS) -> Simplified:
    """Return a hull of at most `max_points` around the given one.

    It is the hull of some of the corners, enlarged about its middle until it holds all of them. A
    hull that has no more corners comes back as it is.
    """
    cloud = Cloud(hull.points)
    corners = convex_hull(hull.points).corners
    if len(corners) <= max_points:
        return Simplified(hull, 0.0)
    placed = fit_hull(cloud, max_points=max_points)
    deviation = gap(placed, cloud.corners, cloud.normals) * cloud.size
    assert isinstance(placed.shape, Hull)
    return Simplified(Hull(placed.shape.points * cloud.size + cloud.middle), deviation)


def fit_hull(cloud: Cloud, *, max_points: int = MAX_POINTS) -> Placed:
    """Return a hull of at most `max_points` around all points of a cloud that is not flat."""
    if max_points < 8:
        raise ContentError(f"a hull of {max_points} points", remedy="allow eight points or more")
    corners = cloud.corners
    if len(corners) > max_points:
        corners = _selected(corners, max_points)
    return Placed(Hull(_grown(cloud, corners)), _NOWHERE, _UPRIGHT)


def _selected(corners: Floats, count: int) -> Floats:
    """Choose corners (count, 3): again and again those that stick out most of the others' hull."""
    first = np.concatenate([np.eye(3), -np.eye(3), directions(_FIRST)])
    chosen = np.unique(supports(corners, first)[0])[:count]
    while len(chosen) < count:
        normals, offsets = _planes(corners[chosen])
        found, reach = supports(corners, normals)
        order = np.argsort(-reach / offsets, kind="stable")
        order = order[reach[order] > offsets[order] * (1 + NEGLIGIBLE)]
        # Only some at a time: what one of them adds is often what its neighbour would have.
        wanted = min(count - len(chosen), max(8, len(chosen) // 3))
        new = list(dict.fromkeys(found[order].tolist()))[:wanted]
        if not new:
            break
        chosen = np.union1d(chosen, new)
    return corners[chosen]


def _grown(cloud: Cloud, corners: Floats) -> Floats:
    """Enlarge a hull about its middle until no point is outside."""
    middle = corners.mean(axis=0)
    normals, offsets = _planes(corners - middle)
    reach = supports(cloud.points - middle, normals)[1]
    if (reach - offsets).max() <= NEGLIGIBLE:
        return corners
    return np.asarray(middle + (corners - middle) * float((reach / offsets).max()))


def _planes(corners: Floats) -> tuple[Floats, Floats]:
    """Return unit normals (T, 3) and distances from the origin (T,) of the faces of a hull."""
    triangles = convex_hull(corners).triangles
    a, b, c = (corners[triangles[:, i]] for i in range(3))
    normals = np.cross(b - a, c - a)
    size = np.linalg.norm(normals, axis=1)
    normals = normals[size > 0] / size[size > 0, None]
    return normals, (normals * a[size > 0]).sum(axis=1)
