"""Fitting: the smallest shape of a kind around points, or the simplest that fits well enough."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from ligament.author.arguments import choice, number
from ligament.author.fitting.boxes import fit_box, smallest_frame
from ligament.author.fitting.convex_hulls import MAX_POINTS, decompose, fit_hull
from ligament.author.fitting.enclosing_balls import enclosing_ball
from ligament.author.fitting.fitted_shapes import Fit, FittedShape, Kind, Misfit
from ligament.author.fitting.placed_shapes import Placed, gap, upright
from ligament.author.fitting.point_cloud import Cloud, checked_surface, hollowness
from ligament.author.fitting.solids_of_revolution import (
    candidate_axes,
    fit_capsule,
    fit_cylinder,
    fit_tapered,
)
from ligament.errors import ContentError
from ligament.physics.shapes import Box, Capsule, Cylinder, Hull, Mesh, Sphere

TOLERANCE = 0.15
"""Default bound on the excess volume of a simple shape: an octagonal prism passes as a cylinder
(0.11), a hexagonal one (0.21) does not."""

NEAR = 0.03
"""Shapes whose volumes differ by less than this fraction fit about equally well."""

SAME = 0.001
"""Shapes whose volumes differ by less than this fraction are equally large."""

ON_SURFACE = 2e-3
"""Corners nearer to a surface than this, relative to the extent, lie on it."""

REFINEMENT_CUTOFF = 1.3
"""The axis of a shape that exceeds the tolerance by this factor is not refined."""


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
    shows when "decomposed" (for moving bodies) or "mesh" (for static ones) would follow it better.

    Raises ContentError for points that are too few, non-finite or all on one line, and EditError
    for an unknown kind.
    """
    wanted = choice(kind, "the kind of shape", list(Kind))
    tolerance = number(tolerance, "the tolerance", least=0)
    max_points = int(number(max_points, "the number of points of a hull", least=0))
    surface = None if triangles is None else checked_surface(points, triangles)
    if wanted in (Kind.MESH, Kind.DECOMPOSED) and surface is None:
        raise ContentError(f"fitting a {wanted} needs triangles", remedy="give the triangles too")
    cloud = Cloud(points if surface is None else surface.points)
    if cloud.dimension == 2:
        return _flat(cloud, surface, wanted)
    hollow = None if surface is None else hollowness(cloud, surface)
    if wanted == Kind.MESH and surface is not None:
        return _in_place(wanted, surface, Misfit(-(hollow or 0.0), 0.0, hollow))
    if wanted == Kind.DECOMPOSED and surface is not None:
        return _decomposed(cloud, surface, hollow, tolerance, max_points)
    placed = _placed(cloud, wanted, tolerance, max_points)
    return _scaled_back(cloud, placed, hollow)


def _placed(cloud: Cloud, kind: Kind, tolerance: float, max_points: int) -> Placed:
    match kind:
        case Kind.SPHERE:
            return _fit_sphere(cloud)
        case Kind.BOX:
            return fit_box(cloud, smallest_frame(cloud).axes)
        case Kind.CAPSULE:
            return fit_capsule(cloud, candidate_axes(cloud, smallest_frame(cloud).axes))
        case Kind.CYLINDER:
            axes = candidate_axes(cloud, smallest_frame(cloud).axes)
            return _about_smallest([fit_cylinder(cloud, axes), fit_tapered(cloud, axes)], SAME)[0]
        case Kind.HULL:
            return upright(fit_hull(cloud, max_points=max_points))
    return _simplest(cloud, tolerance) or upright(fit_hull(cloud, max_points=max_points))


def _scaled_back(cloud: Cloud, placed: Placed, hollow: float | None) -> Fit:
    """Scale a shape of normalised points back to metres, and measure its error."""
    excess = max(0.0, placed.volume / cloud.volume - 1)
    distance = gap(placed, cloud.corners, cloud.normals) * cloud.size
    error = Misfit(excess, distance, hollow)
    if isinstance(placed.shape, Hull):
        hull = placed.shape.enlarged(cloud.size, cloud.middle)
        whole = _in_place(Kind.HULL, hull, error)
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


def _in_place(kind: Kind, shape: FittedShape, error: Misfit, fits: tuple[Fit, ...] = ()) -> Fit:
    return Fit(kind, shape, np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0]), error, fits)


def _flat(cloud: Cloud, surface: Mesh | None, kind: Kind) -> Fit:
    if kind == Kind.MESH and surface is not None:
        return _in_place(kind, surface, Misfit(0.0, 0.0))
    if kind not in (Kind.AUTO, Kind.HULL):
        raise ContentError(
            f"all points are in one plane, too thin for a {kind}",
            remedy="fit a hull or a mesh, or give it a thickness",
        )
    shape = cloud.hull.enlarged(cloud.size, cloud.middle)
    return _in_place(Kind.HULL, shape, Misfit(0.0, 0.0))


def _decomposed(
    cloud: Cloud, surface: Mesh, hollow: float | None, tolerance: float, max_points: int
) -> Fit:
    clouds = [Cloud(points) for points in decompose(surface, concavity=tolerance / 3)]
    fits = tuple(
        _scaled_back(part, upright(fit_hull(part, max_points=max_points)), None) for part in clouds
    )
    hulls = [upright(part.shape) for part in fits if isinstance(part.shape, Hull)]
    depth = np.max([hull.depth(surface.points) for hull in hulls], axis=0)
    volume = sum(hull.volume for hull in hulls) / cloud.size**3
    error = Misfit(volume / cloud.volume - 1, max(0.0, -float(depth.min())), hollow)
    whole = fit_hull(cloud, max_points=max_points).enlarged(cloud.size, cloud.middle)
    return _in_place(Kind.DECOMPOSED, whole, error, fits)


def _fit_sphere(cloud: Cloud) -> Placed:
    """Return the smallest ball around all points."""
    center, radius = enclosing_ball(cloud.points)
    return upright(Sphere(radius), center)


def _simplest(cloud: Cloud, tolerance: float) -> Placed | None:
    """Return the simplest shape within the tolerance, unless another one is clearly better.

    Among shapes that fit about equally well, one that all corners lie on is the intended one: a
    coarse ball has all corners on a sphere, though some capsule may be smaller.
    """
    most = cloud.volume * (1 + tolerance)
    ball = _fit_sphere(cloud)
    if ball.volume <= most and _is_touched(ball, cloud):
        return ball
    frame = smallest_frame(cloud).axes
    box = fit_box(cloud, frame)
    if box.volume <= cloud.volume * (1 + min(tolerance, SAME)):
        return box
    axes, cutoff = candidate_axes(cloud, frame), most * REFINEMENT_CUTOFF
    revolved = [
        kind(cloud, axes, cutoff=cutoff) for kind in (fit_capsule, fit_cylinder, fit_tapered)
    ]
    good = [placed for placed in (ball, box, *revolved) if placed.volume <= most]
    if not good:
        return None
    near = _about_smallest(good, NEAR)
    touched = [placed for placed in near if _is_touched(placed, cloud)]
    return _about_smallest(touched, SAME)[0] if touched else near[0]


def _is_touched(placed: Placed, cloud: Cloud) -> bool:
    """Tell whether all corners lie on the surface of a shape."""
    return bool(np.abs(placed.depth(cloud.corners)).max() <= ON_SURFACE)


def _about_smallest(tried: list[Placed], slack: float) -> list[Placed]:
    """Return the shapes whose volume is within a relative slack of the smallest."""
    least = min(placed.volume for placed in tried)
    return [placed for placed in tried if placed.volume <= least * (1 + slack)]
