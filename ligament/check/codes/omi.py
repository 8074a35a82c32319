"""Codes about OMI_collider, OMI_physics_body, OMI_physics_shape and OMI_physics_joint.

The names are those of the proposed validators, as far as they have one.
"""

from __future__ import annotations

from ligament.check.codes.entry import Code

_JOINT = "OMI_physics_joint"
_BODY = "OMI_physics_body"
_SHAPE = "OMI_physics_shape"
_COLLIDER = "OMI_collider"

CODES: dict[str, Code] = {
    "OMI_COLLIDER_INVALID_CAPSULE_HEIGHT": Code(
        "error",
        "A capsule is shorter than its two ends together: the height is total.",
        f"{_COLLIDER}, height",
        "Use a height of twice the radius or more.",
    ),
    "OMI_COLLIDER_NOT_A_CHILD": Code(
        "warning",
        "A collider stands further below its body than as a child, where readers do not find it.",
        f"{_BODY} of 2023: colliders are direct children of the body",
        "Make it a child of the body.",
    ),
    "OMI_COLLIDER_TRIMESH_TRIGGER": Code(
        "info",
        "A trigger is a mere surface: it notices what crosses it, not what is inside.",
        f"{_COLLIDER}, trimesh",
        "Use a hull or a simpler shape.",
    ),
    "OMI_PHYSICS_BODY_INVALID_INERTIA_TENSOR": Code(
        "error",
        "An inertia tensor is not a symmetric matrix with moments above 0.",
        f"{_BODY} of 2023, inertiaTensor",
        "Write a symmetric, positive definite 3x3 matrix, or zeros to have it computed.",
    ),
    "OMI_PHYSICS_BODY_MISSING_COLLIDER": Code(
        "info",
        "A body has no collider, so it touches nothing.",
        f"{_BODY}: a body should have one collider at least",
        "Give it one.",
    ),
    "OMI_PHYSICS_BODY_PARTIAL_INERTIA": Code(
        "warning",
        "Some moments of inertia are 0, which means computed, beside others that are given.",
        f"{_BODY}, inertiaDiagonal",
        "Give all three moments or none.",
    ),
    "OMI_PHYSICS_BODY_TRIGGER_NODES": Code(
        "error",
        "A compound trigger names a node that is no trigger, or not below it.",
        f"{_BODY}, trigger.nodes",
        "Name triggers on descendants of the node.",
    ),
    "OMI_PHYSICS_JOINT_CONSTRAINT_INVALID_LIMITS": Code(
        "error",
        "The lower limit of a constraint is above its upper limit.",
        f"{_JOINT}, Lower Limit and Upper Limit",
        "Exchange them.",
    ),
    "OMI_PHYSICS_JOINT_CONSTRAINT_NO_AXES_CONSTRAINED": Code(
        "warning",
        "A constraint names no axis, so it does nothing.",
        f"{_JOINT}, Joint Constraint: it should define one axis at least",
        "Name linearAxes, angularAxes or both.",
    ),
    "OMI_PHYSICS_JOINT_NOT_A_BODY": Code(
        "error",
        "A joint is connected to a node that is no body.",
        f"{_JOINT}, Node A and Node B: a connected node cannot be a non-body",
        "Name a body.",
    ),
    "OMI_PHYSICS_JOINT_TRIGGER": Code(
        "error",
        "A joint is connected to a trigger.",
        f"{_JOINT}, Node A and Node B: a connected node cannot be a trigger body",
        "Name a solid body.",
    ),
    "OMI_PHYSICS_JOINT_SAME_BODY": Code(
        "error",
        "Both ends of a joint belong to one body.",
        f"{_JOINT}, Node A and Node B: two bodies",
        "Join two bodies.",
    ),
    "OMI_PHYSICS_JOINT_NOTHING_MOVES": Code(
        "error",
        "Neither of the bodies that a joint connects is moved by forces.",
        f"{_JOINT}, Node A and Node B: at least one must be rigid or vehicle",
        "Make one of them dynamic.",
    ),
    "OMI_PHYSICS_JOINT_NOT_UNDER_DYNAMIC": Code(
        "warning",
        "A joint of the newer form is below a body that forces do not move.",
        f"{_JOINT} of 2024: the node must descend from a dynamic body",
        "Exchange the two nodes.",
    ),
    "OMI_PHYSICS_SHAPE_AMBIGUOUS_HEIGHT": Code(
        "warning",
        "A capsule has a height but no radius: until 2025 it was total, since then it is not.",
        f"{_SHAPE}, capsule",
        "Give radiusBottom and radiusTop.",
    ),
    "OMI_STIFFNESS_IS_BIAS": Code(
        "warning",
        "A stiffness of at most 1 N/m would hardly hold a gram: it looks like an engine's bias.",
        f"{_JOINT}, Stiffness: newtons per metre, while published files hold 0.3 to 1",
        "Write N/m, or leave it out for a hard limit.",
    ),
    "SHARES_NODE_WITH": Code(
        "error",
        "A collider, body or joint is on the node of something else.",
        f"{_JOINT}, Overview: a joint should be on its own node; {_BODY} and {_COLLIDER} likewise",
        "Give it a node of its own.",
    ),
}
