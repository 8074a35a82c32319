"""Bounds that jump: bodies are moved to them at a limited speed, and nothing is thrown."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Final

from ligament.extensions.declarations import Limit
from ligament.physics.engines.rapier.joints.engine_joints import CLOSING_SPEED
from ligament.physics.scene import Joint

JUMP: Final = 10.0
"""Speed [m/s or rad/s] of a hard bound from which on it jumps: slower ones carry bodies along."""


def approached(
    present: Joint,
    goal: Joint,
    step: float,
    measure: Callable[[Limit], float],
    *,
    is_under_way: bool,
) -> Joint:
    """Return a joint one time step [s] closer to its goal; all but narrower bounds are there.

    `measure` tells the present value of a limit, from which bodies are moved; one that
    `is_under_way` began to approach its goal before.
    """
    farthest = 0.0 if is_under_way else JUMP * step
    if len(present.limits) != len(goal.limits):
        return goal
    pairs = zip(present.limits, goal.limits, strict=True)
    most = CLOSING_SPEED * step
    limits = tuple(_approached(now, then, farthest, most, measure) for now, then in pairs)
    return goal if limits == goal.limits else dataclasses.replace(goal, limits=limits)


def _approached(
    now: Limit, then: Limit, farthest: float, most: float, measure: Callable[[Limit], float]
) -> Limit:
    is_hard = math.isinf(now.stiffness) and math.isinf(then.stiffness)
    rise, fall = then.minimum - now.minimum, now.maximum - then.maximum
    if not is_hard or not farthest < max(_finite(rise), _finite(fall)):
        return then
    if now.minimum == now.maximum and then.minimum == then.maximum:
        value = now.minimum + math.copysign(min(most, abs(rise)), rise)
        return dataclasses.replace(then, minimum=value, maximum=value)
    value = measure(now)
    return dataclasses.replace(
        then,
        minimum=min(then.minimum, max(now.minimum, value) + most) if rise > 0 else then.minimum,
        maximum=max(then.maximum, min(now.maximum, value) - most) if fall > 0 else then.maximum,
    )


def _finite(change: float) -> float:
    return change if math.isfinite(change) else 0.0
