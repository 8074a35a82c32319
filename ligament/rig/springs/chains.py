"""Chains of spring bones on the node tree: swinging bones and findings."""

from __future__ import annotations

import dataclasses
from itertools import takewhile

import numpy as np

from ligament.arrays import Floats
from ligament.extensions.spring_bones import Collider, Joint, Spring, SpringBones, read_spring_bones
from ligament.findings import Finding, finding
from ligament.gltf.document import Document
from ligament.gltf.tree import Branches, NodeTree, nearest

SHORTEST = 1e-9
"""Length [m] up to which a bone has no direction."""

EVEN = 1e-4
"""Relative difference of scales above which it is not rounding."""

MOST_SHARED = 1_000_000
"""Nodes of bones that springs share: beyond, no bone is followed, and all stay at rest."""


@dataclasses.dataclass(frozen=True)
class Bone:
    """A swinging joint: `joint` is its head, `tail` (3,) [m] its end relative to the head.

    `end` is the node there, -1 if the file has none.
    """

    joint: Joint
    tail: Floats
    end: int
    colliders: tuple[int, ...]
    center: int

    @property
    def node(self) -> int:
        """The node that swings."""
        return self.joint.node


@dataclasses.dataclass(frozen=True)
class Chains:
    """The swinging bones in file order, their colliders, and all findings."""

    bones: tuple[Bone, ...]
    colliders: tuple[Collider, ...]
    findings: tuple[Finding, ...]


def resolve(document: Document, tree: NodeTree) -> Chains:
    """Find the swinging bones; if two springs share a joint, the first keeps it."""
    declared = read_spring_bones(document)
    if not declared.springs:
        return Chains((), declared.colliders, declared.findings)
    return _Resolver(declared, tree).chains()


class _Resolver:
    """One pass over the springs of a document."""

    def __init__(self, declared: SpringBones, tree: NodeTree) -> None:
        self.declared, self.tree, self.branches = declared, tree, Branches(tree)
        self.world = tree.world_matrices()
        self.findings = list(declared.findings)
        self.holder: dict[int, Spring] = {}
        self.bones: list[Bone] = []
        self.shared = 0

    def chains(self) -> Chains:
        for spring in self.declared.springs:
            self._add(spring)
        heads = {bone.node for bone in self.bones}
        self._check_centers(heads)
        self._check_scales(heads)
        return Chains(tuple(self.bones), self.declared.colliders, tuple(self.findings))

    def _report(self, code: str, pointer: str, message: str, remedy: str) -> None:
        self.findings.append(finding(code, pointer, message, remedy))

    def _add(self, spring: Spring) -> None:
        if len(spring.joints) == 1 and spring.end is None:
            message = "a spring of one joint moves nothing"
            remedy = "add the node that its bone ends at"
            self._report("SPRING_BONE_SINGLE", spring.pointer, message, remedy)
        tails: list[Joint | None] = [*spring.joints[1:]]
        tails += [None] if spring.end is not None else []
        for joint, tail in zip(spring.joints, tails, strict=False):
            if tail is not None and not self.branches.is_below(tail.node, joint.node):
                self._refuse(joint, tail)
            elif self._holds(spring, joint, tail):
                self._swing(spring, joint, tail)

    def _refuse(self, joint: Joint, end: Joint) -> None:
        message = f"{self.tree.label(end.node)} does not descend from {self.tree.label(joint.node)}"
        remedy = "each joint must be below the one before; the bone between them stays at rest"
        self._report("SPRING_BONE_CHAIN", end.pointer, message, remedy)

    def _holds(self, spring: Spring, joint: Joint, tail: Joint | None) -> bool:
        """Tell whether a spring may swing a bone, and claim its nodes if so."""
        if self.shared > MOST_SHARED:
            message = f"springs share more than {MOST_SHARED} nodes, so this bone stays at rest"
        else:
            path = self._path(joint.node, tail)
            shared = next(filter(self.holder.__contains__, path), None)
            if shared is None:
                self.holder.update(dict.fromkeys(path, spring))
                return True
            self.shared += len(path)
            label, other = self.tree.label(shared), self.holder[shared]
            message = f"{label} belongs to {other.pointer} already"
        remedy = "a node belongs to one spring only; the first keeps it"
        self._report("SPRING_BONE_SHARED", joint.pointer, message, remedy)
        return False

    def _path(self, head: int, tail: Joint | None) -> list[int]:
        """Return the nodes of a bone, from the head down; only the head if that is taken."""
        if tail is None or head in self.holder:
            return [head]
        between = takewhile(lambda node: node != head, self.tree.ancestors(tail.node))
        return [head, *reversed([*between])]

    def _swing(self, spring: Spring, joint: Joint, tail: Joint | None) -> None:
        head = self.world[joint.node]
        if tail is None:
            point = self._beyond(joint.node, spring.end or 0.0)
        else:
            point = self.world[tail.node, :3, 3]
        if np.linalg.norm(point - head[:3, 3]) <= SHORTEST:
            message = f"the bone of {self.tree.label(joint.node)} has no length and stays at rest"
            self._report("SPRING_BONE_ZERO_LENGTH", joint.pointer, message, "move its tail away")
            return
        local = np.linalg.lstsq(head[:3, :3], point - head[:3, 3], rcond=None)[0]
        end, center = -1 if tail is None else tail.node, spring.center
        self.bones.append(
            Bone(joint, local, end, spring.colliders, -1 if center is None else center)
        )

    def _beyond(self, node: int, length: float) -> Floats:
        """Return the point `length` [m] beyond a node, straight on from its parent."""
        here, parent = self.world[node, :3, 3], int(self.tree.parents[node])
        direction = here - (self.world[parent, :3, 3] if parent >= 0 else here)
        size = float(np.linalg.norm(direction))
        ahead = direction / size if size > SHORTEST else np.array([0.0, -1.0, 0.0])
        return np.asarray(here + length * ahead)

    def _check_centers(self, heads: set[int]) -> None:
        springing = nearest(self.tree, heads).tolist() if heads else []
        for spring in self.declared.springs:
            center, first = spring.center, spring.joints[0].node
            if center is None:
                continue
            if center != first and not self.branches.is_below(first, center):
                message = f"{self.tree.label(center)} is not above {self.tree.label(first)}"
            elif springing and springing[center] not in (-1, first):
                message = f"{self.tree.label(center)} swings with another spring"
            else:
                continue
            remedy = "the center must be the first joint, or above it and still"
            self._report("SPRING_BONE_CENTER", f"{spring.pointer}/center", message, remedy)

    def _check_scales(self, heads: set[int]) -> None:
        """Report scales, once for the joints and once for the colliders."""
        linear = self.world[:, :3, :3]
        stretch = np.swapaxes(linear, 1, 2) @ linear
        scaled = np.abs(stretch - np.eye(3)).max(axis=(1, 2)) > EVEN
        joints = [bone.joint for bone in self.bones if scaled[bone.node]]
        used = {index for bone in self.bones for index in bone.colliders}
        hit = [c for i, c in enumerate(self.declared.colliders) if i in used and scaled[c.node]]
        places: list[Joint | Collider] = [*joints[:1], *hit[:1]]
        for place in places:
            square = stretch[place.node]
            size = float(np.sqrt(np.trace(square) / 3))
            uneven = np.abs(square / size**2 - np.eye(3)).max() > EVEN
            how = "non-uniformly, so positions are approximate" if uneven else f"by {size:.4g}"
            message = f"{self.tree.label(place.node)} is scaled {how}; radii and forces are not"
            self._report("SPRING_BONE_SCALE", place.pointer, message, "apply the scale")
