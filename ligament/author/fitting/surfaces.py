"""Surfaces to fit shapes to: checked, and how much of their hull they fill."""

from __future__ import annotations

from typing import Any

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Ints
from ligament.author.fitting.cloud import Cloud, checked_points
from ligament.errors import ContentError
from ligament.physics.shapes import Mesh, has_area, welded


def checked_surface(points: Any, triangles: Any) -> Mesh:
    """Return a surface without points that no triangle uses; ContentError for what is none."""
    places = checked_points(points)
    corners = _whole_numbers(triangles)
    if corners.min() < 0 or corners.max() >= len(places):
        raise ContentError(
            f"triangles of points {corners.min()} to {corners.max()}",
            remedy=f"they must be among the {len(places)} points",
        )
    if not has_area(places, corners).any():
        raise ContentError("no triangle has an area", remedy="give triangles with an area")
    return Mesh(*welded(places, corners))


def _whole_numbers(triangles: Any) -> Ints:
    try:
        corners = np.asarray(triangles)
    except ValueError:
        corners = np.empty(0)
    if not corners.size:
        raise ContentError("there are no triangles", remedy="give some, or None for points alone")
    if corners.ndim != 2 or corners.shape[1] != 3 or corners.dtype.kind not in "iu":
        raise ContentError(
            f"triangles of shape {corners.shape} and type {corners.dtype}",
            remedy="give an array (T, 3) of whole numbers",
        )
    return corners.astype(np.int64)


def hollowness(cloud: Cloud, surface: Mesh) -> float | None:
    """Return the part of the hull that a surface does not fill; None for one that is not closed."""
    if not _is_closed(surface.triangles):
        return None
    corners = (surface.points[surface.triangles] - cloud.middle) / cloud.size
    return max(0.0, 1 - abs(float(tf.determinant(corners).sum() / 6)) / cloud.volume)


def _is_closed(triangles: Ints) -> bool:
    """Tell whether every edge is used as often in one direction as in the other."""
    a, b = triangles.ravel(), np.roll(triangles, -1, axis=1).ravel()
    count = int(triangles.max()) + 1
    return np.array_equal(np.sort(a * count + b), np.sort(b * count + a))
