"""Fuzzing targets: one module each, with its input and what is done with it."""

from __future__ import annotations

import functools
import importlib
import random
from collections.abc import Callable, Sequence
from typing import NamedTuple

NAMES = (
    "container", "extensions", "accessors", "rig", "simulate", "convert", "compare", "bvh", "usd",
    "snapshots", "uris",
)  # fmt: skip


class Target(NamedTuple):
    """A function of bytes, honest inputs to start from, and how they are changed.

    `run` raises LigamentError on inputs that it refuses, and nothing else.
    """

    run: Callable[[bytes], None]
    seeds: Callable[[], Sequence[bytes]]
    mutate: Callable[[bytes, random.Random], bytes]


@functools.cache
def find_target(name: str) -> Target:
    """Return a target, imported when it is first used."""
    module = importlib.import_module(f"fuzz.targets.{name}")
    return Target(module.run, module.seeds, module.mutate)
