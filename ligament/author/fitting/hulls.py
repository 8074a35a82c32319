"""Hulls of few points that hold all the others, and by how much they are too large."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ligament.arrays import Floats, Ints
from ligament.author.fitting.cloud import NEGLIGIBLE, Cloud, supports
from ligament.author.fitting.placed import gap, upright
from ligament.author.values import refused
from ligament.physics.hulls import convex_hull, hull_points
from ligament.physics.shapes import Hull

MAX_POINTS = 255
"""So many points a hull has at most, unless asked otherwise: what physics engines take."""

FEWEST_POINTS = 4


class Simplified(NamedTuple):
    """A hull, and how far [m] its surface is from that of the given one at most."""

    hull: Hull
    deviation: float


def simplified(hull: Hull, *, max_points: int = MAX_POINTS) -> Simplified:
    """Return a hull of at most `max_points` around the given one.

    It is the hull of some of the corners, enlarged about its middle until it holds all of them. A
    hull that has no more corners, or is flat, comes back as it is.
    """
    corners = hull_points(hull.points)
    cloud = Cloud(corners)
    if len(corners) <= max_points or cloud.dimension == 2:
        return Simplified(hull, 0.0)
    larger = fit_hull(cloud, max_points=max_points)
    deviation = gap(upright(larger), cloud.corners, cloud.normals) * cloud.size
    return Simplified(Hull(larger.points * cloud.size + cloud.middle), deviation)


def fit_hull(cloud: Cloud, *, max_points: int = MAX_POINTS) -> Hull:
    """Return a hull of at most `max_points` around all points of a cloud that is not flat."""
    if max_points < FEWEST_POINTS:
        raise refused("the number of points of a hull", max_points, "allow four or more")
    corners = cloud.corners
    if len(corners) > max_points:
        corners = _selected(corners, max_points)
    return Hull(_grown(cloud, corners))


def _selected(corners: Floats, count: int) -> Floats:
    """Choose corners (count, 3): again and again those that stick out most of the others' hull.

    That is measured from a point inside, since this is what the hull is enlarged about.
    """
    chosen = _simplex(corners)
    seen = corners - corners[chosen].mean(axis=0)
    while len(chosen) < count:
        normals, offsets = _planes(seen[chosen])
        found, reach = supports(seen, normals)
        order = np.argsort(-reach / offsets, kind="stable")
        order = order[reach[order] > offsets[order] + NEGLIGIBLE]
        # Only some at a time: what one of them adds is often what its neighbour would have.
        wanted = min(count - len(chosen), max(8, len(chosen) // 3))
        new = list(dict.fromkeys(found[order].tolist()))[:wanted]
        if not new:
            break
        chosen = np.union1d(chosen, new)
    return corners[chosen]


def _simplex(corners: Floats) -> Ints:
    """Return four corners, by index, that are far apart in all directions."""
    chosen, offsets = [0], corners - corners[0]
    for _ in range(3):
        distances = (offsets**2).sum(axis=1)
        farthest = int(np.argmax(distances))
        chosen.append(farthest)
        axis = offsets[farthest] / np.sqrt(distances[farthest])
        offsets = offsets - (offsets @ axis)[:, None] * axis
    return np.array(chosen)


def _grown(cloud: Cloud, corners: Floats) -> Floats:
    """Enlarge a hull about its middle until no point is outside."""
    middle = corners[_simplex(corners)].mean(axis=0)
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
