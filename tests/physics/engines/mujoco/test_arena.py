"""A scene with more contacts than MuJoCo has memory for: one line, never its own error."""

from __future__ import annotations

import pytest

import ligament as lg
from ligament.errors import SimulationError

pytest.importorskip("mujoco")

KHR, SHAPES = "KHR_physics_rigid_bodies", "KHR_implicit_shapes"


def pile(count: int) -> lg.Document:
    """Boxes in one place: each touches every other in four points."""
    body = {KHR: {"motion": {}, "collider": {"geometry": {"shape": 0}}}}
    return lg.Document(
        {
            "asset": {"version": "2.0"},
            "extensionsUsed": [KHR, SHAPES],
            "extensions": {SHAPES: {"shapes": [{"type": "box"}]}, KHR: {}},
            "scene": 0,
            "scenes": [{"nodes": [*range(count)]}],
            "nodes": [{"extensions": body} for _ in range(count)],
        }
    )


# Of 200 boxes the contacts fit and the solver finds no room; of 300 not even the contacts do.
@pytest.mark.parametrize("count", [200, 300])
def test_contacts_that_do_not_fit_end_the_simulation(count: int) -> None:
    with pytest.raises(SimulationError, match="no memory for more than") as caught:
        lg.simulate(pile(count), seconds=0.05, engine="mujoco")
    assert "engine rapier" in str(caught.value)
