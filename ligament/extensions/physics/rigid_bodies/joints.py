"""Joint descriptions: limits that remove freedom, and drives that push."""

from __future__ import annotations

import math
import sys
from typing import Literal, NamedTuple, TypeAlias

from ligament.extensions.declarations import Drive, Joint, Limit
from ligament.extensions.fields import Fields, Target
from ligament.extensions.physics.rigid_bodies.vocabulary import Vocabulary

JOINT_MEMBERS = frozenset({"name", "limits", "drives"})
DRIVE_MEMBERS = frozenset(
    {
        "type",
        "mode",
        "axis",
        "maxForce",
        "positionTarget",
        "velocityTarget",
        "stiffness",
        "damping",
    }
)

DriveType: TypeAlias = Literal["linear", "angular"]
DriveMode: TypeAlias = Literal["force", "acceleration"]

DRIVE_TYPES: tuple[DriveType, ...] = ("linear", "angular")
DRIVE_MODES: tuple[DriveMode, ...] = ("force", "acceleration")

_AXES = Target("the axes", 3)
LARGEST = sys.float_info.max
"""Bounds are infinite away from each other alone."""


class JointDescription(NamedTuple):
    """Limits and drives that joints share; those that make no sense are left out."""

    limits: tuple[Limit, ...]
    drives: tuple[Drive, ...]

    def between(self, node: int, connected: int, *, enable_collision: bool, pointer: str) -> Joint:
        """Return the joint on a node that holds another one."""
        return Joint(
            node=node,
            frame_a=node,
            body_a=node,
            frame_b=connected,
            body_b=connected,
            limits=self.limits,
            drives=self.drives,
            enable_collision=enable_collision,
            pointer=pointer,
        )


def read_description(fields: Fields, vocabulary: Vocabulary) -> JointDescription:
    """Read an element of `physicsJoints`, or of `physicsJointLimits` before it."""
    fields.only(JOINT_MEMBERS)
    fields.string("name", None)
    drives = (
        _drive(drive, index)
        for index, drive in enumerate(fields.objects("drives"))
        if drive is not None
    )
    limits = read_limits(fields, "limits", vocabulary)
    return JointDescription(limits, tuple(drive for drive in drives if drive is not None))


def read_limits(fields: Fields, member: str, vocabulary: Vocabulary) -> tuple[Limit, ...]:
    """Read a list of limits, leaving out those that make no sense."""
    limits = (
        _limit(limit, index, vocabulary)
        for index, limit in enumerate(fields.objects(member))
        if limit is not None
    )
    return tuple(limit for limit in limits if limit is not None)


def _limit(fields: Fields, index: int, vocabulary: Vocabulary) -> Limit | None:
    """Read a limit; a bound that is absent is none, but distances and cones begin at 0."""
    springs = (*vocabulary.stiffness, *vocabulary.damping)
    fields.only(("linearAxes", "angularAxes", "min", "max", *springs))
    linear, angular = _axes(fields, "linearAxes"), _axes(fields, "angularAxes")
    stiffness = fields.number(
        fields.first_of(vocabulary.stiffness), math.inf, minimum=0.0, infinite=True
    )
    damping = fields.number(fields.first_of(vocabulary.damping), 0.0, minimum=0.0)
    is_signed = len(linear or ()) + len(angular or ()) == 1
    is_lock = vocabulary.locks_without_bounds and "min" not in fields and "max" not in fields
    minimum = fields.number(
        "min", -math.inf if is_signed and not is_lock else 0.0, maximum=LARGEST, infinite=True
    )
    maximum = fields.number("max", 0.0 if is_lock else math.inf, minimum=-LARGEST, infinite=True)
    if not _has_one_kind(fields) or linear is None or angular is None:
        return None
    if minimum > maximum:
        message = f"the minimum, {minimum:g}, is above the maximum, {maximum:g}"
        remedy = "the minimum must not exceed the maximum; the limit is ignored"
        fields.report("KHR_RIGID_BODIES_JOINT_INVALID_RANGE", message, remedy)
        return None
    if math.isinf(stiffness) and damping > 0:
        message = f"found a damping of {damping:g} without stiffness"
        remedy = "the limit is hard: give it stiffness, or remove the damping"
        fields.report("PHYSICS_DAMPING_ALONE", message, remedy, fields.first_of(vocabulary.damping))
    return Limit(
        linear_axes=linear,
        angular_axes=angular,
        minimum=minimum,
        maximum=maximum,
        stiffness=stiffness,
        damping=damping if math.isfinite(stiffness) else 0.0,
        index=index,
        pointer=fields.pointer,
    )


def _has_one_kind(fields: Fields) -> bool:
    """Tell whether exactly one list names axes; an empty one is as good as none."""
    kinds = [name for name in ("linearAxes", "angularAxes") if fields.raw.get(name, []) != []]
    if len(kinds) != 1:
        found = " and ".join(kinds) or "no axes"
        remedy = "use exactly one of linearAxes and angularAxes"
        fields.report("ONE_OF_MISMATCH", f"found {found}", remedy)
    return len(kinds) == 1


def _axes(fields: Fields, name: str) -> tuple[int, ...] | None:
    """Read one list of axes, () where it is absent; None where any of them is wrong.

    A limit on the others would not be a part of what was meant, but another limit.
    """
    raw, before = fields.raw.get(name), len(fields.findings)
    if isinstance(raw, list) and len(raw) > 3:
        message, remedy = f"found {len(raw)} axes", "name one, two or three of 0, 1 and 2"
        fields.report("KHR_RIGID_BODIES_JOINT_LIMITS_INCORRECT_SIZE", message, remedy, name)
        return None
    axes = fields.indices(name, _AXES, beyond="KHR_RIGID_BODIES_JOINT_LIMITS_INVALID_AXIS")
    return axes if len(fields.findings) == before or raw == [] else None


def _drive(fields: Fields, index: int) -> Drive | None:
    """Read a drive; one whose type, mode or axis is missing or unknown is left out."""
    fields.only(DRIVE_MEMBERS)
    fields.required("type", "mode", "axis")
    kind = fields.choice("type", DRIVE_TYPES, None)
    mode = fields.choice("mode", DRIVE_MODES, None)
    axis = fields.integer("axis", None, minimum=0, maximum=2)
    gains = {
        "max_force": fields.number("maxForce", math.inf, minimum=0.0, infinite=True),
        "position_target": fields.number("positionTarget", 0.0),
        "velocity_target": fields.number("velocityTarget", 0.0),
        "stiffness": fields.number("stiffness", 0.0, minimum=0.0),
        "damping": fields.number("damping", 0.0, minimum=0.0),
    }
    if kind is None or mode is None or axis is None:
        return None
    return Drive(type=kind, mode=mode, axis=axis, **gains, index=index, pointer=fields.pointer)
