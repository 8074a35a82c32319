"""Fingers below a hand: by their names, or by the shape of the hand.

Segments are counted from the hand outwards, whatever their numbers. Metacarpals of the four fingers
are no bones, nor are joints that only mark a finger tip.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ligament.rig.motion.joint_names import FINGERS
from ligament.rig.motion.joint_tree import JointTree

THUMB = ("Metacarpal", "Proximal", "Distal")
FINGER = ("Proximal", "Intermediate", "Distal")


def find_fingers(tree: JointTree, hand: int, side: str) -> dict[str, int]:
    """Return bone → joint of the fingers of a hand."""
    chains = _named(tree, hand) or _shaped(tree, hand)
    bones: dict[str, int] = {}
    for finger, chain in chains.items():
        segments = THUMB if finger == "Thumb" else FINGER
        bones |= {f"{side}{finger}{s}": j for s, j in zip(segments, chain, strict=False)}
    return bones


def _named(tree: JointTree, hand: int) -> dict[str, list[int]]:
    below = [joint for joint in tree.below(hand) if tree.said[joint].finger]
    below = [joint for joint in below if not tree.said[joint].is_helper]
    shift = _counted_from_one(tree, below)
    groups: dict[str, list[int]] = {}
    for joint in below:
        finger = tree.said[joint].finger
        if shift:
            finger = (
                FINGERS[max(FINGERS.index(finger) - 1, 0)]
                if _number(tree, joint) < 5
                else ("Little")
            )
        chain = groups.setdefault(finger, [])
        if not chain or chain[-1] in tree.above(joint):
            chain.append(joint)
    return {finger: kept for finger, chain in groups.items() if (kept := _segments(tree, chain))}


def _number(tree: JointTree, joint: int) -> int:
    """Return the digit after "finger" in a name, -1 where there is none."""
    words = tree.said[joint].words
    if "finger" not in words:
        return -1
    after = words[words.index("finger") + 1 :]
    return next((int(word[0]) for word in after if word.isdigit()), -1)


def _counted_from_one(tree: JointTree, joints: Sequence[int]) -> bool:
    """Whether fingers without names are numbered from 1 to 5."""
    spelled = {"proximal", "medial", "intermediate", "distal", "metacarpal"}
    if any(spelled & set(tree.said[joint].words) for joint in joints):
        return False  # such names were read so already
    numbers = {_number(tree, joint) for joint in joints}
    return 5 in numbers and 0 not in numbers


def _segments(tree: JointTree, chain: list[int]) -> list[int]:
    """Leave out a metacarpal before the segments, and tips after them."""
    numbered = [tree.said[joint].has_number for joint in chain]
    if len(chain) > 1 and not numbered[0] and all(numbered[1:]):
        chain = chain[1:]
    if len(chain) == 1 and not tree.said[chain[0]].has_number:
        return []
    return chain[:3]


def _shaped(tree: JointTree, hand: int) -> dict[str, list[int]]:
    """Tell fingers by their shape: the thumb points elsewhere, the others follow in a row."""
    chains = [_straight(tree, start) for start in _starts(tree, hand)]
    chains = [chain for chain in chains if len(chain) >= 2]
    if len(chains) > 5:  # what the hand holds has fewer joints
        chains = [chain for chain in chains if len(chain) >= 3]
    if not 3 <= len(chains) <= 5:
        return {}
    places = tree.positions
    ways = np.array([places[chain[-1]] - places[chain[-2]] for chain in chains])
    ways /= np.maximum(np.linalg.norm(ways, axis=1, keepdims=True), 1e-12)
    alike = ways @ ways.T
    away = [float(np.median(np.delete(row, i))) for i, row in enumerate(alike)]
    thumb = int(np.argmin(away))
    rest = [chain for i, chain in enumerate(chains) if i != thumb]
    segments = [_without_metacarpal(tree, hand, chain) for chain in rest]
    knuckles = places[[chain[0] for chain in segments]]
    along = np.delete(ways, thumb, axis=0).mean(axis=0)
    to_thumb = places[chains[thumb][-1]] - knuckles.mean(axis=0)
    to_thumb = to_thumb - along * float(to_thumb @ along) / max(float(along @ along), 1e-12)
    across = [segments[i] for i in np.argsort(-(knuckles @ to_thumb), kind="stable")]
    found = {"Thumb": chains[thumb][:3]}
    return found | {finger: chain[:3] for finger, chain in zip(FINGERS[1:], across, strict=False)}


def _starts(tree: JointTree, hand: int) -> list[int]:
    """Return the first joints of the fingers, which may hang on a joint in the palm."""
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


def _without_metacarpal(tree: JointTree, hand: int, chain: list[int]) -> list[int]:
    """Drop the first of four joints where it starts at the wrist and is the longest."""
    if len(chain) < 4:
        return chain
    lengths = [tree.length[joint] for joint in chain[1:4]]
    return chain[1:] if lengths[0] > 1.2 * max(lengths[1:]) else chain[:3]
