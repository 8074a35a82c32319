"""The 55 bones of a VRM humanoid: names, order, parents, required ones; expression presets."""

from __future__ import annotations

from collections.abc import Container
from typing import Literal

SIDES: tuple[Literal["left", "right"], ...] = ("left", "right")

_TRUNK = {
    "hips": None,
    "spine": "hips",
    "chest": "spine",
    "upperChest": "chest",
    "neck": "upperChest",
    "head": "neck",
    "leftEye": "head",
    "rightEye": "head",
    "jaw": "head",
}
_LEG = {"UpperLeg": "hips", "LowerLeg": "UpperLeg", "Foot": "LowerLeg", "Toes": "Foot"}
_ARM = {
    "Shoulder": "upperChest",
    "UpperArm": "Shoulder",
    "LowerArm": "UpperArm",
    "Hand": "LowerArm",
}
_FINGERS = {
    "ThumbMetacarpal": "Hand",
    "ThumbProximal": "ThumbMetacarpal",
    "ThumbDistal": "ThumbProximal",
}
for _finger in ("Index", "Middle", "Ring", "Little"):
    _FINGERS |= {
        f"{_finger}Proximal": "Hand",
        f"{_finger}Intermediate": f"{_finger}Proximal",
        f"{_finger}Distal": f"{_finger}Intermediate",
    }


def _on_side(side: str, limb: dict[str, str]) -> dict[str, str | None]:
    own = {*_LEG, *_ARM, *_FINGERS}
    return {f"{side}{b}": f"{side}{p}" if p in own else p for b, p in limb.items()}


PARENTS: dict[str, str | None] = dict(_TRUNK)
"""The humanoid parent of every bone, parents first (VRMC_vrm 1.0, humanoid)."""

for _limb in (_LEG, _ARM, _FINGERS):
    for _side in SIDES:
        PARENTS |= _on_side(_side, _limb)

BONES: tuple[str, ...] = tuple(PARENTS)
"""All bones in the order of the specification; parents precede their children."""

REQUIRED: tuple[str, ...] = tuple(
    bone
    for bone in BONES
    if bone in ("hips", "spine", "head")
    or bone.removeprefix("left").removeprefix("right")
    in ("UpperLeg", "LowerLeg", "Foot", "UpperArm", "LowerArm", "Hand")
)
"""Required bones."""

CONDITIONAL: dict[str, str] = {"upperChest": "chest"} | {
    f"{side}{bone}": f"{side}{parent}"
    for side in SIDES
    for bone, parent in _FINGERS.items()
    if parent != "Hand"
}
"""Optional bones that need their parent: bone → parent."""

PRESETS: tuple[str, ...] = (
    "happy",
    "angry",
    "sad",
    "relaxed",
    "surprised",
    "aa",
    "ih",
    "ou",
    "ee",
    "oh",
    "blink",
    "blinkLeft",
    "blinkRight",
    "lookUp",
    "lookDown",
    "lookLeft",
    "lookRight",
    "neutral",
)
"""The preset expressions of VRM 1.0."""

GAZE_PRESETS: tuple[str, ...] = ("lookUp", "lookDown", "lookLeft", "lookRight")
"""The presets driven by the gaze."""


def nearest_parent(bone: str, present: Container[str]) -> str | None:
    """Return the closest ancestor of a bone among those present, None for none."""
    parent = PARENTS[bone]
    while parent is not None and parent not in present:
        parent = PARENTS[parent]
    return parent


def chain(bone: str, present: Container[str]) -> list[str]:
    """Return the bones from below the nearest present ancestor down to the bone itself."""
    stop = nearest_parent(bone, present)
    names: list[str] = []
    name: str | None = bone
    while name is not None and name != stop:
        names.append(name)
        name = PARENTS[name]
    return names[::-1]
