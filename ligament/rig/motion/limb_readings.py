"""A chain of joints read as a limb: which joint is which bone.

A reading (upper, lower, end, and joints before and after) is scored by proportions and by names.
Names weigh more; a skeleton without telling names is read by its shape alone.
"""

from __future__ import annotations

import copy
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ligament.rig.motion.joint_motion import is_one_joint
from ligament.rig.motion.joint_tree import JointTree, Pair

LEG = ("UpperLeg", "LowerLeg", "Foot", "Toes")
ARM = ("Shoulder", "UpperArm", "LowerArm", "Hand")

NAME_MISMATCH_COST = 2.0
"""Cost of reading a joint as a bone that its name does not mention."""

SKIP_COST = 0.7
"""Cost of skipping a joint within a limb that bends and is not named as a helper."""

UNBENT_COST = 0.3
"""Cost of reading a joint that never bends as a bone, in a limb that does, or a limb that never
does: of two bodies in a file, one may stand still."""

LIMB_NAME_FIT = 1.0
"""Fit of "arm" or "leg" to any bone of that limb, if several of its joints have that name."""

FLAT, WIDER = 0.08, 0.2
"""Largest spread of a knee or elbow, which bends in one plane, and how much wider that of the upper
joint of its limb is where the clip shows the difference clearly."""

PLANE_FIT, LENGTHS_COST, LENGTHS_COST_IF_FLAT = 0.4, 1.5, 0.75
"""Fit of such a limb, and cost of lengths of upper and lower that differ by a factor of e, if the
clip does not show which joint is the knee or elbow, and if it does."""

SIMILAR_LIMBS = 0.03
"""Largest relative difference of joint distances from the first in two similar limbs."""

SINGLE_TOE = 1.0
"""Cost of reading as toes one of several chains below a foot, each of which is one toe."""

LEAST_TOES = 3
"""Least number of joints below a foot, all named after toes, of which each is a single toe."""

NEAR_AXES = 0.12
"""Largest distance between two axes of an elbow, knee, wrist or ankle, relative to the limb."""

BALL = 0.65
"""Position of the toes between the ankle and the tip of a foot, relative to its length."""


class Limb(NamedTuple):
    """A limb read from a chain: bone (without a side) → joint, and how well it fits."""

    bones: dict[str, int]
    score: float


def read_pair(tree: JointTree, pair: Pair, bones: Sequence[str]) -> list[Limb]:
    """Read two similar limbs alike if their chains have equal lengths, else each on its own."""
    chains = _like_chains(*(_Chain(tree, joint, bones) for joint in pair[:2]))
    if len(chains[0].joints) != len(chains[1].joints):
        readings = [_best_reading([chain]) for chain in chains]
    else:
        score, places = _best_reading(chains)
        readings = [(score / 2, places)] * 2
    if any(chain.is_machine(places) for chain, (_, places) in zip(chains, readings, strict=True)):
        readings = [
            (score, chain.with_last_axes(places))
            for chain, (score, places) in zip(chains, readings, strict=True)
        ]
    return [
        Limb({bone: chain.joints[at] for bone, at in places.items()}, score)
        for chain, (score, places) in zip(chains, readings, strict=True)
    ]


def _like_chains(first: _Chain, second: _Chain) -> tuple[_Chain, _Chain]:
    """Cut off the surplus at the end of the longer chain, such as an object held in one hand."""
    count = min(len(first.joints), len(second.joints))
    pairs = zip(first.along[:count], second.along[:count], strict=True)
    if len(first.joints) != len(second.joints) and all(
        abs(a - b) < SIMILAR_LIMBS * max(first.along[count - 1], 1e-12) for a, b in pairs
    ):
        after = min(chain.total - chain.along[count - 1] for chain in (first, second))
        return first.shortened(count, after), second.shortened(count, after)
    return first, second


def _best_reading(chains: Sequence[_Chain]) -> tuple[float, dict[str, int]]:
    readings = _readings(len(chains[0].joints), chains[0].bones)
    scored = ((sum(chain.score(places) for chain in chains), places) for places in readings)
    return max(scored, key=lambda each: each[0])


def _readings(length: int, bones: Sequence[str]) -> Iterator[dict[str, int]]:
    """Yield the readings of a chain: upper and lower, with and without optional bones."""
    length = min(length, 9)
    if bones is LEG:
        options: tuple[tuple[str, ...], ...] = (LEG, LEG[:3], LEG[:2], LEG[:1])
    else:
        options = (ARM, ARM[1:], ARM[:3], ARM[1:3], ARM[1:2])
    for names in options:
        for places in itertools.combinations(range(length), len(names)):
            yield dict(zip(names, places, strict=True))


def name_weight(tree: JointTree, joint: int, bones: Sequence[str]) -> float:
    """Return the largest weight of some bones in the name of a joint."""
    return max((tree.said[joint].parts.get(bone, 0.0) for bone in bones), default=0.0)


class _Chain:
    """A chain of joints, with everything that scoring its readings needs."""

    def __init__(self, tree: JointTree, start: int, bones: Sequence[str]) -> None:
        self.joints, self.bones = tree.chain(start), bones
        lengths = [tree.length[joint] for joint in self.joints[1:]]
        self.along = list(itertools.accumulate(lengths, initial=0.0))
        self.total = self.along[-1] + tree.reach[self.joints[-1]]
        self.fits = _fits(tree, self.joints, bones)
        self.helpers = [tree.said[joint].is_helper for joint in self.joints]
        self.named = [0.5 * name_weight(tree, joint, bones) for joint in self.joints]
        self.parts = [tree.said[joint].parts for joint in self.joints]
        self.hands = [len(tree.branches(joint)) >= 3 for joint in self.joints]
        self.ends = [_is_end(tree, joint) for joint in self.joints]
        self.bends = [joint not in tree.unbent for joint in self.joints]
        self.hinges = [tree.hinges.get(joint) for joint in self.joints]
        self.spread = [tree.spread.get(joint) for joint in self.joints]
        self.axes = [tree.said[joint].is_axis for joint in self.joints]
        self.forks = [len(tree.branches(joint)) > 1 for joint in self.joints]
        self.fingers = [tree.said[joint].finger for joint in self.joints]

    def shortened(self, count: int, after: float) -> _Chain:
        """Return the first joints of the chain, with the length after the last of them."""
        chain = copy.copy(self)
        chain.joints, chain.total = self.joints[:count], self.along[count - 1] + after
        chain.along, chain.hands = self.along[:count], self.hands[:count]
        chain.bends = self.bends[:count]
        return chain

    def score(self, places: Mapping[str, int]) -> float:
        """Score a reading: bone → position in the chain."""
        bone_at = {at: bone for bone, at in places.items()}
        score = sum(self.fits[at][bone] for bone, at in places.items())
        before = ""
        first = min(bone_at)
        for at in range(max(bone_at)):
            before = bone_at.get(at, before)
            is_like_first = at < first and self._is_like(at, first)
            if at not in bone_at and not self.helpers[at] and not is_like_first:
                score -= self._cost_of_passing(at, before)
        unbent = sum(not self.bends[at] for at in bone_at)
        score -= UNBENT_COST * (unbent if any(self.bends) else 1)
        score += 0.3 if "Shoulder" in places else 0.0
        return score + self._proportions(places)

    def _bending(self, upper: int, lower: int) -> float:
        """Return whether the clip shows a knee, which bends in one plane, below a hip: 0 to 1."""
        wide, flat = self.spread[upper], self.spread[lower]
        if wide is None or flat is None or flat > FLAT:
            return 0.0
        return min(max((wide - flat) / WIDER, 0.0), 1.0)

    @property
    def _main(self) -> Sequence[str]:
        """The bones that every limb has: upper, lower and end."""
        return self.bones[:3] if self.bones is LEG else self.bones[1:]

    def is_machine(self, places: Mapping[str, int]) -> bool:
        """Tell whether a limb that was read has a joint for each axis, by names or in the clip."""
        upper, lower = (places.get(bone) for bone in self._main[:2])
        if upper is None or lower is None or sum(self.axes) > 1:
            return sum(self.axes) > 1
        start = 0 if lower > 2 and is_one_joint(self.hinges[:lower]) else upper
        return is_one_joint(self.hinges[start:lower])

    def with_last_axes(self, places: Mapping[str, int]) -> dict[str, int]:
        """Return a reading of a machine's limb in which the last axis of each joint is the bone."""
        upper, lower, end = self._main
        found = {bone: at for bone, at in places.items() if not self._is_axis_before(bone, at)}
        if lower in found:
            found[upper] = found[lower] - 1
            until = found.get(end, len(self.joints))
            start = found[lower]
            bending = [at for at in range(start, until) if self._bends_on(lower, start, at)]
            found[lower] = max(bending, default=start)
        if end in found:
            while self._continues(end, found[end]):
                found[end] += 1
            if found.get("Toes", len(self.joints)) <= found[end]:
                del found["Toes"]
        return found

    def _is_axis_before(self, bone: str, at: int) -> bool:
        """Tell whether a joint read as a collar bone is an axis of the shoulder."""
        return bone == "Shoulder" and ("UpperArm" in self.parts[at] or not self.parts[at])

    def _bends_on(self, bone: str, start: int, at: int) -> bool:
        """Tell whether a joint after an elbow or knee is another axis of it, which bends it."""
        if self.axes[at]:
            return bone in self.parts[at]
        return self.hinges[at] is not None and self.bends[at] and self._is_near(start, at)

    def _continues(self, bone: str, at: int) -> bool:
        """Tell whether the next joint is another axis of an ankle or a wrist."""
        if at + 1 >= len(self.joints) or self.forks[at] or self.helpers[at + 1]:
            return False
        if self.parts[at + 1]:
            return self.axes[at + 1] and bone in self.parts[at + 1]
        is_axis = is_one_joint(self.hinges[at : at + 2]) and self._is_near(at, at + 1)
        return is_axis and not self.fingers[at + 1]

    def _is_near(self, start: int, at: int) -> bool:
        return self.along[at] - self.along[start] < NEAR_AXES * self.total

    def _is_like(self, start: int, end: int) -> bool:
        """Tell whether joints are named as one part: hip yaw, hip roll, hip pitch."""
        return all(self.parts[at] and self.parts[at] == self.parts[end] for at in range(start, end))

    def _cost_of_passing(self, at: int, before: str) -> float:
        """Return the cost of skipping a joint after a bone, "" for none.

        A joint that never bends, or is named like that bone, only continues it: a twist joint. So
        does another axis of a machine's joint.
        """
        if not before:
            return self.named[at]
        carries_on = self.fits[at][before] > 0
        only_continues = not self.bends[at] or is_one_joint(self.hinges[at - 1 : at + 1])
        return (0.0 if only_continues else SKIP_COST) + (0.0 if carries_on else self.named[at])

    def _proportions(self, places: Mapping[str, int]) -> float:
        """Score a reading by lengths: upper and lower similar, little before and after them."""
        is_leg = self.bones is LEG
        upper, lower, end = (places.get(bone) for bone in self._main)
        if self.total <= 0 or upper is None:
            return 0.0
        if lower is None:
            return -3.0
        if is_leg and len(self.joints) == 2:
            return -1.0  # a leg without a foot; its end site is anywhere on that foot
        first = self.along[lower] - self.along[upper]
        second = (self.total if end is None else self.along[end]) - self.along[lower]
        if not (first > 0 and second > 0):
            return -3.0 if end is not None else -1.0
        both = first + second
        after = 0.0 if end is None else self.total - self.along[end]
        bending = self._bending(upper, lower)
        score = PLANE_FIT * bending - 0.5 * (end is None)
        cost = LENGTHS_COST + (LENGTHS_COST_IF_FLAT - LENGTHS_COST) * bending
        score -= cost * abs(math.log(first / second))
        score -= (4.0 if is_leg else 1.0) * self.along[upper] / both
        score -= 2.5 * max(after / both - (0.3 if is_leg else 0.5), 0.0)
        if not is_leg and any(self.hands):
            score += 1.5 if end is not None and self.hands[end] else -1.5
        if "Toes" in places and end is not None:
            position = (self.along[places["Toes"]] - self.along[end]) / max(after, 1e-12)
            score += -0.5 if self.ends[places["Toes"]] else 0.3 - 0.2 * abs(position - BALL)
            score -= SINGLE_TOE if self.hands[end] else 0.0
        return score


def _fits(tree: JointTree, chain: Sequence[int], bones: Sequence[str]) -> list[dict[str, float]]:
    """Return how well the name of every joint of a chain fits each bone.

    If several are called arm (or three or more leg), distinguished by numbers or letters, that name
    means the whole limb, and the shape decides which part each is.
    """
    alone = [tree.said[joint].names_only_the_limb for joint in chain]
    vague = sum(alone) > (2 if bones is LEG else 1)
    return [
        {bone: LIMB_NAME_FIT if vague and whole else _fit(tree, joint, bone) for bone in bones}
        for joint, whole in zip(chain, alone, strict=True)
    ]


def _fit(tree: JointTree, joint: int, bone: str) -> float:
    said = tree.said[joint]
    if said.is_helper:
        return -3.0
    if said.finger or (bone == "Toes" and _is_on_single_toe(tree, joint)):
        return -4.0
    if not said.parts:
        return 0.0
    return said.parts.get(bone, -NAME_MISMATCH_COST)


def _is_on_single_toe(tree: JointTree, joint: int) -> bool:
    """Tell whether a joint is part of one of several chains named after toes, side by side."""
    first, parent = joint, tree.parents[joint]
    while parent >= 0 and tree.said[parent].main_part == "Toes":
        first, parent = parent, tree.parents[parent]
    if parent < 0 or tree.said[first].main_part != "Toes":
        return False
    toes = (child for child in tree.children[parent] if tree.said[child].main_part == "Toes")
    return len(list(itertools.islice(toes, LEAST_TOES))) == LEAST_TOES


def _is_end(tree: JointTree, joint: int) -> bool:
    """Tell whether a joint only marks the end of the last bone: a leaf that never moves."""
    leaf = not tree.children[joint] and joint not in tree.ends
    return tree.said[joint].is_helper or (leaf and joint in tree.still)
