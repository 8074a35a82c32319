"""Quaternions of another length than 1 get it, where they have a direction at all."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, TypeGuard

from ligament.extensions.fields import UNIT_TOLERANCE
from ligament.repair import objects
from ligament.repair.changes import Change

SHORTEST = 1e-3
"""Below this length the digits that files are written with leave the direction to chance."""

_BODIES = ("motion", "rigidBody")


def scale_rotations_to_unit(root: dict[str, Any]) -> Iterator[Change]:
    """Repair the rotations of nodes and the orientations of their inertia."""
    for pointer, node in objects.nodes(root):
        yield from _scale(node, pointer, "rotation")
        for place, extension in objects.extensions(node, pointer):
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
    # Zeros stay as they are written, whole numbers or not.
    owner[member] = [component / length if component else component for component in value]
    yield Change(f"{pointer}/{member}", f"scaled from length {length:.6g} to 1")


def _is_quaternion(value: Any) -> TypeGuard[list[float]]:
    return (
        isinstance(value, list)
        and len(value) == 4
        and all(isinstance(c, (int, float)) and not isinstance(c, bool) for c in value)
        and all(abs(c) < 1e300 for c in value)  # so that integers beyond floats stay out
    )
