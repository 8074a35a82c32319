"""Codes about node constraints, humanoids and motion files."""

from __future__ import annotations

from ligament.findings.finding import Code

_FINAL = "VRMC_node_constraint 1.0"
_DRAFT = "VRMC_node_constraint 1.0-draft"
_HUMANOID = "VRMC_vrm 1.0, humanoid"
_TPOSE = "VRMC_vrm 1.0, T-pose"
_VRMA = "VRMC_vrm_animation 1.0"

NODE_CONSTRAINTS: dict[str, Code] = {
    "NODE_CONSTRAINT_TYPE": Code(
        "error",
        "A constraint, or the extension itself, is not an object.",
        f"{_FINAL}, schema",
        "Write an object.",
    ),
    "NODE_CONSTRAINT_SPEC_VERSION": Code(
        "error",
        "specVersion is missing or unknown.",
        f"{_FINAL}, specVersion",
        'Write "1.0".',
    ),
    "NODE_CONSTRAINT_MISSING": Code(
        "error",
        "The extension has no constraint in it.",
        f"{_FINAL}, constraint (required)",
        "Add a constraint or remove the extension.",
    ),
    "NODE_CONSTRAINT_KIND": Code(
        "error",
        "There is not exactly one of roll, aim and rotation.",
        f"{_FINAL}, constraint: one of",
        "Keep one.",
    ),
    "NODE_CONSTRAINT_SOURCE": Code(
        "error",
        "The source is missing or is not the index of a node.",
        f"{_FINAL}, source (required, at least 0)",
        "Name an existing node.",
    ),
    "NODE_CONSTRAINT_SELF": Code(
        "error",
        "A node is constrained by itself.",
        f"{_DRAFT}, Sources: the source must not be the destination itself",
        "Name another node.",
    ),
    "NODE_CONSTRAINT_AXIS": Code(
        "error",
        "rollAxis or aimAxis is missing or is not an axis.",
        f"{_FINAL}, rollAxis and aimAxis (required)",
        "Use X, Y or Z for roll, and PositiveX to NegativeZ for aim.",
    ),
    "NODE_CONSTRAINT_WEIGHT": Code(
        "error",
        "The weight is not a number from 0 to 1.",
        f"{_FINAL}, weight",
        "Use a number from 0 to 1.",
    ),
    "NODE_CONSTRAINT_FREEZE_AXES": Code(
        "error",
        "freezeAxes is not three booleans.",
        f"{_DRAFT}, freezeAxes",
        "Write three booleans, for X, Y and Z.",
    ),
    "NODE_CONSTRAINT_CYCLE": Code(
        "error",
        "Constraints depend on each other in a cycle.",
        f"{_DRAFT}, Sources: the source must not make a circular dependency",
        "Remove one of the named constraints.",
    ),
    "NODE_CONSTRAINT_NOT_USED": Code(
        "error",
        "The extension is on nodes, but not in extensionsUsed.",
        "glTF 2.0, 3.12",
        "List it in extensionsUsed.",
    ),
    "NODE_CONSTRAINT_BETA": Code(
        "warning",
        "The file says 1.0-beta, which is read like 1.0.",
        f"{_FINAL}, specVersion",
        'Write "1.0".',
    ),
    "NODE_CONSTRAINT_DRAFT": Code(
        "warning",
        "The file follows the draft, which players implement differently.",
        f"{_DRAFT}, Freeze Axes: its meaning is left open there",
        "Use the final 1.0.",
    ),
    "NODE_CONSTRAINT_DRAFT_EMPTY": Code(
        "warning",
        "A draft extension without a rotation does nothing.",
        f"{_DRAFT}, rotation: required in the table, optional in the text",
        "Add the rotation or remove the extension.",
    ),
    "NODE_CONSTRAINT_DRAFT_WEIGHT": Code(
        "warning",
        "A draft weight outside 0 to 1 rotates further than the source, or backwards.",
        f"{_DRAFT}, weight: no range is stated",
        "Use a number from 0 to 1.",
    ),
    "NODE_CONSTRAINT_WEIGHT_ZERO": Code(
        "warning",
        "A weight of 0 holds the node at rest.",
        f"{_FINAL}, weight",
        "Remove the constraint, or give it a weight.",
    ),
    "NODE_CONSTRAINT_SOURCE_BELOW": Code(
        "warning",
        "The source lies below the destination: well defined here, refused by some players.",
        f"{_DRAFT}, Sources: the source must not be a child of the destination",
        "Use a source outside its subtree.",
    ),
    "NODE_CONSTRAINT_AIM_COINCIDENT": Code(
        "warning",
        "Source and destination of an aim coincide at rest, so it has no direction.",
        f"{_FINAL}, aim",
        "Move the source away.",
    ),
    "NODE_CONSTRAINT_SCALE": Code(
        "warning",
        "An ancestor has a non-uniform scale: players differ.",
        "VRMC_vrm 1.0, T-pose: scales are uniform and above 0",
        "Apply the scale to the mesh.",
    ),
}
"""VRMC_node_constraint."""

HUMANOIDS: dict[str, Code] = {
    "HUMANOID_BONE_UNKNOWN": Code(
        "warning",
        "The name of a bone is not one of the 55 names of VRM 1.0.",
        _HUMANOID,
        "Use a name from the list.",
    ),
    "HUMANOID_BONE_NODE": Code(
        "error",
        "A bone does not name a node.",
        _HUMANOID,
        "Name an existing node.",
    ),
    "HUMANOID_BONE_REUSED": Code(
        "error",
        "Two bones share one node.",
        _HUMANOID,
        "Give each bone its own node.",
    ),
    "HUMANOID_BONE_MISSING": Code(
        "error",
        "A required bone is missing.",
        f"{_HUMANOID}: required bones",
        "Map all fifteen required bones.",
    ),
    "HUMANOID_BONE_PARENT_MISSING": Code(
        "error",
        "A bone is present without its required parent (upperChest without chest).",
        f"{_HUMANOID}: parent bones",
        "Map the parent too, or leave the bone out.",
    ),
    "HUMANOID_BONE_ORDER": Code(
        "error",
        "The node of a bone is not below that of its humanoid parent.",
        f"{_HUMANOID}: parent bones",
        "Fix the mapping or the tree; other nodes may be between them.",
    ),
    "HUMANOID_SCALE_NOT_POSITIVE": Code(
        "error",
        "A bone, or a node above it, has a scale of 0 or below.",
        _TPOSE,
        "Apply the scale to the mesh.",
    ),
    "HUMANOID_SCALE_NOT_UNIFORM": Code(
        "error",
        "A bone, or a node above it, has a non-uniform scale.",
        _TPOSE,
        "Apply the scale to the mesh.",
    ),
    "HUMANOID_HIPS_HEIGHT": Code(
        "warning",
        "The hips do not rest above the ground; motion is scaled by their height.",
        _TPOSE,
        "Stand the model on the ground.",
    ),
    "HUMANOID_TPOSE": Code(
        "hint",
        "A bone at rest deviates from its T-pose direction by more than body proportions explain, "
        "or the whole model is turned or mirrored.",
        _TPOSE,
        "Use a T-pose at rest, so that motion from other avatars fits.",
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
"""Humanoids and avatars."""

MOTION_FILES: dict[str, Code] = {
    "VRMA_SPEC_VERSION": Code(
        "error",
        "specVersion is missing or unknown.",
        f"{_VRMA}, specVersion",
        'Write "1.0".',
    ),
    "VRMA_DRAFT": Code(
        "warning",
        "The file follows the draft, which is read like 1.0.",
        f"{_VRMA}, specVersion",
        'Write "1.0".',
    ),
    "VRMA_EYE_MAPPED": Code(
        "error",
        "An eye is mapped to a bone.",
        f"{_VRMA}: leftEye and rightEye must not be mapped",
        "Use lookAt.",
    ),
    "VRMA_GAZE_PRESET": Code(
        "error",
        "A gaze preset (lookUp, lookDown, lookLeft, lookRight) is mapped.",
        f"{_VRMA}: expressions",
        "Use lookAt.",
    ),
    "VRMA_CUSTOM_IS_PRESET": Code(
        "error",
        "A custom expression has the name of a preset.",
        f"{_VRMA}: expressions",
        "Rename it, or move it to the presets.",
    ),
    "VRMA_NODE": Code(
        "error",
        "An expression or the gaze does not name a node.",
        f"{_VRMA}: expressions and lookAt",
        "Name an existing node.",
    ),
    "VRMA_SCALE_CHANNEL": Code(
        "error",
        "The scale of a bone is animated.",
        f"{_VRMA}: humanoid",
        "Remove the channel.",
    ),
    "VRMA_TRANSLATION_CHANNEL": Code(
        "error",
        "The translation of a bone other than the hips is animated.",
        f"{_VRMA}: humanoid",
        "Remove the channel.",
    ),
    "VRMA_BESIDE_VRM": Code(
        "warning",
        "The file is an avatar and a motion at once.",
        f"{_VRMA}: it should not be used together with VRMC_vrm",
        "Split the file.",
    ),
    "VRMA_REST_SCALE": Code(
        "warning",
        "A node of the skeleton is scaled.",
        f"{_VRMA}: strongly recommended not to",
        "Apply the scale.",
    ),
    "VRMA_WEIGHT_RANGE": Code(
        "warning",
        "An expression's weight is outside 0 to 1; players clamp it.",
        f"{_VRMA}: expressions",
        "Use weights from 0 to 1.",
    ),
    "VRMA_SEVERAL_ANIMATIONS": Code(
        "warning",
        "There is more than one animation; players play the first.",
        f"{_VRMA}: animations",
        "Use one file per motion.",
    ),
    "VRMA_INTERPOLATION": Code(
        "warning",
        "A bone has STEP or CUBICSPLINE keys, which a common player shows wrongly.",
        "glTF 2.0, Appendix C",
        "Use LINEAR.",
    ),
    "VRMA_LOOK_AT_NODE": Code(
        "info",
        "lookAt does not name a node, which the schema requires and the text does not.",
        f"{_VRMA}: lookAt",
        "Name a node.",
    ),
}
"""VRMC_vrm_animation."""
