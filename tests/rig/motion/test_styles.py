"""One motion in the styles of exporters: world rotations of all bones within a degree."""

from __future__ import annotations

import dataclasses
import itertools
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ligament as lg
from ligament import transforms as tf
from ligament.errors import ContentError, LigamentWarning
from ligament.extensions.humanoid.bones import BONES
from ligament.rig.humanoid.tpose import alignment
from ligament.rig.motion.bvh import parse_bvh
from ligament.rig.motion.bvh_motion import bone_map_of, motion_of_bvh
from ligament.rig.motion.load import load_motion
from tests.rig.motion.exporters import STYLES
from tests.rig.motion.styles import (
    IDENTITY,
    Joint,
    arms_down,
    bvh_text,
    errors,
    gltf_document,
    legs_apart,
    motion_of_bones,
    places_of,
    swung,
    world_of_joints,
    zero_rotations,
)
from tests.sampling import sample

DEGREES = 1.0
TURNS, HIPS = motion_of_bones()
Z_UP = tf.from_axis_angle([1.0, 0, 0], np.pi / 2)
X_UP = tf.from_axis_angle([0.0, 0, 1], -np.pi / 2)
FLAT = legs_apart(20) | swung(leftFoot=([0, 0, 1], -20), rightFoot=([0, 0, 1], 20))
CURLED = arms_down(40) | swung(
    **{
        f"{side}{finger}{segment}": ([0, 0, 1], 15 * sign)
        for side, sign in (("left", -1), ("right", 1))
        for finger in ("Index", "Middle", "Ring", "Little")
        for segment in ("Proximal", "Intermediate", "Distal")
    }
)
ZEROS: dict[str, Any] = {
    "T": {},
    "A 3": arms_down(3),
    "A 14": arms_down(14),
    "A 45": arms_down(45),
    "hanging": arms_down(88),
    "legs apart": legs_apart(20),
    "flat feet": FLAT,
    "curled fingers": CURLED,
}
RIGID = [zero for zero in ZEROS if zero != "curled fingers"]
"""Where fingers are curled their last bones need a tip to be found, and glTF has no end sites."""

IDENTIFIABLE = [
    (style, zero)
    for style, zero in itertools.product(STYLES, RIGID)
    if zero != "flat feet" or any(joint.bone == "leftToes" for joint in STYLES[style].joints())
]
"""Without toes, the direction of feet below spread legs is unknown, too."""

WAYS: dict[str, Any] = {
    **{zero: {"zero": zero} for zero in ZEROS},
    "metres": {"scale": 1.0},
    "inches": {"scale": 39.37},
    "CMU units": {"scale": 17.7},
    "Z up": {"upright": Z_UP},
    "X up": {"upright": X_UP},
    "ZYX": {"order": "ZYX"},
    "YXZ": {"order": "YXZ"},
    "turned": {"yaw": 130.0},
}


def worst(motion: Any, joints: list[Joint], turns: Any = TURNS) -> tuple[float, str]:
    _, expected = world_of_joints(joints, turns)
    found = errors(motion, expected)
    return max((angle, bone) for bone, angle in found.items())


def in_bvh(joints: list[Joint], zero: str = "T", yaw: float = 0.0, **options: Any) -> str:
    turned = zero_rotations(joints, ZEROS[zero])
    turned = tf.multiply(tf.from_axis_angle([0.0, 1, 0], np.radians(yaw)), turned)
    return bvh_text(joints, TURNS, HIPS, zero=turned, **{"scale": 100.0, **options})


@pytest.mark.parametrize(("style", "way"), sample(itertools.product(STYLES, WAYS), 31))
def test_bvh(style: str, way: str) -> None:
    joints = STYLES[style].joints()
    motion = motion_of_bvh(parse_bvh(in_bvh(joints, **WAYS[way])))
    assert worst(motion, joints) < (DEGREES, "")
    assert motion.assumed is not None
    assert not {"leftToes", "leftShoulder"} & set(motion.bones) - {j.bone for j in joints}


FINGERED = [
    style
    for style, made in STYLES.items()
    if any(joint.bone == "leftIndexDistal" for joint in made.joints())
]
PLACEHOLDERS: dict[str, Any] = {
    "up": (0, 1, 0),
    "down": (0, -1, 0),
    "ahead": (0, 0, 1),
    "back to the wrist": "back",
    "50 degrees aside": 50.0,
}


def pointing(joints: list[Joint], placeholder: Any) -> list[Joint]:
    """Replace the end sites of fingers by ones that do not show the tips."""
    result = []
    for joint in joints:
        bone, end = joint.bone or "", joint.end
        if bone.endswith(("Proximal", "Intermediate", "Distal")) and end is not None:
            along = joint.place - joints[joint.parent].place
            if placeholder == "back":
                end = -along
            elif isinstance(placeholder, float):
                aside = tf.from_axis_angle([0.0, 1, 0], math.radians(placeholder))
                end = tf.rotate(aside, along)
            else:
                end = 0.02 * np.array(placeholder, float)
        result.append(dataclasses.replace(joint, end=end))
    return result


@pytest.mark.parametrize("placeholder", PLACEHOLDERS)
@pytest.mark.parametrize("style", sample(FINGERED, 3))
@pytest.mark.parametrize("zero", ["T", "A 45"])
def test_end_sites_that_show_no_fingertip(style: str, zero: str, placeholder: str) -> None:
    joints = pointing(STYLES[style].joints(), PLACEHOLDERS[placeholder])
    assert worst(motion_of_bvh(parse_bvh(in_bvh(joints, zero))), joints) < (DEGREES, "")


def test_leaves_that_show_no_fingertip() -> None:
    """In glTF too; a foot without toes is shown by its leaf however that points."""
    joints = STYLES["Mixamo"].joints()
    for i, joint in enumerate(list(joints)):
        if joint.bone in ("leftIndexDistal", "rightThumbDistal"):
            place = joint.place + np.array([0, 0.05, 0])
            below = [k for k, other in enumerate(joints) if other.parent == i]
            for k in below:
                joints[k] = dataclasses.replace(joints[k], place=place)
            if not below:
                joints.append(Joint(f"{joint.name}_end", i, place, None))
    document = gltf_document(joints, TURNS, HIPS, seed=1)
    assert worst(load_motion(document), joints) < (DEGREES, "")


@pytest.mark.parametrize(("style", "zero"), sample(IDENTIFIABLE, 11))
@pytest.mark.parametrize("bound", [False, True])
def test_gltf_with_and_without_a_bind_pose(style: str, zero: str, bound: bool) -> None:
    """With one the nodes rest in a frame of the motion, as converters write them."""
    joints = STYLES[style].joints()
    turned = zero_rotations(joints, ZEROS[zero])
    frame = 2 if bound else None
    document = gltf_document(
        joints, TURNS, HIPS, zero=turned, bound=bound, rest_frame=frame, armature=True, seed=1
    )
    motion = load_motion(document)
    assert worst(motion, joints) < (DEGREES, "")
    assert motion.assumed is not None
    assert motion.assumed.rest == ("bind pose" if bound else "rest pose")


@pytest.mark.parametrize("style", [*sample(STYLES, 5), "Daz Genesis"])
@pytest.mark.parametrize("name", ["bone_{:03d}", "骨{}"])
def test_names_that_say_nothing(style: str, name: str) -> None:
    joints = [
        dataclasses.replace(joint, name=name.format(i))
        for i, joint in enumerate(STYLES[style].joints())
    ]
    for zero in ("T", "A 45"):
        motion = motion_of_bvh(parse_bvh(in_bvh(joints, zero)))
        assert worst(motion, joints) < (DEGREES, "")
        assert motion.assumed is not None
        assert motion.assumed.bone_map.confidence < 0.8


@pytest.mark.parametrize("style", sample(STYLES, 4))
def test_a_frame_as_the_pose_to_measure_from(style: str) -> None:
    joints = STYLES[style].joints()
    turns = {bone: values.copy() for bone, values in TURNS.items()}
    for values in turns.values():
        values[1] = [0, 0, 0, 1]
    zero = tf.normalize(np.random.default_rng(0).standard_normal((len(joints), 4)))
    motion = motion_of_bvh(parse_bvh(bvh_text(joints, turns, HIPS, zero=zero)), t_pose=1)
    assert worst(motion, joints, turns) < (DEGREES, "")
    document = gltf_document(joints, turns, HIPS, rest_frame=3, seed=3)
    assert worst(load_motion(document, t_pose=1), joints, turns) < (DEGREES, "")


def swinging(frames: int = 24) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """A walk on the spot: joints swing about their rotations in a T-pose, arms hang."""
    rng, phase = np.random.default_rng(7), np.arange(frames) * 2 * np.pi / frames
    turns = {}
    for bone in TURNS:
        axis, start = rng.standard_normal(3), rng.uniform(0, 2 * np.pi)
        angle = 0.15 * np.sin(phase + start)
        turns[bone] = tf.from_axis_angle(axis / np.linalg.norm(axis), angle)
    for side, x, start in (("left", 1, 0.0), ("right", -1, np.pi)):
        swing = np.sin(phase + start)
        hang = tf.from_axis_angle([0.0, 0, 1], np.full(frames, -1.1 * x))
        turns[f"{side}UpperArm"] = tf.multiply(tf.from_axis_angle([1.0, 0, 0], swing / 2), hang)
        turns[f"{side}LowerArm"] = tf.from_axis_angle([0.0, -x, 0], 0.6 + swing / 2)
        turns[f"{side}UpperLeg"] = tf.from_axis_angle([1.0, 0, 0], -swing / 2 - 0.1)
        turns[f"{side}LowerLeg"] = tf.from_axis_angle(
            [1.0, 0, 0], 0.5 + 0.4 * np.cos(phase + start)
        )
    return turns, np.tile([0.3, 1.0, 0.5], (frames, 1))


@pytest.mark.parametrize("style", ["Mixamo", "Unreal 5", "MMD", "SMPL-X"])
@pytest.mark.parametrize("axes", [None, 5])
def test_gltf_that_rests_in_a_frame_without_a_bind_pose(style: str, axes: int | None) -> None:
    """Nodes without rotations make a T-pose, or have axes of their own: then the clip's mean."""
    joints, (turns, hips) = STYLES[style].joints(), swinging()
    for frame in (3, 11):
        document = gltf_document(joints, turns, hips, rest_frame=frame, armature=True, seed=axes)
        motion = load_motion(document)
        assert motion.assumed is not None
        found = errors(motion, world_of_joints(joints, turns)[1])
        if axes is None:
            assert motion.assumed.rest == "pose without rotations"
            assert max(found.values()) < DEGREES
        else:
            assert motion.assumed.rest == "mean of the frames"
            body = ("hips", "neck", "head", "Arm", "Leg", "Hand")
            assert max(e for b, e in found.items() if b.endswith(body)) < DEGREES, found
        assert motion.hips_height == pytest.approx(1.0, rel=0.05)
        np.testing.assert_allclose(motion.hips_rest[[0, 2]], 0, atol=1e-9)


def test_a_zero_pose_as_it_is_given() -> None:
    joints = STYLES["Mixamo"].joints()
    text = in_bvh(joints, "A 45")
    motion = motion_of_bvh(parse_bvh(text), t_pose="given")
    assert worst(motion, joints)[0] > 40
    assert motion.assumed is not None
    assert not motion.assumed.corrected


SWINGS = {
    "arms lowered": arms_down,
    "legs apart": legs_apart,
    "elbows bent": lambda a: swung(leftLowerArm=([0, 1, 0], -a), rightLowerArm=([0, 1, 0], a)),
    "wrist bent": lambda a: swung(leftHand=([0, 0, 1], a)),
    "spine bent": lambda a: swung(spine=([1, 0, 0], a)),
    "foot turned out": lambda a: swung(leftFoot=([0, 1, 0], a)),
    "foot pointed": lambda a: swung(rightFoot=([1, 0, 0], a)),
    "thumb raised": lambda a: swung(leftThumbMetacarpal=([0, 0, 1], a)),
    "turned": lambda a: swung(hips=([0, 1, 0], a)),
    "lying down": lambda a: swung(hips=([1, 0, 0], a)),
    "leaning aside": lambda a: swung(hips=([0, 0, 1], a)),
    "sitting": lambda a: swung(leftUpperLeg=([1, 0, 0], -a), rightUpperLeg=([1, 0, 0], -a)),
    "arms forward": lambda a: swung(leftUpperArm=([0, 1, 0], -a), rightUpperArm=([0, 1, 0], a)),
    "legs backwards": lambda a: swung(leftUpperLeg=([1, 0, 0], a), rightUpperLeg=([1, 0, 0], a)),
    "sitting and bowing": lambda a: swung(
        leftUpperLeg=([1, 0, 0], -90), rightUpperLeg=([1, 0, 0], -90), spine=([1, 0, 0], a)
    ),
    "leaning and bowing": lambda a: swung(hips=([1, 0, 0], 45), spine=([1, 0, 0], a)),
    "leaning, arms lowered": lambda a: arms_down(60) | swung(hips=([1, 0, 0], a)),
    "lying and bent": lambda a: swung(hips=([1, 0, 0], 90), spine=([1, 0, 0], a)),
    "lying, legs raised": lambda a: swung(
        hips=([1, 0, 0], -90), leftUpperLeg=([1, 0, 0], -a), rightUpperLeg=([1, 0, 0], -a)
    ),
    "bowing, legs apart": lambda a: legs_apart(a) | swung(spine=([1, 0, 0], 60)),
    "lying, legs apart": lambda a: legs_apart(a) | swung(hips=([1, 0, 0], -90)),
    "legs apart, feet flat": lambda a: (
        legs_apart(a) | swung(leftFoot=([0, 0, 1], -a), rightFoot=([0, 0, 1], a))
    ),
}


@pytest.mark.parametrize("swing", SWINGS)
def test_a_zero_pose_turned_by_a_degree_changes_the_result_by_no_more(swing: str) -> None:
    """The world rotations of a file are the motion's times what brings zeros into a T-pose.

    Beyond 90° the shortest arc cannot keep to that: at 180° there are many. Hands point a little
    aside, as the middle of the knuckles does.
    """
    joints = STYLES["Mixamo"].joints()
    for joint in joints:
        if (joint.bone or "").endswith(("Proximal", "Intermediate", "Distal")):
            joint.place = joint.place - np.array([0, 0, 0.012])
    at = {joint.bone: i for i, joint in enumerate(joints) if joint.bone}
    bones = [bone for bone in BONES if bone in at]
    hips = np.array([joints[at["hips"]].place])
    own = [at[bone] for bone in bones]

    def result(degrees: float) -> np.ndarray:
        zero = zero_rotations(joints, SWINGS[swing](degrees))
        places = places_of(joints, zero[None], hips)[0]
        return tf.multiply(alignment(bones, places[own]), zero[own])

    for degrees in {*sample(range(90), 10), *range(8, 18), *range(87, 90)}:
        change = np.degrees(tf.angle_between(result(degrees), result(degrees + 1)))
        assert change.max() < 1 + 1e-6, (bones[int(change.argmax())], degrees)


@pytest.mark.parametrize("seed", range(12))
def test_a_contorted_zero_pose_makes_no_jumps(seed: int) -> None:
    """Feet may change by more than a degree per degree, since legs or ground may bear them."""
    rng = np.random.default_rng(seed)
    joints = STYLES["Mixamo"].joints()
    at = {joint.bone: i for i, joint in enumerate(joints) if joint.bone}
    bones = [bone for bone in BONES if bone in at]
    own = [at[bone] for bone in bones]
    turned = ("hips", "spine", "leftUpperLeg", "rightUpperLeg", "leftUpperArm")
    axes, angles = rng.standard_normal((5, 3)), rng.uniform(0, 60, 5)
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)

    def result(degrees: float) -> np.ndarray:
        angles[seed % 5] = degrees
        zero = zero_rotations(
            joints, swung(**{b: (x, a) for b, x, a in zip(turned, axes, angles, strict=True)})
        )
        places = places_of(joints, zero[None], np.array([joints[at["hips"]].place]))[0]
        return tf.multiply(alignment(bones, places[own]), zero[own])

    results = [result(degrees) for degrees in range(0, 90, 1)]
    change = np.degrees(tf.angle_between(np.array(results[1:]), np.array(results[:-1])))
    assert change.max() < 6


FLAT_TOES = [0, -math.sin(math.radians(10)), math.cos(math.radians(10))]


def unposed(joints: list[Joint]) -> np.ndarray:
    """World rotations (J, 4) of zeros that lay all bones along X; the trunk curves as it does."""
    frames = {"Leg": ([0, -1, 0], [1, 0, 0]), "Arm": ([1, 0, 0], [0, 1, 0])}
    result = np.tile([0.0, 0, 0, 1], (len(joints), 1))
    for i, joint in enumerate(joints):
        bone = joint.bone or ""
        along, hinge = next(
            (v for k, v in frames.items() if bone.endswith(k)), ([0, 1, 0], [1, 0, 0])
        )
        if bone.endswith("Foot"):
            along = [0, -0.5, math.sqrt(0.75)]
        if bone.endswith("Toes"):
            along = FLAT_TOES
        if bone.endswith(("Shoulder", "Hand")):
            along, hinge = frames["Arm"]
        if bone.startswith("right") and bone.endswith(("Arm", "Shoulder", "Hand")):
            along = [-1, 0, 0]
        x, z = np.array(along, float), np.array(hinge, float)
        result[i] = tf.conjugate(tf.from_matrix(np.stack([x, np.cross(z, x), z], axis=-1)))
    return result


@pytest.mark.parametrize("upright", [IDENTITY, Z_UP])
def test_zeros_that_are_no_pose(upright: np.ndarray) -> None:
    """As in LAFAN1; collar bones are level and feet slope as in an aligned body: nothing tells."""
    joints = STYLES["LAFAN1"].joints()
    at = {joint.bone: joint for joint in joints if joint.bone}
    for side in ("left", "right"):
        slope = 0.14 * np.array([0, -0.5, math.sqrt(0.75)])
        at[f"{side}Toes"].place = at[f"{side}Foot"].place + slope
        at[f"{side}Toes"].end = 0.07 * np.array(FLAT_TOES)
        at[f"{side}Shoulder"].place = at[f"{side}UpperArm"].place * [0.2, 1, 1]
    text = bvh_text(joints, TURNS, HIPS, zero=unposed(joints), scale=100, upright=upright)
    motion = motion_of_bvh(parse_bvh(text))
    assert motion.assumed is not None
    assert motion.assumed.rest == "no pose at all"
    assert worst(motion, joints) < (DEGREES, "")


@pytest.mark.parametrize("upright", [IDENTITY, Z_UP])
def test_feet_of_zeros_that_are_no_pose_are_flat_where_they_stand(upright: np.ndarray) -> None:
    """Half of the clip somebody stands, turned by 40°; feet and toes have slopes of their own."""
    joints = STYLES["LAFAN1"].joints()
    turns, hips = (
        {bone: np.repeat(values, 4, axis=0) for bone, values in TURNS.items()},
        np.repeat(HIPS, 4, axis=0),
    )
    for bone, values in turns.items():
        values[10:] = (
            tf.from_axis_angle([0.0, 1, 0], np.radians(40)) if bone == "hips" else IDENTITY
        )
    hips[10:] = next(joint.place for joint in joints if joint.bone == "hips")
    hips[:10, 1] += 0.3
    text = bvh_text(joints, turns, hips, zero=unposed(joints), scale=100, upright=upright)
    motion = motion_of_bvh(parse_bvh(text))
    found = errors(motion, world_of_joints(joints, turns)[1])
    feet = {bone: error for bone, error in found.items() if bone.endswith(("Foot", "Toes"))}
    assert len(feet) == 4
    assert max(feet.values()) < DEGREES, feet


@pytest.mark.parametrize("style", ["Auto-Rig Pro, twists in the chain", "Daz Genesis", "MMD"])
def test_zeros_that_are_no_pose_with_joints_between_bones(style: str) -> None:
    """Twist joints and a second pelvis have axes of their own, and a mean rotation in the clip."""
    joints = STYLES[style].joints()
    zero = unposed(joints)
    for i, joint in enumerate(joints):
        if joint.bone is None and joint.parent >= 0 and joints[joint.parent].bone:
            own = tf.from_axis_angle([1.0, 0.0, 0.0], 0.4 + 0.3 * i)
            zero[i] = tf.multiply(own, zero[joint.parent])
    motion = motion_of_bvh(parse_bvh(bvh_text(joints, TURNS, HIPS, zero=zero, scale=100)))
    assert motion.assumed is not None
    assert motion.assumed.rest == "no pose at all"
    found = errors(motion, world_of_joints(joints, TURNS)[1])
    limbs = {b: e for b, e in found.items() if b.endswith(("Arm", "Leg")) or b == "hips"}
    assert len(limbs) == 9
    assert max(limbs.values()) < DEGREES, limbs
    hips = next(joint.place[1] for joint in joints if joint.bone == "hips")
    assert motion.hips_height == pytest.approx(hips, rel=0.05)


def test_hips_stand_above_legs_that_have_no_feet() -> None:
    """Feet that are moved from elsewhere are no part of the legs: the hips stand at their place."""
    style = dataclasses.replace(STYLES["Quaternius"], leg=["UpperLeg.@", "LowerLeg.@"])
    joints = style.joints()
    for joint in joints:
        joint.end = None
    documents = gltf_document(joints, TURNS, HIPS), in_bvh(joints)
    for motion in (load_motion(documents[0]), motion_of_bvh(parse_bvh(documents[1]))):
        assert motion.hips_height == pytest.approx(1.0)


@pytest.mark.parametrize(("style", "sole"), [("Mixamo", 0.02), ("Neuron", 0.08)])
def test_soles_are_as_thick_as_frames_show_if_hips_have_no_offset(style: str, sole: float) -> None:
    """The ends of the legs stand above the ground, toes a little and ankles more."""
    joints = STYLES[style].joints()
    lowest = min(joint.place[1] for joint in joints if joint.bone)
    for joint in joints:
        joint.place = joint.place + np.array([0, sole - lowest, 0])
        joint.end = None
    at = next(joint.place for joint in joints if joint.bone == "hips")
    still = {bone: np.tile(IDENTITY, (3, 1)) for bone in TURNS}
    text = bvh_text(joints, still, np.tile(at, (3, 1)), scale=100)
    text = re.sub(r"OFFSET .*", "OFFSET 0 0 0", text, count=1)
    assert motion_of_bvh(parse_bvh(text)).hips_height == pytest.approx(at[1], rel=2e-3)
    floating = bvh_text(joints, still, np.tile(at, (3, 1)) + np.array([0, 0.5, 0]), scale=100)
    floating = re.sub(r"OFFSET .*", "OFFSET 0 0 0", floating, count=1)
    height = motion_of_bvh(parse_bvh(floating)).hips_height
    assert height == pytest.approx(at[1] - sole, rel=2e-3)


# Maps and messages


def test_a_map_names_what_is_not_found(tmp_path: Path) -> None:
    """A tail beside the legs, and arms that are called legs."""
    joints = [
        dataclasses.replace(j, name=f"x{i}") for i, j in enumerate(STYLES["Blender"].joints())
    ]
    names = {joint.bone: joint.name for joint in joints if joint.bone}
    path = tmp_path / "map.toml"
    path.write_text("[bones]\n" + "\n".join(f'{bone} = "{name}"' for bone, name in names.items()))
    text = in_bvh(joints)
    (tmp_path / "a.bvh").write_text(text)
    for bones in (names, path, str(path)):
        motion = lg.load_motion(tmp_path / "a.bvh", bones=bones)
        assert motion.assumed is not None
        assert set(motion.assumed.bone_map.evidence.values()) == {"map"}
        assert worst(motion, joints) < (DEGREES, "")
    assert "head" not in lg.load_motion(tmp_path / "a.bvh", bones={"head": None}).bones


@pytest.mark.parametrize(
    ("bones", "message"),
    [({"tail": "x"}, "no bone 'tail'"), ({"hips": "nobody"}, "no joint 'nobody'")],
)
def test_maps_that_are_wrong(bones: Any, message: str) -> None:
    text = in_bvh(STYLES["Mixamo"].joints())
    with pytest.raises(ContentError, match=message):
        motion_of_bvh(parse_bvh(text), bones=bones)


def test_an_error_names_bones_that_are_missing_and_joints_that_are_left_over() -> None:
    text = "HIERARCHY\nROOT Crane\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
    text += (
        "JOINT Hook\n{\nOFFSET 0 1 0\nCHANNELS 0\n}\n}\nMOTION\nFrames: 1\nFrame Time: 1\n0 0 0\n"
    )
    with pytest.raises(ContentError, match=r"missing hips, spine, .*left over: Crane, Hook"):
        motion_of_bvh(parse_bvh(text))


def test_assumptions_are_described() -> None:
    joints = STYLES["CMU asf"].joints()
    motion = motion_of_bvh(parse_bvh(in_bvh(joints, "A 45", scale=17.716, upright=Z_UP)))
    reported = str(motion.assumed)
    assert "zero pose turned into a T-pose" in reported
    assert "Z up" in reported
    assert "unit 0.0564" in reported
    assert motion.assumed is not None
    assert motion.assumed.corrected["leftUpperArm"] == pytest.approx(45, abs=0.1)
    assert "lhipjoint" in bone_map_of(parse_bvh(in_bvh(joints))).left_over


# Texts as exporters write them


def test_texts_as_exporters_write_them(tmp_path: Path) -> None:
    joints = STYLES["MMD"].joints()
    text = in_bvh(joints)
    head, motion = text.split("MOTION")
    head = head.replace("CHANNELS 3 Zrotation", "CHANNELS 3\n    Zrotation")
    head = head.replace("End Site", "End Site 先").replace("ROOT", "# made by hand\nroot")
    numbers = motion.split("\n", 3)[3].replace(" ", "\n", 40)
    count, interval = "Frames:5", "Frame Time:\t.0333333"
    written = "\r\n".join([*head.splitlines(), "Motion  ", count, "", interval, numbers])
    for encoding in ("utf-8-sig", "cp932", "utf-16"):
        path = tmp_path / f"{encoding}.bvh"
        path.write_bytes(written.encode(encoding))
        assert worst(load_motion(path), joints) < (DEGREES, "")


@pytest.mark.parametrize(
    ("count", "reported"), [(9, "declares 9 frames and contains 5"), (2, "declares 2")]
)
def test_wrong_frame_counts_are_reported(tmp_path: Path, count: int, reported: str) -> None:
    joints = STYLES["Mixamo"].joints()
    path = tmp_path / "a.bvh"
    path.write_text(in_bvh(joints).replace("Frames: 5", f"Frames: {count}"))
    with pytest.warns(LigamentWarning, match=reported):
        motion = load_motion(path)
    assert len(motion.times) == 5
    path.write_text(in_bvh(joints).rstrip().rsplit(" ", 2)[0])
    with pytest.warns(LigamentWarning, match="cut short"):
        assert len(load_motion(path).times) == 4
