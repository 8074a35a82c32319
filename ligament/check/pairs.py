"""Which of many axis-aligned boxes overlap, in a time that grows as their number does.

Boxes go into grids, one for each power of two of their size, so that a box lies in eight cells of
its own grid at most, and a smaller one in eight of every larger grid. Pairs are those that share a
cell.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ligament.arrays import Floats, Ints

CHUNK = 1 << 18
"""How many pairs are looked at together."""

_FARTHEST = 2.0**20
"""Cells further from the origin than this share one cell."""

_CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], bool)
_BITS = np.array([1 << 42, 1 << 21, 1], np.int64)
"""What a step along each axis adds to the number of a cell."""

_SCRAMBLE = np.uint64(0x9E3779B97F4A7C15)
"""An odd number without pattern, the golden ratio of the range: its product mixes all bits."""


def overlapping(low: Floats, high: Floats, *, most: int) -> Iterator[tuple[Ints, Ints]]:
    """Yield pairs of boxes (n, 3) to (n, 3) that overlap, in chunks (p,) and (p,).

    After `most` pairs that share a cell it stops: in a heap of boxes everything overlaps.
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
            yield _truly(a, b, low, high, levels)


def _cells(low: Floats, high: Floats, cell: float) -> tuple[Ints, Ints]:
    """Return the cells that boxes lie in as numbers (k,), and the box (k,) of each."""
    first, last = (_floored(end / cell) for end in (low, high))
    numbers = (first * _BITS).sum(axis=1)[:, None] + (_CORNERS * _BITS).sum(axis=1)
    # A box has the corners of a cell and its neighbours, along the axes that it spans two cells.
    spans = last > first
    inside = np.ones((len(low), len(_CORNERS)), bool)
    for axis in range(3):
        inside &= spans[:, axis, None] | ~_CORNERS[:, axis]
    return numbers[inside], np.nonzero(inside)[0]


def _shared(cells: Ints, boxes: Ints) -> tuple[Ints, Ints]:
    """Leave out most of the cells that one box has to itself: nearly all of them, as a rule.

    Cells are told apart by a part of their number, scrambled, which is enough and no work.
    """
    bits = min(max(len(cells), 1).bit_length() + 2, 24)
    slots = (cells.astype(np.uint64) * _SCRAMBLE >> np.uint64(64 - bits)).astype(np.int64)
    crowded = np.bincount(slots)[slots] > 1
    return cells[crowded], boxes[crowded]


def _floored(coordinates: Floats) -> Ints:
    """Return cells counted from 0, those too far away all in the last one."""
    near = np.clip(np.floor(coordinates), -_FARTHEST, _FARTHEST)
    return np.asarray((near + _FARTHEST).astype(np.int64))


def _chunks(counts: Ints, most: int) -> Iterator[Ints]:
    """Cut rows into groups with about CHUNK pairs each, up to `most` in all."""
    ends = np.cumsum(counts)
    rows = np.flatnonzero((counts > 0) & (ends - counts < most))
    groups = ends[rows] // CHUNK
    for group in np.unique(groups).tolist():
        yield rows[groups == group]


def _ranges(starts: Ints, counts: Ints) -> Ints:
    """Return start, start + 1, … of every row, as many as it counts, one after the other."""
    offsets = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.asarray(np.repeat(starts, counts) + offsets)


def _truly(a: Ints, b: Ints, low: Floats, high: Floats, levels: Ints) -> tuple[Ints, Ints]:
    """Keep pairs that overlap, each once however many cells it shares."""
    is_new = (levels[a] < levels[b]) | (a < b)
    a, b = a[is_new], b[is_new]
    meet = ((low[a] < high[b]) & (low[b] < high[a])).all(axis=1)
    a, b = a[meet], b[meet]
    _, first = np.unique(a * len(low) + b, return_index=True)
    return a[first], b[first]
