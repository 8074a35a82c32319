"""Fingers below a hand, found by name or by the shape of the hand.

Segments are counted from the hand outwards, whatever their numbers. Metacarpals of the four fingers
are not bones, nor are joints that only mark a finger tip.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ligament.arrays import Floats
from ligament.rig.motion.joint_names import FINGERS
from ligament.rig.motion.joint_tree import JointTree

THUMB = ("Metacarpal", "Proximal", "Distal")
FINGER = ("Proximal", "Intermediate", "Distal")

Fingers = dict[str, list[int]]
"""Finger → its joints, from the hand outwards."""


def find_fingers(tree: JointTree, hand: int, side: str) -> dict[str, int]:
    """Return bone → joint of the fingers of a hand."""
    bones: dict[str, int] = {}
    for finger, chain in _chains(tree, hand).items():
        segments = THUMB if finger == "Thumb" else FINGER
        bones |= {f"{side}{finger}{s}": j for s, j in zip(segments, chain, strict=False)}
    return bones


def _chains(tree: JointTree, hand: int) -> Fingers:
    """Return the fingers identified by name, and the others by position."""
    below = [joint for joint in tree.below(hand) if tree.said[joint].finger]
    below = [joint for joint in below if not tree.said[joint].is_helper]
    by_name = [joint for joint in below if tree.said[joint].names_finger]
    named = _grouped(tree, hand, by_name or below)
    straight = [_straight(tree, start) for start in _starts(tree, hand)]
    if not by_name and not _is_one_to_one(named, straight):
        named = {}
    taken = {joint for joint in below if joint in by_name or not by_name} if named else set()
    free = [chain for chain in straight if not taken & {*chain}]
    return named | _unnamed(tree, hand, named, free)


def _grouped(tree: JointTree, hand: int, joints: Sequence[int]) -> Fingers:
    """Group joints by the finger that their names mention."""
    shift = _counted_from_one(tree, hand, joints)
    groups: Fingers = {}
    for joint in joints:
        finger = tree.said[joint].finger
        if shift:
            last = _number(tree, joint) >= 5
            finger = FINGERS[-1] if last else FINGERS[max(FINGERS.index(finger) - 1, 0)]
        groups.setdefault(finger, []).append(joint)
    chains = {finger: _longest(tree, group) for finger, group in groups.items()}
    return {finger: kept for finger, chain in chains.items() if (kept := _segments(tree, chain))}


def _longest(tree: JointTree, joints: Sequence[int]) -> list[int]:
    """Return the longest chain of joints."""
    lines = [[j for j in tree.lineage(joint) if j in joints] for joint in joints]
    return max(lines, key=len)


def _is_one_to_one(named: Fingers, chains: Sequence[list[int]]) -> bool:
    """Tell whether fingers with numbers for names are one chain of the hand each."""
    owners = [
        [i for i, chain in enumerate(chains) if {*joints} & {*chain}] for joints in named.values()
    ]
    first = [owner[0] for owner in owners if len(owner) == 1]
    return len({*first}) == len(named) == len(chains) or not chains


def _number(tree: JointTree, joint: int) -> int:
    """Return the digit after "finger" in a name, -1 if there is none."""
    words = tree.said[joint].words
    if "finger" not in words:
        return -1
    after = words[words.index("finger") + 1 :]
    return next((int(word[0]) for word in after if word.isdigit()), -1)


def _counted_from_one(tree: JointTree, hand: int, joints: Sequence[int]) -> bool:
    """Tell whether unnamed fingers are numbered from 1, the thumb.

    Hands with four fingers or fewer show it by shape: their first starts nearest to the wrist, and
    points elsewhere.
    """
    spelled = {"proximal", "medial", "intermediate", "distal", "metacarpal"}
    if any(spelled & set(tree.said[joint].words) for joint in joints):
        return False  # such names have been read already
    numbers = {_number(tree, joint) for joint in joints}
    if 5 in numbers or 0 in numbers or 1 not in numbers:
        return 5 in numbers and 0 not in numbers
    chains = [_straight(tree, start) for start in _starts(tree, hand)]
    owners = [chain for chain in chains if any(_number(tree, j) == 1 for j in chain)]
    if not 3 <= len(chains) <= len(FINGERS) or len(owners) != 1:
        return False
    starts = [np.linalg.norm(tree.positions[chain[0]] - tree.positions[hand]) for chain in chains]
    nearest = chains[int(np.argmin(starts))]
    return owners[0] is nearest and _shaped(tree, chains)[FINGERS[0]] is nearest


def _segments(tree: JointTree, chain: list[int]) -> list[int]:
    """Drop a metacarpal before the segments, and tips after them."""
    numbered = [tree.said[joint].has_number for joint in chain]
    if len(chain) > 1 and not numbered[0] and all(numbered[1:]):
        chain = chain[1:]
    if len(chain) == 1 and not tree.said[chain[0]].has_number:
        return []
    if tree.said[chain[0]].finger == FINGERS[0]:
        return chain[:3]
    return _without_metacarpal(tree, chain)[:3]


def _unnamed(tree: JointTree, hand: int, named: Fingers, free: list[list[int]]) -> Fingers:
    """Identify unnamed fingers by their order."""
    free = [chain for chain in free if len(chain) >= 2]
    if len(named) + len(free) > len(FINGERS):  # objects held in the hand have fewer joints
        free = [chain for chain in free if len(chain) >= 3]
    if not free or not 3 <= len(named) + len(free) <= len(FINGERS):
        return {}
    shaped = _shaped(tree, [*named.values(), *free])
    if any(shaped[finger] is not chain for finger, chain in named.items() if finger in shaped):
        rest = [finger for finger in FINGERS if finger not in named]
        row = [chain for chain in shaped.values() if any(chain is each for each in free)]
        shaped = dict(zip(rest, row, strict=False))
    found = {finger: chain for finger, chain in shaped.items() if finger not in named}
    return {
        finger: (chain if finger == FINGERS[0] else _without_metacarpal(tree, chain))[:3]
        for finger, chain in found.items()
    }


def _shaped(tree: JointTree, chains: Sequence[list[int]]) -> Fingers:
    """Identify fingers by shape: the thumb points elsewhere, the others follow in a row."""
    directions = np.array([_direction(tree, chain) for chain in chains])
    alike = directions @ directions.T
    away = [float(np.median(np.delete(row, i))) for i, row in enumerate(alike)]
    thumb = int(np.argmin(away))
    rest = [chain for i, chain in enumerate(chains) if i != thumb]
    places = tree.positions
    knuckles = places[[_without_metacarpal(tree, chain)[0] for chain in rest]]
    along = np.delete(directions, thumb, axis=0).mean(axis=0)
    to_thumb = places[chains[thumb][-1]] - knuckles.mean(axis=0)
    to_thumb = to_thumb - along * float(to_thumb @ along) / max(float(along @ along), 1e-12)
    across = [rest[i] for i in np.argsort(-(knuckles @ to_thumb), kind="stable")]
    return {FINGERS[0]: chains[thumb]} | dict(zip(FINGERS[1:], across, strict=False))


def _direction(tree: JointTree, chain: Sequence[int]) -> Floats:
    """Return the direction of the last segment of a finger, or of the way to its only joint."""
    before = chain[-2] if len(chain) > 1 else tree.parents[chain[-1]]
    direction: Floats = tree.positions[chain[-1]] - tree.positions[before]
    return direction / max(float(np.linalg.norm(direction)), 1e-12)


def _starts(tree: JointTree, hand: int) -> list[int]:
    """Return the first joints of the fingers, which may be below a joint in the palm."""
    while True:
        branches = tree.branches(hand)
        if len(branches) != 1:
            return branches
        hand = branches[0]


def _straight(tree: JointTree, start: int) -> list[int]:
    """Follow a finger to its last joint that moves."""
    chain = tree.chain(start)
    last = chain[-1]
    if len(chain) > 3 and last not in tree.ends and (last in tree.still or len(chain) > 4):
        chain = chain[:-1]
    return chain


def _without_metacarpal(tree: JointTree, chain: list[int]) -> list[int]:
    """Drop the first of four or more joints if it is a metacarpal and no tip is the fourth.

    Whichever of first and last never moves is no segment; if both or neither move, a metacarpal is
    longer than the others and than the distance to it from the hand.
    """
    if len(chain) < 4:
        return chain
    first, last = (chain[i] in tree.still for i in (0, 3))
    if first != last:
        return chain[1:] if first else chain
    lengths = [tree.length[joint] for joint in chain[:4]]
    return chain[1:] if lengths[1] > max(lengths[0], *lengths[2:]) else chain
