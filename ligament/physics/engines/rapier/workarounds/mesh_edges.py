"""Contacts on the inner edges of one mesh, which lies flush with nothing.

The engine drops most of those that do not push along a triangle. The rest stop or topple what
slides over triangles smaller than itself: a hull of 4 cm on triangles of 8 mm came to rest after a
third of its path. Some of these contacts do not even lie on the mesh, but up to millimetres off.
"""

from __future__ import annotations

from typing import Final

import rapier3d as rp

from ligament.physics.engines import Vector
from ligament.physics.engines.poses import AT_ORIGIN, RigidPose, conjugate, dot, rotate, subtract
from ligament.physics.engines.rapier.world.facets import HIDING_DEPTH, Layer

_TILTED: Final = 0.996
"""Dot product of the normals of a contact and a face above which a tilted body lies on it (5°)."""

_FROM_INSIDE: Final = 0.1
"""The same at an edge between faces: up to this, a contact comes from inside."""


def drop_inner_contacts(
    context: rp.ContactModificationContext,
    layer: Layer,
    frame: RigidPose,
    center: Vector,
    sign: float,
) -> list[Vector]:
    """Drop contacts that no face of a layer can exert on a body; return the points of the others.

    `center` is that of the body, in the world; `frame` is that of the layer.
    """
    x, y, z = context.normal.to_tuple()
    normal = sign * x, sign * y, sign * z
    contacts = context.solver_contacts
    points = [(each.point if sign > 0 else each.point2).to_tuple() for each in contacts]
    local = points
    if frame is not AT_ORIGIN:
        back = conjugate(frame[1])
        normal, center = rotate(back, normal), rotate(back, subtract(center, frame[0]))
        local = [rotate(back, subtract(point, frame[0])) for point in points]
    for i in reversed(range(len(points))):
        if not _is_real(layer, local[i], normal, center, contacts[i].dist):
            context.remove_solver_contact(i)
            del points[i]
    return points


def _is_real(layer: Layer, point: Vector, normal: Vector, center: Vector, distance: float) -> bool:
    """Tell whether a layer can push something at `center` along a normal."""
    if layer.continues(point, normal, center):
        return True
    if (
        distance < -HIDING_DEPTH
        and not layer.has_inside
        and dot(normal, center) < dot(normal, point)
    ):
        return False
    faces = layer.normals_at(point, center)
    if faces is None:
        return True
    normals: list[Vector] = []
    for face in faces:
        if all(dot(face, other) < _TILTED for other in normals):
            normals.append(face)
    least = _TILTED if len(normals) == 1 else _FROM_INSIDE
    return any(dot(normal, each) > least for each in normals)
