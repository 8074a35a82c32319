"""Crowding: bodies that overlap at the start, each of which pushes all others."""

from __future__ import annotations

from collections import Counter
from typing import Final

import numpy as np

from ligament import transforms as tf
from ligament.extensions.declarations import CollisionFilter
from ligament.physics.filters import collide
from ligament.physics.scene import Scene
from ligament.physics.shapes import Hull, Mesh, Plane, Shape, extents

FEW: Final = 300
"""Number of colliders too few to be a crowd."""


def crowded_pairs(scene: Scene) -> int:
    """Return the number of pairs of similar-sized colliders that start in about the same place.

    Only colliders that can push each other count: solid, on free bodies, one of a filter that does
    not meet itself. Filters that meet themselves are assumed to meet all. Takes linear time, where
    testing pairs would be quadratic.
    """
    bodies = scene.bodies
    solid = [c for c in scene.colliders if not c.is_sensor and bodies[c.body].is_free]
    if len(solid) <= FEW:
        return 0
    at = [bodies[c.body].pose for c in solid]
    offsets = tf.rotate(
        np.array([pose.rotation for pose in at]), np.array([c.pose.translation for c in solid])
    )
    centers = np.array([pose.translation for pose in at]) + np.asarray(offsets)
    sizes = {id(c.shape): _size(c.shape) for c in solid}
    levels = np.array([np.ceil(np.log2(max(sizes[id(c.shape)], 1e-9))) for c in solid])
    cells = np.floor(np.nan_to_num(centers / 2 ** levels[:, None]))
    meets: dict[CollisionFilter | None, bool] = {}
    crowd: Counter[tuple[float, ...]] = Counter()
    teams: set[tuple[object, ...]] = set()  # whose members do not meet each other
    for collider, level, cell in zip(solid, levels.tolist(), cells.tolist(), strict=True):
        own = collider.filter
        if own not in meets:
            meets[own] = collide(own, own)
        if not meets[own]:
            if (own, level, *cell) in teams:
                continue
            teams.add((own, level, *cell))
        crowd[level, *cell] += 1
    return sum(count * (count - 1) // 2 for count in crowd.values())


def _size(shape: Shape) -> float:
    """Return the size [m] of a shape, within which another one counts as inside."""
    if isinstance(shape, Hull | Mesh):
        return float(np.ptp(shape.points, axis=0).max(initial=0.0)) if len(shape.points) else 0.0
    return 0.0 if isinstance(shape, Plane) else float(min(extents(shape)))
