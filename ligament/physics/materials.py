"""Friction and restitution of two touching materials."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np

from ligament.arrays import Floats, Indices
from ligament.extensions.rigid_bodies import Combine, Material

STICK_SPEED: Final = 0.02
"""Tangential speed [m/s] below which static friction applies, dynamic above."""

DEFAULT: Final = Material()
"""The surface of a collider without a material: schema defaults."""

_STRONGEST_FIRST: Final = tuple(Combine)
_RULES: Final[dict[Combine, Callable[[float, float], float]]] = {
    Combine.AVERAGE: lambda a, b: (a + b) / 2,
    Combine.MINIMUM: min,
    Combine.MAXIMUM: max,
    Combine.MULTIPLY: lambda a, b: a * b,
}


_RANKS: Final = {mode: rank for rank, mode in enumerate((*_STRONGEST_FIRST, None))}


class Surface(NamedTuple):
    """Friction and restitution of two colliders, all dimensionless coefficients."""

    static_friction: float
    dynamic_friction: float
    restitution: float

    def friction(self, speed: float) -> float:
        """Return the coefficient at a tangential speed [m/s]."""
        return self.static_friction if speed < STICK_SPEED else self.dynamic_friction


def combine(a: Material, b: Material) -> Surface:
    """Combine two materials; static friction meets static, dynamic meets dynamic.

    A static value below the dynamic one is kept.
    """
    rub = _RULES[strongest(a.friction_combine, b.friction_combine)]
    bounce = _RULES[strongest(a.restitution_combine, b.restitution_combine)]
    return Surface(
        rub(a.static_friction, b.static_friction),
        rub(a.dynamic_friction, b.dynamic_friction),
        bounce(a.restitution, b.restitution),
    )


class MaterialTable:
    """M materials as arrays, for combining many at once like `combine`."""

    def __init__(self, materials: Sequence[Material]) -> None:
        self._values = np.array(
            [(m.static_friction, m.dynamic_friction, m.restitution) for m in materials], float
        ).reshape(-1, 3)
        modes = [(m.friction_combine, m.friction_combine, m.restitution_combine) for m in materials]
        ranks = [[_RANKS[mode] for mode in row] for row in modes]
        self._ranks = np.array(ranks, np.intp).reshape(-1, 3)

    def combined(self, rows: slice, others: Indices | slice = slice(None)) -> Floats:
        """Return the combined surfaces (R, N, 3) of some of the materials with N others."""
        a, b = self._values[rows, None], self._values[others]
        with np.errstate(over="ignore"):  # an infinite product is as large as any
            results = (a / 2 + b / 2, np.minimum(a, b), np.maximum(a, b), a * b)
        choice = np.minimum(self._ranks[rows, None], self._ranks[others])
        return np.choose(choice, (*results, results[_STRONGEST_FIRST.index(Combine.MAXIMUM)]))

    def means(self, row: int, others: Indices) -> Floats:
        """Return the means (N, 3) of a material's values with those of others."""
        return np.asarray(self._values[row] / 2 + self._values[others] / 2)


def strongest(a: Combine | None, b: Combine | None) -> Combine:
    """Return the combine mode that decides for a pair.

    An absent mode has no vote: the published friction sample has a floor without a mode, and only
    looks right that way. Without any vote the larger value counts, for the same reason.
    """
    present = [mode for mode in (a, b) if mode is not None]
    return min(present, key=_STRONGEST_FIRST.index, default=Combine.MAXIMUM)
