"""Joints of 2023: between two bodies, at the start in the same frame, all limits by axis."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from ligament import transforms as tf
from ligament.convert.dialects.draft import SAME, Draft
from ligament.convert.dialects.frames import give_bodies
from ligament.convert.dialects.leftovers import Leftovers
from ligament.convert.dialects.per_axis import per_axis
from ligament.convert.dialects.tables import present
from ligament.extensions.declarations import Joint, Limit, Motion, MotionKind
from ligament.extensions.physics.omi.limits import LARGEST_BIAS
from ligament.physics.metrics import Relative, measure, relative

ENDLESS = 1e6
"""What stands for a missing bound [m, rad]: an absent one is 0 there."""


def settle_joints(draft: Draft) -> None:
    """Make all joints what the dialect can say."""
    give_bodies(draft, below_dynamic=False)
    _name_static_bodies(draft)
    for joint in list(draft.joints.values()):
        limits = per_axis(draft, joint.limits)
        limits = tuple(_shifted(draft, joint, limits))
        limits = tuple(kept for limit in limits if (kept := _bounded(draft, limit)) is not None)
        draft.replace_joint(joint, limits=limits)
        for drive in joint.drives:
            reason, effect = "the dialect has no drives", f"axis {drive.axis} is not driven"
            draft.lose(drive.pointer, "a drive", reason, effect)
        if joint.enable_collision:
            reason, effect = "joined bodies do not collide there", "they pass through each other"
            draft.lose(joint.pointer, "contacts of joined bodies", reason, effect)


def _name_static_bodies(draft: Draft) -> None:
    """Make static colliders that joints hold on to bodies by name."""
    owner, collider = draft.nearest(draft.motions), draft.nearest(draft.colliders)
    ends = [end for joint in draft.joints.values() for end in (joint.frame_a, joint.frame_b)]
    for node in {collider[end] for end in ends if owner[end] < 0}:
        draft.motions[node] = Motion(node=node, kind=MotionKind.STATIC)


def _shifted(draft: Draft, joint: Joint, limits: Iterable[Limit]) -> Iterable[Limit]:
    """Measure limits from the pose at the start, in which both frames are the joint's.

    Exact where the frames coincide; along an axis where nothing turns; about an axis where the
    others are locked.
    """
    limits = tuple(limits)
    (place_a, turn_a), (place_b, turn_b) = draft.world(joint.frame_a), draft.world(joint.frame_b)
    start = relative(place_a, turn_a, place_b, turn_b)
    offset = float(np.linalg.norm(start.position))
    angle = float(tf.angle_between(start.rotation, np.array([0.0, 0.0, 0.0, 1.0])))
    if offset <= SAME and angle <= SAME:
        return limits
    if not _is_shift_exact(limits, start, offset, angle):
        reason = "the frames of a joint must coincide at the start"
        effect = f"they were {offset:.3g} m and {angle:.3g} rad apart"
        draft.lose(joint.pointer, "the frame on the second body", reason, effect)
    return [_shift(limit, start) for limit in limits]


def _is_shift_exact(limits: Iterable[Limit], start: Relative, offset: float, angle: float) -> bool:
    locked = {limit.angular_axes[0] for limit in limits if limit.angular_axes and _is_lock(limit)}
    if angle <= SAME:
        return locked == {0, 1, 2}
    turned = {axis for axis in range(3) if abs(start.rotation[axis]) > SAME / 2}
    return offset <= SAME and len(turned) == 1 and locked | turned == {0, 1, 2}


def _is_lock(limit: Limit) -> bool:
    return limit.minimum == limit.maximum == 0 and math.isinf(limit.stiffness)


def _shift(limit: Limit, start: Relative) -> Limit:
    value = float(measure(limit, start.position, start.rotation))
    if abs(value) <= SAME:
        return limit
    least, most = limit.minimum - value, limit.maximum - value
    return dataclasses.replace(limit, minimum=least, maximum=most)


def _bounded(draft: Draft, limit: Limit) -> Limit | None:
    """Give a limit two finite bounds, and tell what the dialect would read otherwise.

    One without any bound limits nothing, and is left out.
    """
    if math.isinf(limit.minimum) and math.isinf(limit.maximum):
        return None
    if math.isfinite(limit.stiffness) and limit.stiffness <= LARGEST_BIAS:
        reason = f"a stiffness of at most {LARGEST_BIAS:g} counts as an engine's bias in the era"
        effect = "the limit is gone" if not limit.stiffness else "players may take it as hard"
        what = f"a stiffness of {limit.stiffness:g}"
        draft.lose(limit.pointer, what, reason, effect)
        if not limit.stiffness:
            return None
    if math.isfinite(limit.minimum) and math.isfinite(limit.maximum):
        return limit
    effect = f"a bound at {ENDLESS:g}"
    draft.lose(limit.pointer, "a bound that is absent", "it would be 0 there", effect)
    return dataclasses.replace(
        limit, minimum=max(limit.minimum, -ENDLESS), maximum=min(limit.maximum, ENDLESS)
    )


def constraint_members(joint: Joint, leftovers: Leftovers) -> list[dict[str, Any]]:
    """Return the constraints of a joint; axes with the same bounds share one.

    At least one must be there: one that constrains nothing stands for none.
    """
    grouped: dict[tuple[object, ...], list[Limit]] = {}
    for limit in joint.limits or (Limit(linear_axes=(0,), minimum=-ENDLESS, maximum=ENDLESS),):
        key = (limit.minimum, limit.maximum, limit.stiffness, limit.damping, limit.pointer)
        grouped.setdefault(key, []).append(limit)
    return [_constraint(limits, leftovers) for limits in grouped.values()]


def _constraint(limits: list[Limit], leftovers: Leftovers) -> dict[str, Any]:
    first, is_soft = limits[0], math.isfinite(limits[0].stiffness)
    members = present(
        linearAxes=[axis for limit in limits for axis in limit.linear_axes],
        angularAxes=[axis for limit in limits for axis in limit.angular_axes],
        lowerLimit=first.minimum,
        upperLimit=first.maximum,
        stiffness=first.stiffness if is_soft else None,
        damping=first.damping if is_soft else None,
    )
    return {**members, **leftovers.of(first.pointer)}
