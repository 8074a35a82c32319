"""Skeletons of unusual build: worn objects, few fingers, machines, limbs on other joints."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
import pytest

from ligament import transforms as tf
from ligament.errors import LigamentError
from ligament.rig.motion.bvh import parse_bvh
from ligament.rig.motion.bvh_motion import motion_of_bvh
from ligament.rig.motion.gltf_skeleton import find_skeleton
from ligament.rig.motion.inspection import skeleton_of
from tests.rig.motion.exporters import STYLES, prefixed
from tests.rig.motion.styles import (
    Joint,
    Style,
    bvh_text,
    errors,
    gltf_document,
    motion_of_bones,
    world_of_joints,
    zero_rotations,
)
from tests.rig.motion.test_invented_styles import check, renamed, shuffled
from tests.rig.motion.test_invented_styles import style as style_of
from tests.sampling import sample

ORDER = ("Thumb", "Index", "Middle", "Ring", "Pinky")
SIMPLE = style_of(
    "hips spine neck head thigh_@ shin_@ foot_@ toe_@ clav_@ arm_@ forearm_@ hand_@", ("L", "R"), 3
)


def numbered(style: Style, first: int) -> Style:
    return dataclasses.replace(
        style, fingers=lambda finger, i: f"finger{ORDER.index(finger) + first}_{i + 1}_@"
    )


def add_chain(joints: list[Joint], name: str, bone: str, step: Sequence[float], count: int) -> None:
    """Append a chain of joints that are no bones, each a step from the one before."""
    parent = next(i for i, joint in enumerate(joints) if joint.bone == bone)
    for n in range(count):
        place = joints[parent].place + np.array(step)
        joints.append(Joint(f"{name}{n}", parent, place, None))
        parent = len(joints) - 1
    joints[parent].end = np.array(step)


def without_bones(joints: list[Joint], word: str) -> list[Joint]:
    """Leave out the joints of bones that contain a word."""
    kept = [i for i, joint in enumerate(joints) if word not in (joint.bone or "")]
    at = {old: new for new, old in enumerate(kept)} | {-1: -1}
    return [dataclasses.replace(joints[i], parent=at[joints[i].parent]) for i in kept]


def attach(joints: list[Joint], bones: Sequence[str], to: str) -> list[Joint]:
    """Make bones the children of another one."""
    parent = next(i for i, joint in enumerate(joints) if joint.bone == to)
    moved = [
        dataclasses.replace(joint, parent=parent) if joint.bone in bones else joint
        for joint in joints
    ]
    return shuffled(moved, seed=1)


def test_a_side_within_a_prefix() -> None:
    check(prefixed("Lara_R_", STYLES["Plask"]).joints())


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("lacking", ["Little", "no finger"])
def test_numbered_fingers_are_counted_from_the_thumb(first: int, lacking: str) -> None:
    joints = without_bones(numbered(SIMPLE, first).joints(), lacking)
    check(joints)
    check(shuffled(joints, seed=2), gltf=True)


def test_machines_have_a_joint_for_each_axis() -> None:
    leg = ["(@_hip_yaw)", "(@_hip_roll)", "@_hip_pitch", "@_knee", "@_ankle_roll"]
    arm = ["-", "@_shoulder_roll", "@_elbow_pitch", "@_wrist_yaw"]
    check(Style("pelvis", ["waist_yaw", "torso"], [], "head", leg, arm, ("left", "right")).joints())


AXES = {"X": "pitch", "Y": "yaw", "Z": "roll"}
GROUPS = {"UpperLeg": "XZY", "Foot": "XZ", "UpperArm": "XZY", "Hand": "XZY"}
ROBOTS = {
    "pelvis": Style(
        "pelvis", ["torso"], [], "head", ["@_hip", "@_knee", "@_ankle"],
        ["-", "@_shoulder", "@_elbow", "@_wrist"], ("left", "right"),
    ),
    "base": Style(
        "base", ["T1"], [], "H1", ["@L1", "@L4", "@L5"], ["-", "@A1", "@A4", "@A5"], ("l", "r")
    ),
}  # fmt: skip


def with_axes_apart(
    joints: list[Joint], turns: dict[str, np.ndarray], step: float
) -> tuple[list[Joint], dict[str, np.ndarray]]:
    """Give the bones of limbs a joint for each axis, one step [m] apart; the last is the bone."""
    result, turns, at = list[Joint](), dict(turns), {-1: -1}
    for i, joint in enumerate(joints):
        bone, parent = joint.bone or "", at[joint.parent]
        axes = next((axes for end, axes in GROUPS.items() if bone.endswith(end)), "")
        along = np.array([0, -step, 0])
        if "Leg" not in bone and "Foot" not in bone:
            along = np.array([step if bone.startswith("left") else -step, 0, 0])
        angles = tf.to_euler(turns[bone], (axes + "Y")[:3]) if axes else np.zeros((5, 3))
        for n, axis in enumerate(axes):
            about = np.eye(3)["XYZ".index(axis)]
            name, is_last = f"{joint.name}_{AXES[axis]}", n == len(axes) - 1
            place = joint.place + n * along
            result.append(Joint(name, parent, place, bone if is_last else None, joint.end))
            turns[bone if is_last else name] = tf.from_axis_angle(about, angles[:, n])
            parent = len(result) - 1
        if not axes:
            result.append(dataclasses.replace(joint, parent=parent))
        at[i] = len(result) - 1
    return result, turns


@pytest.mark.parametrize("gltf", [False, True])
@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("step", [0.0, 0.02, 0.04])
@pytest.mark.parametrize("robot", ROBOTS)
def test_a_bone_of_a_machine_moves_with_the_last_of_its_axes(
    robot: str, step: float, named: bool, gltf: bool
) -> None:
    turns, hips = motion_of_bones()
    joints, turns = with_axes_apart(ROBOTS[robot].joints(), turns, step)
    if not named:
        unnamed = renamed(joints, seed=5)
        turns |= {b.name: turns[a.name] for a, b in zip(joints, unnamed, strict=True) if not a.bone}
        joints = unnamed
    motion = check(joints, gltf=gltf, motion=(turns, hips), arms=0)
    assert "leftShoulder" not in motion.bones
    assert "leftToes" not in motion.bones


def test_a_knee_and_an_ankle_that_move_in_one_plane_are_two_joints() -> None:
    """Animations by hand often rotate about one axis only: bones are those of their names."""
    turns, hips = motion_of_bones()
    flat = {bone: tf.exp(tf.log(turn) * [1.0, 0, 0]) for bone, turn in turns.items()}
    check(SIMPLE.joints(), motion=(flat, hips), arms=0)


def test_a_nose_in_place_of_a_head() -> None:
    check(dataclasses.replace(SIMPLE, head="Nose").joints())


def test_objects_named_after_the_limbs_that_wear_them() -> None:
    """They reach further than those of a body with short legs, and below the ground."""
    joints = STYLES["Qualisys"].joints()
    for side in ("left", "right"):
        add_chain(joints, f"{side}LegPouch", f"{side}UpperLeg", [0.1, -0.6, 0], 2)
        add_chain(joints, f"{side}FootPrint", f"{side}Foot", [0, -0.1, 0], 1)
        add_chain(joints, f"{side}ArmBand", f"{side}UpperArm", [0, 0.3, 0], 3)
    assert check(joints, arms=0).hips_height == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("gltf", [False, True])
def test_capes_and_hair_fall_where_necks_rise(gltf: bool) -> None:
    joints = SIMPLE.joints()
    add_chain(joints, "q", "upperChest", [0, -0.14, -0.05], 6)
    add_chain(joints, "p", "head", [0, -0.09, -0.06], 7)
    check(renamed(joints, seed=3), gltf=gltf)


@pytest.mark.parametrize("gltf", [False, True])
@pytest.mark.parametrize("joint", ["neck", "spine"])
def test_limbs_on_a_neck_or_a_spine_joint_without_names(joint: str, gltf: bool) -> None:
    limb = "Shoulder" if joint == "neck" else "UpperLeg"
    joints = attach(SIMPLE.joints(), [f"left{limb}", f"right{limb}"], joint)
    check(renamed(joints, seed=4), gltf=gltf)


def rolled(joints: list[Joint], angle: float) -> np.ndarray:
    """Make a zero pose with every bone along X, hands rolled about it by an angle."""
    axes = {"Leg": ([0, -1, 0], [1, 0, 0]), "Arm": ([1, 0, 0], [0, 1, 0])}
    result = zero_rotations(joints, {})
    for i, joint in enumerate(joints):
        bone = joint.bone or ""
        hanging, reaching = bone.endswith(("Leg", "Foot", "Toes")), bone.endswith(("Arm", "Hand"))
        along, hinge = axes["Leg"] if hanging else ([0, 1, 0], [1, 0, 0])
        if reaching or bone.endswith(("Shoulder", "Proximal", "Intermediate", "Distal")):
            along, hinge = axes["Arm"]
            along = [-1, 0, 0] if bone.startswith("right") else along
        x, z = np.array(along, float), np.array(hinge, float)
        result[i] = tf.conjugate(tf.from_matrix(np.stack([x, np.cross(z, x), z], axis=-1)))
        if bone.endswith("Hand"):
            result[i] = tf.multiply(tf.from_axis_angle([1.0, 0, 0], angle), result[i])
    return result


@pytest.mark.parametrize("angle", [0.0, 1.0, 2.5])
def test_knuckles_show_the_palm_of_zeros_that_are_no_pose(angle: float) -> None:
    """However the axes of hands are rolled: the middle finger is in line with the forearm."""
    joints = numbered(SIMPLE, 0).joints()
    for joint in joints:
        joint.place[2] -= 0.01 if (joint.bone or "").endswith(("al", "ediate")) else 0.0
    turns, hips = motion_of_bones()
    text = bvh_text(joints, turns, hips, zero=rolled(joints, angle), scale=100)
    motion = motion_of_bvh(parse_bvh(text))
    found = errors(motion, world_of_joints(joints, turns)[1])
    assert max(found["leftHand"], found["rightHand"]) < 1.0
    assert motion.assumed is not None
    assert motion.assumed.rest == "no pose at all"
    estimated = motion.assumed.estimated
    assert {"leftFoot", "rightToes", "leftShoulder"} <= {*estimated}
    assert not {"leftHand", "leftUpperLeg", "rightLowerArm", "hips"} & {*estimated}
    assert "estimated: leftFoot" in str(motion.assumed)


def test_a_pose_that_files_show_leaves_nothing_to_estimate() -> None:
    turns, hips = motion_of_bones()
    motion = motion_of_bvh(parse_bvh(bvh_text(SIMPLE.joints(), turns, hips)))
    assert motion.assumed is not None
    assert motion.assumed.estimated == ()
    assert "estimated" not in str(motion.assumed)


def test_info_describes_the_clip_of_a_skeleton_that_rests_in_a_frame() -> None:
    """Without a skin, the mean of the frames takes the place of a rest pose."""
    joints = SIMPLE.joints()
    turns, hips = motion_of_bones()
    found = skeleton_of(gltf_document(joints, turns, hips, seed=2, rest_frame=2))
    assert found is not None
    assert found.rest == "mean of the frames"
    assert {"spine", "leftFoot"} <= {*found.estimated}
    assert not {"leftUpperLeg", "rightLowerArm"} & {*found.estimated}


def test_bind_matrices_of_a_wrong_type_are_refused() -> None:
    document = gltf_document(SIMPLE.joints(), *motion_of_bones(), bound=True)
    accessor = document.json["accessors"][document.json["skins"][0]["inverseBindMatrices"]]
    accessor["type"], accessor["count"] = "SCALAR", 20
    with pytest.raises(LigamentError, match=r"/skins/0/inverseBindMatrices: .* MAT4 for every"):
        find_skeleton(document)
    assert skeleton_of(document) is None


SEGMENTS = ("UpperLeg", "LowerLeg", "Foot", "Toes", "Shoulder", "UpperArm", "LowerArm", "Hand")


def with_other_proportions(joints: list[Joint], seed: int) -> list[Joint]:
    """Make the segments of limbs up to 1.65 times as long or short, each on its own."""
    factors = dict(
        zip(SEGMENTS, np.exp(np.random.default_rng(seed).uniform(-0.5, 0.5, 8)), strict=True)
    )
    result = list[Joint]()
    for joint in joints:
        above = np.zeros(3) if joint.parent < 0 else joints[joint.parent].place
        start = np.zeros(3) if joint.parent < 0 else result[joint.parent].place
        ends = (f for end, f in factors.items() if (joint.bone or "").endswith(end))
        place = start + (joint.place - above) * next(ends, 1.0)
        result.append(dataclasses.replace(joint, place=place))
    lowest = min(joint.place[1] for joint in result) - 0.03
    for joint in result:
        joint.place[1] -= lowest
    return result


@pytest.mark.parametrize("seed", sample(range(40), 8))
def test_unnamed_limbs_of_any_proportions_are_read_as_they_bend(seed: int) -> None:
    """Knees and elbows bend in one plane, hips and shoulders in all."""
    joints = renamed(shuffled(with_other_proportions(SIMPLE.joints(), seed), seed), seed)
    turns, hips = motion_of_bones(12, seed)
    hips += next(joint.place for joint in joints if joint.bone == "hips") - [0, 1.0, 0]
    check(joints, motion=(turns, hips), arms=2.0 * seed)


@pytest.mark.parametrize("gltf", [False, True])
def test_thumbs_named_as_in_vrm_have_a_metacarpal(gltf: bool) -> None:
    segments = {"Thumb": ("Metacarpal", "Proximal", "Distal")}
    usual = ("Proximal", "Intermediate", "Distal")
    style = dataclasses.replace(SIMPLE, fingers=lambda f, i: f"@{f}{segments.get(f, usual)[i]}")
    check(style.joints(), gltf=gltf)


@pytest.mark.parametrize("gltf", [False, True])
def test_single_toes_with_names_are_no_toe_bones_and_show_the_way(gltf: bool) -> None:
    """The first of them points inwards; the foot points to the middle of all."""
    joints = dataclasses.replace(SIMPLE, leg=SIMPLE.leg[:3]).joints()
    for side in ("left", "right"):
        foot = next(i for i, joint in enumerate(joints) if joint.bone == f"{side}Foot")
        joints[foot].end = None
        for toe in range(5):
            parent = foot
            for n in range(2):
                place = joints[foot].place + np.array([0.015 * (toe - 2), -0.07, 0.12 + 0.02 * n])
                name = f"toe{toe + 1}-{n + 1}.{side[0].upper()}"
                joints.append(Joint(name, parent, place, None, np.array([0, 0, 0.01])))
                parent = len(joints) - 1
    check(joints, gltf=gltf)


@pytest.mark.parametrize("gltf", [False, True])
@pytest.mark.parametrize("first", [0, 1])
def test_of_two_bodies_the_one_that_moves_counts(first: int, gltf: bool) -> None:
    body = SIMPLE.joints()
    joints = [Joint("Scene", -1, np.zeros(3), None)]
    for n in (first, 1 - first):
        start = len(joints)
        for joint in body:
            parent = 0 if joint.parent < 0 else joint.parent + start
            bone = joint.bone if n == 0 else None
            place = joint.place + np.array([1.5 * n, 0, 0])
            joints.append(Joint(f"{joint.name}.{n}", parent, place, bone, joint.end))
    check(joints, gltf=gltf)


@pytest.mark.parametrize("gltf", [False, True])
def test_copies_of_joints_in_the_same_place_are_ignored(gltf: bool) -> None:
    """Rigify hangs what deforms below what is animated."""
    body = STYLES["Rigify"].joints()
    joints = [dataclasses.replace(joint, name=f"ORG-{joint.name}", end=None) for joint in body]
    copies = [Joint(f"DEF-{joint.name}", i, joint.place, None) for i, joint in enumerate(body)]
    check([*joints, *copies], gltf=gltf)


@pytest.mark.parametrize("gltf", [False, True])
@pytest.mark.parametrize("height", [1.0, 1.2, 1.43])
@pytest.mark.parametrize("arms", [0.0, 45.0])
def test_one_joint_that_bears_all_limbs(arms: float, height: float, gltf: bool) -> None:
    """Legs hang, arms do not; the joint may be anywhere between them."""
    body = dataclasses.replace(SIMPLE, trunk=[], neck=[])
    joints = renamed(shuffled(body.joints(), seed=1), seed=1)
    lifted = next(joint for joint in joints if joint.bone == "hips")
    lifted.place[1] = height
    turns, hips = motion_of_bones(12)
    hips[:, 1] += height - 1.0
    check(joints, gltf=gltf, motion=(turns, hips), arms=arms)
