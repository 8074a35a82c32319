"""Crowding: colliders that overlap at the start, of which an engine examines every pair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from typing import Final, NamedTuple

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.extensions.rigid_bodies import CollisionFilter
from ligament.limits import Limits
from ligament.physics.filters import collide
from ligament.physics.scene import Collider, Scene
from ligament.physics.shapes import Hull, Mesh, Plane, Shape, extents

FEW: Final = 300
"""Number of colliders too few to be a crowd."""


class Crowding(NamedTuple):
    """Number of pairs of similar-sized solid colliders that start in about the same place.

    Some `overlapping` pairs are `pushing` each other: on two bodies that forces move, and one of
    each filter that does not meet itself. Filters that meet themselves are assumed to meet all.
    """

    overlapping: int
    pushing: int


def require_room(scene: Scene, limits: Limits) -> None:
    """Raise LimitError if too many colliders start in one place."""
    crowding = count_crowds(scene)
    what = "pairs of bodies that start inside one another"
    limits.require("crowded_pairs", crowding.pushing, what, pointer="/nodes")
    what = "pairs of colliders that start inside one another"
    limits.require("overlapping_pairs", crowding.overlapping, what, pointer="/nodes")


def count_crowds(scene: Scene) -> Crowding:
    """Count crowded pairs in linear time, where testing pairs would be quadratic."""
    solid = [c for c in scene.colliders if not c.is_sensor]
    if not solid:
        return Crowding(0, 0)
    cells = _cells(scene, solid)
    free = [i for i, c in enumerate(solid) if scene.bodies[c.body].is_free]
    meets: dict[CollisionFilter | None, bool] = {}
    teams: set[Hashable] = set()  # whose members do not meet each other
    pushing = []
    for i in free:
        own = solid[i].filter
        if own not in meets:
            meets[own] = collide(own, own)
        if not meets[own]:
            if (own, cells[i]) in teams:
                continue
            teams.add((own, cells[i]))
        pushing.append(i)
    of_one_body = _pairs((cells[i], solid[i].body) for i in pushing)
    return Crowding(_pairs(cells), _pairs(cells[i] for i in pushing) - of_one_body)


def _pairs(places: Iterable[Hashable]) -> int:
    """Count the pairs in the same place."""
    return sum(count * (count - 1) // 2 for count in Counter(places).values())


def _cells(scene: Scene, colliders: list[Collider]) -> list[tuple[float, ...]]:
    """Return the level and coordinates of the grid cell of each collider; cells are its size."""
    known: dict[int, tuple[float, Floats]] = {}
    for each in colliders:
        if id(each.shape) not in known:
            known[id(each.shape)] = _size_and_middle(each.shape)
    bodies = [scene.bodies[each.body].pose for each in colliders]
    middles = _placed(
        np.array([each.pose.rotation for each in colliders]),
        np.array([each.pose.translation for each in colliders]),
        np.array([known[id(each.shape)][1] for each in colliders]),
    )
    centers = _placed(
        np.array([pose.rotation for pose in bodies]),
        np.array([pose.translation for pose in bodies]),
        middles,
    )
    sizes = np.array([known[id(each.shape)][0] for each in colliders])
    levels = np.ceil(np.log2(np.maximum(sizes, 1e-9)))
    cells = np.floor(np.nan_to_num(centers / 2 ** levels[:, None]))
    return [*map(tuple, np.column_stack([levels, cells]).tolist())]


def _placed(rotation: Floats, translation: Floats, points: Floats) -> Floats:
    return np.asarray(translation + tf.rotate(rotation, points))


def _size_and_middle(shape: Shape) -> tuple[float, Floats]:
    """Return the size [m] within which another shape counts as inside, and the middle (3,) [m]."""
    if isinstance(shape, Hull | Mesh) and len(shape.points):
        low, high = np.min(shape.points, axis=0), np.max(shape.points, axis=0)
        return float((high - low).max()), np.asarray((low + high) / 2)
    size = 0.0 if isinstance(shape, Plane | Hull | Mesh) else float(min(extents(shape)))
    return size, np.zeros(3)
