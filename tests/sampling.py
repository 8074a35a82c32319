"""Samples of long tests: a fixed few of the cases in `make test`, all of them in `make soak`."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeVar

import pytest
from hypothesis import settings

Case = TypeVar("Case")

IS_SOAK: Final = bool(os.environ.get("LIGAMENT_SOAK"))
EXAMPLES: Final = 1200 if IS_SOAK else 15
"""How many examples Hypothesis tries."""


def examples(count: int) -> settings:
    """Try fewer examples in `make test`, where one takes long, and as many as ever in a soak."""
    return settings(max_examples=EXAMPLES if IS_SOAK else count)


def sample(cases: Iterable[Case], count: int) -> list[Case]:
    """Return `count` of the cases, evenly spread, the first and the last among them; or all."""
    every = list(cases)
    if IS_SOAK or len(every) <= count:
        return every
    if count == 1:
        return every[:1]
    return [every[round(i * (len(every) - 1) / (count - 1))] for i in range(count)]


def seeded(seeds: int, in_turn: int, **axes: Iterable[Any]) -> pytest.MarkDecorator:
    """Parametrize by every combination of some values, and by `seed`.

    A soak runs all seeds with each combination, `make test` one of the first `in_turn`, in turn,
    so that each value gets all of these. The keys of a mapping are the names of its values.
    """
    named = [
        list(values.items() if isinstance(values, Mapping) else ((str(v), v) for v in values))
        for values in axes.values()
    ]
    cases = []
    for places in itertools.product(*(range(len(values)) for values in named)):
        names, row = zip(*(named[i][place] for i, place in enumerate(places)), strict=True)
        for seed in range(seeds) if IS_SOAK else [sum(places) % in_turn]:
            cases.append(pytest.param(*row, seed, id="-".join([*names, str(seed)])))
    return pytest.mark.parametrize((*axes, "seed"), cases)
