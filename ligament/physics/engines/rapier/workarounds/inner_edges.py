"""Contacts on the inner edges of tiles that lie flush, and of the triangles of a mesh.

The engine considers one pair of shapes at a time. A body that slides over the tiles of a floor
hits the side of the next tile, although the previous one covers it: a crate of 0.5 m at 4 m/s was
thrown up by 10 cm and fell on its side, a ball that rolled at 3 m/s lost a quarter of its speed. So
a hook inspects the contacts of tiles, and drops those that do not push along an uncovered face.

Within one mesh, the engine drops most of those that do not push along a triangle. The rest stop or
topple what slides over triangles smaller than itself: a hull of 4 cm on triangles of 8 mm came to
rest after a third of its path. Some of these contacts do not even lie on the mesh, but up to
millimetres off.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Final

import rapier3d as rp

from ligament.physics.engines import Vector
from ligament.physics.engines.poses import (
    AT_ORIGIN,
    RigidPose,
    add,
    as_pose,
    conjugate,
    cross,
    dot,
    rotate,
    subtract,
)
from ligament.physics.engines.rapier.workarounds.lying import LINE, LYING_SINE_SQUARED
from ligament.physics.engines.rapier.workarounds.sliding import Sliding
from ligament.physics.engines.rapier.world.facets import (
    HIDING_DEPTH,
    OFF,
    SAME_DIRECTION,
    Face,
    Layer,
)
from ligament.physics.engines.rapier.world.tiles import IN_PLACE, MakeTile, Neighbour, Surface, Tile
from ligament.physics.scene import Scene

_TILTED: Final = 0.996
"""Dot product of normals within a face: a body tilted on it pushes along its own normal (5°)."""

_FROM_INSIDE: Final = 0.1
"""The same at an edge without covered faces: up to this, a contact comes from inside."""


class InnerEdges:
    """The tiles of a scene, by the engine's index of their colliders.

    `rollers` are the radii [m] of its cylinders, by the same index.
    """

    def __init__(
        self,
        tiles: Mapping[int, MakeTile],
        handles: Sequence[rp.RigidBodyHandle],
        scene: Scene,
        rollers: Mapping[int, float],
        step: float,
    ) -> None:
        self._makers, self._tiles = dict(tiles), dict[int, Tile]()
        self._handles, self._scene = handles, scene
        self._rollers, self._sliding = rollers, Sliding(step)
        self._starts: dict[int, RigidPose] = {}
        self._in_place: dict[int, bool] = {}
        self._rests_at: dict[int, RigidPose] = {}

    def before_step(self, gravity: Vector) -> None:
        """Forget the last step; friction holds bodies against `gravity` [m/s²]."""
        self._sliding.gravity = gravity
        self._sliding.before_step()
        self._in_place.clear()

    def _tile(self, collider: int) -> Tile | None:
        found = self._tiles.get(collider)
        if found is None and (make := self._makers.pop(collider, None)) is not None:
            found = make()
            if found is not None:
                self._tiles[collider] = found
        return found

    def correct(self, context: rp.ContactModificationContext, first: int, second: int) -> None:
        """Drop contacts between two colliders that push along a face that a third one covers."""
        if (tile := self._tile(first)) is not None:
            ground, mover, sign = context.rigid_body1, context.rigid_body2, 1.0
            other = context.collider2
        elif (tile := self._tile(second)) is not None:
            mover, ground, sign = context.rigid_body1, context.rigid_body2, -1.0
            other = context.collider1
        else:
            return
        if mover is None:
            return
        frame = AT_ORIGIN if tile.rests else _pose(context.bodies[self._handles[tile.body]])
        points = None
        if not (isinstance(tile.surface, Layer) and not tile.neighbours):
            self._correct(context, tile, frame, mover, sign)
        elif not tile.rests or self._is_in_place(context, tile.body):
            center = self._sliding.moves(context, mover).center
            points = _drop_inner_contacts(context, tile.surface, frame, center, sign)
        if other.index in self._rollers:
            self._move_below(context, tile, frame, other, sign)
            points = None
        self._sliding.correct(context, mover, None if tile.rests else ground, sign, points)

    def _move_below(
        self,
        context: rp.ContactModificationContext,
        tile: Tile,
        frame: RigidPose,
        handle: rp.ColliderHandle,
        sign: float,
    ) -> None:
        """Move contacts of a lying cylinder to the line along which it touches the tiles.

        On a single surface it touches nothing else, but to the engine the next tile is a separate
        surface, which it would climb. Above small tiles it may find no contact but these.
        """
        place = context.colliders[handle].position
        x, y, z = context.normal.to_tuple()
        normal = _turned(frame, (sign * x, sign * y, sign * z))
        axis = _turned(frame, rotate(place.rotation.to_tuple(), (0.0, 1.0, 0.0)))
        aside = cross(axis, normal)
        if dot(aside, aside) < LYING_SINE_SQUARED:
            return
        center = _within(frame, place.translation.to_tuple())
        farthest = LINE * self._rollers[handle.index]
        is_level = not tile.neighbours or any(
            dot(each, normal) >= SAME_DIRECTION for each, _ in tile.bare
        )
        for i, each in reversed(list(enumerate(context.solver_contacts))):
            point = _within(frame, (each.point if sign > 0 else each.point2).to_tuple())
            off = dot(subtract(point, center), aside) / dot(aside, aside)
            if abs(off) <= farthest:
                continue
            below = (
                point[0] - off * aside[0],
                point[1] - off * aside[1],
                point[2] - off * aside[2],
            )
            around = (each.surface for each in self._near(context, tile, below))
            if any(each.exits(below, center) is not None for each in (tile.surface, *around)):
                if is_level:
                    ground = _out_of(frame, below)
                    context.set_solver_contact(i, point=ground, point2=ground, dist=0.0)
                else:
                    context.remove_solver_contact(i)

    def _correct(
        self,
        context: rp.ContactModificationContext,
        tile: Tile,
        frame: RigidPose,
        mover: rp.RigidBodyHandle,
        sign: float,
    ) -> None:
        x, y, z = context.normal.to_tuple()
        normal = _turned(frame, (sign * x, sign * y, sign * z))
        bare = [
            offset
            for (a, b, c), offset in tile.bare
            if a * normal[0] + b * normal[1] + c * normal[2] >= SAME_DIRECTION
        ]
        if bare and not tile.surface.is_hollow:
            return
        center = _within(frame, self._sliding.moves(context, mover).center)
        if bare and tile.surface.is_whole and dot(normal, center) > bare[0]:
            return
        if tile.rests and not self._is_in_place(context, tile.body):
            return
        if tile.surface.holds(center):
            return
        found = [
            (_within(frame, (each.point if sign > 0 else each.point2).to_tuple()), each.dist)
            for each in context.solver_contacts
        ]
        for i in reversed(range(len(found))):
            point, distance = found[i]
            if _is_through(tile.surface, point, normal, distance, center) or not (
                (bare and _faces(tile, point, normal, center))
                or self._is_real(context, tile, point, normal, center)
            ):
                context.remove_solver_contact(i)

    def _is_in_place(self, context: rp.ContactModificationContext, body: int) -> bool:
        found = self._in_place.get(body)
        if found is None:
            found = self._in_place[body] = self._has_stayed(context, body)
        return found

    def _has_stayed(self, context: rp.ContactModificationContext, body: int) -> bool:
        now = _pose(context.bodies[self._handles[body]])
        if now == self._rests_at.get(body):
            return True
        start = self._start(body)
        is_there = all(
            abs(a - b) <= IN_PLACE * (1 + abs(a))
            for a, b in zip((*start[0], *start[1]), (*now[0], *now[1]), strict=True)
        )
        if is_there:
            self._rests_at[body] = now
        return is_there

    def _start(self, body: int) -> RigidPose:
        if body not in self._starts:
            pose = self._scene.bodies[body].pose
            self._starts[body] = as_pose(pose.translation, pose.rotation)
        return self._starts[body]

    def _is_real(
        self,
        context: rp.ContactModificationContext,
        tile: Tile,
        point: Vector,
        normal: Vector,
        center: Vector,
    ) -> bool:
        """Tell whether something at `center` can push against a tile at a point."""
        near = self._near(context, tile, point)
        bare: list[Vector] = []
        is_covered = False
        faces = list(tile.surface.faces_at(point, center))
        faces.sort(key=lambda face: -dot(face.normal, normal))
        for face in faces:
            if near and self._is_covered(context, tile, face, point, center, near):
                is_covered = True
            elif dot(face.normal, normal) >= SAME_DIRECTION:
                return True
            elif all(dot(face.normal, other) < SAME_DIRECTION for other in bare):
                bare.append(face.normal)
        if not (bare or is_covered):
            return not tile.surface.is_whole
        if _is_possible(normal, bare, is_covered=is_covered):
            return True
        # On a ridge, any normal between those of the slopes is possible.
        around = [n.surface for n in near if n.surface.exits(point, center) is not None]
        return (
            is_covered
            and bool(bare)
            and not any(surface.rises(point, normal) for surface in (tile.surface, *around))
        )

    def _near(
        self, context: rp.ContactModificationContext, tile: Tile, point: Vector
    ) -> list[Neighbour]:
        """Return the neighbours of a tile that may be at a point."""
        return [
            each
            for each in tile.neighbours
            if _is_between(each.low, point, each.high)
            and (not tile.rests or self._is_in_place(context, each.body))
        ]

    def _is_covered(
        self,
        context: rp.ContactModificationContext,
        tile: Tile,
        face: Face,
        point: Vector,
        center: Vector,
        near: Sequence[Neighbour],
    ) -> bool:
        """Tell whether neighbours hide a face of a tile around a point.

        A body that pushes from `center` sinks in a little. A point that is inside a neighbour only
        because of that leaves it on the same face, and not into another neighbour.
        """
        a, b, c = face.normal
        off = OFF * tile.tolerance
        before = (point[0] + off * a, point[1] + off * b, point[2] + off * c)
        for neighbour in near:
            outside_points = neighbour.surface.exits(before, center)
            if outside_points is None:
                continue
            for x, y, z in outside_points:
                back = a * x + b * y + c * z - face.offset - off
                out = (x - back * a, y - back * b, z - back * c)
                if tile.surface.is_on(face, out) and all(
                    each.surface.exits(out, center) is None
                    for each in self._near(context, tile, out)
                ):
                    break
            else:
                return True
        return False


def _faces(tile: Tile, point: Vector, normal: Vector, center: Vector) -> bool:
    """Tell whether a tile has a face with a normal at a point.

    From inside, the far side of a closed mesh pushes along the normal of the near one.
    """
    return not tile.surface.has_inside or any(
        dot(face.normal, normal) >= SAME_DIRECTION for face in tile.surface.faces_at(point, center)
    )


def _drop_inner_contacts(
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
    normal, center = _turned(frame, (sign * x, sign * y, sign * z)), _within(frame, center)
    contacts = context.solver_contacts
    points = [(each.point if sign > 0 else each.point2).to_tuple() for each in contacts]
    for i in reversed(range(len(points))):
        point = _within(frame, points[i])
        if not _is_of_layer(layer, point, normal, center, contacts[i].dist):
            context.remove_solver_contact(i)
            del points[i]
    return points


def _is_of_layer(
    layer: Layer, point: Vector, normal: Vector, center: Vector, distance: float
) -> bool:
    """Tell whether a layer can push something at `center` along a normal."""
    if layer.continues(point, normal, center):
        return True
    if _is_through(layer, point, normal, distance, center):
        return False
    faces = layer.normals_at(point, center)
    if faces is None:
        return True
    normals: list[Vector] = []
    for face in faces:
        if all(dot(face, other) < _TILTED for other in normals):
            normals.append(face)
    return _is_possible(normal, normals, is_covered=False)


def _is_through(
    surface: Surface, point: Vector, normal: Vector, distance: float, center: Vector
) -> bool:
    """Tell whether a contact pushes a body in front of a single layer to the back of it."""
    return (
        distance < -HIDING_DEPTH
        and not surface.has_inside
        and dot(normal, center) < dot(normal, point)
    )


def _is_possible(normal: Vector, bare: Sequence[Vector], *, is_covered: bool) -> bool:
    """Tell whether a normal lies between those of bare faces."""
    along = max((dot(normal, each) for each in bare), default=-1.0)
    if not is_covered:
        return along > (_TILTED if len(bare) == 1 else _FROM_INSIDE)
    return along >= SAME_DIRECTION or any(
        between is not None and dot(between, normal) >= SAME_DIRECTION
        for one, other in itertools.combinations(bare, 2)
        for between in [_on_arc(normal, one, other)]
    )


def _on_arc(normal: Vector, one: Vector, other: Vector) -> Vector | None:
    """Return the vector nearest to a normal on the arc between two, None if that is an end."""
    c = dot(one, other)
    if 1 - c * c < 1e-6:
        return None
    p, q = dot(normal, one), dot(normal, other)
    a, b = p - c * q, q - c * p
    if a <= 0 or b <= 0:
        return None
    x, y, z = (a * u + b * v for u, v in zip(one, other, strict=True))
    size = math.sqrt(x * x + y * y + z * z)
    return x / size, y / size, z / size


def _is_between(low: Vector, point: Vector, high: Vector) -> bool:
    return (
        low[0] <= point[0] <= high[0]
        and low[1] <= point[1] <= high[1]
        and low[2] <= point[2] <= high[2]
    )


def _pose(body: rp.RigidBody) -> RigidPose:
    return body.translation.to_tuple(), body.rotation.to_tuple()


def _turned(frame: RigidPose, direction: Vector) -> Vector:
    return direction if frame is AT_ORIGIN else rotate(conjugate(frame[1]), direction)


def _out_of(frame: RigidPose, point: Vector) -> Vector:
    return point if frame is AT_ORIGIN else add(frame[0], rotate(frame[1], point))


def _within(frame: RigidPose, point: Vector) -> Vector:
    if frame is AT_ORIGIN:
        return point
    return rotate(conjugate(frame[1]), subtract(point, frame[0]))
