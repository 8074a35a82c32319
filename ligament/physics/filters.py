"""Collision filters, compiled to the 32-bit masks that engines test.

An engine lets a pair meet when `memberships[a] & filters[b]` and `memberships[b] & filters[a]` are
both not zero. Filters that treat everybody alike form one class, so that the number of colliders
does not matter. Four codes are tried on the classes; the first that fits 32 bits is used:

1. A bit for each class: any rule, up to 32 classes.
2. A bit for each system: `filters` names the systems that are accepted. Up to 31 systems that the
   lists tell apart, for any number of classes, where no filter has both lists.
3. Sets of shared bits for classes that all meet each other, like teams that do not meet their own
   members (200 of them take 10 bits), and a bit for each class that is not like that.
4. A bit for each biclique: two sets of classes of which every member of one meets every member of
   the other. Few of them cover what has structure.

What the last leaves uncovered is marked as not `exact`, and its masks let pairs through that the
caller must ask `Masks.meet` about.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from ligament.arrays import Bools, Indices
from ligament.extensions.rigid_bodies import CollisionFilter

Bits: TypeAlias = npt.NDArray[np.uint32]

WIDTH: Final = 32
ALL: Final = (1 << WIDTH) - 1

_MOST_COVERED: Final = 256
"""Most classes for which bicliques are searched; the time is cubic in their number."""


@dataclasses.dataclass(frozen=True, eq=False)
class Code:
    """Masks of k classes, (k,) each; inexact ones let too many pairs through."""

    memberships: Bits
    filters: Bits
    exact: Bools


def bit_per_class(matrix: Bools) -> Code | None:
    """Give each class a bit; filters list the classes that it meets. None if there are too many."""
    if len(matrix) > WIDTH:
        return None
    return Code(*_own_bits(matrix), np.ones(len(matrix), bool))


def bit_per_exception(matrix: Bools) -> Code | None:
    """Give individual bits to a few classes, if all others meet each other, like teams.

    The others need not meet themselves. Those that do not get sets of bits of which none contains
    another, and accept what their own set lacks: of 10 bits, 252 teams have 5 each. Exceptions
    accept all teams, which reject them if they do not meet. None if it takes too many bits.
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


def bit_per_biclique(matrix: Bools, weights: Indices) -> Code:
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
    """Return memberships and filters of at most 32 classes with one bit each."""
    own = _bits(len(matrix))
    return own, np.bitwise_or.reduce(np.where(matrix, own, np.uint32(0)), axis=1)


def _exceptions(matrix: Bools) -> Indices:
    """Return classes without which all remaining ones meet each other, chosen greedily.

    Stops if there are more than bits.
    """
    separate = ~matrix
    np.fill_diagonal(separate, False)
    count = np.count_nonzero(separate, axis=1)
    chosen: list[int] = []
    while count.any() and len(chosen) <= WIDTH:
        worst = int(count.argmax())
        chosen.append(worst)
        count -= separate[worst]
        count[worst] = 0
        separate[worst] = separate[:, worst] = False
    return np.array(chosen, np.intp)


def _team_width(count: int) -> int:
    """Return the bits needed for a number of sets, none within another (Sperner).

    At least two, so that no set is empty or full.
    """
    width = 2
    while math.comb(width, width // 2) < count:
        width += 1
    return width


def _teams(width: int, count: int) -> Bits:
    sets = itertools.islice(itertools.combinations(range(width), width // 2), count)
    return np.fromiter((sum(1 << bit for bit in each) for each in sets), np.uint32, count)


def _easiest(rest: Bools, weights: Indices) -> Indices:
    """Order the classes: those of high weight and with little left uncovered first."""
    left = np.count_nonzero(rest | rest.T, axis=1)
    return np.argsort(left / np.maximum(weights, 1), kind="stable")


def _coverable(matrix: Bools, order: Indices, width: int) -> tuple[Indices, Bits, Bits]:
    """Return as many of the first classes as fit a width, by bisection, and their masks."""
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
    """Cover a matrix (k, k) greedily; return memberships, filters and the uncovered rest."""
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


def _grow(matrix: Bools, rest: Bools) -> tuple[Indices, Indices]:
    """Return rows and columns of a biclique that covers much of the rest.

    Starts from the row with the most left to cover and adds the row that covers the most with
    those already there, as long as that is a gain.
    """
    allowed, wanted = matrix.astype(np.float32), rest.astype(np.float32)
    row = int(wanted.sum(axis=1).argmax())
    rows, columns, found, gain = [row], matrix[row], wanted[row], wanted[row].sum()
    while True:
        # Row r would keep the columns that it allows, adding those it wants to those found.
        totals = allowed @ np.where(columns, found, 0) + wanted @ columns.astype(np.float32)
        totals[rows] = 0
        row = int(totals.argmax())
        if totals[row] <= gain:
            return np.array(rows), np.flatnonzero(columns)
        rows, columns, gain = [*rows, row], columns & matrix[row], totals[row]
        found = found + wanted[row]


DEFAULT_FILTER = CollisionFilter()
"""The filter of colliders without one: in no system, without lists."""


def collide(a: CollisionFilter | None, b: CollisionFilter | None) -> bool:
    """Tell whether two filters accept each other."""
    a, b = a or DEFAULT_FILTER, b or DEFAULT_FILTER
    return accepts(a, b) and accepts(b, a)


def accepts(own: CollisionFilter, other: CollisionFilter) -> bool:
    """Tell whether a filter accepts another.

    One shared system suffices for `collide_with`, one foreign system for `not_collide_with`: one
    list is the inverse of the other. A collider in no system is accepted by all.
    """
    if not other.systems:
        return True
    listed, barred = own.collide_with, own.not_collide_with
    return (listed is None or not listed.isdisjoint(other.systems)) and (
        barred is None or not other.systems <= barred
    )


@dataclasses.dataclass(frozen=True, eq=False)
class Masks:
    """Filters of n colliders as masks, (n,) each.

    Between two colliders that are both `exact` the masks decide as `collide` does; with any other
    they may let pairs through that do not collide, and hold back none that does. `classes` (n,)
    indexes the symmetric `matrix` (k, k), which is right for all.
    """

    memberships: Bits
    filters: Bits
    exact: Bools
    classes: Indices
    matrix: Bools

    def meet(self, a: int, b: int) -> bool:
        """Tell whether colliders a and b collide, whether or not the masks are exact."""
        return bool(self.matrix[self.classes[a], self.classes[b]])


def compile_filters(filters: Sequence[CollisionFilter | None]) -> Masks:
    """Turn the filters of n colliders into masks."""
    distinct, which = _number(filters)
    matrix, members, classes_of_distinct = _classes(distinct)
    classes = classes_of_distinct[which]
    code = (
        bit_per_class(matrix)
        or _bit_per_system(members)
        or bit_per_exception(matrix)
        or bit_per_biclique(matrix, np.bincount(classes))
    )
    return Masks(
        code.memberships[classes], code.filters[classes], code.exact[classes], classes, matrix
    )


def _number(
    filters: Sequence[CollisionFilter | None],
) -> tuple[list[CollisionFilter], Indices]:
    """Return the distinct filters, and the index of each collider's filter (n,).

    Colliders mostly share filter objects, so each object is hashed only once.
    """
    objects = {id(each): each or DEFAULT_FILTER for each in filters}
    number = {each: i for i, each in enumerate(dict.fromkeys(objects.values()))}
    by_object = {key: number[each] for key, each in objects.items()}
    which = np.fromiter((by_object[id(each)] for each in filters), np.intp, len(filters))
    return list(number), which


def _classes(
    filters: list[CollisionFilter],
) -> tuple[Bools, list[CollisionFilter], Indices]:
    """Merge filters that meet the same others.

    Return which classes meet (k, k), one filter of each class, and the class of each filter.
    """
    accepted = _acceptance(filters)
    rows = accepted & accepted.T
    number: dict[bytes, int] = {}
    classes = np.array([number.setdefault(row.tobytes(), len(number)) for row in rows], np.intp)
    _, first = np.unique(classes, return_index=True)
    return rows[np.ix_(first, first)], [filters[i] for i in first], classes


def _acceptance(filters: list[CollisionFilter]) -> Bools:
    """Return (u, u): whether the filter of the row accepts that of the column."""
    names = dict.fromkeys(name for each in filters for name in sorted(each.systems))
    number = {name: i for i, name in enumerate(names)}
    members = np.zeros((len(number), len(filters)), bool)
    for column, each in enumerate(filters):
        members[_known(each.systems, number), column] = True
    sizes = members.sum(axis=0)
    result = np.ones((len(filters), len(filters)), bool)
    for i, each in enumerate(filters):
        if each.collide_with is not None:
            result[i] &= members[_known(each.collide_with, number)].any(axis=0)
        if each.not_collide_with is not None:
            result[i] &= members[_known(each.not_collide_with, number)].sum(axis=0) < sizes
    result[:, sizes == 0] = True
    return result


def _known(names: Iterable[str], number: dict[str, int]) -> list[int]:
    return [number[name] for name in names if name in number]


def _bit_per_system(filters: list[CollisionFilter]) -> Code | None:
    """Give each system a bit, and the lowest bit to being in none."""
    if any(f.collide_with is not None and f.not_collide_with is not None for f in filters):
        return None
    bits = _bits_of_systems(filters)
    if bits is None:
        return None
    memberships = [_mask(f.systems, bits) or 1 for f in filters]
    masks = [_accepted(f, bits) for f in filters]
    return Code(
        np.array(memberships, np.uint32), np.array(masks, np.uint32), np.ones(len(filters), bool)
    )


def _bits_of_systems(filters: list[CollisionFilter]) -> dict[str, int] | None:
    """Number the systems from 1; those in the same lists share a number."""
    lists: dict[str, list[int]] = {name: [] for f in filters for name in sorted(f.systems)}
    for i, each in enumerate(filters):
        for name in each.collide_with or each.not_collide_with or ():
            if name in lists:
                lists[name].append(i)
    number: dict[tuple[int, ...], int] = {}
    bits = {name: number.setdefault(tuple(where), len(number) + 1) for name, where in lists.items()}
    return bits if len(number) < WIDTH else None


def _mask(names: Iterable[str], bits: dict[str, int]) -> int:
    mask = 0
    for name in names:
        mask |= 1 << bits[name] if name in bits else 0
    return mask


def _accepted(own: CollisionFilter, bits: dict[str, int]) -> int:
    if own.collide_with is not None:
        return _mask(own.collide_with, bits) | 1
    return ALL & ~_mask(own.not_collide_with or (), bits)
