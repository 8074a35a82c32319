"""Smallest circles around points in the plane: many at a time, exactly."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ligament.arrays import Floats

_ROUNDING = 1e-12
_MOST_STEPS = 60

# The newest point and one or two of three others: which these are, and whether there are two.
_FIRST, _SECOND = np.array([0, 1, 2, 0, 1, 2]), np.array([0, 1, 2, 1, 2, 0])


class _Circles(NamedTuple):
    """Circles through some of three points each (B, 3, 2): centres (B, 2) and squared radii."""

    support: Floats
    center: Floats
    squared: Floats


def circle_centers(points: Floats) -> Floats:
    """Return the centres (B, 2) of the smallest circles around each of several sets (B, P, 2).

    The farthest point outside the circle of some is added to them until none is outside, as
    `enclosing_ball` does it; all sets take each step together.
    """
    rows = np.arange(len(points))
    first = points[rows, _squares(points, points.mean(axis=1)).argmax(axis=1)]
    circles = _Circles(np.repeat(first[:, None], 3, axis=1), first, np.zeros(len(points)))
    is_open = np.ones(len(points), bool)
    for _ in range(_MOST_STEPS):
        distances = _squares(points, circles.center)
        farthest = distances.argmax(axis=1)
        is_open &= distances[rows, farthest] > circles.squared * (1 + _ROUNDING)
        if not is_open.any():
            break
        larger = _through(points[rows, farthest], circles.support)
        is_open &= np.isfinite(larger.squared) & (larger.squared > circles.squared)
        circles = _Circles(
            *(
                np.where(is_open.reshape(-1, *[1] * (new.ndim - 1)), new, old)
                for new, old in zip(larger, circles, strict=True)
            )
        )
    return circles.center


def _squares(points: Floats, center: Floats) -> Floats:
    x, y = (points[..., i] - center[..., None, i] for i in range(2))
    return np.asarray(x**2 + y**2)


def _through(newest: Floats, support: Floats) -> _Circles:
    """Return the smallest circles around a point (B, 2) and three others, through the point."""
    offsets = support - newest[:, None]
    first, second = offsets[:, _FIRST], offsets[:, _SECOND]
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):  # points on one line
        centers = np.where((_FIRST == _SECOND)[:, None], first / 2, _circumcenters(first, second))
        squared = (centers**2).sum(axis=2)
        away = _squares(offsets[:, None], centers).max(axis=2)
    squared = np.where(away <= squared * (1 + 1e-10), squared, np.inf)
    rows, best = np.arange(len(newest)), squared.argmin(axis=1)
    chosen = [newest, support[rows, _FIRST[best]], support[rows, _SECOND[best]]]
    return _Circles(np.stack(chosen, axis=1), newest + centers[rows, best], squared[rows, best])


def _circumcenters(a: Floats, b: Floats) -> Floats:
    """Return the centres of circles through the origin and two points; not finite on a line."""
    doubled = 2 * (a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])
    aa, bb = (a**2).sum(axis=-1), (b**2).sum(axis=-1)
    x, y = b[..., 1] * aa - a[..., 1] * bb, a[..., 0] * bb - b[..., 0] * aa
    return np.asarray(np.stack([x, y], axis=-1) / doubled[..., None])
