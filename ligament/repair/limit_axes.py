"""Axes that a limit names twice are named once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeGuard

from ligament.repair import objects
from ligament.repair.changes import Change

_JOINTS = ("physicsJoints", "physicsJointLimits")
_AXES = ("linearAxes", "angularAxes")


def name_axes_once(root: dict[str, Any]) -> Iterator[Change]:
    """Repair the limits of joints in every dialect."""
    for pointer, limit in list(_limits(root)):
        for member in _AXES:
            axes = limit.get(member)
            if _are_axes(axes) and len(set(axes)) < len(axes):
                limit[member] = list(dict.fromkeys(axes))
                yield Change(f"{pointer}/{member}", f"{axes} is now {limit[member]}")


def _limits(root: dict[str, Any]) -> objects.Objects:
    """Yield limits where joints share them, and the constraints of OMI_physics_joint of 2023."""
    for pointer, extension in objects.extensions(root, ""):
        for name in _JOINTS:
            for place, joint in objects.elements(extension, pointer, name):
                yield from objects.elements(joint, place, "limits")
        if pointer.endswith("/OMI_physics_joint"):
            yield from objects.elements(extension, pointer, "constraints")


def _are_axes(value: Any) -> TypeGuard[list[float]]:
    """Tell whether an array holds axes only; 1.0 is the same axis as 1, but true is not."""
    return isinstance(value, list) and all(
        not isinstance(axis, bool) and axis in (0, 1, 2) for axis in value
    )
