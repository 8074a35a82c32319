"""Spring bones on a time line: rotations at any time, updated on a grid of frames."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ligament.arrays import Bools, Floats
from ligament.gltf.animation import Pose as TreePose
from ligament.rig.springs.posing import Pose
from ligament.rig.springs.spring_bones import STEADY_RATE, Mode, SpringBones, blend
from ligament.rig.springs.state import State

AHEAD = 64
"""Frames updated at once. The grid always grows by as many, so that rotations do not depend on the
order of queries."""


class SpringTrack:
    """Local rotations of the swinging joints at any time from 0 s on.

    Frames come at `rate` [Hz], in steady mode at the rate of its updates. `poses` returns the local
    transforms of all nodes without springs at some times [s], `resets` which joints (F, J) are
    reset at each. Rotations are interpolated between frames, and held before a reset.
    """

    def __init__(
        self,
        springs: SpringBones,
        rate: float,
        mode: Mode,
        poses: Callable[[Floats], TreePose],
        resets: Callable[[Floats, float], Bools],
    ) -> None:
        self.springs = springs
        self.rate = STEADY_RATE if mode == "steady" else rate
        self._poses, self._resets = poses, resets
        self._state: State | None = None
        self._rotations = np.zeros((0, len(springs.nodes), 4))
        self._rests = np.zeros((0, len(springs.nodes)), bool)

    def rotations(self, times: Floats) -> Floats:
        """Return the local rotations (F, J, 4) of the joints at times (F,) [s]."""
        at = np.asarray(times, float) * self.rate
        self._continue(int(np.ceil(at.max(initial=0.0) - 1e-6)) + 1)
        last = int(np.ceil(at.max(initial=0.0) - 1e-6)) + 1
        first = max(0, int(np.floor(at.min(initial=last) + 1e-6)))
        known, rests = self._rotations[first:last], np.asarray(self._rests[first:last].any(axis=1))
        shown = blend(np, known[None], at - first, is_rotation=True, holds=rests)
        return np.asarray(shown[0])

    def _continue(self, count: int) -> None:
        """Update until the given number of frames is known."""
        parts, rests, known = [self._rotations], [self._rests], len(self._rotations)
        while known < count:
            times = np.arange(known, known + AHEAD) / self.rate
            pose, marks = self._poses(times), self._resets(times, 1 / self.rate)
            given = Pose(pose.translation[None], pose.rotation[None], pose.scale[None])
            rotation, self._state = self.springs.advance(self._state, given, 1 / self.rate, marks)
            parts.append(np.asarray(rotation[0]))
            rests.append(marks)
            known += AHEAD
        if len(parts) > 1:
            self._rotations, self._rests = np.concatenate(parts), np.concatenate(rests)
