"""Friction and bounce of two touching materials."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from ligament.extensions.declarations import Combine, Material

STICK_SPEED: Final = 0.02
"""Static friction holds below this tangential speed [m/s], dynamic friction above."""

DEFAULT: Final = Material()
"""The surface of a collider without a material: the defaults of the schema."""

_STRONGEST_FIRST: Final = tuple(Combine)
_RULES: Final[dict[Combine, Callable[[float, float], float]]] = {
    Combine.AVERAGE: lambda a, b: (a + b) / 2,
    Combine.MINIMUM: min,
    Combine.MAXIMUM: max,
    Combine.MULTIPLY: lambda a, b: a * b,
}


class Surface(NamedTuple):
    """How two colliders rub and bounce; all three are coefficients without a unit."""

    static_friction: float
    dynamic_friction: float
    restitution: float

    def friction(self, speed: float) -> float:
        """Return the coefficient at a tangential speed [m/s]."""
        return self.static_friction if speed < STICK_SPEED else self.dynamic_friction


def combine(a: Material, b: Material) -> Surface:
    """Combine two materials; static friction meets static, dynamic meets dynamic.

    A static value below the dynamic one stays as it is written.
    """
    rub = _RULES[strongest(a.friction_combine, b.friction_combine)]
    bounce = _RULES[strongest(a.restitution_combine, b.restitution_combine)]
    return Surface(
        rub(a.static_friction, b.static_friction),
        rub(a.dynamic_friction, b.dynamic_friction),
        bounce(a.restitution, b.restitution),
    )


def strongest(a: Combine | None, b: Combine | None) -> Combine:
    """Return the mode that decides for a pair.

    An absent mode has no vote: the published friction sample has a floor without a mode, and only
    looks right so. Where nobody votes, the larger value counts, for the same reason.
    """
    present = [mode for mode in (a, b) if mode is not None]
    return min(present, key=_STRONGEST_FIRST.index, default=Combine.MAXIMUM)
