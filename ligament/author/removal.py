"""Taking parts off nodes, with or without what depends on them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from ligament.author.nodes import NodeRef
from ligament.author.workspace import Workspace
from ligament.extensions.humanoid import vrmc_vrm
from ligament.extensions.physics.rigid_bodies.joints import DriveType
from ligament.extensions.vrmc_node_constraint import NAME as CONSTRAINT


class Remover(Workspace):
    """Removes parts; where others need them it refuses and names those, or takes them along.

    No index of a node changes. Materials, shapes and the like that nothing uses any more go.
    """

    def remove_body(self, node: NodeRef, *, cascade: bool = False) -> None:
        """Make a body part of what is above it, or static; `cascade` removes its joints too."""
        index = self._nodes.find(node)
        if self._parts.on(index, "motion") is None:
            raise self._without(index, "body")
        joints = self._bodies.joints_of(index)
        if not cascade:
            self._refuse_if_needed(index, "body", joints)
        for joint in joints:
            self.remove_joint(joint)
        self._parts.take(index, "motion")

    def remove_collider(self, node: NodeRef, *, below: bool = False, cascade: bool = False) -> None:
        """Take a solid shape away, `below` all at and below a node, as of what was decomposed.

        `cascade` also removes a body that has its mass from them alone.
        """
        index = self._nodes.find(node)
        looked_at = self._nodes.downward(index) if below else (index,)
        gone = {n for n in looked_at if self._parts.on(n, "collider") is not None}
        if not gone:
            raise self._without(index, "collider")
        needing = [b for b in {self._bodies.owner(n) for n in gone} if self._needs(b, gone)]
        if needing and not cascade:
            message = f"the body on {self._nodes.label(needing[0])} has its mass from this alone"
            raise self._nodes.error(message, "give it a mass, or use cascade=True")
        for body in needing:
            self.remove_body(body, cascade=True)
        for carrier in sorted(gone):
            self._parts.take(carrier, "collider")

    def _needs(self, body: int, colliders: set[int]) -> bool:
        """Tell whether a body has its mass from some colliders alone."""
        if not self._bodies.lives_by_volume(body):
            return False
        others = (piece for piece in self._bodies.pieces(body) if piece.node not in colliders)
        return not self._bodies.has_volume(others)

    def remove_trigger(self, node: NodeRef, *, cascade: bool = False) -> None:
        """Take a trigger away; `cascade` also out of the compounds that name it."""
        index = self._nodes.find(node)
        if self._parts.on(index, "trigger") is None:
            raise self._without(index, "trigger")
        compounds = [n for n in self._parts.nodes_with("trigger") if index in self._members(n)]
        if not cascade:
            self._refuse_if_needed(index, "trigger", compounds)
        for compound in compounds:
            left = [member for member in self._members(compound) if member != index]
            if left:
                self._parts.put(compound, "trigger", {"nodes": left})
            else:
                self._parts.take(compound, "trigger")
        self._parts.take(index, "trigger")

    def remove_joint(self, node: NodeRef) -> None:
        """Take a joint away. Its frames stay as empty nodes, unless they are the last ones."""
        index = self._nodes.find(node, "joint")
        joint = self._parts.on(index, "joint")
        if joint is None:
            raise self._without(index, "joint")
        frames = {index, joint["connectedNode"]}
        self._parts.take(index, "joint")
        while (
            self._nodes.raw and (last := len(self._nodes.raw) - 1) in frames and self._is_bare(last)
        ):
            self._nodes.drop_last()

    def remove_drive(
        self,
        joint: NodeRef,
        type: DriveType,  # noqa: A002  (the name that files have for it)
        axis: Literal[0, 1, 2],
    ) -> None:
        """Take a drive off a joint; other joints of the same description keep theirs."""
        node = self._nodes.find(joint, "joint")
        part = self._parts.on(node, "joint")
        if part is None:
            raise self._without(node, "joint")
        before = self._parts.shared("physicsJoints", part["joint"])
        drives = before.get("drives", [])
        left = [drive for drive in drives if (drive["type"], drive["axis"]) != (type, axis)]
        if len(left) == len(drives):
            had = ", ".join(f"{drive['type']} {drive['axis']}" for drive in drives)
            message = f"{self._nodes.label(node)} has no drive on {type} axis {axis!r}"
            raise self._nodes.error(message, f"it has {had}" if had else "it has none")
        changed = {name: value for name, value in before.items() if name != "drives"}
        changed |= {"drives": left} if left else {}
        index = part["joint"]
        part["joint"] = self._parts.share("physicsJoints", changed)
        self._parts.release("physicsJoints", index)

    def remove_humanoid(self, *, cascade: bool = False) -> None:
        """Let no node be a bone any more; `cascade` removes what else VRMC_vrm says, too."""
        vrm = self._document.extension(vrmc_vrm.NAME)
        if vrm is None:
            raise self._nodes.error("there is no humanoid (VRMC_vrm)", "add one (set_humanoid)")
        others = [name for name in vrm if name not in ("specVersion", "meta", "humanoid")]
        if others and not cascade:
            message = f"{', '.join(others)} of the avatar need its humanoid"
            raise self._nodes.error(message, "use cascade=True to remove these too")
        del self._document.json["extensions"][vrmc_vrm.NAME]
        if not self._document.json["extensions"]:
            del self._document.json["extensions"]
        self._parts.disuse(vrmc_vrm.NAME)

    def remove_constraint(self, node: NodeRef) -> None:
        """Let a node no longer follow another."""
        index = self._nodes.find(node)
        raw = self._nodes.raw[index]
        if not self._bodies.is_constrained(index):
            message = f"{self._nodes.label(index)} has no constraint"
            raise self._nodes.error(message, "name a node that follows another")
        del raw["extensions"][CONSTRAINT]
        if not raw["extensions"]:
            del raw["extensions"]
        if not any(self._bodies.is_constrained(n) for n in range(len(self._nodes.raw))):
            self._parts.disuse(CONSTRAINT)

    def _members(self, node: int) -> list[int]:
        trigger = self._parts.on(node, "trigger") or {}
        members: list[int] = trigger.get("nodes", [])
        return members

    def _refuse_if_needed(self, node: int, what: str, users: Iterable[int]) -> None:
        shown = [self._nodes.label(user) for user in users]
        if shown:
            message = f"the {what} on {self._nodes.label(node)} is needed by {', '.join(shown)}"
            raise self._nodes.error(message, "remove that first, or use cascade=True")

    def _is_bare(self, node: int) -> bool:
        """Tell whether a node is nothing but a place, which nothing names."""
        raw = self._nodes.raw[node]
        is_plain = raw.keys() <= {"name", "translation", "rotation"} and raw.get("name")
        joints = (self._parts.on(n, "joint") or {} for n in self._parts.nodes_with("joint"))
        return bool(is_plain) and all(joint.get("connectedNode") != node for joint in joints)
