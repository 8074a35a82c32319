"""Joints as a dialect can declare them: frames on their bodies, limits of one axis each."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Iterable, Iterator, Sequence

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.conversion.dialects.draft import Draft
from ligament.extensions.omi.joint import is_angular, swinging_axis
from ligament.extensions.rigid_bodies import Joint, Limit, Motion, MotionKind
from ligament.physics.shapes import is_singular

_PER_AXIS = "the dialect limits each axis separately"
_BY_NUMBER = "only limits about two axes measure the swing of the third"
_NAMES = {(True, 2): "a distance from an axis", (True, 3): "a distance"}
_NAMES |= {(False, 2): "a cone", (False, 3): "a total angle"}


def add_frame_nodes(draft: Draft, reframed: Collection[tuple[int, int]] = ()) -> None:
    """Make every joint frame a node that belongs to the body it is fixed to.

    In 2023 a joint named its bodies; in all other dialects they follow from the node tree. Joints
    that are `reframed`, with the node of the body, need a new node.
    """
    owner = draft.nearest(draft.motions)
    for joint in list(draft.joints.values()):
        if joint.frame_a == joint.body_a and joint.frame_b == joint.body_b:
            continue
        a, b = (
            _frame_below(draft, joint, frame, body)
            if (joint.node, body) in reframed
            else _own_frame(draft, owner, joint, frame, body)
            for frame, body in ((joint.frame_a, joint.body_a), (joint.frame_b, joint.body_b))
        )
        if a is None or b is None:
            del draft.joints[joint.node]
            continue
        draft.replace_joint(joint, node=a, frame_a=a, body_a=a, frame_b=b, body_b=b)


def _own_frame(
    draft: Draft, owner: Sequence[int], joint: Joint, frame: int, body: int
) -> int | None:
    """Return a node of a body that stays where a frame is; None if there can be none.

    That is the frame itself where it belongs to the body, else a new node: below the body, or as
    far down towards the frame as nodes belong to it.
    """
    held = owner[body] if owner[body] >= 0 else body
    if draft.is_below(frame, held):
        parent = frame
        while owner[parent] != owner[body]:
            parent = draft.parent(parent)
    else:
        parent = frame if owner[frame] == owner[body] else body
    if parent == frame and (draft.is_below(frame, held) or draft.stay_together(frame, body)):
        return frame
    return _frame_below(draft, joint, frame, body if parent == frame else parent)


def _frame_below(draft: Draft, joint: Joint, frame: int, parent: int) -> int | None:
    """Add a child of a node at the initial pose of another; None where that is impossible."""
    if is_singular(draft.start.stretch[parent]):
        reason = f"{draft.label(parent)} has a scale of 0, so nothing below it has a position"
        draft.lose(joint.pointer, "a joint", reason, "the bodies are free")
        return None
    if draft.moves_within(frame, parent):
        reason, effect = "an animation moves it through another body", "it keeps its initial place"
        draft.lose(joint.pointer, "a frame", reason, effect)
    node = draft.add_child(parent, "joint", frame_in(draft, frame, parent))
    if not draft.stay_together(node, parent):
        reason, effect = "an animation stretches its body", "its distance from the body changes too"
        draft.lose(joint.pointer, "a frame", reason, effect)
    return node


def frame_in(draft: Draft, frame: int, body: int) -> Floats:
    """Return the initial frame of a node as a matrix (4, 4) in the space of another, unscaled."""
    place = draft.start
    facing = draft.tree.child_orientations(place.rotation[body], body)
    turn = tf.multiply(tf.conjugate(facing), place.rotation[frame])
    offset = tf.rotate(
        tf.conjugate(place.rotation[body]), place.translation[frame] - place.translation[body]
    )
    return np.asarray(tf.compose(np.linalg.solve(place.stretch[body], offset), turn))


def require_movable(draft: Draft) -> None:
    """Remove joints without effect, which OMI refuses."""
    owner, collider = draft.nearest(draft.motions), draft.nearest(draft.colliders)
    for joint in list(draft.joints.values()):
        ends = (joint.frame_a, joint.frame_b)
        kinds = [draft.motions[owner[end]].kind for end in ends if owner[end] >= 0]
        held = {owner[end] if owner[end] >= 0 else collider[end] for end in ends}
        if MotionKind.DYNAMIC not in kinds or (len(held) == 1 and held != {-1}):
            what, reason = "a joint", "OMI refuses joints without a dynamic body"
            draft.lose(joint.pointer, what, reason, "no motion changes")
            del draft.joints[joint.node]


def attach_joints_to_bodies(draft: Draft) -> None:
    """Attach every joint to two bodies, as OMI requires.

    An end in the world gets a new static body; an end below a static collider has one. Report
    joints whose own node is not on a dynamic body.
    """
    require_movable(draft)
    owner, collider = draft.nearest(draft.motions), draft.nearest(draft.colliders)

    def end(node: int) -> int:
        return node if owner[node] >= 0 or collider[node] >= 0 else add_anchor(draft, node)

    for joint in list(draft.joints.values()):
        a, b = joint.frame_a, joint.frame_b
        if owner[a] < 0 or draft.motions[owner[a]].kind is not MotionKind.DYNAMIC:
            reason = "OMI requires joints to be below dynamic bodies"
            effect = "it is written where it is, and some players refuse it"
            draft.lose(joint.pointer, "a joint on a body that forces do not move", reason, effect)
        a, b = end(a), end(b)
        draft.replace_joint(joint, node=a, frame_a=a, body_a=a, frame_b=b, body_b=b)


def add_anchor(draft: Draft, node: int, part: str = "anchor") -> int:
    """Add a static body at a node, with nothing below it that it could own."""
    anchor = draft.add_child(node, part)
    draft.motions[anchor] = Motion(node=anchor, kind=MotionKind.STATIC)
    return anchor


# --- limits ---


def per_axis(draft: Draft, limits: Iterable[Limit]) -> tuple[Limit, ...]:
    """Return limits of one axis each, no two on the same axis.

    Exact for locks, whose axes are all at 0, and for limits of one axis; a distance or a cone
    becomes the box around it. Limits that can never act are left out.
    """
    split = [part for limit in limits for part in _split(draft, limit)]
    merged: dict[tuple[tuple[int, ...], tuple[int, ...]], Limit] = {}
    for limit in split:
        key = (limit.linear_axes, limit.angular_axes)
        merged[key] = _both(draft, merged[key], limit) if key in merged else limit
    return tuple(merged.values())


def report_swings(draft: Draft, limits: Iterable[Limit], written: Iterable[Limit]) -> None:
    """Report limits about one axis that OMI, given the `written` ones, measures differently.

    Those that `per_axis` has split are reported already.
    """
    axis = swinging_axis(written)
    for limit in limits:
        if len(limit.angular_axes) != 1 or not is_angular(limit) or limit.free_axis == axis:
            continue
        if axis is None:
            what, effect = f"the swing of axis {limit.free_axis}", "it measures a twist"
        else:
            what, effect = "the twist about an axis", f"it measures the swing of axis {axis}"
        draft.lose(limit.pointer, what, _BY_NUMBER, effect)


def _split(draft: Draft, limit: Limit) -> Iterator[Limit]:
    axes = limit.linear_axes or limit.angular_axes
    if len(axes) == 1:
        yield limit
        return
    reach = _reach(draft, limit)
    if reach is None:
        return
    _report_soft(draft, limit, reach)
    each = dataclasses.replace(limit, minimum=-reach if reach else 0.0, maximum=reach)
    for axis in axes:
        if limit.linear_axes:
            yield dataclasses.replace(each, linear_axes=(axis,))
        else:
            yield dataclasses.replace(each, angular_axes=(axis,))


def _reach(draft: Draft, limit: Limit) -> float | None:
    """Return the range of every axis, None where it is free, and report losses."""
    axes, is_linear = limit.linear_axes or limit.angular_axes, bool(limit.linear_axes)
    name, unit = _NAMES[is_linear, len(axes)], "m" if is_linear else "rad"
    most = limit.maximum if is_linear or limit.maximum < math.pi else math.inf
    if limit.minimum > 0:
        effect = f"it can fall below {limit.minimum:g} {unit}"
        draft.lose(limit.pointer, f"the minimum of {name}", _PER_AXIS, effect)
    if math.isinf(most):
        return None
    if most > 0:
        corner = (math.sqrt(len(axes)) - 1) * most
        effect = f"{most:g} {unit} on every axis, up to {corner:.3g} {unit} more between them"
        draft.lose(limit.pointer, f"{name} of at most {most:g} {unit}", _PER_AXIS, effect)
    return max(most, 0.0)


def _report_soft(draft: Draft, limit: Limit, reach: float) -> None:
    """Report where springs on every axis differ from the spring of a distance or cone."""
    if math.isinf(limit.stiffness) or reach > 0:  # the latter is reported already
        return
    if limit.angular_axes:
        effect = "the same torque for small angles, and within 10 % up to 0.6 rad"
        draft.lose(limit.pointer, "the spring of a cone or total angle", _PER_AXIS, effect)
    elif limit.damping:
        effect = f"{limit.damping:g} N s/m also perpendicular to the spring"
        draft.lose(limit.pointer, "damping along a distance", _PER_AXIS, effect)


def _both(draft: Draft, a: Limit, b: Limit) -> Limit:
    """Combine two limits on one axis.

    Hard ones are intersected, and springs with the same bounds add up.
    """
    least, most = max(a.minimum, b.minimum), min(a.maximum, b.maximum)
    if math.isinf(a.stiffness) and math.isinf(b.stiffness) and least <= most:
        return dataclasses.replace(a, minimum=least, maximum=most)
    soft = math.isfinite(a.stiffness) and math.isfinite(b.stiffness)
    if soft and (a.minimum, a.maximum) == (b.minimum, b.maximum):
        stiffness, damping = a.stiffness + b.stiffness, a.damping + b.damping
        return dataclasses.replace(a, stiffness=stiffness, damping=damping)
    kept, lost = (a, b) if a.stiffness >= b.stiffness else (b, a)
    reason = "there are two on its axis, of which the later would override the other"
    effect = f"{lost.stiffness:g} N/m from {lost.minimum:g} to {lost.maximum:g} is missing"
    draft.lose(lost.pointer, "a limit", reason, effect)
    return kept
