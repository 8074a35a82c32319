"""Shapes compared by what they are, and told in words."""

from __future__ import annotations

import itertools

import numpy as np

from ligament.arrays import Floats, Ints
from ligament.author.diff.closeness import Tolerance
from ligament.extensions.declarations import (
    Box,
    Capsule,
    CollisionFilter,
    Cylinder,
    Material,
    Plane,
    Sphere,
)
from ligament.physics.shapes import Hull, Mesh, Shape

DIRECTIONS = np.array([d for d in itertools.product((-1.0, 0.0, 1.0), repeat=3) if any(d)])
"""How far a hull reaches to these 26 sides tells it from others, whatever points it is made of."""


def shapes_alike(one: Shape, other: Shape, tolerance: Tolerance) -> bool:
    """Tell whether two shapes are equal; surfaces by their extents, area and middle."""
    if type(one) is not type(other):
        return False
    return tolerance.alike(_measures(one), _measures(other))


def shape_text(shape: Shape) -> str:
    """Write a shape for a person."""
    match shape:
        case Sphere(radius):
            return f"sphere, radius {radius:.4g} m"
        case Box(size):
            return f"box, {' x '.join(f'{extent:.4g}' for extent in size)} m"
        case Capsule(height, bottom, top):
            return f"capsule, height {height:.4g} m, radii {bottom:.4g} and {top:.4g} m"
        case Cylinder(height, bottom, top):
            return f"cylinder, height {height:.4g} m, radii {bottom:.4g} and {top:.4g} m"
        case Plane(x, z):
            sizes = ["endless" if size is None else f"{size:.4g}" for size in (x, z)]
            return f"plane, {' x '.join(sizes)} m"
        case Hull(points) | Mesh(points, _):
            kind = "hull" if isinstance(shape, Hull) else "trimesh"
            extents = " x ".join(f"{e:.4g}" for e in np.ptp(points, axis=0)) if len(points) else "0"
            return f"{kind}, {extents} m"


def _measures(shape: Shape) -> list[float]:
    match shape:
        case Sphere(radius):
            return [radius]
        case Box(size):
            return list(size)
        case Capsule(height, bottom, top) | Cylinder(height, bottom, top):
            return [height, bottom, top]
        case Plane(x, z, double):
            return [x or 0.0, z or 0.0, float(double)]
        case Hull(points, _):
            return (points @ DIRECTIONS.T).max(axis=0).tolist() if len(points) else []
        case Mesh(points, triangles, _):
            return surface_measures(points, triangles)


def surface_measures(points: Floats, triangles: Ints) -> list[float]:
    """Return extents [m], area [m²] and middle of a surface, whatever the order of its points."""
    if not len(points):
        return []
    used = points[np.unique(triangles)] if len(triangles) else points
    low, high = used.min(axis=0), used.max(axis=0)
    corners = points[triangles] if len(triangles) else np.zeros((0, 3, 3))
    crossed = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = np.linalg.norm(crossed, axis=1) / 2
    whole = float(areas.sum())
    middle = (areas[:, None] * corners.mean(axis=1)).sum(axis=0) / whole if whole > 0 else low
    return [*low.tolist(), *high.tolist(), whole, *middle.tolist()]


def material_values(material: Material) -> dict[str, object]:
    """Return a surface as JSON has it."""
    return {
        "static friction": material.static_friction,
        "dynamic friction": material.dynamic_friction,
        "restitution": material.restitution,
        "friction combine": material.friction_combine and str(material.friction_combine),
        "restitution combine": material.restitution_combine and str(material.restitution_combine),
    }


def filter_values(given: CollisionFilter | None) -> dict[str, object]:
    """Return a filter as JSON has it."""
    if given is None:
        return {}
    lists = (
        ("systems", given.systems or None),
        ("collide with", given.collide_with),
        ("not collide with", given.not_collide_with),
    )
    return {name: sorted(words) for name, words in lists if words is not None}
