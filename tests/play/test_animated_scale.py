"""Animated scale reaches colliders, triggers, kinematic bodies and whatever is below them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import ligament as lg

from .files import BALL, CUBE, FLOOR, animate, assert_baked, node, physics_file, smooth, track_of

UP = {"mass": 1.0, "inertiaDiagonal": [0.0, 0.0, 0.0]}  # infinite: it cannot tip over


def floor_and_box(**floor: Any) -> lg.Document:
    """A slab of 4 m by 1 m by 4 m whose top is at 0.5 m, and a cube of 1 m that stands on it."""
    slab = node("Floor", shape=CUBE, scale=[4, 1, 4], **floor)
    return physics_file(slab, node("Box", at=(0, 1, 0), shape=CUBE, motion={"mass": 1}))


@pytest.mark.parametrize("motion", [None, {"isKinematic": True}], ids=["static", "kinematic"])
def test_a_growing_floor_lifts_the_body_on_it(motion):
    document = floor_and_box(motion=motion)
    animate(document, 0, "scale", [0.5, 1.5], smooth([4, 1, 4], [4, 3, 4]), "CUBICSPLINE")
    recording = lg.simulate(document, seconds=2.5)
    eased = np.clip(recording.times - 0.5, 0, 1)
    top = (1 + 2 * (3 * eased**2 - 2 * eased**3)) / 2
    gap = track_of(recording, 1)[:, 1] - top - 0.5
    assert np.abs(gap).max() < 0.01  # up to 1.5 m/s
    assert abs(gap[-1]) < 1e-3
    assert_baked(document, recording)


@pytest.mark.parametrize("interpolation", ["LINEAR", "CUBICSPLINE"])
def test_a_scale_of_an_ancestor_counts_as_much(interpolation):
    document = physics_file(
        {"name": "Group", "children": [1]},
        node("Floor", shape=CUBE, scale=[4, 1, 4]),
        node("Box", at=(0, 1, 0), shape=CUBE, motion={"mass": 1}),
    )
    keys = [[1, 1, 1], [1, 2, 1]]
    keys = smooth(*keys) if interpolation == "CUBICSPLINE" else keys
    animate(document, 0, "scale", [0, 1], keys, interpolation)
    recording = lg.simulate(document, seconds=2)
    assert track_of(recording, 2)[-1, 1] == pytest.approx(1.5, abs=2e-3)
    # A floor that stops at 0.5 m/s lets go of what it carries: 13 mm, as any lift does.
    assert track_of(recording, 2)[:, 1].max() < 1.52
    assert_baked(document, recording)


def test_to_zero_and_back_is_off_and_on():
    document = floor_and_box()
    animate(document, 0, "scale", [0, 1, 1.1], [[4, 1, 4], [0, 0, 0], [4, 1, 4]], "STEP")
    recording = lg.simulate(document, seconds=2)
    height = track_of(recording, 1)[:, 1]
    fallen = 9.81 * 0.1**2 / 2
    assert height[59] == pytest.approx(1.0, abs=1e-3)
    assert height[66] == pytest.approx(1.0 - fallen, abs=0.01)
    assert height[-1] == pytest.approx(1.0, abs=5e-3)  # back on top, 5 cm up
    assert np.diff(height).max() < 0.02  # and not thrown: 1 m/s at most
    assert_baked(document, recording)


def test_a_collider_that_starts_at_zero_is_there_when_it_has_grown():
    document = floor_and_box()
    animate(document, 0, "scale", [0, 0.2], [[0, 0, 0], [4, 1, 4]], "STEP")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        recording = lg.simulate(document, seconds=1)
    assert track_of(recording, 1)[-1, 1] == pytest.approx(1.0, abs=5e-3)


def test_a_body_with_only_a_scale_channel_falls_and_grows():
    document = physics_file(
        node("Box", at=(0, 3, 0), shape=CUBE, motion={}),
        node("Floor", at=(0, -0.5, 0), shape=FLOOR),
    )
    animate(document, 0, "scale", [0, 1], [[1, 1, 1], [2, 2, 2]])
    sim = lg.Simulation(document)
    for _ in range(30):
        sim.step()
    assert sim.translation[0, 1] == pytest.approx(3 - 9.81 / 8, abs=0.05)
    for _ in range(90):
        sim.step()
    assert sim.translation[0, 1] == pytest.approx(1.0, abs=2e-3)
    assert sim.contacts().forces.sum() == pytest.approx(8000 * 9.81, rel=0.02)  # mass follows
    assert_baked(document, lg.simulate(document, seconds=2))


def test_a_mass_that_is_given_stays():
    document = physics_file(
        node("Box", at=(0, 0.5, 0), shape=CUBE, motion={"mass": 3}),
        node("Floor", at=(0, -0.5, 0), shape=FLOOR),
    )
    animate(document, 0, "scale", [0, 1], [[1, 1, 1], [2, 2, 2]])
    sim = lg.Simulation(document)
    for _ in range(120):
        sim.step()
    assert sim.contacts().forces.sum() == pytest.approx(3 * 9.81, rel=0.02)


def test_a_trigger_grows_and_shrinks_to_nothing():
    ball = node("Ball", at=(1.5, 0, 0), shape=BALL, motion={"mass": 1, "gravityFactor": 0})
    document = physics_file(node("Trigger", trigger=CUBE), ball)
    animate(document, 0, "scale", [0, 1, 2], [[1, 1, 1], [3, 3, 3], [0, 0, 0]])
    events = lg.simulate(document, seconds=3).events
    # Its side is at 1 m, where the ball begins, at 0.5 s and again at 4/3 s; a touch is no overlap.
    assert [(event.type, round(event.time, 3)) for event in events] == [
        ("trigger_enter", 0.517),
        ("trigger_exit", 1.35),
    ]


def test_an_uneven_scale_makes_a_ball_an_ellipsoid():
    document = physics_file(
        node("Ball", shape=BALL), node("Plate", at=(0, 1, 0), shape=CUBE, motion=UP)
    )
    animate(document, 0, "scale", [0.2, 0.7], [[1, 1, 1], [1, 2, 3]])
    recording = lg.simulate(document, seconds=1.5)
    assert track_of(recording, 1)[-1, 1] == pytest.approx(1.5, abs=0.015)
    assert_baked(document, recording)


def test_colliders_of_a_body_move_apart_with_its_scale():
    legs = [node(f"Leg {i}", at=(2 * i - 1, 0, 0), shape=CUBE) for i in range(2)]
    body = node("Body", at=(0, 0.5, 0), motion={"mass": 2}, children=[2, 3])
    document = physics_file(node("Floor", at=(0, -0.5, 0), shape=FLOOR), body, *legs)
    animate(document, 1, "scale", [0, 1], [[1, 1, 1], [2, 1, 1]])
    sim = lg.Simulation(document)
    for _ in range(90):
        sim.step()
    hit = sim.cast_ray((2.9, 5, 0), (0, -1, 0))
    assert hit is not None
    assert (hit.node, round(hit.distance, 2)) == (3, 4.0)
    inside = sim.cast_ray((0.5, 5, 0), (0, -1, 0))
    assert inside is not None
    assert inside.node == 0


def test_a_snapshot_of_a_scene_that_grows():
    document = floor_and_box()
    animate(document, 0, "scale", [0, 1, 1.5, 1.6], [[4, 1, 4], [4, 2, 4], [0, 0, 0], [4, 2, 4]])
    sim = lg.Simulation(document)

    def go(frames: int) -> list[bytes]:
        found = []
        for _ in range(frames):
            sim.step()
            found.append(np.concatenate([sim.translation, sim.linear_velocity]).tobytes())
        return found

    go(80)
    saved = sim.snapshot()
    after = go(60)
    sim.restore(saved)
    assert go(60) == after


def test_back_to_the_start_is_the_start():
    document = physics_file(
        node("Box", at=(0, 2, 0), shape=CUBE, motion={}),
        node("Floor", at=(0, -0.5, 0), shape=FLOOR),
        node("Trigger", at=(0, 1, 0), trigger=CUBE),
    )
    animate(document, 0, "scale", [0, 0.5], [[1, 1, 1], [2, 1, 1]])
    animate(document, 2, "scale", [0, 0.5], [[1, 1, 1], [2, 2, 2]])
    sim = lg.Simulation(document)
    start = sim.snapshot()
    runs = []
    for _ in range(2):
        for _ in range(60):
            sim.step()
        runs.append((np.concatenate([*sim.state], axis=1).tobytes(), sim.events))
        sim.restore(start)
    assert runs[0] == runs[1]


def test_growth_beyond_the_largest_size_is_reported():
    document = floor_and_box()
    animate(document, 0, "scale", [0, 0.1], [[4, 1, 4], [1e9, 1e9, 1e9]])
    with pytest.warns(lg.LigamentWarning, match="left out from") as reported:
        lg.simulate(document, seconds=0.5)
    assert len(reported) == 1
