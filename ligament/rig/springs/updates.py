"""Updates: the state of all joints from frame to frame.

A joint depends on earlier levels in the same frame, and on itself in the previous frame. If every
level depends only on the one before, all levels are updated at once, each one frame behind the
previous level: a chain of ten joints takes as many calls as one joint.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ligament.arrays import Bools, Indices
from ligament.rig.springs.collisions import Collisions, MetColliders, push_out
from ligament.rig.springs.devices import constant, on_device, zeros
from ligament.rig.springs.kernels import (
    at_length,
    carried,
    dots,
    inside,
    limited,
    outside,
    put,
    swung,
    swung_to,
    total,
)
from ligament.rig.springs.plan import Level, Limits, Plan
from ligament.rig.springs.posing import Posed
from ligament.rig.springs.state import State
from ligament.transforms.components import Array

TOGETHER = 16
"""Number of avatars up to which the collisions of all levels are handled together: NumPy's call
overhead exceeds the cost of gathering the colliders of each joint's frame."""


class Span(NamedTuple):
    """Levels updated together, each with its frame; slots `first` to `last`."""

    levels: Sequence[tuple[int, Level, int]]
    first: int
    last: int

    @property
    def part(self) -> slice:
        """The slots."""
        return slice(self.first, self.last)


class Tails(NamedTuple):
    """Offsets (k, 3, avatars) of tails from heads, their joints, and their lengths."""

    offset: Array
    heads: Array
    rest: Array
    length: Array


class Run:
    """One run through the frames of a posed chunk, from a state or from rest.

    `resets` (frames, J) marks the joints to reset.
    """

    def __init__(
        self, plan: Plan, posed: Posed, dt: float, state: State | None, resets: Bools
    ) -> None:
        self.plan, self.posed, self.xp, self.resets = plan, posed, posed.xp, resets
        avatars, frames = posed.shape
        joints, like = len(plan.nodes), posed.pose.rotation
        make = partial(zeros, self.xp, like)
        current, previous, seen = (make((joints, 3, avatars)) for _ in range(3))
        self.state = state or State(current, previous, seen, posed.lengths(0))
        self._fall, self._pull = dt * plan.gravity, dt * plan.stiffness
        self._frames, self._heads = make((joints, 3, 3, avatars)), make((joints, 3, avatars))
        self._waves = make((frames, joints, 3, avatars))
        self._resetting = np.asarray(resets.any(axis=1))
        self._table: Array | None = None

    def seen(self) -> Array:
        """Update all frames; return the directions (frames, J, 3, avatars) of bones."""
        frames, levels = len(self.resets), self.plan.levels
        if not self.plan.is_regular:
            for frame in range(frames):
                self._table = self._copied_table(frame)
                self._forget(frame)
                for number, level in enumerate(levels):
                    self._update(Span([(number, level, frame)], level.first, level.last), frame)
                    self._place(level.hung, level.last, frame)
            return self._waves
        for wave in range(frames + len(levels) - 1):
            low, high = max(0, wave - frames + 1), min(wave, len(levels) - 1)
            chosen = [(i, levels[i], wave - i) for i in range(low, high + 1)]
            self._update(Span(chosen, levels[low].first, levels[high].last), wave)
        parts = [
            self._in_order(self._waves[:, level.first : level.last, ...], i % frames)
            for i, level in enumerate(levels)
        ]
        return parts[0] if len(parts) == 1 else self.xp.concat(parts, axis=1)

    def _in_order(self, waves: Array, first: int) -> Array:
        """Return the frames of a level, the first of which is in a later wave."""
        return self.xp.roll(waves, -first, axis=0) if first else waves

    def _update(self, span: Span, wave: int) -> None:
        """Update the joints of a span."""
        xp, plan, part = self.xp, self.plan, span.part
        marks = self._marks(span)
        now, before = self.state.current[part, ...], self.state.previous[part, ...]
        length = self.state.length[part, ...]
        start = now + plan.keep[part, ...] * (now - before) + self._fall[part, ...]
        centers = list(self._centers(span))
        for slots, center in centers:
            start = put(start, slots - span.first, self._inertial_positions(slots, center))
        rest, heads = self._rest(span)
        axis = rest[:, 1, ...]
        offset = at_length(xp, start + self._pull[part, ...] * axis - heads, length)
        tails = Tails(offset, heads, rest, length)
        for limits in plan.limits:
            tails = tails._replace(offset=self._limited(span, limits, tails))
        if plan.collisions:
            tails = tails._replace(offset=self._collided(span, tails))
        if marks is not None:
            tails = self._put_to_rest(span, marks, tails)
        direction = _directions(xp, tails)
        frames, seen = swung(xp, rest, direction)
        end = heads + tails.offset
        for slots, center in centers:
            places = slots - span.first
            end = put(end, places, inside(xp, center, end[places, ...]))
        before = now if marks is None else xp.where(marks[:, None, None], end, now)
        self._frames, self._heads = put(self._frames, part, frames), put(self._heads, part, heads)
        self._waves = put(self._waves, (wave % len(self.resets), part), seen)
        self._keep(part, State(end, before, seen, tails.length))

    def _keep(self, part: slice, new: State) -> None:
        """Store the state that the next update starts from."""
        if new.current.shape[0] == len(self.plan.nodes):
            self.state = new
            return
        pairs = zip(self.state[:4], new[:4], strict=True)
        self.state = State(*(put(_writable(self.xp, old), part, values) for old, values in pairs))

    # --- frames ---

    def _rest(self, span: Span) -> tuple[Array, Array]:
        """Return the rest frames and the heads of the joints of a span."""
        xp, parts = self.xp, []
        number, level, frame = span.levels[0]
        free = self.posed.rest[number]
        if free is not None:
            parts.append(free[frame, ...])
        start = span.first + level.free
        if start < span.last:
            frames, heads = self._anchors(start, span.last)
            own = carried(xp, self._relations(span), frames)
            parts.append(put(own, (slice(None), 3), own[:, 3, ...] + heads))
        rest = parts[0] if len(parts) == 1 else xp.concat(parts, axis=0)
        return rest[:, :3, ...], rest[:, 3, ...]

    def _anchors(self, first: int, last: int) -> tuple[Array, Array]:
        """Return the frames and heads of the joints' anchors, without a copy if contiguous."""
        chosen = self.plan.anchor[first:last]
        start, end = int(chosen[0]), int(chosen[-1]) + 1
        if end - start == last - first and self.plan.is_sorted:
            return self._frames[start:end, ...], self._heads[start:end, ...]
        anchors = self.plan.anchors[first:last]
        return tuple(self.xp.take(x, anchors, axis=0) for x in (self._frames, self._heads))

    def _relations(self, span: Span) -> Array:
        """Return the coordinates of the joints of a span in the frames of their anchors."""
        fixed = self.posed.fixed_relation
        if fixed is not None and self.plan.is_regular:
            free = self.plan.levels[0].free
            return fixed[max(0, span.first - free) : span.last - free, ...]
        found = ((self.posed.relation[number], frame) for number, _, frame in span.levels)
        parts = [x if x.ndim == 4 else x[frame, ...] for x, frame in found if x is not None]
        if len(parts) == 1:
            return parts[0]
        avatars = max(part.shape[-1] for part in parts)
        parts = [self.xp.broadcast_to(part, (*part.shape[:-1], avatars)) for part in parts]
        return self.xp.concat(parts, axis=0)

    def _frame_of(self, slot: int, done: int, frame: int) -> tuple[Array, Array]:
        """Return the current frame (1, 3, 3, avatars) and head of a joint.

        Slots before `done` are updated. The others keep their previous local pose below their
        current ancestors. No recursion: chains may be deeper than the stack.
        """
        stale = []
        while slot >= done:
            stale.append(slot)
            if self._is_free(slot):
                break
            slot = int(self.plan.anchor[slot])
        at = slice(slot, slot + 1)
        frames, heads = self._frames[at, ...], self._heads[at, ...]
        for joint in reversed(stale):
            rest, heads = self._rest_of(joint, frame, frames, heads)
            seen = self.state.seen[joint : joint + 1, ...]
            direction = total(rest * seen[:, :, None, :], -3)
            frames = swung_to(self.xp, rest, direction, seen)
        return frames, heads

    def _is_free(self, slot: int) -> bool:
        """Tell whether a joint has no anchor."""
        number = int(self.plan.level[slot])
        level = self.plan.levels[number]
        return self.posed.rest[number] is not None and slot - level.first < level.free

    def _rest_of(self, slot: int, frame: int, frames: Array, heads: Array) -> tuple[Array, Array]:
        """Return the rest frame and the head of one joint, possibly below an anchor."""
        number = int(self.plan.level[slot])
        level = self.plan.levels[number]
        place = slot - level.first
        if self._is_free(slot):
            own = self.posed.rest[number][frame, place : place + 1, ...]
            return own[:, :3, ...], own[:, 3, ...]
        relation = self.posed.relation[number]
        relation = relation if relation.ndim == 4 else relation[frame, ...]
        place -= level.free
        own = carried(self.xp, relation[place : place + 1, ...], frames)
        return own[:, :3, ...], own[:, 3, ...] + heads

    # --- centers ---

    def _centers(self, span: Span) -> Iterator[tuple[Indices, Array]]:
        """Yield the slots that have a center, and its current axes and position (4, 3, avatars)."""
        for _, level, frame in span.levels:
            for number, slots in level.centered:
                found = self.posed.centers[number]
                anchor = int(self.plan.center_anchor[number])
                if anchor < 0:
                    yield slots, found[frame, 0, ...]
                    continue
                found = found if found.ndim == 4 else found[frame, ...]
                frames, heads = self._frame_of(anchor, level.first, frame)
                own = carried(self.xp, found, frames)[0, ...]
                yield slots, self.xp.concat([own[:3, ...], own[3:, ...] + heads], axis=0)

    def _inertial_positions(self, slots: Indices, center: Array) -> Array:
        """Return where tails coast to by their inertia in the space of a center."""
        at = on_device(self.xp, center, slots)
        tails = (self.xp.take(x, at, axis=0) for x in (self.state.current, self.state.previous))
        now, before = (outside(center, points) for points in tails)
        keep, fall = self.plan.keep[slots, ...], self._fall[slots, ...]
        return now + keep * (now - before) + fall

    # --- limits and collisions ---

    def _limited(self, span: Span, limits: Limits, tails: Tails) -> Array:
        """Return offsets within limits, for the joints that have them."""
        xp = self.xp
        chosen = np.flatnonzero((limits.slots >= span.first) & (limits.slots < span.last))
        if not len(chosen):
            return tails.offset
        places = on_device(xp, tails.offset, limits.slots[chosen] - span.first)
        offset, rest = xp.take(tails.offset, places, axis=0), xp.take(tails.rest, places, axis=0)
        length = xp.take(tails.length, places, axis=0)[:, None, :]
        seen = dots(rest, (offset / length)[:, None, ...])
        angles, rotation = limits.angles[chosen, ...], limits.rotation[chosen, ...]
        seen = limited(xp, limits.kind, seen, angles, rotation)
        return put(tails.offset, places, total(rest * seen[:, :, None, :], -3) * length)

    def _collided(self, span: Span, tails: Tails) -> Array:
        """Return offsets after all colliders."""
        ends = tails.heads + tails.offset
        if self.plan.is_regular and span.last - span.first == len(self.plan.nodes):
            for step in self.plan.collisions:
                met = self._colliders_met(step, span.levels[0][2], ends)
                ends = self._pushed(span, step, step.joints, tails, ends, met)
            return ends - tails.heads
        for _, level, frame in span.levels:
            if self._table is not None:
                self._place(level.late, level.first, frame)
            table = self.posed.table[frame, ...] if self._table is None else self._table
            for step in level.collisions:
                shapes = self.xp.take(table, step.slots, axis=0)
                places = step.joints + (level.first - span.first)
                met = [MetColliders(slice(0, step.joints.shape[0]), shapes)]
                ends = self._pushed(span, step, places, tails, ends, met)
        return ends - tails.heads

    def _colliders_met(self, step: Collisions, frame: int, like: Array) -> list[MetColliders]:
        """Return the colliders that the joints of all levels meet, each level one frame behind.

        Few avatars are handled together, as NumPy's call overhead exceeds the cost of gathering the
        colliders of each joint's frame.
        """
        table = self.posed.table
        if like.shape[-1] <= TOGETHER and not hasattr(like, "at"):
            whole = self.xp.reshape(table, (-1, *table.shape[2:]))
            shapes = self.xp.take(whole, step.behind + frame * table.shape[1], axis=0)
            count = step.joints.shape[0]
            return [
                MetColliders(
                    slice(0, count), self.xp.reshape(shapes, (count, -1, *table.shape[2:]))
                )
            ]
        return [
            MetColliders(
                slice(first, last), self.xp.take(table[frame - number, ...], step.slots, axis=0)
            )
            for number, (first, last) in enumerate(pairwise(step.bounds))
            if first < last
        ]

    def _pushed(
        self,
        span: Span,
        step: Collisions,
        places: Array,
        tails: Tails,
        ends: Array,
        met: list[MetColliders],
    ) -> Array:
        xp, restrict = self.xp, None
        if self.plan.limits:
            restrict = partial(self._restricted, span, places, tails.rest)
        if places.shape[0] == ends.shape[0]:
            return push_out(xp, step, ends, tails.heads, tails.length, met, restrict)
        own, heads, length = (xp.take(x, places, axis=0) for x in (ends, tails.heads, tails.length))
        return put(ends, places, push_out(xp, step, own, heads, length, met, restrict))

    def _restricted(
        self, span: Span, places: Array, rest: Array, joints: Array, avatars: Array, offset: Array
    ) -> Array:
        """Clamp the offsets (3, pairs) of pushed tails to the limits of their joints."""
        xp = self.xp
        own = places[joints]
        axes = xp.moveaxis(rest[own, :, :, avatars], 0, -1)  # (3, 3, pairs)
        size = xp.sqrt(xp.sum(offset * offset, axis=0))
        unit = offset / xp.where(size > 0, size, 1.0)
        seen = xp.sum(axes * unit[None, ...], axis=1)
        for limits in self.plan.limits:
            slots = on_device(xp, rest, limits.slots - span.first)
            is_own = own[:, None] == slots[None, :]
            which = xp.argmax(xp.astype(is_own, xp.int64), axis=1)
            angles, rotation = limits.angles[which, ...], limits.rotation[which, ...]
            columns = xp.matrix_transpose(seen)[..., None]  # every pair is a joint of one avatar
            within = limited(xp, limits.kind, columns, angles, rotation)[..., 0]
            seen = xp.where(xp.any(is_own, axis=1), xp.matrix_transpose(within), seen)
        return xp.sum(axes * seen[:, None, :], axis=0) * size

    # --- colliders carried by joints ---

    def _copied_table(self, frame: int) -> Array | None:
        """Return a writable table of a frame's colliders if joints carry some of them."""
        table = self.posed.table
        if table is None or (self.plan.anchored < 0).all():
            return None
        return _writable(self.xp, table[frame, ...])

    def _place(self, indices: tuple[int, ...], done: int, frame: int) -> None:
        """Place colliders at the current poses of the joints that carry them."""
        for index in indices:
            found = self.posed.hung_collider(index)
            found = found if found.ndim == 4 else found[frame, ...]
            frames, heads = self._frame_of(int(self.plan.anchored[index]), done, frame)
            own = carried(self.xp, found, frames)
            own = put(own, (slice(None), 0), own[:, 0, ...] + heads)
            self._table = put(self._table, slice(index, index + 1), own)

    # --- resets ---

    def _marks(self, span: Span) -> Array | None:
        """Return which joints of a span are reset, None if none is."""
        if not any(self._resetting[frame] for _, _, frame in span.levels):
            return None
        parts = [self.resets[frame, level.first : level.last] for _, level, frame in span.levels]
        return on_device(self.xp, self.state.current, np.concatenate(parts))

    def _forget(self, frame: int) -> None:
        """Reset all marked joints before the first is updated."""
        if self._resetting[frame]:
            marks = on_device(self.xp, self.state.seen, self.resets[frame])
            axis = constant(self.xp, self.state.seen, np.array([[0.0], [1.0], [0.0]]))
            seen = self.xp.where(marks[:, None, None], axis, self.state.seen)
            self.state = self.state._replace(seen=seen)

    def _put_to_rest(self, span: Span, marks: Array, tails: Tails) -> Tails:
        """Return tails at rest where marked, with bone lengths of that frame."""
        parts = [self.posed.lengths(f)[x.first : x.last, ...] for _, x, f in span.levels]
        fresh = self.xp.concat(parts, axis=0)
        length = self.xp.where(marks[:, None], fresh, tails.length)
        axis = length[:, None, :] * tails.rest[:, 1, ...]
        offset = self.xp.where(marks[:, None, None], axis, tails.offset)
        return tails._replace(offset=offset, length=length)


def _directions(xp: Any, tails: Tails) -> Array:
    """Return the directions of bones; those scaled to zero point as at rest."""
    length = tails.length[:, None, :]
    if xp is np and length.min(initial=1.0) > 0:
        return tails.offset / length
    is_point = length == 0
    return xp.where(is_point, tails.rest[:, 1, ...], tails.offset / xp.where(is_point, 1.0, length))


def _writable(xp: Any, array: Array) -> Array:
    """Return a writable array."""
    return array if hasattr(array, "at") else xp.asarray(array, copy=True)
