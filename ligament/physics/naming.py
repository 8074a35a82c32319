"""Common names of joints, which files describe only by limits and drives.

What counts is what the limits leave free, whether they name several axes at once or one by one. An
axis is locked where its bounds leave a single value. The first row that fits gives the name:

| name       | free along         | free about        | and                                        |
|------------|--------------------|-------------------|--------------------------------------------|
| fixed      | nothing            | nothing           | also "weld"                                |
| hinge      | nothing            | one axis          |                                            |
| universal  | nothing            | two axes          |                                            |
| cone-twist | nothing            | three axes        | with a limit about two axes at once        |
| ball       | nothing            | three axes        |                                            |
| slider     | one axis           | at most the same  | with bounds about it; also "prismatic"     |
| cylindrical| one axis           | the same axis     | any number of turns                        |
| pin-slot   | one axis           | another axis      |                                            |
| planar     | two axes           | at most the third |                                            |
| free       | three axes         | three axes        | without any bound                          |
| rope       | three axes         | three axes        | with a greatest distance alone             |
| spring     | three axes         | three axes        | with a least distance, one of them soft    |
| distance   | three axes         | three axes        | with a least distance; "rod" if both equal |
| six-axis   | anything else      | anything else     |                                            |

OMI_physics_joint has a chart of special cases with names of its own: what nothing but a point
holds, bounded or not, is a "pin" there.

The words behind it tell more:

| word    | when                                                                                 |
|---------|--------------------------------------------------------------------------------------|
| limited | something that is free has hard bounds, beyond those that the name implies           |
| spring  | something that is free has soft bounds                                               |
| soft    | every lock is soft; where any lock is hard, soft ones count as springs of free axes  |
| motor   | a drive can move something that is free                                              |
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from ligament.extensions.registry import OMI_PHYSICS_JOINT
from ligament.extensions.rigid_bodies import Drive, Limit

Kind: TypeAlias = Literal["linear", "angular"]

AXES: Final = frozenset({0, 1, 2})

_IMPLIED: Final = {
    "cone-twist": {"limited"},
    "rope": {"limited"},
    "distance": {"limited"},
    "spring": {"limited", "spring"},
}
_NO_WORDS: Final[Mapping[str, str]] = MappingProxyType({})
_OF_OMI: Final = {"ball": "pin", "cone-twist": "pin"}
_BY_FREEDOM: Final = {
    (0, 0): "fixed",
    (0, 1): "hinge",
    (0, 2): "universal",
    (0, 3): "ball",
    (1, 0): "slider",
    (2, 0): "planar",
}


def joint_name(limits: Sequence[Limit], drives: Iterable[Drive] = ()) -> str:
    """Name a joint in the words of the extension that its limits are written in."""
    is_omi = any(f"/{OMI_PHYSICS_JOINT}/" in limit.pointer for limit in limits)
    return friendly_name(limits, drives, _OF_OMI if is_omi else _NO_WORDS)


def friendly_name(
    limits: Iterable[Limit], drives: Iterable[Drive] = (), words: Mapping[str, str] = _NO_WORDS
) -> str:
    """Name a joint, like "hinge (limited, motor)", by the tables above.

    `words` replaces some names.
    """
    bounds = [bound for bound in _composed(map(_bound, limits)) if bound.acts]
    is_soft = any(b.locks for b in bounds) and not any(b.locks and b.is_hard for b in bounds)
    locks = [b for b in bounds if b.locks and (b.is_hard or is_soft)]
    linear = _Side.under("linear", bounds, locks)
    angular = _Side.under("angular", bounds, locks)
    name = _shape(linear, angular)
    name = words.get(name, name)
    tags = {
        "limited": any(b.is_hard for b in linear.bounds + angular.bounds),
        "spring": any(not b.is_hard for b in linear.bounds + angular.bounds),
        "soft": is_soft,
        "motor": any(_moves(drive, linear, angular) for drive in drives),
    }
    shown = [word for word, on in tags.items() if on and word not in _IMPLIED.get(name, ())]
    return f"{name} ({', '.join(shown)})" if shown else name


@dataclasses.dataclass(frozen=True)
class _Bound:
    """A limit: hard or soft bounds [m or rad] on some axes of one kind."""

    kind: Kind
    axes: frozenset[int]
    low: float
    high: float
    is_hard: bool

    @property
    def acts(self) -> bool:
        """Tell whether the bound excludes any value; over several axes values are at least 0."""
        if len(self.axes) <= 1:
            return bool(self.axes) and (self.low > -math.inf or self.high < math.inf)
        return self.low > 0 or self.high < (math.inf if self.kind == "linear" else math.pi)

    @property
    def locks(self) -> bool:
        """Tell whether a single pose along or about these axes remains.

        A distance or an angle to an axis has no sign: the equal bounds of a rod hold none of its
        axes, and bounds of 0 hold all of them.
        """
        return self.low >= self.high if len(self.axes) == 1 else self.high <= 0


def _bound(limit: Limit) -> _Bound:
    kind: Kind = "linear" if limit.linear_axes else "angular"
    axes = AXES.intersection(limit.linear_axes or limit.angular_axes)
    # Without stiffness a soft limit only damps.
    is_slack = limit.stiffness == 0
    low, high = (-math.inf, math.inf) if is_slack else (limit.minimum, limit.maximum)
    return _Bound(kind, axes, low, high, limit.stiffness == math.inf)


def _composed(bounds: Iterable[_Bound]) -> list[_Bound]:
    """Merge bounds on the same axes, which all apply at once."""
    merged: dict[tuple[Kind, frozenset[int], bool], _Bound] = {}
    for bound in bounds:
        key = bound.kind, bound.axes, bound.is_hard
        other = merged.get(key, bound)
        low, high = max(bound.low, other.low), min(bound.high, other.high)
        merged[key] = dataclasses.replace(bound, low=low, high=high)
    return list(merged.values())


@dataclasses.dataclass(frozen=True)
class _Side:
    """The free axes of one kind, and their bounds."""

    free: frozenset[int]
    bounds: tuple[_Bound, ...]

    @classmethod
    def under(cls, kind: Kind, bounds: list[_Bound], locks: list[_Bound]) -> _Side:
        locked = frozenset[int]().union(*(b.axes for b in locks if b.kind == kind))
        free = AXES - locked
        return cls(free, tuple(b for b in bounds if b.kind == kind and b.axes & free))

    @property
    def is_bounded(self) -> bool:
        """Tell whether there is a lower and an upper bound."""
        low = max((bound.low for bound in self.bounds), default=-math.inf)
        return low > -math.inf and min(bound.high for bound in self.bounds) < math.inf


def _shape(linear: _Side, angular: _Side) -> str:
    name = _BY_FREEDOM.get((len(linear.free), len(angular.free)), "six-axis")
    if name == "ball" and any(len(bound.axes) == 2 for bound in angular.bounds):
        return "cone-twist"
    if len(linear.free) == len(angular.free) == 1:
        if linear.free != angular.free:
            return "pin-slot"
        return "slider" if angular.is_bounded else "cylindrical"
    if len(linear.free) == 2 and angular.free == AXES - linear.free:
        return "planar"
    if linear.free == angular.free == AXES and not angular.bounds:
        return _distance(linear.bounds)
    return name


def _distance(bounds: tuple[_Bound, ...]) -> str:
    """Name a joint that only bounds the distance."""
    if not bounds:
        return "free"
    if any(len(bound.axes) < 3 for bound in bounds):
        return "six-axis"
    if all(bound.low <= 0 for bound in bounds):
        return "rope"
    return "distance" if all(bound.is_hard for bound in bounds) else "spring"


def _moves(drive: Drive, linear: _Side, angular: _Side) -> bool:
    """Tell whether a drive can do anything: it needs a gain, a force, and a free axis."""
    side = linear if drive.type == "linear" else angular
    return drive.axis in side.free and (drive.stiffness or drive.damping) * drive.max_force > 0
