"""Joints → bones by the names that exporters give them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ligament.extensions.humanoid.bones import BONES
from ligament.rig.motion import find_bones as finding
from ligament.rig.motion.joint_tree import JointTree

Tree = dict[str, Any]


def flat(tree: Tree) -> tuple[list[str], np.ndarray]:
    names: list[str] = []
    parents: list[int] = []

    def add(branch: Tree, parent: int) -> None:
        for name, below in branch.items():
            names.append(name)
            parents.append(parent)
            add(below, len(names) - 1)

    add(tree, -1)
    return names, np.array(parents)


def find_bones(names: list[str], parents: np.ndarray) -> dict[str, int]:
    """Find bones by names and hierarchy alone: all joints are in one place."""
    tree = JointTree(names, parents, np.zeros((len(names), 3)))
    return dict(finding.find_bones(tree).bones)


def found(tree: Tree) -> dict[str, str]:
    names, parents = flat(tree)
    return {bone: names[joint] for bone, joint in find_bones(names, parents).items()}


def line(*names: str, end: Tree | None = None) -> Tree:
    """One joint below the other."""
    tree: Tree = end or {}
    for name in reversed(names):
        tree = {name: tree}
    return tree


def body(root: str, trunk: list[str], neck: list[str], leg: list[str], arm: list[str]) -> Tree:
    """A body of named limbs; {} in a name is the side, as (Left, Right) by default."""
    sides = ("Left", "Right") if "{}" in leg[0] else ("L", "R")
    top: Tree = {}
    for side in sides:
        top |= line(*(name.replace("{}", side).replace("{s}", side) for name in arm))
    top |= line(*neck)
    tree = line(*trunk, end=top)
    for side in sides:
        tree |= line(*(name.replace("{}", side).replace("{s}", side) for name in leg))
    return line(root, end=tree)


LEG = ["UpperLeg", "LowerLeg", "Foot", "Toes"]
ARM = ["Shoulder", "UpperArm", "LowerArm", "Hand"]
TRUNK = ["spine", "chest", "upperChest"]

STYLES: dict[str, tuple[Tree, list[str]]] = {
    "MotionBuilder": (
        body(
            "Ref:Hips",
            ["Ref:Spine", "Ref:Spine1", "Ref:Spine2"],
            ["Ref:Neck", "Ref:Head"],
            ["Ref:{}UpLeg", "Ref:{}Leg", "Ref:{}Foot", "Ref:{}ToeBase"],
            ["Ref:{}Shoulder", "Ref:{}Arm", "Ref:{}ForeArm", "Ref:{}Hand"],
        ),
        ["hips", *TRUNK, "neck", "head"],
    ),
    "LAFAN1": (
        body(
            "Hips",
            ["Spine", "Spine1", "Spine2"],
            ["Neck", "Head"],
            ["{}UpLeg", "{}Leg", "{}Foot", "{}Toe"],
            ["{}Shoulder", "{}Arm", "{}ForeArm", "{}Hand"],
        ),
        ["hips", *TRUNK, "neck", "head"],
    ),
    "Rokoko": (
        body(
            "Hips",
            ["Spine1", "Spine2", "Spine3", "Spine4"],
            ["Neck", "Head"],
            ["{}Thigh", "{}Shin", "{}Foot", "{}Toe"],
            ["{}Shoulder", "{}Arm", "{}ForeArm", "{}Hand"],
        ),
        ["hips", *TRUNK, "neck", "head"],
    ),
    "Perception Neuron": (
        body(
            "Robot_Hips",
            ["Robot_Spine", "Robot_Spine1", "Robot_Spine2", "Robot_Spine3"],
            ["Robot_Neck", "Robot_Head"],
            ["Robot_{}UpLeg", "Robot_{}Leg", "Robot_{}Foot", "Robot_{}Toe"],
            ["Robot_{}Shoulder", "Robot_{}Arm", "Robot_{}ForeArm", "Robot_{}Hand"],
        ),
        ["hips", *TRUNK, "neck", "head"],
    ),
    "Xsens": (
        body(
            "Hips",
            ["Chest", "Chest2", "Chest3", "Chest4"],
            ["Neck", "Head"],
            ["{}Hip", "{}Knee", "{}Ankle", "{}Toe"],
            ["{}Collar", "{}Shoulder", "{}Elbow", "{}Wrist"],
        ),
        ["hips", *TRUNK, "neck", "head"],
    ),
    "Biped": (
        line(
            "Bip01",
            end=body(
                "Bip01 Pelvis",
                ["Bip01 Spine", "Bip01 Spine1"],
                ["Bip01 Neck", "Bip01 Head"],
                ["Bip01 {s} Thigh", "Bip01 {s} Calf", "Bip01 {s} Foot", "Bip01 {s} Toe0"],
                ["Bip01 {s} Clavicle", "Bip01 {s} UpperArm", "Bip01 {s} Forearm", "Bip01 {s} Hand"],
            ),
        ),
        ["hips", "spine", "chest", "neck", "head"],
    ),
    "Unreal": (
        line(
            "root",
            end=body(
                "pelvis",
                ["spine_01", "spine_02", "spine_03"],
                ["neck_01", "head"],
                ["thigh_{s}", "calf_{s}", "foot_{s}", "ball_{s}"],
                ["clavicle_{s}", "upperarm_{s}", "lowerarm_{s}", "hand_{s}"],
            ),
        ),
        ["hips", *TRUNK, "neck", "head"],
    ),
    "Poser": (
        body(
            "hip",
            ["abdomen", "chest"],
            ["neck", "head"],
            ["{s}Thigh", "{s}Shin", "{s}Foot", "{s}Toe"],
            ["{s}Collar", "{s}Shldr", "{s}ForeArm", "{s}Hand"],
        ),
        ["hips", "spine", "chest", "neck", "head"],
    ),
    "Motive": (
        body(
            "Hip",
            ["Ab", "Chest"],
            ["Neck", "Head"],
            ["{s}Thigh", "{s}Shin", "{s}Foot", "{s}Toe"],
            ["{s}Shoulder", "{s}UArm", "{s}FArm", "{s}Hand"],
        ),
        ["hips", "spine", "chest", "neck", "head"],
    ),
    "SMPL": (
        body(
            "Pelvis",
            ["Spine1", "Spine2", "Spine3"],
            ["Neck", "Head"],
            ["{s}_Hip", "{s}_Knee", "{s}_Ankle", "{s}_Foot"],
            ["{s}_Collar", "{s}_Shoulder", "{s}_Elbow", "{s}_Wrist", "{s}_Hand"],
        ),
        ["hips", *TRUNK, "neck", "head"],
    ),
    "VRoid": (
        body(
            "J_Bip_C_Hips",
            ["J_Bip_C_Spine", "J_Bip_C_Chest", "J_Bip_C_UpperChest"],
            ["J_Bip_C_Neck", "J_Bip_C_Head"],
            [f"J_Bip_{{s}}_{part}" for part in ("UpperLeg", "LowerLeg", "Foot", "ToeBase")],
            [f"J_Bip_{{s}}_{part}" for part in ("Shoulder", "UpperArm", "LowerArm", "Hand")],
        ),
        ["hips", *TRUNK, "neck", "head"],
    ),
    "Second Life": (
        body(
            "mPelvis",
            ["mTorso", "mChest"],
            ["mNeck", "mHead"],
            ["mHip{}", "mKnee{}", "mAnkle{}", "mFoot{}"],
            ["mCollar{}", "mShoulder{}", "mElbow{}", "mWrist{}"],
        ),
        ["hips", "spine", "chest", "neck", "head"],
    ),
    "a prefix of one's own": (
        body(
            "Model_Hips",
            ["Model_Spine"],
            ["Model_Neck", "Model_Head"],
            ["Model_{}UpLeg", "Model_{}Leg", "Model_{}Foot", "Model_{}ToeBase"],
            ["Model_{}Shoulder", "Model_{}Arm", "Model_{}ForeArm", "Model_{}Hand"],
        ),
        ["hips", "spine", "neck", "head"],
    ),
}


@pytest.mark.parametrize("style", STYLES)
def test_styles_of_exporters(style: str) -> None:
    tree, trunk = STYLES[style]
    bones = found(tree)
    limbs = [f"{side}{bone}" for side in ("left", "right") for bone in (*LEG, *ARM)]
    assert list(bones) == [bone for bone in BONES if bone in {*trunk, *limbs}]
    names, _ = flat(tree)
    depth_first = [bones[f"left{bone}"] for bone in LEG]
    assert [names.index(name) for name in depth_first] == sorted(map(names.index, depth_first))
    for bone in limbs:
        twin = bone.replace("left", "right") if bone.startswith("left") else bone
        assert bones[bone] != bones[twin] or bone == twin


def test_lower_case_sides_of_poser() -> None:
    tree = body(
        "hip",
        ["abdomen", "chest"],
        ["neck", "head"],
        ["{s}Thigh", "{s}Shin", "{s}Foot"],
        ["{s}Collar", "{s}Shldr", "{s}ForeArm", "{s}Hand"],
    )
    names, parents = flat(tree)
    lowered = [n[0].lower() + n[1:] if n[0] in "LR" else n for n in names]
    bones = {b: lowered[j] for b, j in find_bones(lowered, parents).items()}
    assert bones["leftUpperArm"] == "lShldr"
    assert bones["rightLowerLeg"] == "rShin"


def test_cmu_has_joints_in_between() -> None:
    arm = ["{}Shoulder", "{}Arm", "{}ForeArm", "{}Hand", "{}FingerBase", "{}HandIndex1"]
    tree = body(
        "Hips",
        ["LowerBack", "Spine", "Spine1"],
        ["Neck", "Neck1", "Head"],
        ["{}HipJoint", "{}UpLeg", "{}Leg", "{}Foot", "{}ToeBase"],
        arm,
    )
    names, parents = flat(tree)
    names = [n.replace("LeftHipJoint", "LHipJoint").replace("RightHip", "RHip") for n in names]
    bones = {b: names[j] for b, j in find_bones(names, parents).items()}
    assert bones["spine"] == "LowerBack"
    assert bones["upperChest"] == "Spine1"
    assert bones["neck"] == "Neck"
    assert bones["leftUpperLeg"] == "LeftUpLeg"
    assert bones["leftIndexProximal"] == "LeftHandIndex1"


def test_xsens_shoulders_are_upper_arms() -> None:
    bones = found(STYLES["Xsens"][0])
    assert bones["leftShoulder"] == "LeftCollar"
    assert bones["leftUpperArm"] == "LeftShoulder"
    assert bones["leftUpperLeg"] == "LeftHip"
    assert bones["hips"] == "Hips"


def test_smpl_feet_are_toes() -> None:
    bones = found(STYLES["SMPL"][0])
    assert (bones["leftFoot"], bones["leftToes"]) == ("L_Ankle", "L_Foot")
    assert bones["leftHand"] == "L_Wrist"


FINGERS = {
    "Mixamo": ({"LeftHandThumb{}": "Thumb", "LeftHandPinky{}": "Little"}, ("1", "2", "3")),
    "Unreal": ({"thumb_{}_l": "Thumb", "pinky_{}_l": "Little"}, ("01", "02", "03")),
    "Biped": ({"L Finger0{}": "Thumb", "L Finger4{}": "Little"}, ("", "1", "2")),
    "Daz": ({"lThumb{}": "Thumb", "lPinky{}": "Little"}, ("1", "2", "3")),
}


def with_fingers(*chains: list[str]) -> dict[str, str]:
    names, parents = flat(STYLES["LAFAN1"][0])
    for chain in chains:
        parent = names.index("LeftHand")
        for name in chain:
            names.append(name)
            parents = np.append(parents, parent)
            parent = len(names) - 1
    return {bone: names[joint] for bone, joint in find_bones(names, parents).items()}


@pytest.mark.parametrize("style", FINGERS)
def test_fingers(style: str) -> None:
    patterns, numbers = FINGERS[style]
    bones = with_fingers(*([p.format(n) for n in numbers] for p in patterns))
    for pattern, finger in patterns.items():
        segments = ("Metacarpal", "Proximal", "Distal")
        if finger != "Thumb":
            segments = ("Proximal", "Intermediate", "Distal")
        for segment, number in zip(segments, numbers, strict=True):
            assert bones[f"left{finger}{segment}"] == pattern.format(number)


def test_rokoko_names_the_segments() -> None:
    thumb = [f"LeftFinger1{part}" for part in ("Metacarpal", "Proximal", "Distal")]
    index = [f"LeftFinger2{part}" for part in ("Metacarpal", "Proximal", "Medial", "Distal")]
    bones = with_fingers(thumb, index)
    assert [bones[f"leftThumb{s}"] for s in ("Metacarpal", "Proximal", "Distal")] == thumb
    assert [bones[f"leftIndex{s}"] for s in ("Proximal", "Intermediate", "Distal")] == index[1:]


def test_unity_calls_the_thumb_as_a_finger() -> None:
    thumb = [f"Left Thumb {part}" for part in ("Proximal", "Intermediate", "Distal")]
    bones = with_fingers(thumb)
    assert [bones[f"leftThumb{s}"] for s in ("Metacarpal", "Proximal", "Distal")] == thumb


def test_a_segment_without_the_one_before_is_left_out() -> None:
    assert "leftIndexDistal" not in with_fingers(["LeftHandIndex1", "LeftHandIndex3"])


def test_neuron_has_bones_inside_the_hand() -> None:
    bones = with_fingers(["LeftInHandIndex", "LeftHandIndex1", "LeftHandIndex2"])
    assert bones["leftIndexProximal"] == "LeftHandIndex1"


def test_hips_without_a_name_are_found_by_their_place() -> None:
    names, parents = flat(STYLES["LAFAN1"][0])
    names[0] = "CenterOfMass"
    assert names[find_bones(names, parents)["hips"]] == "CenterOfMass"


def test_legs_that_hang_on_the_spine_make_the_root_the_hips() -> None:
    tree = line("Bip01", end={**line("Bip01 Pelvis"), **line("Bip01 Spine", end=_upper())})
    bones = found(tree)
    assert bones["hips"] == "Bip01 Spine"


def _upper() -> Tree:
    tree: Tree = line("Bip01 Spine1", end=line("Bip01 Neck", "Bip01 Head"))
    for side in "LR":
        tree |= line(f"Bip01 {side} Thigh", f"Bip01 {side} Calf", f"Bip01 {side} Foot")
        tree["Bip01 Spine1"] |= line(f"Bip01 {side} UpperArm", f"Bip01 {side} Forearm")
    return tree


def test_arms_below_the_last_joint_of_the_trunk() -> None:
    """The joint that bears the arms is the upper chest; what is above belongs to the neck."""
    neck = line("Spine3", "Neck", "Head")
    arms = {**line("LeftArm", "LeftForeArm"), **line("RightArm", "RightForeArm")}
    trunk = line("Spine", "Spine1", "Spine2", end={**neck, **arms})
    legs = {**line("LeftUpLeg", "LeftLeg"), **line("RightUpLeg", "RightLeg")}
    bones = found(line("Hips", end={**trunk, **legs}))
    assert [bones[b] for b in TRUNK] == ["Spine", "Spine1", "Spine2"]
    assert bones["neck"] == "Neck"


def test_a_mesh_of_the_same_name_is_not_the_joint() -> None:
    names, parents = flat(STYLES["LAFAN1"][0])
    names.insert(0, "LeftArm")
    parents = np.concatenate([[-1], np.where(parents < 0, -1, parents + 1)])
    bones = find_bones(names, parents)
    assert bones["leftUpperArm"] == names.index("LeftArm", 1)


def test_arms_without_a_head_will_do() -> None:
    names, parents = flat(STYLES["LAFAN1"][0])
    kept = [i for i, name in enumerate(names) if name not in ("Neck", "Head")]
    renumbered = {old: new for new, old in enumerate(kept)}
    bones = find_bones(
        [names[i] for i in kept],
        np.array([renumbered.get(int(parents[i]), -1) for i in kept]),
    )
    assert "head" not in bones
    assert {"hips", *TRUNK, "leftHand"} <= set(bones)


@pytest.mark.parametrize(
    "names", [[], ["a"], ["Hips", "Spine", "Head"], ["Hips", "LeftUpLeg", "RightUpLeg"]]
)
def test_joints_without_a_body_have_no_bones(names: list[str]) -> None:
    assert find_bones(names, np.arange(len(names)) - 1) == {}


def test_legs_and_head_in_different_trees_are_no_body() -> None:
    names = ["LeftUpLeg", "RightUpLeg", "Head"]
    assert find_bones(names, np.array([-1, -1, -1])) == {}


def test_a_very_deep_tree_takes_no_time() -> None:
    """Five thousand joints between hips and neck."""
    names = ["Hips", *(f"x{i}" for i in range(5000)), "Neck", "Head"]
    parents = [*range(-1, len(names) - 1), 5000, 5000, 0, 0]
    names += ["LeftArm", "RightArm", "LeftUpLeg", "RightUpLeg"]
    bones = find_bones(names, np.array(parents))
    assert [bones[b] for b in ("hips", *TRUNK, "neck")] == [0, 1, 2501, 5000, 5001]
