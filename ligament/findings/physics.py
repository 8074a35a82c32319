"""Codes about rigid bodies: the members of the extensions, and what they mean together.

Names are those of the reference validator and of the proposed ones, where they exist.
"""

from __future__ import annotations

from ligament.findings.finding import Code

_BODIES = "KHR_physics_rigid_bodies"
_COLLISION = "KHR_collision_shapes"
_IMPLICIT = "KHR_implicit_shapes"
_JOINT = "OMI_physics_joint"
_BODY = "OMI_physics_body"
_SHAPE = "OMI_physics_shape"
_COLLIDER = "OMI_collider"

RIGID_BODIES: dict[str, Code] = {
    "KHR_COLLISION_SHAPES_COMPOUND_SHAPE": Code(
        "error",
        "One shape has the parameters of several.",
        f"{_COLLISION}, shapes",
        "Write one shape for each.",
    ),
    "KHR_COLLISION_SHAPES_DEGENERATE_SHAPE": Code(
        "info",
        "A shape has no extent along some axis.",
        f"{_COLLISION}, shapes",
        "Give it sizes above 0.",
    ),
    "KHR_IMPLICIT_SHAPES_COMPOUND_SHAPE": Code(
        "error",
        "One shape has the parameters of several.",
        f"{_IMPLICIT}, shapes",
        "Write one shape for each.",
    ),
    "KHR_IMPLICIT_SHAPES_DEGENERATE_SHAPE": Code(
        "info",
        "A shape has no extent along some axis.",
        f"{_IMPLICIT}, shapes",
        "Give it sizes above 0.",
    ),
    "KHR_IMPLICIT_SHAPES_DUPLICATE_WEIGHTS": Code(
        "error",
        "A mesh shape has its own weights and also asks for those of its node.",
        f"{_COLLISION} of July 2024, mesh",
        "Keep weights or useNodeWeights.",
    ),
    "SHAPE_WEIGHTS_INVALID": Code(
        "error",
        "A mesh shape has more or fewer weights than its mesh has morph targets.",
        f"{_COLLISION} of June 2024, mesh",
        "Give every morph target a weight.",
    ),
    "KHR_RIGID_BODIES_COLLISION_FILTER_INVALID_FILTER_SET": Code(
        "error",
        "A filter lists both what it collides with and what it does not.",
        f"{_BODIES}, Collision Filtering",
        "Keep one of the two lists.",
    ),
    "KHR_RIGID_BODIES_JOINT_INVALID_RANGE": Code(
        "error",
        "The minimum of a limit is above its maximum.",
        f"{_BODIES}, Joints",
        "Swap them.",
    ),
    "KHR_RIGID_BODIES_JOINT_LIMITS_INCORRECT_SIZE": Code(
        "error",
        "A limit names more than three axes.",
        f"{_BODIES}, Joints",
        "Name one, two or three of 0, 1 and 2.",
    ),
    "KHR_RIGID_BODIES_JOINT_LIMITS_INVALID_AXIS": Code(
        "error",
        "A limit names an axis that is not 0, 1 or 2.",
        f"{_BODIES}, Joints: the indices must be in the range 0 to 2",
        "Use 0 for X, 1 for Y and 2 for Z.",
    ),
    "KHR_RIGID_BODIES_JOINT_WITHOUT_LIMITS": Code(
        "error",
        "A joint has no limits; drafts before October 2024 require at least one.",
        f"{_BODIES} of March 2024, Joints",
        "Add a limit, or move to the newest revision.",
    ),
    "KHR_RIGID_BODIES_TRIGGER_NODES_INVALID": Code(
        "error",
        "A compound trigger names a node that is not a trigger with a shape.",
        f"{_BODIES}, Triggers",
        "Name triggers that have a shape.",
    ),
    "PHYSICS_DIALECT_MIXED": Code(
        "warning",
        "A collider or trigger names its shape as drafts until October 2024 do, in a file whose "
        "shapes are those of KHR_implicit_shapes: readers of either revision miss it.",
        f"{_BODIES} of October 2024, Colliders: geometry; {_IMPLICIT}",
        "Write geometry.shape instead of shape.",
    ),
    "PHYSICS_INERTIA_ORIENTATION_ALONE": Code(
        "warning",
        "inertiaOrientation without inertiaDiagonal has no effect: the inertia is computed.",
        f"{_BODIES}, Motions: the orientation of the principal moments that are given",
        "Give the moments too, or remove it.",
    ),
    "PHYSICS_DIALECT_CONFLICT": Code(
        "warning",
        "A node has physics of two extensions; one is ignored.",
        "the named extensions: none mentions the others",
        "Keep one of them on the node.",
    ),
}
"""Members of KHR_physics_rigid_bodies, of its shapes and of its predecessors."""

OMI: dict[str, Code] = {
    "OMI_COLLIDER_INVALID_CAPSULE_HEIGHT": Code(
        "error",
        "A capsule is shorter than its two ends together: the height is total.",
        f"{_COLLIDER}, height",
        "Use a height of twice the radius or more.",
    ),
    "OMI_COLLIDER_NOT_A_CHILD": Code(
        "warning",
        "A collider is a deeper descendant than a child of its body; some readers miss it.",
        f"{_BODY} of 2023: colliders are direct children of the body",
        "Make it a child of the body.",
    ),
    "OMI_COLLIDER_TRIMESH_TRIGGER": Code(
        "info",
        "A trigger is a surface without a volume: it detects crossings, not presence inside.",
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
        f"{_BODY}: a body should have at least one collider",
        "Add a collider.",
    ),
    "OMI_PHYSICS_BODY_PARTIAL_INERTIA": Code(
        "warning",
        "Some moments of inertia are 0 (to be computed) while others are given.",
        f"{_BODY}, inertiaDiagonal",
        "Give all three moments or none.",
    ),
    "OMI_PHYSICS_BODY_TRIGGER_NODES": Code(
        "error",
        "A compound trigger names a node that is not a trigger, or not below it.",
        f"{_BODY}, trigger.nodes",
        "Name triggers on descendants of the node.",
    ),
    "OMI_PHYSICS_JOINT_CONSTRAINT_INVALID_LIMITS": Code(
        "error",
        "The lower limit of a constraint is above its upper limit.",
        f"{_JOINT}, Lower Limit and Upper Limit",
        "Swap them.",
    ),
    "OMI_PHYSICS_JOINT_CONSTRAINT_NO_AXES_CONSTRAINED": Code(
        "warning",
        "A constraint names no axis, so it does nothing.",
        f"{_JOINT}, Joint Constraint: it should define at least one axis",
        "Name linearAxes, angularAxes or both.",
    ),
    "OMI_PHYSICS_JOINT_NOT_A_BODY": Code(
        "error",
        "A joint is connected to a node that is not a body.",
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
        "Swap the two nodes.",
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
        "warning",
        "A collider, body or joint is on the node of something else.",
        f"{_JOINT}, Overview: a joint should be on its own node; {_BODY} and {_COLLIDER} likewise",
        "Give it a node of its own.",
    ),
}
"""Members of OMI_collider, OMI_physics_body, OMI_physics_shape and OMI_physics_joint."""

MEANING: dict[str, Code] = {
    "PHYSICS_MASS_UNKNOWN": Code(
        "warning",
        "A body has no mass, and no shape with a volume to compute it from: programs differ.",
        f"{_BODIES}, Motions: mass is optional, and typically derived from the collision geometry",
        "Give it a mass or a collider.",
    ),
    "PHYSICS_SHAPE_UNUSABLE": Code(
        "error",
        "A mesh cannot be used as the shape (no triangles, too few points, not readable), or a "
        "shape has sides above 1,000 km.",
        "KHR_collision_shapes, convex and trimesh; OMI_collider, hull and trimesh",
        "Name a mesh with triangles, or with four points that are not on a line for a hull; use "
        "smaller sizes.",
    ),
    "PHYSICS_SHAPE_DISABLED": Code(
        "info",
        "A shape has a scale of 0, which disables it.",
        f"{_BODIES} of 2024, scale",
        "Scale it by more than 0, or remove it.",
    ),
    "PHYSICS_MESH_PARTLY_USED": Code(
        "warning",
        "A collision mesh also has points or lines, which are ignored.",
        "KHR_collision_shapes, trimesh: triangles; OMI_collider, trimesh",
        "Move the points and lines to another mesh.",
    ),
    "PHYSICS_NUMBER_TOO_LARGE": Code(
        "error",
        "A number is beyond single precision, or the product of scales is out of range.",
        "practice of engines, which calculate in single precision",
        "Use physically plausible numbers.",
    ),
    "PHYSICS_TRANSFORM_NOT_FINITE": Code(
        "error",
        "The scales and offsets above a node multiply to numbers that are not finite.",
        "glTF 2.0, 3.5.3",
        "Use smaller scales.",
    ),
    "PHYSICS_TRIGGER_MEMBER": Code(
        "error",
        "A member of a compound trigger has physics of another dialect, so it is ignored.",
        f"{_BODIES}, Triggers: the nodes must have trigger properties",
        "Keep one dialect on the node.",
    ),
    "PHYSICS_TRIGGER_NOT_BELOW": Code(
        "error",
        "A compound trigger names a node that is not below it.",
        f"{_BODIES}, Triggers: the nodes must be descendants",
        "Move the node below, or the compound above.",
    ),
    "PHYSICS_VELOCITY_UNUSED": Code(
        "warning",
        "An animation moves a body, so that its own velocity has no effect.",
        f"{_BODIES}, Motions: animation has priority over simulation",
        "Remove the velocity, or the channel.",
    ),
    "PHYSICS_JOINT_WITHOUT_MOTION": Code(
        "warning",
        "No force moves the ends of a joint against each other, so it does nothing: neither "
        "belongs to a dynamic body, or an animation leads one of them on the body that carries it.",
        f"{_BODIES}, Joints: one of the nodes or its ancestors should have motion",
        "Make one end a dynamic body, or leave out the animation.",
    ),
    "PHYSICS_JOINT_SAME_BODY": Code(
        "warning",
        "Both ends of a joint belong to one body, so it does nothing.",
        f"{_BODIES}, Joints: a connection to another object",
        "Join two bodies.",
    ),
    "PHYSICS_OUTSIDE_SCENE": Code(
        "warning",
        "A body, collider, trigger or joint is in no scene, so it is not simulated.",
        "glTF 2.0, 3.5.1",
        "List the root above it in a scene, or remove it.",
    ),
    "PHYSICS_JOINT_OUTSIDE_SCENE": Code(
        "warning",
        "No scene contains both ends of a joint, so it has no effect.",
        "glTF 2.0, 3.5.1",
        "Join nodes of one scene.",
    ),
    "PHYSICS_LIMITS_CONTRADICT": Code(
        "warning",
        "Two hard limits on one axis leave no valid range.",
        f"{_BODIES}, Joints: all limits hold at once",
        "Keep one of them, or let their ranges overlap.",
    ),
}
"""Bodies, shapes and joints that cannot work together, or do nothing."""
