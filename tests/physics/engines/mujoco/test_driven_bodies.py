"""Bodies that animations lead push neither each other nor the bodies that carry them."""

from __future__ import annotations

import numpy as np
import pytest

import ligament as lg
from ligament.author.ragdoll import add_ragdoll
from ligament.demo import assets
from tests.play.files import BALL, CUBE, animate, node, physics_file

TIMES = [0.0, 1.0]


def test_driven_bodies_that_overlap_do_not_push_each_other() -> None:
    """Contacts of two bodies that nothing moves had forces of 1e9 N."""
    document = physics_file(
        node("one", motion={"mass": 1}, shape=CUBE),
        node("other", at=(0.9, 0, 0), motion={"mass": 1}, shape=CUBE),
        node("ball", at=(0, 1.0, 0), motion={"mass": 1}, shape=BALL),
    )
    for target, x in ((0, 0.0), (1, 0.9)):
        animate(document, target, "translation", TIMES, [[x, 0, 0], [x, 0.1, 0]])
    simulation = lg.Simulation(document, engine="mujoco")
    for _ in range(30):
        simulation.step()
        assert simulation.engine.contacts().forces.max(initial=0.0) < 1e3


def test_a_driven_body_does_not_push_the_body_that_carries_it() -> None:
    document = physics_file(
        node("chest", at=(0, 100, 0), motion={"mass": 1}, shape=CUBE, children=[1]),
        node("arm", at=(0.6, 0, 0), motion={"mass": 1}, shape=CUBE),
    )
    animate(document, 1, "translation", TIMES, [[0.6, 0, 0], [0.3, 0.2, 0]])
    run = lg.simulate(document, seconds=1, engine="mujoco")
    chest = run.nodes.tolist().index(0)
    assert run.translation[-1, chest] == pytest.approx([0, 100 - 9.81 / 2, 0], abs=1e-3)
    assert run.angular_velocity[-1, chest] == pytest.approx(np.zeros(3), abs=1e-6)


@pytest.mark.filterwarnings("ignore::ligament.errors.LigamentWarning")
def test_a_ragdoll_whose_arms_and_spine_wave_is_not_thrown() -> None:
    """Contacts at the joints between led bodies and those above them made it explode in 0.9 s."""
    editor = lg.Editor(lg.load(next(path for path in assets() if path.name == "avatar.vrm")))
    add_ragdoll(editor)
    simulation = lg.Simulation(editor.document, engine="mujoco", quality="balanced")
    speeds = list[float]()
    for _ in range(90):
        simulation.step()
        speeds.append(float(np.linalg.norm(simulation.state.linear_velocity, axis=1).max()))
    # Feet meet at 10 m/s as the legs fall together from the stride of the start.
    assert max(speeds) < 15.0
