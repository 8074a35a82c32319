"""Convex shapes with a pose: support function, depth of points, volume."""

from __future__ import annotations

import dataclasses
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.author.fitting.point_cloud import directions, supports
from ligament.physics.mass import solid
from ligament.physics.shapes import Box, Capsule, Cylinder, Hull, Sphere

Convex = Sphere | Box | Capsule | Cylinder | Hull

UP = np.array([0.0, 1.0, 0.0])

_DIRECTIONS = 2048
_REFINED = 24
_REFINEMENTS = 12


@dataclasses.dataclass(frozen=True, eq=False)
class Placed:
    """A convex shape, rotated by a quaternion (4,) and translated by (3,)."""

    shape: Convex
    translation: Floats
    rotation: Floats

    @cached_property
    def volume(self) -> float:
        """The enclosed volume."""
        return solid(self.shape).volume

    def reach(self, towards: Floats) -> Floats:
        """Return the support function (D,): the extent in directions (D, 3)."""
        own = towards @ np.asarray(tf.to_matrix(self.rotation))
        return np.asarray(towards @ self.translation + _reach(self.shape, own))

    def depth(self, points: Floats) -> Floats:
        """Return the depth of points (P, 3); outside, minus a lower bound on the distance."""
        axes = np.asarray(tf.to_matrix(self.rotation))
        return _depth(self.shape, (points - self.translation) @ axes)


def upright(shape: Convex, center: npt.ArrayLike = (0.0, 0.0, 0.0)) -> Placed:
    """Return a shape without rotation."""
    return Placed(shape, np.asarray(center, np.float64), np.array([0.0, 0.0, 0.0, 1.0]))


def along(axis: Floats) -> Floats:
    """Return the rotation (4,) from +Y to an axis."""
    return np.asarray(tf.between(UP, axis))


def gap(outer: Placed, corners: Floats, normals: Floats) -> float:
    """Return the largest distance between the surfaces of a shape and of a hull inside it.

    For convex bodies this is the largest difference of their support functions. Many directions
    are tried, including the normals of the hull, and the best ones are refined.
    """

    def difference(towards: Floats) -> Floats:
        return outer.reach(towards) - supports(corners, towards)[1]

    tried = np.concatenate([directions(_DIRECTIONS), normals])
    values = difference(tried)
    best = tried[np.argsort(-values)[:_REFINED]]
    step, pattern = 0.05, directions(12)
    for _ in range(_REFINEMENTS):
        around = best[:, None] + step * np.concatenate([np.zeros((1, 3)), pattern])
        around /= np.linalg.norm(around, axis=2)[..., None]
        heights = difference(around.reshape(-1, 3)).reshape(around.shape[:2])
        best = around[np.arange(len(best)), heights.argmax(axis=1)]
        step *= 0.6
    return max(0.0, float(values.max()), float(heights.max()))


def _reach(shape: Convex, towards: Floats) -> Floats:
    match shape:
        case Sphere(radius):
            return np.asarray(radius * np.linalg.norm(towards, axis=1))
        case Box(size):
            return np.asarray(np.abs(towards) @ (np.array(size) / 2))
        case Capsule(height, bottom, top):
            length, rise = np.linalg.norm(towards, axis=1), height / 2 * towards[:, 1]
            return np.asarray(np.maximum(bottom * length - rise, top * length + rise))
        case Cylinder(height, bottom, top):
            length, rise = np.hypot(towards[:, 0], towards[:, 2]), height / 2 * towards[:, 1]
            return np.asarray(np.maximum(bottom * length - rise, top * length + rise))
    return supports(shape.points, towards)[1]


def _depth(shape: Convex, points: Floats) -> Floats:
    match shape:
        case Sphere(radius):
            return np.asarray(radius - np.linalg.norm(points, axis=1))
        case Box(size):
            return np.asarray((np.array(size) / 2 - np.abs(points)).min(axis=1))
        case Capsule(height, radius, _):
            offset = points.copy()
            offset[:, 1] -= np.clip(points[:, 1], -height / 2, height / 2)
            return np.asarray(radius - np.linalg.norm(offset, axis=1))
        case Cylinder(height, bottom, top):
            off = np.hypot(points[:, 0], points[:, 2])
            wall = bottom + (top - bottom) * (points[:, 1] / height + 0.5) - off
            slant = np.hypot(height, top - bottom) / height
            return np.asarray(np.minimum(wall / slant, height / 2 - np.abs(points[:, 1])))
    a, b, c = (shape.points[shape.triangles[:, i]] for i in range(3))
    normals = np.cross(b - a, c - a)
    normals /= np.maximum(np.linalg.norm(normals, axis=1), 1e-300)[:, None]
    offsets = (normals * a).sum(axis=1)
    rows = max(1, (1 << 21) // len(normals))
    parts = [
        (offsets - points[i : i + rows] @ normals.T).min(axis=1)
        for i in range(0, len(points), rows)
    ]
    return np.concatenate(parts)
