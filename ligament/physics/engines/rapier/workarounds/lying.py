"""Contacts of cylinders that lie on the ground, on the line along which they touch it.

The engine finds them only within 5 % of the radius beside that line, and more where a tile or
triangle is smaller than the cylinder. There the weight acts on an arm: a cylinder that rolled over
triangles a fifth of its size lost 3 % of its way, and 14 % over those of a tenth; one of 2 cm
rattled on any floor. A cylinder touches a plane exactly below its axis, at a known depth.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import rapier3d as rp

from ligament.extensions.shapes import Cylinder
from ligament.physics.engines.poses import cross, dot, rotate, subtract
from ligament.physics.scene import Collider

LYING_SINE_SQUARED: Final = 0.75
"""Squared sine of the angle between normal and axis above which a cylinder lies (60°)."""

LINE: Final = 0.05
"""Largest distance from the line of contacts that are moved there, in radii."""


class LyingContacts:
    """The radii [m] of the cylinders of a scene, by the engine's indices of their colliders."""

    def __init__(self, colliders: Sequence[Collider]) -> None:
        self._radii = {
            i: each.shape.radius_top
            for i, each in enumerate(colliders)
            if isinstance(each.shape, Cylinder)
            and each.shape.radius_bottom == each.shape.radius_top
            and not each.changes
        }

    @property
    def is_needed(self) -> bool:
        """Whether there are cylinders."""
        return bool(self._radii)

    def correct(self, context: rp.ContactModificationContext) -> None:
        """Move the contacts of a pair to where a lying cylinder touches the other surface."""
        if (radius := self._radii.get(context.collider2.index)) is not None:
            _correct(context, context.collider2, radius, 1.0)
        if (radius := self._radii.get(context.collider1.index)) is not None:
            _correct(context, context.collider1, radius, -1.0)


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
