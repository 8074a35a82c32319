"""Findings common to building a scene and checking a file."""

from __future__ import annotations

from ligament.errors import LigamentError
from ligament.findings.codes import finding
from ligament.findings.finding import Finding


def mass_unknown(pointer: str, body: str, default: float) -> Finding:
    """Report a body that has neither a mass nor a shape; `default` [kg] is used."""
    message = f"{body} has no mass and no shape to compute it from"
    remedy = f"give it a mass; {default:g} kg is used"
    return finding("PHYSICS_MASS_UNKNOWN", pointer, message, remedy)


def velocity_unused(pointer: str, body: str) -> Finding:
    """Report a body with a velocity that follows an animation instead."""
    message = f"{body} follows an animation, so that its own velocity has no effect"
    return finding("PHYSICS_VELOCITY_UNUSED", pointer, message, "remove one of the two")


def shape_unreadable(pointer: str, node: str, fault: LigamentError) -> Finding:
    """Report a shape that cannot be built, at the place of the fault if known."""
    message = f"{node}: {fault.message}, so its shape is left out"
    remedy = fault.remedy or "name another mesh"
    return finding("PHYSICS_SHAPE_UNUSABLE", fault.pointer or pointer, message, remedy)


def shape_too_large(pointer: str, node: str, largest: float) -> Finding:
    """Report a shape with a side of more than `largest` [m]."""
    message = f"{node} is larger than can be simulated, so it is left out"
    remedy = f"its sides may be up to {largest:g} m in the world"
    return finding("PHYSICS_SHAPE_UNUSABLE", pointer, message, remedy)


def shape_disabled(pointer: str, node: str) -> Finding:
    """Report a shape whose scale is 0."""
    message = f"{node} has no extent at its scale, so it touches nothing"
    return finding("PHYSICS_SHAPE_DISABLED", pointer, message, "scale it by more than 0 to use it")


def not_a_trigger(pointer: str, node: str) -> Finding:
    """Report a member of a compound trigger that is not a trigger itself."""
    message = f"{node} has no trigger"
    return finding("PHYSICS_TRIGGER_MEMBER", pointer, message, "name nodes that have one")


def joint_within_body(pointer: str, body: str) -> Finding:
    """Report a joint whose two ends belong to one body."""
    message = f"both ends belong to {body}"
    return finding("PHYSICS_JOINT_SAME_BODY", pointer, message, "join two bodies")


def joint_without_motion(pointer: str) -> Finding:
    """Report a joint between two ends that no force moves."""
    message = "neither end can be moved by forces, so the joint does nothing"
    return finding("PHYSICS_JOINT_WITHOUT_MOTION", pointer, message, "give one end a motion")


def joint_to_carrier(pointer: str, body: str, carrier: str) -> Finding:
    """Report a joint between a body that animation leads and the body that carries it."""
    message = f"animation alone moves {body} on {carrier}, so the joint does nothing"
    remedy = "leave out the animation to simulate the joint"
    return finding("PHYSICS_JOINT_WITHOUT_MOTION", pointer, message, remedy)
