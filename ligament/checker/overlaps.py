"""Overlaps of boxes and balls: penetration depths."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

from ligament.arrays import Floats, Ints

_PARALLEL = 1e-6
"""Length of a cross product below which two edges count as parallel."""


@dataclasses.dataclass(frozen=True, eq=False)
class Blocks:
    """Balls and boxes in world space, (n, …) each.

    `center` (n, 3) [m]; `axes` (n, 3, 3) has the directions of a box in its columns; `half`
    (n, 3) [m] are its half extents, 0 for a ball; `radius` (n,) [m] is that of a ball, 0 for a box.
    """

    center: Floats
    axes: Floats
    half: Floats
    radius: Floats

    @property
    def is_ball(self) -> npt.NDArray[np.bool_]:
        """Which of them (n,) are balls."""
        return np.asarray(self.radius > 0)

    @property
    def thickness(self) -> Floats:
        """The smallest extent [m] of each (n,)."""
        return np.where(self.is_ball, 2 * self.radius, 2 * self.half.min(axis=1, initial=np.inf))

    def bounds(self) -> tuple[Floats, Floats]:
        """Return the corners (n, 3) of the axis-aligned bounding boxes."""
        reach = (np.abs(self.axes) * self.half[:, None]).sum(axis=2) + self.radius[:, None]
        return self.center - reach, self.center + reach

    def depth(self, a: Ints, b: Ints) -> Floats:
        """Return the penetration depth (p,) [m] of pairs; negative if they are separated."""
        result = np.empty(len(a))
        ball_a, ball_b = self.is_ball[a], self.is_ball[b]
        both, none = ball_a & ball_b, ~ball_a & ~ball_b
        mixed = ball_a ^ ball_b
        balls, boxes = np.where(ball_a, a, b), np.where(ball_a, b, a)
        result[both] = self._balls(a[both], b[both])
        result[mixed] = self._ball_in_box(balls[mixed], boxes[mixed])
        result[none] = self._boxes(a[none], b[none])
        return result

    def _balls(self, a: Ints, b: Ints) -> Floats:
        distance = np.linalg.norm(self.center[b] - self.center[a], axis=1)
        return np.asarray(self.radius[a] + self.radius[b] - distance)

    def _ball_in_box(self, ball: Ints, box: Ints) -> Floats:
        offset = self.center[ball] - self.center[box]
        local = np.einsum("nji,nj->ni", self.axes[box], offset)
        beyond = np.abs(local) - self.half[box]
        outside = np.linalg.norm(np.maximum(beyond, 0), axis=1)
        return np.asarray(self.radius[ball] - np.where(outside > 0, outside, beyond.max(axis=1)))

    def _boxes(self, a: Ints, b: Ints) -> Floats:
        """Find the axis of least overlap between two boxes (separating axes)."""
        if not len(a):
            return np.empty(0)
        axes_a, axes_b = self.axes[a], self.axes[b]
        edges = np.cross(axes_a[:, :, :, None], axes_b[:, :, None, :], axis=1).reshape(-1, 3, 9)
        length = np.linalg.norm(edges, axis=1)
        usable = length > _PARALLEL
        edges = edges / np.where(usable, length, 1.0)[:, None]
        directions = np.concatenate([axes_a, axes_b, edges], axis=2)
        reach = self._reach(a, directions) + self._reach(b, directions)
        separation = np.abs(np.einsum("ni,nik->nk", self.center[b] - self.center[a], directions))
        overlap = reach - separation
        overlap[:, 6:][~usable] = np.inf
        return np.asarray(overlap.min(axis=1))

    def _reach(self, boxes: Ints, directions: Floats) -> Floats:
        """Return the extents (n, k) of boxes from their centres along directions (n, 3, k)."""
        along = np.abs(np.einsum("nij,nik->njk", self.axes[boxes], directions))
        return np.asarray(np.einsum("nj,njk->nk", self.half[boxes], along))
