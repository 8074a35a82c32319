"""Bones, the way that the model faces, and its materials."""

from __future__ import annotations

from typing import Any

from ligament.convert.vrm.avatar import Avatar, objects

_PLAIN_SHADERS = ("VRM_USE_GLTFSHADER", "Standard")
_BONE_MEMBERS = frozenset({"bone", "node"})
_UNITY = frozenset(
    {
        *("useDefaultValues", "min", "max", "center", "axisLength"),
        *("armStretch", "legStretch", "upperArmTwist", "lowerArmTwist", "upperLegTwist"),
        *("lowerLegTwist", "feetSpacing", "hasTranslationDoF"),
    }
)


def humanoid_of(avatar: Avatar) -> dict[str, Any]:
    """Return `humanoid`, the thumbs by their new names; the limits of an engine are lost."""
    raw = avatar.part("humanoid")
    avatar.tell_unread(raw, _UNITY | {"humanBones"}, "/humanoid")
    reason, effect = "VRM 1.0 leaves them to the engine", "none on any pose"
    for index, bone in objects(raw.get("humanBones")):
        place = f"/humanoid/humanBones/{index}"
        avatar.tell_unread(bone, _UNITY | _BONE_MEMBERS, place)
        if bone.get("useDefaultValues") is False:
            avatar.lose(place, f"limits of {bone.get('bone')}", reason, effect)
    return {"humanBones": {bone: {"node": node} for bone, node in avatar.bones.items()}}


def turn_around(avatar: Avatar) -> None:
    """Put half a turn about Y above the roots of every scene: VRM 1.0 faces +Z."""
    document = avatar.document
    taken: set[int] = set()
    for index, scene in objects(document.array("scenes")):
        roots = scene.get("nodes") or []
        if taken.intersection(roots):
            reason, effect = "its roots are those of another scene", "it faces -Z"
            avatar.lose("", f"the turn of scene {index}", reason, effect)
            continue
        taken.update(roots)
        nodes = document.growing_array("nodes")
        nodes.append({"name": "facing +Z", "rotation": [0.0, 1.0, 0.0, 0.0], "children": roots})
        scene["nodes"] = [len(nodes) - 1]


def tell_materials(avatar: Avatar) -> None:
    """Tell of materials that another shader draws in 0.x; their core parts stay."""
    for index, material in objects(avatar.raw.get("materialProperties")):
        shader = material.get("shader")
        if shader not in _PLAIN_SHADERS:
            reason = "its settings are not converted"
            effect = "the material looks as core glTF describes it"
            place = f"/materialProperties/{index}"
            avatar.lose(place, f"the shader {shader}", reason, effect)
