"""Trigger overlaps, state by state, for any engine.

Each state is tested, and for pairs that do not overlap also the motion leading to it: a body that
crosses a trigger within one step enters and leaves. Two shapes with a known distance or depth are
tested again only when they may have moved by that much.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Bools, Floats, Indices
from ligament.extensions.rigid_bodies import MotionKind
from ligament.physics.collision.convex import Convex, Vector, convex
from ligament.physics.collision.distance import (
    Placed,
    bounds,
    gap,
    matrix,
    rotated,
    touched,
)
from ligament.physics.collision.situation import Boxes, Situation
from ligament.physics.collision.surface import Surface
from ligament.physics.engines import Overlap
from ligament.physics.filters import collide
from ligament.physics.scene import Collider, Scene
from ligament.physics.shapes import Hull, Mesh, Shape, Sphere, has_extent

DEPTH: Final = 1e-4
"""Part of their size by which shapes must overlap to enter; they leave where they are apart.
What rests against a trigger would enter and leave with every bit of noise otherwise."""

_DEEP: Final = 0.1
"""Overlap, relative to their size, above which shapes are not tested again for a while."""

_CLEARLY: Final = 1e-9
"""Separation of bounding boxes, relative to their size, below which shapes are tested."""

_NOW: Final = -1.0
_TINY: Final = float(np.finfo(float).tiny)

Form: TypeAlias = Convex | Surface
Pair: TypeAlias = tuple[int, int]


class TrackerState(NamedTuple):
    """State of a tracker: overlapping pairs, and changes not yet taken.

    `places` are the bytes of the poses (C, 7) of colliders in their bodies.
    """

    inside: list[Pair]
    places: bytes
    waiting: list[Overlap]
    is_stale: bool


class OverlapTracker:
    """The overlaps of the S sensors of a scene with the O solid colliders of other bodies.

    `left_out` are colliders that are ignored. Poses of bodies are rows (B, 7) or more: position [m]
    and rotation. The tracker `is_stale` until the current state has been tested.
    """

    def __init__(self, scene: Scene, left_out: Collection[int] = ()) -> None:
        colliders = scene.colliders
        members = [i for i in range(len(colliders)) if i not in left_out]
        self._sensors = np.array([i for i in members if colliders[i].is_sensor], np.intp)
        self._others = np.array([i for i in members if not colliders[i].is_sensor], np.intp)
        self._may_meet = _meetings(scene, self._sensors, self._others)
        self._body = np.array([c.body for c in colliders], np.intp)
        # The interior of a closed mesh counts on bodies and triggers; a static level is surface
        # only.
        self._is_solid = [
            c.is_sensor or scene.bodies[c.body].kind is not MotionKind.STATIC for c in colliders
        ]
        self._known: dict[object, Form] = {}
        self._kept: list[Shape] = []
        self._forms = [
            _NOTHING if i in left_out else self._form(c.shape, is_solid=self._is_solid[i])
            for i, c in enumerate(colliders)
        ]
        self._center = np.array([form.center for form in self._forms], np.float64)
        self._outer = np.array([form.outer for form in self._forms])
        self._inner = np.array([form.inner for form in self._forms])
        self._boxes = Boxes(len(colliders))
        for i, form in enumerate(self._forms):
            self._boxes.set(i, form)
        self._translation = np.array([c.pose.translation for c in colliders], np.float64)
        self._rotation = np.array([c.pose.rotation for c in colliders], np.float64)
        self._offset = self._translation + tf.rotate(self._rotation, self._center)
        self._is_off = np.array([not has_extent(c.shape) for c in colliders], bool)
        self._inside = np.zeros(self._may_meet.shape, bool)
        # Upper bound (C,) [m] on the motion of any point of a collider so far; a pair is due again
        # when both together have moved by more than this (S, O).
        self._travel = np.zeros(len(colliders))
        self._due = np.where(self._may_meet, _NOW, np.inf)
        self._axes: dict[Pair, Vector] = {}
        # Parts of surfaces: those that overlapped last, and those that come close.
        self._touching: dict[Pair, tuple[Convex, Convex]] = {}
        self._close: dict[Pair, list[tuple[Placed, Placed]]] = {}
        self._before: Situation | None = None
        self._waiting: list[Overlap] = []
        self.is_stale = True

    def _form(self, shape: Shape, *, is_solid: bool) -> Form:
        """Return the form of a shape, shared by colliders with the same shape."""
        key = (id(shape) if isinstance(shape, Hull | Mesh) else shape, is_solid)
        if key not in self._known:
            self._known[key] = (
                Surface(shape, is_solid=is_solid) if isinstance(shape, Mesh) else convex(shape)
            )
            self._kept.append(shape)  # so that no other shape gets its identity
        return self._known[key]

    def set_collider(self, collider: int, value: Collider) -> None:
        """Set another shape or pose of a collider in its body; without extent it is disabled."""
        self._is_off[collider] = not has_extent(value.shape)
        if not self._is_off[collider]:
            form = self._form(value.shape, is_solid=self._is_solid[collider])
            self._forms[collider] = form
            self._outer[collider], self._inner[collider] = form.outer, form.inner
            self._boxes.set(collider, form)
            self._center = self._center.copy()  # the last situation keeps its own
            self._center[collider] = form.center
        self.place_collider(collider, value.pose.translation, value.pose.rotation)

    def place_collider(self, collider: int, translation: Floats, rotation: Floats) -> None:
        """Move a collider within its body."""
        self._rotation = self._rotation.copy()  # the last situation keeps its own
        self._translation[collider], self._rotation[collider] = translation, rotation
        self._offset[collider] = translation + tf.rotate(rotation, self._center[collider])
        is_own = (self._sensors == collider)[:, None] | (self._others == collider)
        self._due[is_own & self._may_meet] = _NOW

    def state(self) -> TrackerState:
        """Return the state that `restore` returns to."""
        self._axes.clear()  # the start of searches must not depend on restoring
        rows, columns = np.nonzero(self._inside)
        inside = list(zip(rows.tolist(), columns.tolist(), strict=True))
        places = np.concatenate([self._translation, self._rotation], axis=1).tobytes()
        return TrackerState(inside, places, self._waiting, self.is_stale)

    def restore(self, state: TrackerState, poses: Floats) -> None:
        """Return to a state of the same scene, in which bodies had these poses (B, 7)."""
        self._inside[:] = False
        for row, column in state.inside:
            self._inside[row, column] = True
        self._waiting, self.is_stale = list(state.waiting), state.is_stale
        places = np.frombuffer(state.places).reshape(-1, 7)
        self._translation, self._rotation = places[:, :3].copy(), places[:, 3:].copy()
        self._offset = self._translation + tf.rotate(self._rotation, self._center)
        self._before = self._situation(poses)
        self._axes.clear()
        self._due = np.where(self._may_meet, _NOW, np.inf)

    def take(self) -> list[Overlap]:
        """Return the changes since the last call."""
        waiting, self._waiting = self._waiting, []
        return waiting

    def update(self, step: int, poses: Floats, *, is_jump: bool = False) -> None:
        """Test the state after so many steps; bodies that jumped passed nothing on the way."""
        now = self._situation(poses)
        self._close.clear()
        before, self._before, self.is_stale = self._before or now, now, False
        motion = now.motion_since(before, self._outer)
        self._travel += motion
        travel = self._travel[self._sensors][:, None] + self._travel[self._others]
        rows, columns = np.nonzero(travel > self._due)
        if not len(rows):
            return
        sensors, others = self._sensors[rows], self._others[columns]
        both = motion[sensors] + motion[others]
        was_inside = self._inside[rows, columns]
        gaps = self._gaps(sensors, others, was_inside, both, now)
        is_inside = gaps <= 0
        self._inside[rows, columns] = is_inside
        # Pairs that overlapped on the way have met and separated again.
        parted = np.maximum(self._due[rows, columns] - travel[rows, columns] + both, 0.0) + gaps
        may_pass = ~was_inside & ~is_inside & (parted < (1 + DEPTH) * both)
        self._due[rows, columns] = travel[rows, columns] + np.abs(gaps)
        for i in np.flatnonzero(was_inside != is_inside).tolist():
            self._emit(sensors[i], others[i], step, bool(is_inside[i]))
        if is_jump:
            return
        near = np.flatnonzero(may_pass)
        near = near[~self._boxes.stay_separate(sensors[near], others[near], before, now)]
        for i in near.tolist():
            pair, moved = (int(sensors[i]), int(others[i])), float(both[i])
            if self._passed(pair, before, now, moved):
                self._emit(sensors[i], others[i], step, True)
                # Pairs that touch at the end have entered, but not left.
                if self._gap(pair, now, moved, 0.0) > 0:
                    self._emit(sensors[i], others[i], step, False)
                else:
                    self._inside[rows[i], columns[i]] = True

    def _emit(self, sensor: np.intp, other: np.intp, step: int, started: bool) -> None:
        self._waiting.append(Overlap(int(sensor), int(other), started, step))

    def _situation(self, poses: Floats) -> Situation:
        place, rotation = poses[self._body, :3], poses[self._body, 3:7]
        if self._offset.any():
            place = place + tf.rotate(rotation, self._offset)
        return Situation(place, rotation, self._rotation, self._center)

    def _gaps(
        self, sensors: Indices, others: Indices, was_inside: Bools, motion: Floats, now: Situation
    ) -> Floats:
        """Return how far (n,) [m] pairs are apart at least; where they overlap, minus the depth."""
        spacing = np.linalg.norm(now.center[sensors] - now.center[others], axis=1)
        between = spacing - (self._outer[sensors] + self._outer[others])
        depth = (1 - 2 * DEPTH) * (self._inner[sensors] + self._inner[others]) - spacing
        gaps: Floats = np.where(depth > 0, -depth, between)
        gaps[self._is_off[sensors] | self._is_off[others]] = np.inf
        near = np.flatnonzero((gaps <= 0) & (depth <= 0))
        pairs = sensors[near], others[near]
        size = self._outer[pairs[0]] + self._outer[pairs[1]]
        axes = self._boxes.axes(*pairs, now)
        between = self._boxes.gaps(*pairs, axes, now).max(axis=1)
        depth = self._boxes.depths(*pairs, now) - 2 * DEPTH * spacing[near]
        is_separate, is_deep = between > _CLEARLY * size, depth > _CLEARLY * size
        gaps[near] = np.where(is_separate, between, np.where(is_deep, -depth, gaps[near]))
        for i in near[~(is_separate | is_deep)].tolist():
            pair = int(sensors[i]), int(others[i])
            away = 0.0 if was_inside[i] else DEPTH
            gaps[i] = self._gap(pair, now, float(motion[i]), away)
        return gaps

    def _gap(self, pair: Pair, now: Situation, motion: float, away: float) -> float:
        """Return a lower bound [m] on the distance of two shapes, both shrunk by a part `away`.

        Distances beyond their motion [m] need not be exact.
        """
        form_a, form_b = self._forms[pair[0]], self._forms[pair[1]]
        if not (isinstance(form_a, Convex) and isinstance(form_b, Convex)):
            return self._surface_gap(pair, now, motion, away)
        a, b = now.placed(pair[0], form_a), now.placed(pair[1], form_b)
        distance, self._axes[pair] = gap(a, _away(a, b, away), self._axes.get(pair))
        if distance > 0:
            return distance
        del self._axes[pair]
        is_deep = gap(a, _away(a, b, _DEEP)).distance <= 0
        return -_DEEP * (form_a.inner + form_b.inner) if is_deep else 0.0

    def _surface_gap(self, pair: Pair, now: Situation, motion: float, away: float) -> float:
        """Return the same for a surface and a shape; a closed surface may contain the shape."""
        least = max(motion, _TINY)
        last = self._touching.pop(pair, None)
        if last is not None:  # most likely they still do
            a, b = now.placed(pair[0], last[0]), now.placed(pair[1], last[1])
            if gap(a, _away(a, b, away)).distance <= 0:
                self._touching[pair] = last
                return 0.0
        close = self._close[pair] = []
        for a, b in self._parts(pair, now, motion):
            distance = gap(a, _away(a, b, away)).distance
            if distance <= 0:
                self._touching[pair] = (a.shape, b.shape)
                return 0.0
            if distance < motion:
                close.append((a, b))
            least = min(least, distance)
        return 0.0 if self._holds(pair, now) else least

    def _holds(self, pair: Pair, now: Situation) -> bool:
        """Tell whether a closed surface contains a shape that does not touch it."""
        for outer, inner in (pair, pair[::-1]):
            holder, held = self._forms[outer], self._forms[inner]
            if isinstance(holder, Surface):
                point = held.center if isinstance(held, Convex) else held.corner
                if holder.holds(now.local(outer, np.array(now.world(inner, point)))):
                    return True
        return False

    def _passed(self, pair: Pair, before: Situation, now: Situation, motion: float) -> bool:
        """Tell whether two separate shapes overlapped on the way from the last state."""
        close = self._close.pop(pair, None)
        for a, b in self._parts(pair, now, motion) if close is None else close:
            start = before.placed(pair[0], a.shape)
            begin = start, _away(start, before.placed(pair[1], b.shape), DEPTH)
            if touched(begin, (a, _away(a, b, DEPTH))):
                return True
        return False

    def _parts(self, pair: Pair, now: Situation, margin: float) -> Iterator[tuple[Placed, Placed]]:
        """Yield pairs of convex parts whose bounds are within a margin [m] of each other."""
        sensor, other = pair
        form = self._forms[other]
        around = convex(Sphere(form.outer))._replace(center=form.center)
        whole = now.placed(other, form if isinstance(form, Convex) else around)
        for a in self._parts_near(sensor, now, whole, margin):
            for b in self._parts_near(other, now, a, margin):
                yield a, b

    def _parts_near(
        self, collider: int, now: Situation, other: Placed, margin: float
    ) -> Iterator[Placed]:
        form = self._forms[collider]
        if isinstance(form, Convex):
            yield now.placed(collider, form)
            return
        rotation, place = now.rotation_of(collider), now.center[collider]
        origin, turn = now.origin[collider], matrix(rotation)
        (ox, oy, oz), (px, py, pz) = origin.tolist(), place.tolist()
        low, high = bounds(other, Placed(_NOTHING, (px, py, pz), rotation))
        for part in form.near(low + origin - margin, high + origin + margin):
            x, y, z = part.center
            dx, dy, dz = rotated(turn, (x - ox, y - oy, z - oz))
            yield Placed(part, (px + dx, py + dy, pz + dz), rotation)


_NOTHING: Final = convex(Sphere(0.0))


def overlap(a: Collider, b: Collider) -> bool:
    """Tell whether two convex colliders overlap, as a tracker finds at its first state."""
    one, other = _placed(a), _placed(b)
    return gap(one, _away(one, other, DEPTH)).distance <= 0


def _placed(collider: Collider) -> Placed:
    assert not isinstance(collider.shape, Mesh)
    form, rotation = convex(collider.shape), collider.pose.rotation
    x, y, z = (collider.pose.translation + tf.rotate(rotation, np.array(form.center))).tolist()
    a, b, c, d = np.asarray(rotation).tolist()
    return Placed(form, (x, y, z), (a, b, c, d))


def _away(a: Placed, b: Placed, part: float) -> Placed:
    """Return b moved away from a by a part of the distance between their centres.

    This is equivalent to shrinking both by that part.
    """
    x, y, z = (q + part * (q - p) for p, q in zip(a.center, b.center, strict=True))
    return Placed(b.shape, (x, y, z), b.rotation)


def _meetings(scene: Scene, sensors: Indices, others: Indices) -> Bools:
    """Return (S, O): which colliders may meet by their filters; those of one body do not."""
    filters = [c.filter for c in scene.colliders]
    number = {each: i for i, each in enumerate(dict.fromkeys(filters))}
    table = np.array([[collide(a, b) for b in number] for a in number], bool)
    kind = np.array([number[each] for each in filters], np.intp)
    body = np.array([c.body for c in scene.colliders], np.intp)
    return np.asarray(
        table[kind[sensors][:, None], kind[others]] & (body[sensors][:, None] != body[others])
    )
