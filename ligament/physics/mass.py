"""Mass properties of rigid bodies: as declared, else from the volume of their shapes."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from ligament import transforms as tf
from ligament.arrays import Floats, Ints
from ligament.extensions.rigid_bodies import Motion
from ligament.extensions.shapes import Box, Capsule, Cylinder, Plane, Sphere
from ligament.physics.hulls import ConvexHull, convex_hull
from ligament.physics.shapes import Hull, Mesh, Shape, extents, is_closed, welded

SHEET = 1e-3
"""Thickness [m] of a flat hull, which gives a sheet mass and inertia."""

# A volume below this fraction of the bounding box is the residue of two cancelling sides.
_CANCELLED = 1e-6

# Gauss's points and weights for polynomials up to the fifth degree between -1 and 1: the moments
# of balls and cones along their axes have the fourth.
_POINTS = np.array([-math.sqrt(0.6), 0.0, math.sqrt(0.6)])
_WEIGHTS = np.array([5.0, 8.0, 5.0]) / 9.0


LARGEST = 1e30
"""Largest extent [m] with finite mass properties: inertia has its fifth power."""

LEAST_VOLUME = 1e-100
"""Volume [m³] that counts as zero: dividing by less would overflow."""


@dataclasses.dataclass(frozen=True, eq=False)
class Solid:
    """A volume [m³] of density 1: its centre (3,) [m] and its inertia (3, 3) [m⁵] about that."""

    volume: float
    center: Floats
    inertia: Floats

    def placed(self, translation: npt.ArrayLike, rotation: npt.ArrayLike) -> Solid:
        """Rotate by a quaternion (4,) and translate by (3,) [m]."""
        axes = np.asarray(tf.to_matrix(np.asarray(rotation, np.float64)))
        center = axes @ self.center + np.asarray(translation, np.float64)
        return Solid(self.volume, center, axes @ self.inertia @ axes.T)

    def stretched(self, stretch: npt.ArrayLike) -> Solid:
        """Apply a linear map (3, 3) to the solid."""
        matrix = np.asarray(stretch, np.float64)
        size = float(abs(tf.determinant(matrix)))
        spread = size * matrix @ _spread(self.inertia) @ matrix.T
        return Solid(self.volume * size, matrix @ self.center, _inertia(spread))

    def about(self, point: npt.ArrayLike) -> Floats:
        """Return the inertia (3, 3) about another point (3,) (parallel axes)."""
        offset = self.center - np.asarray(point, np.float64)
        return self.inertia + _inertia(self.volume * np.outer(offset, offset))


NOTHING = Solid(0.0, np.zeros(3), np.zeros((3, 3)))


def combined(solids: Iterable[Solid]) -> Solid:
    """Combine several solids; overlaps count twice."""
    parts = [solid for solid in solids if solid.volume > LEAST_VOLUME]
    if not parts:
        return NOTHING
    volumes = np.array([part.volume for part in parts])
    center = volumes @ np.array([part.center for part in parts]) / volumes.sum()
    return Solid(float(volumes.sum()), center, np.sum([part.about(center) for part in parts], 0))


def solid(shape: Shape) -> Solid:
    """Return the volume that a shape encloses; a plane encloses none.

    An open mesh, or one with edges that do not join two triangles, counts as its convex hull; a
    flat hull as a sheet. A hull that stands for a stretched round shape counts as that shape.
    """
    if isinstance(shape, Sphere | Box | Cylinder | Capsule) and max(extents(shape)) > LARGEST:
        return NOTHING
    match shape:
        case Sphere(radius):
            return _ball(radius, 0.0)
        case Box(size):
            return _box(np.array(size))
        case Cylinder(height, bottom, top):
            return _revolved([(-height / 2, height / 2, _cone(height, bottom, top))])
        case Capsule():
            return _capsule(shape)
        case Plane():
            return NOTHING
    if shape not in _known:
        _known[shape] = _enclosed(shape)
    return _known[shape]


# Many colliders share one mesh, whose volume takes longer to compute than all the rest.
_known: WeakKeyDictionary[Hull | Mesh, Solid] = WeakKeyDictionary()


def _enclosed(shape: Hull | Mesh) -> Solid:
    if shape.origin is not None:
        return solid(shape.origin.shape).stretched(shape.origin.stretch)
    if isinstance(shape, Mesh):
        return _mesh(shape)
    return _hull(shape.points, shape.surface)


def _hull(points: Floats, hull: ConvexHull) -> Solid:
    if hull.dimension == 3:
        return _bounded(points, hull.triangles)
    return _sheet(points, hull.triangles[: len(hull.triangles) // 2])


def _mesh(mesh: Mesh) -> Solid:
    points, triangles = welded(mesh.points, mesh.triangles)
    if not len(points):
        return NOTHING
    if is_closed(triangles):
        result = _bounded(points, triangles)
        if result.volume > _CANCELLED * np.ptp(points, axis=0).prod():
            return result
    return _hull(points, convex_hull(points))


def _bounded(points: Floats, triangles: Ints) -> Solid:
    """Sum the tetrahedra between a middle point and the triangles of a surface."""
    middle = points[triangles].mean(axis=(0, 1))
    corners = points[triangles] - middle
    volumes = tf.determinant(corners) / 6
    volume = float(volumes.sum())
    if volume == 0:
        return NOTHING
    sums = corners.sum(axis=1)
    center = volumes @ sums / (4 * volume)
    spread = np.einsum("t,tci,tcj->ij", volumes, corners, corners)
    spread = (spread + np.einsum("t,ti,tj->ij", volumes, sums, sums)) / 20
    spread -= volume * np.outer(center, center)
    # An inverted surface encloses the same volume.
    return Solid(abs(volume), center + middle, _inertia(math.copysign(1.0, volume) * spread))


def _sheet(points: Floats, triangles: Ints) -> Solid:
    """Give the triangles of a flat hull their thickness."""
    if not len(triangles):
        return NOTHING
    corners = points[triangles]
    sides = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = np.linalg.norm(sides, axis=1) / 2
    normal = sides[np.argmax(areas)] / (2 * areas.max())
    center = areas @ corners.mean(axis=1) / areas.sum()
    offsets = corners - center
    sums = offsets.sum(axis=1)
    spread = np.einsum("t,tci,tcj->ij", areas, offsets, offsets)
    spread = (spread + np.einsum("t,ti,tj->ij", areas, sums, sums)) / 12
    spread += areas.sum() * SHEET**2 / 12 * np.outer(normal, normal)
    return Solid(float(areas.sum() * SHEET), center, _inertia(SHEET * spread))


def _ball(radius: float, height: float) -> Solid:
    volume = 4 / 3 * math.pi * radius**3
    return Solid(volume, np.array([0.0, height, 0.0]), np.eye(3) * (0.4 * volume * radius**2))


def _box(size: Floats) -> Solid:
    volume = float(size.prod())
    return Solid(volume, np.zeros(3), _inertia(np.diag(volume * size**2 / 12)))


def _capsule(shape: Capsule) -> Solid:
    """Return the hull of two balls: a cap, the cone that touches both balls, and a cap."""
    height, bottom, top = shape.height, shape.radius_bottom, shape.radius_top
    if abs(bottom - top) >= height:
        return _ball(max(bottom, top), height / 2 if top > bottom else -height / 2)
    sine = (bottom - top) / height
    low, high = bottom * sine - height / 2, top * sine + height / 2
    cosine = math.sqrt(1 - sine**2)
    cone = _cone(high - low, bottom * cosine, top * cosine, middle=(low + high) / 2)
    return _revolved(
        [
            (-height / 2 - bottom, low, _sphere(bottom, -height / 2)),
            (low, high, cone),
            (high, height / 2 + top, _sphere(top, height / 2)),
        ]
    )


_Profile = Callable[[Floats], Floats]


def _cone(height: float, bottom: float, top: float, *, middle: float = 0.0) -> _Profile:
    """Return the squared radius of a cone at heights above the origin."""
    slope = (top - bottom) / height if height else 0.0
    return lambda y: ((bottom + top) / 2 + slope * (y - middle)) ** 2


def _sphere(radius: float, middle: float) -> _Profile:
    """Return the squared radius of a sphere's cross-section at heights above the origin."""
    return lambda y: radius**2 - (y - middle) ** 2


def _revolved(pieces: Iterable[tuple[float, float, _Profile]]) -> Solid:
    """Integrate a solid of revolution about Y, given from, to, and the squared radius."""
    moments = np.zeros(4)
    for low, high, squared_radius in pieces:
        y = (low + high) / 2 + (high - low) / 2 * _POINTS
        area = math.pi * squared_radius(y) * (high - low) / 2
        terms = [area, area * y, area * y**2, area * squared_radius(y) / 4]
        moments += np.array(terms) @ _WEIGHTS
    volume, first, second, across = moments.tolist()
    if volume <= 0:
        return NOTHING
    center = first / volume
    spread = np.diag([across, second - volume * center**2, across])
    return Solid(volume, np.array([0.0, center, 0.0]), _inertia(spread))


def _inertia(spread: Floats) -> Floats:
    """Convert sums of products of coordinates to moments of inertia."""
    return np.asarray(np.trace(spread) * np.eye(3) - spread)


def _spread(inertia: Floats) -> Floats:
    return np.asarray(np.trace(inertia) / 2 * np.eye(3) - inertia)


__all__ = [
    "DENSITY",
    "FIXED",
    "MassProperties",
    "Part",
    "Solid",
    "combined",
    "is_mass_known",
    "mass_properties",
    "solid",
]


DENSITY = 1000.0
"""Density [kg/m³] of bodies that declare no mass."""

DEFAULT_MASS = 1.0
"""Default mass [kg] of bodies without a declared mass or volume."""

# A principal moment of 0 would mean infinity. Even a needle has more than this fraction of the
# largest.
_LEAST_MOMENT = 1e-9


@dataclasses.dataclass(frozen=True, eq=False)
class MassProperties:
    """Mass, centre of mass and inertia of a body.

    `mass` [kg] may be `inf`; `center` (3,) [m] is the centre of mass in the frame of the body;
    `inertia` (3,) [kg m²] holds the principal moments about it, each of which may be `inf`, along
    the axes of the body's frame turned by `orientation` (4,) xyzw. As a matrix it is
    R · diag(inertia) · Rᵀ: the text of KHR_physics_rigid_bodies forgets the second rotation.
    """

    mass: float
    center: Floats
    inertia: Floats
    orientation: Floats


FIXED = MassProperties(math.inf, np.zeros(3), np.full(3, math.inf), np.array([0.0, 0.0, 0.0, 1.0]))
"""Mass properties of immovable bodies."""


class Part(NamedTuple):
    """A shape of a body, scale applied, and where it lies in the frame of the body."""

    shape: Shape
    translation: Floats
    rotation: Floats


def is_mass_known(motion: Motion, parts: Iterable[Part]) -> bool:
    """Tell whether a mass is declared or follows from the shapes; else it is DEFAULT_MASS."""
    return motion.mass is not None or _whole(parts).volume > 0


def mass_properties(motion: Motion, scale: npt.ArrayLike, parts: Iterable[Part]) -> MassProperties:
    """Compute the mass properties of a body.

    `scale` (3,) or (3, 3) is that of the body's node in the world; it moves the declared centre of
    mass and changes neither mass nor inertia. Undeclared properties are derived from the shapes:
    mass from DENSITY, the centre from their volume, inertia from their volume scaled to the mass,
    about the centre of mass. A body without volume has its centre in the origin and the inertia of
    a ball of water of its mass, and if it declares no mass either, DEFAULT_MASS.
    """
    whole = _whole(parts)
    center = whole.center
    if motion.center_of_mass is not None:
        factor = np.asarray(scale, np.float64)
        stretch = np.diag(factor) if factor.ndim == 1 else factor
        center = stretch @ np.array(motion.center_of_mass)
    mass = motion.mass
    if mass is None:
        mass = whole.volume * DENSITY if whole.volume > 0 else DEFAULT_MASS
    if motion.inertia_diagonal is not None:
        orientation = tf.normalize(np.array(motion.inertia_orientation))
        return MassProperties(mass, center, np.array(motion.inertia_diagonal), orientation)
    if math.isinf(mass):
        return dataclasses.replace(FIXED, center=center)
    if whole.volume > 0:
        moments, orientation = _principal(whole.about(center) * (mass / whole.volume))
    else:
        moments, orientation = _ball_of_water(mass), FIXED.orientation
    return MassProperties(mass, center, moments, orientation)


def _whole(parts: Iterable[Part]) -> Solid:
    return combined(solid(part.shape).placed(part.translation, part.rotation) for part in parts)


def _principal(tensor: Floats) -> tuple[Floats, Floats]:
    """Return the principal moments (3,) of an inertia (3, 3), and the rotation of their axes."""
    if not np.isfinite(tensor).all():  # a centre of mass too far away for doubles
        return FIXED.inertia, FIXED.orientation
    if np.abs(tensor - np.diag(np.diagonal(tensor))).max() <= 1e-12 * np.trace(tensor):
        moments, axes = np.diagonal(tensor), np.eye(3)
    else:
        moments, axes = np.linalg.eigh(tensor)
        axes[:, 2] *= np.sign(tf.determinant(axes))
    return np.maximum(moments, _LEAST_MOMENT * moments.max()), np.asarray(tf.from_matrix(axes))


def _ball_of_water(mass: float) -> Floats:
    radius = (mass / DENSITY * 3 / (4 * math.pi)) ** (1 / 3)
    return np.full(3, 0.4 * mass * radius**2)


def solid_hull(points: Floats, hull: ConvexHull | None = None) -> tuple[Floats, Ints]:
    """Return the corners (P, 3) [m] and triangles (T, 3) of the convex hull of points.

    A flat hull gets the thickness of a sheet.
    """
    hull = convex_hull(points) if hull is None else hull
    if hull.dimension == 2:
        a, b, c = points[hull.triangles[0]]
        normal = np.cross(b - a, c - a)
        normal *= SHEET / 2 / np.linalg.norm(normal)
        points = np.concatenate([points[hull.corners] + normal, points[hull.corners] - normal])
        hull = convex_hull(points)
    return welded(points, hull.triangles)
