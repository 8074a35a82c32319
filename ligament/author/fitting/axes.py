"""Axes that a round solid may have, and points as they look about an axis."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.author.fitting.balls import enclosing_ball
from ligament.author.fitting.circles import circle_centers
from ligament.author.fitting.cloud import Cloud, directions
from ligament.author.fitting.zoom import across

FACETS = 8
EDGES = 4
SPREAD = 24


class View(NamedTuple):
    """Points about an axis (3,) through `center` (3,): `along` (P,) and `off` (P,) the axis.

    Seen along the axis, the centre is that of the smallest circle around all points. All members
    may be those of several axes (B, …).
    """

    axis: Floats
    center: Floats
    along: Floats
    off: Floats


def seen_about(points: Floats, axes: Floats) -> View:
    """Look at points (P, 3) about several axes (B, 3)."""
    sides = across(axes)
    flat = np.einsum("pi,bki->bpk", points, sides)
    middle = circle_centers(flat)
    off = np.hypot(*np.moveaxis(flat - middle[:, None], 2, 0))
    return View(axes, np.einsum("bk,bki->bi", middle, sides), axes @ points.T, off)


def all_seen_about(points: Floats, axis: Floats) -> View:
    """Look at very many points (P, 3) about one axis (3,)."""
    (sides,) = across(axis[None])
    flat = points @ sides.T
    middle, _ = enclosing_ball(flat)
    return View(axis, middle @ sides, points @ axis, np.hypot(*(flat - middle).T))


def candidate_axes(cloud: Cloud, frame: Floats) -> Floats:
    """Return directions (A, 3) of which one is often that of a round solid.

    The ends of a cylinder are its largest faces; the sides of a prism face away from its axis;
    edges run along it; and what turns about an axis has principal axes of inertia there. `frame`
    (3, 3) are the axes of the smallest box. Some more are spread evenly.
    """
    spread = cloud.normals.T * cloud.areas @ cloud.normals
    found = np.concatenate(
        [
            np.linalg.eigh(spread)[1].T,
            np.linalg.eigh(_second_moments(cloud))[1].T,
            frame,
            cloud.facets[:FACETS],
            cloud.longest_edges(EDGES),
            directions(2 * SPREAD)[:SPREAD],
        ]
    )
    alike = np.abs(found @ found.T) > 1 - 1e-12
    return np.asarray(found[~np.tril(alike, -1).any(axis=1)])


def _second_moments(cloud: Cloud) -> Floats:
    """Return the second moments (3, 3) of the volume of the hull about its centre."""
    corners = cloud.corners[cloud.triangles]
    volumes = tf.determinant(corners) / 6
    sums = corners.sum(axis=1)
    center = volumes @ sums / (4 * volumes.sum())
    moments = np.einsum("t,tci,tcj->ij", volumes, corners, corners)
    moments += np.einsum("t,ti,tj->ij", volumes, sums, sums)
    return np.asarray(moments / 20 - volumes.sum() * np.outer(center, center))
