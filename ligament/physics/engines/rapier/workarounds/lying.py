"""Contacts of cylinders and capsules that lie on something, on the line along which they touch it.

The engine finds those of a cylinder only within 5 % of the radius beside that line, and more where
a tile or triangle is smaller than the cylinder; it keeps the points of both until the body has
rotated by a degree, so that they lag behind by half of that. There the weight acts on an arm: a car
of four cylinders sped up to 0.3 m/s on level ground, one that rolled over triangles a fifth of its
size lost 3 % of its way. But they touch a plane exactly below their axis, at a known depth. And the
normal on the face of a box, which the engine finds as exactly as the line, is that of the face.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import rapier3d as rp

from ligament.extensions.shapes import Box, Capsule, Cylinder, Plane
from ligament.physics.engines import Vector
from ligament.physics.engines.poses import cross, dot, rotate, subtract
from ligament.physics.scene import Collider

LYING_SINE_SQUARED: Final = 0.75
"""Squared sine of the angle between normal and axis above which a cylinder lies (60°)."""

FACE_COSINE: Final = 0.995
"""Dot product above which a normal is that of a face of a box (5.7°)."""

_INSIDE: Final = 1 - 1e-4
"""Fraction of a face within which contacts do not lie on its rim."""

LINE: Final = 0.05
"""Largest distance from the line of contacts that are moved there, in radii."""


class LyingContacts:
    """The radii [m] of the cylinders and capsules of a scene, and the halves of its boxes [m].

    By the engine's indices of their colliders.
    """

    def __init__(self, colliders: Sequence[Collider]) -> None:
        self._radii = {
            i: each.shape.radius_top
            for i, each in enumerate(colliders)
            if isinstance(each.shape, Cylinder | Capsule)
            and each.shape.radius_bottom == each.shape.radius_top
            and not each.changes
        }
        self._boxes = {i: _halves(each) for i, each in enumerate(colliders) if not each.changes}

    @property
    def is_needed(self) -> bool:
        """Whether there are cylinders or capsules."""
        return bool(self._radii)

    def correct(self, context: rp.ContactModificationContext) -> None:
        """Move the contacts of a pair to where a lying cylinder touches the other surface."""
        first, second = context.collider1, context.collider2
        if (radius := self._radii.get(second.index)) is not None:
            if (halves := self._boxes.get(first.index)) is not None:
                _align(context, first, halves, 1.0)
            _correct(context, second, radius, 1.0)
        if (radius := self._radii.get(first.index)) is not None:
            if (halves := self._boxes.get(second.index)) is not None:
                _align(context, second, halves, -1.0)
            _correct(context, first, radius, -1.0)


def _halves(collider: Collider) -> Vector | None:
    """Return half the sides [m] of a box, which the infinite ground is too."""
    match collider.shape:
        case Box((x, y, z)):
            return x / 2, y / 2, z / 2
        case Plane(None, None, double_sided=False):
            return math.inf, math.inf, math.inf
    return None


def _align(
    context: rp.ContactModificationContext, box: rp.ColliderHandle, halves: Vector, sign: float
) -> None:
    """Give contacts on a face of a box, the first collider if `sign` is 1, its normal."""
    place = context.colliders[box].position
    x, y, z, w = turn = place.rotation.to_tuple()
    back = -x, -y, -z, w
    normal = rotate(back, context.normal.to_tuple())
    axis = max(range(3), key=lambda i: abs(normal[i]))
    if abs(normal[axis]) < FACE_COSINE:
        return
    center = place.translation.to_tuple()
    for each in context.solver_contacts:
        own = each.point if sign > 0 else each.point2
        arm = rotate(back, subtract(own.to_tuple(), center))
        if any(i != axis and abs(arm[i]) > _INSIDE * halves[i] for i in range(3)):
            return
    face = [0.0, 0.0, 0.0]
    face[axis] = math.copysign(1.0, normal[axis])
    context.normal = rp.Vec3(*rotate(turn, (face[0], face[1], face[2])))


def _correct(
    context: rp.ContactModificationContext, handle: rp.ColliderHandle, radius: float, sign: float
) -> None:
    """Move the contacts of one cylinder, towards which the normal points with that sign."""
    place = context.colliders[handle].position
    x, y, z = context.normal.to_tuple()
    normal = x, y, z = sign * x, sign * y, sign * z
    a, b, c = axis = rotate(place.rotation.to_tuple(), (0.0, 1.0, 0.0))
    along = a * x + b * y + c * z
    square = 1 - along * along
    if square < LYING_SINE_SQUARED:
        return
    part = 1 / math.sqrt(square)
    up = part * (x - along * a), part * (y - along * b), part * (z - along * c)
    aside = cross(axis, up)
    center = place.translation.to_tuple()
    for i, each in reversed(list(enumerate(context.solver_contacts))):
        first, second = each.point.to_tuple(), each.point2.to_tuple()
        ground, own = (first, second) if sign > 0 else (second, first)
        arm = subtract(own, center)
        is_beside = abs(dot(arm, aside)) > LINE * radius
        if dot(arm, up) > 0 or (is_beside and each.dist > 0):
            # From the far side of a layer, or of a tile that it has not reached.
            context.remove_solver_contact(i)
        if is_beside or dot(arm, up) > 0:
            continue
        t = dot(arm, axis)
        own = (
            center[0] + t * a - radius * up[0],
            center[1] + t * b - radius * up[1],
            center[2] + t * c - radius * up[2],
        )
        distance = dot(subtract(own, ground), normal)
        ground = own[0] - distance * x, own[1] - distance * y, own[2] - distance * z
        first, second = (ground, own) if sign > 0 else (own, ground)
        context.set_solver_contact(i, point=first, point2=second, dist=distance)
