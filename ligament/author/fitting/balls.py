"""The smallest ball (or circle) around points, exactly."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from ligament.arrays import Floats

Row = Sequence[float]

_ROUNDING = 1e-12
_MOST_STEPS = 200


class _Few(NamedTuple):
    """A ball that some points, by index, lie on."""

    chosen: list[int]
    center: list[float]
    squared: float


def enclosing_ball(points: Floats) -> tuple[Floats, float]:
    """Return centre (D,) and radius of the smallest ball around points (P, D).

    It is that of at most D + 1 points. The farthest point outside the ball of some is added to
    them until none is outside: then no smaller ball holds even these few, and this one holds all.
    Every step enlarges the ball, and about ten are needed, each linear in the number of points.
    """
    columns = np.ascontiguousarray(points.T)
    first = int(np.argmax(_squares(columns, columns.mean(axis=1))))
    ball = _Few([first], points[first].tolist(), 0.0)
    for _ in range(_MOST_STEPS):
        distances = _squares(columns, ball.center)
        farthest = int(np.argmax(distances))
        if distances[farthest] <= ball.squared * (1 + _ROUNDING) or farthest in ball.chosen:
            break
        ball = _ball_of_few(points, [*ball.chosen, farthest])
    return np.array(ball.center), float(np.sqrt(_squares(columns, ball.center).max()))


def _squares(columns: Floats, center: Row | Floats) -> Floats:
    """Return squared distances (P,) of points, given by coordinate (D, P), from a centre."""
    total = (columns[0] - center[0]) ** 2
    for column, middle in zip(columns[1:], center[1:], strict=True):
        total += (column - middle) ** 2
    return np.asarray(total)


def _ball_of_few(points: Floats, few: list[int]) -> _Few:
    """Return the smallest ball around at most D + 2 points, which touches the last one."""
    places = points[few].tolist()
    newest, others = places[-1], range(len(few) - 1)
    best: _Few | None = None
    for count in range(1, min(len(others), points.shape[1]) + 1):
        for subset in combinations(others, count):
            center = _circumcenter(newest, [places[i] for i in subset])
            if center is None:
                continue
            squared = _square(newest, center)
            if best is not None and squared >= best.squared:
                continue
            if all(_square(place, center) <= squared * (1 + 1e-10) for place in places):
                best = _Few([*(few[i] for i in subset), few[-1]], center, squared)
    if best is not None:
        return best
    center = points[few].mean(axis=0).tolist()  # points that rounding puts on one line
    return _Few(few, center, max(_square(place, center) for place in places))


def _square(a: Row, b: Row) -> float:
    return sum((x - y) ** 2 for x, y in zip(a, b, strict=True))


def _circumcenter(origin: Row, others: list[list[float]]) -> list[float] | None:
    """Return the point in the span of all that is equally far from all of them."""
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
    """Solve up to three equations with a positive definite matrix; None where it is not.

    In plain Python: for so few numbers the calls of an array library take ten times as long.
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
