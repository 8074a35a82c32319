"""Fine meshes of round shapes, built by turning a profile about the Y axis."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ligament.extensions.shapes import Box, Capsule, Cylinder, Sphere
from ligament.physics.shapes import Hull, Mesh, sampled

Floats = npt.NDArray[np.float64]

SIDES = 200
"""A polygon of so many sides misses 1.6e-4 of its circle, and 3.3e-4 of the circle's inertia."""

ACCURACY = 8e-4
"""How far volumes and moments of the surfaces below may be from those of the shapes."""


def surface(shape: Sphere | Box | Capsule | Cylinder) -> Mesh:
    """A closed mesh of the shape, from profiles that do not use the closed forms under test."""
    match shape:
        case Sphere(radius):
            return turned(hull_of_balls(0.0, radius, radius))
        case Capsule(height, bottom, top):
            return turned(hull_of_balls(height, bottom, top))
        case Cylinder(height, bottom, top):
            ends = [[0, -height / 2], [bottom, -height / 2], [top, height / 2], [0, height / 2]]
            return turned(np.array(ends))
    hull = Hull(sampled(shape))
    return Mesh(hull.points, hull.triangles)


def hull_of_balls(height: float, bottom: float, top: float) -> Floats:
    """The outline (radius, y) of two balls in one skin: the farthest point in each direction."""
    angle = np.linspace(-np.pi / 2, np.pi / 2, SIDES + 1)
    direction = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    low, high = direction * bottom - [0, height / 2], direction * top + [0, height / 2]
    reach = (low * direction).sum(axis=1) > (high * direction).sum(axis=1)
    profile = np.where(reach[:, None], low, high)
    profile[[0, -1], 0] = 0
    return profile


def turned(profile: Floats) -> Mesh:
    """Turn an outline (P, 2) of radius and y, from the lowest point to the highest."""
    angle = np.arange(SIDES) * (2 * np.pi / SIDES)
    radius, y = profile.T
    around = np.stack([np.sin(angle), np.zeros(SIDES), np.cos(angle)], axis=1)
    points = radius[:, None, None] * around + np.array([0, 1, 0]) * y[:, None, None]
    row, column = np.ogrid[: len(profile) - 1, :SIDES]
    a, b = row * SIDES + column, row * SIDES + (column + 1) % SIDES
    quads = np.stack([a, b, b + SIDES, a, b + SIDES, a + SIDES], axis=-1)
    return Mesh(points.reshape(-1, 3), quads.reshape(-1, 3))


def moved(mesh: Mesh, stretch: npt.ArrayLike, offset: npt.ArrayLike = (0, 0, 0)) -> Mesh:
    matrix = np.asarray(stretch, float)
    points = np.einsum("ij,pj->pi", matrix, mesh.points) + np.asarray(offset, float)
    return Mesh(points, mesh.triangles)
