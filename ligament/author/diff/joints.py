"""Joints of two scenes: what they are called, what they hold, and how far they let it move."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ligament.author.diff.changes import Change
from ligament.author.diff.closeness import Tolerance
from ligament.extensions.declarations import Drive, Limit
from ligament.physics.naming import friendly_name
from ligament.physics.scene import Joint

AXES = "xyz"


def named(joint: Joint) -> str:
    """Return the friendly name of a joint."""
    return friendly_name(joint.limits, joint.drives)


def joint_changes(name: str, one: Joint, other: Joint, tolerance: Tolerance) -> Iterator[Change]:
    """Yield what changed in a joint, but for the bodies that it holds."""
    if named(one) != named(other):
        yield Change("changed", "joint", name, "kind", named(one), named(other))
    before, after = _bounds(one.limits), _bounds(other.limits)
    for key in dict.fromkeys([*before, *after]):
        if not tolerance.alike(before.get(key, ()), after.get(key, ())):
            yield Change("changed", "joint", name, key, _told(before, key), _told(after, key))
    driven, others = _drives(one.drives), _drives(other.drives)
    for key in dict.fromkeys([*driven, *others]):
        if key not in driven or key not in others:
            yield Change("changed", "joint", name, key, driven.get(key), others.get(key))
            continue
        for where, was, now in tolerance.json(driven[key], others[key]):
            yield Change("changed", "joint", name, f"{key} {where}", was, now)
    collides = not one.ignores, not other.ignores
    if collides[0] != collides[1]:
        yield Change("changed", "joint", name, "collision of the joined", *collides)


def _bounds(limits: Sequence[Limit]) -> dict[str, tuple[float, ...]]:
    """Return what is bounded → (least, most, stiffness, damping), however it is composed.

    A hard lock of several axes at once is a lock of each; limits on the same axes hold together;
    what bounds nothing is left out.
    """
    result: dict[str, tuple[float, ...]] = {}
    for limit in limits:
        kind = "linear" if limit.linear_axes else "angular"
        axes = sorted(limit.linear_axes or limit.angular_axes)
        is_lock = limit.maximum <= 0 and math.isinf(limit.stiffness) and len(axes) > 1
        for group in [[axis] for axis in axes] if is_lock else [axes]:
            low, high = limit.minimum, limit.maximum
            low = 0.0 if is_lock else max(low, 0.0) if len(group) > 1 else low
            if limit.stiffness == 0 or (
                low <= (0 if len(group) > 1 else -math.inf) and math.isinf(high)
            ):
                continue
            soft = "" if math.isinf(limit.stiffness) else " spring"
            key = f"{kind} limit {''.join(AXES[axis] for axis in group)}{soft}"
            known = result.get(key, (low, high, limit.stiffness, limit.damping))
            result[key] = (max(low, known[0]), min(high, known[1]), *known[2:])
    return result


def _told(bounds: dict[str, tuple[float, ...]], key: str) -> str | None:
    """Write bounds for a person: degrees or metres."""
    if key not in bounds:
        return None
    low, high, stiffness, damping = bounds[key]
    unit, factor = ("°", 180 / math.pi) if key.startswith("angular") else (" m", 1.0)
    text = f"{low * factor:.4g} to {high * factor:.4g}{unit}"
    if math.isfinite(stiffness):
        text += f", stiffness {stiffness:.4g}, damping {damping:.4g}"
    return text


def _drives(drives: Sequence[Drive]) -> dict[str, dict[str, object]]:
    return {
        f"drive {drive.type} {AXES[drive.axis]}": {
            "mode": drive.mode,
            "max_force": drive.max_force,
            "position_target": drive.position_target,
            "velocity_target": drive.velocity_target,
            "stiffness": drive.stiffness,
            "damping": drive.damping,
        }
        for drive in drives
    }
