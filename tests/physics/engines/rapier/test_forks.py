"""Pools of threads, in forks of a process that has them."""

from __future__ import annotations

import os

import pytest

import ligament as lg
from ligament.physics.engines.rapier.world import build
from tests.test_forks import ROPE, in_a_fork, swung


class Pools:
    """A world that notes which pools of threads it is given."""

    def __init__(self) -> None:
        self.given: list[int | None] = []

    def set_num_threads(self, count: int | None) -> None:
        self.given.append(count)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no forks")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:.*fork:RuntimeWarning")  # of JAX
def test_pools_are_released_before_a_fork_of_a_fork() -> None:
    """Dropped after it, they would wake threads that are gone, and may have left a lock behind."""
    world = Pools()

    def given() -> bytes:
        build._WORLDS.current[world] = world
        in_a_fork(lambda: b"")
        return repr(world.given).encode()

    swung(lg.Simulation(lg.load(ROPE)))
    assert in_a_fork(given) == b"[None, 1]"
