"""Bounds that jump: bodies are moved to them at a limited speed, and nothing is thrown."""

from __future__ import annotations

import dataclasses
import math
from typing import Final

from ligament.extensions.declarations import Limit
from ligament.physics.engines.rapier.joints.engine_joints import CLOSING_SPEED
from ligament.physics.scene import Joint

JUMP: Final = 0.05
"""Change of a hard bound [m or rad] in a step from which on it is approached: bounds that move by
less carry bodies along."""


def approached(present: Joint, goal: Joint, step: float) -> Joint:
    """Return a joint one time step [s] closer to its goal; all but narrower bounds are there."""
    if len(present.limits) != len(goal.limits):
        return goal
    pairs = zip(present.limits, goal.limits, strict=True)
    limits = tuple(_approached(now, then, CLOSING_SPEED * step) for now, then in pairs)
    return goal if limits == goal.limits else dataclasses.replace(goal, limits=limits)


def _approached(now: Limit, then: Limit, most: float) -> Limit:
    if math.isfinite(now.stiffness) or math.isfinite(then.stiffness):
        return then
    if now.minimum == now.maximum and then.minimum == then.maximum:
        value = _toward(now.minimum, then.minimum, most)
        return dataclasses.replace(then, minimum=value, maximum=value)
    return dataclasses.replace(
        then,
        minimum=then.minimum
        if then.minimum <= now.minimum
        else _toward(now.minimum, then.minimum, most),
        maximum=then.maximum
        if then.maximum >= now.maximum
        else _toward(now.maximum, then.maximum, most),
    )


def _toward(now: float, then: float, most: float) -> float:
    if not abs(then - now) > JUMP or math.isinf(now) or math.isinf(then):
        return then
    return now + math.copysign(min(most, abs(then - now)), then - now)
