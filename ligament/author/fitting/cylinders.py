"""The smallest cylinder, cone or frustum around points."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from ligament.author.fitting.axes import View, seen_about
from ligament.author.fitting.cloud import Cloud
from ligament.author.fitting.placed import Placed, along
from ligament.author.fitting.zoom import lowest, lowest_direction
from ligament.physics.shapes import Cylinder

Floats = npt.NDArray[np.float64]

ALIKE = 1e-6
"""Of the larger radius: a difference that is rounding."""

_PASSES = 20


def fit_cylinder(cloud: Cloud, axes: Floats, *, hopeless: float = math.inf) -> Placed:
    """Return a small cylinder with two equal ends around all points."""

    def volume(axis: Floats) -> float:
        view = seen_about(cloud.corners, axis)
        return float(math.pi * np.ptp(view.along) * view.off.max() ** 2)

    axis = lowest_direction(volume, axes, hopeless=hopeless)
    view = seen_about(cloud.points, axis)
    radius = float(view.off.max())
    return _standing(view, radius, radius)


def fit_tapered(cloud: Cloud, axes: Floats, *, hopeless: float = math.inf) -> Placed:
    """Return a small frustum or cone around all points."""

    def volume(axis: Floats) -> float:
        view = seen_about(cloud.corners, axis)
        return math.pi / 3 * float(np.ptp(view.along)) * _size(*_end_radii(*_profile(view)))

    axis = lowest_direction(volume, axes, hopeless=hopeless)
    view = seen_about(cloud.points, axis)
    bottom, top = _tidied(*_end_radii_of_many(*_profile(view)))
    return _standing(view, bottom, top)


def _standing(view: View, bottom: float, top: float) -> Placed:
    low, high = float(view.along.min()), float(view.along.max())
    center = view.center + (low + high) / 2 * view.axis
    return Placed(Cylinder(high - low, bottom, top), center, along(view.axis))


def _profile(view: View) -> tuple[Floats, Floats]:
    """Return how high points are, from 0 to 1, and how far from the axis."""
    low = view.along.min()
    return (view.along - low) / (view.along.max() - low), view.off


def _size(bottom: float, top: float) -> float:
    return bottom**2 + bottom * top + top**2


def _end_radii(height: Floats, off: Floats) -> tuple[float, float]:
    """Return the radii at heights 0 and 1 between which a straight wall encloses most tightly.

    The volume is a convex function of the lower radius, with the least upper one that it allows.
    """
    is_low = height < ALIKE
    rest, wide = height[~is_low], off[~is_low]

    def top_for(bottom: Floats) -> Floats:
        needed = (wide - bottom[:, None] * (1 - rest)) / rest
        return np.asarray(np.maximum(0.0, needed.max(axis=1)))

    def size_for(bottom: Floats) -> Floats:
        top = top_for(bottom)
        return np.asarray(bottom**2 + bottom * top + top**2)

    least = float(off[is_low].max(initial=0.0))
    is_inner = rest < 1 - ALIKE
    most = float((wide[is_inner] / (1 - rest[is_inner])).max(initial=float(off.max())))
    bottom = lowest(size_for, least, max(least, most))
    return bottom, float(top_for(np.array([bottom]))[0])


def _end_radii_of_many(height: Floats, off: Floats) -> tuple[float, float]:
    """Do the same for very many points: for some of them, and those that are left outside."""
    some = np.unique([int(np.argmin(height)), int(np.argmax(height)), int(np.argmax(off))])
    for _ in range(_PASSES):
        bottom, top = _end_radii(height[some], off[some])
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
