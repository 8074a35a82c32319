"""Who collides with whom, and the same as the 32-bit masks that engines test.

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
from collections.abc import Iterable, Sequence

import numpy as np

from ligament.arrays import Bools
from ligament.extensions.declarations import CollisionFilter
from ligament.physics.bitcodes import (
    ALL,
    WIDTH,
    Bits,
    Code,
    Integers,
    bit_per_biclique,
    bit_per_class,
    bit_per_exception,
)

EVERYBODY = CollisionFilter()
"""What having no filter means: in no system, without lists."""


def collide(a: CollisionFilter | None, b: CollisionFilter | None) -> bool:
    """Tell whether both accept each other."""
    a, b = a or EVERYBODY, b or EVERYBODY
    return accepts(a, b) and accepts(b, a)


def accepts(own: CollisionFilter, other: CollisionFilter) -> bool:
    """Tell whether a filter lets another one near.

    One shared system is enough for `collide_with`, one foreign system for `not_collide_with`: so
    one list is the inverse of the other. What is in no system at all is accepted by everybody.
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
    classes: Integers
    matrix: Bools

    def meet(self, a: int, b: int) -> bool:
        """Tell whether colliders a and b collide, whatever fits the masks."""
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
) -> tuple[list[CollisionFilter], Integers]:
    """Return the different filters, and for each collider (n,) the index of its own.

    Colliders mostly share filter objects; hashing each object once is what makes many cheap.
    """
    objects = {id(each): each or EVERYBODY for each in filters}
    number = {each: i for i, each in enumerate(dict.fromkeys(objects.values()))}
    by_object = {key: number[each] for key, each in objects.items()}
    which = np.fromiter((by_object[id(each)] for each in filters), np.intp, len(filters))
    return list(number), which


def _classes(
    filters: list[CollisionFilter],
) -> tuple[Bools, list[CollisionFilter], Integers]:
    """Merge filters that meet the same others.

    Returns who meets whom (k, k), one filter of each class, and the class of each filter.
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
    """Give a bit to each system, and the lowest one to being in none."""
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
    """Number the systems from 1; those that stand in the same lists share a number."""
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
