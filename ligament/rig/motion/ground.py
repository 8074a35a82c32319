"""Ground of a clip: what feet that stand on it show.

Files without a meaningful rest pose say neither how thick soles are nor how feet slope. The frames
do, as far as the ground is at height 0 and feet stand still on it.
"""

from __future__ import annotations

import numpy as np

from ligament.arrays import Floats, Ints

MOST_FRAMES = 600
"""Frames looked at, spread over the clip."""

THICKEST, ANKLES = 0.04, 0.12
"""Largest height above the ground of toes or ends of feet, and of ankles [heights of the hips]."""

MARKED = 0.005
"""Distance from the lowest joint down to an end that marks the ground [heights of the hips]."""

LOWEST = 0.05
"""Fraction of the frames in which feet may be lower, by noise."""


def sampled_frames(count: int) -> Ints:
    """Return the indices of the frames to look at."""
    return np.unique(np.linspace(0, count - 1, min(count, MOST_FRAMES)).astype(np.int64))


def sole_thickness(lowest: Floats, height: float, of_joints: float, *, has_feet: bool) -> float:
    """Return how far the ends of legs are above the ground when they stand on it.

    `lowest` (F,) are the heights of the lowest end in every frame, `height` that of the hips above
    the ends in a T-pose, `of_joints` that above the lowest joint; legs without feet end at the
    ankles. It is 0 if the ends are below the joints, and so mark the ground themselves, and if the
    clip is not above a ground at 0.
    """
    clearance = float(np.quantile(lowest, LOWEST))
    most = (THICKEST if has_feet else ANKLES) * height
    if height > (1 + MARKED) * of_joints:
        return 0.0
    return clearance if 0 < clearance < most else 0.0
