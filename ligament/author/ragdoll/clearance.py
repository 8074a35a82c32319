"""Room between segments that may touch: none of them overlap in the rest pose."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

import numpy as np

from ligament.author.proximity import nearest
from ligament.author.ragdoll.shapes import Solid

GAP = 0.002
"""Shapes that may touch start at least this part of the height of the body apart."""

STEP = 0.93
THINNEST = 0.45
"""Shapes are made thinner down to this part of their width; what overlaps still may not touch."""


def separated(
    solids: Mapping[str, Solid], joined: set[frozenset[str]], gap: float
) -> tuple[dict[str, Solid], set[frozenset[str]]]:
    """Make shapes thinner until all pairs that are not joined are `gap` [m] apart.

    Returns the shapes, and the pairs that overlap whatever is done: bones lie in each other.
    """
    result = dict(solids)
    widths = dict.fromkeys(solids, 1.0)
    crossed: set[frozenset[str]] = set()
    while pairs := [p for p in _overlapping(result, joined, gap) if p not in crossed]:
        for pair in pairs:
            thick = [name for name in pair if widths[name] * STEP >= THINNEST]
            if not thick:
                crossed.add(pair)
            for name in thick:
                widths[name] *= STEP
                result[name] = solids[name].thinner(widths[name])
    return result, crossed


def _overlapping(
    solids: Mapping[str, Solid], joined: set[frozenset[str]], gap: float
) -> Iterator[frozenset[str]]:
    for one, other in combinations(solids, 2):
        pair = frozenset((one, other))
        a, b = solids[one], solids[other]
        apart = np.linalg.norm(a.center - b.center)
        if pair in joined or apart > np.linalg.norm(a.size + b.size) / 2 + gap:
            continue
        if nearest(a.outline(), b.outline()).distance < gap:
            yield pair
