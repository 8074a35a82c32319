"""Who is inside which trigger, state by state, whatever the engine.

Each state is looked at by itself, and for pairs that do not overlap also the way to it: what
crosses a trigger within one step enters and leaves. Only pairs whose balls come near each other are
looked at closely, in double precision.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Bools, Floats, Indices
from ligament.physics.collision.convex import Convex, Vector, convex
from ligament.physics.collision.distance import Placed, gap, touched
from ligament.physics.collision.surface import Surface
from ligament.physics.engines import Overlap
from ligament.physics.filters import collide
from ligament.physics.scene import Scene
from ligament.physics.shapes import Hull, Mesh, Shape, Sphere

DEPTH: Final = 1e-4
"""Part of their size by which shapes must overlap to enter; they leave where they are apart.
What rests against a trigger would enter and leave with every bit of noise otherwise."""

_ANGLE: Final = 2.23
"""Angle [rad] of a rotation next to the distance of its quaternions, at most."""

Form: TypeAlias = Convex | Surface
Pair: TypeAlias = tuple[int, int]


class TrackerState(NamedTuple):
    """What a tracker knows at one time: pairs that overlap, and changes that nobody asked for."""

    inside: list[Pair]
    waiting: list[Overlap]
    is_stale: bool


class OverlapTracker:
    """The overlaps of the sensors of a scene with solid colliders of other bodies.

    `left_out` are colliders that take no part. Poses of bodies are rows (B, 7) or more: position
    [m] and rotation. The tracker `is_stale` while the present state has not been looked at.
    """

    def __init__(self, scene: Scene, left_out: Collection[int] = ()) -> None:
        colliders = scene.colliders
        members = [i for i in range(len(colliders)) if i not in left_out]
        self._sensors = np.array([i for i in members if colliders[i].is_sensor], np.intp)
        self._others = np.array([i for i in members if not colliders[i].is_sensor], np.intp)
        self._may_meet = _meetings(scene, self._sensors, self._others)
        self._body = np.array([c.body for c in colliders], np.intp)
        self._is_sensor = [c.is_sensor for c in colliders]
        self._known: dict[object, Form] = {}
        self._kept: list[Shape] = []
        self._translation = np.array([c.pose.translation for c in colliders], np.float64)
        self._rotation = np.array([c.pose.rotation for c in colliders], np.float64)
        self._forms = [
            _NOTHING if i in left_out else self._form(c.shape, is_sensor=c.is_sensor)
            for i, c in enumerate(colliders)
        ]
        self._measure()
        self._is_changed = np.ones(len(colliders), bool)
        self._axes: dict[Pair, Vector] = {}
        self._before: _Situation | None = None
        self._inside: set[Pair] = set()
        self._waiting: list[Overlap] = []
        self.is_stale = True

    def _form(self, shape: Shape, *, is_sensor: bool) -> Form:
        """Return the form of a shape, which those that share the shape share too."""
        key = (id(shape) if isinstance(shape, Hull | Mesh) else shape, is_sensor)
        if key not in self._known:
            self._known[key] = _make_form(shape, is_sensor=is_sensor)
            self._kept.append(shape)  # so that no other shape gets its identity
        return self._known[key]

    def _measure(self) -> None:
        """Note the balls around and inside all forms."""
        self._center = np.array([form.center for form in self._forms], np.float64)
        self._outer = np.array([form.outer for form in self._forms])
        self._inner = np.array([form.inner for form in self._forms])

    def set_shape(self, collider: int, shape: Shape) -> None:
        """Give a collider another shape."""
        self._forms[collider] = self._form(shape, is_sensor=self._is_sensor[collider])
        self._measure()
        self._is_changed[collider] = True

    def place_collider(self, collider: int, translation: Floats, rotation: Floats) -> None:
        """Move a collider within its body."""
        self._translation[collider], self._rotation[collider] = translation, rotation
        self._is_changed[collider] = True

    def state(self) -> TrackerState:
        """Return what `restore` goes back to."""
        self._axes.clear()  # where searches begin must not depend on whether one came back
        return TrackerState(sorted(self._inside), self._waiting, self.is_stale)

    def restore(self, state: TrackerState, poses: Floats) -> None:
        """Go back to a state of the same scene, in which bodies had these poses (B, 7)."""
        self._axes.clear()
        self._inside = {(a, b) for a, b in state.inside}
        self._waiting, self.is_stale = list(state.waiting), state.is_stale
        self._before = self._situation(poses)
        self._is_changed[:] = True

    def take(self) -> list[Overlap]:
        """Return what changed since the last call."""
        waiting, self._waiting = self._waiting, []
        return waiting

    def update(self, step: int, poses: Floats, *, is_jump: bool = False) -> None:
        """Look at the state after so many steps; nothing was passed on the way where it jumped."""
        now = self._situation(poses)
        before, self._before = self._before or now, now
        motion = now.motion_since(before, self._outer)
        has_moved = self._is_changed | (motion > 0)
        self.is_stale = False
        if not has_moved.any():
            return
        if is_jump:
            motion = np.zeros(len(motion))
        gaps = {
            pair: self._gap(pair, now, float(motion[list(pair)].sum()))
            for pair in self._near(now, has_moved, motion)
        }
        changes = []
        for pair, distance in gaps.items():
            if (distance <= 0) != (pair in self._inside):
                changes.append(Overlap(*pair, distance <= 0, step))
            elif 0 < distance < motion[list(pair)].sum() and self._passed(pair, before, now):
                changes += [Overlap(*pair, True, step), Overlap(*pair, False, step)]
        for pair in self._inside - gaps.keys():
            if has_moved[list(pair)].any():
                changes.append(Overlap(*pair, False, step))
        for a, b, started, _ in changes:
            (self._inside.add if started else self._inside.discard)((a, b))
        self._waiting += sorted(changes, key=lambda change: change[:2])
        self._is_changed[:] = False

    def _situation(self, poses: Floats) -> _Situation:
        place, rotation = poses[self._body, :3], poses[self._body, 3:7]
        offset = self._translation + tf.rotate(self._rotation, self._center)
        return _Situation(
            place + tf.rotate(rotation, offset), tf.multiply(rotation, self._rotation), self._center
        )

    def _near(self, now: _Situation, has_moved: Bools, motion: Floats) -> list[Pair]:
        """Return pairs that moved and may overlap, or may have done so on the way."""
        s, o = self._sensors, self._others
        apart = now.center[s][:, None] - now.center[o]
        size = self._outer + motion
        is_near = np.einsum("soi,soi->so", apart, apart) <= (size[s][:, None] + size[o]) ** 2
        is_near &= self._may_meet & (has_moved[s][:, None] | has_moved[o])
        rows, columns = np.nonzero(is_near)
        return list(zip(s[rows].tolist(), o[columns].tolist(), strict=True))

    def _gap(self, pair: Pair, now: _Situation, motion: float) -> float:
        """Return a distance [m] that two shapes are apart at least; not above 0 if they overlap.

        Distances beyond their motion [m] are not needed. What was apart must overlap by DEPTH.
        """
        a, b = pair
        apart = float(np.linalg.norm(now.center[a] - now.center[b]))
        outer, inner = self._outer[a] + self._outer[b], self._inner[a] + self._inner[b]
        if apart > outer:
            return float(apart - outer)
        if apart < (1 - 2 * DEPTH) * inner:
            return 0.0
        away = 0.0 if pair in self._inside else DEPTH
        form_a, form_b = self._forms[a], self._forms[b]
        if isinstance(form_a, Convex) and isinstance(form_b, Convex):
            placed = now.placed(a, form_a)
            found = gap(placed, _away(placed, now.placed(b, form_b), away), self._axes.get(pair))
            self._axes[pair] = found.axis
            if found.distance <= 0:
                del self._axes[pair]
            return found.distance
        return self._surface_gap(pair, now, motion, away)

    def _surface_gap(self, pair: Pair, now: _Situation, motion: float, away: float) -> float:
        least = max(motion, float(np.finfo(float).tiny))
        for a, b in self._parts(pair, now, motion):
            least = min(least, gap(a, _away(a, b, away)).distance)
            if least <= 0:
                return least
        return 0.0 if self._holds(pair, now) else least

    def _holds(self, pair: Pair, now: _Situation) -> bool:
        """Tell whether a closed surface holds a shape that does not touch it."""
        sensor, other = self._forms[pair[0]], self._forms[pair[1]]
        if not isinstance(sensor, Surface):
            return False
        point = other.center if isinstance(other, Convex) else other.corner
        return sensor.holds(now.local(pair[0], np.array(now.world(pair[1], point))))

    def _passed(self, pair: Pair, before: _Situation, now: _Situation) -> bool:
        """Tell whether two shapes that do not overlap did so on the way from the last state."""
        margin = float(now.motion_since(before, self._outer)[list(pair)].sum())
        for a, b in self._parts(pair, now, margin):
            start = before.placed(pair[0], a.shape)
            begin = start, _away(start, before.placed(pair[1], b.shape), DEPTH)
            if touched(begin, (a, _away(a, b, DEPTH))):
                return True
        return False

    def _parts(self, pair: Pair, now: _Situation, margin: float) -> Iterator[tuple[Placed, Placed]]:
        """Yield pairs of convex parts that are within a margin [m] of each other's balls."""
        sensor, other = pair
        center, radius = now.center[other], float(self._outer[other])
        for a in self._parts_near(sensor, now, center, radius + margin):
            for b in self._parts_near(other, now, np.array(a.center), a.shape.outer + margin):
                yield a, b

    def _parts_near(
        self, collider: int, now: _Situation, center: Floats, radius: float
    ) -> Iterator[Placed]:
        form = self._forms[collider]
        if isinstance(form, Convex):
            yield now.placed(collider, form)
            return
        for part in form.near(now.local(collider, center), radius):
            yield now.placed(collider, part)


class _Situation(NamedTuple):
    """All colliders at one time: centres (C, 3) [m] and rotations (C, 4) in the world.

    `origin` (C, 3) [m] is the centre of each form in its own frame.
    """

    center: Floats
    rotation: Floats
    origin: Floats

    def motion_since(self, before: _Situation, radius: Floats) -> Floats:
        """Return how far (C,) [m] a point within a radius (C,) of a centre has moved at most."""
        travel = np.linalg.norm(self.center - before.center, axis=1)
        near, far = self.rotation - before.rotation, self.rotation + before.rotation
        turn = np.minimum(np.linalg.norm(near, axis=1), np.linalg.norm(far, axis=1))
        return np.asarray(travel + _ANGLE * radius * turn)

    def world(self, collider: int, point: Vector) -> Vector:
        """Return a point of a form in the world."""
        offset = np.array(point) - self.origin[collider]
        x, y, z = (self.center[collider] + tf.rotate(self.rotation[collider], offset)).tolist()
        return x, y, z

    def local(self, collider: int, point: Floats) -> Floats:
        """Return a point of the world in the frame of a form."""
        back = tf.conjugate(self.rotation[collider])
        return np.asarray(self.origin[collider] + tf.rotate(back, point - self.center[collider]))

    def placed(self, collider: int, part: Convex) -> Placed:
        """Return a form, or a part of it, in the world."""
        x, y, z, w = self.rotation[collider].tolist()
        if part.center == tuple(self.origin[collider].tolist()):
            cx, cy, cz = self.center[collider].tolist()
            return Placed(part, (cx, cy, cz), (x, y, z, w))
        return Placed(part, self.world(collider, part.center), (x, y, z, w))


def _make_form(shape: Shape, *, is_sensor: bool) -> Form:
    return Surface(shape, is_solid=is_sensor) if isinstance(shape, Mesh) else convex(shape)


_NOTHING: Final = convex(Sphere(0.0))


def _away(a: Placed, b: Placed, part: float) -> Placed:
    """Return b moved away from a, by a part of the distance of their centres.

    That is as good as shrinking both by that part.
    """
    x, y, z = (q + part * (q - p) for p, q in zip(a.center, b.center, strict=True))
    return Placed(b.shape, (x, y, z), b.rotation)


def _meetings(scene: Scene, sensors: Indices, others: Indices) -> Bools:
    """Return (S, O): which colliders may meet, by their filters; those of one body do not."""
    filters = [c.filter for c in scene.colliders]
    number = {each: i for i, each in enumerate(dict.fromkeys(filters))}
    table = np.array([[collide(a, b) for b in number] for a in number], bool)
    kind = np.array([number[each] for each in filters], np.intp)
    body = np.array([c.body for c in scene.colliders], np.intp)
    return np.asarray(
        table[kind[sensors][:, None], kind[others]] & (body[sensors][:, None] != body[others])
    )
