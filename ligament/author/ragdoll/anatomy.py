"""The anatomy of a humanoid: its segments, and their positions and axes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.author.ragdoll.anthropometry import SEGMENTS, Build, JointRange, Segment
from ligament.extensions.humanoid.bones import nearest_parent
from ligament.rig import Humanoid
from ligament.rig.humanoid.tpose import T_POSE, alignment

_EXACT = ("UpperArm", "LowerArm", "UpperLeg", "LowerLeg")
"""Limbs are straight in a T-pose; for other bones only the approximate direction is known."""

LEG = 0.2425 + 0.2493
"""Thigh and shank relative to the height of the body (de Leva, table 4, men)."""

_CONTINUING = frozenset({"abdomen", "thorax", "head", "forearm", "hand", "shank", "foot"})
"""Segments that start where their parent ends; arms and legs branch off."""


class Part(NamedTuple):
    """A segment of a humanoid, attached to a bone, with the segments folded into it.

    `share` is its fraction of the body's mass; `joint_range` its motion relative to its `parent`
    part.
    """

    segment: Segment
    bone: str
    parent: str | None
    share: float
    joint_range: JointRange | None


class Anatomy:
    """The parts of a humanoid by name, and its bones in the axes of a T-pose.

    `place` (3,) [m] is the position of a bone in the world at rest; `frame` (4,) rotates the axes
    of a T-pose that faces +Z to those of the bone at rest. `height` [m] is an estimate for the
    whole body.
    """

    def __init__(self, humanoid: Humanoid, build: Build) -> None:
        self.humanoid = humanoid
        places: Floats = humanoid.tree.world_matrices()[humanoid.nodes, :3, 3]
        self.place: dict[str, Floats] = dict(zip(humanoid.bones, places, strict=True))
        self.frame = _frames(humanoid, self.place)
        self.parts = _parts(self.place, build)
        self.height = _height(self.place)

    def next_joint(self, name: str) -> Floats | None:
        """Return the position where the limb or trunk continues after a part, None at its end."""
        for part in self.parts.values():
            if part.parent == name and part.segment.name.split()[-1] in _CONTINUING:
                return self.place[part.bone]
        return None

    def carrier(self, bone: str) -> str | None:
        """Return the name of the part that a bone belongs to."""
        attached = {part.bone: name for name, part in self.parts.items()}
        at: str | None = bone
        while at is not None and at not in attached:
            at = nearest_parent(at, dict.fromkeys(self.place, 0))
        return None if at is None else attached[at]

    def neighbours(self) -> set[frozenset[str]]:
        """Return the pairs of parts that a joint holds together."""
        return {frozenset((n, p.parent)) for n, p in self.parts.items() if p.parent is not None}


def _parts(places: Mapping[str, Floats], build: Build) -> dict[str, Part]:
    """Find the segments that have a bone; the others are folded into their parents."""
    bones = {
        name: next((bone for bone in segment.bones if bone in places), None)
        for name, segment in SEGMENTS.items()
    }
    shares = {name: segment.share(build) for name, segment in SEGMENTS.items()}
    ranges = {name: segment.joint_range for name, segment in SEGMENTS.items()}
    for name in reversed(SEGMENTS):
        if bones[name] is None:
            shares[_carrier(name, bones)] += shares[name]
    whole = sum(share for name, share in shares.items() if bones[name] is not None)
    if bones["thorax"] is None:
        ranges["abdomen"] = _doubled(SEGMENTS["abdomen"].joint_range)
    parts = {}
    for name, segment in SEGMENTS.items():
        bone = bones[name]
        if bone is not None:
            parent = _carrier(name, bones) if segment.parent else None
            parts[name] = Part(segment, bone, parent, shares[name] / whole, ranges[name])
    return parts


def _carrier(name: str, bones: Mapping[str, str | None]) -> str:
    """Return the nearest ancestor segment that has a bone; the pelvis always has one."""
    above = SEGMENTS[name].parent
    while above is not None and bones[above] is None:
        above = SEGMENTS[above].parent
    return above or "pelvis"


def _doubled(joint_range: JointRange | None) -> JointRange | None:
    """Double a range, for a back with one joint instead of two."""
    if joint_range is None or joint_range.swing is None:
        return joint_range
    low, high = joint_range.twist
    return JointRange(joint_range.center, 2 * joint_range.swing, (2 * low, 2 * high))


def _frames(humanoid: Humanoid, places: Mapping[str, Floats]) -> dict[str, Floats]:
    """Return the rotation (4,) of every bone from the axes of a T-pose to the world at rest.

    An inferred humanoid is measured from a T-pose, which may be far from its rest pose.
    """
    at_rest = humanoid.tree.world_orientations()[humanoid.nodes]
    if humanoid.is_measured:
        frames = tf.multiply(at_rest, tf.conjugate(humanoid.world_rotation))
        return dict(zip(humanoid.bones, frames, strict=True))
    stance = _stance(places)
    standing = {bone: tf.rotate(stance, place) for bone, place in places.items()}
    aligned = alignment(humanoid.bones, np.stack(list(standing.values())))
    rough = dict(zip(humanoid.bones, aligned, strict=True))
    rotations: dict[str, Floats] = {}
    for bone in humanoid.bones:
        parent = nearest_parent(bone, dict.fromkeys(places, 0))
        turn = rough[bone]
        if parent is not None:
            turn = tf.multiply(tf.multiply(rotations[parent], tf.conjugate(rough[parent])), turn)
        rotations[bone] = _straightened(bone, turn, standing)
    return {
        bone: np.asarray(tf.multiply(tf.conjugate(stance), tf.conjugate(turn)))
        for bone, turn in rotations.items()
    }


def _straightened(bone: str, turn: Floats, standing: Mapping[str, Floats]) -> Floats:
    """Rotate a limb exactly to its direction in a T-pose."""
    limb = next((limb for limb in _EXACT if bone.endswith(limb)), None)
    ends = {"UpperArm": "LowerArm", "LowerArm": "Hand", "UpperLeg": "LowerLeg", "LowerLeg": "Foot"}
    end = None if limb is None else bone.removesuffix(limb) + ends[limb]
    if end is None or end not in standing:
        return turn
    along = tf.rotate(turn, standing[end] - standing[bone])
    if not np.linalg.norm(along) > 0:
        return turn
    return np.asarray(tf.multiply(tf.between(along, np.array(T_POSE[bone].direction)), turn))


def _stance(places: Mapping[str, Floats]) -> Floats:
    """Return the rotation (4,) that makes the trunk upright and face +Z."""
    tops = ("neck", "head", "upperChest", "chest", "spine")
    up = next((places[bone] - places["hips"] for bone in tops if bone in places), None)
    left = next(
        (
            places[f"left{end}"] - places[f"right{end}"]
            for end in ("UpperLeg", "UpperArm", "Shoulder")
            if f"left{end}" in places and f"right{end}" in places
        ),
        None,
    )
    if up is None or left is None or not np.linalg.norm(np.cross(up, left)) > 0:
        return np.array([0.0, 0.0, 0.0, 1.0])
    y = up / np.linalg.norm(up)
    z = np.cross(left, y)
    z = z / np.linalg.norm(z)
    return np.asarray(tf.from_matrix(np.stack([np.cross(y, z), y, z])))


def _height(places: Mapping[str, Floats]) -> float:
    """Estimate the height of the body [m] from its legs, or else from its extent."""
    legs = [
        np.linalg.norm(places[f"{side}LowerLeg"] - places[f"{side}UpperLeg"])
        + np.linalg.norm(places[f"{side}Foot"] - places[f"{side}LowerLeg"])
        for side in ("left", "right")
        if {f"{side}UpperLeg", f"{side}LowerLeg", f"{side}Foot"} <= places.keys()
    ]
    if legs and min(legs) > 0:
        return float(np.mean(legs)) / LEG
    extent = float(np.ptp(np.stack(list(places.values())), axis=0).max())
    return extent or 1.0
