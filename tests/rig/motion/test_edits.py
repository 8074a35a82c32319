"""Edits of a motion, and parts of a body."""

from __future__ import annotations

import numpy as np
import pytest

from ligament import transforms as tf
from ligament.errors import ContentError
from ligament.rig.motion import edits
from ligament.rig.motion.bvh import parse_bvh
from ligament.rig.motion.bvh_motion import motion_of_bvh
from ligament.rig.motion.clips import numbered_names
from ligament.rig.motion.motion import Motion
from tests.rig.motion.exporters import STYLES
from tests.rig.motion.styles import (
    Joint,
    bvh_text,
    errors,
    motion_of_bones,
    world_of_joints,
    world_of_motion,
)

TURNS, HIPS = motion_of_bones(frames=12)
JOINTS = STYLES["Mixamo"].joints()


def motion() -> Motion:
    return motion_of_bvh(parse_bvh(bvh_text(JOINTS, TURNS, HIPS, scale=100)))


def hips(of: Motion) -> np.ndarray:
    assert of.hips is not None
    return np.asarray(of.hips.sample(of.times))


def test_in_place_the_hips_go_up_and_down_only() -> None:
    made = edits.in_place(motion())
    np.testing.assert_allclose(hips(made)[:, [0, 2]], 0, atol=1e-9)
    np.testing.assert_allclose(hips(made)[:, 1], HIPS[:, 1], atol=1e-5)


def test_root_motion_put_above_the_hips_gives_the_motion_back() -> None:
    kept, root = edits.split_root(motion())
    whole = root.position + tf.rotate(root.rotation, hips(kept))
    np.testing.assert_allclose(whole, HIPS, atol=1e-5)
    turned = tf.multiply(root.rotation, kept.keys("hips").values)
    assert np.degrees(tf.angle_between(turned, motion().keys("hips").values)).max() < 1e-3
    left = kept.keys("hips").values
    np.testing.assert_allclose(left[:, 1], 0, atol=1e-6)


def test_a_mirror_exchanges_sides_and_two_of_them_nothing() -> None:
    made, own = edits.mirrored(motion()), motion()
    np.testing.assert_allclose(hips(made)[:, 0], -HIPS[:, 0], atol=1e-5)
    x, y, z, w = own.keys("leftUpperArm").values.T
    np.testing.assert_allclose(made.keys("rightUpperArm").values.T, [x, -y, -z, w], atol=1e-9)
    again = edits.mirrored(made)
    for bone in own.bones:
        np.testing.assert_allclose(again.keys(bone).values, own.keys(bone).values, atol=1e-9)


def test_trimming_keeps_what_is_between() -> None:
    own = motion()
    made = edits.trimmed(own, 0.05, 0.21)
    assert made.duration == pytest.approx(0.16)
    assert made.times[0] == 0
    later = own.sample(made.times + 0.05).rotations["head"]
    np.testing.assert_allclose(made.sample(made.times).rotations["head"], later, atol=1e-9)
    with pytest.raises(ContentError, match="nothing from"):
        edits.trimmed(own, 2.0, 1.0)


def test_a_loop_ends_as_it_begins() -> None:
    made = edits.looped(motion(), 0.1)
    for bone in made.bones:
        values = made.keys(bone).values
        assert tf.angle_between(values[0], values[-1]) < 1e-6
    assert hips(made)[-1, 1] == pytest.approx(hips(made)[0, 1])
    start = motion().sample(np.array([0.1])).rotations["spine"]
    np.testing.assert_allclose(made.sample(np.array([0.1])).rotations["spine"], start, atol=1e-9)
    with pytest.raises(ContentError, match="seam"):
        edits.looped(motion(), 9.0)


def test_twice_as_fast_takes_half_the_time() -> None:
    own = motion()
    made = edits.at_speed(own, 2.0)
    assert made.duration == pytest.approx(own.duration / 2)
    np.testing.assert_allclose(made.keys("head").values, own.keys("head").values)
    with pytest.raises(ContentError, match="speed"):
        edits.at_speed(own, 0.0)


def test_a_rate_gives_keys_at_that_rate() -> None:
    made = edits.at_rate(motion(), 120.0)
    np.testing.assert_allclose(np.diff(made.times), 1 / 120)


def test_repeated_names_are_numbered() -> None:
    assert numbered_names(["walk", "run", "Walk", "walk"]) == ["walk", "run", "Walk 2", "walk 3"]
    assert numbered_names(["walk"], ["walk"]) == ["walk 2"]


# Parts of a body


def below(name: str) -> list[Joint]:
    """The joints from one on, as a file of their own."""
    start = next(i for i, joint in enumerate(JOINTS) if joint.name == name)
    kept = [start]
    for i, joint in enumerate(JOINTS):
        if joint.parent in kept:
            kept.append(i)
    number = {old: new for new, old in enumerate(kept)}
    return [
        Joint(j.name, number.get(j.parent, -1), j.place, j.bone, j.end)
        for j in (JOINTS[i] for i in kept)
    ]


def test_a_hand_alone() -> None:
    joints = below("mixamorig:LeftHand")
    made = motion_of_bvh(parse_bvh(bvh_text(joints, TURNS, HIPS, scale=100)))
    _, expected = world_of_joints(joints, TURNS)
    assert len(made.bones) == 16
    assert made.hips is None
    world = world_of_motion(made)
    worst = {b: np.degrees(tf.angle_between(world[b], r)).max() for b, r in expected.items()}
    assert max(worst.values()) < 1


def test_an_upper_body_without_legs() -> None:
    legs = {i for i, j in enumerate(JOINTS) if j.bone and j.bone.endswith(("Leg", "Foot", "Toes"))}
    legs |= {i for i, j in enumerate(JOINTS) if "Toe_End" in j.name}
    kept = [i for i in range(len(JOINTS)) if i not in legs]
    number = {old: new for new, old in enumerate(kept)}
    joints = [
        Joint(j.name, number.get(j.parent, -1), j.place, j.bone, j.end)
        for j in (JOINTS[i] for i in kept)
    ]
    made = motion_of_bvh(parse_bvh(bvh_text(joints, TURNS, HIPS, scale=100)))
    _, expected = world_of_joints(joints, TURNS)
    assert max(errors(made, expected).values()) < 1
