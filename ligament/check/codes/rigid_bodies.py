"""Codes about the members of KHR_physics_rigid_bodies, its shapes and its predecessors.

The names are those of the reference validator, as far as it has one.
"""

from __future__ import annotations

from ligament.check.codes.entry import Code

_BODIES = "KHR_physics_rigid_bodies"
_COLLISION = "KHR_collision_shapes"
_IMPLICIT = "KHR_implicit_shapes"

CODES: dict[str, Code] = {
    "KHR_COLLISION_SHAPES_COMPOUND_SHAPE": Code(
        "error",
        "One shape holds the parameters of several.",
        f"{_COLLISION}, shapes",
        "Make a shape of each.",
    ),
    "KHR_COLLISION_SHAPES_DEGENERATE_SHAPE": Code(
        "info",
        "A shape has no extent along some axis.",
        f"{_COLLISION}, shapes",
        "Give it sizes above 0.",
    ),
    "KHR_IMPLICIT_SHAPES_COMPOUND_SHAPE": Code(
        "error",
        "One shape holds the parameters of several.",
        f"{_IMPLICIT}, shapes",
        "Make a shape of each.",
    ),
    "KHR_IMPLICIT_SHAPES_DEGENERATE_SHAPE": Code(
        "info",
        "A shape has no extent along some axis.",
        f"{_IMPLICIT}, shapes",
        "Give it sizes above 0.",
    ),
    "KHR_IMPLICIT_SHAPES_DUPLICATE_WEIGHTS": Code(
        "error",
        "A mesh shape has weights of its own and asks for those of its node.",
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
        "Exchange them.",
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
        "A joint has no limits, of which drafts before October 2024 demand one at least.",
        f"{_BODIES} of March 2024, Joints",
        "Add a limit, or move to the newest revision.",
    ),
    "KHR_RIGID_BODIES_TRIGGER_NODES_INVALID": Code(
        "error",
        "A compound trigger names a node that is not a trigger with a shape.",
        f"{_BODIES}, Triggers",
        "Name triggers that have a shape.",
    ),
    "PHYSICS_DIALECT_CONFLICT": Code(
        "warning",
        "A node has physics of two extensions, of which one is ignored.",
        "the extensions that are named: none speaks of the others",
        "Keep one of them on the node.",
    ),
}
