"""Smallest capsules, cylinders and cones around points.

All are found in the same way: for every candidate axis, the points are reduced to their
coordinate along the axis and their distance from it, which leaves a problem in two dimensions.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.author.fitting.enclosing_balls import circle_centers, enclosing_ball
from ligament.author.fitting.minimization import across, lowest, lowest_direction
from ligament.author.fitting.placed_shapes import Placed, along
from ligament.author.fitting.point_cloud import Cloud, directions
from ligament.physics.shapes import Capsule, Cylinder

FACETS = 8
EDGES = 4
SPREAD = 24

SHORTEST = 1e-5
"""Least height of a capsule, relative to its radius: files have no capsule of height 0."""

EQUAL_RADII = 1e-6
"""Radii that differ by less than this, relative to the larger one, are equal."""

_PASSES = 20


class View(NamedTuple):
    """Points in cylindrical coordinates: `along` (P,) an axis (3,), and `off` (P,) from it.

    The axis goes through `center` (3,), the centre of the smallest circle around the points
    projected along it. All members may have a leading dimension (B, …) for several axes.
    """

    axis: Floats
    center: Floats
    along: Floats
    off: Floats


def seen_about(points: Floats, axes: Floats) -> View:
    """Return the views of points (P, 3) about several axes (B, 3)."""
    sides = across(axes)
    flat = np.einsum("pi,bki->bpk", points, sides)
    middle = circle_centers(flat)
    off = np.hypot(*np.moveaxis(flat - middle[:, None], 2, 0))
    return View(axes, np.einsum("bk,bki->bi", middle, sides), axes @ points.T, off)


def all_seen_about(points: Floats, axis: Floats) -> View:
    """Return the view of very many points (P, 3) about one axis (3,)."""
    (sides,) = across(axis[None])
    flat = points @ sides.T
    middle, _ = enclosing_ball(flat)
    return View(axis, middle @ sides, points @ axis, np.hypot(*(flat - middle).T))


def candidate_axes(cloud: Cloud, frame: Floats) -> Floats:
    """Return candidate axes (A, 3) for a solid of revolution.

    The ends of a cylinder are its largest faces; the sides of a prism face away from its axis;
    edges run along it; and it is a principal axis of inertia. `frame` (3, 3) holds the axes of the
    smallest box. More candidates are spread evenly.
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


def fit_capsule(cloud: Cloud, axes: Floats, *, cutoff: float = math.inf) -> Placed:
    """Return a small capsule with two equal radii around all points."""

    def volume(some: Floats) -> Floats:
        view = seen_about(cloud.outermost, some)
        return _capsule_volume(view, _capsule_radius(view)[:, None])[:, 0]

    axis = lowest_direction(volume, axes, cutoff=cutoff)
    needed = float(_capsule_radius(seen_about(cloud.corners, axis[None]))[0])
    view = all_seen_about(cloud.points, axis)
    radius = max(needed, float(view.off.max()))
    low, high = _ball_centers(view, np.array([radius]))
    center = view.center + (low + high) / 2 * axis
    height = max(SHORTEST * radius, float(high[0] - low[0]))
    return Placed(Capsule(height, radius, radius), center, along(axis))


def _capsule_radius(view: View) -> Floats:
    """Return the best radii (B,): a wider capsule may be shorter around blunt ends."""
    least = view.off.max(axis=1)
    most = np.maximum(least, np.ptp(view.along, axis=1))
    return lowest(lambda radius: _capsule_volume(view, radius), least, most)


def _capsule_volume(view: View, radius: Floats) -> Floats:
    """Return the volumes (B, R) of the capsules of given radii (B, R) around the points."""
    low, high = _ball_centers(view, radius)
    return np.asarray(math.pi * radius**2 * (np.maximum(0.0, high - low) + 4 / 3 * radius))


def _ball_centers(view: View, radius: Floats) -> tuple[Floats, Floats]:
    """Return the centres, along the axis, of the end balls of the shortest capsule, each (…, R).

    If the lower one is above the upper, a single ball anywhere between them encloses all points.
    """
    off, along_axis = view.off[..., None, :], view.along[..., None, :]
    half = np.sqrt(np.maximum(0.0, radius[..., None] ** 2 - off**2))
    return (along_axis + half).min(axis=-1), (along_axis - half).max(axis=-1)


def fit_cylinder(cloud: Cloud, axes: Floats, *, cutoff: float = math.inf) -> Placed:
    """Return a small cylinder with two equal ends around all points."""

    def volume(some: Floats) -> Floats:
        view = seen_about(cloud.outermost, some)
        return np.asarray(math.pi * np.ptp(view.along, axis=1) * view.off.max(axis=1) ** 2)

    axis = lowest_direction(volume, axes, cutoff=cutoff)
    view = all_seen_about(cloud.points, axis)
    radius = float(view.off.max())
    return _frustum(view, radius, radius)


def fit_tapered(cloud: Cloud, axes: Floats, *, cutoff: float = math.inf) -> Placed:
    """Return a small frustum or cone around all points."""

    def volume(some: Floats) -> Floats:
        view = seen_about(cloud.outermost, some)
        size = _frustum_factor(*_end_radii(*_profile(view)))
        return np.asarray(math.pi / 3 * np.ptp(view.along, axis=1) * size)

    axis = lowest_direction(volume, axes, cutoff=cutoff)
    view = all_seen_about(cloud.points, axis)
    bottom, top = _snapped(*_end_radii_of_many(*_profile(view)))
    return _frustum(view, bottom, top)


def _frustum(view: View, bottom: float, top: float) -> Placed:
    low, high = float(view.along.min()), float(view.along.max())
    center = view.center + (low + high) / 2 * view.axis
    return Placed(Cylinder(high - low, bottom, top), center, along(view.axis))


def _profile(view: View) -> tuple[Floats, Floats]:
    """Return the heights of points, from 0 to 1, and their distances from the axis."""
    low, high = (view.along.min(axis=-1), view.along.max(axis=-1))
    return (view.along - low[..., None]) / (high - low)[..., None], view.off


def _frustum_factor(bottom: Floats, top: Floats) -> Floats:
    return np.asarray(bottom**2 + bottom * top + top**2)


def _end_radii(height: Floats, off: Floats) -> tuple[Floats, Floats]:
    """Return the radii at heights 0 and 1 of the smallest enclosing frustum.

    Heights and distances from the axis are (B, P), the radii (B,). The volume is a convex function
    of the lower radius, given the least upper one for it.
    """
    is_low, is_high = height < EQUAL_RADII, height > 1 - EQUAL_RADII
    above, below = np.where(is_low, 1.0, height), np.where(is_high, 1.0, 1 - height)
    wide = np.where(is_low, 0.0, off)[:, None]

    def top_for(bottom: Floats) -> Floats:
        needed = (wide - bottom[..., None] * (1 - above)[:, None]) / above[:, None]
        return np.asarray(np.maximum(0.0, needed.max(axis=2)))

    least = np.where(is_low, off, 0.0).max(axis=1)
    most = np.maximum(off.max(axis=1), np.where(is_high, 0.0, off / below).max(axis=1))
    bottom = lowest(
        lambda radii: _frustum_factor(radii, top_for(radii)), least, np.maximum(least, most)
    )
    return bottom, top_for(bottom[:, None])[:, 0]


def _end_radii_of_many(height: Floats, off: Floats) -> tuple[float, float]:
    """Do the same for very many points (P,): start with a few, and add those left outside."""
    some = np.unique([int(np.argmin(height)), int(np.argmax(height)), int(np.argmax(off))])
    for _ in range(_PASSES):
        ends = _end_radii(height[None, some], off[None, some])
        bottom, top = float(ends[0][0]), float(ends[1][0])
        excess = off - (bottom + (top - bottom) * height)
        worst = int(np.argmax(excess))
        if excess[worst] <= EQUAL_RADII**2 or worst in some:
            break
        some = np.append(some, worst)
    outside = max(0.0, float(excess.max()))
    return bottom + outside, top + outside


def _snapped(bottom: float, top: float) -> tuple[float, float]:
    """Make radii equal, or one of them 0, where they differ from that only by rounding."""
    large = max(bottom, top)
    if abs(bottom - top) <= EQUAL_RADII * large:
        return large, large
    return (bottom if bottom > EQUAL_RADII * large else 0.0), (
        top if top > EQUAL_RADII * large else 0.0
    )
