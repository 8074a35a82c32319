"""Repairs of values: unit quaternions, zeros without signs, axes and systems listed once."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, TypeGuard

from ligament.extensions.fields import UNIT_TOLERANCE
from ligament.extensions.registry import OMI_PHYSICS_JOINT
from ligament.extensions.rigid_bodies.filter import FILTER
from ligament.repair.changes import Change, Objects, elements, extensions, nodes

SHORTEST = 1e-3
"""Length below which rounding in files makes the direction arbitrary."""

_BODIES = ("motion", "rigidBody")

_JOINTS = ("physicsJoints", "physicsJointLimits")

_AXES = ("linearAxes", "angularAxes")


def scale_rotations_to_unit(root: dict[str, Any]) -> Iterator[Change]:
    """Normalize the rotations of nodes and inertia orientations, if they have a direction."""
    for pointer, node in nodes(root):
        yield from _scale(node, pointer, "rotation")
        for place, extension in extensions(node, pointer):
            for member in _BODIES:
                if isinstance(body := extension.get(member), dict):
                    yield from _scale(body, f"{place}/{member}", "inertiaOrientation")


def _scale(owner: dict[str, Any], pointer: str, member: str) -> Iterator[Change]:
    value = owner.get(member)
    if not _is_quaternion(value):
        return
    length = math.hypot(*value)
    if not SHORTEST <= length < math.inf or abs(length - 1) <= UNIT_TOLERANCE:
        return
    # Zeros stay as written, whether integers or not.
    owner[member] = [component / length if component else component for component in value]
    yield Change(f"{pointer}/{member}", f"scaled from length {length:.6g} to 1")


def _is_quaternion(value: Any) -> TypeGuard[list[float]]:
    return (
        isinstance(value, list)
        and len(value) == 4
        and all(isinstance(c, (int, float)) and not isinstance(c, bool) for c in value)
        and all(abs(c) < 1e300 for c in value)  # excludes integers too large for floats
    )


def drop_signs_of_zero(root: dict[str, Any]) -> Iterator[Change]:
    """Repair the scales of nodes: -0.0 disables just like 0.0, and mirrors nothing."""
    for pointer, node in nodes(root):
        scale = node.get("scale")
        for axis, value in enumerate(scale if isinstance(scale, list) else ()):
            if isinstance(value, float) and value == 0 and math.copysign(1, value) < 0:
                node["scale"][axis] = 0.0
                yield Change(f"{pointer}/scale/{axis}", "-0.0 is now 0.0")


def name_axes_once(root: dict[str, Any]) -> Iterator[Change]:
    """Remove duplicate axes from joint limits, in every dialect."""
    for pointer, limit in list(_limits(root)):
        for member in _AXES:
            axes = limit.get(member)
            if _are_axes(axes) and len(set(axes)) < len(axes):
                limit[member] = list(dict.fromkeys(axes))
                yield Change(f"{pointer}/{member}", f"{axes} is now {limit[member]}")


def name_systems_once(root: dict[str, Any]) -> Iterator[Change]:
    """Remove duplicate systems from collision filters, in every dialect."""
    for pointer, extension in extensions(root, ""):
        for place, each in elements(extension, pointer, "collisionFilters"):
            for member in sorted((FILTER.names - {"name"}).intersection(each)):
                systems = each[member]
                if _are_names(systems) and len(set(systems)) < len(systems):
                    each[member] = list(dict.fromkeys(systems))
                    left = f"{len(systems)} systems are now {len(each[member])}"
                    yield Change(f"{place}/{member}", f"{left}, each named once")


def _are_names(value: Any) -> TypeGuard[list[str]]:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


def _limits(root: dict[str, Any]) -> Objects:
    """Yield shared joint limits, and the constraints of OMI_physics_joint of 2023."""
    for pointer, extension in extensions(root, ""):
        for name in _JOINTS:
            for place, joint in elements(extension, pointer, name):
                yield from elements(joint, place, "limits")
        if pointer.endswith(f"/{OMI_PHYSICS_JOINT}"):
            yield from elements(extension, pointer, "constraints")


def _are_axes(value: Any) -> TypeGuard[list[float]]:
    """Tell whether an array holds axes only; 1.0 is the same axis as 1, but true is not."""
    return isinstance(value, list) and all(
        not isinstance(axis, bool) and axis in (0, 1, 2) for axis in value
    )
