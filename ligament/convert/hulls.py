"""Convex hulls as closed meshes."""

from __future__ import annotations

import numpy as np

from ligament.arrays import Floats, Ints
from ligament.physics.hulls import ConvexHull, convex_hull
from ligament.physics.mass import SHEET
from ligament.physics.shapes import welded


def solid_hull(points: Floats, hull: ConvexHull | None = None) -> tuple[Floats, Ints]:
    """Return the corners (P, 3) [m] and triangles (T, 3) of the convex hull of points.

    A flat hull gets the thickness of a sheet.
    """
    hull = convex_hull(points) if hull is None else hull
    if hull.dimension == 2:
        a, b, c = points[hull.triangles[0]]
        normal = np.cross(b - a, c - a)
        normal *= SHEET / 2 / np.linalg.norm(normal)
        points = np.concatenate([points[hull.corners] + normal, points[hull.corners] - normal])
        hull = convex_hull(points)
    return welded(points, hull.triangles)
