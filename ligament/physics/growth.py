"""Growth of shapes: how far a surface moves out where another shape takes the place of one."""

from __future__ import annotations

import numpy as np

from ligament.arrays import Floats
from ligament.extensions.declarations import Box, Capsule, Cylinder, Sphere
from ligament.physics.shapes import Hull, Mesh, Shape


def growth(before: Shape, after: Shape, point: Floats, normal: Floats) -> float:
    """Return how far [m] a surface moves along its outward unit normal (3,) at a point (3,) of it.

    All are in the frame of the shape. Of convex shapes only the normal counts: what touches them
    lies on their supporting plane. Meshes are compared corner by corner; where their triangles
    differ, and for planes, which have no thickness, it is 0.
    """
    if isinstance(before, Mesh) and isinstance(after, Mesh):
        return _of_mesh(before, after, point, normal)
    start, end = support(before, normal), support(after, normal)
    return 0.0 if start is None or end is None else end - start


def support(shape: Shape, normal: Floats) -> float | None:
    """Return how far [m] a convex shape reaches along a unit vector (3,); None for others."""
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


def _of_mesh(before: Mesh, after: Mesh, point: Floats, normal: Floats) -> float:
    if before.points.shape != after.points.shape or before.triangles.shape != after.triangles.shape:
        return 0.0
    triangle, shares = _nearest_triangle(before, point)
    moved = (after.points - before.points)[before.triangles[triangle]]
    return float(shares @ moved @ normal)


def _nearest_triangle(mesh: Mesh, point: Floats) -> tuple[int, Floats]:
    """Return the triangle at a point of a surface, and the shares (3,) of its corners there."""
    a, b, c = (mesh.points[mesh.triangles[:, i]] for i in range(3))
    u, v, w = b - a, c - a, point - a
    uu, uv, vv = (np.einsum("ij,ij->i", p, q) for p, q in ((u, u), (u, v), (v, v)))
    wu, wv = np.einsum("ij,ij->i", w, u), np.einsum("ij,ij->i", w, v)
    area = np.maximum(uu * vv - uv * uv, 1e-300)
    s, t = (vv * wu - uv * wv) / area, (uu * wv - uv * wu) / area
    shares = np.clip(np.stack([1 - s - t, s, t], axis=1), 0.0, 1.0)
    shares /= shares.sum(axis=1, keepdims=True)
    reached = np.einsum("ij,ijk->ik", shares, np.stack([a, b, c], axis=1))
    triangle = int(((reached - point) ** 2).sum(axis=1).argmin())
    return triangle, shares[triangle]
