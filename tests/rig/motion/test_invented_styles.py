"""Styles that nobody exports: languages, names that mean nothing, joints that are no bones."""

from __future__ import annotations

import dataclasses
import itertools
import random
import string
from collections.abc import Callable

import numpy as np
import pytest

from ligament.rig.motion.bvh import parse_bvh
from ligament.rig.motion.bvh_motion import motion_of_bvh
from ligament.rig.motion.load import load_motion
from ligament.rig.motion.motion import Motion
from tests.rig.motion.styles import (
    Joint,
    Style,
    arms_down,
    bvh_text,
    errors,
    gltf_document,
    motion_of_bones,
    twists_apart,
    world_of_joints,
    zero_rotations,
)
from tests.sampling import sample


def style(words: str, sides: tuple[str, str], trunk: int = 2, fingers: bool = False) -> Style:
    """Make a style from twelve words: hips, trunk, neck, head, leg, arm."""
    hips, spine, neck, head, *limbs = words.split()
    return Style(
        hips,
        [f"{spine}{i}" for i in range(trunk)],
        [neck],
        head,
        limbs[:4],
        limbs[4:],
        sides,
        fingers=(lambda finger, i: f"@{finger}{i}") if fingers else None,
    )


STYLES = {
    "French": style(
        "Bassin Dos Cou Tete Cuisse_@ Mollet_@ Pied_@ Orteils_@ Clavicule_@ Bras_@ AvantBras_@ "
        "Main_@",
        ("G", "D"),
        3,
    ),
    "Polish": style(
        "Miednica Tulow Szyja Glowa Udo_@ Lydka_@ Stopa_@ Palce_@ Bark_@ Ramie_@ Przedramie_@ "
        "Dlon_@",
        ("L", "P"),
    ),
    "Chinese": style(
        "骨盆 脊柱 脖子 头 @大腿 @小腿 @脚 @脚趾 @锁骨 @上臂 @前臂 @手",
        ("左", "右"),
        4,
        fingers=True,
    ),
    "Korean": style(
        "골반 허리 목 머리 @넓적 @종아리 @발 @발끝 @쇄골 @팔 @팔뚝 @손", ("왼", "오른"), 1
    ),
    "Finnish": style(
        "lantio selka kaula paa reisi@ saari@ jalka@ varpaat@ olka@ olkavarsi@ kyynar@ kasi@",
        ("_v", "_o"),
        5,
        fingers=True,
    ),
    "Arabic": style(
        "حوض عمود رقبة رأس فخذ@ ساق@ قدم@ اصابع@ ترقوة@ عضد@ ساعد@ يد@", ("يسار", "يمين"), 3
    ),
    "Latin": style(
        "coxa lumbar cervix cranium femur_@ tibia_@ talus_@ hallux_@ clavicula_@ humerus_@ ulna_@ "
        "carpus_@",
        ("sin", "dex"),
    ),
    "codes in which R is no side": style(
        "P0 S N1 H1 @F1 @T1 @A1 @B1 @C1 @H1 @R1 @W1", ("1_", "2_"), 3, fingers=True
    ),
    "joints": style(
        "j_pelvis j_back j_neck j_head j_hip_@ j_knee_@ j_ankle_@ j_ball_@ j_collar_@ j_shoulder_@ "
        "j_elbow_@ j_wrist_@",
        ("le", "ri"),
        3,
    ),
    "letters": style("a b c d e@ f@ g@ h@ i@ j@ k@ l@", ("x", "y"), 3, fingers=True),
    "letters, no hands": style("a b c d e@ f@ g@ h@ i@ j@ k@ l@", ("x", "y"), 1),
}


NUMBERED = {
    "limbs by numbers": style(
        "Pelvis Spine Neck Head @Leg1 @Leg2 @Leg3 @Leg4 @Arm1 @Arm2 @Arm3 @Arm4",
        ("Left", "Right"),
        3,
    ),
    "limbs by letters": style(
        "Pelvis Spine Neck Head Leg@_A Leg@_B Leg@_C Leg@_D Arm@_A Arm@_B Arm@_C Arm@_D", ("L", "R")
    ),
    "arm, arm1, arm2": style(
        "Pelvis Spine Neck Head @Leg @Leg1 @Foot @Toe @Arm @Arm1 @Arm2 @Hand", ("L_", "R_"), 4
    ),
    "a side on the trunk": style(
        "Pelvis Torso Neck Head @Hip @Knee @Ankle @Toe @Thorax @Shoulder @Elbow @Wrist",
        ("L_", "R_"),
    ),
    "letters with marks": style(
        "höft rygg nacke huvud lår_@ underben_@ fot_@ tå_@ nyckelben_@ överarm_@ underarm_@ hand_@",
        ("V", "H"),
    ),
    "a side as a prefix": style(
        "R_Hips R_Spine R_Neck R_Head R_@Thigh R_@Shin R_@Foot R_@Toe R_@Collar R_@UpperArm "
        "R_@ForeArm R_@Hand",
        ("Left", "Right"),
    ),
    "two necks called heads": dataclasses.replace(
        style(
            "hips spine head_neck_lower head_neck_upper leg_@_thigh leg_@_knee leg_@_ankle "
            "leg_@_toes arm_@_collar arm_@_shoulder arm_@_elbow arm_@_wrist",
            ("left", "right"),
        )
    ),
}
"""Names that speak of a limb or a part, and say no more."""

HANDS: dict[str, Callable[[str, int], str]] = {
    "thumb and numbers": lambda f, i: (
        f"{'thumb' if f == 'Thumb' else 'finger'}_@{ORDER[f]}_0{i}_jnt"
    ),
    "some in words": lambda f, i: f"{WORDS.get(f, 'Zeh' + f[0] + 'o')}{i + 1}_@",
    "one without a name": lambda f, i: f"{'' if f == 'Middle' else f}Finger_0{i + 1}_@",
}
ORDER = {"Thumb": 0, "Index": 0, "Middle": 1, "Ring": 2, "Pinky": 3}
WORDS = {"Thumb": "Daumen", "Ring": "Ringfinger"}


def with_joints_between(made: Style, where: str) -> Style:
    """Put joints that only twist, or never move, into the chains."""
    leg, arm = list(made.leg), list(made.arm)
    if where in ("upper", "both"):
        leg.insert(1, f"({leg[0]}q)")
        arm.insert(2, f"({arm[1]}q)")
    if where in ("lower", "both"):
        leg.insert(leg.index(made.leg[1]) + 1, f"({made.leg[1]}q)")
        arm.insert(arm.index(made.arm[2]) + 1, f"({made.arm[2]}q)")
    if where == "metatarsals":
        leg.insert(3, "(@q)")
    return dataclasses.replace(made, leg=leg, arm=arm)


def shuffled(joints: list[Joint], seed: int) -> list[Joint]:
    """Return the joints with siblings in another order, parents first."""
    chance = random.Random(seed)
    children: dict[int, list[int]] = {}
    for i, joint in enumerate(joints):
        children.setdefault(joint.parent, []).append(i)
    order, waiting = list[int](), list(children[-1])
    while waiting:
        order.append(waiting.pop())
        below = children.get(order[-1], [])
        waiting += chance.sample(below, len(below))
    at = {old: new for new, old in enumerate(order)}
    return [
        dataclasses.replace(joints[old], parent=at.get(joints[old].parent, -1)) for old in order
    ]


def renamed(joints: list[Joint], seed: int) -> list[Joint]:
    """Return the joints under names that say nothing."""
    chance = random.Random(seed)
    names = ["".join(chance.choices(string.ascii_lowercase, k=7)) for _ in joints]
    return [dataclasses.replace(j, name=name) for j, name in zip(joints, names, strict=True)]


def with_chains(joints: list[Joint]) -> list[Joint]:
    """Add a tail, ears, hair and something in the right hand."""
    at = {joint.bone: i for i, joint in enumerate(joints) if joint.bone}
    result = [dataclasses.replace(joint) for joint in joints]

    def chain(bone: str, start: list[float], step: list[float], count: int) -> None:
        parent = at[bone]
        for n in range(count):
            place = joints[at[bone]].place + np.array(start) + n * np.array(step)
            end = np.array(step) if n == count - 1 else None
            result.append(Joint(f"q{len(result)}", parent, place, None, end))
            parent = len(result) - 1

    chain("hips", [0, 0, -0.08], [0, -0.03, -0.08], 5)
    chain("rightHand", [-0.08, -0.02, 0], [0, 0, 0.3], 2)
    for side in (1, -1):
        chain("head", [0.05 * side, 0.18, 0], [0, 0.06, 0], 3)
        chain("head", [0.06 * side, 0.12, -0.06], [0, -0.07, 0], 4)
    return result


def check(
    joints: list[Joint],
    *,
    gltf: bool = False,
    motion: tuple[dict[str, np.ndarray], np.ndarray] | None = None,
    arms: float = 35,
) -> Motion:
    """Check that a file of joints, whose arms hang by some degrees, is read as it moves."""
    turns, hips = motion or motion_of_bones()
    turns = turns if motion else twists_apart(joints, turns)
    zero = zero_rotations(joints, arms_down(arms))
    if gltf:
        read = load_motion(gltf_document(joints, turns, hips, zero=zero, seed=2, armature=True))
    else:
        read = motion_of_bvh(parse_bvh(bvh_text(joints, turns, hips, zero=zero, scale=100)))
    found = errors(read, world_of_joints(joints, turns)[1])
    assert max((angle, bone) for bone, angle in found.items()) < (1.0, "")
    return read


BETWEEN = ("", "upper", "lower", "both", "metatarsals")


@pytest.mark.parametrize(("name", "where"), sample(itertools.product(STYLES, BETWEEN), 14))
def test_languages_and_joints_in_the_chain(name: str, where: str) -> None:
    check(shuffled(with_joints_between(STYLES[name], where).joints(), seed=1), gltf=where == "both")


@pytest.mark.parametrize(("name", "where"), sample(itertools.product(STYLES, BETWEEN), 8))
def test_names_that_say_nothing_in_any_order(name: str, where: str) -> None:
    check(renamed(shuffled(with_joints_between(STYLES[name], where).joints(), seed=2), seed=3))


@pytest.mark.parametrize("name", sample(STYLES, 6))
def test_tails_ears_hair_and_what_a_hand_holds(name: str) -> None:
    check(with_chains(STYLES[name].joints()))


@pytest.mark.parametrize("name", NUMBERED)
def test_names_that_say_a_limb_and_no_more(name: str) -> None:
    check(NUMBERED[name].joints())
    check(shuffled(NUMBERED[name].joints(), seed=4), gltf=True)


@pytest.mark.parametrize("name", HANDS)
@pytest.mark.parametrize("metacarpal", [None, lambda f: f"q{f[0]}_@"])
def test_partly_named_fingers_are_found(name: str, metacarpal: Callable[[str], str] | None) -> None:
    made = dataclasses.replace(STYLES["French"], fingers=HANDS[name], metacarpal=metacarpal)
    check(made.joints())
    check(shuffled(made.joints(), seed=5), gltf=True)


def test_a_finger_with_its_metacarpal_and_a_helper_of_the_same_name() -> None:
    """Numbered from 0, where the metacarpal is 0, or from 1; a leaf on the hand says index, too."""
    made = dataclasses.replace(
        STYLES["joints"],
        fingers=lambda finger, i: f"{finger.lower()}0{i + 1}_@",
        metacarpal=lambda finger: f"{finger.lower()}00_@",
        extras={"c_index1_base_@": "j_wrist_@"},
    )
    check(made.joints())
    check(shuffled(made.joints(), seed=6), gltf=True)


def test_hair_beside_an_unnamed_neck_is_no_neck() -> None:
    """A chain that hangs from the head leads aside; leaves stand between neck and shoulders."""
    joints = with_chains(STYLES["letters"].joints())
    chest = next(i for i, joint in enumerate(joints) if joint.bone == "upperChest")
    for x in (0.03, -0.03):
        place = joints[chest].place + np.array([x, 0.1, 0])
        joints.append(Joint(f"w{x}", chest, place, None))
    parent = next(i for i, joint in enumerate(joints) if joint.bone == "head")
    for _ in range(5):
        place = joints[parent].place + np.array([0.08, -0.05, -0.02])
        joints.append(Joint("w", parent, place, None))
        parent = len(joints) - 1
    check(renamed(joints, seed=7))


def test_unnamed_legs_without_feet_are_found() -> None:
    """Feet may be driven from elsewhere: what there is is a body all the same."""
    made = dataclasses.replace(STYLES["French"], leg=STYLES["French"].leg[:2])
    joints = renamed(made.joints(), seed=8)
    check(joints)
    check(shuffled(joints, seed=9), gltf=True)


def test_unnamed_single_toes_are_no_toe_bones() -> None:
    made = dataclasses.replace(STYLES["French"], leg=STYLES["French"].leg[:3])
    joints = made.joints()
    for foot in [i for i, joint in enumerate(joints) if (joint.bone or "").endswith("Foot")]:
        joints[foot].end = None
        for toe in range(5):
            parent, place = foot, joints[foot].place + np.array([0.015 * (toe - 2), -0.05, 0.1])
            for _ in range(3):
                joints.append(Joint(f"t{foot}{toe}", parent, place, None))
                parent, place = len(joints) - 1, place + np.array([0, 0, 0.02])
            joints[parent].end = np.array([0, 0, 0.02])
    joints, (turns, hips) = renamed(joints, seed=10), motion_of_bones()
    turns |= {joint.name: turns["leftToes"] for joint in joints if joint.bone is None}
    motion = motion_of_bvh(parse_bvh(bvh_text(joints, turns, hips)))
    assert {"leftFoot", "rightFoot"} <= set(motion.bones)
    assert not {"leftToes", "rightToes"} & set(motion.bones)
