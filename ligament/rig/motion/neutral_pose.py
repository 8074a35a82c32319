"""Neutral pose of a clip: the mean of its frames, for skeletons whose rest pose says nothing."""

from __future__ import annotations

import numpy as np

from ligament.arrays import Floats
from ligament.rig.humanoid.bones import SIDES

LEAST_BEND = 0.02
"""Least average bend (a sine) of knees or elbows that determines a limb's twist."""

HINGED = tuple(
    (f"{side}Upper{limb}", f"{side}Lower{limb}", f"{side}{end}")
    for side in SIDES
    for limb, end in (("Leg", "Foot"), ("Arm", "Hand"))
)
"""Upper and lower bone, and the bone at their end, of limbs with hinges."""


def mean_rotation(rotation: Floats) -> Floats:
    """Return the mean (4,) of rotations (F, 4): the one that they deviate from least."""
    _, vectors = np.linalg.eigh(rotation.T @ rotation)
    mean: Floats = vectors[:, -1] * (1.0 if vectors[3, -1] >= 0 else -1.0)
    return mean
