"""Recipes of named joints: the limits and drives that each consists of.

Each is built as KHR_physics_rigid_bodies describes its hinged door: a limit on three axes holds
the frames together, a limit of 0 on two axes keeps them parallel to the third, and a limit on one
axis bounds the rotation about it or the displacement along it. `ligament.physics.naming` recovers
the names from the limits.

The second body is measured from the first; the world is always the side that is measured from.
At the start both frames coincide, so that all bounds count from the start pose.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.author import arguments
from ligament.errors import EditError, nearest
from ligament.extensions.rigid_bodies import Drive, Limit
from ligament.extensions.rigid_bodies.joint import DriveType

Bounds: TypeAlias = Sequence[float | None]
"""(lowest, highest), None for no bound."""

Room: TypeAlias = Bounds | Literal["free", "locked"]

Rotation: TypeAlias = Sequence[float] | Floats
"""A rotation xyzw in the world."""

IDENTITY: Final = (0.0, 0.0, 0.0, 1.0)
ALL: Final = (0, 1, 2)
COINCIDENT: Final = Limit(linear_axes=ALL, minimum=0.0, maximum=0.0)
PARALLEL: Final = Limit(angular_axes=ALL, minimum=0.0, maximum=0.0)

RATE = 20.0
"""A motor without gains approaches its speed to within 1/e in 1/RATE seconds, whatever the mass."""


class Recipe(NamedTuple):
    """Limits and drives of a joint between frames of equal rotation; `kind` names its nodes."""

    kind: str
    limits: Iterable[Limit]
    drives: Iterable[Drive] = ()
    rotation: Rotation = IDENTITY


@dataclasses.dataclass(frozen=True, kw_only=True)
class Motor:
    """The motor of a joint: a constant `speed`, or a `target` that it moves to and holds.

    Speeds are m/s, or degrees per second about an axis (radians where the joint is given in
    radians); targets m or degrees, from the pose at the start. `max_force` is N or N m. Without
    gains the motor is quick and does not oscillate: in the mode "acceleration" gains act as if
    the mass were 1, so that they do not depend on it.
    """

    speed: float | None = None
    target: float | None = None
    max_force: float = math.inf
    stiffness: float | None = None
    damping: float | None = None
    mode: Literal["force", "acceleration"] = "acceleration"


def fixed() -> Recipe:
    """Weld two bodies."""
    return Recipe("weld", [COINCIDENT, PARALLEL])


def ball(limit: float | None, degrees: bool) -> Recipe:
    """Hold a point; `limit` bounds the angle of the rotation about any axis."""
    limits = [COINCIDENT]
    if limit is not None:
        limits.append(_opening(ALL, limit, "the limit", degrees))
    return Recipe("ball", limits)


def hinge(
    axis: Any, limits: Any, stiffness: float, damping: float, motor: Any, degrees: bool
) -> Recipe:
    """Allow rotation about one axis, with optional bounds and motor."""
    index, rotation = _aligned(axis)
    unit = _unit(degrees)
    composed = [COINCIDENT, Limit(angular_axes=_others(index), minimum=0.0, maximum=0.0)]
    if limits is not None:
        low, high = _room(limits, "the limits of the hinge", unit, stiffness, "fixed")
        composed.append(_spring((), (index,), low, high, stiffness, damping))
    drives = [] if motor is None else [_drive(motor, "angular", index, unit=unit)]
    _require_reachable(composed, drives)
    return Recipe("hinge", composed, drives, rotation)


def slider(axis: Any, limits: Any, stiffness: float, damping: float, motor: Any) -> Recipe:
    """Allow displacement along one axis, with optional bounds and motor."""
    index, rotation = _aligned(axis)
    composed = [Limit(linear_axes=_others(index), minimum=0.0, maximum=0.0), PARALLEL]
    if limits is not None:
        low, high = _room(limits, "the limits of the slider", 1.0, stiffness, "fixed")
        composed.append(_spring((index,), (), low, high, stiffness, damping))
    drives = [] if motor is None else [_drive(motor, "linear", index)]
    _require_reachable(composed, drives)
    return Recipe("slider", composed, drives, rotation)


def universal(axis: Any, swing: float | None, degrees: bool) -> Recipe:
    """Let a shaft bend, up to `swing`, but not twist."""
    index, rotation = _aligned(axis)
    composed = [COINCIDENT, Limit(angular_axes=(index,), minimum=0.0, maximum=0.0)]
    if swing is not None:
        composed.append(_opening(_others(index), swing, "the swing", degrees))
    return Recipe("universal", composed, (), rotation)


def cone_twist(axis: Any, swing: float, twist: Any, degrees: bool) -> Recipe:
    """Keep an axis within a cone, and the twist about it within bounds."""
    index, rotation = _aligned(axis)
    composed = [COINCIDENT, _opening(_others(index), swing, "the swing", degrees)]
    if twist is not None:
        low, high = _room(twist, "the twist", _unit(degrees), math.inf, "universal")
        composed.append(Limit(angular_axes=(index,), minimum=low, maximum=high))
    return Recipe("cone", composed, (), rotation)


def distance(low: float | None, high: float | None) -> Recipe:
    """Bound the distance [m] between two points."""
    if low is None and high is None:
        raise EditError("the distance has no bounds", remedy="give min, max or both")
    least, most = arguments.interval((0.0 if low is None else low, high), "the distance")
    if least < 0 or most == 0:
        remedy = "use distances above 0; ball holds two points together"
        raise EditError(f"the distance is from {least:g} to {most:g}", remedy=remedy)
    limit = Limit(linear_axes=ALL, minimum=least, maximum=most)
    return Recipe("rope" if least == 0 else "rod", [limit])


def require_distance(recipe: Recipe, now: float) -> None:
    """Refuse bounds that the initial distance [m] violates."""
    (limit,) = recipe.limits
    low, high = limit.minimum, limit.maximum
    if not low - 1e-6 <= now <= high + 1e-6:
        message = f"the limits are {low:g} to {high:g} m, but the distance is {now:g} m"
        raise EditError(message, remedy="widen the limits, or move `at` and `to`")


def spring(now: float, length: float | None, stiffness: float, damping: float) -> Recipe:
    """Pull and push two points to a length [m], by default their initial distance."""
    rest = now if length is None else arguments.number(length, "the length", above=0)
    if not rest > 0:
        message = "the two ends of the spring coincide"
        raise EditError(message, remedy="give a length above 0, or different `at` and `to`")
    k = arguments.number(stiffness, "the stiffness", above=0)
    return Recipe("spring", [_spring(ALL, (), rest, rest, k, damping)])


def six_axis(
    linear: Mapping[str, Room], angular: Mapping[str, Room], rotation: Any, degrees: bool
) -> Recipe:
    """Bound each of the six degrees of freedom separately."""
    limits = _by_axis("linear_axes", linear, 1.0)
    limits += _by_axis("angular_axes", angular, _unit(degrees))
    return Recipe("joint", limits, (), rotation)


def _unit(degrees: Any) -> float:
    """Return the size of the unit of angles [rad]."""
    return math.radians(1.0) if arguments.flag(degrees, "degrees") else 1.0


def _others(axis: int) -> tuple[int, ...]:
    return tuple(other for other in ALL if other != axis)


def _aligned(axis: Any) -> tuple[int, Rotation]:
    """Return which axis of a frame lies along a direction, and the rotation of the frame.

    The axis chosen is the world axis nearest to the direction, so that a direction along a world
    axis needs no rotation.
    """
    along = np.array(arguments.direction(axis))
    index = int(np.argmax(np.abs(along)))
    return index, np.asarray(tf.between(np.eye(3)[index], along)).tolist()


def _room(
    limits: Any, what: str, unit: float, stiffness: float, locked: str
) -> tuple[float, float]:
    """Return bounds in metres or radians; refuse hard ones that exclude the start pose."""
    low, high = arguments.interval(limits, what)
    if low == -math.inf and high == math.inf:
        raise EditError(f"{what} have no bound", remedy="leave them out for an unlimited joint")
    if low == high:
        raise EditError(f"{what} allow a single value, {low:g}", remedy=f"use {locked}")
    if not low <= 0 <= high and stiffness == math.inf:
        message = f"{what} are from {low:g} to {high:g}, but the joint starts at 0"
        raise EditError(message, remedy="limits are relative to the start pose: include 0")
    return low * unit, high * unit


def _opening(axes: tuple[int, ...], angle: Any, what: str, degrees: Any) -> Limit:
    """Return a limit on an unsigned angle."""
    widest = math.pi / _unit(degrees)
    most = arguments.number(angle, what, above=0)
    if most > widest + 1e-9:
        raise EditError(f"{what} is {most:g}", remedy=f"give at most {widest:g}")
    return Limit(angular_axes=axes, minimum=0.0, maximum=most * _unit(degrees))


def _spring(
    linear: tuple[int, ...],
    angular: tuple[int, ...],
    low: float,
    high: float,
    stiffness: float,
    damping: float,
) -> Limit:
    """Return a limit that is soft where its stiffness is finite."""
    return Limit(
        linear_axes=linear,
        angular_axes=angular,
        minimum=low,
        maximum=high,
        stiffness=stiffness,
        damping=damping,
    )


def _by_axis(
    kind: Literal["linear_axes", "angular_axes"], rooms: Mapping[str, Room], unit: float
) -> list[Limit]:
    """Compose limits: one for all locked axes together, and one for each that has bounds."""
    locked, bounded = [], []
    for axis, (what, wanted) in enumerate(rooms.items()):
        if isinstance(wanted, str):
            if arguments.choice(wanted, what, ("free", "locked")) == "locked":
                locked.append(axis)
            continue
        low, high = _room(wanted, what, unit, math.inf, '"locked"')
        bounded.append(_limit(kind, (axis,), low, high))
    return ([_limit(kind, tuple(locked), 0.0, 0.0)] if locked else []) + bounded


def _limit(
    kind: Literal["linear_axes", "angular_axes"], axes: tuple[int, ...], low: float, high: float
) -> Limit:
    if kind == "linear_axes":
        return Limit(linear_axes=axes, minimum=low, maximum=high)
    return Limit(angular_axes=axes, minimum=low, maximum=high)


def _require_reachable(limits: Iterable[Limit], drives: Iterable[Drive]) -> None:
    """Refuse a motor whose target lies outside the bounds of the joint."""
    for drive in drives:
        for limit in limits:
            axes = limit.linear_axes if drive.type == "linear" else limit.angular_axes
            is_outside = not limit.minimum <= drive.position_target <= limit.maximum
            if axes == (drive.axis,) and drive.stiffness and is_outside:
                message = "the target of the motor is outside the limits"
                raise EditError(message, remedy="move it inside them")


def _motor(given: Any) -> Motor:
    """Return a motor given as such, as its members, or as a speed."""
    if isinstance(given, Motor):
        return given
    if isinstance(given, Mapping):
        known = [field.name for field in dataclasses.fields(Motor)]
        for name in given:
            if name not in known:
                raise EditError(f"a motor has no {name!r}", remedy=nearest(name, known))
        return Motor(**given)
    return Motor(speed=arguments.number(given, "the speed of the motor"))


def _drive(given: Any, kind: DriveType, axis: int, *, unit: float = 1.0) -> Drive:
    """Make the drive of a motor along or about an axis; `unit` is that of angles [rad]."""
    motor = _motor(given)
    if motor.speed is None and motor.target is None:
        raise EditError("the motor has neither a speed nor a target", remedy="give one of them")
    speed = 0.0 if motor.speed is None else arguments.number(motor.speed, "the speed of the motor")
    holds = motor.target is not None
    target = arguments.number(motor.target, "the target of the motor") if holds else 0.0
    stiffness = motor.stiffness if motor.stiffness is not None else (RATE**2 / 4 if holds else 0.0)
    damping = RATE if motor.damping is None else motor.damping
    return Drive(
        type=kind,
        mode=motor.mode,
        axis=axis,
        max_force=motor.max_force,
        position_target=target * unit,
        velocity_target=speed * unit,
        stiffness=stiffness,
        damping=damping,
    )
