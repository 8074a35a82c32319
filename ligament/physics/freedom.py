"""Degrees of freedom of a joint as engines model them: slides, then hinges or a ball.

Hinges follow each other in `order`, each about an axis that those before it have rotated. For one
free axis that is exact. Two make a Cardan joint: limits and drives about both axes still measure
the twist that the file means, but the third axis, which the file locks, rotates by
2 atan(tan(α/2) tan(β/2)). With three, all angles are coupled. Where limits measure the swing of a
free axis, rotation about that axis comes last, as it changes no swing.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Final, Literal, NamedTuple, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.extensions.rigid_bodies import Drive, Limit
from ligament.physics.metrics import Relative, measure, violation
from ligament.physics.scene import Joint, Pose

Kind: TypeAlias = Literal["linear", "angular"]

AXES: Final = (0, 1, 2)
_STRAIGHT: Final = (0.0, 0.0, 0.0, 1.0)
_LEAST: Final = 1e-9
MISFIT: Final = 1e-4
"""Violation [m or rad] of a lock at the start above which it is pulled, not made rigid."""


class Key(NamedTuple):
    """A translation along or a rotation about an axis of frame A."""

    kind: Kind
    axis: int


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class Freedom:
    """Free axes of a joint, and their bounds.

    `locks` gives the value [m or rad] at which an axis is locked. `bounds` are the limits on free
    axes; hard ones on the same single axis are merged. `order` is that of the three axes of
    rotation, locked ones last; `is_ball` says that a ball joint replaces them. `drives` are those
    that have an effect. `misfit` [m or rad] is the largest violation of a lock at the start. `tilt`
    locks the swing of a free axis at an angle, which no order of hinges expresses.
    """

    locks: Mapping[Key, float]
    bounds: tuple[Limit, ...]
    drives: tuple[Drive, ...]
    order: tuple[int, int, int]
    is_ball: bool
    misfit: float
    tilt: Limit | None

    def free(self, kind: Kind) -> tuple[int, ...]:
        """Return the free axes, those of rotation in their order."""
        order = AXES if kind == "linear" else self.order
        return tuple(axis for axis in order if Key(kind, axis) not in self.locks)

    @property
    def is_distance(self) -> bool:
        """Tell whether only the distance between the frames is bounded, if anything."""
        only = all(len(bound.linear_axes) == len(AXES) for bound in self.bounds)
        return only and not self.locks and not self.drives

    @property
    def is_connection(self) -> bool:
        """Tell whether the joint only holds two points together, and bounds cones about them."""
        held = {Key("linear", axis) for axis in AXES}
        only = all(len(bound.angular_axes) == 2 for bound in self.bounds)
        return set(self.locks) == held and only and not self.drives

    @property
    def is_weld(self) -> bool:
        """Tell whether no axis is free."""
        return len(self.locks) == 2 * len(AXES)

    def held(self, start: Relative) -> Pose:
        """Return the pose of frame B in A that satisfies the locks, from where it is at the start.

        A twist about axis i of (v, w) has v_i = tan(angle / 2) w, and so has a swing of its own.
        """
        position, (swing, twist) = start.position.copy(), self._swing_twist(start.rotation)
        for key, value in self.locks.items():
            if key.kind == "linear":
                position[key.axis] = value
            else:
                swing[key.axis] = math.tan(value / 2) * (swing[3] or _LEAST)
        swing[3] = swing[3] or _LEAST
        rotation = tf.multiply(swing / np.linalg.norm(swing), twist)
        return Pose(position, np.asarray(rotation))

    @cached_property
    def hinge(self) -> tuple[Floats, float] | None:
        """The direction (3,) in frame A of the only free rotation, and its stretch.

        With v_j = t_j w and v_k = t_k w for the locks, it is along e_i + t_k e_j − t_j e_k. The
        twist of a rotation by θ about that direction is 2 atan(stretch · tan(θ/2)).
        """
        if len(free := self.free("angular")) != 1:
            return None
        axis = np.eye(3)[free[0]]
        base = self.held(Relative(np.zeros(3), np.array(_STRAIGHT))).rotation
        if self.tilt is not None:
            return np.asarray(tf.rotate(base, axis)), 1.0
        direction = axis - np.cross(axis, base[:3] / base[3])
        stretch = float(np.linalg.norm(direction))
        return direction / stretch, stretch

    def hinge_angle(self, twist: float) -> float:
        """Return the rotation [rad] about the hinge, if there is one, that has a twist."""
        if self.hinge is None or self.hinge[1] == 1 or not math.isfinite(twist):
            return twist
        turns = 2 * math.pi * round(twist / (2 * math.pi))
        return turns + 2 * math.atan(math.tan((twist - turns) / 2) / self.hinge[1])

    def _swing_twist(self, rotation: Floats) -> tuple[Floats, Floats]:
        """Return the part of a rotation that angular locks measure, and what follows it."""
        if self.tilt is None or self.tilt.free_axis is None:
            return rotation.copy(), np.array(_STRAIGHT)
        swing, twist = tf.swing_twist(rotation, np.eye(3)[self.tilt.free_axis])
        return np.array(swing), np.asarray(twist)


def freedom(joint: Joint, start: Relative) -> Freedom:
    """Classify the limits of a joint whose frame B is at `start` in frame A."""
    acting = [limit for limit in joint.limits if _acts(limit)]
    locks: dict[Key, float] = {}
    for limit in acting:
        if _locks(limit):
            locks |= {key: _held(limit) for key in _keys(limit)}
    bounds = _merged([_reduced(each, locks, start) for each in acting if not _locks(each)], locks)
    drives = tuple(drive for drive in joint.drives if _can_push(drive, locks))
    is_ball = _is_ball(locks, bounds, drives)
    return Freedom(
        locks=locks,
        bounds=bounds,
        drives=drives,
        order=_axis_order(locks, bounds),
        is_ball=is_ball,
        misfit=max(
            (_initial_violation(limit, start) for limit in acting if _locks(limit)), default=0.0
        ),
        tilt=next((limit for limit in acting if _locks(limit) and _tilts(limit)), None),
    )


def turn_bounds(limits: Iterable[Limit], axis: int) -> tuple[float, float]:
    """Return the bounds [rad] that decide in which turn a joint's angle about an axis starts.

    Those of all its limits about that axis, of the hard ones where there are any: springs and
    drives about the axis count from the same turn.
    """
    about = [limit for limit in limits if limit.angular_axes == (axis,)]
    chosen = [limit for limit in about if math.isinf(limit.stiffness)] or about
    low = max((limit.minimum for limit in chosen), default=-math.inf)
    return low, max(low, min((limit.maximum for limit in chosen), default=math.inf))


def angles(rotation: npt.ArrayLike, order: tuple[int, int, int]) -> Floats:
    """Return the Euler angles (3,) [rad] about the axes 0 to 2 of a rotation (4,), in an order."""
    found = np.asarray(tf.to_euler(np.asarray(rotation, np.float64), _euler_order(order)))
    return found[np.argsort(order)]


def from_angles(values: Floats, order: tuple[int, int, int]) -> Floats:
    """Return the rotation (4,) of Euler angles (3,) [rad] about the axes 0 to 2, in an order."""
    return np.asarray(tf.from_euler(values[list(order)], _euler_order(order)))


def tilt_loss(tilt: Limit) -> tuple[str, str, str]:
    """Return what a tilt loses, why, and with what effect."""
    return (
        f"the swing of axis {tilt.free_axis}, locked at {_held(tilt):g} rad",
        "hinges rotate about axes of frame A first",
        f"frame B rotates about axis {tilt.free_axis} of frame A, tilted, not about its own",
    )


def about(axis: int, angle: float) -> Floats:
    """Return the rotation (4,) by an angle [rad] about an axis of a frame."""
    return np.asarray(tf.from_axis_angle(np.eye(3)[axis], angle))


def placed(frame: Pose, pose: Pose) -> Pose:
    """Return a pose given within `frame` in the space that contains `frame`."""
    translation = frame.translation + tf.rotate(frame.rotation, pose.translation)
    return Pose(np.asarray(translation), np.asarray(tf.multiply(frame.rotation, pose.rotation)))


def _euler_order(order: tuple[int, int, int]) -> tf.EulerOrder:
    return cast(tf.EulerOrder, "".join("XYZ"[axis] for axis in order))


def _keys(limit: Limit) -> list[Key]:
    kind: Kind = "linear" if limit.linear_axes else "angular"
    return [Key(kind, axis) for axis in limit.linear_axes or limit.angular_axes]


def _acts(limit: Limit) -> bool:
    """Tell whether a limit excludes anything and has stiffness or damping."""
    if limit.stiffness == limit.damping == 0:
        return False
    if len(_keys(limit)) == 1:
        return math.isfinite(limit.minimum) or math.isfinite(limit.maximum)
    return limit.minimum > 0 or limit.maximum < (math.inf if limit.linear_axes else math.pi)


def _locks(limit: Limit) -> bool:
    if math.isfinite(limit.stiffness):
        return False
    return limit.minimum >= limit.maximum if len(_keys(limit)) == 1 else limit.maximum <= 0


def _tilts(limit: Limit) -> bool:
    return limit.free_axis is not None and _held(limit) != 0


def _held(limit: Limit) -> float:
    return (limit.minimum + limit.maximum) / 2 if len(_keys(limit)) == 1 else 0.0


def _initial_violation(limit: Limit, start: Relative) -> float:
    value = measure(limit, *start)
    return float(violation(value, min(limit.minimum, limit.maximum), limit.maximum))


def _reduced(limit: Limit, locks: Mapping[Key, float], start: Relative) -> Limit | None:
    """Reduce a bound over several axes, one of them free, to a bound on that axis, or None.

    The metric has no sign. With a minimum above 0, the sign of the start is kept.
    """
    keys = _keys(limit)
    free = [key for key in keys if key not in locks]
    if not free:
        return None
    if len(keys) == 1 or len(free) > 1:
        return limit
    axis = (free[0].axis,)
    held = 0.0 if limit.angular_axes else sum(locks[key] ** 2 for key in keys if key in locks)
    least, most = (
        math.sqrt(max(value * value - held, 0.0))
        for value in (max(limit.minimum, 0), limit.maximum)
    )
    if not limit.linear_axes:
        single = dataclasses.replace(limit, angular_axes=axis)
    else:
        single = dataclasses.replace(limit, linear_axes=axis)
    if least <= 0:
        return dataclasses.replace(single, minimum=-most, maximum=most)
    if measure(single, *start) < 0:
        return dataclasses.replace(single, minimum=-most, maximum=-least)
    return dataclasses.replace(single, minimum=least, maximum=most)


def _merged(bounds: Iterable[Limit | None], locks: dict[Key, float]) -> tuple[Limit, ...]:
    """Merge hard bounds on one axis; lock it if they leave a single value."""
    kept: list[Limit] = []
    hard: dict[Key, Limit] = {}
    for bound in bounds:
        if bound is None:
            continue
        if len(_keys(bound)) > 1 or math.isfinite(bound.stiffness):
            kept.append(bound)
            continue
        key = _keys(bound)[0]
        other = hard.get(key, bound)
        low, high = max(bound.minimum, other.minimum), min(bound.maximum, other.maximum)
        hard[key] = dataclasses.replace(other, minimum=low, maximum=high)
    for key, bound in hard.items():
        if bound.minimum >= bound.maximum:
            locks[key] = (bound.minimum + bound.maximum) / 2
    merged = [bound for key, bound in hard.items() if key not in locks]
    return (*merged, *(bound for bound in kept if any(k not in locks for k in _keys(bound))))


def _can_push(drive: Drive, locks: Mapping[Key, float]) -> bool:
    has_gain = (drive.stiffness > 0 or drive.damping > 0) and drive.max_force > 0
    return has_gain and Key(drive.type, drive.axis) not in locks


def _is_ball(
    locks: Mapping[Key, float], bounds: tuple[Limit, ...], drives: tuple[Drive, ...]
) -> bool:
    """Tell whether a ball joint suffices: three free axes, none measured individually.

    A drive without stiffness depends on the velocity about an axis only, not on an angle.
    """
    if any(key.kind == "angular" for key in locks):
        return False
    single = any(len(bound.angular_axes) == 1 for bound in bounds)
    return not single and all(drive.type == "linear" or drive.stiffness <= 0 for drive in drives)


def _axis_order(locks: Mapping[Key, float], bounds: tuple[Limit, ...]) -> tuple[int, int, int]:
    """Order the axes of rotation, locked ones last.

    Of three free axes, the one with the smallest range is in the middle: at a right angle of that
    axis, the first and the last would coincide (gimbal lock).
    """
    free = [axis for axis in AXES if Key("angular", axis) not in locks]
    locked = [axis for axis in AXES if axis not in free]
    if len(free) == len(AXES):
        free.sort(key=lambda axis: _reach(axis, bounds))
        free = [free[1], free[0], free[2]]
    swinging = {bound.free_axis for bound in bounds}
    free.sort(key=lambda axis: axis in swinging)
    first, second, third = [*free, *locked]
    return first, second, third


def _reach(axis: int, bounds: tuple[Limit, ...]) -> float:
    """Return the largest angle [rad] about an axis, alone or within a cone."""
    about_it = [b for b in bounds if axis in b.angular_axes]
    return min((max(abs(_least(b)), abs(b.maximum)) for b in about_it), default=math.inf)


def _least(bound: Limit) -> float:
    """Return the lower bound of a signed angle; other metrics have none."""
    return bound.minimum if len(bound.angular_axes) == 1 else 0.0
