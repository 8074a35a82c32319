"""Joint tree for finding bones: children, lengths, chains and pairs of similar limbs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats, Ints
from ligament.rig.humanoid.stance import unit
from ligament.rig.motion.joint_names import LIMB_PARTS, JointName, read_names
from ligament.rig.motion.machines import DISTINCT, Hinge, hinge_of

LONGEST_CHAIN = 16
"""Joints of a limb that are examined."""

MOST_SIBLINGS = 14
"""Children of one joint, furthest-reaching first, that may be limbs."""


UNBENT = math.radians(0.5)
"""Least change of direction that counts as bending [rad]."""

LEAST_SWING = math.radians(2)
"""Least root mean square swing from which a plane of bending is determined [rad]."""

FRAMES = 256
"""Frames of a clip that are examined, evenly spaced."""


COINCIDENT = 1e-4
"""Largest distance of a copy of a joint from it, relative to the longest distance of two joints."""


class Pair(NamedTuple):
    """Two sibling joints where similar limbs start, and their parent."""

    first: int
    second: int
    parent: int


class Moves(NamedTuple):
    """Joints by how they move in a clip: those that never move, and those that never bend a limb.

    The latter are still or only twist, so that their children keep their direction. `hinges` are
    those that rotate about one axis only, `spread` is how far joints bend out of one plane, from 0
    (an elbow or a knee) to 1.
    """

    still: frozenset[int] = frozenset()
    unbent: frozenset[int] = frozenset()
    hinges: Mapping[int, Hinge] = MappingProxyType({})
    spread: Mapping[int, float] = MappingProxyType({})


UNKNOWN_MOVES = Moves()
"""Knowledge about a skeleton without a clip: any joint may move and bend."""


def sampled(rotation: Floats) -> Floats:
    """Return a limited number of rotations (F, 4), evenly spaced."""
    return rotation[:: max(len(rotation) // FRAMES, 1)]


def bends(rotation: Floats, rest: Floats, offsets: Floats) -> bool:
    """Tell whether rotations (F, 4) change the directions of offsets (n, 3) from rest (4,).

    For a joint without offsets, the last of its chain, every rotation counts.
    """
    chosen = sampled(rotation)
    lengths = np.linalg.norm(offsets, axis=-1)
    if not lengths.any():
        return bool(tf.angle_between(chosen, rest).max(initial=0.0) > UNBENT)
    ways = offsets[lengths > 0] / lengths[lengths > 0, None]
    across = np.cross(tf.rotate(chosen[:, None], ways), tf.rotate(rest, ways))
    return bool(np.linalg.norm(across, axis=-1).max(initial=0.0) > math.sin(UNBENT))


def spread_of(rotation: Floats, offsets: Floats) -> float | None:
    """Return how far rotations (F, 4) take the longest of offsets (n, 3) out of one plane.

    It is the ratio of the extents of its directions across and along the main arc, whatever the
    joint twists; None if the directions differ too little.
    """
    lengths = np.linalg.norm(offsets, axis=-1)
    if not lengths.any() or len(rotation) < DISTINCT:
        return None
    ways = tf.rotate(sampled(rotation), offsets[lengths.argmax()] / lengths.max())
    swings = tf.log(tf.between(unit(ways.mean(axis=0)), ways))
    along, across = np.linalg.svd(swings - swings.mean(axis=0), compute_uv=False)[:2]
    return float(across / along) if along > LEAST_SWING * math.sqrt(len(ways)) else None


def hinges(rotations: Iterable[tuple[int, Floats]]) -> dict[int, Hinge]:
    """Return the joints, with rotations (F, 4) in a clip, that rotate about one axis only."""
    found = ((joint, hinge_of(sampled(rotation))) for joint, rotation in rotations)
    return {joint: hinge for joint, hinge in found if hinge is not None}


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
