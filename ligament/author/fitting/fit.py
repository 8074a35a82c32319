"""Finding the shape that fits points best."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ligament.author.fitting.axes import candidate_axes
from ligament.author.fitting.balls import enclosing_ball
from ligament.author.fitting.boxes import fit_box, smallest_frame
from ligament.author.fitting.capsules import fit_capsule
from ligament.author.fitting.cloud import Cloud, checked_points
from ligament.author.fitting.cylinders import fit_cylinder, fit_tapered
from ligament.author.fitting.decomposition import decompose
from ligament.author.fitting.hulls import MAX_POINTS, fit_hull
from ligament.author.fitting.placed import Placed, gap
from ligament.author.fitting.result import Fit, FittedShape, Kind, Misfit
from ligament.author.values import choice
from ligament.errors import ContentError
from ligament.physics.shapes import Box, Capsule, Cylinder, Hull, Mesh, Sphere, has_area, welded

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

TOLERANCE = 0.15
"""How much larger than the hull a simple shape may be: a prism of eight sides passes as a
cylinder (0.11), one of six (0.21) does not."""

NEAR = 0.03
"""Shapes whose volumes differ by less than this part fit about equally well."""

SAME = 0.005
TOUCHING = 2e-3
"""Of the extent: corners nearer to a surface than this lie on it."""

HOPELESS = 1.3
"""A shape so many times too large for the tolerance does not get there by turning it a little."""

_HERE = np.zeros(3)
_UPRIGHT = np.array([0.0, 0.0, 0.0, 1.0])


def fit(
    points: Any,
    triangles: Any = None,
    kind: str = "auto",
    *,
    tolerance: float = TOLERANCE,
    max_points: int = MAX_POINTS,
) -> Fit:
    """Find a small shape of a kind around points (P, 3) [m].

    No point is farther outside the shape than a millionth of their extent. `triangles` (T, 3) of a
    surface are needed for "mesh" and "decomposed", and tell how hollow the surface is. "auto"
    takes the simplest shape whose excess volume is within the tolerance, else a hull: a concave
    surface gets a convex shape too, and `error.hollow` tells when "decomposed" (for what moves) or
    "mesh" (for what does not) would follow it better. A hull has at most `max_points`; with more
    corners it becomes a slightly larger one, by as much as `error.distance`. Points in one plane
    have a flat hull and no other shape.

    Raises ContentError for points that are too few, not finite or all on one line.
    """
    wanted = choice(kind, "the kind of shape", list(Kind))
    surface = None if triangles is None else _surface(points, triangles)
    if wanted in (Kind.MESH, Kind.DECOMPOSED) and surface is None:
        raise ContentError(f"no triangles to make a {wanted} of", remedy="give the triangles too")
    cloud = Cloud(points if surface is None else surface.points)
    if cloud.dimension == 2:
        return _flat(cloud, surface, wanted)
    hollow = None if surface is None else _hollow(cloud, surface)
    if wanted == Kind.MESH and surface is not None:
        return _unmoved(wanted, surface, Misfit(-(hollow or 0.0), 0.0, hollow))
    if wanted == Kind.DECOMPOSED and surface is not None:
        return _decomposed(cloud, surface, hollow, tolerance, max_points)
    placed = _placed(cloud, wanted, tolerance, max_points)
    return _told(cloud, placed, hollow)


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
            return fit_hull(cloud, max_points=max_points)
    return _simplest(cloud, tolerance) or fit_hull(cloud, max_points=max_points)


def _fit_sphere(cloud: Cloud) -> Placed:
    center, radius = enclosing_ball(cloud.points)
    return Placed(Sphere(radius), center, _UPRIGHT)


def _simplest(cloud: Cloud, tolerance: float) -> Placed | None:
    """Return the simplest shape within the tolerance, unless another one is clearly better.

    Among shapes that fit about equally well, one that all corners lie on is what was meant: a
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
    axes, hopeless = candidate_axes(cloud, frame), most * HOPELESS
    turned = [
        kind(cloud, axes, hopeless=hopeless) for kind in (fit_capsule, fit_cylinder, fit_tapered)
    ]
    good = [placed for placed in (ball, box, *turned) if placed.volume <= most]
    if not good:
        return None
    near = _about_smallest(good, NEAR)
    touched = [placed for placed in near if _is_touched(placed, cloud)]
    return _about_smallest(touched or near, SAME)[0]


def _is_touched(placed: Placed, cloud: Cloud) -> bool:
    """Tell whether all corners lie on the surface of a shape."""
    return bool(np.abs(placed.depth(cloud.corners)).max() <= TOUCHING)


def _about_smallest(tried: list[Placed], slack: float) -> list[Placed]:
    least = min(placed.volume for placed in tried)
    return [placed for placed in tried if placed.volume <= least * (1 + slack)]


def _told(cloud: Cloud, placed: Placed, hollow: float | None) -> Fit:
    """Bring a shape back to metres, and say how well it fits."""
    excess = max(0.0, placed.volume / cloud.volume - 1)
    distance = gap(placed, cloud.corners, cloud.normals) * cloud.size
    error = Misfit(excess, distance, hollow)
    if isinstance(placed.shape, Hull):
        return _unmoved(Kind.HULL, Hull(placed.shape.points * cloud.size + cloud.middle), error)
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
    return Fit(kind, shape, _HERE, _UPRIGHT, error, fits)


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


def _surface(points: Any, triangles: Any) -> Mesh:
    places = checked_points(points)
    corners = np.asarray(triangles)
    if corners.ndim != 2 or corners.shape[1] != 3 or corners.dtype.kind not in "iu":
        raise ContentError(
            f"triangles of shape {corners.shape} and type {corners.dtype}",
            remedy="give an array (T, 3) of whole numbers",
        )
    if not len(corners):
        raise ContentError("there are no triangles", remedy="give some, or None for points alone")
    if corners.min() < 0 or corners.max() >= len(places):
        raise ContentError(
            f"triangles of points {corners.min()} to {corners.max()}",
            remedy=f"they must be among the {len(places)} points",
        )
    if not has_area(places, corners).any():
        raise ContentError("no triangle has an area", remedy="give triangles with an area")
    return Mesh(*welded(places, corners.astype(np.int64)))


def _hollow(cloud: Cloud, surface: Mesh) -> float | None:
    """Return the part of the hull that a closed surface does not fill."""
    if not _is_closed(surface.triangles):
        return None
    corners = (surface.points[surface.triangles] - cloud.middle) / cloud.size
    return max(0.0, 1 - abs(float(np.linalg.det(corners).sum() / 6)) / cloud.volume)


def _is_closed(triangles: Ints) -> bool:
    """Tell whether every edge is used as often in one direction as in the other."""
    a, b = triangles.ravel(), np.roll(triangles, -1, axis=1).ravel()
    count = int(triangles.max()) + 1
    return np.array_equal(np.sort(a * count + b), np.sort(b * count + a))


def _decomposed(
    cloud: Cloud, surface: Mesh, hollow: float | None, tolerance: float, max_points: int
) -> Fit:
    clouds = [Cloud(points) for points in decompose(surface, concavity=tolerance / 3)]
    fits = tuple(_told(part, fit_hull(part, max_points=max_points), None) for part in clouds)
    hulls = [Placed(part.shape, _HERE, _UPRIGHT) for part in fits if isinstance(part.shape, Hull)]
    depth = np.max([hull.depth(surface.points) for hull in hulls], axis=0)
    volume = sum(hull.volume for hull in hulls) / cloud.size**3
    error = Misfit(volume / cloud.volume - 1, max(0.0, -float(depth.min())), hollow)
    whole = Hull(cloud.corners * cloud.size + cloud.middle)
    return _unmoved(Kind.DECOMPOSED, whole, error, fits)
