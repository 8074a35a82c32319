"""Codes about what rigid bodies mean together: what cannot work, or does nothing."""

from __future__ import annotations

from ligament.check.codes.entry import Code

_BODIES = "KHR_physics_rigid_bodies"

CODES: dict[str, Code] = {
    "PHYSICS_MASS_UNKNOWN": Code(
        "error",
        "A body has no mass, and no shape with a volume to compute it from.",
        f"{_BODIES}, Motions: what is not given is calculated from the collision geometry",
        "Give it a mass or a collider.",
    ),
    "PHYSICS_SHAPE_UNUSABLE": Code(
        "error",
        "A mesh cannot be the shape it is to be (no triangles, too few points, not readable), or a "
        "shape has sides above 1,000 km.",
        "KHR_collision_shapes, convex and trimesh; OMI_collider, hull and trimesh",
        "Name a mesh with triangles, or with four points that are not on a line for a hull; use "
        "smaller sizes.",
    ),
    "PHYSICS_SHAPE_DISABLED": Code(
        "info",
        "A shape is scaled to nothing, which switches it off.",
        f"{_BODIES} of 2024, scale",
        "Scale it by more than 0, or remove it.",
    ),
    "PHYSICS_MESH_PARTLY_USED": Code(
        "warning",
        "A mesh that is a surface to collide with has points or lines too, which are left out.",
        "KHR_collision_shapes, trimesh: triangles; OMI_collider, trimesh",
        "Move the points and lines to another mesh.",
    ),
    "PHYSICS_NUMBER_TOO_LARGE": Code(
        "error",
        "A number is beyond single precision, or scales multiply to one beyond all proportion.",
        "practice of engines, which calculate in single precision",
        "Use numbers of a size that things have.",
    ),
    "PHYSICS_TRANSFORM_NOT_FINITE": Code(
        "error",
        "The scales and offsets above a node multiply to numbers that are not finite.",
        "glTF 2.0, 3.5.3",
        "Use smaller scales.",
    ),
    "PHYSICS_TRIGGER_MEMBER": Code(
        "error",
        "A member of a compound trigger has physics of another dialect, so it counts for nothing.",
        f"{_BODIES}, Triggers: the nodes must have trigger properties",
        "Keep one dialect on the node.",
    ),
    "PHYSICS_TRIGGER_NOT_BELOW": Code(
        "error",
        "A compound trigger names a node that is not below it.",
        f"{_BODIES}, Triggers: the nodes must be descendants",
        "Move the node below, or the compound above.",
    ),
    "PHYSICS_JOINT_WITHOUT_MOTION": Code(
        "warning",
        "Neither end of a joint can be moved by forces, so it does nothing.",
        f"{_BODIES}, Joints: one of the nodes or its ancestors should have motion",
        "Give one end a motion that is not kinematic.",
    ),
    "PHYSICS_JOINT_SAME_BODY": Code(
        "warning",
        "Both ends of a joint belong to one body, so it does nothing.",
        f"{_BODIES}, Joints: a connection to another object",
        "Join two bodies.",
    ),
    "PHYSICS_JOINT_OUTSIDE_SCENE": Code(
        "warning",
        "No scene holds both ends of a joint, so it holds nothing.",
        "glTF 2.0, 3.5.1",
        "Join nodes of one scene.",
    ),
    "PHYSICS_LIMITS_CONTRADICT": Code(
        "warning",
        "Two hard limits on one axis leave no room at all.",
        f"{_BODIES}, Joints: all limits hold at once",
        "Keep one of them, or let their ranges overlap.",
    ),
}
