"""The broad phase: pairs of boxes that overlap, in near-linear time.

Boxes are sorted into grids, one per power of two of their size, so that a box covers at most eight
cells of its own grid and of every coarser grid. Candidate pairs share a cell.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ligament.arrays import Floats, Ints

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
