"""Limits and drives out of which joints are composed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, Final, Literal, TypeAlias

from ligament.author import values
from ligament.errors import EditError
from ligament.extensions.declarations import Drive, Limit

Bounds: TypeAlias = Sequence[float | None]
"""(lowest, highest), None for no bound."""

Room: TypeAlias = Bounds | Literal["free", "locked"]

ALL: Final = (0, 1, 2)
HELD: Final = Limit(linear_axes=ALL, minimum=0.0, maximum=0.0)
UNTURNING: Final = Limit(angular_axes=ALL, minimum=0.0, maximum=0.0)


def unit(degrees: Any) -> float:
    """Return the unit of angles [rad]."""
    return math.radians(1.0) if values.flag(degrees, "degrees") else 1.0


def others(axis: int) -> tuple[int, ...]:
    """Return the two axes across one."""
    return tuple(other for other in ALL if other != axis)


def room(limits: Any, what: str, unit: float, stiffness: float, locked: str) -> tuple[float, float]:
    """Return bounds in metres or radians, which leave room around the start."""
    low, high = values.interval(limits, what)
    if low == -math.inf and high == math.inf:
        raise EditError(f"{what} have no bound", remedy="leave them out for a joint without any")
    if low == high:
        raise EditError(f"{what} leave one value, {low:g}", remedy=f"use {locked}")
    if not low <= 0 <= high and stiffness == math.inf:
        message = f"{what} are from {low:g} to {high:g}, and the joint starts at 0"
        raise EditError(message, remedy="bounds count from the start pose: let them include 0")
    return low * unit, high * unit


def opening(axes: tuple[int, ...], angle: Any, what: str, degrees: Any) -> Limit:
    """Return a limit on an angle that has no sign."""
    widest = math.pi / unit(degrees)
    most = values.number(angle, what, above=0)
    if most > widest + 1e-9:
        raise EditError(f"{what} is {most:g}", remedy=f"give at most {widest:g}")
    return Limit(angular_axes=axes, minimum=0.0, maximum=most * unit(degrees))


def spring(
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


def by_axis(
    kind: Literal["linear_axes", "angular_axes"], rooms: dict[str, Room], unit: float
) -> list[Limit]:
    """Compose limits: one for all axes that are locked, and one for each that has bounds."""
    locked, bounded = [], []
    for axis, (what, wanted) in enumerate(rooms.items()):
        if isinstance(wanted, str):
            if values.choice(wanted, what, ("free", "locked")) == "locked":
                locked.append(axis)
            continue
        low, high = room(wanted, what, unit, math.inf, '"locked"')
        bounded.append(_limit(kind, (axis,), low, high))
    held = [_limit(kind, tuple(locked), 0.0, 0.0)] if locked else []
    return held + bounded


def _limit(
    kind: Literal["linear_axes", "angular_axes"], axes: tuple[int, ...], low: float, high: float
) -> Limit:
    if kind == "linear_axes":
        return Limit(linear_axes=axes, minimum=low, maximum=high)
    return Limit(angular_axes=axes, minimum=low, maximum=high)


def require_reachable(limits: Iterable[Limit], drives: Iterable[Drive]) -> None:
    """Refuse a motor whose target lies beyond the bounds of the joint."""
    for drive in drives:
        for limit in limits:
            axes = limit.linear_axes if drive.type == "linear" else limit.angular_axes
            is_beyond = not limit.minimum <= drive.position_target <= limit.maximum
            if axes == (drive.axis,) and drive.stiffness and is_beyond:
                message = "the target of the motor is beyond the limits"
                raise EditError(message, remedy="move it inside them")
