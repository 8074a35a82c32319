"""The time line against closed forms: free fall, rest, animation that pushes, moved parents."""

from __future__ import annotations

import math

import numpy as np
import pytest

import ligament as lg
from ligament import transforms as tf
from ligament.errors import ContentError, LigamentWarning
from ligament.gltf.animation import read_clip, sample_pose
from ligament.gltf.tree import NodeTree
from tests.play.files import BALL, CUBE, FLOOR, animate, node, physics_file

HALF_TURN_Y = [0, 1, 0, 0]
QUARTER_Y = [0, math.sqrt(0.5), 0, math.sqrt(0.5)]


def column(recording, index):
    return recording.nodes.tolist().index(index)


def test_free_fall_to_the_order_of_the_integrator():
    doc = physics_file(node("Ball", at=(1, 2, 3), motion={"mass": 2}, shape=BALL))
    recording = lg.simulate(doc, seconds=1)
    # Semi-implicit Euler at step h is ahead by g·t·h/2 at most.
    fallen = recording.translation[:, 0] - [1, 2, 3]
    wanted = -0.5 * 9.81 * recording.times**2
    assert np.abs(fallen[:, 1] - wanted).max() < 9.81 / 60 / 2 + 1e-3
    assert np.abs(fallen[:, [0, 2]]).max() < 1e-6
    assert recording.linear_velocity[-1, 0] == pytest.approx([0, -9.81, 0], abs=1e-3)


def test_gravity_is_an_option():
    doc = physics_file(node("Ball", motion={"mass": 2}, shape=BALL))
    recording = lg.simulate(doc, seconds=1, gravity=(1, 0, 0))
    assert recording.linear_velocity[-1, 0] == pytest.approx([1, 0, 0], abs=1e-4)


def test_velocities_are_in_node_space_and_not_scaled():
    doc = physics_file(
        node("Parent", rotation=QUARTER_Y, scale=[3, 3, 3], children=[1]),
        node("Body", motion={"mass": 1, "linearVelocity": [0, 0, 1], "gravityFactor": 0}),
    )
    recording = lg.simulate(doc, seconds=1)
    assert recording.translation[-1, 0] == pytest.approx([1, 0, 0], abs=1e-5)


def test_output_rate_does_not_change_the_motion_much():
    def fall(rate):
        doc = physics_file(node("Ball", motion={"mass": 2}, shape=BALL))
        return lg.simulate(doc, seconds=1, rate=rate)

    slow, fast = fall(10), fall(60)
    assert len(slow.times) == 11
    assert slow.translation[-1] == pytest.approx(fast.translation[-1], abs=1e-4)


def test_static_floor_is_not_recorded_and_holds():
    doc = physics_file(
        node("Floor", at=(0, -0.5, 0), shape=FLOOR),
        node("Cube", at=(0, 1, 0), motion={}, shape=CUBE),
    )
    recording = lg.simulate(doc, seconds=3)
    assert recording.nodes.tolist() == [1]
    assert recording.translation[-1, 0, 1] == pytest.approx(0.5, abs=1e-3)


def test_until_rest_stops_early():
    doc = physics_file(
        node("Floor", at=(0, -0.5, 0), shape=FLOOR),
        node("Cube", at=(0, 0.6, 0), motion={}, shape=CUBE),
    )
    recording = lg.simulate(doc, until_rest=True)
    assert 0.5 < recording.times[-1] < 10
    assert np.abs(recording.linear_velocity[-1]).max() < 0.01


def test_nodes_outside_the_scene_take_no_part():
    doc = physics_file(
        node("Floor", at=(0, -0.5, 0), shape=FLOOR),
        node("Cube", at=(0, 2, 0), motion={"mass": 1}, shape=CUBE),
    )
    doc.json["scenes"] = [{"nodes": [1]}, {"nodes": [0, 1]}]
    assert lg.simulate(doc, seconds=2).translation[-1, 0, 1] < -10
    assert lg.simulate(doc, seconds=2, scene=1).translation[-1, 0, 1] > 0.4
    with pytest.raises(ContentError, match="there is no scene 2"):
        lg.simulate(doc, scene=2)


def test_a_file_without_scenes_plays_all_nodes():
    doc = physics_file(node("Ball", motion={"mass": 1}, shape=BALL))
    del doc.json["scene"], doc.json["scenes"]
    assert lg.simulate(doc, seconds=1).translation[-1, 0, 1] < -4


def test_an_animated_body_follows_its_animation_exactly_and_pushes():
    doc = physics_file(
        node("Floor", at=(0, -0.5, 0), shape=FLOOR),
        node("Ram", at=(-3, 0.5, 0), motion={"mass": 1}, shape=CUBE),
        node("Ball", at=(0, 0.5, 0), motion={"mass": 1}, shape=BALL),
    )
    animate(doc, 1, "translation", [0, 3], [[-3, 0.5, 0], [3, 0.5, 0]])
    recording = lg.simulate(doc, seconds=3)
    ram = recording.translation[:, column(recording, 1)]
    assert ram[:, 0] == pytest.approx(-3 + 2 * recording.times, abs=1e-5)
    assert recording.translation[-1, column(recording, 2), 0] > 3.9


def test_animation_none_lets_the_body_fall():
    doc = physics_file(node("Ram", motion={"mass": 1}, shape=CUBE))
    animate(doc, 0, "translation", [0, 1], [[0, 0, 0], [3, 0, 0]])
    assert lg.simulate(doc, seconds=1, animations=[]).translation[-1, 0, 1] < -4
    assert lg.simulate(doc, seconds=1).translation[-1, 0] == pytest.approx([3, 0, 0], abs=1e-5)


def test_a_looped_animation_starts_again():
    doc = physics_file(node("Ram", motion={"mass": 1}, shape=CUBE))
    animate(doc, 0, "translation", [0, 1], [[0, 0, 0], [3, 0, 0]])
    recording = lg.simulate(doc, seconds=1.5, loop=True)
    assert recording.translation[-1, 0, 0] == pytest.approx(1.5, abs=1e-5)


def test_a_static_collider_on_an_animated_node_carries():
    doc = physics_file(
        node("Lift", children=[1]),
        node("Platform", at=(0, -0.5, 0), shape=FLOOR),
        node("Cube", at=(0, 0.5, 0), motion={"mass": 1}, shape=CUBE),
    )
    animate(doc, 0, "translation", [0, 4], [[0, 0, 0], [2, 2, 0]])
    recording = lg.simulate(doc, seconds=4)
    assert recording.nodes.tolist() == [2]
    assert recording.translation[-1, 0] == pytest.approx([2, 2.5, 0], abs=0.05)


def test_a_collider_animated_below_a_body_moves_inside_it():
    # The foot of the body slides out from under it: the body comes to rest on the raised foot.
    doc = physics_file(
        node("Floor", at=(0, -0.5, 0), shape=FLOOR),
        node("Body", at=(0, 2, 0), motion={"mass": 1, "inertiaDiagonal": [0, 0, 0]}, children=[2]),
        node("Foot", shape=CUBE),
    )
    animate(doc, 2, "translation", [0, 1], [[0, 0, 0], [0, -1, 0]])
    recording = lg.simulate(doc, seconds=3)
    assert recording.translation[-1, 0, 1] == pytest.approx(1.5, abs=2e-3)


def test_local_transforms_give_the_world_poses_back():
    doc = physics_file(
        node("Root", at=(1, 0, 0), rotation=QUARTER_Y, scale=[2, 2, 2], children=[1]),
        node("Outer", motion={"mass": 1, "angularVelocity": [0, 0, 2]}, children=[2]),
        node("Between", at=(0, 1, 0), rotation=HALF_TURN_Y, children=[3]),
        node("Inner", at=(0.5, 0, 0), motion={"mass": 1, "linearVelocity": [0, 3, 0]}),
    )
    recording = lg.simulate(doc, seconds=1)
    assert recording.local_nodes.tolist() == [1, 3]
    tree = NodeTree(doc)
    frames = len(recording.times)
    pose = [
        np.repeat(v[None], frames, axis=0) for v in (tree.translation, tree.rotation, tree.scale)
    ]
    pose[0][:, recording.local_nodes] = recording.local_translation
    pose[1][:, recording.local_nodes] = recording.local_rotation
    world = tree.world_transforms(*pose)
    assert world.translation[:, recording.nodes] == pytest.approx(recording.translation, abs=1e-9)
    turned = tf.angle_between(world.rotation[:, recording.nodes], recording.rotation)
    assert turned.max() < 1e-6


def test_a_sheared_parent_keeps_the_origin_exact_and_warns():
    doc = physics_file(
        node("Wide", scale=[3, 1, 1], children=[1]),
        node("Turned", rotation=[0, 0, math.sin(0.3), math.cos(0.3)], children=[2]),
        node("Body", at=(1, 1, 0), motion={"mass": 1, "angularVelocity": [1, 0, 0]}),
    )
    recording = lg.simulate(doc, seconds=1)
    with pytest.warns(LigamentWarning, match="sheared parent"):
        local = recording.local_translation
    parent = NodeTree(doc).world_matrices()[1]
    seen = local[:, 0] @ parent[:3, :3].T + parent[:3, 3]
    assert seen == pytest.approx(recording.translation[:, 0], abs=1e-9)


def test_constraints_follow_what_physics_moved():
    doc = physics_file(
        node("Spinner", motion={"mass": 1, "angularVelocity": [0, 1, 0], "gravityFactor": 0}),
        node("Follower", at=(2, 0, 0)),
    )
    doc.json["extensionsUsed"].append("VRMC_node_constraint")
    doc.json["nodes"][1]["extensions"] = {
        "VRMC_node_constraint": {
            "specVersion": "1.0",
            "constraint": {"rotation": {"source": 0}},
        }
    }
    recording = lg.simulate(doc, seconds=1)
    assert recording.local_nodes.tolist() == [0, 1]
    between = tf.angle_between(recording.local_rotation[:, 0], recording.local_rotation[:, 1])
    assert between.max() < 1e-9
    assert tf.angle_between(recording.local_rotation[-1, 1], [0, 0, 0, 1]) == pytest.approx(
        1, abs=1e-3
    )


def test_baking_gives_the_recording_back():
    doc = physics_file(
        node("Floor", at=(0, -0.5, 0), shape=FLOOR),
        node("Tilted", rotation=QUARTER_Y, children=[2]),
        node("Cube", at=(0, 3, 0), motion={"angularVelocity": [1, 2, 3]}, shape=CUBE),
    )
    recording = lg.simulate(doc, seconds=2)
    baked = lg.bake(doc, recording, strip=True)
    assert "extensionsUsed" not in baked.json
    assert "extensions" not in baked.json
    pose = sample_pose(NodeTree(baked), [read_clip(baked, 0)], recording.times)
    assert pose.translation[:, 2] == pytest.approx(recording.local_translation[:, 0], abs=2e-5)
    away = tf.angle_between(pose.rotation[:, 2], recording.local_rotation[:, 0])
    assert away.max() < math.radians(0.02)


def test_the_same_twice_to_the_bit():
    def play():
        doc = physics_file(
            node("Floor", at=(0, -0.5, 0), shape=FLOOR),
            *(
                node(f"Cube {i}", at=(0.1 * i, 1 + 1.1 * i, 0.05 * i), motion={}, shape=CUBE)
                for i in range(5)
            ),
        )
        return lg.simulate(doc, seconds=2)

    one, other = play(), play()
    assert one.translation.tobytes() == other.translation.tobytes()
    assert one.rotation.tobytes() == other.rotation.tobytes()
