"""Finding the shape that fits points best."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from ligament.author.fitting.axes import candidate_axes
from ligament.author.fitting.boxes import fit_box, smallest_frame
from ligament.author.fitting.capsules import fit_capsule
from ligament.author.fitting.cloud import Cloud
from ligament.author.fitting.cylinders import fit_cylinder, fit_tapered
from ligament.author.fitting.decomposition import decompose
from ligament.author.fitting.hulls import MAX_POINTS, fit_hull
from ligament.author.fitting.placed import Placed, gap, upright
from ligament.author.fitting.result import Fit, FittedShape, Kind, Misfit
from ligament.author.fitting.simplest import SAME, about_smallest, fit_sphere, simplest
from ligament.author.fitting.surfaces import checked_surface, hollowness
from ligament.author.values import choice, number
from ligament.errors import ContentError
from ligament.physics.shapes import Box, Capsule, Cylinder, Hull, Mesh, Sphere

TOLERANCE = 0.15
"""How much larger than the hull a simple shape may be: a prism of eight sides passes as a
cylinder (0.11), one of six (0.21) does not."""


def fit(
    points: Any,
    triangles: Any = None,
    kind: str = "auto",
    *,
    tolerance: float = TOLERANCE,
    max_points: int = MAX_POINTS,
) -> Fit:
    """Find a small shape of a kind around points (P, 3) [m].

    No point is farther outside the shape than a millionth of their extent. "auto" takes the
    simplest shape whose excess volume is within the tolerance, else a hull. A hull has at most
    `max_points`: one with more corners becomes larger, by no more than `error.distance`. Points in
    one plane have a flat hull and no other shape.

    `triangles` (T, 3) of a surface are needed for "mesh" and "decomposed"; points that they do not
    use do not count. A concave surface gets a convex shape from "auto" too, and `error.hollow`
    tells when "decomposed" (for what moves) or "mesh" (for what does not) would follow it better.

    Raises ContentError for points that are too few, not finite or all on one line, and EditError
    for a kind that there is none of.
    """
    wanted = choice(kind, "the kind of shape", list(Kind))
    tolerance = number(tolerance, "the tolerance", least=0)
    surface = None if triangles is None else checked_surface(points, triangles)
    if wanted in (Kind.MESH, Kind.DECOMPOSED) and surface is None:
        raise ContentError(f"no triangles to make a {wanted} of", remedy="give the triangles too")
    cloud = Cloud(points if surface is None else surface.points)
    if cloud.dimension == 2:
        return _flat(cloud, surface, wanted)
    hollow = None if surface is None else hollowness(cloud, surface)
    if wanted == Kind.MESH and surface is not None:
        return _unmoved(wanted, surface, Misfit(-(hollow or 0.0), 0.0, hollow))
    if wanted == Kind.DECOMPOSED and surface is not None:
        return _decomposed(cloud, surface, hollow, tolerance, max_points)
    placed = _placed(cloud, wanted, tolerance, max_points)
    return _told(cloud, placed, hollow)


def _placed(cloud: Cloud, kind: Kind, tolerance: float, max_points: int) -> Placed:
    match kind:
        case Kind.SPHERE:
            return fit_sphere(cloud)
        case Kind.BOX:
            return fit_box(cloud, smallest_frame(cloud).axes)
        case Kind.CAPSULE:
            return fit_capsule(cloud, candidate_axes(cloud, smallest_frame(cloud).axes))
        case Kind.CYLINDER:
            axes = candidate_axes(cloud, smallest_frame(cloud).axes)
            return about_smallest([fit_cylinder(cloud, axes), fit_tapered(cloud, axes)], SAME)[0]
        case Kind.HULL:
            return upright(fit_hull(cloud, max_points=max_points))
    return simplest(cloud, tolerance) or upright(fit_hull(cloud, max_points=max_points))


def _told(cloud: Cloud, placed: Placed, hollow: float | None) -> Fit:
    """Bring a shape back to metres, and say how well it fits."""
    excess = max(0.0, placed.volume / cloud.volume - 1)
    distance = gap(placed, cloud.corners, cloud.normals) * cloud.size
    error = Misfit(excess, distance, hollow)
    if isinstance(placed.shape, Hull):
        hull = Hull(placed.shape.points * cloud.size + cloud.middle)
        whole = _unmoved(Kind.HULL, hull, error)
        return dataclasses.replace(whole, simplified=len(hull.points) < len(cloud.corners))
    kind, shape = _sized(placed.shape, cloud.size)
    translation = placed.translation * cloud.size + cloud.middle
    return Fit(kind, shape, translation, placed.rotation, error)


def _sized(
    shape: Sphere | Box | Capsule | Cylinder, size: float
) -> tuple[Kind, Sphere | Box | Capsule | Cylinder]:
    match shape:
        case Sphere(radius):
            return Kind.SPHERE, Sphere(radius * size)
        case Box((x, y, z)):
            return Kind.BOX, Box((x * size, y * size, z * size))
        case Capsule(height, bottom, top):
            return Kind.CAPSULE, Capsule(height * size, bottom * size, top * size)
    return Kind.CYLINDER, Cylinder(
        shape.height * size, shape.radius_bottom * size, shape.radius_top * size
    )


def _unmoved(kind: Kind, shape: FittedShape, error: Misfit, fits: tuple[Fit, ...] = ()) -> Fit:
    return Fit(kind, shape, np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0]), error, fits)


def _flat(cloud: Cloud, surface: Mesh | None, kind: Kind) -> Fit:
    if kind == Kind.MESH and surface is not None:
        return _unmoved(kind, surface, Misfit(0.0, 0.0))
    if kind not in (Kind.AUTO, Kind.HULL):
        raise ContentError(
            f"all points are in one plane, too thin for a {kind}",
            remedy="fit a hull or a mesh, or give it a thickness",
        )
    shape = Hull(cloud.corners * cloud.size + cloud.middle)
    return _unmoved(Kind.HULL, shape, Misfit(0.0, 0.0))


def _decomposed(
    cloud: Cloud, surface: Mesh, hollow: float | None, tolerance: float, max_points: int
) -> Fit:
    clouds = [Cloud(points) for points in decompose(surface, concavity=tolerance / 3)]
    fits = tuple(
        _told(part, upright(fit_hull(part, max_points=max_points)), None) for part in clouds
    )
    hulls = [upright(part.shape) for part in fits if isinstance(part.shape, Hull)]
    depth = np.max([hull.depth(surface.points) for hull in hulls], axis=0)
    volume = sum(hull.volume for hull in hulls) / cloud.size**3
    error = Misfit(volume / cloud.volume - 1, max(0.0, -float(depth.min())), hollow)
    whole = Hull(fit_hull(cloud, max_points=max_points).points * cloud.size + cloud.middle)
    return _unmoved(Kind.DECOMPOSED, whole, error, fits)
