"""The smallest capsule around points."""

from __future__ import annotations

import math

import numpy as np

from ligament.arrays import Floats
from ligament.author.fitting.axes import View, all_seen_about, seen_about
from ligament.author.fitting.cloud import Cloud
from ligament.author.fitting.placed import Placed, along
from ligament.author.fitting.zoom import lowest, lowest_direction
from ligament.physics.shapes import Capsule

SHORTEST = 1e-5
"""Of the radius: files have no capsule of height 0, which would be a ball."""


def fit_capsule(cloud: Cloud, axes: Floats, *, hopeless: float = math.inf) -> Placed:
    """Return a small capsule, both ends of one radius, around all points."""

    def volume(some: Floats) -> Floats:
        view = seen_about(cloud.outermost, some)
        return _size(view, _radius(view)[:, None])[:, 0]

    axis = lowest_direction(volume, axes, hopeless=hopeless)
    needed = float(_radius(seen_about(cloud.corners, axis[None]))[0])
    view = all_seen_about(cloud.points, axis)
    radius = max(needed, float(view.off.max()))
    low, high = _ends(view, np.array([radius]))
    center = view.center + (low + high) / 2 * axis
    height = max(SHORTEST * radius, float(high[0] - low[0]))
    return Placed(Capsule(height, radius, radius), center, along(axis))


def _radius(view: View) -> Floats:
    """Return the best radii (B,): larger ones than needed sideways make blunt ends shorter."""
    least = view.off.max(axis=1)
    most = np.maximum(least, np.ptp(view.along, axis=1))
    return lowest(lambda radius: _size(view, radius), least, most)


def _size(view: View, radius: Floats) -> Floats:
    """Return volumes (B, R) of the capsules of some radii (B, R) around the points."""
    low, high = _ends(view, radius)
    return np.asarray(math.pi * radius**2 * (np.maximum(0.0, high - low) + 4 / 3 * radius))


def _ends(view: View, radius: Floats) -> tuple[Floats, Floats]:
    """Return the centres (…, R) of the lower and upper ball along the axis, as near as may be.

    Where the lower comes out above the upper, one ball anywhere between them holds all points.
    """
    off, along_axis = view.off[..., None, :], view.along[..., None, :]
    half = np.sqrt(np.maximum(0.0, radius[..., None] ** 2 - off**2))
    return (along_axis + half).min(axis=-1), (along_axis - half).max(axis=-1)
