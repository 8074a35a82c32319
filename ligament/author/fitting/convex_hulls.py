"""Hulls of few points around many, and convex decomposition of concave surfaces."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any, NamedTuple

import numpy as np

from ligament.arrays import Floats, Ints
from ligament.author.arguments import refused
from ligament.author.fitting.placed_shapes import gap, upright
from ligament.author.fitting.point_cloud import NEGLIGIBLE, Cloud, supports
from ligament.errors import ContentError, MissingExtraError
from ligament.physics.shapes import Hull, Mesh

MAX_POINTS = 255
"""Default limit on the points of a hull, as accepted by physics engines."""

FEWEST_POINTS = 4

# The range of coacd's threshold: the largest concavity of a part, relative to the extent.
_LEAST, _MOST = 0.01, 1.0

# Half of coacd's defaults: about as many parts, in a third of the time.
_EFFORT = {"mcts_iterations": 60, "mcts_nodes": 12, "resolution": 1000, "preprocess_resolution": 30}

_FLAT = 1e-4


class Simplified(NamedTuple):
    """A hull, and the largest distance [m] of its surface from the given hull."""

    hull: Hull
    deviation: float


def simplified(hull: Hull, *, max_points: int = MAX_POINTS) -> Simplified:
    """Return a hull of at most `max_points` around the given one.

    The result is the hull of some of the corners, enlarged about its middle until it contains all
    of them. A hull that is flat or has few enough corners is returned unchanged.
    """
    corners = hull.points[hull.surface.corners]
    cloud = Cloud(corners)
    if len(corners) <= max_points or cloud.dimension == 2:
        return Simplified(hull, 0.0)
    larger = fit_hull(cloud, max_points=max_points)
    deviation = gap(upright(larger), cloud.corners, cloud.normals) * cloud.size
    return Simplified(larger.enlarged(cloud.size, cloud.middle), deviation)


def fit_hull(cloud: Cloud, *, max_points: int = MAX_POINTS) -> Hull:
    """Return a hull of at most `max_points` around all points of a cloud that is not flat."""
    if max_points < FEWEST_POINTS:
        raise refused("the number of points of a hull", max_points, "allow four or more")
    if len(cloud.corners) <= max_points:
        return _grown(cloud, cloud.hull)
    return _grown(cloud, Hull(_selected(cloud.corners, max_points)))


def _selected(corners: Floats, count: int) -> Floats:
    """Choose corners (count, 3): repeatedly those that protrude most from the others' hull.

    Protrusion is measured from a point inside, about which the hull is enlarged later.
    """
    chosen = _simplex(corners)
    seen = corners - corners[chosen].mean(axis=0)
    while len(chosen) < count:
        normals, offsets = _planes(Hull(seen[chosen]))
        found, reach = supports(seen, normals)
        order = np.argsort(-reach / offsets, kind="stable")
        order = order[reach[order] > offsets[order] + NEGLIGIBLE]
        # Only some at a time: neighbours often add the same volume.
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


def _grown(cloud: Cloud, hull: Hull) -> Hull:
    """Enlarge a hull about its middle until no point is outside."""
    middle = hull.points[_simplex(hull.points)].mean(axis=0)
    normals, offsets = _planes(hull.enlarged(1.0, -middle))
    reach = supports(cloud.points - middle, normals)[1]
    if (reach - offsets).max() <= NEGLIGIBLE:
        return hull
    factor = float((reach / offsets).max())
    return hull.enlarged(factor, middle * (1 - factor))


def _planes(hull: Hull) -> tuple[Floats, Floats]:
    """Return unit normals (T, 3) and distances from the origin (T,) of the faces of a hull."""
    a, b, c = (hull.points[hull.triangles[:, i]] for i in range(3))
    normals = np.cross(b - a, c - a)
    size = np.linalg.norm(normals, axis=1)
    normals = normals[size > 0] / size[size > 0, None]
    return normals, (normals * a[size > 0]).sum(axis=1)


def has_coacd() -> bool:
    """Tell whether coacd, which convex decomposition needs, is installed."""
    return importlib.util.find_spec("coacd") is not None


def decompose(surface: Mesh, *, concavity: float) -> list[Floats]:
    """Cut a surface into nearly convex parts, each given as the points (P, 3) of its hull.

    `concavity` is how far a part may be from its hull, relative to the extent. The result is
    deterministic. An open surface counts as a thin shell, which results in many parts and
    takes a minute or more.
    """
    coacd = _package()
    coacd.set_log_level("error")
    parts = coacd.run_coacd(
        coacd.Mesh(surface.points, surface.triangles.astype(np.int32)),
        threshold=min(max(concavity, _LEAST), _MOST),
        seed=0,
        **_EFFORT,
    )
    places = [np.asarray(points, np.float64) for points, _ in parts]
    extent = float(np.ptp(surface.points, axis=0).max())
    solid = [points for points in places if _is_solid(points, extent)]
    if not solid:
        raise ContentError(
            "no part of the surface encloses a volume", remedy="fit a hull or a mesh"
        )
    return solid


def _is_solid(points: Floats, extent: float) -> bool:
    """Tell whether a part is more than a sliver left by cutting."""
    if len(points) < 4:
        return False
    sizes = np.linalg.svd(points - points.mean(axis=0), compute_uv=False) / len(points) ** 0.5
    return bool(sizes[2] > _FLAT * extent)


def _package() -> Any:
    try:
        return importlib.import_module("coacd")
    except ImportError as fault:
        raise MissingExtraError(
            f"decomposing a surface needs the package coacd ({fault})",
            remedy="pip install 'ligament[decompose]'",
        ) from fault
