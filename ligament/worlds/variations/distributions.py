"""Distributions as functions of uniform numbers between 0 and 1.

Those numbers come from raw bits alone, so a draw is the same with every version of NumPy.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from enum import StrEnum
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from ligament.arrays import Floats

_NORMAL = NormalDist()
_LEAST_SHARE = 1e-12


class Form(StrEnum):
    """The kinds of distributions."""

    UNIFORM = "uniform"
    NORMAL = "normal"
    LOG_UNIFORM = "log-uniform"
    CHOICE = "choice"
    CONSTANT = "constant"


class Keys(NamedTuple):
    """The required and the optional keys of a form."""

    needed: tuple[str, ...]
    optional: tuple[str, ...] = ()


KEYS = {
    Form.UNIFORM: Keys(("min", "max")),
    Form.NORMAL: Keys(("mean", "std"), ("min", "max")),
    Form.LOG_UNIFORM: Keys(("min", "max")),
    Form.CHOICE: Keys(("values",)),
    Form.CONSTANT: Keys(("value",)),
}


@dataclasses.dataclass(frozen=True, eq=False)
class Distribution:
    """A distribution of `size` numbers; all arrays are (size,), `values` is (choices, size).

    A constant is a single choice. A normal distribution may be truncated at `minimum` and
    `maximum`.
    """

    form: Form
    minimum: Floats
    maximum: Floats
    mean: Floats | None = None
    deviation: Floats | None = None
    values: Floats | None = None

    def draw(self, uniform: Floats) -> Floats:
        """Map uniform numbers (size,) in (0, 1) to values (size,)."""
        if self.values is not None:
            return np.asarray(self.values[int(uniform[0] * len(self.values))])
        if self.mean is not None:
            return np.array(list(self._normal(uniform)))
        if self.form is Form.LOG_UNIFORM:
            low, high = np.log(self.minimum), np.log(self.maximum)
            drawn = np.exp(low + uniform * (high - low))
        else:
            drawn = self.minimum + uniform * (self.maximum - self.minimum)
        return np.asarray(np.minimum(np.maximum(drawn, self.minimum), self.maximum))

    def _normal(self, uniform: Floats) -> Iterator[float]:
        assert self.mean is not None
        assert self.deviation is not None
        for share, mean, deviation, low, high in zip(
            uniform, self.mean, self.deviation, self.minimum, self.maximum, strict=True
        ):
            if deviation == 0:
                yield min(max(mean, low), high)
                continue
            below, above = _share((low - mean) / deviation), _share((high - mean) / deviation)
            place = min(max(below + share * (above - below), _LEAST_SHARE), 1 - _LEAST_SHARE)
            yield min(max(mean + deviation * _NORMAL.inv_cdf(place), low), high)


def _share(deviations: float) -> float:
    """Return the share of a normal distribution below a number of deviations from its mean."""
    if math.isinf(deviations):
        return 0.0 if deviations < 0 else 1.0
    return _NORMAL.cdf(deviations)


def uniform_numbers(seed: int, world: int, rule: int, count: int) -> Floats:
    """Return uniform numbers (count,) in (0, 1), determined by seed, world and rule."""
    source = np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(world, rule)))
    bits = np.atleast_1d(source.random_raw(count)) >> np.uint64(12)
    return np.asarray((bits + 0.5) * 2.0**-52)
