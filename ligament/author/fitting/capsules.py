"""The smallest capsule around points."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from ligament.author.fitting.axes import View, seen_about
from ligament.author.fitting.cloud import Cloud
from ligament.author.fitting.placed import Placed, along
from ligament.author.fitting.zoom import lowest, lowest_direction
from ligament.physics.shapes import Capsule

Floats = npt.NDArray[np.float64]


def fit_capsule(cloud: Cloud, axes: Floats, *, hopeless: float = math.inf) -> Placed:
    """Return a small capsule, both ends of one radius, around all points."""

    def volume(axis: Floats) -> float:
        view = seen_about(cloud.corners, axis)
        return float(_size(view, np.array([_radius(view)]))[0])

    axis = lowest_direction(volume, axes, hopeless=hopeless)
    radius = _radius(seen_about(cloud.corners, axis))
    view = seen_about(cloud.points, axis)
    radius = max(radius, float(view.off.max()))
    low, high = (float(end[0]) for end in _ends(view, np.array([radius])))
    center = view.center + (low + high) / 2 * axis
    return Placed(Capsule(max(0.0, high - low), radius, radius), center, along(axis))


def _radius(view: View) -> float:
    """Return the best radius: a larger one than needed sideways makes blunt ends shorter."""
    least = float(view.off.max())
    most = max(least, float(np.ptp(view.along)))
    return lowest(lambda radius: _size(view, radius), least, most)


def _size(view: View, radius: Floats) -> Floats:
    """Return volumes (R,) of the capsules of some radii (R,) around the points."""
    low, high = _ends(view, radius)
    return np.asarray(math.pi * radius**2 * (np.maximum(0.0, high - low) + 4 / 3 * radius))


def _ends(view: View, radius: Floats) -> tuple[Floats, Floats]:
    """Return the centres (R,) of the lower and upper ball along the axis, as near as they may be.

    Where the lower comes out above the upper, one ball anywhere between them holds all points.
    """
    half = np.sqrt(np.maximum(0.0, radius[:, None] ** 2 - view.off**2))
    return (view.along + half).min(axis=1), (view.along - half).max(axis=1)
