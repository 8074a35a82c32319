"""Overlaps of boxes and balls: pairs in near-linear time, and penetration depths.

Boxes are sorted into grids, one per power of two of their size, so that a box covers at most eight
cells of its own grid and of every coarser grid. Candidate pairs share a cell.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from ligament.arrays import Floats, Ints

_PARALLEL = 1e-6
"""Length of a cross product below which two edges count as parallel."""


CHUNK = 1 << 18
"""Pairs processed together."""

_FARTHEST = 2.0**20
"""Distance [cells] from the origin beyond which all cells are merged into one."""

_CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], bool)
_BITS = np.array([1 << 42, 1 << 21, 1], np.int64)
"""Increment of a cell's number for one step along each axis."""

_SCRAMBLE = np.uint64(0x9E3779B97F4A7C15)
"""An odd constant from the golden ratio: multiplying by it mixes all bits (Fibonacci hashing)."""


def overlapping(low: Floats, high: Floats, *, most: int) -> Iterator[tuple[Ints, Ints]]:
    """Yield pairs of boxes (n, 3) to (n, 3) that overlap, in chunks (p,) and (p,).

    It stops after `most` pairs that share a cell: in a heap of boxes everything overlaps.
    """
    sizes = (high - low).max(axis=1, initial=0.0)
    levels = np.ceil(np.log2(np.maximum(sizes, 1e-9))).astype(np.int64)
    left = most
    for level in np.unique(levels).tolist():
        seekers = np.flatnonzero(levels <= level)
        cell = 2.0**level
        wanted, who = _shared(*_cells(low[seekers], high[seekers], cell))
        is_member = levels[seekers[who]] == level
        order = np.argsort(wanted[is_member], kind="stable")
        keys, owners = wanted[is_member][order], seekers[who[is_member][order]]
        starts = np.searchsorted(keys, wanted)
        counts = np.searchsorted(keys, wanted, side="right") - starts
        for chosen in _chunks(counts, left):
            a = np.repeat(seekers[who[chosen]], counts[chosen])
            b = owners[_ranges(starts[chosen], counts[chosen])]
            left -= len(a)
            yield _distinct_overlaps(a, b, low, high, levels)


def _cells(low: Floats, high: Floats, cell: float) -> tuple[Ints, Ints]:
    """Return the cells that boxes cover as numbers (k,), and the box (k,) of each."""
    first, last = (_floored(end / cell) for end in (low, high))
    numbers = (first * _BITS).sum(axis=1)[:, None] + (_CORNERS * _BITS).sum(axis=1)
    # A box has the corners of a cell and its neighbours, along the axes that it spans two cells.
    spans = last > first
    inside = np.ones((len(low), len(_CORNERS)), bool)
    for axis in range(3):
        inside &= spans[:, axis, None] | ~_CORNERS[:, axis]
    return numbers[inside], np.nonzero(inside)[0]


def _shared(cells: Ints, boxes: Ints) -> tuple[Ints, Ints]:
    """Leave out most of the cells that only one box covers, usually nearly all of them.

    Cells are hashed by some bits of their number, which is sufficient and cheap.
    """
    bits = min(max(len(cells), 1).bit_length() + 2, 24)
    slots = (cells.astype(np.uint64) * _SCRAMBLE >> np.uint64(64 - bits)).astype(np.int64)
    crowded = np.bincount(slots)[slots] > 1
    return cells[crowded], boxes[crowded]


def _floored(coordinates: Floats) -> Ints:
    """Return cells counted from 0; those too far away become the last one."""
    near = np.clip(np.floor(coordinates), -_FARTHEST, _FARTHEST)
    return np.asarray((near + _FARTHEST).astype(np.int64))


def _chunks(counts: Ints, most: int) -> Iterator[Ints]:
    """Split rows into groups of about CHUNK pairs each, up to `most` in total."""
    ends = np.cumsum(counts)
    rows = np.flatnonzero((counts > 0) & (ends - counts < most))
    groups = ends[rows] // CHUNK
    for group in np.unique(groups).tolist():
        yield rows[groups == group]


def _ranges(starts: Ints, counts: Ints) -> Ints:
    """Return start, start + 1, … for every row, as many as its count, concatenated."""
    offsets = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.asarray(np.repeat(starts, counts) + offsets)


def _distinct_overlaps(
    a: Ints, b: Ints, low: Floats, high: Floats, levels: Ints
) -> tuple[Ints, Ints]:
    """Keep the pairs that overlap, each once however many cells they share."""
    is_new = (levels[a] < levels[b]) | (a < b)
    a, b = a[is_new], b[is_new]
    meet = ((low[a] < high[b]) & (low[b] < high[a])).all(axis=1)
    a, b = a[meet], b[meet]
    _, first = np.unique(a * len(low) + b, return_index=True)
    return a[first], b[first]


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
