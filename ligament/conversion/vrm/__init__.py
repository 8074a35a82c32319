"""VRM 0.x to VRM 1.0: the same avatar, rotated to face +Z."""

from __future__ import annotations

from typing import Any

from ligament.conversion.vrm.avatar import Avatar, enumerate_objects
from ligament.conversion.vrm.face import expressions_of, first_person_of, look_at_of
from ligament.conversion.vrm.meta import meta_of
from ligament.conversion.vrm.spring_bones import spring_bones_of
from ligament.errors import LigamentError
from ligament.extensions.humanoid import vrm, vrmc_vrm
from ligament.extensions.registry import VRMC_SPRING_BONE
from ligament.gltf.document import Document
from ligament.gltf.objects import Scene
from ligament.losses import Converted, in_order

__all__ = ["convert_avatar"]

_READ = frozenset(
    {
        "exporterVersion",
        "specVersion",
        "meta",
        "humanoid",
        "firstPerson",
        "blendShapeMaster",
        "secondaryAnimation",
        "materialProperties",
    }
)
_PLAIN_SHADERS = ("VRM_USE_GLTFSHADER", "Standard")
_BONE_MEMBERS = frozenset({"bone", "node"})
_UNITY = frozenset(
    {
        *("useDefaultValues", "min", "max", "center", "axisLength"),
        *("armStretch", "legStretch", "upperArmTwist", "lowerArmTwist", "upperLegTwist"),
        *("lowerLegTwist", "feetSpacing", "hasTranslationDoF"),
    }
)


def convert_avatar(document: Document, *, license_url: str | None = None) -> Converted:
    """Convert an avatar of VRM 0.x to VRM 1.0; a document without one is copied.

    Nodes keep their indices; a new root rotates the model by half a turn. VRM 1.0 requires its
    own kind of licence, which no conversion can choose: `license_url` is the owner's choice, and
    its absence is a loss. Where permissions do not match, they become narrower, never wider.
    """
    if document.extension(vrm.NAME) is None:
        return Converted(document.copy())
    avatar = Avatar(document)
    try:
        content = {
            "specVersion": "1.0",
            "meta": meta_of(avatar, license_url),
            "humanoid": humanoid_of(avatar),
            "firstPerson": first_person_of(avatar),
            "lookAt": look_at_of(avatar),
            "expressions": expressions_of(avatar),
        }
        springs = spring_bones_of(avatar)
        turn_around(avatar)
    except LigamentError as fault:
        raise fault.located(document.path) from fault.__cause__
    report_materials(avatar)
    avatar.report_unread(avatar.raw, _READ, "")
    avatar.replace(vrmc_vrm.NAME, {k: v for k, v in content.items() if v is not None})
    if springs is not None:
        avatar.replace(VRMC_SPRING_BONE, springs)
    return Converted(avatar.document, in_order(avatar.losses))


def humanoid_of(avatar: Avatar) -> dict[str, Any]:
    """Return `humanoid`, the thumbs by their new names; the limits of an engine are lost."""
    raw = avatar.part("humanoid")
    avatar.report_unread(raw, _UNITY | {"humanBones"}, "/humanoid")
    reason, effect = "VRM 1.0 leaves them to the engine", "no pose changes"
    for index, bone in enumerate_objects(raw.get("humanBones")):
        place = f"/humanoid/humanBones/{index}"
        avatar.report_unread(bone, _UNITY | _BONE_MEMBERS, place)
        if bone.get("useDefaultValues") is False:
            avatar.lose(place, f"limits of {bone.get('bone')}", reason, effect)
    return {"humanBones": {bone: {"node": node} for bone, node in avatar.bones.items()}}


def turn_around(avatar: Avatar) -> None:
    """Add a root with half a turn about Y to every scene: VRM 1.0 faces +Z."""
    document = avatar.document
    taken: set[int] = set()
    scenes = zip(document.array("scenes"), document.views("scenes", Scene), strict=True)
    for index, (scene, view) in enumerate(scenes):
        roots = view.nodes
        if taken.intersection(roots):
            reason, effect = "it shares roots with another scene", "it faces -Z"
            avatar.lose("", f"the rotation of scene {index}", reason, effect)
            continue
        taken.update(roots)
        nodes = document.growing_array("nodes")
        nodes.append({"name": "facing +Z", "rotation": [0.0, 1.0, 0.0, 0.0], "children": roots})
        scene["nodes"] = [len(nodes) - 1]


def report_materials(avatar: Avatar) -> None:
    """Report materials with other shaders in 0.x; their core glTF members stay."""
    for index, material in enumerate_objects(avatar.raw.get("materialProperties")):
        shader = material.get("shader")
        if shader not in _PLAIN_SHADERS:
            reason = "its settings are not converted"
            effect = "the material looks as core glTF describes it"
            place = f"/materialProperties/{index}"
            avatar.lose(place, f"the shader {shader}", reason, effect)
