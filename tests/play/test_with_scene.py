"""A simulation that starts again from a changed scene."""

import dataclasses

import numpy as np
import pytest

import ligament as lg
from ligament.errors import LigamentWarning
from ligament.play.timeline import record
from ligament.recording import frame_times
from tests.play.files import BALL, CUBE, FLOOR, node, physics_file


def document(*, velocity: float = 0.0) -> lg.Document:
    motion = {"mass": 1, "linearVelocity": [velocity, 0, 0]}
    return physics_file(
        node("Ball", at=(0, 1, 0), motion=motion, shape=BALL),
        node("Crate", at=(2, 1, 0), motion={"mass": 1}, shape=CUBE),
        node("Floor", shape=FLOOR),
    )


def test_it_is_a_simulation_of_a_document_with_those_numbers() -> None:
    first = lg.Simulation(document(), rate=30, gravity=(0, -5, 0))
    for _ in range(5):
        first.step()
    before = first.translation
    ball = first.scene.bodies[0]
    faster = dataclasses.replace(ball, linear_velocity=np.array([4.0, 0.0, 0.0]))
    bodies = (faster, *first.scene.bodies[1:])
    second = first.with_scene(dataclasses.replace(first.scene, bodies=bodies))
    assert second.frame == 0
    recording = record(second, frame_times(0.5, 30))
    same = lg.simulate(document(velocity=4.0), seconds=0.5, rate=30, gravity=(0, -5, 0))
    np.testing.assert_array_equal(recording.translation, same.translation)
    np.testing.assert_array_equal(first.translation, before)  # it goes its own way
    assert first.frame == 5


def test_lost_bodies_are_named_and_come_back_with_a_snapshot() -> None:
    sim = lg.Simulation(document(velocity=1e38))
    start = sim.snapshot()
    assert sim.lost == []
    with pytest.warns(LigamentWarning, match="'Ball'"):
        sim.step()
    assert sim.lost == [0]
    sim.restore(start)
    assert sim.lost == []
