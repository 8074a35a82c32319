"""The smallest box around points, turned as it likes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ligament import transforms as tf
from ligament.author.fitting.cloud import Cloud
from ligament.author.fitting.placed import Placed
from ligament.physics.shapes import Box

Floats = npt.NDArray[np.float64]

FACES = 96
EDGES = 24
SEEDS = 6


class Frame(NamedTuple):
    """Three axes (3, 3), one a row, and the volume of the box along them."""

    volume: float
    axes: Floats


def fit_box(cloud: Cloud) -> Placed:
    """Return a small box around all points.

    Of all boxes that lie flush with one of the largest faces of the hull, or between two of its
    longest edges, the best ones are improved: each axis in turn stays, and the two others become
    those of the smallest rectangle across it. That finds the smallest box wherever one of its
    faces is flush with a face of the hull, and nearly so otherwise.
    """
    return around(cloud.points, smallest_frame(cloud).axes)


def smallest_frame(cloud: Cloud) -> Frame:
    """Return the axes of the smallest box that was found."""
    frames = [_across(cloud, normal) for normal in _normals(cloud)]
    frames.append(_measured(cloud.corners, np.eye(3)))
    seeds = sorted(frames, key=lambda frame: frame.volume)[:SEEDS]
    return min((_improved(cloud, seed) for seed in seeds), key=lambda frame: frame.volume)


def around(points: Floats, axes: Floats) -> Placed:
    """Return the box around points (P, 3) along right-handed axes (3, 3)."""
    seen = points @ axes.T
    low, high = seen.min(axis=0), seen.max(axis=0)
    width, height, depth = (high - low).tolist()
    rotation = np.asarray(tf.from_matrix(axes.T))
    return Placed(Box((width, height, depth)), (low + high) / 2 @ axes, rotation)


def _normals(cloud: Cloud) -> Floats:
    """Return directions (N, 3) that a face of the smallest box may have."""
    direction = cloud.edges.direction
    longest = direction[np.argsort(-(direction**2).sum(axis=1), kind="stable")[:EDGES]]
    longest = longest / np.linalg.norm(longest, axis=1)[:, None]
    i, j = np.triu_indices(len(longest), 1)
    between = np.cross(longest[i], longest[j])
    size = np.linalg.norm(between, axis=1)
    between = between[size > 1e-3] / size[size > 1e-3][:, None]
    return np.concatenate([cloud.facets[:FACES], between])


def _across(cloud: Cloud, normal: Floats) -> Frame:
    """Return the smallest box with a face of that normal: one side is flush with an edge.

    Only edges of the outline, where the surface turns from one side to the other, count.
    """
    facing = cloud.normals @ normal
    one, other = facing[cloud.edges.faces].T
    tiny = 1e-6
    is_outline = ((one > -tiny) & (other < tiny)) | ((one < tiny) & (other > -tiny))
    sides = cloud.edges.direction[is_outline]
    sides = sides - (sides @ normal)[:, None] * normal
    size = np.linalg.norm(sides, axis=1)
    sides = (
        sides[size > tiny * size.max(initial=0.0)] / size[size > tiny * size.max(initial=0.0), None]
    )
    if not len(sides):
        return Frame(np.inf, np.eye(3))
    others = np.cross(sides, normal)
    area = np.ptp(sides @ cloud.corners.T, axis=1) * np.ptp(others @ cloud.corners.T, axis=1)
    best = int(area.argmin())
    axes = np.stack([sides[best], normal, np.cross(sides[best], normal)])
    return Frame(float(area[best] * np.ptp(cloud.corners @ normal)), axes)


def _measured(points: Floats, axes: Floats) -> Frame:
    return Frame(float(np.ptp(points @ axes.T, axis=0).prod()), axes)


def _improved(cloud: Cloud, frame: Frame) -> Frame:
    while True:
        tried = [_across(cloud, axis) for axis in frame.axes]
        best = min(tried, key=lambda other: other.volume)
        if best.volume >= frame.volume * (1 - 1e-9):
            return frame
        frame = best
