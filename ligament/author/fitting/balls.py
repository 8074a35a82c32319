"""The smallest ball (or circle) around points, exactly."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_ROUNDING = 1e-12
_MOST_STEPS = 200


def enclosing_ball(points: Floats) -> tuple[Floats, float]:
    """Return centre (D,) and radius of the smallest ball around points (P, D).

    It is that of at most D + 1 points. The farthest point outside the ball of some is added to
    them until none is outside: then no smaller ball holds even these few, and this one holds all.
    Every step enlarges the ball, and about ten are needed, each linear in the number of points.
    """
    chosen = [int(np.argmax(((points - points.mean(axis=0)) ** 2).sum(axis=1)))]
    center, squared = points[chosen[0]], 0.0
    for _ in range(_MOST_STEPS):
        distances = ((points - center) ** 2).sum(axis=1)
        farthest = int(np.argmax(distances))
        if distances[farthest] <= squared * (1 + _ROUNDING) or farthest in chosen:
            break
        chosen, center, squared = _ball_of_few(points, [*chosen, farthest])
    return center, float(np.sqrt(((points - center) ** 2).sum(axis=1).max()))


def _ball_of_few(points: Floats, few: list[int]) -> tuple[list[int], Floats, float]:
    """Return the smallest ball around at most D + 2 points, which touches the last one."""
    newest, others = few[-1], few[:-1]
    places = points[few]
    best: tuple[list[int], Floats, float] | None = None
    for count in range(1, min(len(others), points.shape[1]) + 1):
        for subset in combinations(others, count):
            center = _circumcenter(points[newest], points[list(subset)])
            if center is None:
                continue
            squared = float(((points[newest] - center) ** 2).sum())
            if best is not None and squared >= best[2]:
                continue
            if ((places - center) ** 2).sum(axis=1).max() <= squared * (1 + 1e-10):
                best = [*subset, newest], center, squared
    if best is None:  # points that rounding puts in one place or on one line
        center = places.mean(axis=0)
        return few, center, float(((places - center) ** 2).sum(axis=1).max())
    return best


def _circumcenter(origin: Floats, others: Floats) -> Floats | None:
    """Return the point in the span of all that is equally far from all of them."""
    offsets = others - origin
    gram = offsets @ offsets.T
    try:
        weights = np.linalg.solve(2 * gram, np.diagonal(gram))
    except np.linalg.LinAlgError:
        return None
    return origin + weights @ offsets
