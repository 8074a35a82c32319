"""Bounds of limits: cut to what can be reached, and several made one."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable

from ligament.extensions.declarations import Limit


def axes_of(limit: Limit) -> tuple[int, ...]:
    """Return what axes of frame A a limit measures along or about."""
    return limit.linear_axes or limit.angular_axes


def engine_axes(limit: Limit) -> list[int]:
    """Return the axes 0 to 5 that a limit is about."""
    return [*limit.linear_axes, *(3 + axis for axis in limit.angular_axes)]


def within_reach(limit: Limit) -> Limit:
    """Sort the axes, and cut bounds to the values that the metric can take."""
    several = len(axes_of(limit)) > 1
    minimum, maximum = limit.minimum, limit.maximum
    if several:
        minimum, maximum = max(minimum, 0.0), max(maximum, 0.0)
        if limit.angular_axes:
            minimum = min(minimum, math.pi)
            maximum = math.inf if maximum >= math.pi else maximum
    if minimum > maximum:
        minimum = maximum = (minimum + maximum) / 2
    return dataclasses.replace(
        limit,
        linear_axes=tuple(sorted(limit.linear_axes)),
        angular_axes=tuple(sorted(limit.angular_axes)),
        minimum=minimum,
        maximum=maximum,
    )


def intersect(limits: Iterable[Limit]) -> list[Limit]:
    """Make one limit of all that measure the same thing: the bounds that are left."""
    merged: dict[tuple[int, ...], Limit] = {}
    for given in limits:
        limit = within_reach(given)
        key = tuple(engine_axes(limit))
        other = merged.get(key, limit)
        merged[key] = within_reach(
            dataclasses.replace(
                limit,
                minimum=max(limit.minimum, other.minimum),
                maximum=min(limit.maximum, other.maximum),
            )
        )
    return list(merged.values())


def is_endless(limit: Limit) -> bool:
    """Tell whether no value can break the limit."""
    least = 0.0 if len(axes_of(limit)) > 1 else -math.inf
    return limit.minimum <= least and limit.maximum == math.inf


def is_on_circle(limit: Limit) -> bool:
    """Tell whether the angles allowed are less than a turn, so that turns need no counting."""
    return limit.maximum - limit.minimum < 2 * math.pi - 1e-3
