"""Nodes for bodies, colliders and joints, which cannot share one in OMI of 2023."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.conversion.dialects.draft import Draft
from ligament.conversion.normalize.contents import INSTANCING, role_of
from ligament.extensions.rigid_bodies import Collider, Joint, Trigger
from ligament.gltf import pointers
from ligament.gltf.references import Reference, references

_VISIBLE = ("mesh", "skin", "weights", "camera")
_LIGHT = "KHR_lights_punctual"


class Place(NamedTuple):
    """The new node of a shape or of a compound trigger."""

    node: int
    item: Collider | Trigger


class Places:
    """Finds unoccupied nodes, and adds some where there are none."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.owner = draft.nearest(draft.motions)
        self._taken: set[int] = set(draft.motions)
        self._members: dict[int, int] = {}

    def joint(self, joint: Joint) -> int:
        """Return the node of a joint: that of a frame if it holds nothing else, or a child."""
        node, draft = self._frame(joint), self.draft
        shaped = node in draft.colliders or node in draft.triggers
        if self._is_free(node) and not shaped:
            self._taken.add(node)
            return node
        return self._child(node, "joint")

    def _frame(self, joint: Joint) -> int:
        """Return the frame whose node moves in both bodies as the two frames do."""
        sides = [
            (joint.frame_a, self.owner[joint.body_a]),
            (joint.frame_b, self.owner[joint.body_b]),
        ]
        moves = self.draft.moves_within
        for node, _ in sides:
            if all(
                node == frame or not (moves(frame, body) or moves(node, body))
                for frame, body in sides
            ):
                return node
        reason, effect = "a joint has one frame", "an animation moves it on the other body, or not"
        self.draft.lose(joint.pointer, "a frame on each body", reason, effect)
        return joint.frame_a

    def compounds(self) -> Iterator[Place]:
        """Yield a trigger body for every compound trigger; members become its children."""
        for trigger in list(self.draft.triggers.values()):
            if not trigger.nodes:
                continue
            host = self._child(trigger.node, "trigger")
            adopted = [self._adopt(trigger, leaf, host) for leaf in self._leaves(trigger)]
            if any(adopted):
                yield Place(host, trigger)

    def shapes(self) -> Iterator[Place]:
        """Yield a node for every collider and every trigger with a shape."""
        items: list[Collider | Trigger] = [*self.draft.colliders.values()]
        for item in [*items, *self.draft.triggers.values()]:
            if item.geometry is None:
                continue
            if isinstance(item, Trigger) and item.node in self._members:
                yield Place(self._below(self._members[item.node], item), item)
            else:
                yield Place(self._of_body(item), item)

    def move_visible(self) -> None:
        """Move meshes and cameras from the nodes of bodies, joints and shapes to new nodes."""
        draft, moved = self.draft, dict[int, int]()
        for node in sorted(self._taken):
            raw = draft.nodes[node]
            if any(name in raw for name in _VISIBLE):
                moved[node] = draft.add_child(node, "mesh")
                child = draft.nodes[moved[node]]
                child |= {name: raw.pop(name) for name in _VISIBLE if name in raw}
                if INSTANCING in raw.get("extensions", {}):
                    child["extensions"] = {INSTANCING: raw["extensions"].pop(INSTANCING)}
        for reference in list(references(draft.document)) if moved else ():
            if reference.target == "/nodes" and _is_visible(reference):
                reference.point_to(moved.get(reference.index, reference.index))

    def _is_free(self, node: int) -> bool:
        raw = self.draft.nodes[node]
        is_visible = any(name in raw for name in _VISIBLE) or _LIGHT in raw.get("extensions", {})
        return node not in self._taken and not is_visible

    def _child(self, node: int, part: str, place: Floats | None = None) -> int:
        index = self.draft.add_child(node, part, place)
        self.owner.append(self.owner[node])
        self._taken.add(index)
        return index

    def _of_body(self, item: Collider | Trigger) -> int:
        """Return a direct child of the body that owns a shape, or a node that stays static."""
        node, body = item.node, self.owner[item.node]
        part = "trigger" if isinstance(item, Trigger) else "collider"
        if body == node:
            return self._child(node, part)
        if self._is_free(node) and (body < 0 or self.draft.parent(node) == body):
            self._taken.add(node)
            return node
        place = None if body < 0 else self._path(node, body)
        if place is not None:
            return self._child(body, part, place)
        if body < 0:
            return self._child(node, part)
        reason, effect = "its place below the body is animated or sheared", "some players ignore it"
        self.draft.lose(item.pointer, f"a {part} right below its body", reason, effect)
        return self._child(node, part)

    def _leaves(self, trigger: Trigger) -> list[int]:
        """List the triggers with a shape at and below a compound, each once."""
        triggers, reached = self.draft.triggers, dict.fromkeys([trigger.node])
        waiting = [trigger.node]
        while waiting:
            members = [m for m in triggers[waiting.pop()].nodes if m in triggers]
            for member in (m for m in members if m not in reached):
                reached[member] = None
                waiting.append(member)
                if triggers[member].nodes:
                    reason, effect = "compounds do not nest there", "its members report separately"
                    self.draft.lose(trigger.pointer, f"compound {member} in it", reason, effect)
        return [node for node in reached if triggers[node].geometry is not None]

    def _adopt(self, trigger: Trigger, leaf: int, host: int) -> bool:
        """Make a trigger a member of a compound, if it can move to a child of it."""
        is_fixed = self.owner[leaf] == self.owner[trigger.node]
        if leaf not in self._members and is_fixed and self._path(leaf, trigger.node) is not None:
            self._members[leaf] = host
            return True
        reason = "it must be a child of one compound, and not move in it"
        effect = "it reports by itself, not for the compound"
        self.draft.lose(trigger.pointer, f"member {leaf} of a trigger", reason, effect)
        return False

    def _below(self, host: int, item: Trigger) -> int:
        return self._child(host, "part", self._path(item.node, self.draft.parent(host)))

    def _path(self, node: int, above: int) -> Floats | None:
        """Return the matrix (4, 4) from a node to one above; None if it moves or shears."""
        matrix = np.eye(4)
        while node != above:
            if node < 0 or node in self.draft.driven:
                return None
            matrix, node = self.draft.local(node) @ matrix, self.draft.parent(node)
        again = tf.compose(*tf.decompose(matrix))
        is_whole = np.allclose(again, matrix, rtol=0, atol=1e-9 * np.abs(matrix).max())
        return matrix if is_whole else None


def _is_visible(reference: Reference) -> bool:
    """Tell whether a reference to a node targets its mesh."""
    if reference.is_pointer:
        members = pointers.split(reference.holder[reference.key])[2:]
        return members[:1] == ["weights"] or INSTANCING in members
    return role_of(reference) == "mesh"
