"""Limbs of a skeleton: the chains that are legs and arms, and the joints that are bones.

A reading of a chain (upper, lower, end, and joints before and after) is scored by proportions and
by names. Names weigh more; a skeleton without telling names is read by its shape alone.
"""

from __future__ import annotations

import copy
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ligament.arrays import Floats
from ligament.rig.motion.joint_tree import JointTree, Pair

LEG = ("UpperLeg", "LowerLeg", "Foot", "Toes")
ARM = ("Shoulder", "UpperArm", "LowerArm", "Hand")

MOST_PAIRS = 12
"""Pairs of siblings that are examined closely."""

NAME_MISMATCH_COST = 2.0
"""Cost of reading a joint as a bone that its name does not mention."""

SKIP_COST = 0.7
"""Cost of skipping a joint within a limb that bends and is not named as a helper."""

UNBENT_COST = 0.3
"""Cost of reading a joint that never bends as a bone, in a limb that does."""

LIMB_NAME_FIT = 1.0
"""Fit of "arm" or "leg" to any bone of that limb, if several of its joints have that name."""

SIMILAR_LIMBS = 0.03
"""Largest relative difference of joint distances from the first in two similar limbs."""

SINGLE_TOE = 1.0
"""Cost of reading as toes one of several chains below a foot, each of which is one toe."""

SKEWED, ASIDE = 5.0, 0.7
"""Cost of arms one behind or above the other, and the cosine below which they are that."""

BALL = 0.65
"""Position of the toes between the ankle and the tip of a foot, relative to its length."""


class Limb(NamedTuple):
    """A limb read from a chain: bone (without a side) → joint, and how well it fits."""

    bones: dict[str, int]
    score: float


class Body(NamedTuple):
    """Legs and arms of a skeleton: the pair that starts them, and both limbs of each."""

    legs: Pair | None
    arms: Pair | None
    limbs: Mapping[int, dict[str, int]]
    score: float


def find_body(tree: JointTree) -> Body | None:
    """Return the pairs of chains most similar to legs and arms, None if there are none."""
    pairs = list(tree.pairs())
    legs, arms = (
        _best([(_pair_score(tree, pair, bones), pair) for pair in _promising(tree, pairs, bones)])
        for bones in (LEG, ARM)
    )
    best: Body | None = None
    for (leg_score, leg), (arm_score, arm) in itertools.product(legs, [*arms, (0.0, None)]):
        score = leg_score + arm_score
        if arm is not None:
            together = _stance_score(tree, leg, arm)
            if together is None:
                continue
            score += together
        if best is None or score > best.score:
            best = Body(leg, arm, {}, score)
    if best is None:
        return None
    limbs: dict[int, dict[str, int]] = {}
    for found, bones in ((best.legs, LEG), (best.arms, ARM)):
        if found is not None:
            read = [limb.bones for limb in read_pair(tree, found, bones)]
            limbs |= dict(zip(found[:2], read, strict=True))
    return best._replace(limbs=limbs)


def find_arms(tree: JointTree) -> tuple[Pair, list[dict[str, int]]] | None:
    """Return the pair of chains most similar to arms, if there are no legs."""
    pairs = _promising(tree, list(tree.pairs()), ARM)
    best = _best([(_pair_score(tree, pair, ARM), pair) for pair in pairs])
    if not best:
        return None
    pair = best[0][1]
    return pair, [limb.bones for limb in read_pair(tree, pair, ARM)]


def _promising(tree: JointTree, pairs: Sequence[Pair], bones: Sequence[str]) -> list[Pair]:
    """Keep the pairs worth a closer look: telling names, long, and similar."""
    size = max(max(tree.reach, default=0.0), 1e-12)

    def worth(pair: Pair) -> float:
        chains = [tree.chain(joint) for joint in pair[:2]]
        named = min(sum(_weight(tree, joint, bones) for joint in chain[:6]) for chain in chains)
        first, second = (tree.reach[joint] + tree.length[joint] for joint in pair[:2])
        return named + 3.0 * min(first, second) / size - 3.0 * abs(first - second) / size

    return sorted(pairs, key=worth, reverse=True)[:MOST_PAIRS]


def _best(scored: list[tuple[float, Pair]]) -> list[tuple[float, Pair]]:
    return sorted((each for each in scored if each[0] > 0), key=lambda each: -each[0])[:8]


def _pair_score(tree: JointTree, pair: Pair, bones: Sequence[str]) -> float:
    """Score a pair as two similar limbs; 0 or less if impossible."""
    chains = [tree.chain(joint) for joint in pair[:2]]
    sides = [tree.said[joint].side for joint in pair[:2]]
    if sides[0] and sides[0] == sides[1]:
        return 0.0
    named = [any(_weight(tree, joint, bones) for joint in chain[:6]) for chain in chains]
    lengths = [tree.chain_length(chain) + tree.length[chain[0]] for chain in chains]
    shared = min(map(len, chains))
    parts = [sum(tree.length[joint] for joint in chain[:shared]) for chain in chains]
    other = ARM if bones is LEG else LEG
    strange = any(_weight(tree, joint, other) for chain in chains for joint in chain[:6])
    if not all(named) and (strange or min(map(len, chains)) < (2 if bones is LEG else 3)):
        return 0.0
    unlike = min(
        abs(first - second) / max(first + second, 1e-12) for first, second in (lengths, parts)
    )
    score = sum(limb.score for limb in read_pair(tree, pair, bones)) / 2
    share = sum(lengths) / 2 / max(max(tree.reach, default=0.0), 1e-12)
    opposite = 1.0 if sides[0] and sides[1] else 0.0
    doubt = 1.0 if opposite and all(named) else 12.0
    return 4.0 + score + opposite + 3.0 * min(share, 1.0) - doubt * max(unlike - 0.03, 0.0)


def _stance_score(tree: JointTree, legs: Pair, arms: Pair) -> float | None:
    """Score how legs and arms attach to one trunk, None if they cannot."""
    hips = tree.meeting(legs.parent, arms.parent)
    if hips is None or set(arms[:2]) & set(legs[:2]):
        return None
    for pair, other in ((legs, arms), (arms, legs)):
        if any(joint in tree.lineage(other.parent) for joint in pair[:2]):
            return None
    lower, upper = (len(tree.between(hips, p)) + (p != hips) for p in (legs.parent, arms.parent))
    score = -0.6 * lower + (1.5 if upper else -1.0)
    hands = [max((len(tree.branches(j)) for j in tree.chain(a)[1:6]), default=0) for a in arms[:2]]
    feet = [max((len(tree.branches(j)) for j in tree.chain(a)[1:6]), default=0) for a in legs[:2]]
    score += 1.5 * (min(hands) >= 3) - 1.5 * (min(feet) >= 3)
    trunk = tree.positions[arms.parent] - tree.positions[hips]
    ends = [tree.positions[tree.chain(joint)[-1]] for joint in legs[:2]]
    down = (ends[0] + ends[1]) / 2 - tree.positions[hips]
    size = float(np.linalg.norm(trunk) * np.linalg.norm(down))
    if size > 0:
        score -= 1.5 * float(trunk @ down) / size
        if float(trunk @ down) < -0.5 * size:  # it stands: the rest pose is not degenerate
            score -= _skewness(_across(tree, legs), _across(tree, arms))
    return score


def _across(tree: JointTree, pair: Pair) -> Floats:
    """Return the direction (3,) from one limb to the other where they first differ, or 0."""
    least = 0.01 * max(tree.reach, default=0.0)
    for joints in zip(*(tree.chain(joint) for joint in pair[:2]), strict=False):
        offset: Floats = tree.positions[joints[0]] - tree.positions[joints[1]]
        length = float(np.linalg.norm(offset))
        if length > least:
            return offset / length
    return np.zeros(3)


def _skewness(legs: Floats, arms: Floats) -> float:
    """Return the cost of arms that are not side by side as the legs are, like neck and cape."""
    if not legs.any() or not arms.any():
        return 0.0
    return SKEWED * max(ASIDE - abs(float(legs @ arms)), 0.0) / ASIDE


def read_pair(tree: JointTree, pair: Pair, bones: Sequence[str]) -> list[Limb]:
    """Read two similar limbs alike if their chains have equal lengths, else each on its own."""
    chains = _like_chains(*(_Chain(tree, joint, bones) for joint in pair[:2]))
    if len(chains[0].joints) != len(chains[1].joints):
        readings = [_best_reading([chain]) for chain in chains]
    else:
        score, places = _best_reading(chains)
        readings = [(score / 2, places)] * 2
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


class _Chain:
    """A chain of joints, with everything that scoring its readings needs."""

    def __init__(self, tree: JointTree, start: int, bones: Sequence[str]) -> None:
        self.joints, self.bones = tree.chain(start), bones
        lengths = [tree.length[joint] for joint in self.joints[1:]]
        self.along = list(itertools.accumulate(lengths, initial=0.0))
        self.total = self.along[-1] + tree.reach[self.joints[-1]]
        self.fits = _fits(tree, self.joints, bones)
        self.helpers = [tree.said[joint].is_helper for joint in self.joints]
        self.named = [0.5 * _weight(tree, joint, bones) for joint in self.joints]
        self.parts = [tree.said[joint].parts for joint in self.joints]
        self.hands = [len(tree.branches(joint)) >= 3 for joint in self.joints]
        self.ends = [_is_end(tree, joint) for joint in self.joints]
        self.bends = [joint not in tree.unbent for joint in self.joints]

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
        if any(self.bends):
            score -= UNBENT_COST * sum(not self.bends[at] for at in bone_at)
        score += 0.3 if "Shoulder" in places else 0.0
        return score + self._proportions(places)

    def _is_like(self, start: int, end: int) -> bool:
        """Tell whether joints are named as one part: hip yaw, hip roll, hip pitch."""
        return all(self.parts[at] and self.parts[at] == self.parts[end] for at in range(start, end))

    def _cost_of_passing(self, at: int, before: str) -> float:
        """Return the cost of skipping a joint after a bone, "" for none.

        A joint that never bends, or is named like that bone, only continues it: a twist joint.
        """
        if not before:
            return self.named[at]
        carries_on = self.fits[at][before] > 0
        return (SKIP_COST if self.bends[at] else 0.0) + (0.0 if carries_on else self.named[at])

    def _proportions(self, places: Mapping[str, int]) -> float:
        """Score a reading by lengths: upper and lower similar, little before and after them."""
        is_leg = self.bones is LEG
        main = self.bones[:3] if is_leg else self.bones[1:]
        upper, lower, end = (places.get(bone) for bone in main)
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
        score = -1.5 * abs(math.log(first / second)) - 0.5 * (end is None)
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
    if said.finger:
        return -4.0
    if not said.parts:
        return 0.0
    return said.parts.get(bone, -NAME_MISMATCH_COST)


def _weight(tree: JointTree, joint: int, bones: Sequence[str]) -> float:
    return max((tree.said[joint].parts.get(bone, 0.0) for bone in bones), default=0.0)


def _is_end(tree: JointTree, joint: int) -> bool:
    """Tell whether a joint only marks the end of the last bone: a leaf that never moves."""
    leaf = not tree.children[joint] and joint not in tree.ends
    return tree.said[joint].is_helper or (leaf and joint in tree.still)
