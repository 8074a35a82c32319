"""Bodies of OMI that do not move, for dialects in which that means not to be a body."""

from __future__ import annotations

from msgspec import structs

from ligament.convert.dialects.draft import Draft
from ligament.extensions.declarations import Motion, MotionKind
from ligament.gltf import pointers

_ROLES = {
    "character": "a character, kinematic now",
    "vehicle": "a vehicle, dynamic now",
}


def free_statics(draft: Draft) -> None:
    """Take the motion off static bodies, or make them kinematic at rest where it must stay.

    It must where a body above would own their colliders, and where a joint that holds on to one
    would no longer know which of several colliders belong to it.
    """
    owner = draft.nearest(draft.motions)
    held = _held(draft, owner)
    for node, motion in list(draft.motions.items()):
        if motion.kind is not MotionKind.STATIC:
            continue
        parent = draft.parent(node)
        if node in held or (parent >= 0 and owner[parent] >= 0):
            _keep(draft, motion)
        else:
            del draft.motions[node]


def _held(draft: Draft, owner: list[int]) -> set[int]:
    """Let joints hold on to the only collider of a static body; return bodies that have more."""
    owned: dict[int, list[int]] = {}
    for node in draft.colliders:
        owned.setdefault(owner[node], []).append(node)
    collider = draft.nearest(draft.colliders)
    held = set()

    def end(node: int) -> int:
        body = owner[node]
        is_static = body >= 0 and draft.motions[body].kind is MotionKind.STATIC
        if is_static and collider[node] != body and len(owned.get(body, ())) > 1:
            held.add(body)
        only = owned.get(body, []) if is_static else []
        return only[0] if len(only) == 1 else node

    for joint in list(draft.joints.values()):
        draft.replace_joint(joint, body_a=end(joint.body_a), body_b=end(joint.body_b))
    return held


def _keep(draft: Draft, motion: Motion) -> None:
    """Let a static body be one that goes nowhere, which an animation above it does not carry."""
    if draft.line(motion.node) & draft.driven:
        reason = "the dialect has no static bodies"
        effect = "it is kinematic, and does not follow the animation of the nodes above"
        draft.lose(motion.pointer, "a static body", reason, effect)
    still = (0.0, 0.0, 0.0)
    draft.motions[motion.node] = structs.replace(
        motion, kind=MotionKind.KINEMATIC, linear_velocity=still, angular_velocity=still
    )


def tell_roles(draft: Draft) -> None:
    """Tell of the types of 2023 that have no name in other dialects."""
    for motion in draft.motions.values():
        raw = pointers.find(draft.original.json, f"{motion.pointer}/type")
        if isinstance(raw, str) and raw in _ROLES:
            effect = "players that steer such bodies themselves do not know it"
            draft.lose(
                f"{motion.pointer}/type", _ROLES[raw], "the dialect has no such type", effect
            )
