"""The engine's form of every shape, built once for all colliders that share it.

Of shapes that overlap the engine finds the contact by another algorithm than of shapes that do not,
and between the two, where they just touch, it often finds a normal of zero: a cylinder placed on
the ground fell by 5 cm before it stood. Only balls, capsules and pairs of boxes have formulas.

A cylinder, cone or hull that moves alone lies on soft contacts, and overlaps the ground; it is a
little larger, so that it does from the start. Stiff contacts leave less overlap than single
precision resolves. So where several bodies move, these shapes have rounded edges: the engine looks
for contacts of a core, which keeps its distance. The infinite ground always has.
"""

from __future__ import annotations

import math
from enum import Enum
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import rapier3d as rp

from ligament.arrays import Floats, Ints
from ligament.extensions.shapes import Box, Capsule, Cylinder, Plane, Sphere
from ligament.physics.engines.poses import AT_ORIGIN, Quaternion, RigidPose
from ligament.physics.engines.rapier.workarounds.panics import is_panic
from ligament.physics.engines.rapier.workarounds.round_contacts import round_shape
from ligament.physics.engines.rapier.world.hulls import (
    Support,
    build_hull,
    build_round_hull,
    edge_radius,
)
from ligament.physics.shapes import Hull, Mesh, Shape

UPSIDE_DOWN: Final[Quaternion] = (1.0, 0.0, 0.0, 0.0)

REACH: Final = 1e3
"""Half the side [m] of an infinite ground. On a box ten times as large, single precision makes
bodies jitter at a decimetre per second; on the engine's own half-space, hulls tip over."""

DEPTH: Final = 5.0
"""Half the depth [m] of the ground; deeper, it would be less precise."""

GROUND_EDGE: Final = 1.0
"""Radius [m] of the edges of the ground, which is so large that single precision needs more."""

SHELL_REACH: Final = 1e3
GROWTH: Final = 2e-4
"""Enlargement of a shape that moves alone, relative to its size."""

TILE: Final = 50.0
"""Half the side [m] of other infinite planes, and the largest triangle with precise contacts."""

LARGEST: Final = 1e6
"""Sizes and coordinates [m] beyond this are in error by centimetres in single precision."""

CIRCLE: Final = 64
"""Corners of a circle in a hull; halfway between inside and outside they are off by 0.06 %."""

_FLAGS: Final = rp.TriMeshFlags
_SHELL: Final = _FLAGS.FIX_INTERNAL_EDGES_TWO_SIDED
_ONE_SIDED: Final = _FLAGS.FIX_INTERNAL_EDGES


class EngineShape(NamedTuple):
    """An engine shape, and its pose in the frame of the shape that it represents."""

    shape: rp.SharedShape
    offset: RigidPose = AT_ORIGIN


class Role(Enum):
    """Purpose of a shape; its representation in the engine depends on it."""

    LONE = "the only body that moves"
    MOVING = "one of several"
    GROUND = "part of what does not move"

    @property
    def support(self) -> Support:
        """The use of broad faces."""
        return Support.CARRYING if self is Role.GROUND else Support.STANDING


class UnusableShapeError(ValueError):
    """The engine cannot use a shape; the message says why."""


class ShapeBuilder:
    """Builds shapes, each once: meshes by identity, others by value."""

    def __init__(self) -> None:
        self._known: dict[object, EngineShape] = {}
        self._kept: list[Shape] = []

    def build(self, shape: Shape, role: Role) -> EngineShape:
        """Return the engine's form of a shape."""
        is_mesh = isinstance(shape, Hull | Mesh)
        key = (id(shape) if is_mesh else shape, role)
        if key not in self._known:
            self._known[key] = build_shape(shape, role)
            self._kept.append(shape)  # so that no other object gets its identity
        return self._known[key]


def build_shape(shape: Shape, role: Role) -> EngineShape:
    """Return the engine's form of a shape."""
    try:
        match shape:
            case Hull(points):
                _require_points(points)
                if (rounded := round_shape(shape)) is not None:
                    return EngineShape(build_round_hull(rounded))
                return EngineShape(_build_hull(points, role))
            case Mesh(points, triangles):
                return EngineShape(_mesh(points, triangles))
            case Plane():
                return _plane(shape)
        _require_sizes(shape)
        match shape:
            case Sphere(radius):
                return EngineShape(rp.SharedShape.ball(radius))
            case Box((x, y, z)):
                return EngineShape(rp.SharedShape.cuboid(x / 2, y / 2, z / 2))
            case Capsule():
                return _capsule(shape)
            case Cylinder():
                return _cylinder(shape, role)
    except rp.RapierError as error:
        raise UnusableShapeError(str(error)) from error
    except BaseException as error:
        if is_panic(error):
            raise UnusableShapeError(f"the engine rejects it: {error}") from None
        raise
    raise UnusableShapeError(f"the engine has no shape for {type(shape).__name__}")


def _require_sizes(shape: Sphere | Box | Capsule | Cylinder) -> None:
    match shape:
        case Sphere(radius):
            sizes, largest = [radius], radius
        case Box(size):
            sizes, largest = list(size), max(size)
        case Capsule(height, bottom, top) | Cylinder(height, bottom, top):
            sizes, largest = [height, bottom, top], max(bottom, top)
    if not all(0 <= size <= LARGEST for size in sizes):
        raise UnusableShapeError(f"sizes {sizes} are not between 0 and {LARGEST:g} m")
    if largest <= 0:
        raise UnusableShapeError("it has no extent")


def _capsule(shape: Capsule) -> EngineShape:
    """Build a capsule; if one end ball contains the other, it is that ball."""
    height, bottom, top = shape.height, shape.radius_bottom, shape.radius_top
    if bottom == top and height > 0:
        return EngineShape(rp.SharedShape.capsule_y(height / 2, top))
    if abs(bottom - top) >= height:
        middle = height / 2 if top > bottom else -height / 2
        return EngineShape(rp.SharedShape.ball(max(bottom, top)), _above(middle))
    return EngineShape(_tapered_capsule(shape))


def _tapered_capsule(shape: Capsule) -> rp.SharedShape:
    """Build the hull of two balls: the balls, and the sides between the circles where they meet.

    The sides are tangent to both balls, so that the circles lie above their centres by the same
    fraction of the radius.
    """
    height, bottom, top = shape.height, shape.radius_bottom, shape.radius_top
    rise = (bottom - top) / height
    across = math.sqrt(1 - rise**2)
    lower, upper = -height / 2 + bottom * rise, height / 2 + top * rise
    sides = np.concatenate([_circle(lower, bottom * across), _circle(upper, top * across)])
    ends = ((-height / 2, bottom), (height / 2, top))
    balls = [(_above(y), rp.SharedShape.ball(radius)) for y, radius in ends if radius > 0]
    return rp.SharedShape.compound([(AT_ORIGIN, rp.SharedShape.convex_hull(sides)), *balls])


def _circle(height: float, radius: float) -> Floats:
    """Return the corners (CIRCLE, 3) of a circle across the Y axis [m].

    They lie as far outside it as the midpoints of the edges lie inside.
    """
    if radius == 0:
        return np.array([[0.0, height, 0.0]])
    angle = np.arange(CIRCLE) * (2 * math.pi / CIRCLE)
    radius *= 2 / (1 + math.cos(math.pi / CIRCLE))
    return np.stack(
        [radius * np.cos(angle), np.full(CIRCLE, height), radius * np.sin(angle)], axis=-1
    )


def _cylinder(shape: Cylinder, role: Role) -> EngineShape:
    half, bottom, top = shape.height / 2, shape.radius_bottom, shape.radius_top
    if bottom == top:
        return EngineShape(_even_cylinder(half, top, role))
    if top == 0 or bottom == 0:
        cone, height = _cone(half, max(bottom, top), role)
        turn = AT_ORIGIN[1] if top == 0 else UPSIDE_DOWN
        return EngineShape(cone, ((0.0, height if top == 0 else -height, 0.0), turn))
    circles = np.concatenate([_circle(-half, bottom), _circle(half, top)])
    return EngineShape(_build_hull(circles, role))


def _build_hull(points: Floats, role: Role) -> rp.SharedShape:
    if role is Role.LONE:
        middle = (points.min(axis=0) + points.max(axis=0)) / 2
        points = middle + (1 + GROWTH) * (points - middle)
    return build_hull(points, role.support, is_rounded=role is Role.MOVING)


def _even_cylinder(half: float, radius: float, role: Role) -> rp.SharedShape:
    if role is not Role.MOVING:
        larger = 1 + GROWTH * (role is Role.LONE)
        return rp.SharedShape.cylinder(larger * half, larger * radius)
    edge = edge_radius(min(half, radius))
    return rp.SharedShape.round_cylinder(half - edge, radius - edge, edge)


def _cone(half: float, radius: float, role: Role) -> tuple[rp.SharedShape, float]:
    """Build a cone; return it and the height [m] of its middle.

    With rounded edges it is a smaller cone about the same inscribed ball.
    """
    if role is not Role.MOVING:
        larger = 1 + GROWTH * (role is Role.LONE)
        return rp.SharedShape.cone(larger * half, larger * radius), 0.0
    inscribed = 2 * half * radius / (radius + math.hypot(radius, 2 * half))
    edge = edge_radius(inscribed)
    scale = 1 - edge / inscribed
    cone = rp.SharedShape.round_cone(scale * half, scale * radius, edge)
    return cone, edge - half + scale * half


def _plane(shape: Plane) -> EngineShape:
    """Build a plane: an infinite one-sided plane is the ground, any other a shell."""
    sizes = [size for size in (shape.size_x, shape.size_z) if size is not None]
    if not all(0 < size <= LARGEST for size in sizes):
        raise UnusableShapeError(f"sizes {sizes} are not above 0 and up to {LARGEST:g} m")
    if not sizes and not shape.double_sided:
        side = REACH - GROUND_EDGE
        ground = rp.SharedShape.round_cuboid(side, DEPTH - GROUND_EDGE, side, GROUND_EDGE)
        return EngineShape(ground, _above(-shape.side * DEPTH))
    points, triangles = _tiles(_ticks(shape.size_x), _ticks(shape.size_z))
    triangles = np.ascontiguousarray(triangles[:, :: shape.side])
    flags = _SHELL if shape.double_sided else _ONE_SIDED
    return EngineShape(rp.SharedShape.trimesh(points, triangles, flags))


def _ticks(size: float | None) -> Floats:
    """Divide a side into equal lengths."""
    half = SHELL_REACH if size is None else min(size / 2, SHELL_REACH)
    return np.linspace(-half, half, math.ceil(2 * half / TILE) + 1)


def _tiles(x: Floats, z: Floats) -> tuple[Floats, npt.NDArray[np.uint32]]:
    """Return points and triangles, facing +Y, of the XZ plane cut at x (n,) and z (m,) [m]."""
    points = np.stack([*np.broadcast_arrays(x[:, None], 0.0, z)], axis=-1).reshape(-1, 3)
    number = np.arange(len(points), dtype=np.uint32).reshape(len(x), len(z))
    a, b, c, d = number[:-1, :-1], number[:-1, 1:], number[1:, 1:], number[1:, :-1]
    triangles = np.stack([np.stack([a, b, c], axis=-1), np.stack([a, c, d], axis=-1)])
    return points, triangles.reshape(-1, 3)


def _above(height: float) -> RigidPose:
    return (0.0, height, 0.0), AT_ORIGIN[1]


def _mesh(points: Floats, triangles: Ints) -> rp.SharedShape:
    _require_points(points)
    if not len(triangles) or triangles.min() < 0 or triangles.max() >= len(points):
        raise UnusableShapeError(f"its triangles refer to points outside 0 to {len(points) - 1}")
    return rp.SharedShape.trimesh(points, triangles.astype(np.uint32), _SHELL)


def _require_points(points: Floats) -> None:
    if not len(points) or not (np.abs(points) <= LARGEST).all():
        raise UnusableShapeError(f"its points are missing, not finite, or beyond {LARGEST:g} m")
