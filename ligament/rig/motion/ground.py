"""Ground of a clip: what feet that stand on it show.

Files without a meaningful rest pose say neither how thick soles are nor how feet slope. The frames
do, as far as the ground is at height 0 and feet stand still on it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats, Ints
from ligament.rig.motion.bvh import Bvh

MOST_FRAMES = 600
"""Frames looked at, spread over the clip."""

THICKEST, ANKLES = 0.04, 0.12
"""Largest height above the ground of toes or ends of feet, and of ankles [heights of the hips]."""

GROUND_MARK = 0.005
"""Distance from the lowest joint down to an end that marks the ground [heights of the hips]."""

LOWEST = 0.05
"""Fraction of the frames in which feet may be lower, by noise."""


STILL, LOW = 0.15, 0.06
"""Speed [lengths of a leg per second] and height [lengths of a leg] below which a foot stands."""

LEAST_FRAMES, LEAST_AGREEMENT = 3, 0.98
"""Frames in which a foot must stand, and length of the mean of its up directions there."""


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
    if height > (1 + GROUND_MARK) * of_joints:
        return 0.0
    return clearance if 0 < clearance < most else 0.0


def ups_of_feet(bvh: Bvh, joints: Sequence[int], up: Floats) -> dict[int, Floats]:
    """Return the up direction (3,) of the joints of a foot where it stands flat on the ground.

    `joints` are the ankle and those below it, `up` (3,) is the up direction of the world. A foot
    stands where it is low and all its joints are still. It is missing if it never does, or not
    always the same way.
    """
    frames = sampled_frames(len(bvh.rotation))
    frames = frames[frames + 1 < len(bvh.rotation)]
    if len(frames) < LEAST_FRAMES:
        return {}
    shin, ankle = int(bvh.parents[joints[0]]), joints[0]
    leg = float(sum(np.linalg.norm(bvh.offsets[joint]) for joint in (shin, ankle)))
    now, later = bvh.follow(joints, frames), bvh.follow(joints, frames + 1)
    heights = now[ankle][1] @ up
    stands = heights < np.quantile(heights, LOWEST) + LOW * leg
    for joint in joints:
        move = (later[joint][1] - now[joint][1]) / bvh.frame_time
        stands = stands & (np.linalg.norm(move, axis=1) < STILL * leg)
    if stands.sum() < LEAST_FRAMES:
        return {}
    ups = {j: tf.rotate(tf.conjugate(now[j][0][stands]), up).mean(axis=0) for j in joints}
    return {joint: own for joint, own in ups.items() if np.linalg.norm(own) > LEAST_AGREEMENT}
