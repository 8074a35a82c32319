"""Static bodies: OMI has them, KHR has static colliders only.

Within a static body a trigger does not detect a collider, and a joint to it switches off contacts
with all of its colliders. Without a body that holds on one node only.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Set
from functools import cached_property
from typing import Final, Literal, TypeAlias

import numpy as np
from msgspec import structs

from ligament import transforms as tf
from ligament.conversion.dialects.draft import SAME, Draft
from ligament.conversion.dialects.joints import add_anchor
from ligament.extensions.rigid_bodies import Joint, Motion, MotionKind, NodeGeometry
from ligament.extensions.shapes import MeshGeometry
from ligament.gltf.tree import nearest
from ligament.physics.collision.tracker import OverlapTracker
from ligament.physics.static_sides import StaticSides

Side: TypeAlias = Literal["a", "b"]
Choice: TypeAlias = Literal["frame", "collider", "child"]

SIDES: Final[tuple[Side, Side]] = ("a", "b")


# --- without static bodies ---


def free_statics(draft: Draft) -> Set[tuple[int, int]]:
    """Remove the motion of static bodies, or make it kinematic at rest where it must stay.

    It must stay if a body above would otherwise own the colliders, if its triggers would detect its
    own colliders, or if a joint would no longer switch off contacts with exactly these. Return the
    joints, with the node of their body, that need a new frame right below it.
    """
    freeing = _Freeing(draft)
    for motion in [m for m in draft.motions.values() if m.kind is MotionKind.STATIC]:
        if not freeing.free(motion.node):
            _keep(draft, motion)
    return freeing.reframed


def _keep(draft: Draft, motion: Motion) -> None:
    """Make a static body kinematic at rest; both follow animations of the nodes above."""
    still = (0.0, 0.0, 0.0)
    draft.motions[motion.node] = structs.replace(
        motion, kind=MotionKind.KINEMATIC, linear_velocity=still, angular_velocity=still
    )


class _Freeing:
    """Decides which static bodies of a draft need no motion."""

    def __init__(self, draft: Draft) -> None:
        self.draft, self.owner = draft, draft.nearest(draft.motions)
        self.reframed: set[tuple[int, int]] = set()
        self._ends: dict[int, list[tuple[Joint, Side]]] = {}
        for joint in draft.joints.values():
            for side in SIDES:
                self._ends.setdefault(self._body(joint, side), []).append((joint, side))

    def free(self, body: int) -> bool:
        """Remove the motion of a static body; return False if it must stay."""
        draft, parent = self.draft, self.draft.parent(body)
        if parent >= 0 and self.owner[parent] >= 0:
            return False
        colliders = self._colliders.get(body, frozenset())
        pairs = self._detected.get(body, frozenset())
        ends = self._ends.get(body, [])
        choices = [self._choice(joint, side, colliders) for joint, side in ends]
        if (pairs and not self._can_share(body, pairs)) or None in choices:
            return False
        holder = min(colliders, default=body)
        for trigger, collider in pairs:
            item = draft.colliders.pop(collider)
            draft.colliders[trigger] = structs.replace(item, node=trigger)
            holder = trigger
        for (joint, side), choice in zip(ends, choices, strict=True):
            self._attach(joint, side, choice, holder)
        del draft.motions[body]
        return True

    @cached_property
    def _colliders(self) -> dict[int, frozenset[int]]:
        """The colliders with a shape, by their body."""
        owned: dict[int, set[int]] = {}
        for node, collider in self.draft.colliders.items():
            if collider.geometry is not None:
                owned.setdefault(self.owner[node], set()).add(node)
        return {body: frozenset(nodes) for body, nodes in owned.items()}

    # --- triggers ---

    @cached_property
    def _detected(self) -> dict[int, frozenset[tuple[int, int]]]:
        """The triggers that would detect a collider of their own body, in pairs, by the body."""
        draft = self.draft
        mixed = {self.owner[node] for node in draft.triggers} & self._colliders.keys() - {-1}
        if not any(draft.motions[body].kind is MotionKind.STATIC for body in mixed):
            return {}
        moving = {n: m for n, m in draft.motions.items() if m.kind is not MotionKind.STATIC}
        scene = draft.build(dataclasses.replace(draft.declared, motions=moving))
        tracker = OverlapTracker(scene)
        poses = [(*b.pose.translation, *b.pose.rotation) for b in scene.bodies]
        tracker.update(0, np.array(poses))
        found: dict[int, set[tuple[int, int]]] = {}
        for overlap in tracker.take():
            trigger, collider = scene.colliders[overlap.a].node, scene.colliders[overlap.b].node
            if self.owner[trigger] == self.owner[collider] != -1:
                found.setdefault(self.owner[trigger], set()).add((trigger, collider))
        return {body: frozenset(pairs) for body, pairs in found.items()}

    def _can_share(self, body: int, pairs: Set[tuple[int, int]]) -> bool:
        """Tell whether a trigger and the collider that it would detect can be on one node."""
        ((trigger, collider), *others) = pairs
        geometry = self.draft.colliders[collider].geometry
        of_node = isinstance(geometry, NodeGeometry) or (
            isinstance(geometry, MeshGeometry) and geometry.use_node_weights
        )
        stretch = self.draft.placement.stretch
        is_alone = not others and self._colliders[body] == {collider} and not of_node
        is_alike = np.allclose(stretch[trigger], stretch[collider], rtol=SAME, atol=SAME)
        return is_alone and is_alike and self._is_same_place(trigger, collider)

    def _is_same_place(self, node: int, other: int) -> bool:
        place = self.draft.placement
        gap = np.abs(place.translation[node] - place.translation[other]).max()
        turned = float(tf.angle_between(place.rotation[node], place.rotation[other]))
        return bool(gap <= SAME and turned <= SAME and self.draft.stay_together(node, other))

    # --- joints ---

    def _body(self, joint: Joint, side: Side) -> int:
        return self.owner[joint.body_a if side == "a" else joint.body_b]

    @cached_property
    def _static_sides(self) -> StaticSides:
        """The static sides of joints in the file without its static bodies."""
        draft = self.draft
        moving = [n for n, m in draft.motions.items() if m.kind is not MotionKind.STATIC]
        shapes = {c.node: c.shape for c in draft.scene.colliders if not c.is_sensor}
        owner = nearest(draft.tree, moving)
        return StaticSides(draft.placement, owner, draft.declared.colliders, shapes.get)

    def _choice(self, joint: Joint, side: Side, wanted: Set[int]) -> Choice | None:
        """Return which node can be the frame, with contacts off with the wanted colliders only."""
        draft, sides = self.draft, self._static_sides
        frame, body = _end(joint, side)
        other = self._body(joint, "b" if side == "a" else "a")
        body = self.owner[body]
        holder = min(wanted, default=body)
        follows = draft.is_below(frame, body) or draft.stay_together(frame, body)
        collides = joint.enable_collision
        is_same = collides or {*sides.of(joint, frame, other)} == wanted
        if self.owner[frame] in (-1, body) and follows and is_same:
            return "frame"
        if draft.moves_within(frame, body) or not draft.stay_together(holder, body):
            return None
        if len(wanted) == 1 and self._is_same_place(frame, holder):
            return "collider"
        above = sides.above(holder)
        point = draft.start.translation[frame]
        is_same = collides or {*sides.beside(joint, above, point, other)} == wanted
        return "child" if is_same else None

    def _attach(self, joint: Joint, side: Side, choice: Choice | None, holder: int) -> None:
        frame, _ = _end(joint, side)
        node = frame if choice == "frame" else holder
        changes = {f"body_{side}": node}
        if choice == "child":
            self.reframed.add((joint.node, node))
        else:
            changes[f"frame_{side}"] = node
        self.draft.replace_joint(self.draft.joints[joint.node], **changes)


def _end(joint: Joint, side: Side) -> tuple[int, int]:
    """Return the nodes of the frame and of the body on a side."""
    return (joint.frame_a, joint.body_a) if side == "a" else (joint.frame_b, joint.body_b)


# --- with static bodies ---


def add_static_bodies(draft: Draft) -> None:
    """Give joints and triggers static bodies, as OMI of 2023 requires.

    A collider and a trigger on one node get a common body; the static side of a joint gets one with
    the collider whose contacts the joint switches off, or without any.
    """
    holder = _StaticBodies(draft)
    for node in sorted(draft.triggers.keys() & draft.colliders.keys()):
        holder.share(node)
    for joint in list(draft.joints.values()):
        a, b = (holder.end(joint, side) for side in SIDES)
        draft.replace_joint(joint, body_a=a, body_b=b)


class _StaticBodies:
    """Static bodies on new nodes, with one collider at most."""

    def __init__(self, draft: Draft) -> None:
        self.draft, self.owner = draft, draft.nearest(draft.motions)
        self._members = {m for trigger in draft.triggers.values() for m in trigger.nodes}
        self._of_collider: dict[int, int] = {}

    def share(self, node: int) -> None:
        """Put a static collider and a trigger on one node into one body."""
        draft, trigger = self.draft, self.draft.triggers[node]
        shapes = (draft.colliders[node].geometry, trigger.geometry)
        if self.owner[node] >= 0 or None in shapes:
            return
        if trigger.nodes or node in self._members:
            reason = "the triggers of a compound have a body of their own"
            effect = "it reports the static collider on its node, too"
            draft.lose(trigger.pointer, "a trigger beside a static collider", reason, effect)
            return
        body = self._with(node)
        draft.triggers[body] = structs.replace(draft.triggers.pop(node), node=body)

    def _with(self, collider: int) -> int:
        """Return the static body of a collider, which becomes its only one."""
        if collider not in self._of_collider:
            draft = self.draft
            body = self._of_collider[collider] = add_anchor(draft, collider, "body")
            draft.colliders[body] = structs.replace(draft.colliders.pop(collider), node=body)
        return self._of_collider[collider]

    def end(self, joint: Joint, side: Side) -> int:
        """Return the node of the body on a side of a joint."""
        frame, _ = _end(joint, side)
        if self.owner[frame] >= 0:
            return frame
        off = self._switched_off.get(joint.node, frozenset())
        if len(off) == 1 and self.draft.stay_together(frame, min(off)):
            return self._with(min(off))
        if off:
            names = ", ".join(map(self.draft.label, sorted(off)))
            what, reason = "a static side of a joint", "it must be one body, and not move in it"
            self.draft.lose(joint.pointer, what, reason, f"the body collides with {names}")
        return add_anchor(self.draft, frame)

    @cached_property
    def _switched_off(self) -> Mapping[int, frozenset[int]]:
        """The static colliders whose contacts each joint switches off, by the joint's node."""
        scene = self.draft.scene
        pairs = {joint.node: {i for pair in joint.ignores for i in pair} for joint in scene.joints}
        return {
            node: frozenset(scene.bodies[i].node for i in bodies if not scene.bodies[i].is_declared)
            for node, bodies in pairs.items()
        }
