"""Codes about spring bones."""

from __future__ import annotations

from ligament.findings.finding import Code

_SPRING = "VRMC_springBone 1.0"
_EXTENDED = "VRMC_springBone_extended_collider 1.0"
_LIMIT = "VRMC_springBone_limit 1.0-draft"

SPRING_BONES: dict[str, Code] = {
    "SPRING_BONE_SPEC_VERSION": Code(
        "error",
        "specVersion is missing or is not supported, so no springs are read.",
        f"{_SPRING}, specVersion (required)",
        'Write "1.0".',
    ),
    "SPRING_BONE_BETA": Code(
        "warning",
        "The file says 1.0-beta, which is read as 1.0.",
        f"{_SPRING}, specVersion",
        'Write "1.0".',
    ),
    "SPRING_BONE_SHAPE": Code(
        "error",
        "A collider does not have exactly one shape.",
        f"{_SPRING}, shape: one of sphere and capsule",
        "Give it exactly one shape.",
    ),
    "SPRING_BONE_CHAIN": Code(
        "error",
        "A joint does not descend from the one before it.",
        f"{_SPRING}, joints: each is an ancestor of the next",
        "List the joints from the root to the tip.",
    ),
    "SPRING_BONE_SHARED": Code(
        "error",
        "Two springs share a joint, or a node between joints; the first keeps it.",
        f"{_SPRING}, joints: a node belongs to one spring at most",
        "Remove it from one of them.",
    ),
    "SPRING_BONE_CENTER": Code(
        "error",
        "center is neither the first joint nor above it, or swings with another spring.",
        f"{_SPRING}, center",
        "Name an ancestor of the first joint that no spring moves.",
    ),
    "SPRING_BONE_NORMAL": Code(
        "error",
        "The normal of a plane does not have length 1.",
        f"{_EXTENDED}, normal",
        "Write a unit vector.",
    ),
    "SPRING_BONE_LIMIT": Code(
        "error",
        "A limit has an unsupported version, or does not have exactly one kind.",
        f"{_LIMIT}, limit",
        "Write one of cone, hinge and spherical.",
    ),
    "SPRING_BONE_EXTENDED_COLLIDER": Code(
        "warning",
        "An extended collider cannot be read, so its fallback shape is used.",
        f"{_EXTENDED}, specVersion and shape (required)",
        'Write "1.0" and one shape.',
    ),
    "SPRING_BONE_LIMIT_DRAFT": Code(
        "warning",
        "A joint has a limit, whose extension is a draft that few players support.",
        f"{_LIMIT}: proposed",
        "Expect it to change.",
    ),
    "SPRING_BONE_SINGLE": Code(
        "warning",
        "A spring has one joint, which moves nothing: the last joint only marks the tail.",
        f"{_SPRING}, joints",
        "Add the node that the bone ends at.",
    ),
    "SPRING_BONE_ZERO_LENGTH": Code(
        "warning",
        "A bone has no length and keeps its rest rotation.",
        f"{_SPRING}, algorithm: the axis of the bone",
        "Move the tail away from the head.",
    ),
    "SPRING_BONE_CYCLE": Code(
        "warning",
        "A joint collides with a collider on its own chain; its previous position is used.",
        f"{_SPRING}, algorithm: the order of updates is not defined",
        "Leave colliders on a chain out of its own groups.",
    ),
    "SPRING_BONE_SCALE": Code(
        "warning",
        "A joint or a collider is scaled; radii and forces are not, and players differ.",
        f"{_SPRING}, algorithm: radii are used as they are",
        "Apply the scale.",
    ),
    "SPRING_BONE_GRAVITY": Code(
        "warning",
        "gravityDir does not have length 1, which multiplies gravityPower.",
        f"{_SPRING}, algorithm",
        "Write a unit vector.",
    ),
}
"""VRMC_springBone with its extensions, and secondaryAnimation of VRM 0.x."""
