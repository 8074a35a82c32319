"""Limbs of machines, which have a joint for each axis.

Hip yaw, hip roll and hip pitch are one hip, spread along the limb: the thigh is what the last of
them moves. Such joints are known by their names, or because each rotates about one axis throughout
a clip, and neighbours about different ones.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats

LEAST_ROTATION = 0.02
"""Least rotation in a clip from which an axis is determined [rad]."""

OFF_AXIS = 0.01
"""Largest rotation about other axes, relative to that about the axis."""

DISTINCT = 4
"""Least number of different angles: fewer poses lie on one axis by chance."""

CROSSING = 0.87
"""Largest cosine between the axes of neighbours that are one joint (30°): those of a knee and an
ankle, or of two segments of a finger, are parallel."""


class Hinge(NamedTuple):
    """The axis (3,) of a joint that rotates about no other, as its parent and its child see it."""

    outside: Floats
    inside: Floats


def hinge_of(rotation: Floats) -> Hinge | None:
    """Return the only axis about which rotations (F, 4) differ, None if there is more than one."""
    if len(rotation) < DISTINCT:
        return None
    first = rotation[0]
    vectors: Floats = tf.log(tf.multiply(rotation, tf.conjugate(first)))
    _, sizes, axes = np.linalg.svd(vectors, full_matrices=False)
    axis: Floats = axes[0]
    angles = vectors @ axis
    if np.ptp(angles) < LEAST_ROTATION or sizes[1] > OFF_AXIS * sizes[0]:
        return None
    if len(np.unique(np.round(angles / np.ptp(angles), 2))) < DISTINCT:
        return None
    return Hinge(axis, tf.rotate(tf.conjugate(first), axis))


def is_one_joint(hinges: Sequence[Hinge | None]) -> bool:
    """Tell whether joints one after the other are the axes of a single one."""
    known = [hinge for hinge in hinges if hinge is not None]
    return len(known) == len(hinges) > 1 and all(
        abs(float(upper.inside @ lower.outside)) < CROSSING
        for upper, lower in itertools.pairwise(known)
    )
