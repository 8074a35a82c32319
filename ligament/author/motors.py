"""Motors: drives of a hinge or a slider, by what they are to reach."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any, Literal

from ligament.author import values
from ligament.errors import EditError
from ligament.extensions.declarations import Drive
from ligament.extensions.physics.rigid_bodies.joints import DriveType

RATE = 20.0
"""A motor without gains comes as near as 1/e to its speed in 1/RATE seconds, whatever the mass."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Motor:
    """What drives a joint: a constant `speed`, or a `target` that it goes to and holds.

    Speeds are m/s, or degrees per second about an axis (radians where the joint is given in
    radians); targets m or degrees, from the pose at the start. `max_force` is N or N m. Without
    gains the motor is quick and does not swing: in the mode "acceleration" these act as if the
    mass were 1, so that they do not depend on it.
    """

    speed: float | None = None
    target: float | None = None
    max_force: float = math.inf
    stiffness: float | None = None
    damping: float | None = None
    mode: Literal["force", "acceleration"] = "acceleration"


def motor_of(given: Any) -> Motor:
    """Take a motor as it is, as its members, or as a mere speed."""
    if isinstance(given, Motor):
        return given
    if isinstance(given, Mapping):
        known = [field.name for field in dataclasses.fields(Motor)]
        for name in given:
            if name not in known:
                raise EditError(f"a motor has no {name!r}", remedy=values.nearest(name, known))
        return Motor(**given)
    return Motor(speed=values.number(given, "the speed of the motor"))


def drive_of(given: Any, kind: DriveType, axis: int, *, unit: float = 1.0) -> Drive:
    """Make the drive of a motor along or about an axis; `unit` is that of angles [rad]."""
    motor = motor_of(given)
    if motor.speed is None and motor.target is None:
        raise EditError("the motor has neither a speed nor a target", remedy="give one of them")
    speed = 0.0 if motor.speed is None else values.number(motor.speed, "the speed of the motor")
    holds = motor.target is not None
    target = values.number(motor.target, "the target of the motor") if holds else 0.0
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
