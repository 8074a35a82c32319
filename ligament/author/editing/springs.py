"""Spring bones: chains and their colliders (VRMC_springBone 1.0)."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ligament.author import arguments
from ligament.author.editing.nodes import NodeRef
from ligament.author.editing.workspace import FIX_FIRST, Workspace
from ligament.errors import ContentError, EditError
from ligament.extensions.spring_bones.vrmc_spring_bone import EXTENDED, read_lists
from ligament.extensions.spring_bones.vrmc_spring_bone import NAME as SPRINGS
from ligament.findings import Finding
from ligament.rig import spring_problems

TAIL = 0.07
"""Distance [m] of the tip that is added to a chain of a single joint."""

FAR = [0.0, -10000.0, 0.0]
"""Position of the fallback sphere for readers without extended colliders."""


class Springs:
    """Writes chains of spring bones and their colliders."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace, self.document = workspace, workspace.document
        self.nodes = workspace.nodes

    def add(
        self,
        joints: NodeRef | Sequence[NodeRef],
        settings: dict[str, float],
        gravity: Sequence[float],
        groups: Iterable[str],
        center: NodeRef | None,
        name: str | None,
    ) -> int:
        """Add a chain; return its index."""
        numbers = {key: arguments.number(value, key, least=0) for key, value in settings.items()}
        if numbers["dragForce"] > 1:
            raise arguments.refused("the drag", numbers["dragForce"], "give 0 to 1")
        pull = np.array(arguments.vector(gravity, "the gravity"))
        power = float(np.linalg.norm(pull))
        given = {key: value for key, value in numbers.items() if value or key != "hitRadius"}
        if power:
            given |= {"gravityPower": power, "gravityDir": (pull / power).tolist()}
        known = self._groups()
        chosen = [arguments.choice(group, "a collider group", tuple(known)) for group in groups]
        held = None if center is None else self.nodes.find(center, "center")
        before = copy.deepcopy(self.document.json["nodes"])
        chain = self._chain(joints)
        extension = self._extension()
        springs = extension.setdefault("springs", [])
        spring: dict[str, Any] = {
            **({} if name is None else {"name": name}),
            "joints": [{"node": node, **given} for node in chain[:-1]] + [{"node": chain[-1]}],
            **({"colliderGroups": [known[group] for group in chosen]} if chosen else {}),
            **({} if held is None else {"center": held}),
        }
        springs.append(spring)
        fault = self._fault(f"/extensions/{SPRINGS}/springs/{len(springs) - 1}")
        if fault is not None:
            springs.pop()
            self.document.json["nodes"][:] = before
            self._drop_empty()
            raise EditError(fault.message, file=self.document.path, remedy=fault.remedy)
        self.document.use_extension(SPRINGS)
        return len(springs) - 1

    def _chain(self, joints: NodeRef | Sequence[NodeRef]) -> list[int]:
        """Return the nodes of a chain: those given, or one and its first descendants to the tip."""
        if not isinstance(joints, (str, int)):
            if not len(joints):
                raise EditError("a spring has no joints", remedy="name at least one")
            return [self.nodes.find(joint) for joint in joints]
        chain = [self.nodes.find(joints)]
        while children := self.nodes.raw[chain[-1]].get("children"):
            chain.append(int(children[0]))
        if len(chain) == 1:
            chain.append(self._tip(chain[0]))
        return chain

    def _tip(self, leaf: int) -> int:
        """Add a node beyond a leaf, in the direction from its parent."""
        world = self.nodes.matrix(leaf)
        parent = int(self.nodes.tree.parents[leaf])
        direction = world[:3, 3] - (
            self.nodes.matrix(parent)[:3, 3] if parent >= 0 else world[:3, 3]
        )
        length = float(np.linalg.norm(direction))
        ahead = direction / length * TAIL if length > 0 else np.array([0.0, -TAIL, 0.0])
        local = np.linalg.solve(world[:3, :3], ahead)
        return self.workspace.add_node(
            f"{self.nodes.name(leaf)} tip", leaf, local.tolist(), (0, 0, 0, 1)
        )

    def add_collider(
        self,
        node: NodeRef,
        radius: float,
        offset: Sequence[float],
        tail: Sequence[float] | None,
        normal: Sequence[float] | None,
        inside: bool,
        group: str,
    ) -> int:
        """Add a capsule if there is a tail, a plane if there is a normal, else a sphere."""
        index, known, owner = self.nodes.find(node), self._groups(), self._extension()
        shape: dict[str, Any] = {"offset": list(arguments.vector(offset, "the offset"))}
        if normal is not None:
            if tail is not None or radius:
                raise EditError("a plane has neither radius nor tail", remedy="leave them out")
            direction = np.array(arguments.vector(normal, "the normal"))
            if not direction.any():
                raise arguments.refused("the normal", normal, "give a direction")
            kind, shape["normal"] = "plane", (direction / np.linalg.norm(direction)).tolist()
        else:
            kind, shape["radius"] = "sphere", arguments.number(radius, "the radius", above=0)
            if tail is not None:
                kind, shape["tail"] = "capsule", list(arguments.vector(tail, "the tail"))
        collider: dict[str, Any] = {"node": index, "shape": {kind: shape}}
        if inside or kind == "plane":
            extended = {kind: shape | ({"inside": True} if inside else {})}
            collider["shape"] = {"sphere": {"offset": FAR, "radius": 0.0}}
            extension = {"specVersion": "1.0", "shape": extended}
            collider["extensions"] = {EXTENDED: extension}
            self.document.use_extension(EXTENDED)
        self.document.use_extension(SPRINGS)
        colliders = owner.setdefault("colliders", [])
        colliders.append(collider)
        groups = owner.setdefault("colliderGroups", [])
        if group in known:
            groups[known[group]].setdefault("colliders", []).append(len(colliders) - 1)
        else:
            groups.append({"name": group, "colliders": [len(colliders) - 1]})
        return len(colliders) - 1

    def _extension(self) -> dict[str, Any]:
        extensions = self.document.json.setdefault("extensions", {})
        found: dict[str, Any] = extensions.setdefault(SPRINGS, {"specVersion": "1.0"})
        return found

    def _drop_empty(self) -> None:
        extension = self._extension()
        if not extension.get("springs"):
            extension.pop("springs", None)
        if extension == {"specVersion": "1.0"}:
            del self.document.json["extensions"][SPRINGS]

    def _groups(self) -> dict[str, int]:
        """Return the collider groups by name; EditError if the extension cannot be extended."""
        try:
            groups = read_lists(self.document).collider_groups
        except ContentError as fault:
            raise EditError(
                fault.message, file=fault.file, pointer=fault.pointer, remedy=FIX_FIRST
            ) from fault
        return {group.name: i for i, group in enumerate(groups) if group.name is not None}

    def _fault(self, place: str) -> Finding | None:
        """Return the first error or warning about a spring, if any."""
        for found in spring_problems(self.document):
            is_bad = found.severity in ("error", "warning") and found.code != "SPRING_BONE_SCALE"
            if is_bad and found.pointer.startswith(place):
                return found
        return None
