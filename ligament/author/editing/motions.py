"""Rigid bodies: the `motion` member of nodes, and its preconditions."""

from __future__ import annotations

from ligament.author.editing.bodies import WORLD
from ligament.author.editing.colliders import Solid
from ligament.author.editing.nodes import NodeRef
from ligament.author.editing.serialization import Object
from ligament.author.editing.workspace import Workspace
from ligament.errors import EditError
from ligament.extensions.rigid_bodies import MotionKind


class Motions:
    """Checks and writes motions."""

    def __init__(self, workspace: Workspace) -> None:
        self.nodes, self.parts, self.bodies = workspace.nodes, workspace.parts, workspace.bodies

    def free_node(self, node: NodeRef) -> int:
        """Return the index of a node; raise EditError if it has a body already."""
        index = self.nodes.find(node)
        if self.parts.on(index, "motion") is not None:
            message = f"{self.nodes.label(index)} has a body already"
            raise self.nodes.error(message, "remove it first (remove_body)")
        return index

    def require_allowed(
        self, node: int, kind: MotionKind, motion: Object, solid: Solid | None
    ) -> None:
        """Refuse a motion that the node cannot have; `solid` is a collider to be written too."""
        if kind is MotionKind.STATIC:
            self._require_static(node, motion)
        else:
            self._require_movable(node, motion, solid)

    def _require_static(self, node: int, motion: Object) -> None:
        if motion:
            message = f"a static body has no {', '.join(motion)}"
            raise EditError(message, remedy='leave it out, or use kind="kinematic"')
        owner = self.bodies.owner(node)
        if owner != WORLD:
            message = f"{self.nodes.label(node)} moves with the body on {self.nodes.label(owner)}"
            raise self.nodes.error(message, "move it out of that subtree")

    def _require_movable(self, node: int, motion: Object, solid: Solid | None) -> None:
        is_dynamic = "isKinematic" not in motion
        if is_dynamic and self.bodies.is_constrained(node):
            message = f"{self.nodes.label(node)} is driven by a node constraint"
            raise self.nodes.error(message, 'use kind="kinematic", or remove the constraint')
        needs_volume = is_dynamic and "mass" not in motion
        if needs_volume and not self._has_volume(node, solid):
            message = f"{self.nodes.label(node)} has no mass, and no solid shape to compute it from"
            raise self.nodes.error(message, "give mass, or add a collider first")
        self._require_volume_above(node)
        self._require_joints_hold(node, motion)

    def _has_volume(self, node: int, solid: Solid | None) -> bool:
        """Tell whether the colliders of a body, with the new one, give it a mass."""
        if solid is not None and any(piece.volume > 0 for piece in solid.pieces):
            return True
        return self.bodies.volume(node) > 0

    def _require_volume_above(self, node: int) -> None:
        """Refuse a body that takes the last volume from an ancestor whose mass depends on it."""
        owner = self.bodies.owner(node)
        if not self.bodies.needs_volume(owner):
            return
        own = self.bodies.volume(node)
        if own > 0 and self.bodies.volume(owner) <= own:
            message = f"the body on {self.nodes.label(owner)} gets its mass only from this"
            raise self.nodes.error(message, "give that body a mass first")

    def _require_joints_hold(self, node: int, motion: Object) -> None:
        """Refuse a body that would make a joint at or below it useless."""
        if not (self.nodes.raw[node].get("children") or self.parts.on(node, "joint")):
            return
        before = set(self.bodies.useless_joints())
        self.parts.put(node, "motion", motion)
        idle = [n for n in self.bodies.useless_joints() if n not in before]
        self.parts.take(node, "motion")
        if idle:
            shown = ", ".join(self.nodes.label(n) for n in idle)
            raise self.nodes.error(f"{shown} would no longer join anything", "remove it first")
