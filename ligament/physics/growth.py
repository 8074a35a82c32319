"""Growth of shapes: how far a surface moves outwards when a shape is replaced."""

from __future__ import annotations

import numpy as np

from ligament.arrays import Floats, Indices
from ligament.extensions.shapes import Box, Capsule, Cylinder, Sphere
from ligament.physics.shapes import Hull, Mesh, Shape


def growth(
    before: Shape, after: Shape, points: Floats, normals: Floats, triangles: Indices
) -> Floats:
    """Return the displacement (C,) [m] of a surface along outward normals (C, 3) at points (C, 3).

    All are in the frame of the shape. Of convex shapes only the normals count: what touches them
    lies on their supporting plane. Of meshes the `triangles` (C,) that are touched count; where
    these differ, and for planes, which have no thickness, it is 0.
    """
    if isinstance(before, Mesh) and isinstance(after, Mesh):
        return _of_mesh(before, after, points, normals, triangles)
    pairs = [(support(before, normal), support(after, normal)) for normal in normals]
    return np.array([0.0 if a is None or b is None else b - a for a, b in pairs])


def support(shape: Shape, normal: Floats) -> float | None:
    """Return the extent [m] of a convex shape along a unit vector (3,); None for others."""
    x, y, z = np.abs(normal).tolist()
    match shape:
        case Sphere(radius):
            return float(radius)
        case Box((width, height, depth)):
            return float(x * width + y * height + z * depth) / 2
        case Capsule(height, bottom, top):
            rise = float(normal[1]) * height / 2
            return float(max(rise + top, bottom - rise))
        case Cylinder(height, bottom, top):
            rise, across = float(normal[1]) * height / 2, float(np.hypot(x, z))
            return float(max(rise + across * top, across * bottom - rise))
        case Hull(points):
            return float((points @ normal).max())
    return None


def _of_mesh(
    before: Mesh, after: Mesh, points: Floats, normals: Floats, triangles: Indices
) -> Floats:
    is_alike = before.points.shape == after.points.shape
    if not is_alike or not np.array_equal(before.triangles, after.triangles):
        return np.zeros(len(points))
    corners = before.triangles[np.minimum(triangles, len(before.triangles) - 1)]
    a, b, c = (before.points[corners[:, i]] for i in range(3))
    u, v, w = b - a, c - a, points - a
    uu, uv, vv = (np.einsum("ij,ij->i", p, q) for p, q in ((u, u), (u, v), (v, v)))
    wu, wv = np.einsum("ij,ij->i", w, u), np.einsum("ij,ij->i", w, v)
    area = np.maximum(uu * vv - uv * uv, 1e-300)
    s, t = (vv * wu - uv * wv) / area, (uu * wv - uv * wu) / area
    shares = np.clip(np.stack([1 - s - t, s, t], axis=1), 0.0, 1.0)
    shares /= shares.sum(axis=1, keepdims=True)
    moved = after.points[corners] - before.points[corners]
    return np.asarray(np.einsum("ci,cij,cj->c", shares, moved, normals))
