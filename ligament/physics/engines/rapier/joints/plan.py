"""What a joint asks of the engine: locks and ranges that it knows, rows that we aim ourselves.

The engine measures some limits exactly on its own (`Part`): locked axes, a coordinate between two
bounds, distances and cones with an upper bound, the angle of a hinge. Everything else becomes a
`Row`: one degree of freedom whose direction is the gradient of the limit's metric and which is
turned along as the bodies move.

Axes of the engine are numbered 0 to 2 (along X, Y, Z) and 3 to 5 (about them).

Bounds of limits: cut to what can be reached, and several made one.

From the limits and drives of a joint to a plan: what the engine can do, and what we must.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Sequence
from enum import IntEnum
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from ligament.extensions.declarations import Drive, Limit
from ligament.transforms import from_axis_angle


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


WINDOW = 8.0
"""Width [m] at first given to a range with one bound (see `Role.WINDOW`)."""


Turn: TypeAlias = tuple[float, float, float, float]
NO_TURN: Turn = (0.0, 0.0, 0.0, 1.0)


class Role(IntEnum):
    """What a row is for."""

    LANDING = 0
    """The engine holds the limit; we see that it is reached without passing it."""

    HARD = 1
    """A limit that the engine does not know."""

    SOFT = 2
    """A limit with a spring and damper beyond it."""

    DRIVE = 3
    """A spring and damper, or motor, that always acts."""

    TOTAL = 4
    """The angle of the whole rotation, held by cones around axes across that of the rotation."""

    ROD = 5
    """A least or fixed distance."""

    WINDOW = 6
    """The open side of a range, which the engine must be shown some end of."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Row:
    """One degree of freedom that needs attention before a step.

    `limit` says what is measured; `drive` is the index of a drive of the joint. `part` is the
    part that holds the same limit (role LANDING), `engine_axis` the axis of a frame that never
    needs aiming: linear rows, and twist where nothing else can turn.
    """

    role: Role
    limit: Limit
    drive: int | None = None
    part: int | None = None
    engine_axis: int | None = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Part:
    """One joint of the engine, with frame A moved by `shift` (3,) [m] and `turn` (4,) in itself.

    `ranges` are bounds per axis. Axes in `coupled` share one distance or cone, whose bounds stand
    at the lowest of them.
    """

    locked: frozenset[int] = frozenset()
    shift: tuple[float, float, float] = (0.0, 0.0, 0.0)
    turn: Turn = NO_TURN
    ranges: tuple[tuple[int, float, float], ...] = ()
    coupled: tuple[int, ...] = ()


@dataclasses.dataclass(frozen=True)
class Plan:
    """All that a joint becomes; the first part holds the locks."""

    parts: tuple[Part, ...]
    rows: tuple[Row, ...]

    @property
    def locked(self) -> frozenset[int]:
        """All axes that are locked, whatever the value."""
        return frozenset().union(*(part.locked for part in self.parts))

    @property
    def locks_aside(self) -> bool:
        """Whether an axis is locked at another value than zero."""
        return any(
            part.turn != NO_TURN or any(part.shift[i] for i in part.locked if i < 3)
            for part in self.parts
        )


_SAME = 1e-6
"""Bounds [m or rad] this close are one value, at which the axis is locked."""

_NARROW_CONE = 1e-3
"""The engine cannot tell a cone [rad] narrower than this from none; it is locked instead."""

_NO_CONE = 4.0
"""A bound [rad] that no cone reaches."""


@lru_cache(maxsize=1024)
def make_plan(limits: tuple[Limit, ...], drives: tuple[Drive, ...] = ()) -> Plan:
    """Sort the limits and drives of a joint into what the engine can do and what we must."""
    hard = intersect(limit for limit in limits if math.isinf(limit.stiffness))
    soft = [within_reach(limit) for limit in limits if math.isfinite(limit.stiffness)]
    return _Planner(hard).plan(soft, drives)


class _Planner:
    """Builds the plan of one joint."""

    def __init__(self, hard: list[Limit]) -> None:
        self.values: dict[int, float] = {}
        self.ranges = [limit for limit in hard if not self._lock(limit)]
        self.parts: list[Part] = []
        self.rows: list[Row] = []

    def plan(self, soft: list[Limit], drives: Sequence[Drive]) -> Plan:
        self._base()
        for limit in self.ranges:
            if not self._is_locked(limit):
                self._hold(limit)
        for limit in soft:
            if not self._is_locked(limit) and not is_endless(limit):
                self._row(Role.SOFT, limit)
        for index, drive in enumerate(drives):
            self._drive(index, drive)
        return Plan(tuple(self.parts), tuple(self.rows))

    def _lock(self, limit: Limit) -> bool:
        """Note the axes that the limit locks, if it does."""
        several = len(axes_of(limit)) > 1
        narrow = _NARROW_CONE if several and limit.angular_axes else _SAME
        if several and limit.maximum >= narrow:
            return False
        if not several and not limit.maximum - limit.minimum < _SAME:
            return False
        value = 0.0 if several else (limit.minimum + limit.maximum) / 2
        for axis in engine_axes(limit):
            self.values.setdefault(axis, value)
        return True

    def _is_locked(self, limit: Limit) -> bool:
        return all(axis in self.values for axis in engine_axes(limit))

    def _is_hinge(self, axis: int) -> bool:
        """Tell whether the rotation about an axis (3 to 5) is the only one."""
        others = {3, 4, 5} - {axis}
        return all(self.values.get(other) == 0 for other in others)

    def _base(self) -> None:
        """Lock everything in one joint, where the engine solves it at once; odd angles apart."""
        linear = frozenset(axis for axis in self.values if axis < 3)
        angular = frozenset(axis for axis in self.values if axis >= 3)
        turned = frozenset(axis for axis in angular if self.values[axis] != 0)
        x, y, z = (self.values.get(axis, 0.0) for axis in range(3))
        base = Part(locked=linear, shift=(x, y, z))
        if not turned:
            self.parts = [dataclasses.replace(base, locked=linear | angular)]
        elif len(angular) == 3 and len(linear) == 3:
            turn = self._fixed_turn()
            self.parts = [dataclasses.replace(base, locked=linear | angular, turn=turn)]
        elif len(angular) == 3:
            self.parts = [base, Part(locked=angular, turn=self._fixed_turn())]
        else:
            self.parts = [dataclasses.replace(base, locked=linear | angular - turned)]
            self.parts += [self._turned(axis) for axis in sorted(turned)]

    def _fixed_turn(self) -> Turn:
        """Return the one rotation with three given twists: their halves have tangents v_i/w."""
        x, y, z = (math.tan(self.values[axis] / 2) for axis in (3, 4, 5))
        scale = 1 / math.hypot(x, y, z, 1.0)
        return x * scale, y * scale, z * scale, scale

    def _turned(self, axis: int) -> Part:
        """Lock one twist at its value: in the turned frame it is zero."""
        x, y, z, w = from_axis_angle(np.eye(3)[axis - 3], self.values[axis]).tolist()
        return Part(locked=frozenset([axis]), turn=(x, y, z, w))

    def _hold(self, limit: Limit) -> None:
        """Find what keeps a hard limit with a range."""
        if is_endless(limit):
            return
        if limit.linear_axes:
            self._hold_linear(limit)
        else:
            self._hold_angular(limit)

    def _hold_linear(self, limit: Limit) -> None:
        axes = limit.linear_axes
        if len(axes) == 1:
            part = self._add(_one_axis(axes[0], limit.minimum, limit.maximum))
            if math.isinf(limit.minimum) or math.isinf(limit.maximum):
                self._row(Role.WINDOW, limit, part=part)
            return
        if limit.maximum < math.inf:
            self._add(Part(ranges=((axes[0], -1.0, limit.maximum),), coupled=axes))
        if limit.maximum - limit.minimum < _SAME:
            self._row(Role.ROD, limit)
        elif limit.minimum > 0:
            self._row(Role.ROD, dataclasses.replace(limit, maximum=math.inf))

    def _hold_angular(self, limit: Limit) -> None:
        axes = limit.angular_axes
        if len(axes) == 1 and self._is_hinge(3 + axes[0]) and is_on_circle(limit):
            bounds = (3 + axes[0], limit.minimum, limit.maximum)
            base = self.parts[0]
            self.parts[0] = dataclasses.replace(base, ranges=(*base.ranges, bounds))
            self._row(Role.LANDING, limit, part=0, engine_axis=3 + axes[0])
        elif len(axes) == 2:
            # A lower bound of zero would block motion out of the exactly straight pose.
            least = limit.minimum if limit.minimum > 0 else -1.0
            bounds = (3 + axes[0], least, min(limit.maximum, _NO_CONE))
            part = self._add(Part(ranges=(bounds,), coupled=(3 + axes[0], 3 + axes[1])))
            self._row(Role.LANDING, limit, part=part)
        elif len(axes) == 1:
            self._row(Role.HARD, limit)
        else:
            self._hold_total(limit)

    def _hold_total(self, limit: Limit) -> None:
        if limit.maximum < math.inf:
            most = dataclasses.replace(limit, minimum=0.0)
            self._row(Role.TOTAL, most)
            self._row(Role.LANDING, most)
        if limit.minimum > 0:
            self._row(Role.HARD, dataclasses.replace(limit, maximum=math.inf))

    def _add(self, part: Part) -> int:
        """Add a coupled range, to the first part if its frame allows that; return where."""
        base = self.parts[0]
        if _is_free(base, part.coupled):
            x, y, z = (a + b for a, b in zip(base.shift, part.shift, strict=True))
            self.parts[0] = dataclasses.replace(
                base,
                shift=(x, y, z),
                ranges=base.ranges + part.ranges,
                coupled=base.coupled + part.coupled,
            )
            return 0
        self.parts.append(self._sharing(part))
        return len(self.parts) - 1

    def _sharing(self, part: Part) -> Part:
        """Lock in a further part what the first one locks: the engine solves each by itself."""
        base = self.parts[0]
        if base.turn != NO_TURN or any(base.shift[axis] for axis in part.coupled if axis < 3):
            return part
        x, y, z = (
            self.values.get(axis, 0.0) + part.shift[axis]  # no axis is locked and coupled
            for axis in range(3)
        )
        return dataclasses.replace(part, locked=base.locked, shift=(x, y, z))

    def _row(self, role: Role, limit: Limit, **options: int) -> None:
        fixed = self._fixed_axis(limit)
        if role in (Role.SOFT, Role.DRIVE, Role.ROD) and fixed is not None:
            options["engine_axis"] = fixed
        self.rows.append(Row(role=role, limit=limit, **options))

    def _fixed_axis(self, limit: Limit) -> int | None:
        """Return the axis of the engine's own motor that is exact for the metric at all times."""
        if limit.linear_axes:
            return limit.linear_axes[0]
        if len(limit.angular_axes) == 1 and self._is_hinge(3 + limit.angular_axes[0]):
            return 3 + limit.angular_axes[0]
        return None

    def _drive(self, index: int, drive: Drive) -> None:
        axes = (drive.axis,)
        limit = Limit(linear_axes=axes) if drive.type == "linear" else Limit(angular_axes=axes)
        idle = drive.max_force == 0 or (drive.stiffness == 0 and drive.damping == 0)
        if not idle and not self._is_locked(limit):
            self._row(Role.DRIVE, limit, drive=index)


def _is_free(base: Part, axes: tuple[int, ...]) -> bool:
    """Tell whether a part can also hold a distance along, or a cone about, these axes."""
    kind = range(3) if axes[0] < 3 else range(3, 6)
    taken = any(axis in kind for axis in base.coupled)
    # A distance is measured from the true origin of frame A, along its true axes.
    shifted = any(base.shift[axis] for axis in axes if axis < 3)
    return not taken and not shifted and base.turn == NO_TURN


def _one_axis(axis: int, minimum: float, maximum: float) -> Part:
    """Hold a coordinate between bounds as a distance from the middle.

    The engine stops a distance at its bound before the bound is passed; a plain range it only
    pushes back afterwards.
    """
    if math.isinf(minimum):
        minimum = maximum - WINDOW
    elif math.isinf(maximum):
        maximum = minimum + WINDOW
    middle, half = (minimum + maximum) / 2, (maximum - minimum) / 2
    shift = [0.0, 0.0, 0.0]
    shift[axis] = middle
    return Part(
        shift=(shift[0], shift[1], shift[2]),
        ranges=((axis, -half, half),),
        coupled=(axis,),
    )
