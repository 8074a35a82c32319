"""Hard bounds: what meets one stops there, and stays."""

from __future__ import annotations

import pytest

import ligament as lg
from ligament.physics.engines import ENGINES
from tests.play.files import node, physics_file

POINT = {"linearAxes": [0, 1, 2], "min": 0, "max": 0}
HINGE = [POINT, {"angularAxes": [1, 2], "min": 0, "max": 0}]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_hinge_does_not_drift_away_from_its_bound(engine: str) -> None:
    """3 rad/s against a bound: after 2 s within 0.04 rad, 0.7 % of the speed given back."""
    motion = {"mass": 1.0, "inertiaDiagonal": [0.1] * 3, "angularVelocity": [3, 0, 0]}
    document = physics_file(
        node("Door", motion={**motion, "gravityFactor": 0.0}),
        node("Frame", joint={"connectedNode": 0, "joint": 0}),
        joints=[{"limits": [*HINGE, {"angularAxes": [0], "min": -0.5, "max": 0.5}]}],
    )
    (value,) = (
        limit.value
        for limit in lg.simulate(document, seconds=2, engine=engine).limits
        if limit.axes == (0,)
    )
    assert value.max() < 0.51
    assert abs(value[-1]) == pytest.approx(0.5, abs=0.04)
