"""VRM: the avatar of VRM 0.x; -1 stands for none.

`materialProperties` belong to the core's materials by position. A material without any of its own
says so with the shader VRM_USE_GLTFSHADER.
"""

from typing import Annotated, Final

from msgspec import field

from ligament.extensions import registry
from ligament.extensions.humanoid.vrmc_vrm import BoneEntry, indexed
from ligament.extensions.tables.objects import Each, Nested
from ligament.extensions.tables.rows import Index, Indices, Number, Numbers, Text
from ligament.extensions.tables.table import Table
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

    curve: Annotated[list[float], Numbers(count=None, animated=False)] = []
    x_range: Annotated[float, Number(unit="°", animated=False)] = 90.0
    y_range: Annotated[float | None, Number(unit="°", animated=False)] = None


_DEGREE_MAP = "How far the eyes turn: `yRange` times the curve over input / `xRange`."
_DEGREES = Nested(table=Table(DegreeMap, about=_DEGREE_MAP, is_open=True))


class FirstPerson(View):
    """How the gaze moves the eyes; `look_at_type_name` is "Bone" or "BlendShape"."""

    look_at_type_name: Annotated[str, Text()] = "Bone"
    look_at_horizontal_inner: Annotated[DegreeMap, _DEGREES] = field(default_factory=DegreeMap)
    look_at_horizontal_outer: Annotated[DegreeMap, _DEGREES] = field(default_factory=DegreeMap)
    look_at_vertical_down: Annotated[DegreeMap, _DEGREES] = field(default_factory=DegreeMap)
    look_at_vertical_up: Annotated[DegreeMap, _DEGREES] = field(default_factory=DegreeMap)


_NODE = Index(name="node", array="/nodes", essential=True)
_MESH = Index(name="mesh", array="/meshes", essential=True)
_TEXTURES = Indices(name="textureProperties", array="/textures")
_GROUP = indexed(Each(name="binds", table=indexed(_MESH)))

_FIRST_PERSON = Table(
    FirstPerson,
    is_open=True,
    unread=[
        Index(name="firstPersonBone", array="/nodes", none=-1),
        Each(name="meshAnnotations", table=indexed(_MESH)),
    ],
)

ROOT = Table(
    FirstPerson,
    about="An avatar of version 0.",
    is_open=True,
    rows=[Nested(attribute="first_person", name="firstPerson", table=_FIRST_PERSON)],
    unread=[
        Nested(name="meta", table=indexed(Index(name="texture", array="/textures"))),
        Nested(name="humanoid", table=indexed(Each(name="humanBones", table=indexed(_NODE)))),
        Nested(name="blendShapeMaster", table=indexed(Each(name="blendShapeGroups", table=_GROUP))),
        Each(name="materialProperties", table=indexed(_TEXTURES)),
    ],
)


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
