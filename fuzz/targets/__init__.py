"""What is fuzzed: one module for each target, with what it takes and what it does with it."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import NamedTuple

from fuzz.targets import (
    accessors,
    bvh,
    compare,
    container,
    convert,
    extensions,
    rig,
    simulate,
    usd,
)


class Target(NamedTuple):
    """A function of bytes, honest inputs to start from, and how they are changed.

    `run` raises LigamentError on inputs that it refuses, and nothing else.
    """

    run: Callable[[bytes], None]
    seeds: Callable[[], Sequence[bytes]]
    mutate: Callable[[bytes, random.Random], bytes]


TARGETS = {
    module.__name__.rpartition(".")[2]: Target(module.run, module.seeds, module.mutate)
    for module in (
        container, extensions, accessors, rig, simulate, convert, compare, bvh, usd
    )
}  # fmt: skip
"""All targets by name."""
