"""Exact smallest enclosing balls of points, and smallest circles of many point sets at a time."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from ligament.arrays import Floats

Row = Sequence[float]

_ROUNDING = 1e-12
_MOST_BALL_STEPS = 200
_MOST_CIRCLE_STEPS = 60

# The newest point is combined with one (first == second) or two of three others.
_FIRST, _SECOND = np.array([0, 1, 2, 0, 1, 2]), np.array([0, 1, 2, 1, 2, 0])


class _Ball(NamedTuple):
    """A ball through some points, by index."""

    chosen: list[int]
    center: list[float]
    squared: float


def enclosing_ball(points: Floats) -> tuple[Floats, float]:
    """Return centre (D,) and radius of the smallest ball around points (P, D).

    At most D + 1 points support it. Starting from a few points, the point farthest outside their
    ball is added until none is outside: no smaller ball encloses even these few. Every
    step enlarges the ball; about ten are needed, each linear in the number of points.
    """
    columns = np.ascontiguousarray(points.T)
    first = int(np.argmax(_squares(columns, columns.mean(axis=1))))
    ball = _Ball([first], points[first].tolist(), 0.0)
    for _ in range(_MOST_BALL_STEPS):
        distances = _squares(columns, ball.center)
        farthest = int(np.argmax(distances))
        if distances[farthest] <= ball.squared * (1 + _ROUNDING) or farthest in ball.chosen:
            break
        ball = _ball_through(points, [*ball.chosen, farthest])
    return np.array(ball.center), float(np.sqrt(_squares(columns, ball.center).max()))


def _squares(columns: Floats, center: Row | Floats) -> Floats:
    """Return squared distances (P,) of points, given by coordinate (D, P), from a centre."""
    total = (columns[0] - center[0]) ** 2
    for column, middle in zip(columns[1:], center[1:], strict=True):
        total += (column - middle) ** 2
    return np.asarray(total)


def _ball_through(points: Floats, indices: list[int]) -> _Ball:
    """Return the smallest ball around at most D + 2 points, which touches the last one."""
    places = points[indices].tolist()
    newest, others = places[-1], range(len(indices) - 1)
    best: _Ball | None = None
    for count in range(1, min(len(others), points.shape[1]) + 1):
        for subset in combinations(others, count):
            center = _circumcenter(newest, [places[i] for i in subset])
            if center is None:
                continue
            squared = _square(newest, center)
            if best is not None and squared >= best.squared:
                continue
            if all(_square(place, center) <= squared * (1 + 1e-10) for place in places):
                best = _Ball([*(indices[i] for i in subset), indices[-1]], center, squared)
    if best is not None:
        return best
    center = points[indices].mean(axis=0).tolist()  # points that are collinear by rounding
    return _Ball(indices, center, max(_square(place, center) for place in places))


def _square(a: Row, b: Row) -> float:
    return sum((x - y) ** 2 for x, y in zip(a, b, strict=True))


def _circumcenter(origin: Row, others: list[list[float]]) -> list[float] | None:
    """Return the point in the affine span of the points that is equidistant from all."""
    offsets = [[x - y for x, y in zip(other, origin, strict=True)] for other in others]
    gram = [[sum(x * y for x, y in zip(a, b, strict=True)) for b in offsets] for a in offsets]
    weights = _solved(gram, [gram[i][i] / 2 for i in range(len(gram))])
    if weights is None:
        return None
    axes = range(len(origin))
    return [
        origin[k] + sum(w * offset[k] for w, offset in zip(weights, offsets, strict=True))
        for k in axes
    ]


def _solved(matrix: list[list[float]], values: list[float]) -> list[float] | None:
    """Solve up to three equations; return None if the matrix is not positive definite.

    This is plain Python: for so few numbers, an array library takes ten times as long.
    """
    rows = [[*row, value] for row, value in zip(matrix, values, strict=True)]
    count = len(rows)
    for i in range(count):
        pivot = rows[i][i]
        if not pivot > 1e-14 * matrix[i][i]:
            return None
        for j in range(i + 1, count):
            factor = rows[j][i] / pivot
            rows[j] = [a - factor * b for a, b in zip(rows[j], rows[i], strict=True)]
    result = [0.0] * count
    for i in reversed(range(count)):
        known = sum(rows[i][j] * result[j] for j in range(i + 1, count))
        result[i] = (rows[i][count] - known) / rows[i][i]
    return result


class _Circles(NamedTuple):
    """Circles through up to three points each (B, 3, 2): centres (B, 2) and squared radii."""

    support: Floats
    center: Floats
    squared: Floats


def circle_centers(points: Floats) -> Floats:
    """Return the centres (B, 2) of the smallest circles around each of several sets (B, P, 2).

    The algorithm is the same as in `enclosing_ball`; each step handles all sets together.
    """
    rows = np.arange(len(points))
    first = points[rows, _plane_squares(points, points.mean(axis=1)).argmax(axis=1)]
    circles = _Circles(np.repeat(first[:, None], 3, axis=1), first, np.zeros(len(points)))
    is_open = np.ones(len(points), bool)
    for _ in range(_MOST_CIRCLE_STEPS):
        distances = _plane_squares(points, circles.center)
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


def _plane_squares(points: Floats, center: Floats) -> Floats:
    x, y = (points[..., i] - center[..., None, i] for i in range(2))
    return np.asarray(x**2 + y**2)


def _through(newest: Floats, support: Floats) -> _Circles:
    """Return the smallest circles around a point (B, 2) and three others, through the point."""
    offsets = support - newest[:, None]
    first, second = offsets[:, _FIRST], offsets[:, _SECOND]
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):  # collinear points
        centers = np.where((_FIRST == _SECOND)[:, None], first / 2, _circumcenters(first, second))
        squared = (centers**2).sum(axis=2)
        away = _plane_squares(offsets[:, None], centers).max(axis=2)
    squared = np.where(away <= squared * (1 + 1e-10), squared, np.inf)
    rows, best = np.arange(len(newest)), squared.argmin(axis=1)
    chosen = [newest, support[rows, _FIRST[best]], support[rows, _SECOND[best]]]
    return _Circles(np.stack(chosen, axis=1), newest + centers[rows, best], squared[rows, best])


def _circumcenters(a: Floats, b: Floats) -> Floats:
    """Return the centres of circles through the origin and two points; non-finite on a line."""
    doubled = 2 * (a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])
    aa, bb = (a**2).sum(axis=-1), (b**2).sum(axis=-1)
    x, y = b[..., 1] * aa - a[..., 1] * bb, a[..., 0] * bb - b[..., 0] * aa
    return np.asarray(np.stack([x, y], axis=-1) / doubled[..., None])
