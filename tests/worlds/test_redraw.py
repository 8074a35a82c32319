"""Worlds can be given other variations: those that worlds of other numbers or seeds have."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ligament as lg
from ligament.errors import ContentError
from tests.envs.scenes import PUSH, QUICK, cart

MASS = {"quantity": "mass", "nodes": "*", "distribution": "uniform", "min": 0.5, "max": 2.0}
SPEED = {
    "quantity": "drive_velocity",
    "nodes": "Rail",
    "distribution": "uniform",
    "min": -1,
    "max": 1,
}


def made(rules: list[Any], count: int = 3, **options: Any) -> lg.Worlds:
    return lg.Worlds(cart(), count, vary={"vary": rules}, **{**QUICK, **options})


@pytest.mark.parametrize("rules", [[PUSH], [PUSH, MASS], [SPEED]], ids=["push", "mass", "speed"])
def test_a_redrawn_world_equals_the_world_of_its_draw(rules: list[Any]) -> None:
    whole, some = made(rules, 6), made(rules)
    some.step(3)
    some.reset(np.array([True, False, True]), draws=np.array([5, 0, 3]))
    np.testing.assert_array_equal(some.parameters[[0, 2]], whole.parameters[[5, 3]])
    np.testing.assert_array_equal(some.start_targets[[0, 2]], whole.start_targets[[5, 3]])
    for _ in range(2):
        np.testing.assert_array_equal(some.translation[[0, 2]], whole.translation[[5, 3]])
        np.testing.assert_array_equal(some.angular_velocity[[0, 2]], whole.angular_velocity[[5, 3]])
        whole.step(4)
        some.step(4)
    some.reset()  # to the start that they have now
    whole.reset()
    np.testing.assert_array_equal(some.linear_velocity[[0, 2]], whole.linear_velocity[[5, 3]])


def test_seeds_may_differ_from_world_to_world() -> None:
    worlds, other = made([PUSH]), made([PUSH], seed=9)
    worlds.reset(draws=np.arange(3), seeds=np.array([0, 9, 0]))
    np.testing.assert_array_equal(worlds.parameters[1], other.parameters[1])
    np.testing.assert_array_equal(worlds.angular_velocity[1], other.angular_velocity[1])


def test_processes_redraw_as_threads_do() -> None:
    with made([PUSH, MASS], engine="rapier") as worlds:
        worlds.reset(draws=np.array([4, 1, 2]))
        worlds.step(5)
        with made([PUSH, MASS], 5, engine="rapier") as whole:
            whole.step(5)
            np.testing.assert_array_equal(worlds.translation[0], whole.translation[4])


def test_invalid_draws_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    worlds = made([PUSH])
    for wrong in ([0.5, 1, 2], [0, 1], [-1, 0, 0]):
        with pytest.raises(ContentError, match="draws of"):
            worlds.reset(draws=np.array(wrong))
    assert worlds.can_redraw

    class Fixed:
        """A backend that only goes back to its start."""

    monkeypatch.setattr(worlds, "_backend", Fixed())
    assert not worlds.can_redraw
    with pytest.raises(ContentError, match="cannot redraw worlds"):
        worlds.reset(draws=np.arange(3))
