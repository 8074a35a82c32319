"""Codes about VRMC_node_constraint."""

from __future__ import annotations

from ligament.check.codes.entry import Code

_FINAL = "VRMC_node_constraint 1.0"
_DRAFT = "VRMC_node_constraint 1.0-draft"

CODES: dict[str, Code] = {
    "NODE_CONSTRAINT_TYPE": Code(
        "error",
        "A constraint, or the extension itself, is not an object.",
        f"{_FINAL}, schema",
        "Write an object.",
    ),
    "NODE_CONSTRAINT_SPEC_VERSION": Code(
        "error",
        "specVersion is missing or names no version that exists.",
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
        "rollAxis or aimAxis is missing or names no axis.",
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
        "Constraints depend on each other in a circle.",
        f"{_DRAFT}, Sources: the source must not make a circular dependency",
        "Remove one of the constraints that are named.",
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
        "The file follows the draft, of which no two players agreed.",
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
        "A draft weight outside 0 to 1 turns further than the source, or the other way.",
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
        "Take a source outside.",
    ),
    "NODE_CONSTRAINT_AIM_COINCIDENT": Code(
        "warning",
        "The source of an aim stands on its destination at rest, so that it has no direction.",
        f"{_FINAL}, aim",
        "Move the source away.",
    ),
    "NODE_CONSTRAINT_SCALE": Code(
        "warning",
        "An ancestor is scaled unevenly: players differ.",
        "VRMC_vrm 1.0, T-pose: scales are uniform and above 0",
        "Apply the scale to the mesh.",
    ),
}
