"""The gaze: range maps the right way round, for bones and for expressions, in both versions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ligament import transforms as tf
from ligament.errors import ContentError
from ligament.extensions.humanoid.bones import BONES, REQUIRED
from ligament.gltf.document import Document
from ligament.rig.humanoid.look_at import (
    RangeMap,
    eye_rotations,
    look_weights,
    read_look_at,
    yaw_pitch,
)
from ligament.rig.humanoid.skeleton import Humanoid
from ligament.rig.motion.load import load_motion
from ligament.rig.retarget import retarget
from tests.rig import scalar
from tests.rig.motions import motion
from tests.rig.skeletons import humanoid

MAPS = {"HorizontalInner": 11.0, "HorizontalOuter": 13.0, "VerticalDown": 17.0, "VerticalUp": 19.0}


def avatar(kind: str = "bone", limit: float = 90.0, scale: float = 1.0) -> Document:
    document = humanoid(BONES, rng=np.random.default_rng(1))
    maps = {
        f"rangeMap{name}": {"inputMaxValue": limit, "outputScale": output * scale}
        for name, output in MAPS.items()
    }
    document.json["extensions"]["VRMC_vrm"]["lookAt"] = {"type": kind, **maps}
    return document


def old_avatar(kind: str = "Bone", **members: Any) -> Document:
    document = humanoid(BONES, dialect="VRM", rng=np.random.default_rng(1))
    maps = {
        f"lookAt{name}": {"xRange": 90, "yRange": output, **members}
        for name, output in MAPS.items()
    }
    document.json["extensions"]["VRM"]["firstPerson"] = {"lookAtTypeName": kind, **maps}
    return document


# yaw, pitch [degrees] → yaw of the left eye, of the right eye, pitch of both [degrees]
BY_BONE = [
    ((90, 0), (13, 11, 0)),
    ((-90, 0), (-11, -13, 0)),
    ((0, 90), (0, 0, 17)),
    ((0, -90), (0, 0, -19)),
    ((45, -45), (6.5, 5.5, -9.5)),
    ((200, 0), (13, 11, 0)),
]


@pytest.mark.parametrize(("look", "expected"), BY_BONE)
@pytest.mark.parametrize("make", [avatar, old_avatar])
def test_bones_turn_by_the_map_of_their_side(look: Any, expected: Any, make: Any) -> None:
    gaze = read_look_at(make())
    assert gaze is not None
    eyes = eye_rotations(gaze, np.array(look, float))
    left, right, vertical = expected
    for eye, yaw in (("leftEye", left), ("rightEye", right)):
        turn = scalar.product(scalar.about("Y", yaw), scalar.about("X", vertical))
        assert scalar.degrees_between(eyes[eye], turn) < 1e-9


@pytest.mark.parametrize(
    ("look", "expected"),
    [
        ((90, 0), {"lookLeft": 13}),
        ((-45, 0), {"lookRight": 6.5}),
        ((0, 90), {"lookDown": 17}),
        ((0, -90), {"lookUp": 19}),
        ((90, -45), {"lookLeft": 13, "lookUp": 9.5}),
    ],
)
def test_expressions_get_the_weight_of_their_direction(look: Any, expected: Any) -> None:
    gaze = read_look_at(avatar("expression", scale=0.01))
    assert gaze is not None
    weights = look_weights(gaze, np.array(look, float))
    assert set(weights) == {"lookUp", "lookDown", "lookLeft", "lookRight"}
    for name, weight in weights.items():
        assert weight == pytest.approx(expected.get(name, 0) * 0.01)


def test_weights_stay_in_range() -> None:
    gaze = read_look_at(avatar("expression"))
    assert gaze is not None
    assert look_weights(gaze, np.array([90.0, 0]))["lookLeft"] == 1


def test_an_input_range_of_zero_is_a_step() -> None:
    step = RangeMap(0.0, 7.0)
    np.testing.assert_array_equal(step(np.array([-1.0, 0.0, 0.01, 50.0])), [0, 0, 7, 7])


def test_a_bent_curve_of_the_old_version() -> None:
    """Ease in and out: no slope at both ends, half of the way in the middle."""
    bent = RangeMap(90.0, 10.0, (0, 0, 0, 0, 1, 1, 0, 0))
    angles = np.array([0.0, 22.5, 45.0, 67.5, 90.0, 120.0])
    np.testing.assert_allclose(bent(angles), [0, 1.5625, 5, 8.4375, 10, 10])
    straight = RangeMap(90.0, 10.0, (0, 0, 0, 1, 1, 1, 1, 0))
    np.testing.assert_allclose(straight(angles), RangeMap(90.0, 10.0)(angles), atol=1e-12)


def test_a_curve_that_is_none_is_a_straight_line() -> None:
    gaze = read_look_at(old_avatar(curve=[1, 2, 3]))
    assert gaze is not None
    assert gaze.inner == RangeMap(90.0, 11.0)


def test_missing_look_at_members_have_defaults() -> None:
    document = humanoid(REQUIRED)
    assert read_look_at(document) is None
    document.json["extensions"]["VRMC_vrm"]["lookAt"] = {"type": "expression"}
    gaze = read_look_at(document)
    assert gaze is not None
    assert gaze.up == RangeMap(90.0, 1.0)
    document.json["extensions"]["VRMC_vrm"]["lookAt"] = {}
    gaze = read_look_at(document)
    assert gaze is not None
    assert (gaze.kind, gaze.up) == ("bone", RangeMap(90.0, 10.0))


@pytest.mark.parametrize("look", [{"type": "laser"}, {"rangeMapVerticalUp": 3}, 7])
def test_a_broken_gaze_is_an_error_with_a_place(look: Any) -> None:
    document = humanoid(REQUIRED)
    document.json["extensions"]["VRMC_vrm"]["lookAt"] = look
    with pytest.raises(ContentError) as caught:
        read_look_at(document)
    assert str(caught.value.pointer).startswith("/extensions/VRMC_vrm/lookAt")


@pytest.mark.parametrize("entry", [{"lookAtVerticalUp": 7}, {"lookAtTypeName": 1}, []])
def test_a_broken_gaze_of_the_old_version_too(entry: Any) -> None:
    document = humanoid(REQUIRED, dialect="VRM")
    document.json["extensions"]["VRM"]["firstPerson"] = entry
    with pytest.raises(ContentError) as caught:
        read_look_at(document)
    assert str(caught.value.pointer).startswith("/extensions/VRM/firstPerson")


def test_yaw_is_left_and_pitch_is_down() -> None:
    look = yaw_pitch(np.array([scalar.about("Y", 30), scalar.about("X", 20)]))
    np.testing.assert_allclose(look, [[30, 0], [0, 20]], atol=1e-9)


@pytest.mark.parametrize("make", [avatar, old_avatar])
def test_the_eyes_of_a_pose_follow_the_gaze(make: Any) -> None:
    """In world axes the eyes turn by the range-mapped angles, whatever their rest rotation."""
    owner = Humanoid(make())
    pose = retarget(load_motion(motion()), owner)
    gaze = read_look_at(owner.document)
    assert gaze is not None
    expected = eye_rotations(gaze, pose.look_at)
    normalized = owner.to_normalized(pose.rotation)
    for eye, turn in expected.items():
        flip = [-1, 1, -1, 1] if owner.faces_back else [1, 1, 1, 1]
        mine = normalized[:, pose.bones.index(eye)]
        assert np.degrees(tf.angle_between(mine, turn * flip)).max() < 1e-6
    assert "lookUp" not in pose.expressions


def test_the_expressions_of_a_pose_follow_the_gaze() -> None:
    owner = Humanoid(avatar("expression", scale=0.01))
    pose = retarget(load_motion(motion()), owner)
    gaze = read_look_at(owner.document)
    assert gaze is not None
    for name, weight in look_weights(gaze, pose.look_at).items():
        np.testing.assert_array_equal(pose.expressions[name], weight)
    normalized = owner.to_normalized(pose.rotation)
    np.testing.assert_allclose(np.abs(normalized[:, pose.bones.index("leftEye"), 3]), 1, atol=1e-12)


def test_an_avatar_that_does_not_say_how_keeps_its_eyes_still() -> None:
    pose = retarget(load_motion(motion()), Humanoid(humanoid(BONES)))
    np.testing.assert_array_equal(pose.rotation[:, pose.bones.index("leftEye")], [[0, 0, 0, 1]] * 2)
    assert pose.look_at is not None
    assert set(pose.expressions) == {"happy"}
