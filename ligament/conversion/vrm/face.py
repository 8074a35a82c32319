"""Expressions, look-at and first-person annotations."""

from __future__ import annotations

from typing import Any

from ligament.conversion.vrm.avatar import Avatar, enumerate_objects, vector
from ligament.extensions.humanoid import vrm
from ligament.extensions.humanoid.bones import PRESETS
from ligament.gltf.references import read_index

_GROUPS = "/blendShapeMaster/blendShapeGroups"
_GROUP_MEMBERS = frozenset({"name", "presetName", "binds", "materialValues", "isBinary"})
_MAPS = {
    "lookAtHorizontalInner": "rangeMapHorizontalInner",
    "lookAtHorizontalOuter": "rangeMapHorizontalOuter",
    "lookAtVerticalDown": "rangeMapVerticalDown",
    "lookAtVerticalUp": "rangeMapVerticalUp",
}
_FLAGS = {
    "Auto": "auto",
    "Both": "both",
    "ThirdPersonOnly": "thirdPersonOnly",
    "FirstPersonOnly": "firstPersonOnly",
}
_FIRST_PERSON = frozenset(
    {"firstPersonBone", "firstPersonBoneOffset", "meshAnnotations", "lookAtTypeName", *_MAPS}
)


def expressions_of(avatar: Avatar) -> dict[str, Any] | None:
    """Return `expressions`: weights of morph targets are converted, material values are not."""
    found: dict[str, dict[str, Any]] = {"preset": {}, "custom": {}}
    for index, group in enumerate_objects(avatar.part("blendShapeMaster").get("blendShapeGroups")):
        place = f"{_GROUPS}/{index}"
        avatar.report_unread(group, _GROUP_MEMBERS, place)
        preset = str(group.get("presetName") or "unknown").lower()
        name = vrm.PRESET_NAMES.get(preset, preset)
        kind = "preset" if name in PRESETS else "custom"
        name = name if kind == "preset" else str(group.get("name") or f"group {index}")
        if name in found[kind]:
            reason, effect = f"there is another expression {name}", "the first of them counts"
            avatar.lose(place, "an expression", reason, effect)
            continue
        found[kind][name] = _expression(avatar, group, place)
    return {kind: named for kind, named in found.items() if named} or None


def _expression(avatar: Avatar, group: dict[str, Any], place: str) -> dict[str, Any]:
    binds = []
    for index, bind in enumerate_objects(group.get("binds")):
        mesh, target = read_index(bind.get("mesh")), read_index(bind.get("index"))
        users = [] if mesh is None else avatar.users.get(mesh, [])
        percent = avatar.read(bind, "weight", float, 100.0, f"{place}/binds/{index}")
        weight = min(max(percent / 100, 0.0), 1.0)
        if target is None or not users:
            reason, effect = "no node shows the mesh", "nothing changes: it moved nothing"
            avatar.lose(f"{place}/binds/{index}", "a bind", reason, effect)
            continue
        binds += [{"node": node, "index": target, "weight": weight} for node in users]
    for index, value in enumerate_objects(group.get("materialValues")):
        reason = "values of shaders are not converted"
        effect = f"the expression does not change {value.get('propertyName')}"
        avatar.lose(f"{place}/materialValues/{index}", "a material value", reason, effect)
    expression: dict[str, Any] = {"isBinary": group.get("isBinary") is True}
    return {**expression, "morphTargetBinds": binds} if binds else expression


def look_at_of(avatar: Avatar) -> dict[str, Any] | None:
    """Return `lookAt`; curves become straight lines."""
    raw = avatar.part("firstPerson")
    if not raw:
        return None
    look_at: dict[str, Any] = {
        "type": "expression" if raw.get("lookAtTypeName") == "BlendShape" else "bone",
        "offsetFromHeadBone": list(vector(raw.get("firstPersonBoneOffset"))),
    }
    bone = read_index(raw.get("firstPersonBone"))
    if bone is not None and bone != avatar.bones.get("head"):
        reason, effect = "the eyes of VRM 1.0 are fixed to the head", "the same offset from there"
        avatar.lose("/firstPerson/firstPersonBone", f"node {bone}", reason, effect)
    for old, new in _MAPS.items():
        if isinstance(raw.get(old), dict):
            look_at[new] = _range_map(avatar, raw[old], f"/firstPerson/{old}")
    return look_at


def _range_map(avatar: Avatar, raw: dict[str, Any], place: str) -> dict[str, Any]:
    if not _is_straight(avatar.read(raw, "curve", list[float], [], place)):
        reason = "range maps of VRM 1.0 are linear"
        effect = "the end points agree, the curve between them does not"
        avatar.lose(f"{place}/curve", "a gaze curve", reason, effect)
    limit = avatar.read(raw, "xRange", float, 90.0, place)
    if not 0 <= limit <= 180:
        reason, effect = "it must be from 0 to 180", f"{min(max(limit, 0.0), 180.0):g}"
        avatar.lose(f"{place}/xRange", f"a range of {limit:g} degrees", reason, effect)
    content = {"inputMaxValue": min(max(limit, 0.0), 180.0)}
    if "yRange" in raw:
        content["outputScale"] = avatar.read(raw, "yRange", float, 0.0, place)
    return content


def _is_straight(curve: list[float]) -> bool:
    """Tell whether a curve of time, value, in- and out-tangent is the line to (1, 1)."""
    line = (0, 0, None, 1, 1, 1, 1, None)
    fits = [known is None or known == found for known, found in zip(line, curve, strict=False)]
    return not curve or (len(curve) == len(line) and all(fits))


def first_person_of(avatar: Avatar) -> dict[str, Any] | None:
    """Return `firstPerson`: mesh annotations, for every node that shows the mesh."""
    raw = avatar.part("firstPerson")
    avatar.report_unread(raw, _FIRST_PERSON, "/firstPerson")
    annotations = []
    for index, entry in enumerate_objects(raw.get("meshAnnotations")):
        mesh, flag = read_index(entry.get("mesh")), _FLAGS.get(str(entry.get("firstPersonFlag")))
        nodes = [] if mesh is None else avatar.users.get(mesh, [])
        if flag is None or not nodes:
            reason, effect = "no node shows the mesh, or the flag is unknown", "auto"
            avatar.lose(f"/firstPerson/meshAnnotations/{index}", "an annotation", reason, effect)
            continue
        annotations += [{"node": node, "type": flag} for node in nodes]
    return {"meshAnnotations": annotations} if annotations else None
