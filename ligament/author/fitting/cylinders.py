"""The smallest cylinder, cone or frustum around points."""

from __future__ import annotations

import math

import numpy as np

from ligament.arrays import Floats
from ligament.author.fitting.axes import View, all_seen_about, seen_about
from ligament.author.fitting.cloud import Cloud
from ligament.author.fitting.placed import Placed, along
from ligament.author.fitting.zoom import lowest, lowest_direction
from ligament.physics.shapes import Cylinder

ALIKE = 1e-6
"""Of the larger radius: a difference that is rounding."""

_PASSES = 20


def fit_cylinder(cloud: Cloud, axes: Floats, *, hopeless: float = math.inf) -> Placed:
    """Return a small cylinder with two equal ends around all points."""

    def volume(some: Floats) -> Floats:
        view = seen_about(cloud.outermost, some)
        return np.asarray(math.pi * np.ptp(view.along, axis=1) * view.off.max(axis=1) ** 2)

    axis = lowest_direction(volume, axes, hopeless=hopeless)
    view = all_seen_about(cloud.points, axis)
    radius = float(view.off.max())
    return _standing(view, radius, radius)


def fit_tapered(cloud: Cloud, axes: Floats, *, hopeless: float = math.inf) -> Placed:
    """Return a small frustum or cone around all points."""

    def volume(some: Floats) -> Floats:
        view = seen_about(cloud.outermost, some)
        size = _size(*_end_radii(*_profile(view)))
        return np.asarray(math.pi / 3 * np.ptp(view.along, axis=1) * size)

    axis = lowest_direction(volume, axes, hopeless=hopeless)
    view = all_seen_about(cloud.points, axis)
    bottom, top = _tidied(*_end_radii_of_many(*_profile(view)))
    return _standing(view, bottom, top)


def _standing(view: View, bottom: float, top: float) -> Placed:
    low, high = float(view.along.min()), float(view.along.max())
    center = view.center + (low + high) / 2 * view.axis
    return Placed(Cylinder(high - low, bottom, top), center, along(view.axis))


def _profile(view: View) -> tuple[Floats, Floats]:
    """Return how high points are, from 0 to 1, and how far from the axis."""
    low, high = (view.along.min(axis=-1), view.along.max(axis=-1))
    return (view.along - low[..., None]) / (high - low)[..., None], view.off


def _size(bottom: Floats, top: Floats) -> Floats:
    return np.asarray(bottom**2 + bottom * top + top**2)


def _end_radii(height: Floats, off: Floats) -> tuple[Floats, Floats]:
    """Return the radii at heights 0 and 1 between which a straight wall encloses most tightly.

    Heights and distances from the axis are (B, P), the radii (B,). The volume is a convex function
    of the lower radius, with the least upper one that it allows.
    """
    is_low, is_high = height < ALIKE, height > 1 - ALIKE
    above, below = np.where(is_low, 1.0, height), np.where(is_high, 1.0, 1 - height)
    wide = np.where(is_low, 0.0, off)[:, None]

    def top_for(bottom: Floats) -> Floats:
        needed = (wide - bottom[..., None] * (1 - above)[:, None]) / above[:, None]
        return np.asarray(np.maximum(0.0, needed.max(axis=2)))

    least = np.where(is_low, off, 0.0).max(axis=1)
    most = np.maximum(off.max(axis=1), np.where(is_high, 0.0, off / below).max(axis=1))
    bottom = lowest(lambda radii: _size(radii, top_for(radii)), least, np.maximum(least, most))
    return bottom, top_for(bottom[:, None])[:, 0]


def _end_radii_of_many(height: Floats, off: Floats) -> tuple[float, float]:
    """Do the same for very many points (P,): for some of them, and those that are left outside."""
    some = np.unique([int(np.argmin(height)), int(np.argmax(height)), int(np.argmax(off))])
    for _ in range(_PASSES):
        ends = _end_radii(height[None, some], off[None, some])
        bottom, top = float(ends[0][0]), float(ends[1][0])
        excess = off - (bottom + (top - bottom) * height)
        worst = int(np.argmax(excess))
        if excess[worst] <= ALIKE**2 or worst in some:
            break
        some = np.append(some, worst)
    outside = max(0.0, float(excess.max()))
    return bottom + outside, top + outside


def _tidied(bottom: float, top: float) -> tuple[float, float]:
    """Make radii equal, or one of them nothing, where only rounding keeps them from it."""
    large = max(bottom, top)
    if abs(bottom - top) <= ALIKE * large:
        return large, large
    return (bottom if bottom > ALIKE * large else 0.0), (top if top > ALIKE * large else 0.0)
