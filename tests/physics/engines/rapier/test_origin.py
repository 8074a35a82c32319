"""Scenes far from the origin move as they do near it."""

from __future__ import annotations

import numpy as np
import pytest

import ligament as lg
from tests.play.files import BALL, FLOOR, animate, node, physics_file

HINGE = [
    {"linearAxes": [0, 1, 2], "min": 0, "max": 0},
    {"angularAxes": [0, 1], "min": 0, "max": 0},
]


def scene(*at):
    """A pendulum on a pivot in the world, and a ball above a moving floor."""
    x, y, z = at
    document = physics_file(
        node(
            "Bob", at=(x + 1, y, z), motion={"mass": 1, "inertiaDiagonal": [0.1] * 3}, children=[1]
        ),
        node("End", at=(-1, 0, 0)),
        node("Pivot", at=at, joint={"connectedNode": 1, "joint": 0}),
        node("Ball", at=(x, y - 3, z + 5), motion={"mass": 1}, shape=BALL),
        node("Floor", at=(x, y - 5, z + 5), motion={"isKinematic": True}, shape=FLOOR),
        joints=[{"limits": HINGE}],
    )
    animate(document, 4, "translation", [0, 2], [[x, y - 5, z + 5], [x, y - 4, z + 5]])
    return document


@pytest.mark.parametrize("quality", ["exact", "fast"])
@pytest.mark.parametrize("at", [(10_000.0, 0.0, 0.0), (3e5, 2e5, -1e5)])
def test_a_distant_scene_moves_as_it_does_at_the_origin(at, quality):
    """At 10 km the pendulum stood still: single precision resolves a millimetre there."""
    near = lg.simulate(scene(0.0, 0.0, 0.0), seconds=2, quality=quality, contact_points=True)
    far = lg.simulate(scene(*at), seconds=2, quality=quality, contact_points=True)
    assert far.translation - at == pytest.approx(near.translation, abs=2e-5)
    assert far.rotation == pytest.approx(near.rotation, abs=2e-5)
    assert np.ptp(near.translation[:, 0, 1]) > 0.9


def test_pushes_rays_teleports_and_snapshots_are_in_the_world():
    at = np.array([5000.0, 0.0, 0.0])
    document = physics_file(node("Ball", at=at, motion={"mass": 2}, shape=BALL))
    simulation = lg.Simulation(document, gravity=(0, 0, 0))
    above = np.array([0.0, 10.0, 0.0])
    hit = simulation.cast_ray(at + above, (0, -1, 0))
    assert hit.point == pytest.approx(at + above / 20, abs=1e-5)
    simulation.apply_impulse("Ball", (2, 0, 0), point=at)
    saved = simulation.snapshot()
    for _ in range(60):
        simulation.step()
    assert simulation.translation[0] == pytest.approx([5001.0, 0.0, 0.0], abs=1e-4)
    assert simulation.angular_velocity[0] == pytest.approx(np.zeros(3), abs=1e-6)
    simulation.restore(saved)
    assert simulation.translation[0] == pytest.approx(at, abs=1e-5)


def test_a_body_far_from_the_others_is_reported():
    bodies = [
        node(f"Ball {i}", at=(x, 0, 0), motion={"mass": 1}) for i, x in enumerate((0, 1, 2e4))
    ]
    with pytest.warns(lg.LigamentWarning, match="/nodes/2: a body 20 km from .* steps of 2 mm"):
        lg.Simulation(physics_file(*bodies))


def test_bodies_far_from_each_other_are_reported_in_one_line():
    bodies = [
        node(f"Ball {i}", at=(x, 0, 0), motion={"mass": 1}) for i, x in enumerate((0, 1, 2e4, 3e4))
    ]
    with pytest.warns(lg.LigamentWarning) as warned:
        lg.Simulation(physics_file(*bodies))
    (line,) = (str(each.message) for each in warned)
    assert "/nodes/3: 2 bodies up to 30 km from the local origin" in line
