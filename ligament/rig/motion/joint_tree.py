"""Joint tree as bones are found in it: children, lengths, chains and pairs of like limbs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ligament.arrays import Floats, Ints
from ligament.rig.motion.joint_names import JointName, read_names

LONGEST_CHAIN = 16
"""Joints of a limb that are looked at."""

MOST_SIBLINGS = 14
"""Children of one joint, those that reach furthest, that may be limbs."""


class Pair(NamedTuple):
    """Two sibling joints from which like limbs start, and the joint that bears them."""

    first: int
    second: int
    parent: int


class JointTree:
    """Joints of a file: names as words, parents (J,), rest positions (J, 3), ends that move.

    `reach` (J,) is the length from a joint to its furthest descendant; `tips` are joints that
    have an end site of their own, whose offset counts as reach.
    """

    def __init__(
        self,
        names: Sequence[str],
        parents: Ints,
        positions: Floats,
        *,
        ends: Sequence[tuple[int, Floats]] = (),
        still: frozenset[int] = frozenset(),
    ) -> None:
        self.names = tuple(names)
        self.said: list[JointName] = read_names(names)
        self.parents = [int(parent) for parent in parents]
        self.positions = positions
        self.ends = dict(ends)
        self.still = still
        self.children: list[list[int]] = [[] for _ in self.parents]
        for joint, parent in enumerate(self.parents):
            if parent >= 0:
                self.children[parent].append(joint)
        self.order = self._topological()
        self.length = [self._length(joint) for joint in range(len(self.parents))]
        self.reach = self._reaches()

    def _topological(self) -> list[int]:
        order = [joint for joint, parent in enumerate(self.parents) if parent < 0]
        for joint in order:
            order.extend(self.children[joint])
        return order

    def _length(self, joint: int) -> float:
        parent = self.parents[joint]
        if parent < 0:
            return 0.0
        return float(np.linalg.norm(self.positions[joint] - self.positions[parent]))

    def _reaches(self) -> list[float]:
        reach = [float(np.linalg.norm(self.ends.get(j, 0.0))) for j in range(len(self.parents))]
        for joint in reversed(self.order):
            parent = self.parents[joint]
            if parent >= 0 and not self.said[joint].is_helper:
                reach[parent] = max(reach[parent], reach[joint] + self.length[joint])
        return reach

    def above(self, joint: int) -> Iterator[int]:
        """Yield the parent, its parent and so on."""
        joint = self.parents[joint]
        while joint >= 0:
            yield joint
            joint = self.parents[joint]

    def lineage(self, joint: int) -> list[int]:
        """Return the joint and all above it, the root first."""
        return [joint, *self.above(joint)][::-1]

    def meeting(self, *joints: int) -> int | None:
        """Return the lowest joint that is above all of these, or one of them."""
        first, *others = (self.lineage(joint) for joint in joints)
        shared = set(first).intersection(*map(set, others)) if others else set(first)
        return next((joint for joint in reversed(first) if joint in shared), None)

    def between(self, top: int, joint: int) -> list[int]:
        """Return the joints from below `top` down to above `joint`."""
        lineage = self.lineage(joint)
        return lineage[lineage.index(top) + 1 : -1] if top in lineage[:-1] else []

    def below(self, joint: int) -> list[int]:
        """Return all descendants, nearest first."""
        found = list(self.children[joint])
        for each in found:
            found.extend(self.children[each])
        return found

    def chain(self, start: int) -> list[int]:
        """Follow a limb from its first joint: to the child that reaches furthest, by its name."""
        chain = [start]
        while len(chain) < LONGEST_CHAIN:
            children = self.children[chain[-1]]
            if not children:
                break
            chain.append(max(children, key=self._continues))
        return chain

    def _continues(self, joint: int) -> tuple[bool, bool, float, int]:
        said = self.said[joint]
        bears = bool(self.children[joint])
        in_chain = not said.is_helper or bears
        return in_chain, bool(said.parts), self.reach[joint] + self.length[joint], -joint

    def chain_length(self, chain: Sequence[int]) -> float:
        """Return the length of a chain with what hangs on its last joint."""
        return sum(self.length[joint] for joint in chain[1:]) + self.reach[chain[-1]]

    def branches(self, joint: int) -> list[int]:
        """Return the children that bear joints of their own."""
        return [child for child in self.children[joint] if self.children[child]]

    def pairs(self) -> Iterator[Pair]:
        """Yield pairs of siblings that may be the starts of two like limbs."""
        for parent, children in enumerate(self.children):
            if len(children) < 2:
                continue
            able = [child for child in children if not self._is_leaf_helper(child)]
            able = sorted(able, key=lambda j: -(self.reach[j] + self.length[j]))[:MOST_SIBLINGS]
            for a, b in itertools.combinations(sorted(able), 2):
                yield Pair(a, b, parent)

    def _is_leaf_helper(self, joint: int) -> bool:
        return self.said[joint].is_helper and not self.children[joint]
