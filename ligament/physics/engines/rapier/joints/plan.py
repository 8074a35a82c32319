"""Joint plans: joints of the scene split into engine joints and constraint rows.

The engine itself measures some limits exactly, and these become a `JointSpec`: locked axes, a
coordinate between two bounds, distances and cones with an upper bound, the angle of a hinge. All
others become a `ConstraintRow`: one degree of freedom along the gradient of the limit's metric,
which Python realigns as the bodies move.

Axes of the engine are numbered 0 to 2 (along X, Y, Z) and 3 to 5 (about them).
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Sequence
from enum import IntEnum
from functools import lru_cache
from typing import Final

import numpy as np

from ligament.extensions.rigid_bodies import Drive, Limit
from ligament.physics.engines import Vector
from ligament.physics.engines.poses import IDENTITY, Quaternion
from ligament.physics.metrics import counts_turns
from ligament.transforms import from_axis_angle

OPEN_RANGE: Final = 1000.0
"""Width [m] of a range with one bound, since the engine needs two; bounds are then off by 0.02 mm
in single precision."""

_SAME: Final = 1e-6
"""Distance [m or rad] of bounds within which they are one value, and the axis is locked."""


class RowKind(IntEnum):
    """Purpose of a constraint row."""

    ANGLE = 0
    """A hard limit of an angle that the engine does not know."""

    SPRING = 1
    """A soft limit: a spring and damper beyond the bounds."""

    DRIVE = 2
    """A spring and damper, or motor, that always acts."""

    DISTANCE = 3
    """A least or fixed distance, held by a rod."""

    DAMPER = 4
    """A drive about a twist with damping only and unbounded torque."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class ConstraintRow:
    """One degree of freedom that Python handles.

    `limit` says what is measured; `drive` is the index of a drive of the joint. `engine_axis` is an
    axis of the frames that never needs realigning: linear rows, and twist where nothing else can
    rotate.
    """

    kind: RowKind
    limit: Limit
    drive: int | None = None
    engine_axis: int | None = None

    @property
    def is_native_range(self) -> bool:
        """Whether quality "fast" leaves bounds to the engine's own angles about each axis."""
        has_turns = len(self.limit.angular_axes) == 1
        is_far = has_turns and counts_turns(self.limit.minimum, self.limit.maximum)
        return self.kind is RowKind.ANGLE and not is_far

    @property
    def is_native_motor(self) -> bool:
        """Whether "fast" leaves a spring or drive to an angle of the engine that is not its own."""
        is_motor = self.kind in (RowKind.SPRING, RowKind.DRIVE, RowKind.DAMPER)
        return is_motor and len(self.limit.angular_axes) == 1 and self.engine_axis is None


@dataclasses.dataclass(frozen=True, kw_only=True)
class JointSpec:
    """One engine joint, with frame A moved by `offset` (3,) [m] and `rotation` (4,) in itself.

    `ranges` are (axis, minimum, maximum). Axes in `coupled` share one distance or cone, whose
    bounds stand at the lowest of them.
    """

    locked: frozenset[int] = frozenset()
    offset: Vector = (0.0, 0.0, 0.0)
    rotation: Quaternion = IDENTITY
    ranges: tuple[tuple[int, float, float], ...] = ()
    coupled: tuple[int, ...] = ()


@dataclasses.dataclass(frozen=True)
class JointPlan:
    """The engine joints and rows of a joint; the first spec holds the locks."""

    specs: tuple[JointSpec, ...]
    rows: tuple[ConstraintRow, ...]

    @property
    def locked(self) -> frozenset[int]:
        """All axes that are locked, whatever the value."""
        return frozenset().union(*(spec.locked for spec in self.specs))

    @property
    def structure(self) -> tuple[object, ...]:
        """Everything but numbers: plans of one structure have the same engine joints and rows."""
        specs = [(s.locked, s.coupled, tuple(axis for axis, *_ in s.ranges)) for s in self.specs]
        rows = [(*_measure(row.limit), row.kind, row.drive, row.engine_axis) for row in self.rows]
        return (*specs, *rows)

    @property
    def locks_off_center(self) -> bool:
        """Whether an axis is locked at another value than zero."""
        return any(
            spec.rotation != IDENTITY or any(spec.offset[i] for i in spec.locked if i < 3)
            for spec in self.specs
        )


def _measure(limit: Limit) -> tuple[object, ...]:
    """Return what a limit measures, and which of its bounds are infinite."""
    ends = math.isinf(limit.minimum), math.isinf(limit.maximum)
    return limit.linear_axes, limit.angular_axes, *ends


@lru_cache(maxsize=1024)
def make_plan(limits: tuple[Limit, ...], drives: tuple[Drive, ...] = ()) -> JointPlan:
    """Split the limits and drives of a joint between the engine and Python."""
    hard = intersect(limit for limit in limits if math.isinf(limit.stiffness))
    soft = [within_reach(limit) for limit in limits if math.isfinite(limit.stiffness)]
    return _Planner(hard).plan(soft, drives)


class _Planner:
    """Builds the plan of one joint; `values` are the positions at which axes are locked."""

    def __init__(self, hard: list[Limit]) -> None:
        self.values: dict[int, float] = {}
        self.ranges = [limit for limit in hard if not self._lock(limit)]
        self.specs: list[JointSpec] = []
        self.rows: list[ConstraintRow] = []

    def plan(self, soft: list[Limit], drives: Sequence[Drive]) -> JointPlan:
        self._add_locks()
        for limit in self.ranges:
            if not self._is_locked(limit):
                self._add_range(limit)
        for limit in soft:
            if not self._is_locked(limit) and not is_unbounded(limit):
                self._add_row(RowKind.SPRING, limit)
        for index, drive in enumerate(drives):
            self._add_drive(index, drive)
        return JointPlan(tuple(self.specs), tuple(self.rows))

    def _lock(self, limit: Limit) -> bool:
        """Record the axes that a limit locks; return whether it locks any."""
        if limit.free_axis is not None:
            return False  # the engine locks a twist instead
        several = len(axes_of(limit)) > 1
        if limit.maximum - (0.0 if several else limit.minimum) >= _SAME:
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

    def _add_locks(self) -> None:
        """Lock everything in one engine joint, which is solved at once; odd angles separately."""
        linear = frozenset(axis for axis in self.values if axis < 3)
        angular = frozenset(axis for axis in self.values if axis >= 3)
        rotated = frozenset(axis for axis in angular if self.values[axis] != 0)
        x, y, z = (self.values.get(axis, 0.0) for axis in range(3))
        base = JointSpec(locked=linear, offset=(x, y, z))
        if not rotated:
            self.specs = [dataclasses.replace(base, locked=linear | angular)]
        elif len(angular) == 3 and len(linear) == 3:
            rotation = self._fixed_rotation()
            self.specs = [dataclasses.replace(base, locked=linear | angular, rotation=rotation)]
        elif len(angular) == 3:
            self.specs = [base, JointSpec(locked=angular, rotation=self._fixed_rotation())]
        else:
            self.specs = [dataclasses.replace(base, locked=linear | angular - rotated)]
            self.specs += [self._rotated_lock(axis) for axis in sorted(rotated)]

    def _fixed_rotation(self) -> Quaternion:
        """Return the one rotation with three given twists: their halves have tangents v_i/w."""
        x, y, z = (math.tan(self.values[axis] / 2) for axis in (3, 4, 5))
        scale = 1 / math.hypot(x, y, z, 1.0)
        return x * scale, y * scale, z * scale, scale

    def _rotated_lock(self, axis: int) -> JointSpec:
        """Lock one twist at its value: in the rotated frame it is zero."""
        x, y, z, w = from_axis_angle(np.eye(3)[axis - 3], self.values[axis]).tolist()
        return JointSpec(locked=frozenset([axis]), rotation=(x, y, z, w))

    def _add_range(self, limit: Limit) -> None:
        """Choose the spec or row that enforces a hard limit with a range."""
        if is_unbounded(limit):
            return
        if limit.linear_axes:
            self._add_linear_range(limit)
        else:
            self._add_angular_range(limit)

    def _add_linear_range(self, limit: Limit) -> None:
        axes = limit.linear_axes
        if len(axes) == 1:
            self._add(_coordinate_range(axes[0], limit.minimum, limit.maximum))
            return
        if limit.maximum < math.inf:
            self._add(JointSpec(ranges=((axes[0], -1.0, limit.maximum),), coupled=axes))
        if limit.maximum - limit.minimum < _SAME:
            self._add_row(RowKind.DISTANCE, limit)
        elif limit.minimum > 0:
            self._add_row(RowKind.DISTANCE, dataclasses.replace(limit, maximum=math.inf))

    def _add_angular_range(self, limit: Limit) -> None:
        axes = limit.angular_axes
        if len(axes) == 1 and self._is_hinge(3 + axes[0]) and _is_within_turn(limit):
            bounds = (3 + axes[0], limit.minimum, limit.maximum)
            base = self.specs[0]
            self.specs[0] = dataclasses.replace(base, ranges=(*base.ranges, bounds))
        elif len(axes) == 2:
            # A lower bound of zero would block motion out of the exactly straight pose.
            least = limit.minimum if limit.minimum > 0 else -1.0
            bounds = (3 + axes[0], least, min(limit.maximum, math.tau))
            self._add(JointSpec(ranges=(bounds,), coupled=(3 + axes[0], 3 + axes[1])))
        else:
            # The same goes for the angle of a whole rotation.
            least = limit.minimum if len(axes) == 1 or limit.minimum > 0 else -math.inf
            self._add_row(RowKind.ANGLE, dataclasses.replace(limit, minimum=least))

    def _add(self, spec: JointSpec) -> None:
        """Add a coupled range, to the first spec if its frame allows it."""
        base = self.specs[0]
        if _can_couple(base, spec.coupled):
            x, y, z = (a + b for a, b in zip(base.offset, spec.offset, strict=True))
            self.specs[0] = dataclasses.replace(
                base,
                offset=(x, y, z),
                ranges=base.ranges + spec.ranges,
                coupled=base.coupled + spec.coupled,
            )
        else:
            self.specs.append(spec)

    def _add_row(self, kind: RowKind, limit: Limit, **options: int) -> None:
        fixed = self._fixed_axis(limit)
        if kind in (RowKind.SPRING, RowKind.DRIVE, RowKind.DISTANCE) and fixed is not None:
            options["engine_axis"] = fixed
        self.rows.append(ConstraintRow(kind=kind, limit=limit, **options))

    def _fixed_axis(self, limit: Limit) -> int | None:
        """Return the axis of the engine's own motor that is exact for the metric at all times."""
        if limit.linear_axes:
            return limit.linear_axes[0]
        if len(limit.angular_axes) == 1 and self._is_hinge(3 + limit.angular_axes[0]):
            return 3 + limit.angular_axes[0]
        return None

    def _add_drive(self, index: int, drive: Drive) -> None:
        axes = (drive.axis,)
        limit = Limit(linear_axes=axes) if drive.type == "linear" else Limit(angular_axes=axes)
        idle = drive.max_force == 0 or (drive.stiffness == 0 and drive.damping == 0)
        if not idle and not self._is_locked(limit):
            is_damper = _is_damper(drive) and self._fixed_axis(limit) is None
            self._add_row(RowKind.DAMPER if is_damper else RowKind.DRIVE, limit, drive=index)


def _is_damper(drive: Drive) -> bool:
    is_plain = drive.type == "angular" and drive.mode == "force"
    return is_plain and drive.stiffness == 0 and math.isinf(drive.max_force)


def axes_of(limit: Limit) -> tuple[int, ...]:
    """Return the axes of frame A that a limit measures along or about."""
    return limit.linear_axes or limit.angular_axes


def engine_axes(limit: Limit) -> list[int]:
    """Return the engine axes (0 to 5) that a limit measures."""
    return [*limit.linear_axes, *(3 + axis for axis in limit.angular_axes)]


def within_reach(limit: Limit) -> Limit:
    """Sort the axes, and clip bounds to the values that the metric can take."""
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
    """Intersect the bounds of all limits that measure the same thing."""
    merged: dict[tuple[int | None, ...], Limit] = {}
    for given in limits:
        limit = within_reach(given)
        key = (*engine_axes(limit), limit.free_axis)
        other = merged.get(key, limit)
        merged[key] = within_reach(
            dataclasses.replace(
                limit,
                minimum=max(limit.minimum, other.minimum),
                maximum=min(limit.maximum, other.maximum),
            )
        )
    return list(merged.values())


def is_unbounded(limit: Limit) -> bool:
    """Tell whether no value can break the limit."""
    least = 0.0 if len(axes_of(limit)) > 1 else -math.inf
    return limit.minimum <= least and limit.maximum == math.inf


def _is_within_turn(limit: Limit) -> bool:
    """Tell whether the allowed angles span less than a turn, so that turns need no counting."""
    return limit.maximum - limit.minimum < 2 * math.pi - 1e-3


def _can_couple(base: JointSpec, axes: tuple[int, ...]) -> bool:
    """Tell whether a spec can also hold a distance along, or a cone about, these axes."""
    same_type = range(3) if axes[0] < 3 else range(3, 6)
    taken = any(axis in same_type for axis in base.coupled)
    # A distance is measured from the true origin of frame A, along its true axes.
    moved = any(base.offset[axis] for axis in axes if axis < 3)
    return not taken and not moved and base.rotation == IDENTITY


def _coordinate_range(axis: int, minimum: float, maximum: float) -> JointSpec:
    """Hold a coordinate between bounds as a distance from the middle.

    The engine stops a distance before its bound is passed; it enforces a plain range only
    afterwards.
    """
    if math.isinf(minimum):
        minimum = maximum - OPEN_RANGE
    elif math.isinf(maximum):
        maximum = minimum + OPEN_RANGE
    middle, half = (minimum + maximum) / 2, (maximum - minimum) / 2
    x, y, z = (middle if i == axis else 0.0 for i in range(3))
    return JointSpec(offset=(x, y, z), ranges=((axis, -half, half),), coupled=(axis,))
