"""Tail collisions: the colliders of the joints of one level, and their pushes.

A collider is three vectors: a point, the vector to the other end of a capsule or the normal of a
plane, and that vector divided by its square. Colliders push one after another in file order; after
a push, earlier ones are not tested again. So the first collider that a tail penetrates decides, and
only the few penetrating tails are examined further.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from functools import partial
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ligament.arrays import Bools, Floats, Indices
from ligament.extensions.spring_bones import Collider
from ligament.rig.springs.chains import Bone
from ligament.rig.springs.contacts import FEW, Obstacle, push_each
from ligament.rig.springs.kernels import at_length, dots, positions, put
from ligament.transforms.components import Array

KINDS = ("sphere", "capsule", "plane")

MOST = 256
"""Colliders of one table, which tests each of its joints against each of them."""

Slot: TypeAlias = tuple[int, int]
"""A collider, and how often a spring has referred to it before."""

Restrict: TypeAlias = Callable[[Array, Array, Array], Array]
"""Clamps offsets (3, pairs) to the limits of joints (pairs,) of avatars, by position."""


@dataclasses.dataclass(frozen=True)
class Collisions:
    """Colliders of some joints of a level; slots are sorted by kind.

    `joints` (k,) are their positions in the level, `slots` (u,) index the table of colliders, the
    first `balls` of them spheres, the next `capsules` capsules, the others planes. `reach` (k, u,
    1) [m] is the distance that tails are kept at, `bound` the same squared with its sign; `side`
    (u, 1) is −1 where they are kept within. `member` (k, u, 1) tells which joints collide with
    which slots, None if all do. `rank` (u,) is the order of pushing. `bounds` are the positions in
    `joints` where levels begin, and the end. `behind` (k·u,) are rows of a table of all frames,
    relative to its row of the first level. `obstacles` list the same for each joint.
    """

    joints: Array
    slots: Array
    balls: int
    capsules: int
    reach: Array
    bound: Array
    side: Array | None
    member: Array | None
    rank: Array
    bounds: tuple[int, ...]
    behind: Array
    obstacles: tuple[tuple[Obstacle, ...], ...]

    def converted(self, convert: Callable[[npt.NDArray[Any]], Array]) -> Collisions:
        """Return the same with arrays moved to a device."""
        arrays = {
            field.name: convert(value)
            for field in dataclasses.fields(self)
            if isinstance(value := getattr(self, field.name), np.ndarray)
        }
        return dataclasses.replace(self, **arrays)


def make_collisions(
    bones: Sequence[Bone], colliders: Sequence[Collider], starts: Sequence[int] = ()
) -> list[Collisions]:
    """Return the collisions of bones, combined as far as their orders agree.

    `starts` are the positions at which levels begin.
    """
    merged: list[tuple[dict[Slot, None], list[int]]] = []
    for place, bone in enumerate(bones):
        own = dict.fromkeys(_slots(bone.colliders))
        if not own:
            continue
        for at, (first, places) in enumerate(merged):
            if (union := _merge(first, own)) is not None:
                merged[at] = union, places
                places.append(place)
                break
        else:
            merged.append((own, [place]))
    made = [
        _collisions([bones[place] for place in places], places, [*union], colliders)
        for union, places in merged
    ]
    ends = (*starts, len(bones))
    return [
        dataclasses.replace(
            step,
            bounds=tuple(np.searchsorted(step.joints, ends).tolist()),
            behind=_behind(step, starts, len(colliders)),
        )
        for step in made
    ]


def _behind(step: Collisions, starts: Sequence[int], colliders: int) -> Indices:
    """Return where the slots of a step stand in the frame of each joint, by its level."""
    level = np.atleast_1d(np.searchsorted(np.array(starts), step.joints, side="right")) - 1
    return np.asarray(step.slots[None, :] - level[:, None] * colliders).ravel()


def _slots(indices: Sequence[int]) -> list[Slot]:
    seen: dict[int, int] = {}
    slots = []
    for index in indices:
        slots.append((index, seen.get(index, 0)))
        seen[index] = seen.get(index, 0) + 1
    return slots


def _merge(first: dict[Slot, None], second: dict[Slot, None]) -> dict[Slot, None] | None:
    """Return an order that both are in, None where there is none, or of too many."""
    new = [slot for slot in second if slot not in first]
    if not new and [s for s in first if s in second] == [*second]:
        return first
    if new and len(first) + len(new) > MOST:
        return None
    if len(new) == len(second):
        return first | second
    sorter: TopologicalSorter[Slot] = TopologicalSorter()
    for chain in (first, second):
        for slot in chain:
            sorter.add(slot)
        for before, after in pairwise(chain):
            sorter.add(after, before)
    try:
        return dict.fromkeys(sorter.static_order())
    except CycleError:
        return None


def _collisions(
    bones: Sequence[Bone], places: list[int], union: list[Slot], colliders: Sequence[Collider]
) -> Collisions:
    order = sorted(range(len(union)), key=lambda i: KINDS.index(colliders[union[i][0]].kind))
    shapes = [colliders[union[i][0]] for i in order]
    side = np.array([-1.0 if shape.inside else 1.0 for shape in shapes])
    radius = np.array([shape.radius for shape in shapes])
    hit = np.array([bone.joint.hit_radius for bone in bones])
    reach: Floats = np.where([s.kind == "plane" for s in shapes], 0.0, radius) + side * hit[:, None]
    columns = {union[i]: column for column, i in enumerate(order)}
    lists = [[columns[slot] for slot in _slots(bone.colliders)] for bone in bones]
    member: Bools = np.zeros(reach.shape, bool)
    for row, own in enumerate(lists):
        member[row, own] = True
    with np.errstate(over="ignore"):  # what is out of reach for doubles hits everything
        bound = reach * np.abs(reach)
    return Collisions(
        joints=np.array(places),
        slots=np.array([union[i][0] for i in order]),
        balls=sum(shape.kind == "sphere" for shape in shapes),
        capsules=sum(shape.kind == "capsule" for shape in shapes),
        reach=reach[..., None],
        bound=bound[..., None],
        side=side[:, None] if (side < 0).any() else None,
        member=None if member.all() else member[..., None],
        rank=np.array(order),
        bounds=(),
        behind=np.zeros(0, np.intp),
        obstacles=tuple(
            tuple(Obstacle(i, shapes[i].kind, float(reach[row, i]), float(side[i])) for i in own)
            for row, own in enumerate(lists)
        ),
    )


class MetColliders(NamedTuple):
    """Some joints of a step, by position in it, and the colliders that they meet.

    `shapes` (u, 3, 3, avatars) are those of the slots, with an axis of joints before where these
    meet them in different frames.
    """

    joints: slice
    shapes: Array


def push_out(
    xp: Any,
    step: Collisions,
    tails: Array,
    heads: Array,
    length: Array,
    met: Sequence[MetColliders],
    restrict: Restrict | None,
) -> Array:
    """Return tails (k, 3, avatars) after all collisions."""
    touching = [pairs for part in met if (pairs := _touching(xp, step, tails, part)) is not None]
    if not touching:
        return tails
    if xp is np and restrict is None and sum(len(pairs.joints) for pairs in touching) <= FEW:
        for pairs in touching:
            shapes = pairs.shapes_of_each()
            hit = pairs.hit[pairs.rows, :, pairs.avatars]
            push_each(
                step.obstacles, pairs.joints, pairs.avatars, tails, heads, length, shapes, hit
            )
        return tails
    found = [pairs.arranged(xp) for pairs in touching]
    columns = zip(*found, strict=True)
    joints, avatars, shapes, hit, offset = (_joined(xp, parts) for parts in columns)
    shared = length.shape[-1] == 1
    chosen = _Pairs(
        bound=xp.matrix_transpose(step.bound[joints, :, 0]),
        reach=xp.matrix_transpose(step.reach[joints, :, 0]),
        member=None if step.member is None else xp.matrix_transpose(step.member[joints, :, 0]),
        shapes=shapes,
        heads=xp.matrix_transpose(heads[joints, :, avatars]),
        length=length[joints, 0] if shared else length[joints, avatars],
    )
    points = xp.matrix_transpose(tails[joints, :, avatars])
    within = None if restrict is None else partial(restrict, joints, avatars)
    points = _pushed(xp, step, chosen, points, (hit, offset), within)
    return put(tails, (joints, slice(None), avatars), xp.matrix_transpose(points))


class _Touching(NamedTuple):
    """Joints, by their places in a step, and avatars (pairs,) whose tails are in a collider.

    `rows` are the places of the joints among those that meet the `shapes`; `hit` and `offset` tell
    what all of these are in, and how far off.
    """

    joints: Array
    avatars: Array
    rows: Array
    shapes: Array
    hit: Array
    offset: Array

    def shapes_of_each(self) -> Array:
        """Return what each meets, (pairs, u, 3, 3)."""
        if self.shapes.ndim == 5:
            return self.shapes[self.rows, :, :, :, self.avatars]
        return self.shapes.transpose(3, 0, 1, 2)[self.avatars]

    def arranged(self, xp: Any) -> tuple[Array, ...]:
        """Return joints, avatars, shapes (u, 3, 3, pairs), hits (u, pairs), offsets."""
        near = self.shapes[..., self.avatars]
        if self.shapes.ndim == 5:
            near = xp.moveaxis(self.shapes[self.rows, :, :, :, self.avatars], 0, -1)
        hit = xp.matrix_transpose(self.hit[self.rows, :, self.avatars])
        offset = xp.moveaxis(self.offset[self.rows, :, :, self.avatars], 0, -1)
        return self.joints, self.avatars, near, hit, offset


def _touching(xp: Any, step: Collisions, tails: Array, met: MetColliders) -> _Touching | None:
    """Find the tails that penetrate a collider; None if there are none."""
    own, shapes = met
    points = tails[own, ...]
    member = None if step.member is None else step.member[own, ...]
    hit, offset = _hits(
        xp, step, points, shapes, step.bound[own, ...], step.reach[own, ...], member
    )
    if hasattr(tails, "at"):  # traced: all pairs, as many passes as there are colliders
        flat = np.arange(points.shape[0] * points.shape[2])
        rows, avatars = flat // points.shape[2], flat % points.shape[2]
    else:
        rows, avatars = xp.nonzero(_any(xp, hit, -2))
        if not rows.shape[0]:
            return None
    return _Touching(rows + own.start, avatars, rows, shapes, hit, offset)


def _joined(xp: Any, parts: Sequence[Array]) -> Array:
    """Join arrays along their last axis; indices on the host stay there."""
    if len(parts) == 1:
        return parts[0]
    on_host = all(isinstance(part, np.ndarray) for part in parts)
    return (np if on_host else xp).concat(parts, axis=-1)


def _any(xp: Any, truths: Array, axis: int) -> Array:
    return np.logical_or.reduce(truths, axis=axis) if xp is np else xp.any(truths, axis=axis)


@dataclasses.dataclass(frozen=True)
class _Pairs:
    """Tails that penetrate a collider, with their constants, one column each."""

    bound: Array
    reach: Array
    member: Array | None
    shapes: Array
    heads: Array
    length: Array


def _pushed(
    xp: Any,
    step: Collisions,
    pairs: _Pairs,
    points: Array,
    first: tuple[Array, Array],
    restrict: Callable[[Array], Array] | None,
) -> Array:
    """Push points (3, pairs) out of colliders: the first that each penetrates, then the next.

    `first` are the colliders that they are in at the start, and the offsets from all.
    """
    count = int(step.rank.shape[0])
    rank, after = step.rank[:, None], None
    is_traced = hasattr(points, "at")
    for turn in range(count):
        hit, offsets = first
        if turn:
            hit, offsets = _hits(
                xp, step, points, pairs.shapes, pairs.bound, pairs.reach, pairs.member
            )
            hit = hit & (rank > after)
        some = _any(xp, hit, 0)
        if not is_traced and not bool(_any(xp, some, 0)):
            break
        chosen = xp.argmin(xp.where(hit, rank, count), axis=0)
        column = positions(xp, points)
        moved = points + _push(xp, step, pairs, offsets, points, chosen, column)
        offset = at_length(xp, moved - pairs.heads, pairs.length)
        offset = offset if restrict is None else restrict(offset)
        points = xp.where(some, pairs.heads + offset, points)
        after = xp.where(some, xp.take(step.rank, chosen), count)
    return points


def _push(
    xp: Any,
    step: Collisions,
    pairs: _Pairs,
    offsets: Array,
    points: Array,
    chosen: Array,
    column: Array,
) -> Array:
    """Return the displacement (3, pairs) by the chosen colliders (pairs,)."""
    reach = pairs.reach[chosen, column]
    round_ones = step.balls + step.capsules
    push = xp.zeros_like(points)
    if round_ones:
        within = xp.where(chosen < round_ones, chosen, 0)
        offset = xp.matrix_transpose(offsets[within, :, column])
        size = xp.sqrt(dots(offset, offset))
        # A tail on a centre or an axis has no direction to be pushed in.
        push = offset * ((reach - size) / xp.where(size > 0, size, 1.0))
    if round_ones < int(step.rank.shape[0]):
        normal = xp.matrix_transpose(pairs.shapes[chosen, 1, :, column])
        origin = xp.matrix_transpose(pairs.shapes[chosen, 0, :, column])
        out = normal * (reach - dots(points - origin, normal))
        push = xp.where(chosen >= round_ones, out, push)
    return push


def _hits(
    xp: Any,
    step: Collisions,
    tails: Array,
    shapes: Array,
    bound: Array,
    reach: Array,
    member: Array | None,
) -> tuple[Array, Array]:
    """Return which tails (…, 3, n) are in which colliders (u, 3, 3, n), and their offsets.

    The results are (…, u, n) and (…, u, 3, n), offsets from centres, axes, or points of planes.
    """
    round_ones, count = step.balls + step.capsules, int(step.rank.shape[0])
    offset = tails[..., None, :, :] - shapes[..., 0, :, :]
    if step.capsules:
        chosen = slice(step.balls, round_ones)
        along, ends = offset[..., chosen, :, :], shapes[..., chosen, :, :, :]
        share = _share(xp, dots(along, ends[..., 2, :, :]))
        nearest = along - share[..., None, :] * ends[..., 1, :, :]
        offset = put(offset, (..., chosen, slice(None), slice(None)), nearest)
    own = offset if round_ones == count else offset[..., :round_ones, :, :]
    square = dots(own, own)
    if step.side is None:
        hit = square < bound[..., :round_ones, :]
    else:
        hit = (square - bound[..., :round_ones, :]) * step.side[:round_ones, ...] < 0
    if round_ones < count:
        flat, normals = offset[..., round_ones:, :, :], shapes[..., round_ones:, 1, :, :]
        depth = dots(flat, normals) - reach[..., round_ones:, :]
        hit = xp.concat([hit, depth < 0], axis=-2)
    return (hit if member is None else hit & member), offset


def _share(xp: Any, values: Array) -> Array:
    """Clip to [0, 1]."""
    if xp is np:
        return np.minimum(np.maximum(values, 0.0, out=values), 1.0, out=values)
    return xp.clip(values, 0.0, 1.0)
