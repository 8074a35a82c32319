"""All colliders of a scene at one time, and their boxes: an early separation test.

Two shapes are separate if an axis separates their bounding boxes; on the way from one state to
another, if an axis does so at both ends by more than they may rotate into it. Vectorized, this
settles most pairs before any is examined individually.
"""

from __future__ import annotations

from typing import Final, NamedTuple, Protocol

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Bools, Floats, Indices
from ligament.physics.collision.convex import Convex, Vector
from ligament.physics.collision.distance import Placed, Quaternion

_ANGLE: Final = 2.23
"""Largest ratio of a rotation's angle [rad] to the distance of its quaternions."""


class Situation(NamedTuple):
    """All colliders at one time: their world centres (C, 3) [m] and rotations.

    `rotation` (C, 4) is that of their bodies in the world, `turned` (C, 4) their own in their
    bodies; `origin` (C, 3) [m] is the centre of each form in its own frame.
    """

    center: Floats
    rotation: Floats
    turned: Floats
    origin: Floats

    def rotations(self, colliders: Indices) -> Floats:
        """Return the world rotations (n, 4) of some forms."""
        return np.asarray(tf.multiply(self.rotation[colliders], self.turned[colliders]))

    def motion_since(self, before: Situation, radius: Floats) -> Floats:
        """Return how far (C,) [m] a point within a radius (C,) of a centre can have moved."""
        displacement, chord = self.center - before.center, self.rotation - before.rotation
        angle = _ANGLE * np.sqrt(np.einsum("ij,ij->i", chord, chord))
        return np.asarray(
            np.sqrt(np.einsum("ij,ij->i", displacement, displacement)) + radius * angle
        )

    def rotation_of(self, collider: int) -> Quaternion:
        """Return the world rotation of a form."""
        ax, ay, az, aw = self.rotation[collider].tolist()
        bx, by, bz, bw = self.turned[collider].tolist()
        return (
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
            aw * bw - ax * bx - ay * by - az * bz,
        )

    def world(self, collider: int, point: Vector) -> Vector:
        """Transform a point of a form to the world."""
        offset = np.array(point) - self.origin[collider]
        rotation = np.array(self.rotation_of(collider))
        x, y, z = (self.center[collider] + tf.rotate(rotation, offset)).tolist()
        return x, y, z

    def local(self, collider: int, point: Floats) -> Floats:
        """Transform a world point to the frame of a form."""
        back = tf.conjugate(np.array(self.rotation_of(collider)))
        return np.asarray(self.origin[collider] + tf.rotate(back, point - self.center[collider]))

    def placed(self, collider: int, part: Convex) -> Placed:
        """Return a form, or a part of it, placed in the world."""
        rotation = self.rotation_of(collider)
        if part.center == tuple(self.origin[collider].tolist()):
            x, y, z = self.center[collider].tolist()
            return Placed(part, (x, y, z), rotation)
        return Placed(part, self.world(collider, part.center), rotation)


class Form(Protocol):
    """A shape whose core fits in a box of half extents `half` [m], plus `margin` [m]."""

    @property
    def half(self) -> Vector:
        """Half extents of the box."""

    @property
    def margin(self) -> float:
        """Distance from the core to the surface of the shape."""

    @property
    def outer(self) -> float:
        """Radius of a ball around the shape."""

    @property
    def inner(self) -> float:
        """Radius of a ball inside the shape."""

    @property
    def is_box(self) -> bool:
        """Whether the core is the whole box."""


class Boxes:
    """The boxes around the forms of some colliders, in their frames."""

    def __init__(self, count: int) -> None:
        self._half = np.zeros((count, 3))
        self._margin, self._outer, self._inner = (np.zeros(count) for _ in range(3))
        self._is_box = np.zeros(count, bool)

    def set(self, collider: int, form: Form) -> None:
        """Set the form of a collider."""
        self._half[collider], self._margin[collider] = form.half, form.margin
        self._outer[collider], self._inner[collider] = form.outer, form.inner
        self._is_box[collider] = form.is_box

    def axes(self, first: Indices, second: Indices, at: Situation) -> Floats:
        """Return candidate separating axes (n, 7, 3) of pairs: of both boxes, and between them."""
        between = at.center[second] - at.center[first]
        length = np.sqrt(np.einsum("ij,ij->i", between, between))
        line = between / np.where(length > 0, length, 1.0)[:, None]
        own, other = (tf.to_matrix(at.rotations(each)) for each in (first, second))
        parts = [np.swapaxes(own, 1, 2), np.swapaxes(other, 1, 2), line[:, None]]
        return np.concatenate(parts, axis=1)

    def gaps(self, first: Indices, second: Indices, axes: Floats, at: Situation) -> Floats:
        """Return how far (n, K) [m] pairs are apart along axes (n, K, 3); overlaps are below 0."""
        between = np.einsum("nkj,nj->nk", axes, at.center[second] - at.center[first])
        gaps: Floats = np.abs(between)
        for each in (first, second):
            along = np.abs(axes @ tf.to_matrix(at.rotations(each)))
            gaps -= np.einsum("nkj,nj->nk", along, self._half[each]) + self._margin[each, None]
        return gaps

    def depths(self, first: Indices, second: Indices, at: Situation) -> Floats:
        """Return the known depth (n,) [m] of a form in the inner ball of the other."""
        return np.maximum(self._depths(first, second, at), self._depths(second, first, at))

    def _depths(self, boxes: Indices, balls: Indices, at: Situation) -> Floats:
        axes = tf.to_matrix(at.rotations(boxes))
        place = np.einsum("nji,nj->ni", axes, at.center[balls] - at.center[boxes])
        beyond = np.abs(place) - self._half[boxes]
        outside = np.linalg.norm(np.maximum(beyond, 0.0), axis=1)
        inside = np.minimum(beyond.max(axis=1), 0.0)
        depth = self._inner[balls] + self._margin[boxes] - outside - inside
        return np.where(self._is_box[boxes], depth, -np.inf)

    def stay_separate(
        self, first: Indices, second: Indices, before: Situation, now: Situation
    ) -> Bools:
        """Return which pairs (n,) an axis separates all the way from one state to another."""
        axes = self.axes(first, second, now)
        sides = [
            np.einsum("nkj,nj->nk", axes, at.center[second] - at.center[first]) > 0
            for at in (before, now)
        ]
        gaps = [self.gaps(first, second, axes, at) for at in (before, now)]
        spin = self._spin(first, before, now) + self._spin(second, before, now)
        # Halfway, a body has rotated by at most half the total as seen from either end.
        is_separate = np.minimum(*gaps) > spin[:, None] / 2
        stay: Bools = (is_separate & (sides[0] == sides[1])).any(axis=1)
        return stay

    def _spin(self, which: Indices, before: Situation, now: Situation) -> Floats:
        """Return an upper bound (n,) [m] on the motion of points about their forms' centres."""
        one, other = before.rotations(which), now.rotations(which)
        chord = np.minimum(*(np.linalg.norm(one - sign * other, axis=1) for sign in (1, -1)))
        return np.asarray(_ANGLE * chord * self._outer[which])
