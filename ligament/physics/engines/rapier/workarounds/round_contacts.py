"""Contacts of unevenly scaled balls and capsules, which the engine models as hulls.

A hull of 256 corners is 1.2 % smaller than the round shape, and it rolls from face to face. So the
hulls are built around these shapes, and their contacts are moved to the true surface: the point
farthest along the normal, or for capsules the points on the line between two.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
import rapier3d as rp

from ligament.arrays import Floats, Ints
from ligament.extensions.shapes import Capsule, Sphere
from ligament.physics.engines import Vector
from ligament.physics.engines.poses import (
    IDENTITY,
    Quaternion,
    add,
    conjugate,
    dot,
    multiply,
    rotate,
    subtract,
)
from ligament.physics.shapes import Hull, Shape

_DISTINCT_CONTACTS: Final = 1e-5
"""Distance [m] above which two contacts are distinct."""


_CIRCLE: Final = 32
"""Corners of the circles where the sides of a capsule begin."""

_SLIVER: Final = 1e-6
"""Smallest area of a face with a meaningful normal, as a fraction of the largest."""


class RoundShape(NamedTuple):
    """Two balls under a linear map (3, 3), by rows; a sphere is the same ball twice."""

    stretch: tuple[Vector, Vector, Vector]
    balls: tuple[tuple[float, float], tuple[float, float]]

    def farthest(self, direction: Vector) -> tuple[Vector, Vector]:
        """Return the point of each ball that is farthest in a direction."""
        rows = self.stretch
        x, y, z = (sum(row[i] * direction[j] for j, row in enumerate(rows)) for i in range(3))
        length = math.sqrt(x * x + y * y + z * z)
        (low, small), (high, large) = self.balls
        return (
            self._mapped(small * x / length, low + small * y / length, small * z / length),
            self._mapped(large * x / length, high + large * y / length, large * z / length),
        )

    def corners(self, directions: Floats) -> Floats:
        """Return the points (P, 3) [m] that are farthest in directions, before the linear map.

        For capsules, two circles are added where both balls reach equally far.
        """
        (low, small), (high, large) = self.balls
        y = directions[:, 1]
        is_high = (high * y + large >= low * y + small)[:, None]
        points = np.where(is_high, directions * large, directions * small)
        points[:, 1] += np.where(is_high[:, 0], high, low)
        slope = (small - large) / (high - low) if high > low else 1.0
        if abs(slope) < 1:
            angle = np.arange(_CIRCLE) * (2 * math.pi / _CIRCLE)
            across = math.sqrt(1 - slope**2)
            circle = np.stack(
                [np.cos(angle) * across, np.full(_CIRCLE, slope), np.sin(angle) * across], axis=1
            )
            ends = [circle * radius + [0.0, middle, 0.0] for middle, radius in self.balls]
            points = np.concatenate([points, *ends])
        return np.asarray(points)

    def _mapped(self, x: float, y: float, z: float) -> Vector:
        a, b, c = (row[0] * x + row[1] * y + row[2] * z for row in self.stretch)
        return a, b, c


def round_shape(shape: Hull) -> RoundShape | None:
    """Return the round shape of a hull if it is an unevenly scaled ball or capsule."""
    if shape.origin is None:
        return None
    rows: list[Vector] = [(x, y, z) for x, y, z in shape.origin.stretch.tolist()]
    stretch = rows[0], rows[1], rows[2]
    match shape.origin.shape:
        case Sphere(radius):
            return RoundShape(stretch, ((0.0, radius), (0.0, radius)))
        case Capsule(height, bottom, top):
            return RoundShape(stretch, ((-height / 2, bottom), (height / 2, top)))
    return None


def enlarged(corners: Floats, triangles: Ints, shape: RoundShape) -> Floats:
    """Scale the corners (P, 3) [m] of a hull until its faces are outside a round shape.

    They are given before the linear map, which preserves containment, and returned after it.
    """
    a, b, c = (corners[triangles[:, i]] for i in range(3))
    normals = np.cross(b - a, c - a)
    lengths = np.linalg.norm(normals, axis=1)
    is_face = lengths > _SLIVER * lengths.max()
    normals = normals[is_face] / lengths[is_face, None]
    reach = np.einsum("ij,ij->i", normals, a[is_face])
    farthest = np.max([middle * normals[:, 1] + radius for middle, radius in shape.balls], axis=0)
    return np.asarray(corners * np.max(farthest / reach) @ np.array(shape.stretch).T)


class RoundContacts:
    """The round shapes of a scene, by the engine's index of their colliders.

    The engine fixes contacts to bodies for a step [s], so that they rise as these rotate. So they
    are placed where they will be in mid-step, and lowered by their rise until then.
    """

    def __init__(self, step: float) -> None:
        self._shapes: dict[int, RoundShape] = {}
        self._ahead = step / 2

    def set(self, collider: int, shape: Shape) -> None:
        """Record the shape of a collider."""
        self._shapes.pop(collider, None)
        if isinstance(shape, Hull) and (rounded := round_shape(shape)) is not None:
            self._shapes[collider] = rounded

    def correct(self, context: rp.ContactModificationContext) -> None:
        """Move the contacts of a pair to the true surfaces."""
        first = self._shapes.get(context.collider1.index)
        second = self._shapes.get(context.collider2.index)
        if first is not None:
            own = context.collider1, context.rigid_body1
            _correct(context, *own, first, 1.0, self._ahead)
        if second is not None:
            own = context.collider2, context.rigid_body2
            _correct(context, *own, second, -1.0, self._ahead)


def _correct(
    context: rp.ContactModificationContext,
    handle: rp.ColliderHandle,
    body: rp.RigidBodyHandle | None,
    shape: RoundShape,
    sign: float,
    time: float,
) -> None:
    """Move the contacts of one collider, whose normal points outward with that sign."""
    contacts = context.solver_contacts
    if not contacts:
        return
    x, y, z = context.normal.to_tuple()
    out = sign * x, sign * y, sign * z
    place = context.colliders[handle].position
    at, rotation = place.translation.to_tuple(), place.rotation.to_tuple()
    center, turn = _ahead(context.bodies, body, time)
    middle = multiply(turn, rotation)
    at = add(center, rotate(turn, subtract(at, center)))
    near = shape.farthest(rotate(conjugate(middle), out))
    ends = [add(at, rotate(middle, point)) for point in near]
    line = _Line.between(*ends)
    moved = [
        line.contact((contact.point2 if sign > 0 else contact.point).to_tuple(), out)
        for contact in contacts
    ]
    kept = line.extremes(moved)
    for i in reversed(range(len(moved))):
        if i not in kept:
            context.remove_solver_contact(i)
    for i, (point, gap, _) in enumerate(kept.values()):
        arm = subtract(point, center)
        distance = gap + dot(out, subtract(rotate(turn, arm), arm))
        x, y, z = (p + distance * n for p, n in zip(point, out, strict=True))
        one, other = (point, (x, y, z))[:: 1 if sign > 0 else -1]
        context.set_solver_contact(i, point=one, point2=other, dist=distance)


def _ahead(
    bodies: rp.RigidBodySet, body: rp.RigidBodyHandle | None, time: float
) -> tuple[Vector, Quaternion]:
    """Return the centre of mass of a body [m], and its rotation about it in a time [s]."""
    if body is None:
        return (0.0, 0.0, 0.0), IDENTITY
    x, y, z = bodies[body].angvel.to_tuple()
    speed = math.sqrt(x * x + y * y + z * z)
    part = math.sin(speed * time / 2) / speed if speed else 0.0
    turn = x * part, y * part, z * part, math.cos(speed * time / 2)
    return bodies[body].center_of_mass.to_tuple(), turn


class _Contact(NamedTuple):
    """A point of a round shape [m], its distance [m] along the normal, its position on the line."""

    point: Vector
    distance: float
    part: float


class _Line(NamedTuple):
    """The points of a round shape that are farthest along a normal, or its ends if one is."""

    start: Vector
    along: Vector
    square: float

    @classmethod
    def between(cls, start: Vector, end: Vector) -> _Line:
        x, y, z = end[0] - start[0], end[1] - start[1], end[2] - start[2]
        return cls(start, (x, y, z), x * x + y * y + z * z)

    def contact(self, other: Vector, out: Vector) -> _Contact:
        """Return the contact with a point [m] of another surface, across a normal."""
        part = dot(subtract(other, self.start), self.along) / (self.square or 1.0)
        part = min(max(part, 0.0), 1.0)
        x, y, z = (p + part * a for p, a in zip(self.start, self.along, strict=True))
        return _Contact((x, y, z), dot(subtract(other, (x, y, z)), out), part)

    def extremes(self, contacts: list[_Contact]) -> dict[int, _Contact]:
        """Return the outermost contacts on the line, or the deepest one if they coincide."""
        order = sorted(range(len(contacts)), key=lambda i: contacts[i].part)
        first, last = order[0], order[-1]
        if (contacts[last].part - contacts[first].part) * math.sqrt(
            self.square
        ) > _DISTINCT_CONTACTS:
            return {i: contacts[i] for i in sorted((first, last))}
        deepest = min(order, key=lambda i: contacts[i].distance)
        return {deepest: contacts[deepest]}
