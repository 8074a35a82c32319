"""What the joints of UsdPhysics leave free, as limits."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

from pxr import UsdPhysics

from ligament.convert.usd.reading.stage import Stage, instances
from ligament.extensions.declarations import Limit

AXES = {"X": 0, "Y": 1, "Z": 2}
LINEAR = {"transX": 0, "transY": 1, "transZ": 2}
ANGULAR = {"rotX": 0, "rotY": 1, "rotZ": 2}

_ALL = (0, 1, 2)
_DEGREE = math.pi / 180


def limits(stage: Stage, prim: Any) -> tuple[Limit, ...]:
    """Return the limits of a joint, in metres and radians."""
    found = list(_Freedom(stage, prim).limits())
    if not prim.IsA(UsdPhysics.FixedJoint):
        found += _api_limits(stage, prim, found)
    return tuple(_locked_together(found))


def axis_of(stage: Stage, prim: Any) -> int:
    """Return the axis that a joint names."""
    return AXES[stage.attributes.token(prim, "physics:axis", "X", tuple(AXES))]


class _Freedom:
    """Reads the limits that the type of a joint says."""

    def __init__(self, stage: Stage, prim: Any) -> None:
        self.stage, self.prim = stage, prim

    def limits(self) -> Iterator[Limit]:
        prim = self.prim
        if prim.IsA(UsdPhysics.FixedJoint):
            yield from (_lock(linear=_ALL), _lock(angular=_ALL))
        elif prim.IsA(UsdPhysics.RevoluteJoint):
            axis = axis_of(self.stage, prim)
            yield from (_lock(linear=_ALL), _lock(angular=_others(axis)))
            yield from _bounded(*self._range(_DEGREE), angular=(axis,))
        elif prim.IsA(UsdPhysics.PrismaticJoint):
            axis = axis_of(self.stage, prim)
            yield from (_lock(linear=_others(axis)), _lock(angular=_ALL))
            yield from _bounded(*self._range(self.stage.units.length), linear=(axis,))
        elif prim.IsA(UsdPhysics.SphericalJoint):
            yield _lock(linear=_ALL)
            yield from self._cone()
        elif prim.IsA(UsdPhysics.DistanceJoint):
            yield from self._distance()

    def _range(self, unit: float) -> tuple[float, float]:
        attributes, prim = self.stage.attributes, self.prim
        low = attributes.number(prim, "physics:lowerLimit", -math.inf, infinite=True)
        high = attributes.number(prim, "physics:upperLimit", math.inf, infinite=True)
        return low * unit, high * unit

    def _cone(self) -> Iterator[Limit]:
        """Yield the cone around the axis; below 0 a side is free.

        The first angle opens towards the next axis, which is a turn about the one after that.
        """
        axis = axis_of(self.stage, self.prim)
        first = self.stage.attributes.number(
            self.prim, "physics:coneAngle0Limit", -1, infinite=True
        )
        second = self.stage.attributes.number(
            self.prim, "physics:coneAngle1Limit", -1, infinite=True
        )
        if 0 <= first == second < math.inf:
            yield Limit(angular_axes=_others(axis), minimum=0.0, maximum=first * _DEGREE)
            return
        if 0 <= first < math.inf and 0 <= second < math.inf:
            reason = "cones of glTF are round"
            effect = "each of the two angles is bounded by itself"
            self.stage.lose(self.prim, f"a cone of {first:g} by {second:g} degrees", reason, effect)
        for about, angle in (((axis + 2) % 3, first), ((axis + 1) % 3, second)):
            if 0 <= angle < math.inf:
                bound = angle * _DEGREE
                yield Limit(angular_axes=(about,), minimum=-bound, maximum=bound)

    def _distance(self) -> Iterator[Limit]:
        attributes, unit = self.stage.attributes, self.stage.units.length
        low = attributes.number(self.prim, "physics:minDistance", -1, infinite=True)
        high = attributes.number(self.prim, "physics:maxDistance", -1, infinite=True)
        has_low, has_high = 0 < low < math.inf, 0 <= high < math.inf
        if has_low or has_high:
            yield Limit(
                linear_axes=_ALL,
                minimum=low * unit if has_low else 0.0,
                maximum=high * unit if has_high else math.inf,
            )


def _api_limits(stage: Stage, prim: Any, known: Iterable[Limit]) -> Iterator[Limit]:
    """Yield the limits that a joint has by LimitAPI, one for each degree of freedom."""
    taken_linear = {axis for limit in known for axis in limit.linear_axes}
    taken_angular = {axis for limit in known for axis in limit.angular_axes}
    for name in instances(prim, "PhysicsLimitAPI"):
        low = stage.attributes.number(prim, f"limit:{name}:physics:low", -math.inf, infinite=True)
        high = stage.attributes.number(prim, f"limit:{name}:physics:high", math.inf, infinite=True)
        unit = stage.units.length
        if name in LINEAR and LINEAR[name] not in taken_linear:
            yield from _bounded(low * unit, high * unit, linear=(LINEAR[name],))
        elif name in ANGULAR and ANGULAR[name] not in taken_angular:
            yield from _bounded(low * _DEGREE, high * _DEGREE, angular=(ANGULAR[name],))
        elif name == "distance" and not taken_linear:
            yield from _bounded(max(low, 0) * unit, high * unit, linear=_ALL)
        else:
            reason = "the joint has no such degree of freedom"
            stage.lose(prim, f"a limit on {name}", reason, "it has no effect")


def _bounded(
    low: float, high: float, *, linear: tuple[int, ...] = (), angular: tuple[int, ...] = ()
) -> Iterator[Limit]:
    """Yield a limit; bounds the wrong way round lock, and infinite ones limit nothing."""
    if low > high:
        yield _lock(linear=linear, angular=angular)
    elif low > -math.inf or high < math.inf:
        yield Limit(linear_axes=linear, angular_axes=angular, minimum=low, maximum=high)


def _locked_together(found: Iterable[Limit]) -> Iterator[Limit]:
    """Yield limits, all axes that are locked as one each for places and for turns."""
    found = list(found)
    for kind in ("linear_axes", "angular_axes"):
        locks = [limit for limit in found if _is_lock(limit) and getattr(limit, kind)]
        axes = tuple(sorted({axis for limit in locks for axis in getattr(limit, kind)}))
        if axes:
            yield _lock(**{kind.removesuffix("_axes"): axes})
    yield from (limit for limit in found if not _is_lock(limit))


def _is_lock(limit: Limit) -> bool:
    return limit.minimum == limit.maximum == 0


def _lock(*, linear: tuple[int, ...] = (), angular: tuple[int, ...] = ()) -> Limit:
    return Limit(linear_axes=linear, angular_axes=angular, minimum=0.0, maximum=0.0)


def _others(axis: int) -> tuple[int, int]:
    first, second = (other for other in _ALL if other != axis)
    return first, second
