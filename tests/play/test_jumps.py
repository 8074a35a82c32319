"""Jumps of an animation are teleports: nothing is thrown."""

from __future__ import annotations

import numpy as np
import pytest

import ligament as lg
from ligament.gltf.animation import Clip, Track
from ligament.gltf.jumps import find_jumps

from .files import BALL, CUBE, FLOOR, animate, assert_baked, node, physics_file, track_of

TIMES = np.linspace(0, 2, 9)


def lift(**motion: object) -> lg.Document:
    return physics_file(
        node("Lift", shape=CUBE, scale=[4, 1, 4], motion={"isKinematic": True, **motion}),
        node("Box", at=(0, 1, 0), shape=CUBE, motion={"mass": 1}),
    )


@pytest.mark.parametrize("to", [(0, 3, 0), (0, 0.3, 0), (3, 0, 0), (0, -3, 0)])
def test_a_step_throws_nothing(to):
    document = lift()
    animate(document, 0, "translation", [0, 1], [[0, 0, 0], to], "STEP")
    recording = lg.simulate(document, seconds=2)
    box = track_of(recording, 1)
    assert box[:, 1].max() < (1.31 if to[1] == 0.3 else 1.01)
    assert np.abs(box[:, [0, 2]]).max() < 0.3
    speed = np.linalg.norm(recording.linear_velocity[:, 1], axis=1)
    assert speed.max() < 9.85  # that of a second of free fall
    assert_baked(document, recording)


def test_sleeping_bodies_inside_a_jump_are_moved_out():
    document = physics_file(
        node("Floor", at=(0, -0.5, 0), shape=FLOOR),
        node("Wall", at=(0, 0.5, 0), shape=CUBE),
        node("Box", at=(1.6, 0.5, 0), shape=CUBE, motion={"mass": 1}),
    )
    animate(document, 1, "scale", [0, 1], [[1, 1, 1], [3, 1, 3]], "STEP")
    recording = lg.simulate(document, seconds=2)
    box = track_of(recording, 2)
    assert box[59] == pytest.approx([1.6, 0.5, 0], abs=1e-3)
    assert box[-1] == pytest.approx([2.0, 0.5, 0], abs=0.02)
    assert np.abs(recording.linear_velocity).max() < 0.3


def test_a_rotation_that_jumps_throws_nothing():
    document = lift()
    animate(document, 0, "rotation", [0, 1], [[0, 0, 0, 1], [0, 1, 0, 0]], "STEP")
    recording = lg.simulate(document, seconds=2)
    assert np.abs(track_of(recording, 1) - [0, 1, 0]).max() < 2e-3


def test_a_loop_starts_again_without_a_throw():
    document = lift()
    animate(document, 0, "translation", [0, 1], [[0, 0, 0], [0.5, 0, 0]])
    recording = lg.simulate(document, seconds=3, loop=True)
    velocity = recording.linear_velocity[:, 1]
    assert velocity[20:, 0].min() > 0.3  # it goes on at the speed of the lift
    assert velocity[20:, 0].max() < 0.51
    assert np.abs(velocity[:, 1]).max() < 0.2
    assert_baked(document, recording)


def test_a_loop_that_ends_where_it_began_carries_on():
    document = lift()
    animate(document, 0, "translation", [0, 1, 2], [[0, 0, 0], [0, 1, 0], [0, 0, 0]])
    recording = lg.simulate(document, seconds=4, loop=True)
    gap = track_of(recording, 1)[:, 1] - track_of(recording, 0)[:, 1]
    assert gap.min() > 0.98


def test_a_pendulum_whose_pivot_jumps_is_pulled_after_it():
    limits = [{"limits": [{"linearAxes": [0, 1, 2], "min": 0, "max": 0}]}]
    document = physics_file(
        node("Pivot", motion={"isKinematic": True}),
        node("Bob", at=(0, -2, 0), shape=BALL, motion={"mass": 1}, children=[2]),
        node("Hook", at=(0, 2, 0), joint={"connectedNode": 0, "joint": 0}),
        joints=limits,
    )
    animate(document, 0, "translation", [0, 1], [[0, 0, 0], [3, 0, 0]], "STEP")
    recording = lg.simulate(document, seconds=4)
    speed = np.linalg.norm(recording.linear_velocity[:, 1], axis=1)
    assert speed.max() < 7.0  # a fall of 2 m from the height of the pivot gives 6.3 m/s
    arm = np.linalg.norm(track_of(recording, 1) - [3, 0, 0], axis=1)
    assert arm[-60:] == pytest.approx(2.0, abs=0.02)
    assert_baked(document, recording)


def clip(interpolation: str, times: list[float], values: list[float]) -> Clip:
    points = np.array([[v, 0, 0] for v in values])
    if interpolation == "CUBICSPLINE":
        points = np.stack([0 * points, points, 0 * points], axis=1)
    track = Track(0, "translation", np.array(times), points, interpolation)  # type: ignore[arg-type]
    return Clip("clip", (track,))


@pytest.mark.parametrize(
    ("played", "loop", "expected"),
    [
        (clip("STEP", [0, 1], [0, 1]), False, [1.0]),
        (clip("STEP", [0, 1], [1, 1]), False, []),
        (clip("LINEAR", [0, 1], [0, 1]), False, []),
        (clip("LINEAR", [0, 1], [0, 1]), True, [1.0, 2.0]),
        (clip("LINEAR", [0, 0.5, 1], [0, 1, 0]), True, []),
        (clip("CUBICSPLINE", [0, 1], [0, 1]), True, [1.0, 2.0]),
        (clip("LINEAR", [0, 0.6, 0.6004, 1], [0, 0, 1, 1]), False, [0.75]),
        (clip("LINEAR", [0, 0.6, 0.65, 1], [0, 0, 9, 9]), False, []),  # fast, and no jump
    ],
)
def test_a_jump_is_in_the_keys(played, loop, expected):
    jumps = find_jumps(1, [played], TIMES, loop=loop)
    assert TIMES[1:][jumps[:, 0]].tolist() == expected
