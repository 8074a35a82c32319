"""Bodies and colliders follow the nodes that they hang on, animated or simulated."""

from __future__ import annotations

import numpy as np
import pytest

import ligament as lg
from ligament import transforms as tf

from .files import BALL, CUBE, FLOOR, animate, assert_baked, node, physics_file, track_of

QUARTER = [0, 0, 0.5**0.5, 0.5**0.5]


def test_an_animated_body_goes_with_the_body_that_it_hangs_on():
    car = {"mass": 1, "linearVelocity": [2, 3, 0], "angularVelocity": [0, 1, 2]}
    document = physics_file(
        node("Car", at=(0, 5, 0), shape=CUBE, motion=car, children=[1]),
        node("Arm", at=(1, 0, 0), shape=CUBE, motion={"isKinematic": True}, children=[2]),
        node("Hand", at=(1, 0, 0), shape=CUBE, motion={"mass": 1}),
        node("Floor", at=(0, -0.5, 0), shape=FLOOR),
    )
    animate(document, 1, "rotation", [0, 1], [[0, 0, 0, 1], QUARTER])
    animate(document, 2, "translation", [0, 1], [[1, 0, 0], [2, 0, 0]])
    recording = lg.simulate(document, seconds=2)
    car, arm = (np.flatnonzero(recording.nodes == n)[0] for n in (0, 1))
    offset = tf.rotate(recording.rotation[:, car], np.array([1.0, 0, 0]))
    there = recording.translation[:, car] + offset
    assert np.abs(recording.translation[:, arm] - there).max() < 1e-9
    local = recording.local_nodes.tolist().index(1)
    eased = np.minimum(recording.times, 1)[:, None]
    turned = tf.slerp(np.array([0.0, 0, 0, 1]), np.array(QUARTER), eased[:, 0])
    assert np.abs(recording.local_rotation[:, local] - turned).max() < 1e-6
    assert_baked(document, recording)


def test_a_body_and_what_it_carries_do_not_push_each_other():
    """Pushed by its own wheel, the car would rise for ever, or would not fall."""
    document = physics_file(
        node("Car", at=(0, 5, 0), shape=CUBE, motion={"mass": 1}, children=[1]),
        node("Wheel", at=(0, -0.6, 0), shape=BALL, motion={"isKinematic": True}),
    )
    animate(document, 1, "rotation", [0, 1], [[0, 0, 0, 1], QUARTER])
    recording = lg.simulate(document, seconds=1)
    assert track_of(recording, 0)[-1, 1] == pytest.approx(5 - 9.81 / 2, abs=0.1)
    assert_baked(document, recording)


def test_a_kinematic_body_follows_its_animated_ancestors_and_carries():
    document = physics_file(
        {"name": "Rail", "children": [1]},
        {"name": "Wagon", "translation": [0, 0, 0], "children": [2]},
        node("Bed", shape=CUBE, scale=[6, 1, 4], motion={"isKinematic": True}),
        node("Load", at=(0, 1, 0), shape=CUBE, motion={"mass": 1}),
    )
    animate(document, 0, "translation", [0, 2], [[0, 0, 0], [2, 1, 0]])
    recording = lg.simulate(document, seconds=2)
    assert track_of(recording, 2)[-1] == pytest.approx([2, 1, 0], abs=1e-6)
    load = recording.nodes.tolist().index(3)
    assert recording.linear_velocity[-1, load] == pytest.approx([1, 0.5, 0], abs=0.01)
    assert recording.translation[-1, load, 1] == pytest.approx(2.0, abs=2e-3)
    assert_baked(document, recording)


def test_a_kinematic_body_with_a_velocity_and_an_animated_ancestor_is_reported():
    document = physics_file(
        {"name": "Rail", "children": [1]},
        node("Bed", shape=CUBE, motion={"isKinematic": True, "linearVelocity": [1, 0, 0]}),
    )
    animate(document, 0, "translation", [0, 1], [[0, 0, 0], [0, 1, 0]])
    with pytest.warns(lg.LigamentWarning, match="velocity"):
        recording = lg.simulate(document, seconds=1)
    assert track_of(recording, 1)[-1] == pytest.approx([0, 1, 0], abs=1e-6)


def test_a_dynamic_body_does_not_follow_its_ancestors():
    document = physics_file(
        {"name": "Rail", "children": [1]}, node("Ball", shape=BALL, motion={"gravityFactor": 0})
    )
    animate(document, 0, "translation", [0, 1], [[0, 0, 0], [0, 1, 0]])
    recording = lg.simulate(document, seconds=1)
    assert np.abs(track_of(recording, 1)).max() < 1e-6
    assert_baked(document, recording)


@pytest.mark.parametrize("motion", [None, {"isKinematic": True}], ids=["static", "kinematic"])
def test_a_collider_below_an_animated_node_carries_and_pushes(motion):
    document = physics_file(
        node("Base", motion=motion, children=[1]),
        {"name": "Slide", "children": [2]},
        node("Bed", shape=CUBE, scale=[6, 1, 4]),
        node("Load", at=(0, 1, 0), shape=CUBE, motion={"mass": 1}),
    )
    animate(document, 1, "translation", [0, 2], [[0, 0, 0], [2, 1, 0]])
    recording = lg.simulate(document, seconds=2)
    load = recording.nodes.tolist().index(3)
    assert recording.linear_velocity[-1, load] == pytest.approx([1, 0.5, 0], abs=0.01)
    assert recording.translation[-1, load, 1] == pytest.approx(2.0, abs=2e-3)
    assert_baked(document, recording)


def test_a_collider_that_moves_on_a_free_body_pushes_both():
    document = physics_file(
        node("Body", motion={"mass": 3, "gravityFactor": 0}, children=[1]),
        node("Fist", at=(1, 0, 0), shape=CUBE),
        node("Ball", at=(2.001, 0, 0), shape=BALL, motion={"mass": 1, "gravityFactor": 0}),
    )
    animate(document, 1, "translation", [0.2, 0.7], [[1, 0, 0], [2, 0, 0]])
    recording = lg.simulate(document, seconds=1.5)
    body, ball = recording.linear_velocity[-1, :, 0]
    assert ball - body == pytest.approx(2.0, abs=0.02)  # the speed of the fist
    assert 3 * body + ball == pytest.approx(0.0, abs=1e-3)  # and momentum
    assert_baked(document, recording)


def test_legs_that_stretch_lift_their_body():
    document = physics_file(
        node("Floor", at=(0, -0.5, 0), shape=FLOOR),
        node("Body", at=(0, 1, 0), motion={"mass": 5}, children=[2]),
        node("Leg", at=(0, -0.5, 0), shape=CUBE),
    )
    animate(document, 2, "translation", [0.5, 1.5], [[0, -0.5, 0], [0, -1.5, 0]])
    recording = lg.simulate(document, seconds=2.5)
    height = track_of(recording, 1)[:, 1]
    expected = 1 + np.clip(recording.times - 0.5, 0, 1)
    assert np.abs(height - expected)[:90].max() < 0.01
    assert height[-1] == pytest.approx(2.0, abs=2e-3)


def test_a_joint_does_not_pull_a_body_towards_what_it_carries():
    """The arm follows the chest: pulled towards its own arm, the chest was thrown out of sight."""
    lock = {"limits": [{"angularAxes": [0, 1, 2], "min": 0, "max": 0}]}
    document = physics_file(
        node("Chest", at=(0, 5, 0), shape=CUBE, motion={"mass": 1}, children=[1]),
        node(
            "Arm",
            at=(1, 0, 0),
            shape=CUBE,
            motion={"mass": 1},
            joint={"connectedNode": 0, "joint": 0},
        ),
        joints=[lock],
    )
    animate(document, 1, "rotation", [0, 1], [[0, 0, 0, 1], QUARTER])
    idle = pytest.warns(lg.LigamentWarning, match="'Arm' .* on 'Chest' .* does nothing")
    with idle, pytest.warns(lg.LigamentWarning, match="'clip 0' .* 1.57 rad beyond limit 0"):
        recording = lg.simulate(document, seconds=1)
    assert track_of(recording, 0)[-1] == pytest.approx([0, 5 - 9.81 / 2, 0], abs=0.1)
    assert np.abs(recording.rotation[:, 0, :3]).max() < 1e-6
