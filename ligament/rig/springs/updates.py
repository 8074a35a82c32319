"""Updates: the state of all joints, and how it goes on by one frame."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ligament.rig.springs.collisions import push_out
from ligament.rig.springs.kernels import (
    at_length,
    carried,
    limited,
    put,
    swung,
    swung_to,
)
from ligament.rig.springs.plan import Level, Plan
from ligament.rig.springs.posing import Posed
from ligament.transforms.components import Array


class State(NamedTuple):
    """Tails (J, 3, avatars) [m] now and one update before, in the space of their centers.

    `seen` are the directions of the bones as seen from rest, `length` (J, avatars or 1) [m].
    """

    current: Array
    previous: Array
    seen: Array
    length: Array


class Frame:
    """One frame of a posed run while it is updated, level by level."""

    def __init__(self, plan: Plan, posed: Posed, index: int) -> None:
        self.plan, self.posed, self.index, self.xp = plan, posed, index, posed.xp
        self.frames: list[Array] = []
        self.heads: list[Array] = []
        table = posed.table
        self.table = None if table is None else table[index, ...]

    # --- frames of joints ---

    def rest(self, number: int, level: Level) -> tuple[Array, Array]:
        """Return the frames at rest and the heads of the joints of a level."""
        xp, parts = self.xp, []
        free, relation = self.posed.rest[number], self.posed.relation[number]
        if free is not None:
            parts.append(free[self.index, ...])
        if relation is not None:
            constants = relation if relation.ndim == 4 else relation[self.index, ...]
            frames, heads = self._anchors(number, level)
            own = carried(xp, constants, frames)
            head = own[:, 3, ...] + heads
            if not parts:
                return own[:, :3, ...], head
            parts.append(xp.concat([own[:, :3, ...], head[:, None, ...]], axis=1))
        whole = parts[0] if len(parts) == 1 else xp.concat(parts, axis=0)
        return whole[:, :3, ...], whole[:, 3, ...]

    def _anchors(self, number: int, level: Level) -> tuple[Array, Array]:
        """Return the frames and heads that the joints of a level hang on."""
        before = self.plan.levels[number - 1]
        first, last = before.first, before.last
        chosen = self.plan.anchor[level.first + level.free : level.last]
        if len(chosen) == last - first and (chosen == np.arange(first, last)).all():
            return self.frames[-1], self.heads[-1]
        if (chosen >= first).all():
            return self._taken(self.frames[-1], level.anchors - first), self._taken(
                self.heads[-1], level.anchors - first
            )
        frames, heads = (self.xp.concat(part, axis=0) for part in (self.frames, self.heads))
        return self._taken(frames, level.anchors), self._taken(heads, level.anchors)

    def _taken(self, values: Array, slots: Array) -> Array:
        return self.xp.take(values, slots, axis=0)

    def frame_of(self, slot: int, state: State) -> tuple[Array, Array]:
        """Return the frame (1, 3, 3, avatars) and head of a joint as it stands now.

        A joint that is not updated yet stands as it did before, under what is above it now.
        """
        done = 0
        for frames, heads in zip(self.frames, self.heads, strict=True):
            if slot < done + frames.shape[0]:
                at = slice(slot - done, slot - done + 1)
                return frames[at, ...], heads[at, ...]
            done += frames.shape[0]
        number = next(i for i, level in enumerate(self.plan.levels) if slot < level.last)
        level = self.plan.levels[number]
        place = slot - level.first
        if place < level.free:
            free = self.posed.rest[number]
            own = free[self.index, place : place + 1, ...]
            rest, head = own[:, :3, ...], own[:, 3, ...]
        else:
            relation = self.posed.relation[number]
            constants = relation if relation.ndim == 4 else relation[self.index, ...]
            at = slice(place - level.free, place - level.free + 1)
            frames, heads = self.frame_of(int(self.plan.anchor[slot]), state)
            own = carried(self.xp, constants[at, ...], frames)
            rest, head = own[:, :3, ...], own[:, 3, ...] + heads
        seen = state.seen[slot : slot + 1, ...]
        direction = self.xp.sum(rest * seen[:, :, None, :], axis=1)
        return swung_to(self.xp, rest, direction, seen), head

    # --- colliders and centers ---

    def place_colliders(self, indices: tuple[int, ...], state: State) -> None:
        """Put colliders that hang on joints where these stand now."""
        for index in indices:
            constants = self.posed.hung_colliders([index])
            constants = constants if constants.ndim == 4 else constants[self.index, ...]
            frames, heads = self.frame_of(int(self.plan.anchored[index]), state)
            own = carried(self.xp, constants, frames)
            point = own[:, :1, ...] + heads[:, None, ...]
            own = self.xp.concat([point, own[:, 1:, ...]], axis=1)
            if self.xp is np and not self.table.flags.owndata:
                self.table = self.table.copy()
            elif not hasattr(self.table, "at") and self.xp is not np:
                self.table = self.xp.asarray(self.table, copy=True)
            self.table = put(self.table, slice(index, index + 1), own)

    def center(self, number: int, state: State) -> Array:
        """Return the axes and the place of a center now, (4, 3, avatars)."""
        constants = self.posed.centers[number]
        anchor = int(self.plan.center_anchor[number])
        if anchor < 0:
            return constants[self.index, 0, ...]
        constants = constants if constants.ndim == 4 else constants[self.index, ...]
        frames, heads = self.frame_of(anchor, state)
        own = carried(self.xp, constants, frames)[0, ...]
        return self.xp.concat([own[:3, ...], own[3:, ...] + heads], axis=0)


def reset(plan: Plan, posed: Posed, index: int) -> State:
    """Return the state in which all joints are at rest in a frame, and nothing moves."""
    xp, frame = posed.xp, Frame(plan, posed, index)
    length = posed.lengths(index)
    tails, seen = [], []
    for number, level in enumerate(plan.levels):
        rest, heads = frame.rest(number, level)
        frame.frames.append(rest)
        frame.heads.append(heads)
        own = length[level.first : level.last, None, :]
        tails.append(heads + own * rest[:, 1, ...])
        zero = xp.zeros_like(heads[:, 0, :])
        seen.append(xp.stack([zero, xp.ones_like(zero), zero], axis=1))
    tail, directions = xp.concat(tails, axis=0), xp.concat(seen, axis=0)
    state = State(tail, tail, directions, length)
    for slot in np.flatnonzero(plan.center >= 0).tolist():
        center = frame.center(int(plan.center[slot]), state)
        own = _within(xp, center, tail[slot, ...])
        state = state._replace(
            current=put(_copied(xp, state.current), slot, own),
        )
        state = state._replace(previous=state.current)
    return state


def update(plan: Plan, posed: Posed, index: int, state: State, dt: float) -> State:
    """Return the state after one update of `dt` [s] towards the pose of a frame."""
    xp, frame = posed.xp, Frame(plan, posed, index)
    coasting = state.current + plan.keep * (state.current - state.previous) + dt * plan.gravity
    pull = dt * plan.stiffness
    tails, seen = [], []
    for number, level in enumerate(plan.levels):
        part = slice(level.first, level.last)
        centers = {place: int(plan.center[level.first + place]) for place in level.centered}
        known = {c: frame.center(c, state) for c in set(centers.values())}
        start = coasting[part, ...]
        if centers:
            start = _coasting_in(xp, plan, state, level, centers, known, start, dt)
        rest, heads = frame.rest(number, level)
        axis, length = rest[:, 1, ...], state.length[part, ...]
        offset = at_length(xp, start + pull[part, ...] * axis - heads, length)
        for limits in level.limits:
            offset = _limit(xp, limits, rest, offset, length)
        if level.collisions:
            frame.place_colliders(level.late, state)
            ends = _collide(xp, level, frame.table, heads + offset, heads, length, rest)
            offset = ends - heads
        direction = offset / length[:, None, :]
        frames, own = swung(xp, rest, direction)
        frame.frames.append(frames)
        frame.heads.append(heads)
        if level.hung:
            frame.place_colliders(level.hung, state)
        end = heads + offset
        for place, center in centers.items():
            end = put(end, place, _within(xp, known[center], end[place, ...]))
        tails.append(end)
        seen.append(own)
    tail, directions = xp.concat(tails, axis=0), xp.concat(seen, axis=0)
    return State(tail, state.current, directions, state.length)


def _coasting_in(
    xp: Any,
    plan: Plan,
    state: State,
    level: Level,
    centers: dict[int, int],
    known: dict[int, Array],
    start: Array,
    dt: float,
) -> Array:
    """Return where tails coast to, with the inertia that they have in the space of their centers."""
    start = _copied(xp, start)
    for place, number in centers.items():
        slot = level.first + place
        center = known[number]
        now, before = (
            _outside(xp, center, x[slot, ...]) for x in (state.current, state.previous)
        )
        moved = now + plan.keep[slot, ...] * (now - before) + dt * plan.gravity[slot, ...]
        start = put(start, place, moved)
    return start


def _outside(xp: Any, center: Array, point: Array) -> Array:
    """Return points (3, avatars) of the space of a center (4, 3, avatars) in the world."""
    return xp.sum(center[:3, ...] * point[:, None, :], axis=0) + center[3, ...]


def _within(xp: Any, center: Array, point: Array) -> Array:
    """Return points (3, avatars) of the world in the space of a center (4, 3, avatars)."""
    offset = point - center[3, ...]
    columns = [center[i, ...] for i in range(3)]
    crossed = [_cross(xp, columns[(i + 1) % 3], columns[(i + 2) % 3]) for i in range(3)]
    volume = xp.sum(columns[0] * crossed[0], axis=0)
    volume = xp.where(volume == 0, 1.0, volume)
    return xp.stack([xp.sum(c * offset, axis=0) / volume for c in crossed], axis=0)


def _cross(xp: Any, a: Array, b: Array) -> Array:
    return xp.stack(
        [a[i, ...] * b[j, ...] - a[j, ...] * b[i, ...] for i, j in ((1, 2), (2, 0), (0, 1))],
        axis=0,
    )


def _copied(xp: Any, array: Array) -> Array:
    return array if hasattr(array, "at") else xp.asarray(array, copy=True)


def _limit(xp: Any, limits: Any, rest: Array, offset: Array, length: Array) -> Array:
    """Bring the offsets of the joints of a level that have limits within these."""
    own = limits.joints
    axes = xp.take(rest, own, axis=0)
    size = xp.take(length, own, axis=0)[:, None, :]
    unit = xp.take(offset, own, axis=0) / size
    seen = xp.sum(axes * unit[:, None, ...], axis=-2)
    seen = limited(xp, limits.kind, seen, limits.angles, limits.rotation)
    within = xp.sum(axes * seen[:, :, None, :], axis=1) * size
    return put(_copied(xp, offset), own, within)


def _collide(
    xp: Any, level: Level, table: Array, tails: Array, heads: Array, length: Array, rest: Array
) -> Array:
    for step in level.collisions:
        own = step.joints
        whole = own.shape[0] == tails.shape[0]
        restrict = _restriction(xp, level, own, rest) if level.limits else None
        if whole:
            tails = push_out(xp, step, tails, heads, length, table, restrict)
            continue
        ends, starts, sizes = (xp.take(x, own, axis=0) for x in (tails, heads, length))
        pushed = push_out(xp, step, ends, starts, sizes, table, restrict)
        tails = put(tails, own, pushed)
    return tails


def _restriction(xp: Any, level: Level, own: Array, rest: Array) -> Any:
    """Return the function that brings offsets of pairs within the limits of their joints."""

    def restrict(offset: Array, joints: Array, avatars: Array) -> Array:
        places = own[joints]
        axes = xp.moveaxis(rest[places, :, :, avatars], 0, -1)  # (3, 3, pairs)
        size = xp.sqrt(xp.sum(offset * offset, axis=0))
        unit = offset / xp.where(size > 0, size, 1.0)
        seen = xp.sum(axes * unit[None, ...], axis=1)
        for limits in level.limits:
            is_own = places[:, None] == limits.joints[None, :]
            has = xp.any(is_own, axis=1)
            which = xp.argmax(xp.astype(is_own, xp.int64), axis=1)
            angles, rotation = limits.angles[which, ...], limits.rotation[which, ...]
            columns = xp.matrix_transpose(seen)[..., None]  # every pair is a joint of one avatar
            within = limited(xp, limits.kind, columns, angles, rotation)[..., 0]
            seen = xp.where(has, xp.matrix_transpose(within), seen)
        return xp.sum(axes * seen[:, None, :], axis=0) * size

    return restrict
