"""Removal of parts from nodes, with or without their dependents."""

from __future__ import annotations

from collections.abc import Iterable

from ligament.author.editing.nodes import NodeRef
from ligament.author.editing.workspace import Workspace
from ligament.extensions.humanoid import vrmc_vrm
from ligament.extensions.rigid_bodies.joint import DriveType
from ligament.extensions.vrmc_node_constraint import NAME as CONSTRAINT


class Removal:
    """Removes parts; refuses if others depend on them, and names those, or removes them too.

    Node indices do not change. Shared materials, shapes and the like are removed with their last
    use.
    """

    def __init__(self, workspace: Workspace) -> None:
        self.workspace, self.document = workspace, workspace.document
        self.nodes, self.parts, self.bodies = workspace.nodes, workspace.parts, workspace.bodies

    def body(self, node: NodeRef, *, cascade: bool) -> None:
        """Remove the motion of a node; `cascade` removes the joints of the body too."""
        index = self.nodes.find(node)
        if self.parts.on(index, "motion") is None:
            raise self.workspace.missing(index, "body")
        joints = self.bodies.joints_of(index)
        if not cascade:
            self._refuse_if_needed(index, "body", joints)
        for joint in joints:
            self.joint(joint)
        self.parts.take(index, "motion")

    def collider(self, node: NodeRef, *, below: bool, cascade: bool) -> None:
        """Remove a collider, with `below` all at and below a node.

        `cascade` also removes a body whose mass comes only from them.
        """
        index = self.nodes.find(node)
        looked_at = self.nodes.downward(index) if below else (index,)
        gone = {n for n in looked_at if self.parts.on(n, "collider") is not None}
        if not gone:
            raise self.workspace.missing(index, "collider")
        needing = [b for b in {self.bodies.owner(n) for n in gone} if self._needs(b, gone)]
        if needing and not cascade:
            message = f"the body on {self.nodes.label(needing[0])} gets its mass only from this"
            raise self.nodes.error(message, "give it a mass, or use cascade=True")
        for body in needing:
            self.body(body, cascade=True)
        for carrier in sorted(gone):
            self.parts.take(carrier, "collider")

    def _needs(self, body: int, colliders: set[int]) -> bool:
        """Tell whether the mass of a body comes only from the given colliders."""
        if not self.bodies.needs_volume(body):
            return False
        others = (piece for piece in self.bodies.pieces(body) if piece.node not in colliders)
        return not self.bodies.has_volume(others)

    def trigger(self, node: NodeRef, *, cascade: bool) -> None:
        """Remove a trigger; `cascade` also removes it from the compounds that name it."""
        index = self.nodes.find(node)
        if self.parts.on(index, "trigger") is None:
            raise self.workspace.missing(index, "trigger")
        compounds = [n for n in self.parts.nodes_with("trigger") if index in self._members(n)]
        if not cascade:
            self._refuse_if_needed(index, "trigger", compounds)
        for compound in compounds:
            left = [member for member in self._members(compound) if member != index]
            if left:
                self.parts.put(compound, "trigger", {"nodes": left})
            else:
                self.parts.take(compound, "trigger")
        self.parts.take(index, "trigger")

    def joint(self, node: NodeRef) -> None:
        """Remove a joint, and its frames if they are the last nodes."""
        index = self.nodes.find(node, "joint")
        joint = self.parts.on(index, "joint")
        if joint is None:
            raise self.workspace.missing(index, "joint")
        frames = {index, joint["connectedNode"]}
        self.parts.take(index, "joint")
        while (
            self.nodes.raw and (last := len(self.nodes.raw) - 1) in frames and self._is_bare(last)
        ):
            self.nodes.drop_last()

    def drive(self, joint: NodeRef, kind: DriveType, axis: int) -> None:
        """Remove a drive from the description of one joint."""
        node = self.nodes.find(joint, "joint")
        part = self.parts.on(node, "joint")
        if part is None:
            raise self.workspace.missing(node, "joint")
        before = self.parts.shared("physicsJoints", part["joint"])
        drives = before.get("drives", [])
        left = [drive for drive in drives if (drive["type"], drive["axis"]) != (kind, axis)]
        if len(left) == len(drives):
            had = ", ".join(f"{drive['type']} {drive['axis']}" for drive in drives)
            message = f"{self.nodes.label(node)} has no drive on {kind} axis {axis!r}"
            raise self.nodes.error(message, f"it has {had}" if had else "it has none")
        changed = {name: value for name, value in before.items() if name != "drives"}
        changed |= {"drives": left} if left else {}
        index = part["joint"]
        part["joint"] = self.parts.share("physicsJoints", changed)
        self.parts.release("physicsJoints", index)

    def humanoid(self, *, cascade: bool) -> None:
        """Remove the humanoid; `cascade` removes the rest of VRMC_vrm too."""
        vrm = self.document.extension(vrmc_vrm.NAME)
        if vrm is None:
            raise self.nodes.error("there is no humanoid (VRMC_vrm)", "add one (set_humanoid)")
        others = [name for name in vrm if name not in ("specVersion", "meta", "humanoid")]
        if others and not cascade:
            message = f"{', '.join(others)} of the avatar need its humanoid"
            raise self.nodes.error(message, "use cascade=True to remove these too")
        del self.document.json["extensions"][vrmc_vrm.NAME]
        if not self.document.json["extensions"]:
            del self.document.json["extensions"]
        self.parts.drop_extension(vrmc_vrm.NAME)

    def constraint(self, node: NodeRef) -> None:
        """Remove the constraint of a node."""
        index = self.nodes.find(node)
        raw = self.nodes.raw[index]
        if not self.bodies.is_constrained(index):
            message = f"{self.nodes.label(index)} has no constraint"
            raise self.nodes.error(message, "name a node with a constraint")
        del raw["extensions"][CONSTRAINT]
        if not raw["extensions"]:
            del raw["extensions"]
        if not any(self.bodies.is_constrained(n) for n in range(len(self.nodes.raw))):
            self.parts.drop_extension(CONSTRAINT)

    def _members(self, node: int) -> list[int]:
        trigger = self.parts.on(node, "trigger") or {}
        members: list[int] = trigger.get("nodes", [])
        return members

    def _refuse_if_needed(self, node: int, what: str, users: Iterable[int]) -> None:
        shown = [self.nodes.label(user) for user in users]
        if shown:
            message = f"the {what} on {self.nodes.label(node)} is needed by {', '.join(shown)}"
            raise self.nodes.error(message, "remove that first, or use cascade=True")

    def _is_bare(self, node: int) -> bool:
        """Tell whether a node is an empty transform that no joint refers to."""
        raw = self.nodes.raw[node]
        is_plain = raw.keys() <= {"name", "translation", "rotation"} and raw.get("name")
        joints = (self.parts.on(n, "joint") or {} for n in self.parts.nodes_with("joint"))
        return bool(is_plain) and all(joint.get("connectedNode") != node for joint in joints)
