"""Recovery of bodies that tunnel through a wall or a layer of triangles.

The engine predicts contacts of fast bodies, and pushes overlapping ones out on the nearer side.
Once the centre of a body has crossed, that is the wrong side: a ball of 9 mm that a wheel presses
on a floor of triangles falls through it, hulls at 50 m/s leave through walls of 1 cm. So the
centres of bodies are tracked in the frame of the wall. A body that has crossed is returned to the
side it came from, with the velocity of a bounce, and a free chain moves with it: of 4,000 short
chains at 5 to 100 m/s, the engine leaves five hanging through a mesh.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
import rapier3d as rp

from ligament.arrays import Bools, Floats, Indices
from ligament.extensions.shapes import Box, Cylinder, Plane
from ligament.physics.engines.poses import RigidPose, as_pose, compose, rotate, vector
from ligament.physics.engines.rapier import linalg
from ligament.physics.engines.rapier.effort.joints import joined_groups, moved
from ligament.physics.engines.rapier.stage import Memory, Stage
from ligament.physics.engines.rapier.state.bodies import BodySource
from ligament.physics.engines.rapier.world.shapes import Role, ShapeBuilder, UnusableShapeError
from ligament.physics.engines.rapier.world.tiles import IN_PLACE, is_at_rest
from ligament.physics.filters import Masks
from ligament.physics.materials import combine
from ligament.physics.scene import Collider, Scene
from ligament.physics.shapes import Hull, Mesh, extents

THIN: Final = 0.1
"""Thickness [m] of a wall up to which the engine may push bodies out on the wrong side."""

_MOVED: Final = 0.25
"""Displacement, as a fraction of the radius, after which a centre is checked again."""

_KEPT: Final = (0.25, 1.0)
"""Smallest and largest distance from the wall of a returned centre, in radii."""

_MAX_STOPS: Final = 4
"""Walls that may stop a body in one step; after that it returns to its last checked position."""


class _Barrier(NamedTuple):
    """Walls that move as one; `body` carries them, None if they are at rest in the world.

    `world` contains only the colliders `walls`, in the frame of that body; their bounds are `low`
    and `high` (3,) [m]. `fronts` are the normals (3,) of those that can be passed from behind.
    """

    body: int | None
    world: rp.PhysicsWorld
    walls: list[int]
    fronts: dict[int, Floats]
    low: Floats
    high: Floats


class _Stop(NamedTuple):
    """The point (3,) [m] where a centre met a wall, and the normal (3,) towards its origin."""

    wall: int
    point: Floats
    normal: Floats


class Crossings(Stage):
    """The walls of a scene, and the convex colliders of bodies that may not cross them.

    `walls` are colliders that count as walls however thick they are. What is joined to something
    at rest moves alone, and no moving wall moves it; what is joined to something that moves is left
    out. `seen` (W, C, 3) [m] are the centres at the last check, in the frames of the walls.
    """

    def __init__(self, scene: Scene, masks: Masks, walls: Collection[int] = ()) -> None:
        self._scene, self._masks = scene, masks
        self._barriers = _barriers(scene, masks, walls)
        self._groups, held = _groups(scene) if self._barriers else ({}, set())
        self._followed = _followed(scene, self._groups)
        ignored = {pair for joint in scene.joints for pair in joint.ignores} | set(scene.carried)
        self._ignored = set(map(frozenset, ignored))
        colliders = [scene.colliders[i] for i in self._followed]
        self._bodies: Indices = np.array([c.body for c in colliders], np.intp)
        self._is_held: Bools = np.isin(self._bodies, list(held))
        self._middles: Floats = np.array([_middle(c) for c in colliders], float).reshape(-1, 3)
        self._radii: Floats = np.array([min(extents(c.shape)) / 2 for c in colliders], float)
        self.seen: Floats = np.zeros((len(self._barriers), len(colliders), 3))

    @property
    def is_needed(self) -> bool:
        """Whether there are bodies to track and walls to cross."""
        return bool(self._followed)

    def bind(self, world: rp.PhysicsWorld, source: BodySource) -> None:
        """Bind to the bodies of a world."""
        self._source = source
        self.start()

    @property
    def arrays(self) -> Sequence[Memory]:
        """The centres at the last check."""
        return [self.seen]

    def teleport(self, body: int, pose: RigidPose, now: int) -> None:
        """Accept the side on which each body is after a teleport."""
        self.start()

    def start(self) -> None:
        """Accept the side on which each body is now."""
        centers = self._centers()
        for i, barrier in enumerate(self._barriers):
            self.seen[i] = self._within(barrier, centers)

    def _centers(self) -> Floats:
        rows = self._source.read(self._bodies).astype(np.float64)
        return rows[:, :3] + linalg.rotate(rows[:, 3:7], self._middles)

    def _within(self, barrier: _Barrier, points: Floats) -> Floats:
        """Return points of the world (n, 3) in the frame of a barrier."""
        if barrier.body is None:
            return points
        pose = self._pose(barrier.body)
        return linalg.rotate(linalg.conjugate(pose[:, 3:]), points - pose[:, :3])

    def _pose(self, body: int) -> Floats:
        row: Floats = self._source.read(np.array([body]))[:, :7].astype(np.float64)
        return row

    def after_step(self, now: int) -> list[int]:
        """Move bodies that have crossed a wall back; return their indices."""
        found: list[int] = []
        centers = self._centers()
        for i, barrier in enumerate(self._barriers):
            here, seen = self._within(barrier, centers), self.seen[i]
            moved = linalg.length(here - seen) > _MOVED * self._radii
            if not moved.any():
                continue
            near = (np.minimum(here, seen) <= barrier.high) & (
                np.maximum(here, seen) >= barrier.low
            )
            shifts: dict[tuple[int, ...], Floats] = {}
            may_cross = moved & near.all(axis=1)
            if barrier.body is not None:
                may_cross &= ~self._is_held
            for j in linalg.indices(may_cross).tolist():
                self._put_back(barrier, j, seen[j], here[j], shifts)
            if shifts:
                self._source.forget()
                found += [body for group in shifts for body in group]
                centers = self._centers()
                here = self._within(barrier, centers)
            seen[moved] = here[moved]
        return found

    def _put_back(
        self,
        barrier: _Barrier,
        index: int,
        seen: Floats,
        here: Floats,
        shifts: dict[tuple[int, ...], Floats],
    ) -> None:
        """Move a body back if its collider has crossed a wall, with all that it is joined to.

        `shifts` (3,) [m] are the displacements of such groups so far, in the frame of the barrier.
        """
        own = self._followed[index]
        met = self._meet(barrier, own, seen, here)
        if met is None:
            return
        group = self._groups[int(self._bodies[index])]
        moved = here + shifts[group] if group in shifts else here
        place, stops = self._returned(barrier, index, seen, moved)
        self._bounce(barrier, own, stops or [met])
        self._shift(barrier, group, place - moved)
        shifts[group] = place - here

    def _returned(
        self, barrier: _Barrier, index: int, seen: Floats, place: Floats
    ) -> tuple[Floats, list[_Stop]]:
        """Return where a centre that has moved from `seen` to `place` belongs, and its stops."""
        own, radius = self._followed[index], self._radii[index]
        met = self._meet(barrier, own, seen, place)
        stops: list[_Stop] = []
        while met is not None:
            stops.append(met)
            gap = float((seen - met.point) @ met.normal)
            kept = min(max(gap, _KEPT[0] * radius), _KEPT[1] * radius)
            place = place + met.normal * (kept - float((place - met.point) @ met.normal))
            # In a corner, a body returned from one wall may end up behind another.
            if len(stops) == _MAX_STOPS:
                place = seen
            met = self._meet(barrier, own, seen, place)
        return place, stops

    def _meet(self, barrier: _Barrier, own: int, seen: Floats, here: Floats) -> _Stop | None:
        """Return where a collider first meets a wall on its path, in the frame of a barrier."""
        displacement = here - seen
        if not displacement.any():
            return None
        ray, pipeline = rp.Ray(vector(seen), vector(displacement)), barrier.world.query_pipeline
        met = pipeline.cast_ray_and_get_normal(ray, 1.0, True, self._filter(own))
        if met is None or met[1].time_of_impact <= 0:
            return None
        wall = barrier.walls[met[0].index]
        front = barrier.fronts.get(wall)
        is_behind = front is not None and float(front @ displacement) > 0
        if is_behind or not self._stops(own, wall, rests=barrier.body is None):
            return None
        normal = np.array(met[1].normal.to_tuple())
        if float(normal @ displacement) > 0:
            normal = -normal
        return _Stop(wall, seen + met[1].time_of_impact * displacement, normal)

    def _filter(self, own: int) -> rp.QueryFilter:
        masks = self._masks
        groups = rp.InteractionGroups(
            rp.Group(int(masks.memberships[own])), rp.Group(int(masks.filters[own]))
        )
        return rp.QueryFilter().groups(groups)

    def _stops(self, own: int, wall: int, *, rests: bool) -> bool:
        """Tell whether a wall is still where it was built and collides with a collider."""
        bodies = frozenset(self._scene.colliders[i].body for i in (own, wall))
        if not self._masks.meet(own, wall) or bodies in self._ignored:
            return False
        if not rests:
            return True
        body = self._scene.colliders[wall].body
        start = self._scene.bodies[body].pose
        built = np.concatenate([start.translation, start.rotation])
        return bool((np.abs(self._pose(body)[0] - built) <= IN_PLACE * (1 + np.abs(built))).all())

    def _bounce(self, barrier: _Barrier, own: int, stops: Sequence[_Stop]) -> None:
        """Reflect the velocity of a collider's body off the walls that it hit."""
        colliders = self._scene.colliders
        body = self._source.bodies[colliders[own].body]
        velocity = np.array(body.linvel.to_tuple())
        for stop in stops:
            point, normal = self._in_world(barrier, stop.point, stop.normal)
            into = min(float((velocity - self._speed(barrier, point)) @ normal), 0.0)
            bounce = combine(colliders[own].material, colliders[stop.wall].material).restitution
            velocity = velocity - (1 + bounce) * into * normal
        body.linvel = rp.Vec3(*vector(velocity))

    def _shift(self, barrier: _Barrier, group: Sequence[int], displacement: Floats) -> None:
        """Move bodies by `displacement` (3,) [m] in the frame of a barrier."""
        _, displacement = self._in_world(barrier, displacement, displacement)
        for index in group:
            body = self._source.bodies[index]
            place = np.array(body.translation.to_tuple()) + displacement
            body.translation = rp.Vec3(*vector(place))

    def _in_world(
        self, barrier: _Barrier, point: Floats, direction: Floats
    ) -> tuple[Floats, Floats]:
        if barrier.body is None:
            return point, direction
        pose = self._pose(barrier.body)
        point, direction = linalg.rotate(pose[:, 3:], np.stack([point, direction]))
        return point + pose[0, :3], direction

    def _speed(self, barrier: _Barrier, point: Floats) -> Floats:
        """Return the velocity (3,) [m/s] of a barrier at a point of the world."""
        if barrier.body is None:
            return np.zeros(3)
        carrier = self._source.bodies[barrier.body]
        return np.array(carrier.velocity_at_point(vector(point)).to_tuple())


def _barriers(scene: Scene, masks: Masks, walls: Collection[int]) -> list[_Barrier]:
    groups: dict[int | None, list[int]] = {}
    for index, collider in enumerate(scene.colliders):
        body = scene.bodies[collider.body]
        if not (body.is_free or collider.is_sensor or collider.moves or collider.changes) and (
            index in walls or _is_thin(collider)
        ):
            groups.setdefault(None if is_at_rest(body) else collider.body, []).append(index)
    # Walls at rest come last, so that no other wall can push a body through them.
    order = sorted(groups.items(), key=lambda group: group[0] is None)
    built = (_barrier(scene, masks, body, members) for body, members in order)
    return [each for each in built if each.walls]


def _is_thin(collider: Collider) -> bool:
    match collider.shape:
        case Mesh():
            return True
        case Plane(size_x, size_z, double_sided):
            return double_sided or size_x is not None or size_z is not None
        case Box() | Hull() | Cylinder():
            return min(extents(collider.shape)) < THIN
    return False


def _barrier(scene: Scene, masks: Masks, body: int | None, members: list[int]) -> _Barrier:
    world, shapes = rp.PhysicsWorld(), ShapeBuilder()
    walls, low, high = [], [], []
    fronts: dict[int, Floats] = {}
    for index in members:
        collider = scene.colliders[index]
        placed = as_pose(collider.pose.translation, collider.pose.rotation)
        if body is None:
            start = scene.bodies[collider.body].pose
            placed = compose(as_pose(start.translation, start.rotation), placed)
        try:
            shape = shapes.build(collider.shape, Role.GROUND)
        except UnusableShapeError:
            continue
        groups = rp.InteractionGroups(
            rp.Group(int(masks.memberships[index])), rp.Group(int(masks.filters[index]))
        )
        builder = rp.Collider.new(shape.shape).position(compose(placed, shape.offset))
        handle = world.add_collider(builder.collision_groups(groups))
        bounds = world.colliders[handle].compute_aabb()
        walls.append(index)
        if isinstance(collider.shape, Plane) and not collider.shape.double_sided:
            front = (0.0, float(collider.shape.side), 0.0)
            fronts[index] = np.array(rotate(placed[1], front))
        low.append(bounds.mins.to_tuple())
        high.append(bounds.maxs.to_tuple())
    world.update_query_pipeline()
    least = np.array(low).reshape(-1, 3).min(axis=0, initial=np.inf)
    most = np.array(high).reshape(-1, 3).max(axis=0, initial=-np.inf)
    return _Barrier(body, world, walls, fronts, least, most)


def _groups(scene: Scene) -> tuple[dict[int, tuple[int, ...]], set[int]]:
    """Return, by free body, the bodies to move with it, and those that joints hold to a place."""
    groups: dict[int, tuple[int, ...]] = {
        i: (i,) for i, body in enumerate(scene.bodies) if body.is_free
    }
    held: set[int] = set()
    joints = [joint for joint in scene.joints if moved(joint, scene)]
    for members in joined_groups(joints, scene):
        ends = {frame.body for joint in members for frame in (joint.a, joint.b)}
        group = tuple(sorted(body for body in ends if body in groups))
        holders = [scene.bodies[body] for body in ends.difference(group)]
        if not holders:
            groups |= dict.fromkeys(group, group)
        elif all(map(is_at_rest, holders)):
            held.update(group)
        else:
            for body in group:
                del groups[body]
    return groups, held


def _followed(scene: Scene, groups: Mapping[int, tuple[int, ...]]) -> list[int]:
    """Return the solid convex colliders of fixed shape on bodies that can be moved back."""
    return [
        i
        for i, collider in enumerate(scene.colliders)
        if collider.body in groups
        and not (collider.is_sensor or collider.moves or collider.changes)
        and not isinstance(collider.shape, Mesh | Plane)
        and min(extents(collider.shape)) > 0
    ]


def _middle(collider: Collider) -> Floats:
    """Return the centre (3,) [m] of a convex collider in the frame of its body."""
    place, turn = collider.pose.translation, collider.pose.rotation
    if not isinstance(collider.shape, Hull):
        return place
    corners = collider.shape.points[collider.shape.surface.corners]
    middle: Floats = place + linalg.rotate(turn[None], corners.mean(axis=0)[None])[0]
    return middle
