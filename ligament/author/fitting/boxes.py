"""The smallest box around points, in any orientation."""

from __future__ import annotations

from itertools import permutations
from typing import NamedTuple

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.author.fitting.placed_shapes import Placed
from ligament.author.fitting.point_cloud import Cloud
from ligament.physics.shapes import Box

FACES = 96
EDGES = 24
SEEDS = 4

WORTHWHILE = 1e-6
PROMISING = 1.05
"""Boxes are skipped if their lower bound exceeds the smallest volume found by this factor."""

UPRIGHT_BONUS = 1e-4
"""An axis-aligned box is preferred to one that is smaller by less than this fraction."""

_TINY = 1e-6


class Frame(NamedTuple):
    """Right-handed axes (3, 3), one per row, and the volume of the box along them."""

    volume: float
    axes: Floats


def smallest_frame(cloud: Cloud) -> Frame:
    """Return the axes of a small box around the corners of a cloud.

    Of all boxes that lie flush with one of the largest faces of the hull, or between two of its
    longest edges, the best ones are improved: each axis in turn is kept, and the two others become
    those of the smallest rectangle across it. That finds the smallest box wherever one of its
    faces is flush with a face of the hull, and nearly the smallest otherwise.
    """
    upright = Frame(float(np.ptp(cloud.corners, axis=0).prod()), np.eye(3))
    seeds = sorted(_promising(cloud, upright), key=lambda frame: frame.volume)[:SEEDS]
    best = min((_improved(cloud, seed) for seed in seeds), key=lambda frame: frame.volume)
    if upright.volume <= best.volume * (1 + UPRIGHT_BONUS):
        return upright
    return Frame(best.volume, _nearest_to_upright(best.axes))


def fit_box(cloud: Cloud, axes: Floats) -> Placed:
    """Return the box around all points along right-handed axes (3, 3)."""
    seen = cloud.points @ axes.T
    low, high = seen.min(axis=0), seen.max(axis=0)
    width, height, depth = (high - low).tolist()
    rotation = np.asarray(tf.from_matrix(axes.T))
    return Placed(Box((width, height, depth)), (low + high) / 2 @ axes, rotation)


def _normals(cloud: Cloud) -> Floats:
    """Return candidate face normals (N, 3) of the smallest box."""
    longest = cloud.longest_edges(EDGES)
    i, j = np.triu_indices(len(longest), 1)
    between = np.cross(longest[i], longest[j])
    size = np.linalg.norm(between, axis=1)
    between = between[size > 1e-3] / size[size > 1e-3, None]
    return np.concatenate([cloud.facets[:FACES], between])


def _promising(cloud: Cloud, frame: Frame) -> list[Frame]:
    """Return a frame and others that are promising by their lower bound.

    The volume of a box is at least the projected area of the hull along an axis times its extent
    along that axis.
    """
    normals = _normals(cloud)
    shadow = np.abs(normals @ cloud.normals.T) @ cloud.areas / 2
    least = shadow * np.ptp(normals @ cloud.corners.T, axis=1)
    frames, smallest = [frame], frame.volume
    for i in np.argsort(least, kind="stable").tolist():
        if least[i] > smallest * PROMISING:
            break
        frames.append(_across(cloud, normals[i]))
        smallest = min(smallest, frames[-1].volume)
    return frames


def _across(cloud: Cloud, normal: Floats) -> Frame:
    """Return the smallest box with a face of the given normal.

    One of its sides is flush with an edge of the silhouette, on which all extreme corners lie.
    """
    one, other = (cloud.normals @ normal)[cloud.edges.faces]
    at = np.flatnonzero((np.minimum(one, other) < _TINY) & (np.maximum(one, other) > -_TINY))
    sides, outline = cloud.edges.direction[at], cloud.corners[cloud.edges.ends[:, at].ravel()].T
    sides = sides - (sides @ normal)[:, None] * normal
    size = np.sqrt((sides**2).sum(axis=1))
    is_seen = size > _TINY
    if not is_seen.any():
        return Frame(np.inf, np.eye(3))
    sides = sides[is_seen] / size[is_seen, None]
    x, y, z = normal.tolist()
    others = sides @ np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])  # sides × normal
    area = np.ptp(sides @ outline, axis=1) * np.ptp(others @ outline, axis=1)
    best = int(area.argmin())
    axes = np.stack([sides[best], normal, others[best]])
    return Frame(float(area[best] * np.ptp(cloud.corners @ normal)), axes)


def _improved(cloud: Cloud, frame: Frame) -> Frame:
    while True:
        best = min((_across(cloud, axis) for axis in frame.axes), key=lambda tried: tried.volume)
        if best.volume >= frame.volume * (1 - WORTHWHILE):
            return frame
        frame = best


def _nearest_to_upright(axes: Floats) -> Floats:
    """Return the same box with its axes permuted and flipped to be nearest to x, y, z."""
    orders = [list(order) for order in permutations(range(3))]
    best = max((axes[order] for order in orders), key=lambda rows: np.abs(np.diag(rows)).sum())
    signs = np.where(np.diag(best) < 0, -1.0, 1.0)
    flipped: Floats = best * signs[:, None]
    if tf.determinant(flipped) < 0:
        flipped[int(np.argmin(np.diag(flipped)))] *= -1
    return flipped
