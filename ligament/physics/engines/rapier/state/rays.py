"""Ray casts in the engine's world, to the true surface of round shapes."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import rapier3d as rp

from ligament.physics.collision import distance
from ligament.physics.collision.convex import Convex
from ligament.physics.engines import Vector
from ligament.physics.engines.poses import add, rotate


class NearestHit(NamedTuple):
    """A distance [m] along a ray, the normal there, and the engine's index of the collider."""

    distance: float
    normal: Vector
    collider: int


def cast_ray(
    world: rp.PhysicsWorld,
    origin: Vector,
    direction: Vector,
    reach: float,
    round_shape: Callable[[int], Convex | None],
) -> NearestHit | None:
    """Return the nearest collider within reach [m] along a unit direction.

    Hulls enclose the round shapes that they approximate: the true hit is farther away or missing,
    and then another collider may come first.
    """
    ray, passed = rp.Ray(origin, direction), set[int]()
    nearest: NearestHit | None = None
    while True:
        others = rp.QueryFilter(predicate=lambda handle, _: handle.index not in passed)
        hit = world.query_pipeline.cast_ray_and_get_normal(
            ray, reach, True, others if passed else None
        )
        if hit is None:
            return nearest
        handle, met = hit
        shape = round_shape(handle.index)
        if shape is None:
            return NearestHit(met.time_of_impact, met.normal.to_tuple(), handle.index)
        passed.add(handle.index)
        found = distance.cast_ray(origin, direction, _placed(world, handle, shape), reach)
        if found is not None and found.distance <= reach:
            x, y, z = found.axis
            nearest = NearestHit(found.distance, (-x, -y, -z), handle.index)
            reach = found.distance


def _placed(world: rp.PhysicsWorld, handle: rp.ColliderHandle, shape: Convex) -> distance.Placed:
    place = world.colliders[handle].position
    rotation = place.rotation.to_tuple()
    center = add(place.translation.to_tuple(), rotate(rotation, shape.center))
    return distance.Placed(shape, center, rotation)
