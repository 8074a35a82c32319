"""The T-pose: how far rest poses are from it, and the way into it."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ligament as lg
from ligament import transforms as tf
from ligament.extensions.humanoid.bones import BONES, REQUIRED
from ligament.rig.humanoid.skeleton import Humanoid
from ligament.rig.humanoid.tpose import T_POSE, alignment, is_unposed, tpose_deviation
from tests.rig.skeletons import humanoid, posed, t_pose

PLACES = t_pose()


def turned(bone: str, axis: Any, degrees: float, bones: Any = BONES) -> dict[str, np.ndarray]:
    """The T-pose with everything below one bone swung about it."""
    places = {b: PLACES[b].copy() for b in BONES if b in set(bones)}
    avatar = Humanoid(humanoid(places))
    below = [avatar.bones.index(bone)]
    for i, parent in enumerate(avatar.parents):
        if parent in below:
            below.append(i)
    swing = tf.from_axis_angle(np.array(axis, float), math.radians(degrees))
    for i in below:
        name = avatar.bones[i]
        places[name] = PLACES[bone] + tf.rotate(swing, PLACES[name] - PLACES[bone])
    return places


def test_a_t_pose_deviates_in_no_bone() -> None:
    deviation = tpose_deviation(Humanoid(humanoid(BONES)))
    assert max(deviation.values()) < 1e-6
    expected = {b for b in T_POSE if not b.endswith("Distal")} | {"leftFoot", "rightFoot"}
    assert set(deviation) == expected
    assert list(deviation) == [bone for bone in BONES if bone in deviation]


def test_the_old_version_faces_the_other_way() -> None:
    avatar = posed(PLACES, "VRM")
    assert tpose_deviation(avatar)["leftUpperArm"] == pytest.approx(180)
    flipped = {bone: place * [-1, 1, -1] for bone, place in PLACES.items()}
    assert max(tpose_deviation(posed(flipped, "VRM")).values()) < 1e-6


@given(st.floats(0, 170), st.sampled_from(["leftUpperArm", "rightLowerArm", "leftUpperLeg"]))
def test_a_swung_limb_deviates_by_its_angle(angle: float, bone: str) -> None:
    axis = [0, 1, 0] if "Arm" in bone else [1, 0, 0]
    deviation = tpose_deviation(posed(turned(bone, axis, angle)))
    assert deviation[bone] == pytest.approx(angle, abs=1e-6)
    assert deviation["spine"] < 1e-6


def test_rest_rotations_do_not_matter() -> None:
    avatar = Humanoid(humanoid(BONES, rng=np.random.default_rng(0), between=0.4))
    assert max(tpose_deviation(avatar).values()) < 1e-5


def test_feet_may_slope_but_not_toe_out() -> None:
    deviation = tpose_deviation(posed(turned("leftFoot", [0, 1, 0], 20)))
    assert deviation["leftFoot"] == pytest.approx(20)
    assert deviation["rightFoot"] < 1e-6
    straight_down = turned("leftFoot", [0, 1, 0], 0)
    straight_down["leftToes"] = straight_down["leftFoot"] - [0, 0.1, 0]
    assert tpose_deviation(posed(straight_down))["leftFoot"] == pytest.approx(90)


def test_bones_that_coincide_point_nowhere() -> None:
    places = {bone: PLACES[bone].copy() for bone in REQUIRED}
    places["leftLowerArm"] = places["leftUpperArm"]
    deviation = tpose_deviation(posed(places))
    assert "leftUpperArm" not in deviation
    assert "leftLowerArm" in deviation


def test_reference_avatars_without_rest_rotations(shared: Path) -> None:
    """They were made as T-poses: within a few degrees."""
    folder = shared / "golden" / "humanoid"
    checked = 0
    for name in json.loads((folder / "index.json").read_text()):
        golden = json.loads((folder / f"{name}.json").read_text())
        if golden["category"] == "plain":
            deviation = tpose_deviation(Humanoid(lg.load(folder / golden["vrm"])))
            limbs = [deviation[f"{side}{b}"] for side in ("left", "right") for b in ("UpperArm",)]
            assert max(limbs) < 30
            checked += 1
    assert checked


# Alignment


def align(places: dict[str, np.ndarray], **options: Any) -> dict[str, np.ndarray]:
    bones = [bone for bone in BONES if bone in places]
    turns = alignment(bones, np.array([places[bone] for bone in bones]), **options)
    return dict(zip(bones, turns, strict=True))


def applied(places: dict[str, np.ndarray], turns: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Where the bones are once each has been turned."""
    avatar = Humanoid(humanoid(places))
    result: dict[str, np.ndarray] = {}
    for i, bone in enumerate(avatar.bones):
        if avatar.parents[i] < 0:
            result[bone] = places[bone]
            continue
        parent = avatar.bones[avatar.parents[i]]
        way = tf.rotate(turns[parent], places[bone] - places[parent])
        result[bone] = result[parent] + way
    return result


def test_a_t_pose_is_left_alone() -> None:
    for turn in align(PLACES).values():
        np.testing.assert_array_equal(turn, [0, 0, 0, 1])


@pytest.mark.parametrize(
    ("bone", "axis", "degrees"),
    [
        ("leftUpperArm", [0, 0, 1], -45),
        ("leftUpperArm", [0, 0, 1], -90),
        ("rightUpperArm", [0, 0, 1], 80),
        ("rightLowerArm", [0, 1, 0], 60),
        ("leftUpperLeg", [0, 0, 1], 30),
        ("rightLowerLeg", [1, 0, 0], 40),
    ],
)
def test_a_swung_limb_is_swung_back(bone: str, axis: Any, degrees: float) -> None:
    places = turned(bone, axis, degrees)
    turns = align(places)
    back = tf.from_axis_angle(np.array(axis, float), -math.radians(degrees))
    assert tf.angle_between(turns[bone], back) < 1e-9
    for name, place in applied(places, turns).items():
        np.testing.assert_allclose(place, PLACES[name], atol=1e-9)


def test_small_slopes_are_left_as_they_are() -> None:
    for bone in ("spine", "neck", "leftShoulder"):
        own = align(turned(bone, [0, 0, 1], -10))[bone]
        np.testing.assert_array_equal(own, [0, 0, 0, 1])


@given(st.floats(60, 300), st.booleans())
def test_a_body_that_faces_elsewhere_is_turned_as_one(degrees: float, lies: bool) -> None:
    axis = np.array([1.0, 0, 0] if lies else [0, 1.0, 0])
    turn = tf.from_axis_angle(axis, math.radians(degrees))
    turns = align({bone: tf.rotate(turn, place) for bone, place in PLACES.items()})
    for one in turns.values():
        assert tf.angle_between(one, tf.conjugate(turn)) < 1e-7


def test_hips_alone_can_be_aligned() -> None:
    np.testing.assert_array_equal(align({"hips": PLACES["hips"]})["hips"], [0, 0, 0, 1])


def test_a_degenerate_rest_is_no_pose() -> None:
    bones = list(PLACES)
    assert not is_unposed(bones, np.array(list(PLACES.values())))
    assert not is_unposed(["hips"], np.zeros((1, 3)))
    heap = dict(PLACES)
    for side in ("left", "right"):
        for i, bone in enumerate(("LowerLeg", "Foot", "Toes"), 1):
            heap[f"{side}{bone}"] = heap[f"{side}UpperLeg"] + [0, 0.4 * i, 0]
    assert is_unposed(bones, np.array(list(heap.values())))
