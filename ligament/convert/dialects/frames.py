"""Joint frames on nodes of their bodies, and bodies for joints that hold on to the world."""

from __future__ import annotations

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.convert.dialects.draft import Draft
from ligament.extensions.declarations import Joint, Motion, MotionKind
from ligament.physics.shapes import is_singular


def hang_frames(draft: Draft) -> None:
    """Give every joint frame a node that belongs to the body that it is fixed to.

    In 2023 a joint named its bodies; in all other dialects the place in the tree says it.
    """
    owner, collider = draft.nearest(draft.motions), draft.nearest(draft.colliders)

    def belongs(frame: int, body: int) -> bool:
        return owner[frame] == owner[body] and (
            owner[body] >= 0 or collider[frame] == collider[body]
        )

    for joint in list(draft.joints.values()):
        if joint.frame_a == joint.body_a and joint.frame_b == joint.body_b:
            continue
        a, b = (
            frame if belongs(frame, body) else _frame_below(draft, joint, frame, body)
            for frame, body in ((joint.frame_a, joint.body_a), (joint.frame_b, joint.body_b))
        )
        if a is None or b is None:
            del draft.joints[joint.node]
            continue
        draft.replace_joint(joint, node=a, frame_a=a, body_a=a, frame_b=b, body_b=b)


def _frame_below(draft: Draft, joint: Joint, frame: int, body: int) -> int | None:
    """Add a child of a body's node at the pose of another node; None where it has no place."""
    stretch = draft.placement.stretch[body]
    if is_singular(stretch):
        reason = f"{draft.label(body)} has a scale of 0, below which nothing has a place"
        draft.lose(joint.pointer, "a joint", reason, "the bodies are free")
        return None
    _tell_animated(draft, joint, frame, body)
    return draft.add_child(body, "joint", frame_in(draft, frame, body))


def _tell_animated(draft: Draft, joint: Joint, frame: int, body: int) -> None:
    apart = draft.line(frame) ^ draft.line(body)
    if (apart | {body}) & draft.driven:
        effect = "none if the animation starts in the rest pose"
        draft.lose(joint.pointer, "a frame", "an animation moves it to its body", effect)


def frame_in(draft: Draft, frame: int, body: int) -> Floats:
    """Return the frame of one node as a matrix (4, 4) in the space of another, without scale."""
    place = draft.placement
    turn = tf.multiply(tf.conjugate(place.rotation[body]), place.rotation[frame])
    offset = tf.rotate(
        tf.conjugate(place.rotation[body]), place.translation[frame] - place.translation[body]
    )
    return np.asarray(tf.compose(np.linalg.solve(place.stretch[body], offset), turn))


def give_bodies(draft: Draft, *, below_dynamic: bool = True) -> None:
    """Let every joint hold on to two bodies, as OMI demands; what cannot hold is left out.

    An end in the world gets a static body of its own; an end on a static collider has one.
    `below_dynamic` tells of joints whose own node forces do not move.
    """
    owner, collider = draft.nearest(draft.motions), draft.nearest(draft.colliders)

    def holder(node: int) -> int:
        return owner[node] if owner[node] >= 0 else collider[node]

    def kind(node: int) -> MotionKind:
        return draft.motions[owner[node]].kind if owner[node] >= 0 else MotionKind.STATIC

    for joint in list(draft.joints.values()):
        a, b = joint.frame_a, joint.frame_b
        kinds = (kind(a), kind(b))
        if MotionKind.DYNAMIC not in kinds or (holder(a) == holder(b) >= 0):
            what, reason = "a joint", "OMI refuses joints that hold nothing that forces move"
            draft.lose(joint.pointer, what, reason, "none on any motion")
            del draft.joints[joint.node]
            continue
        if below_dynamic and kinds[0] is not MotionKind.DYNAMIC:
            reason = "OMI wants joints below dynamic bodies"
            effect = "it is written where it is, and some players refuse it"
            draft.lose(joint.pointer, "a joint on what forces do not move", reason, effect)
        a = a if holder(a) >= 0 else _anchor(draft, a)
        b = b if holder(b) >= 0 else _anchor(draft, b)
        draft.replace_joint(joint, node=a, frame_a=a, body_a=a, frame_b=b, body_b=b)


def _anchor(draft: Draft, node: int) -> int:
    """Add a static body at a node, with nothing below it that it could own."""
    anchor = draft.add_child(node, "anchor")
    draft.motions[anchor] = Motion(node=anchor, kind=MotionKind.STATIC)
    return anchor
