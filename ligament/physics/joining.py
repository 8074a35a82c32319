"""Joints of a scene: where their frames hang, and which contacts they switch off."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import product

from ligament.extensions import declarations as declared
from ligament.extensions.declarations import MotionKind, Physics
from ligament.findings import Finding, Severity
from ligament.gltf.tree import NodeTree, nearest
from ligament.physics.holders import WORLD, Holders
from ligament.physics.scene import Frame, Joint

SEVERITIES: dict[str, Severity] = {
    "PHYSICS_JOINT_SAME_BODY": "warning",
    "PHYSICS_JOINT_WITHOUT_MOTION": "warning",
    "PHYSICS_JOINT_OUTSIDE_SCENE": "warning",
}
"""Severity of every code about joints that can do nothing."""


class Joiner:
    """Attaches the joints of a file to the bodies of a scene."""

    def __init__(self, physics: Physics, holders: Holders, tree: NodeTree) -> None:
        self.physics, self.holders, self.tree = physics, holders, tree
        self.nearest_collider = nearest(tree, physics.colliders)
        self.findings: list[Finding] = []

    def joints(self, taking_part: frozenset[int]) -> Iterator[Joint]:
        """Yield the joints that hold something; the findings tell of the others."""
        for joint in self.physics.joints.values():
            outside = {joint.body_a, joint.frame_a, joint.body_b, joint.frame_b} - taking_part
            if outside:
                names = ", ".join(self.tree.label(node) for node in sorted(outside))
                message = f"{names} is not in the scene, so the joint holds nothing"
                self._find("OUTSIDE_SCENE", joint, message, "join nodes of one scene")
                continue
            a = self._frame(joint.frame_a, joint.body_a)
            b = self._frame(joint.frame_b, joint.body_b)
            if self._is_useful(joint, a, b):
                yield Joint(
                    node=joint.node,
                    a=a,
                    b=b,
                    limits=joint.limits,
                    drives=joint.drives,
                    ignores=() if joint.enable_collision else self._ignored(a, b),
                )

    def _frame(self, node: int, body_node: int) -> Frame:
        """Attach a node's frame to the body of another node (mostly the same node)."""
        holders = self.holders
        owner = int(holders.owner[body_node])
        if owner >= 0:
            body, holder = holders.body_at[owner], owner
        else:
            holder = self._static_holder(body_node)
            body = holders.of_static(holder)
        if owner >= 0 and owner == holders.owner[node]:
            pose = holders.held.of(node)
        else:
            pose = holders.placement.within(node, holders.bodies[body].pose)
        return Frame(node=node, body=body, pose=pose, moves=holders.moves_within(node, holder))

    def _static_holder(self, node: int) -> int:
        """Return the node of the static object that a frame belongs to (or the world's)."""
        collider = int(self.nearest_collider[node])
        if collider >= 0 and self.holders.owner[collider] < 0:
            return collider
        return node if self.holders.nearest_driven[node] >= 0 else WORLD

    def _is_useful(self, joint: declared.Joint, a: Frame, b: Frame) -> bool:
        bodies = self.holders.bodies
        if a.body == b.body and bodies[a.body].kind is MotionKind.DYNAMIC:
            message = f"both ends belong to {self.tree.label(bodies[a.body].node)}"
            self._find("SAME_BODY", joint, message, "join two bodies")
            return False
        if MotionKind.DYNAMIC not in (bodies[a.body].kind, bodies[b.body].kind):
            message = "neither end can be moved by forces, so the joint does nothing"
            self._find("WITHOUT_MOTION", joint, message, "give one end a motion")
            return False
        return True

    def _ignored(self, a: Frame, b: Frame) -> tuple[tuple[int, int], ...]:
        """Pair the bodies that a joint keeps from colliding: all static colliders below count."""
        pairs = product(self._pieces(a), self._pieces(b))
        return tuple((one, other) for one, other in pairs if one != other)

    def _pieces(self, frame: Frame) -> list[int]:
        """List the bodies of the object that a frame belongs to."""
        body = self.holders.bodies[frame.body]
        return [frame.body] if body.is_declared else self.static_pieces.get(body.node, [frame.body])

    @cached_property
    def static_pieces(self) -> dict[int, list[int]]:
        """List, for every static collider, the bodies of all static colliders at and below it."""
        pieces: dict[int, list[int]] = {}
        for node in self.physics.colliders:
            body = self.holders.body_at.get(node)
            if body is None or self.holders.bodies[body].is_declared:
                continue
            above = node
            while above >= 0:
                pieces.setdefault(above, []).append(body)
                parent = int(self.tree.parents[above])
                above = int(self.nearest_collider[parent]) if parent >= 0 else -1
        return pieces

    def _find(self, code: str, joint: declared.Joint, message: str, remedy: str) -> None:
        name = f"PHYSICS_JOINT_{code}"
        self.findings.append(Finding(name, SEVERITIES[name], joint.pointer, message, remedy))
