"""Codes about humanoids and avatars."""

from __future__ import annotations

from ligament.check.codes.entry import Code

_HUMANOID = "VRMC_vrm 1.0, humanoid"
_TPOSE = "VRMC_vrm 1.0, T-pose"

CODES: dict[str, Code] = {
    "HUMANOID_BONE_UNKNOWN": Code(
        "warning",
        "The name of a bone is not one of the 55 of VRM 1.0.",
        _HUMANOID,
        "Use a name of the list.",
    ),
    "HUMANOID_BONE_NODE": Code(
        "error",
        "A bone names no node.",
        _HUMANOID,
        "Name an existing node.",
    ),
    "HUMANOID_BONE_REUSED": Code(
        "error",
        "One node is two bones.",
        _HUMANOID,
        "Give every bone its own node.",
    ),
    "HUMANOID_BONE_MISSING": Code(
        "error",
        "A required bone is missing.",
        f"{_HUMANOID}: required bones",
        "Map all fifteen required bones.",
    ),
    "HUMANOID_BONE_PARENT_MISSING": Code(
        "error",
        "A bone is there without the bone that it must hang on (upperChest without chest).",
        f"{_HUMANOID}: parent bones",
        "Map the parent too, or leave the bone out.",
    ),
    "HUMANOID_BONE_ORDER": Code(
        "error",
        "The node of a bone does not lie below that of its humanoid parent.",
        f"{_HUMANOID}: parent bones",
        "Mend the mapping or the tree; other nodes may stand between.",
    ),
    "HUMANOID_SCALE_NOT_POSITIVE": Code(
        "error",
        "A bone, or a node above it, has a scale of 0 or below.",
        _TPOSE,
        "Apply the scale to the mesh.",
    ),
    "HUMANOID_SCALE_NOT_UNIFORM": Code(
        "error",
        "A bone, or a node above it, is scaled unevenly.",
        _TPOSE,
        "Apply the scale to the mesh.",
    ),
    "HUMANOID_HIPS_HEIGHT": Code(
        "warning",
        "The hips do not rest above the ground, by whose height motion is scaled.",
        _TPOSE,
        "Stand the model on the ground.",
    ),
    "HUMANOID_TPOSE": Code(
        "hint",
        "A bone at rest points away from where the T-pose has it, by more than bodies differ.",
        _TPOSE,
        "Rest in a T-pose, so that motion made on others fits.",
    ),
    "VRM_META_MISSING": Code(
        "error",
        "A required member of the meta data is missing.",
        "VRMC_vrm 1.0, meta: name, authors, licenseUrl",
        "Add it.",
    ),
    "VRM_LOOK_AT_RANGE": Code(
        "error",
        "inputMaxValue of a range map is not an angle from 0 to 180 degrees.",
        "VRMC_vrm 1.0, lookAt.rangeMap",
        "Use an angle from 0 to 180.",
    ),
}
