"""Lines and surfaces that show shapes, strokes, bones and contact forces."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats, Ints
from ligament.physics.engines import Contacts
from ligament.physics.shapes import Box, Capsule, Cylinder, Hull, Mesh, Plane, Shape, Sphere

AROUND = 32
"""Sides of a drawn circle."""

FEW_TRIANGLES = 200
"""Most triangles of a surface whose edges are all drawn; beyond, only sharp ones."""

SHARP = math.radians(20)
"""Angle between two triangles [rad] above which their common edge is sharp."""

PLANE_SIDE = 20.0
"""Side [m] of the square drawn for an infinite plane."""

SIDES = 3
"""Sides of a bar: the fewest that are visible from every direction."""


class Surface(NamedTuple):
    """Points (P, 3) [m] and triangles (T, 3), counter-clockwise from outside."""

    points: Floats
    triangles: Ints


BONE_WIDTH = 0.1
"""Width of a bone relative to its length."""

BONE_SHAPE = Surface(
    np.array([[0, 0, 0], [1, 0.2, 0], [0, 0.2, 1], [-1, 0.2, 0], [0, 0.2, -1], [0, 1, 0.0]]),
    np.array(
        [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 1], [5, 2, 1], [5, 3, 2], [5, 4, 3], [5, 1, 4]]
    ),
)
"""A bone of length 1 along Y, to be scaled."""

HEAD = 0.7
"""Where the head of an arrow begins, relative to its length."""


def arrow() -> Surface:
    """Return an arrow of length 1 along Y, to be scaled."""
    return _revolved_surface(
        np.array([[0, 0], [0.3, 0], [0.3, HEAD], [1.0, HEAD], [0, 1.0]]), around=8
    )


def outline(shape: Shape) -> Floats:
    """Return the lines (S, 2, 3) [m] that show a shape; all ends lie on its surface.

    A hull or mesh that approximates a stretched primitive is drawn as that primitive, stretched: an
    ellipsoid has three ellipses, not the edges of the simulated hull.
    """
    match shape:
        case Hull(origin=origin) | Mesh(origin=origin) if origin is not None:
            return np.asarray(outline(origin.shape) @ np.asarray(origin.stretch).T)
        case Box(size):
            return _box(size)
        case Plane():
            return _plane(shape)
        case Hull() | Mesh():
            return _edges(Surface(shape.points, shape.triangles))
    return _revolved_lines(*_profile(shape))


def surface(shape: Shape) -> Surface:
    """Return the surface of a shape, curved ones as polyhedra inscribed in them."""
    match shape:
        case Hull() | Mesh():
            return Surface(shape.points, shape.triangles)
        case Box(size):
            return _box_surface(size)
        case Plane():
            return Surface(_corners(shape)[:: shape.side], np.array([[0, 1, 2], [0, 2, 3]]))
    return _revolved_surface(_profile(shape)[0])


def chain(points: Floats, *, closed: bool = False) -> Floats:
    """Join consecutive points (P, 3) into lines (S, 2, 3)."""
    ends = np.roll(points, -1, axis=0) if closed else points[1:]
    starts = points if closed else points[:-1]
    return np.stack([starts, ends], axis=1)


def circle(axis: int, radius: float, *, around: int = AROUND) -> Floats:
    """Return points (around, 3) on a circle about an axis (0 to 2), the first on the next axis."""
    angle = np.arange(around) * (2 * math.pi / around)
    points = np.zeros((around, 3))
    points[:, (axis + 1) % 3] = radius * np.cos(angle)
    points[:, (axis + 2) % 3] = radius * np.sin(angle)
    return points


def bars(lines: Floats, radius: float) -> Surface:
    """Turn lines (S, 2, 3) into thin bars of a radius [m], open at their ends."""
    starts, ends = lines[:, 0], lines[:, 1]
    along = ends - starts
    length = np.linalg.norm(along, axis=1)
    kept = length > 0
    starts, ends = starts[kept], ends[kept]
    along = along[kept] / length[kept, None]
    # The axis least aligned with the line is never parallel to it.
    least = np.eye(3)[np.argmin(np.abs(along), axis=1)]
    u = np.cross(along, least)
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    v = np.cross(along, u)
    angle = np.arange(SIDES) * (2 * math.pi / SIDES)
    around = radius * (np.cos(angle)[:, None] * u[:, None] + np.sin(angle)[:, None] * v[:, None])
    points = np.stack([starts[:, None] + around, ends[:, None] + around], axis=1)
    a = np.arange(SIDES)
    b = (a + 1) % SIDES
    sides = np.concatenate([np.stack([a, b, b + SIDES], 1), np.stack([a, b + SIDES, a + SIDES], 1)])
    first = 2 * SIDES * np.arange(len(starts))
    triangles = (first[:, None, None] + sides).reshape(-1, 3)
    return Surface(points.reshape(-1, 3), triangles)


def contact_arrows(contacts: Contacts, longest: float) -> Floats:
    """Return arrows (C, 2, 3) [m] along the normals; the strongest has the length `longest`.

    They point upwards, like the force on the upper body: inside a floor they would be invisible.
    """
    strength = np.sqrt(contacts.forces / contacts.forces.max(initial=1e-12))[:, None]
    upward = np.where(contacts.normals[:, 1:2] < 0, -contacts.normals, contacts.normals)
    return np.stack([contacts.points, contacts.points + longest * strength * upward], 1)


class Spans(NamedTuple):
    """Poses that lay unit shapes along Y between two points: (K, 3) [m], (K, 4), scales (K, 3)."""

    translation: Floats
    rotation: Floats
    scale: Floats


def span(ends: Floats, width: float | None = None) -> Spans:
    """Place shapes of length and width 1 between pairs of points (K, 2, 3) [m].

    Their width is `width` [m] or, without one, proportional to their length.
    """
    rotation, length = along(ends[:, 1] - ends[:, 0])
    wide = BONE_WIDTH * length if width is None else np.where(length > 0, width, 0.0)
    return Spans(ends[:, 0], rotation, np.stack([wide, length, wide], axis=1))


def along(vectors: Floats) -> tuple[Floats, Floats]:
    """Return rotations (K, 4) from Y to vectors (K, 3), and their lengths (K,)."""
    length = np.linalg.norm(vectors, axis=1)
    unit = np.where(
        length[:, None] > 0, vectors / np.where(length, length, 1.0)[:, None], [0.0, 1, 0]
    )
    return np.asarray(tf.between(np.broadcast_to([0.0, 1.0, 0.0], unit.shape), unit)), length


def _box(size: Sequence[float]) -> Floats:
    corners = np.array(list(product((-0.5, 0.5), repeat=3))) * size
    pairs = [(a, b) for a in range(8) for b in range(a + 1, 8) if (a ^ b).bit_count() == 1]
    return np.asarray(corners[np.array(pairs)])


def _box_surface(size: Sequence[float]) -> Surface:
    corners = np.array(list(product((-0.5, 0.5), repeat=3))) * size
    sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = [corner for a, b, c, d in sides for corner in ((a, b, c), (a, c, d))]
    return Surface(corners, np.array(triangles))


def _corners(plane: Plane) -> Floats:
    x = PLANE_SIDE if plane.size_x is None else plane.size_x
    z = PLANE_SIDE if plane.size_z is None else plane.size_z
    return np.array([[-x, 0, -z], [-x, 0, z], [x, 0, z], [x, 0, -z]]) / 2


def _plane(plane: Plane) -> Floats:
    """Draw the rim and the diagonals."""
    corners = _corners(plane)
    return np.concatenate([chain(corners, closed=True), corners[[[0, 2], [1, 3]]]])


def _profile(shape: Sphere | Capsule | Cylinder) -> tuple[Floats, list[int]]:
    """Return radius and height (P, 2) from bottom to top, and the heights of rings."""
    if isinstance(shape, Cylinder):
        half, bottom, top = shape.height / 2, shape.radius_bottom, shape.radius_top
        return np.array([[0, -half], [bottom, -half], [top, half], [0, half]]), [1, 2]
    if isinstance(shape, Sphere):
        return _arc(shape.radius, 0.0, -math.pi / 2, math.pi / 2), [AROUND // 4]
    half, bottom, top = shape.height / 2, shape.radius_bottom, shape.radius_top
    if abs(bottom - top) >= shape.height:  # one sphere contains the other
        height = half if top > bottom else -half
        return _arc(max(bottom, top), height, -math.pi / 2, math.pi / 2), [AROUND // 4]
    tilt = math.asin((bottom - top) / shape.height)  # where the cone is tangent to both spheres
    lower = _arc(bottom, -half, -math.pi / 2, tilt)
    upper = _arc(top, half, tilt, math.pi / 2)
    return np.concatenate([lower, upper]), [len(lower) - 1, len(lower)]


def _arc(radius: float, height: float, start: float, end: float) -> Floats:
    steps = max(2, round(AROUND * abs(end - start) / (2 * math.pi)))
    angle = np.linspace(start, end, steps + 1)
    out = np.maximum(np.cos(angle), 0.0)
    return np.stack([radius * out, height + radius * np.sin(angle)], axis=1)


def _revolved_lines(profile: Floats, rings: list[int]) -> Floats:
    """Draw rings about the Y axis, and the profile on four sides."""
    lines = []
    for radius, height in profile[rings]:
        if radius > 0:
            ring = circle(1, radius)
            ring[:, 1] = height
            lines.append(chain(ring, closed=True))
    for x, z in ((1, 0), (0, 1), (-1, 0), (0, -1)):
        lines.append(chain(profile[:, :1] * [x, 0, z] + profile[:, 1:] * [0, 1, 0]))
    return np.concatenate(lines)


def _revolved_surface(profile: Floats, around: int = AROUND) -> Surface:
    unit = circle(1, 1.0, around=around)
    points = profile[:, None, :1] * unit + profile[:, None, 1:] * [0, 1, 0]
    row, column = np.meshgrid(np.arange(len(profile) - 1), np.arange(around), indexing="ij")
    a, b = (row * around + column).ravel(), (row * around + (column + 1) % around).ravel()
    lower, upper = np.stack([a, b, b + around], axis=1), np.stack([a, b + around, a + around], 1)
    return Surface(points.reshape(-1, 3), np.concatenate([lower, upper]))


def _edges(shown: Surface) -> Floats:
    """Return the boundary of a surface and the edges between its faces."""
    points, triangles = shown
    sides = np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    owners = np.repeat(np.arange(len(triangles)), 3)
    edges, which, counts = np.unique(sides, axis=0, return_inverse=True, return_counts=True)
    which = which.reshape(-1)
    # The diagonals of flat faces are hidden, even on a small surface.
    flat = 0.999_999 if len(triangles) <= FEW_TRIANGLES else math.cos(SHARP)
    order = np.argsort(which, kind="stable")
    first = np.cumsum(counts) - counts
    one, other = owners[order[first]], owners[order[first + np.minimum(counts, 2) - 1]]
    normals = _normals(points, triangles)
    agreement = np.einsum("ni,ni->n", normals[one], normals[other])
    drawn: Ints = edges[(counts != 2) | (agreement < flat)]
    return points[drawn] if len(drawn) else _sections(shown)


def _sections(shown: Surface) -> Floats:
    """Return the sections of a surface by three central planes: a round one has no edges."""
    points, triangles = shown
    if not len(triangles):
        return np.zeros((0, 2, 3))
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    lines = []
    for axis in range(3):
        corners = points[triangles]
        height = corners[..., axis] - middle[axis]
        after = np.roll(height, -1, axis=1)
        crosses = (height < 0) != (after < 0)
        cut = crosses.sum(axis=1) == 2
        share = np.divide(height, height - after, out=np.zeros_like(height), where=crosses)
        ends = corners + share[..., None] * (np.roll(corners, -1, axis=1) - corners)
        lines.append(ends[cut][crosses[cut]].reshape(-1, 2, 3))
    return np.concatenate(lines)


def _normals(points: Floats, triangles: Ints) -> Floats:
    a, b, c = (points[triangles[:, i]] for i in range(3))
    normals = np.cross(b - a, c - a)
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    return np.asarray(normals / np.where(length == 0, 1.0, length))
