"""Joint tree for finding bones: children, lengths, chains and pairs of similar limbs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ligament.arrays import Floats, Ints
from ligament.rig.motion.joint_motion import UNKNOWN_MOVES, Moves
from ligament.rig.motion.joint_names import LIMB_PARTS, JointName, read_names

LONGEST_CHAIN = 16
"""Joints of a limb that are examined."""

MOST_SIBLINGS = 14
"""Children of one joint, furthest-reaching first, that may be limbs."""

COINCIDENT = 1e-4
"""Largest distance of a copy of a joint from it, relative to the longest distance of two joints."""


class Pair(NamedTuple):
    """Two sibling joints where similar limbs start, and their parent."""

    first: int
    second: int
    parent: int


class JointTree:
    """Joints of a file: names as words, parents (J,), rest positions (J, 3), motion.

    `reach` (J,) is the length from a joint to its furthest descendant; `ends` are joints with an
    end site, whose offset counts as reach.
    """

    def __init__(
        self,
        names: Sequence[str],
        parents: Ints,
        positions: Floats,
        *,
        ends: Sequence[tuple[int, Floats]] = (),
        moves: Moves = UNKNOWN_MOVES,
    ) -> None:
        self.names = tuple(names)
        self.said: list[JointName] = read_names(names)
        self.parents = [int(parent) for parent in parents]
        self.positions = positions
        self.ends = dict(ends)
        self.still, self.unbent, self.hinges, self.spread = moves
        self.children: list[list[int]] = [[] for _ in self.parents]
        for joint, parent in enumerate(self.parents):
            if parent >= 0:
                self.children[parent].append(joint)
        self.order = self._topological()
        self.length = [self._length(joint) for joint in range(len(self.parents))]
        self._ignore_copies()
        self.reach = self._reaches()
        self.parts_below = self._parts_below()

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

    def _ignore_copies(self) -> None:
        """Treat still leaves that coincide with their parent as helpers: rigs copy bones so."""
        near = COINCIDENT * max(self.length, default=0.0)
        for joint, said in enumerate(self.said):
            is_leaf = not self.children[joint] and not np.any(self.ends.get(joint, 0.0))
            is_still = not self.still or joint in self.still
            if is_leaf and is_still and not said.is_axis and self.length[joint] < near:
                self.said[joint] = said._replace(is_helper=True, parts={}, finger="")

    def _reaches(self) -> list[float]:
        reach = [float(np.linalg.norm(self.ends.get(j, 0.0))) for j in range(len(self.parents))]
        for joint in reversed(self.order):
            parent = self.parents[joint]
            if parent >= 0 and not self.said[joint].is_helper:
                reach[parent] = max(reach[parent], reach[joint] + self.length[joint])
        return reach

    def _parts_below(self) -> list[set[str]]:
        """Return the parts of limbs that a joint and its descendants are mainly named after."""
        found = [{said.main_part} & {*LIMB_PARTS} for said in self.said]
        for joint in reversed(self.order):
            if self.parents[joint] >= 0:
                found[self.parents[joint]] |= found[joint]
        return found

    def above(self, joint: int) -> Iterator[int]:
        """Yield all ancestors, nearest first."""
        joint = self.parents[joint]
        while joint >= 0:
            yield joint
            joint = self.parents[joint]

    def lineage(self, joint: int) -> list[int]:
        """Return the joint and all its ancestors, the root first."""
        return [joint, *self.above(joint)][::-1]

    def meeting(self, *joints: int) -> int | None:
        """Return the lowest common ancestor of some joints, possibly one of them."""
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
        """Follow a limb from its first joint, by name and by the child that reaches furthest."""
        chain = [start]
        while len(chain) < LONGEST_CHAIN:
            children = self.children[chain[-1]]
            if not children:
                break
            chain.append(max(children, key=self._continues))
        return chain

    def _continues(self, joint: int) -> tuple[bool, bool, int, float, int]:
        said = self.said[joint]
        bears = bool(self.children[joint])
        in_chain = not said.is_helper or bears
        reach = self.reach[joint] + self.length[joint]
        parts = self.parts_below[joint] - {self.said[self.parents[joint]].main_part}
        return in_chain, bool(said.parts), len(parts), reach, -joint

    def chain_length(self, chain: Sequence[int]) -> float:
        """Return the length of a chain including descendants of its last joint."""
        return sum(self.length[joint] for joint in chain[1:]) + self.reach[chain[-1]]

    def branches(self, joint: int) -> list[int]:
        """Return the children that have children."""
        return [child for child in self.children[joint] if self.children[child]]

    def pairs(self) -> Iterator[Pair]:
        """Yield pairs of siblings that may start two similar limbs."""
        for parent, children in enumerate(self.children):
            if len(children) < 2:
                continue
            able = [child for child in children if not self._is_leaf_helper(child)]
            able = sorted(able, key=lambda j: -(self.reach[j] + self.length[j]))[:MOST_SIBLINGS]
            for a, b in itertools.combinations(sorted(able), 2):
                yield Pair(a, b, parent)

    def _is_leaf_helper(self, joint: int) -> bool:
        return self.said[joint].is_helper and not self.children[joint]
