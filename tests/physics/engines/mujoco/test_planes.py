"""Planes of MuJoCo."""

from __future__ import annotations

import pytest

import ligament as lg
from ligament.options.names import QUALITIES
from tests.play.files import node, physics_file


@pytest.mark.parametrize("scale", [(1, 1, 1), (-1, 1, 1)])
@pytest.mark.parametrize("quality", QUALITIES)
def test_an_upright_cylinder_rests_on_a_plane(quality: str, scale: tuple[int, ...]) -> None:
    document = physics_file(
        node("floor", shape=3, scale=scale), node("tin", at=(0, 0.5, 0), motion={}, shape=4)
    )
    tin = {"height": 0.4, "radiusTop": 0.3, "radiusBottom": 0.3}
    document.json["extensions"]["KHR_implicit_shapes"]["shapes"] += [
        {"type": "plane"},
        {"type": "cylinder", "cylinder": tin},
    ]
    run = lg.simulate(document, seconds=1.5, engine="mujoco", quality=quality)
    height = run.translation[:, 0, 1]
    assert height.min() > 0.17
    assert height[-1] == pytest.approx(0.2, abs=0.002)
