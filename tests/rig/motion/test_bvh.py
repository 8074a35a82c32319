"""BVH: every channel order, naming, unit and zero pose, against plain numbers."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ligament import transforms as tf
from ligament.errors import ContentError, FormatError
from ligament.extensions.humanoid.bones import BONES, REQUIRED
from ligament.rig.humanoid.skeleton import Humanoid
from ligament.rig.motion.bvh import parse_bvh
from ligament.rig.motion.bvh_motion import load_bvh, motion_of_bvh
from ligament.rig.motion.load import load_motion
from ligament.rig.motion.motion import Motion
from ligament.rig.retarget import retarget
from tests.rig import scalar
from tests.rig.captures import Capture, capture_places, read
from tests.rig.skeletons import posed, random_rotation

LIMBS = ("Shoulder", "UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot", "Toes")
BODY = tuple(
    bone
    for bone in BONES
    if bone in ("hips", "spine", "chest", "upperChest", "neck", "head") or bone.endswith(LIMBS)
)
ORDERS = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")
DEGREES = 1e-5
"""Texts hold nine decimals of a degree; near gimbal lock some of them are lost."""

MIXAMO = {"hips": "Hips", "spine": "Spine", "chest": "Spine1", "upperChest": "Spine2"}
MIXAMO |= {"neck": "Neck", "head": "Head"}
XSENS = {"hips": "Hips", "spine": "Chest", "chest": "Chest2", "upperChest": "Chest3"}
XSENS |= {"neck": "Neck", "head": "Head"}
BIPED = {"hips": "Bip01_Pelvis", "spine": "Bip01_Spine", "chest": "Bip01_Spine1"}
BIPED |= {"upperChest": "Bip01_Spine2", "neck": "Bip01_Neck", "head": "Bip01_Head"}
_WORDS = {
    "Shoulder": ("Shoulder", "Collar", "Clavicle"),
    "UpperArm": ("Arm", "Shoulder", "UpperArm"),
    "LowerArm": ("ForeArm", "Elbow", "Forearm"),
    "Hand": ("Hand", "Wrist", "Hand"),
    "UpperLeg": ("UpLeg", "Hip", "Thigh"),
    "LowerLeg": ("Leg", "Knee", "Calf"),
    "Foot": ("Foot", "Ankle", "Foot"),
    "Toes": ("ToeBase", "Toe", "Toe0"),
}
for _bone, (_mixamo, _xsens, _biped) in _WORDS.items():
    for _side in ("left", "right"):
        MIXAMO[f"{_side}{_bone}"] = f"{_side.title()}{_mixamo}"
        XSENS[f"{_side}{_bone}"] = f"{_side.title()}{_xsens}"
        BIPED[f"{_side}{_bone}"] = f"Bip01_{_side[0].upper()}_{_biped}"
STYLES = {"Mixamo": MIXAMO, "Xsens": XSENS, "Biped": BIPED}


def about(axis: Any, degrees: Any) -> np.ndarray:
    return tf.from_axis_angle(np.array(axis, float), np.radians(np.asarray(degrees, float)))


def human_motion(seed: int, frames: int = 6) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Rotations from the T-pose (F, 4) whose knees and elbows bend as they do, and hips (F, 3)."""
    rng = np.random.default_rng(seed)
    turns = {bone: tf.exp(rng.uniform(-0.5, 0.5, (frames, 3))) for bone in BODY}
    for side, axis in (("left", [0, -1, 0]), ("right", [0, 1, 0])):
        turns[f"{side}LowerArm"] = about(axis, rng.uniform(5, 120, frames))
        turns[f"{side}LowerLeg"] = about([1, 0, 0], rng.uniform(5, 120, frames))
    hips = np.array([0, 1.0, 0]) + rng.uniform(-0.3, 0.3, (frames, 3))
    return turns, hips


def down_by(degrees: float) -> dict[str, np.ndarray]:
    """A zero pose with arms lowered: what lifts them again."""
    turns = {}
    for side, sign in (("left", 1.0), ("right", -1.0)):
        lift = about([0, 0, 1], sign * degrees)
        turns |= {f"{side}{bone}": lift for bone in ("UpperArm", "LowerArm", "Hand")}
    return turns


def axes(x: Any, y: Any, z: Any) -> np.ndarray:
    """The rotation that takes the axes to these directions."""
    return tf.from_matrix(np.array([x, y, z], float).T)


def heap() -> dict[str, np.ndarray]:
    """A zero pose in which every bone lies along X, with the axes that LAFAN1 gives them."""
    trunk = axes([0, 1, 0], [0, 0, 1], [1, 0, 0])
    leg = axes([0, -1, 0], [0, 0, 1], [-1, 0, 0])
    turns = dict.fromkeys(BODY, trunk)
    swing = tf.between([0.0, -1, 0], np.array([0, -0.5, math.sqrt(0.75)]))
    arms = {
        "left": axes([1, 0, 0], [0, 0, -1], [0, 1, 0]),
        "right": axes([-1, 0, 0], [0, 0, -1], [0, -1, 0]),
    }
    for side, arm in arms.items():
        turns |= {f"{side}{bone}": leg for bone in ("UpperLeg", "LowerLeg")}
        turns |= {f"{side}{bone}": tf.multiply(swing, leg) for bone in ("Foot", "Toes")}
        turns |= {f"{side}{bone}": arm for bone in ("Shoulder", "UpperArm", "LowerArm", "Hand")}
    return turns


def loaded(text: str, **options: Any) -> Motion:
    return motion_of_bvh(parse_bvh(text), **options)


def worst(motion: Motion, turns: dict[str, np.ndarray]) -> float:
    return max(
        float(np.degrees(tf.angle_between(motion.keys(bone).values, turns[bone])).max())
        for bone in turns
    )


# Against plain numbers


def assert_moves_as_the_text_says(motion: Motion, capture: Capture, text: str) -> None:
    """Move it to an avatar of the same build in T-pose: all joints must be where the text says."""
    avatar = posed(capture_places(capture.bones))
    pose = retarget(motion, avatar)
    reading = read(text)
    assert len(pose.times) == len(reading.places)
    for frame, places in enumerate(reading.places):
        rotation = avatar.tree.rotation.copy()
        rotation[pose.nodes] = pose.rotation[frame]
        translation = avatar.tree.translation.copy()
        translation[pose.nodes[0]] = pose.hips_translation[frame]
        mine = avatar.tree.world_matrices(translation, rotation)[:, :3, 3]
        for bone, node in zip(avatar.bones, avatar.nodes, strict=True):
            expected = np.array(places[capture.names.get(bone, bone)]) / capture.scale
            np.testing.assert_allclose(mine[node], expected, atol=1e-6, err_msg=bone)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("scale", [1.0, 100.0])
@pytest.mark.parametrize("pose", ["T", "A", "I"])
def test_styles_units_and_zero_poses(style: str, scale: float, pose: str) -> None:
    turns, hips = human_motion(1)
    zero = {"T": {}, "A": down_by(45), "I": down_by(90)}[pose]
    orders = {bone: ORDERS[i % 6] for i, bone in enumerate(BODY)}
    capture = Capture(BODY, STYLES[style], zero, orders, scale)
    text = capture.text(turns, hips)
    motion = loaded(text)
    assert worst(motion, turns) < DEGREES
    assert_moves_as_the_text_says(motion, capture, text)
    assert motion.hips is not None
    np.testing.assert_allclose(motion.hips.sample(motion.times), hips, atol=1e-8)
    np.testing.assert_allclose(motion.times, np.arange(6) * 0.05)


@given(st.integers(0, 2**32 - 1), st.lists(st.sampled_from(ORDERS), min_size=22, max_size=22))
def test_any_channel_orders(seed: int, orders: list[str]) -> None:
    """In a T-pose the turn of every bone in the world is that of its joint."""
    rng = np.random.default_rng(seed)
    turns = {bone: random_rotation(rng, 2) for bone in BODY}
    capture = Capture(BODY, MIXAMO, {}, dict(zip(BODY, orders, strict=True)))
    text = capture.text(turns, np.tile([0.0, 1, 0], (2, 1)))
    motion, reading = loaded(text), read(text)
    for bone in BODY:
        parent = capture.parent(bone)
        for frame, world in enumerate(reading.turns):
            turn = world[MIXAMO[bone]]
            if parent is not None:
                turn = scalar.product(scalar.inverse(world[MIXAMO[parent]]), turn)
            assert scalar.degrees_between(motion.keys(bone).values[frame], turn) < 1e-6


def test_a_zero_pose_that_is_no_pose_at_all() -> None:
    """Every bone along X, as in LAFAN1: knees and elbows tell how limbs are twisted."""
    turns, hips = human_motion(2, frames=9)
    capture = Capture(BODY, MIXAMO, heap(), {}, 100.0, offset=[3.0, 0.93, -2.0])
    text = capture.text(turns, hips)
    motion = loaded(text)
    assert worst(motion, turns) < DEGREES
    assert_moves_as_the_text_says(motion, capture, text)


def test_limbs_of_a_heap_that_never_bend_are_swung_the_short_way() -> None:
    turns, hips = human_motion(3)
    for side in ("left", "right"):
        for bone in ("LowerArm", "LowerLeg"):
            turns[f"{side}{bone}"][:] = [0, 0, 0, 1]
    motion = loaded(Capture(BODY, MIXAMO, heap()).text(turns, hips))
    for bone in ("hips", "spine", "neck"):
        assert np.degrees(tf.angle_between(motion.keys(bone).values, turns[bone])).max() < DEGREES


@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_a_zero_pose_that_faces_elsewhere(degrees: float) -> None:
    """The world stays: in the zero pose the avatar faces where the skeleton does."""
    turns, hips = human_motion(4)
    front = about([0, 1, 0], degrees)
    capture = Capture(BODY, MIXAMO, dict.fromkeys(BODY, front), {}, offset=[0, 1, 0])
    text = capture.text(turns, hips)
    assert worst(loaded(text), turns) < DEGREES
    assert_moves_as_the_text_says(loaded(text), capture, text)


def z_up(line: str) -> str:
    """A line of a text in a world whose up is Z: (x, y, z) becomes (x, −z, y), in angles too."""
    words = line.split()
    if words[:1] == ["OFFSET"]:
        x, y, z = words[1:]
        return f"OFFSET {x} {-float(z)} {y}"
    if words[:1] == ["CHANNELS"]:
        return line.replace("Zrotation Xrotation Yrotation", "Yrotation Xrotation Zrotation")
    if len(words) > 9:
        values = [float(word) for word in words]
        values[1], values[2] = -values[2], values[1]
        values[3::3] = [-value for value in values[3::3]]
        return " ".join(f"{value:.9f}" for value in values)
    return line


def test_a_world_whose_up_is_z() -> None:
    turns, hips = human_motion(5)
    text = Capture(BODY, MIXAMO).text(turns, hips)
    motion = loaded("\n".join(z_up(line) for line in text.splitlines()))
    assert worst(motion, turns) < DEGREES
    assert motion.hips is not None
    np.testing.assert_allclose(motion.hips.sample(motion.times), hips, atol=1e-8)
    assert motion.hips_height == pytest.approx(1.0)


# Heights and units


def test_hips_are_as_high_as_their_offset_says() -> None:
    turns, hips = human_motion(6)
    motion = loaded(Capture(BODY, MIXAMO, {}, {}, 100.0).text(turns, hips))
    np.testing.assert_allclose(motion.hips_rest, [0, 1, 0], atol=1e-9)


@pytest.mark.parametrize("offset", [[0.0, 0, 0], [5.0, -3.0, 1.0], [0.0, 9.0, 0.0]])
def test_or_as_high_as_their_legs_are_long(offset: list[float]) -> None:
    turns, hips = human_motion(7)
    motion = loaded(Capture(BODY, MIXAMO, {}, {}, 1.0, offset).text(turns, hips))
    lowest = min(place[1] for place in capture_places(BODY).values())
    np.testing.assert_allclose(motion.hips_rest, [0, 1 - lowest, 0], atol=1e-9)
    assert motion.hips is not None
    np.testing.assert_allclose(motion.hips.sample(motion.times), hips, atol=1e-8)


def test_end_sites_reach_the_ground() -> None:
    turns, hips = human_motion(8)
    text = Capture(BODY, MIXAMO, {}, {}, 1.0, [0, 0, 0]).text(turns, hips)
    place = text.index("LeftToeBase")
    text = text[:place] + text[place:].replace("OFFSET 0 0 0", "OFFSET 0 -0.2 0", 1)
    lowest = capture_places(BODY)["leftToes"][1] - 0.2
    assert loaded(text).hips_height == pytest.approx(1 - lowest)


def test_the_unit_can_be_given_and_does_not_matter_for_retargeting() -> None:
    turns, hips = human_motion(9)
    text = Capture(BODY, MIXAMO, {}, {}, 17.7).text(turns, hips)
    exact, guessed = loaded(text, scale=1 / 17.7), loaded(text)
    assert exact.hips_height == pytest.approx(1.0)
    assert guessed.hips_height == pytest.approx(17.7 * 0.0254 / 0.45)  # CMU's unit fits best
    avatar = Humanoid(posed(capture_places(BODY)).document)
    np.testing.assert_allclose(
        retarget(exact, avatar).hips_translation,
        retarget(guessed, avatar).hips_translation,
        atol=1e-9,
    )


def test_millimetres() -> None:
    turns, hips = human_motion(10)
    motion = loaded(Capture(BODY, MIXAMO, {}, {}, 1000.0).text(turns, hips))
    assert motion.hips_height == pytest.approx(1.0)


# Odd but right

SMALL = """HIERARCHY
ROOT Reference {{
  OFFSET 0 0 0
  CHANNELS 3 Yposition Xrotation Yrotation
  JOINT Hips
  {{
    OFFSET 0 1 0
    {channels}
    JOINT Left Up Leg
    {{
      OFFSET 0.1 0 0
      CHANNELS 1 Xrotation
      End Site
      {{
        OFFSET 0 -1 0
      }}
    }}
    JOINT RightUpLeg
    {{
      OFFSET -0.1 0 0
    }}
    JOINT Head
    {{
      OFFSET 0 0.6 0
      CHANNELS 3 Zrotation Zrotation Xrotation
    }}
  }}
}}
MOTION
Frames: 2
Frame Time: .1
{frames}
"""


def test_roots_above_the_hips_few_channels_and_names_with_spaces() -> None:
    text = SMALL.format(
        channels="CHANNELS 3 XPOSITION zrotation YRotation",
        frames="0.5 10 20  0.3 5 6  7  1 2 3\n0.6 10 20  0.4 5 6  7  1 2 3",
    )
    motion = loaded(text)
    assert motion.bones == ("hips", "head", "leftUpperLeg", "rightUpperLeg")
    above = scalar.product(scalar.about("X", 10), scalar.about("Y", 20))
    hips = scalar.product(above, scalar.product(scalar.about("Z", 5), scalar.about("Y", 6)))
    head = scalar.product(scalar.about("Z", 3), scalar.about("X", 3))
    assert scalar.degrees_between(motion.keys("hips").values[0], hips) < 1e-9
    assert scalar.degrees_between(motion.keys("head").values[0], head) < 1e-9
    assert (
        scalar.degrees_between(motion.keys("leftUpperLeg").values[0], scalar.about("X", 7)) < 1e-9
    )
    assert scalar.degrees_between(motion.keys("rightUpperLeg").values[0], [0, 0, 0, 1]) < 1e-9
    place = np.array([0, 0.6, 0]) + scalar.rotated(above, [0.4, 1, 0])
    assert motion.hips is not None
    np.testing.assert_allclose(motion.hips.sample(motion.times)[1], place, atol=1e-12)


def test_hips_without_position_channels_stay() -> None:
    turns, hips = human_motion(11)
    lines = Capture(BODY, MIXAMO).text(turns, hips).splitlines()
    start = lines.index("MOTION")
    text = "\n".join(lines[:start]).replace(
        "CHANNELS 6 Xposition Yposition Zposition", "CHANNELS 3"
    )
    rows = [line.split(" ", 3)[3] for line in lines[start + 3 :]]
    motion = loaded("\n".join([text, *lines[start : start + 3], *rows]))
    assert motion.hips is None
    assert worst(motion, turns) < DEGREES


def test_one_frame_windows_line_ends_and_a_byte_order_mark(tmp_path: Path) -> None:
    turns, hips = human_motion(12, frames=1)
    text = Capture(BODY, MIXAMO).text(turns, hips)
    path = tmp_path / "Walk.BVH"
    path.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    motion = load_motion(path)
    assert motion.name == "Walk"
    assert motion.duration == 0
    assert worst(motion, turns) < DEGREES


def test_a_bvh_is_recognized_by_its_content(tmp_path: Path) -> None:
    turns, hips = human_motion(13)
    path = tmp_path / "capture.txt"
    path.write_text("\n  " + Capture(BODY, MIXAMO).text(turns, hips))
    assert load_motion(str(path)).bones == BODY


# Errors

GOOD = SMALL.format(channels="CHANNELS 1 Xrotation", frames="0 0 0 0 0 0 0 0\n" * 2)

BAD = {
    "no motion": (GOOD.replace("MOTION", ""), "no MOTION"),
    "nothing": ("", "no MOTION"),
    "an open brace": (GOOD.replace("}\nMOTION", "\nMOTION"), "left open"),
    "a brace too many": (GOOD.replace("}\nMOTION", "}\n}\nMOTION"), "line 29"),
    "no joint": ("HIERARCHY\nMOTION\nFrames: 1\nFrame Time: 1\n", "no joint"),
    "an unknown word": (GOOD.replace("OFFSET 0 1 0", "OFSET 0 1 0"), "OFSET"),
    "a short offset": (GOOD.replace("OFFSET 0 1 0", "OFFSET 0 1"), "line 7"),
    "an offset of words": (GOOD.replace("OFFSET 0 1 0", "OFFSET 0 one 0"), "one"),
    "an offset that is not finite": (GOOD.replace("OFFSET 0 1 0", "OFFSET 0 nan 0"), "nan"),
    "no channels": (
        re.sub(r"CHANNELS.*", "", GOOD.split("Frames")[0]) + "Frames: 1\nFrame Time: 1\n",
        "0 channels",
    ),
    "a channel of another kind": (GOOD.replace("1 Xrotation", "1 Xscale"), "Xscale"),
    "a wrong number of channels": (
        GOOD.replace("1 Xrotation", "2 Xrotation"),
        "CHANNELS declares 2",
    ),
    "no frame count": (GOOD.replace("Frames: 2", ""), "Frames:"),
    "no frame time": (GOOD.replace("Frame Time: .1", ""), "Frame Time:"),
    "a frame time of zero": (GOOD.replace(": .1", ": 0"), "Frame Time of 0"),
    "a frame time that is no number": (GOOD.replace(": .1", ": x"), "MOTION"),
    "no frames": (GOOD.split("Frames")[0] + "Frames: 0\nFrame Time: 1\n", "0 frames"),
    "words among the numbers": (GOOD.replace("0 0 0 0 0 0 0 0", "0 0 0 0 0 0 0 x"), "MOTION"),
    "not a number": (GOOD.replace("0 0 0 0 0 0 0 0", "0 0 0 0 0 0 0 nan"), "not finite"),
}


def test_the_good_text_is_good() -> None:
    assert loaded(GOOD).bones == ("hips", "head", "leftUpperLeg", "rightUpperLeg")


@pytest.mark.parametrize("fault", BAD)
def test_broken_texts(fault: str, tmp_path: Path) -> None:
    text, expected = BAD[fault]
    path = tmp_path / "broken.bvh"
    path.write_text(text)
    with pytest.raises(FormatError, match=expected) as caught:
        load_bvh(path)
    assert caught.value.file == str(path)
    assert caught.value.remedy


def test_joints_without_a_body(tmp_path: Path) -> None:
    text = GOOD.replace("Left Up Leg", "Tail")
    with pytest.raises(ContentError, match="left over: Reference, Hips, Tail"):
        loaded(text)


def test_required_bones_are_not_demanded() -> None:
    assert set(REQUIRED) - set(loaded(GOOD).bones)
