"""Symmetric relations as pairs of 32-bit masks.

Classes i and j are related when `memberships[i] & filters[j]` and `memberships[j] & filters[i]` are
both not zero. Each function here is one way to write a matrix (k, k) so.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from ligament.arrays import Bools

Bits: TypeAlias = npt.NDArray[np.uint32]
Integers: TypeAlias = npt.NDArray[np.intp]

WIDTH: Final = 32
ALL: Final = (1 << WIDTH) - 1

_MOST_COVERED: Final = 1000
"""Classes for which bicliques are searched; the time grows with their third power."""


@dataclasses.dataclass(frozen=True, eq=False)
class Code:
    """Masks of k classes, (k,) each; those that are not `exact` let too much through."""

    memberships: Bits
    filters: Bits
    exact: Bools


def bit_per_class(matrix: Bools) -> Code | None:
    """Give each class a bit; filters name the classes that it meets. None if they are too many."""
    if len(matrix) > WIDTH:
        return None
    return Code(*_own_bits(matrix), np.ones(len(matrix), bool))


def bit_per_exception(matrix: Bools) -> Code | None:
    """Give bits of their own to few classes, if all others meet each other, like teams.

    The others need not meet themselves. Those that do not get sets of bits of which none contains
    another, and accept what their own set lacks: of 10 bits, 252 teams have 5 each. Exceptions
    accept all teams, who turn them away where they do not meet. None if it takes too many bits.
    """
    exceptions = _exceptions(matrix)
    teams = np.setdiff1d(np.arange(len(matrix)), exceptions)
    selfless = teams[~matrix[teams, teams]]
    width = _team_width(len(selfless))
    if len(exceptions) + width > WIDTH:
        return None
    shared = np.uint32((1 << width) - 1)
    memberships, filters = np.full((2, len(matrix)), shared, np.uint32)
    memberships[selfless] = _teams(width, len(selfless))
    filters[selfless] = shared & ~memberships[selfless]
    own = _bits(len(exceptions)) << np.uint32(width)
    memberships[exceptions] = own
    filters |= np.bitwise_or.reduce(np.where(matrix[:, exceptions], own, np.uint32(0)), axis=1)
    return Code(memberships, filters, np.ones(len(matrix), bool))


def bit_per_biclique(matrix: Bools, weights: Integers) -> Code:
    """Cover the matrix by products of two sets; where that takes too many bits, leave classes out.

    Classes of high weight are left out last. Two bits are kept for those left out: whoever meets
    one of them belongs to the first and accepts the second, which lets such pairs through only.
    """
    if len(matrix) <= _MOST_COVERED:
        memberships, filters, rest = _cover(matrix, WIDTH)
        if not rest.any():
            return Code(memberships, filters, np.ones(len(matrix), bool))
        order = _easiest(rest, weights)
    else:
        order = np.argsort(-weights, kind="stable")[:_MOST_COVERED]
    kept, kept_memberships, kept_filters = _coverable(matrix, order, WIDTH - 2)
    left_out = np.ones(len(matrix), bool)
    left_out[kept] = False
    memberships, filters = np.full((2, len(matrix)), ALL, np.uint32)
    to_be_asked = matrix[kept][:, left_out].any(axis=1).astype(np.uint32)
    memberships[kept] = kept_memberships | to_be_asked << np.uint32(WIDTH - 2)
    filters[kept] = kept_filters | to_be_asked << np.uint32(WIDTH - 1)
    return Code(memberships, filters, ~left_out)


def _bits(count: int) -> Bits:
    return np.left_shift(np.uint32(1), np.arange(count, dtype=np.uint32))


def _own_bits(matrix: Bools) -> tuple[Bits, Bits]:
    """Return memberships and filters of at most 32 classes with a bit of their own."""
    own = _bits(len(matrix))
    return own, np.bitwise_or.reduce(np.where(matrix, own, np.uint32(0)), axis=1)


def _exceptions(matrix: Bools) -> Integers:
    """Return classes without which all classes left meet each other, chosen greedily.

    Stops where there are more than bits.
    """
    apart = ~matrix
    np.fill_diagonal(apart, False)
    count = np.count_nonzero(apart, axis=1)
    chosen: list[int] = []
    while count.any() and len(chosen) <= WIDTH:
        worst = int(count.argmax())
        chosen.append(worst)
        count -= apart[worst]
        count[worst] = 0
        apart[worst] = apart[:, worst] = False
    return np.array(chosen, np.intp)


def _team_width(count: int) -> int:
    """Return the bits of which a number of sets can be made, none within another (Sperner).

    Two at least, so that no set is empty and none is full.
    """
    width = 2
    while math.comb(width, width // 2) < count:
        width += 1
    return width


def _teams(width: int, count: int) -> Bits:
    sets = itertools.islice(itertools.combinations(range(width), width // 2), count)
    return np.fromiter((sum(1 << bit for bit in each) for each in sets), np.uint32, count)


def _easiest(rest: Bools, weights: Integers) -> Integers:
    """Order the classes: those of high weight and with little left uncovered come first."""
    left = np.count_nonzero(rest | rest.T, axis=1)
    return np.argsort(left / np.maximum(weights, 1), kind="stable")


def _coverable(matrix: Bools, order: Integers, width: int) -> tuple[Integers, Bits, Bits]:
    """Return as many of the first classes as fit a width, found by halving, and their masks."""
    fits, fails = width, len(order)
    best = order[:width], *_own_bits(matrix[np.ix_(order[:width], order[:width])])
    while fails - fits > 1:
        count = (fits + fails) // 2
        kept = order[:count]
        memberships, filters, rest = _cover(matrix[np.ix_(kept, kept)], width)
        if rest.any():
            fails = count
        else:
            fits, best = count, (kept, memberships, filters)
    return best


def _cover(matrix: Bools, width: int) -> tuple[Bits, Bits, Bools]:
    """Cover a matrix (k, k) greedily; returns memberships, filters and what is left uncovered."""
    memberships, filters = np.zeros((2, len(matrix)), np.uint32)
    rest = matrix.copy()
    for bit in range(width):
        if not rest.any():
            break
        rows, columns = _grow(matrix, rest)
        memberships[rows] |= np.uint32(1 << bit)
        filters[columns] |= np.uint32(1 << bit)
        rest[np.ix_(rows, columns)] = False
    return memberships, filters, rest


def _grow(matrix: Bools, rest: Bools) -> tuple[Integers, Integers]:
    """Return rows and columns of a biclique that covers much of the rest.

    Starts from the row with the most left to cover and adds the row that covers the most with
    those already there, as long as that is a gain.
    """
    allowed, wanted = matrix.astype(np.float32), rest.astype(np.float32)
    row = int(wanted.sum(axis=1).argmax())
    rows, columns, found, gain = [row], matrix[row], wanted[row], wanted[row].sum()
    while True:
        # Row r would keep the columns that it allows, with what it wants added to what is found.
        totals = allowed @ np.where(columns, found, 0) + wanted @ columns.astype(np.float32)
        totals[rows] = 0
        row = int(totals.argmax())
        if totals[row] <= gain:
            return np.array(rows), np.flatnonzero(columns)
        rows, columns, gain = [*rows, row], columns & matrix[row], totals[row]
        found = found + wanted[row]
