"""How joints move in a clip: not at all, about one axis, in one plane, or freely.

Elbows and knees bend in one plane. Machines have a joint for each axis: hip yaw, hip roll and hip
pitch are one hip, spread along the limb, and the thigh is what the last of them moves.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.rig.humanoid.stance import unit

FRAMES = 256
"""Frames of a clip that are examined, evenly spaced."""

DISTINCT = 4
"""Least number of different angles: fewer poses lie on one axis by chance."""

UNBENT = math.radians(0.5)
"""Least change of direction that counts as bending [rad]."""

LEAST_SWING = math.radians(2)
"""Least root mean square swing from which a plane of bending is determined [rad]."""

LEAST_ROTATION = 0.02
"""Least rotation from which an axis is determined [rad]."""

OFF_AXIS = 0.01
"""Largest rotation about other axes, relative to that about the axis."""

CROSSING = 0.87
"""Largest cosine between the axes of neighbours that are one joint (30°): those of a knee and an
ankle, or of two segments of a finger, are parallel."""


class Hinge(NamedTuple):
    """The axis (3,) of a joint that rotates about no other, as its parent and its child see it."""

    outside: Floats
    inside: Floats


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


class JointMotion:
    """The rotations (F, 4) of a joint in a clip, its rest (4,), and offsets (n, 3) of its children.

    Of long clips, frames are chosen.
    """

    def __init__(self, rotation: Floats, rest: Floats, offsets: Floats) -> None:
        self.rotation = rotation[:: max(len(rotation) // FRAMES, 1)]
        self.rest = rest
        lengths = np.linalg.norm(offsets, axis=-1)
        self.ways: Floats = offsets[lengths > 0] / lengths[lengths > 0, None]
        self.longest = int(lengths[lengths > 0].argmax()) if lengths.any() else -1

    @property
    def bends(self) -> bool:
        """Whether it changes the direction of a child, or rotates at all if it has none."""
        if not len(self.ways):
            return bool(tf.angle_between(self.rotation, self.rest).max(initial=0.0) > UNBENT)
        posed = tf.rotate(self.rotation[:, None], self.ways)
        across = np.cross(posed, tf.rotate(self.rest, self.ways))
        return bool(np.linalg.norm(across, axis=-1).max(initial=0.0) > math.sin(UNBENT))

    @property
    def spread(self) -> float | None:
        """How far the farthest child moves out of one plane, None if it moves too little.

        It is the ratio of the extents of its directions across and along the main arc, whatever
        the joint twists.
        """
        if not len(self.ways) or len(self.rotation) < DISTINCT:
            return None
        ways = tf.rotate(self.rotation, self.ways[self.longest])
        swings = tf.log(tf.between(unit(ways.mean(axis=0)), ways))
        along, across = np.linalg.svd(swings - swings.mean(axis=0), compute_uv=False)[:2]
        return float(across / along) if along > LEAST_SWING * math.sqrt(len(ways)) else None

    @property
    def hinge(self) -> Hinge | None:
        """The only axis about which rotations differ, None if there is more than one."""
        if len(self.rotation) < DISTINCT:
            return None
        first = self.rotation[0]
        vectors: Floats = tf.log(tf.multiply(self.rotation, tf.conjugate(first)))
        _, sizes, axes = np.linalg.svd(vectors, full_matrices=False)
        axis: Floats = axes[0]
        angles = vectors @ axis
        if np.ptp(angles) < LEAST_ROTATION or sizes[1] > OFF_AXIS * sizes[0]:
            return None
        if len(np.unique(np.round(angles / np.ptp(angles), 2))) < DISTINCT:
            return None
        return Hinge(axis, tf.rotate(tf.conjugate(first), axis))


def moves_of(joints: Mapping[int, JointMotion], *, count: int, still: frozenset[int]) -> Moves:
    """Sort `count` joints by how they move: `joints` are those with rotations in the clip."""
    bending = {joint: each for joint, each in joints.items() if each.bends}
    hinges = ((joint, each.hinge) for joint, each in joints.items() if joint not in still)
    spread = ((joint, each.spread) for joint, each in bending.items())
    return Moves(
        still,
        frozenset(range(count)) - bending.keys(),
        {joint: hinge for joint, hinge in hinges if hinge is not None},
        {joint: ratio for joint, ratio in spread if ratio is not None},
    )


def is_one_joint(hinges: Sequence[Hinge | None]) -> bool:
    """Tell whether joints one after the other are the axes of a single one."""
    known = [hinge for hinge in hinges if hinge is not None]
    return len(known) == len(hinges) > 1 and all(
        abs(float(upper.inside @ lower.outside)) < CROSSING
        for upper, lower in itertools.pairwise(known)
    )
