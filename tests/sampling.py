"""Samples of long tests: a fixed few of the cases in `make test`, all of them in `make soak`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Final, TypeVar

Case = TypeVar("Case")

IS_SOAK: Final = bool(os.environ.get("LIGAMENT_SOAK"))


def sample(cases: Iterable[Case], count: int) -> list[Case]:
    """Return `count` of the cases, evenly spread, the first and the last among them; or all."""
    every = list(cases)
    if IS_SOAK or len(every) <= count:
        return every
    if count == 1:
        return every[:1]
    return [every[round(i * (len(every) - 1) / (count - 1))] for i in range(count)]
