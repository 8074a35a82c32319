"""VRM: the avatar of VRM 0.x; -1 stands for none.

`materialProperties` belong to the core's materials by position. A material without any of its own
says so with the shader VRM_USE_GLTFSHADER.
"""

from __future__ import annotations

from typing import Final

from msgspec import field

from ligament.extensions import registry
from ligament.extensions.humanoid.vrmc_vrm import BoneEntry
from ligament.gltf import pointers
from ligament.gltf.document import Document
from ligament.gltf.objects import View

NAME: Final = registry.VRM

_ROOT = f"/extensions/{NAME}"

BONE_NAMES = {
    f"{side}Thumb{old}": f"{side}Thumb{new}"
    for side in ("left", "right")
    for old, new in (("Proximal", "Metacarpal"), ("Intermediate", "Proximal"))
}
"""Bones that VRM 1.0 names differently."""

PRESET_NAMES = {
    "joy": "happy",
    "sorrow": "sad",
    "fun": "relaxed",
    "a": "aa",
    "i": "ih",
    "u": "ou",
    "e": "ee",
    "o": "oh",
    "blink_l": "blinkLeft",
    "blink_r": "blinkRight",
    "lookup": "lookUp",
    "lookdown": "lookDown",
    "lookleft": "lookLeft",
    "lookright": "lookRight",
}
"""Presets that VRM 1.0 names differently."""


class DegreeMap(View):
    """Range of the eyes: `y_range` times a curve over input / `x_range` [degrees].

    The curve is a list of time, value, in-tangent, out-tangent; an empty one is a straight line.
    """

    curve: list[float] = []
    x_range: float = 90.0
    y_range: float | None = None


class FirstPerson(View):
    """How the gaze moves the eyes; `look_at_type_name` is "Bone" or "BlendShape"."""

    look_at_type_name: str = "Bone"
    look_at_horizontal_inner: DegreeMap = field(default_factory=DegreeMap)
    look_at_horizontal_outer: DegreeMap = field(default_factory=DegreeMap)
    look_at_vertical_down: DegreeMap = field(default_factory=DegreeMap)
    look_at_vertical_up: DegreeMap = field(default_factory=DegreeMap)


def human_bones(document: Document) -> list[BoneEntry]:
    """List the bones by their 1.0 names, in file order; never raises."""
    bones = pointers.find(document.extension(NAME), "/humanoid/humanBones")
    entries = []
    for i, entry in enumerate(bones if isinstance(bones, list) else ()):
        name = entry.get("bone") if isinstance(entry, dict) else None
        if isinstance(name, str) and entry.get("node") != -1:
            pointer = f"{_ROOT}/humanoid/humanBones/{i}/node"
            entries.append(BoneEntry(BONE_NAMES.get(name, name), entry.get("node"), pointer))
    return entries


def expression_names(document: Document) -> list[str]:
    """List the avatar's expressions, presets by their 1.0 names; never raises."""
    groups = pointers.find(document.extension(NAME), "/blendShapeMaster/blendShapeGroups")
    names = []
    for group in groups if isinstance(groups, list) else ():
        preset = group.get("presetName") if isinstance(group, dict) else None
        if isinstance(preset, str) and preset not in ("", "unknown"):
            names.append(PRESET_NAMES.get(preset, preset))
        elif isinstance(group, dict) and isinstance(group.get("name"), str):
            names.append(group["name"])
    return names


def first_person(document: Document) -> FirstPerson | None:
    """Read how the gaze moves the eyes, None if the file does not say."""
    return document.view_at(f"{_ROOT}/firstPerson", FirstPerson)
