"""Limbs of a skeleton: the pairs of chains that are its legs and arms."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ligament.arrays import Floats
from ligament.rig.humanoid.stance import unit
from ligament.rig.motion.joint_tree import JointTree, Pair
from ligament.rig.motion.limb_readings import ARM, LEG, name_weight, read_pair

MOST_PAIRS = 12
"""Pairs of siblings that are examined closely."""

SKEWED, ASIDE = 5.0, 0.7
"""Cost of arms one behind or above the other, and the cosine below which they are that."""


STANDING = 0.5
"""Least share of the legs' directions that points away from the trunk, unless the rest pose is
degenerate."""


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
        named = min(sum(name_weight(tree, joint, bones) for joint in chain[:6]) for chain in chains)
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
    named = [any(name_weight(tree, joint, bones) for joint in chain[:6]) for chain in chains]
    lengths = [tree.chain_length(chain) + tree.length[chain[0]] for chain in chains]
    shared = min(map(len, chains))
    parts = [sum(tree.length[joint] for joint in chain[:shared]) for chain in chains]
    other = ARM if bones is LEG else LEG
    strange = any(name_weight(tree, joint, other) for chain in chains for joint in chain[:6])
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
    falling = -float(_rising(tree, legs, arms) @ _hanging(tree, legs))
    score += 1.5 * falling
    if falling > STANDING:
        score -= _skewness(_across(tree, legs), _across(tree, arms))
    return score


def trunk_of(tree: JointTree, legs: Pair, arms: Pair) -> Floats:
    """Return the direction (3,) of the trunk, 0 if the rest pose does not stand on its legs."""
    up = _rising(tree, legs, arms)
    return up if -float(up @ _hanging(tree, legs)) > STANDING else np.zeros(3)


def _rising(tree: JointTree, legs: Pair, arms: Pair) -> Floats:
    """Return the direction (3,) from legs to arms, or 0."""
    hips = tree.meeting(legs.parent, arms.parent)
    low, high = [*legs[:2]], [*arms[:2]]
    if hips is not None and hips != arms.parent:  # else one joint bears all limbs
        low, high = [hips], [arms.parent]
    return unit(tree.positions[high].mean(axis=0) - tree.positions[low].mean(axis=0))


def _hanging(tree: JointTree, legs: Pair) -> Floats:
    """Return the mean direction (3,) of two legs, which is short if they point apart."""
    ends = tree.positions[[tree.chain(joint)[-1] for joint in legs[:2]]]
    first, second = ends - tree.positions[[*legs[:2]]]
    mean: Floats = (unit(first) + unit(second)) / 2
    return mean


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
