"""Rules about joint descriptions: limits and drives that conflict, or do nothing."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias

from ligament.checker.subject import Subject
from ligament.extensions.registry import EXTENSIONS, OMI_PHYSICS_JOINT, Dialect
from ligament.extensions.rigid_bodies import Drive, Joint, Limit
from ligament.findings import Finding, finding
from ligament.gltf import pointers

Axis: TypeAlias = tuple[str, int]
"""Linear or angular, and 0 to 2."""

LIMIT_REQUIRED = (Dialect.KHR_2024_06, Dialect.KHR_2024_03, Dialect.KHR_2023, Dialect.MSFT_2023)
"""Revisions that require a limit."""

LEAST_DEGREES = 15.0
"""Bounds [rad] above which whole and half numbers are taken to be degrees."""

ROUNDING = 1e-3
"""Difference [rad] of π as files round it."""

_UNITS = {"linear": "m", "angular": "rad"}


class Room(NamedTuple):
    """The range [m or rad] that hard limits leave on an axis, and the last limit on it."""

    low: float
    high: float
    last: Limit


def limit_rules(subject: Subject) -> Iterator[Finding]:
    """Yield suspicious limits and drives; each description once, however often it is used."""
    for joint in _descriptions(subject.physics.joints.values()):
        rooms = _rooms(joint.limits)
        yield from _contradictions(rooms)
        yield from _idle(joint.limits)
        yield from _conflicting_drives(joint.drives)
        yield from _below_zero(joint)
        for limit in joint.limits:
            yield from _idle_bounds(subject, limit)
        for drive in joint.drives:
            yield from _gains(subject, drive)
            yield from _target(drive, rooms)
    yield from _without_limits(subject)


def _descriptions(joints: Iterable[Joint]) -> Iterable[Joint]:
    """Return one joint for each shared description."""
    return {(id(joint.limits), id(joint.drives)): joint for joint in joints}.values()


def axes_of(limit: Limit) -> list[Axis]:
    """List the axes that a limit acts on."""
    linear: list[Axis] = [("linear", axis) for axis in limit.linear_axes]
    return linear + [("angular", axis) for axis in limit.angular_axes]


def _rooms(limits: Iterable[Limit]) -> dict[Axis, Room]:
    """Compute the remaining range of every axis."""
    rooms: dict[Axis, Room] = {}
    for limit in limits:
        low, high = _bounds(limit)
        for axis in axes_of(limit):
            room = rooms.get(axis)
            rooms[axis] = (
                Room(low, high, limit)
                if room is None
                else Room(max(low, room.low), min(high, room.high), limit)
            )
    return rooms


def _bounds(limit: Limit) -> tuple[float, float]:
    """Return the range of each axis of a limit; a distance or angle bounds it both ways."""
    if math.isfinite(limit.stiffness):
        return -math.inf, math.inf
    is_signed = len(limit.linear_axes) + len(limit.angular_axes) == 1
    return limit.minimum if is_signed else -limit.maximum, limit.maximum


def _contradictions(rooms: dict[Axis, Room]) -> Iterator[Finding]:
    """Find axes with an empty range, at the last limit on them."""
    said: set[str] = set()
    for (kind, axis), room in rooms.items():
        if room.low > room.high and room.last.pointer not in said:
            said.add(room.last.pointer)
            bounds = f"{kind} {'XYZ'[axis]} must be from {room.low:g} to {room.high:g}"
            message = f"limits leave no valid range: {bounds}"
            yield finding("PHYSICS_LIMITS_CONTRADICT", room.last.pointer, message, "keep one")


def _idle(limits: Iterable[Limit]) -> Iterator[Finding]:
    """Find hard bounds made redundant by another one on the same side of the same axes.

    Limits on other axes, bounds on opposite sides and springs within stops complement each other.
    """
    before: dict[frozenset[Axis], Limit] = {}
    for limit in limits:
        if math.isfinite(limit.stiffness):
            continue
        other = before.setdefault(frozenset(axes_of(limit)), limit)
        sides = zip(_sides(limit), _sides(other), strict=True)
        meet = limit.minimum <= other.maximum and other.minimum <= limit.maximum
        if other is not limit and meet and any(map(all, sides)):
            message = f"{other.pointer} bounds the same side of the same axes"
            yield finding("PHYSICS_LIMITS_OVERLAP", limit.pointer, message, "keep the narrower")


def _sides(limit: Limit) -> tuple[bool, bool]:
    """Tell whether a limit bounds its axes below and above; distances and angles start at 0."""
    least = -math.inf if len(axes_of(limit)) == 1 else 0.0
    return limit.minimum > least, limit.maximum < math.inf


def _conflicting_drives(drives: Iterable[Drive]) -> Iterator[Finding]:
    """Find drives that pull one axis to different targets with unbounded force."""
    strong: dict[tuple[str, int, str], Drive] = {}
    for drive in drives:
        for kind, gain in (("position", drive.stiffness), ("velocity", drive.damping)):
            if gain == 0 or math.isfinite(drive.max_force):
                continue
            other = strong.setdefault((drive.type, drive.axis, kind), drive)
            if _target_of(drive, kind) != _target_of(other, kind):
                axis = f"{drive.type} {'XYZ'[drive.axis]}"
                message = f"{other.pointer} drives {axis} to another {kind}"
                yield finding("PHYSICS_DRIVES_OVERLAP", drive.pointer, message, "keep one of them")


def _target_of(drive: Drive, kind: str) -> float:
    return drive.position_target if kind == "position" else drive.velocity_target


def _below_zero(joint: Joint) -> Iterator[Finding]:
    for limit in joint.limits:
        if len(axes_of(limit)) > 1 and -math.inf < limit.minimum < 0:
            message = f"the minimum is {limit.minimum:g}, but values are 0 or more"
            remedy = "distances and angles over several axes have no sign: use 0"
            yield finding("PHYSICS_LIMIT_BELOW_ZERO", f"{limit.pointer}/min", message, remedy)


def _idle_bounds(subject: Subject, limit: Limit) -> Iterator[Finding]:
    """Find bounds that nothing can break, or that are surely meant otherwise."""
    if {f"{limit.pointer}/{member}" for member in ("min", "max")} & subject.animated:
        return
    low, high = limit.minimum, limit.maximum
    if not any(_sides(limit)):
        message, remedy = "found neither a minimum nor a maximum that counts", "it bounds nothing"
        yield finding("PHYSICS_LIMIT_WITHOUT_BOUNDS", limit.pointer, message, remedy)
    elif limit.angular_axes and _is_in_degrees(low, high):
        message = f"the bounds are {low:g} to {high:g} rad"
        remedy = "angles are in radians: multiply degrees by π/180"
        yield finding("PHYSICS_LIMIT_IN_DEGREES", limit.pointer, message, remedy)
    elif limit.angular_axes and _allows_whole_turn(limit):
        message = f"from {low:g} to {high:g} rad is a whole turn or more"
        remedy = "leave the limit out for a free joint"
        yield finding("PHYSICS_LIMIT_WHOLE_TURN", limit.pointer, message, remedy)


def _is_in_degrees(low: float, high: float) -> bool:
    bounds = [bound for bound in (low, high) if math.isfinite(bound)]
    return max(map(abs, bounds)) >= LEAST_DEGREES and all(float(2 * b).is_integer() for b in bounds)


def _allows_whole_turn(limit: Limit) -> bool:
    if len(limit.angular_axes) > 1:
        return limit.minimum <= 0 and limit.maximum >= math.pi - ROUNDING
    return 2 * math.pi - ROUNDING <= limit.maximum - limit.minimum < math.inf


def _gains(subject: Subject, drive: Drive) -> Iterator[Finding]:
    """Find targets without a gain on drives that have another effect; 0 with 0 is neutral.

    Animated gains are exempt.
    """
    gains = {f"{drive.pointer}/{gain}" for gain in ("stiffness", "damping", "maxForce")}
    if gains & subject.animated:
        return
    raw = pointers.find(subject.json, drive.pointer, {})
    lacking = [
        f"{target} without {gain}"
        for target, gain, value in (
            ("positionTarget", "stiffness", drive.stiffness),
            ("velocityTarget", "damping", drive.damping),
        )
        if target in raw and value == 0 and (gain not in raw or raw[target] != 0)
    ]
    if lacking:
        message = f"found {' and '.join(lacking)}"
        yield finding("PHYSICS_DRIVE_WITHOUT_GAIN", drive.pointer, message, "it does nothing")


def _target(drive: Drive, rooms: dict[Axis, Room]) -> Iterator[Finding]:
    room = rooms.get((drive.type, drive.axis))
    target = drive.position_target
    if room is None or drive.stiffness == 0 or room.low <= target <= room.high:
        return
    unit, axis = _UNITS[drive.type], "XYZ"[drive.axis]
    message = f"the target is {target:g} {unit}, but {drive.type} {axis} is limited to"
    message += f" {room.low:g} to {room.high:g} {unit}"
    yield finding("PHYSICS_TARGET_UNREACHABLE", drive.pointer, message, "move it inside the limits")


def _without_limits(subject: Subject) -> Iterator[Finding]:
    """Find descriptions without limits if the file's revision requires one."""
    if not set(subject.physics.dialects) & set(LIMIT_REQUIRED):
        return
    bare = (joint for joint in subject.physics.joints.values() if not joint.limits)
    for pointer in dict.fromkeys(_description(subject, joint) for joint in bare):
        description = pointers.find(subject.json, pointer)
        if isinstance(description, dict) and "limits" not in description:
            message, remedy = "the joint has no limits", "this revision requires at least one"
            yield finding("KHR_RIGID_BODIES_JOINT_WITHOUT_LIMITS", pointer, message, remedy)


def _description(subject: Subject, joint: Joint) -> str:
    """Return the pointer of the description that a joint refers to, "" if it is inline."""
    extension = pointers.split(joint.pointer)[3]
    raw = pointers.find(subject.json, joint.pointer)
    for member, array in (("joint", "physicsJoints"), ("jointLimits", "physicsJointLimits")):
        if member in raw and extension != OMI_PHYSICS_JOINT:
            owner = EXTENSIONS[extension].misspells or extension
            return f"/extensions/{owner}/{array}/{int(raw[member])}"
    return ""
