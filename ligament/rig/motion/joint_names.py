"""Bones by joint name and hierarchy, for skeletons that do not declare them.

Names are those of common exporters: Mixamo and MotionBuilder, CMU and cgspeed, LAFAN1, Rokoko,
Perception Neuron, Xsens and Biovision, 3ds Max Biped, Poser and Daz, Unreal, SMPL, VRM itself.
Sides and limbs are recognised by words, the trunk by what lies between the hips and the neck.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from ligament.arrays import Ints
from ligament.rig.humanoid.bones import BONES, CONDITIONAL, SIDES, nearest_parent

Joints = Mapping[tuple[str, str], int]
"""(side or "", cleaned name) → joint."""

_NOISE = re.compile(
    r"^(?:(?i:mixamorig\d*|bip\d+|j_bip|character\d+|(?:robot|def|jnt)(?=[_.\- ]))|m(?=[A-Z]))"
    r"[ _.\-]*"
)
_WORDS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_SIDE = {"left": "left", "l": "left", "right": "right", "r": "right"}
_LETTERS = {"lu": "u", "lf": "f", "ru": "u", "rf": "f"}

# In order of preference; a joint that serves one bone is not there for the next.
_LIMBS: dict[str, tuple[str, ...]] = {
    "UpperLeg": ("upperleg", "upleg", "thigh", "hip", "leg"),
    "LowerLeg": ("lowerleg", "lowleg", "loleg", "shin", "calf", "knee", "leg"),
    "Foot": ("ankle", "foot"),
    "Toes": ("toes", "toebase", "toe", "toe0", "ball", "foot"),
    "UpperArm": ("upperarm", "uparm", "uarm", "shldr", "arm", "shoulder"),
    "LowerArm": ("lowerarm", "forearm", "lowarm", "loarm", "farm", "elbow"),
    "Shoulder": ("collar", "clavicle", "collarbone", "shoulder"),
    "Hand": ("wrist", "hand"),
}
_FINGERS = {
    "thumb": "Thumb",
    "index": "Index",
    "middle": "Middle",
    "mid": "Middle",
    "ring": "Ring",
    "pinky": "Little",
    "pinkie": "Little",
    "little": "Little",
}
_SEGMENTS = {
    "Thumb": ("Metacarpal", "Proximal", "Distal"),
    "": ("Proximal", "Intermediate", "Distal"),
}
_FINGER = re.compile(rf"^(?:hand)?({'|'.join(_FINGERS)})(?:finger)?(\d+|[a-z]+)$")
_NUMBERED = re.compile(r"^finger(\d)(\d?|metacarpal|proximal|medial|distal)$")

_LEGS = ("leftUpperLeg", "rightUpperLeg")
_ENDS = ("head", "leftUpperArm", "rightUpperArm")


def find_bones(names: Sequence[str], parents: Ints) -> dict[str, int]:
    """Return bone → joint for joints with these names and parents (-1 at roots), parents first.

    Empty unless there are two legs and a head or two arms. Joints between bones are left out.
    """
    joints = _joints(names, parents)
    bones = {f"{side}{b}": j for side in SIDES for b, j in _limbs(side, joints).items()}
    bones |= {b: j for b, j in _head(joints).items() if j is not None}
    if not _is_body(bones):
        return {}
    hips = _hips(joints, parents, [bones[bone] for bone in (*_LEGS, *_ENDS) if bone in bones])
    if hips is None:
        return {}
    bones["hips"] = hips
    bones |= _trunk(bones, parents)
    for side in SIDES:
        bones |= _fingers(side, joints)
    kept = _in_order(bones, parents)
    return kept if "hips" in kept and _is_body(kept) else {}


def _is_body(bones: dict[str, int]) -> bool:
    """Return whether there are two legs and something at the upper end of a trunk."""
    return all(leg in bones for leg in _LEGS) and any(end in bones for end in _ENDS)


def _joints(names: Sequence[str], parents: Ints) -> dict[tuple[str, str], int]:
    """Clean the names; of joints with the same one, the first that has children counts."""
    bearing = set(parents.tolist())
    prefix = _common_prefix(names)
    joints: dict[tuple[str, str], int] = {}
    for joint, name in enumerate(names):
        key = _cleaned(name.removeprefix(prefix))
        if key not in joints or (joint in bearing and joints[key] not in bearing):
            joints[key] = joint
    return joints


def _cleaned(name: str) -> tuple[str, str]:
    """Split a name into its side and the rest, in lower case, without marks and prefixes."""
    name = _NOISE.sub("", re.split(r"[:|]", name)[-1].strip())
    words = [word.lower() for word in _WORDS.findall(name)]
    if words[:1] == ["c"]:  # for the centre
        words = words[1:]
    side = ""
    for i, word in enumerate(words):
        if word in _SIDE and not side:
            side, words[i] = _SIDE[word], ""
        elif word in _LETTERS and not side:
            side, words[i] = _SIDE[word[0]], _LETTERS[word]
    rest = "".join(words)
    for whole in SIDES:
        if not side and rest.startswith(whole):
            side, rest = whole, rest.removeprefix(whole)
    return side, rest if rest.startswith("finger") else re.sub(r"(?<=[a-z])0+(?=\d)", "", rest)


def _common_prefix(names: Sequence[str]) -> str:
    """Return what all names start with, up to a mark: "Model_" of Model_Hips, Model_Spine."""
    named = [name for name in names if name]
    if len(named) < 5:
        return ""
    low, high = min(named), max(named)
    length = next((i for i, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), len(low))
    marks = [i for i, letter in enumerate(low[:length]) if letter in "_:. -"]
    return low[: marks[-1] + 1] if marks else ""


def _limbs(side: str, joints: Joints) -> dict[str, int]:
    found: dict[str, int] = {}
    for bone, words in _LIMBS.items():
        taken = set(found.values())
        options = (joints[side, word] for word in words if (side, word) in joints)
        joint = next((joint for joint in options if joint not in taken), None)
        if joint is not None:
            found[bone] = joint
    return found


def _head(joints: Joints) -> dict[str, int | None]:
    return {
        "head": joints.get(("", "head")),
        "neck": joints.get(("", "neck"), joints.get(("", "neck1"))),
        "jaw": joints.get(("", "jaw")),
        "leftEye": joints.get(("left", "eye")),
        "rightEye": joints.get(("right", "eye")),
    }


def _hips(joints: Joints, parents: Ints, ends: Sequence[int]) -> int | None:
    """Return the joint from which legs and the rest spread: by its name, or by its place."""
    shared = set.intersection(*({*_above(end, parents)} for end in ends)) - set(ends)
    for word in ("hips", "hip", "pelvis"):
        if joints.get(("", word)) in shared:
            return joints["", word]
    return next((joint for joint in _above(ends[0], parents) if joint in shared), None)


def _trunk(bones: Mapping[str, int], parents: Ints) -> dict[str, int]:
    """Share out the joints between the hips and the neck, up to the one that bears the arms."""
    sides = [side for side in SIDES if f"{side}UpperArm" in bones]
    arms = [bones.get(f"{side}Shoulder", bones[f"{side}UpperArm"]) for side in sides]
    top = next(
        joint for joint in (bones.get("neck"), bones.get("head"), *arms) if joint is not None
    )
    path = list(_above(top, parents))[::-1]
    path = path[path.index(bones["hips"]) + 1 :] if bones["hips"] in path else []
    bearing = set(path).intersection(*({*_above(arm, parents)} for arm in arms))
    up = [joint for joint in path if joint in bearing] or path
    if not up:
        return {}
    trunk = {"spine": up[0]}
    if len(up) > 1:
        trunk["chest"] = up[len(up) // 2]
    if len(up) > 2:
        trunk["upperChest"] = up[-1]
    return trunk


def _fingers(side: str, joints: Joints) -> dict[str, int]:
    """Find the segments of fingers by number or by word."""
    found: dict[tuple[str, str], int] = {}
    for (own, word), joint in joints.items():
        segment = _segment(word)
        if own == side and segment is not None:
            found[segment] = joint
    bones: dict[str, int] = {}
    # Unity and VRM 0.x call the three bones of the thumb as those of a finger.
    as_finger = ("Thumb", "intermediate") in found
    for finger in ("Thumb", "Index", "Middle", "Ring", "Little"):
        words = _SEGMENTS.get(finger, _SEGMENTS[""])
        segments = _SEGMENTS[""] if as_finger and finger == "Thumb" else words
        for number, (word, bone) in enumerate(zip(segments, words, strict=True), 1):
            for key in ((finger, word.lower()), (finger, str(number))):
                if key in found:
                    bones.setdefault(f"{side}{finger}{bone}", found[key])
    return bones


def _segment(word: str) -> tuple[str, str] | None:
    """Return the finger and its segment, a number from 1 or a word, that a name speaks of."""
    match = _FINGER.match(word)
    if match:
        return _FINGERS[match[1]], {"medial": "intermediate"}.get(match[2], match[2])
    match = _NUMBERED.match(word)
    if match is None:
        return None
    fingers = ("Thumb", "Index", "Middle", "Ring", "Little")
    if match[2].isalpha():
        # Rokoko counts fingers from 1 and names the segments.
        finger = fingers[min(max(int(match[1]) - 1, 0), 4)]
        return finger, {"medial": "intermediate"}.get(match[2], match[2])
    # Biped counts fingers from 0, then the segments after the first.
    return fingers[min(int(match[1]), 4)], str(int(match[2] or 0) + 1)


def _in_order(bones: dict[str, int], parents: Ints) -> dict[str, int]:
    """Keep the bones that are below their humanoid parents, each joint once."""
    kept: dict[str, int] = {}
    for bone in (b for b in BONES if b in bones):
        parent = nearest_parent(bone, kept)
        lone = bone in CONDITIONAL and CONDITIONAL[bone] not in kept
        misplaced = parent is not None and kept[parent] not in _above(bones[bone], parents)
        if not (lone or misplaced or bones[bone] in kept.values()):
            kept[bone] = bones[bone]
    return kept


def _above(joint: int, parents: Ints) -> Iterator[int]:
    """Yield the parent, its parent and so on."""
    joint = int(parents[joint])
    while joint >= 0:
        yield joint
        joint = int(parents[joint])
