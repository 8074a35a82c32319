"""Results of fitting: a shape, its pose and its error, without rounding noise."""

from __future__ import annotations

import dataclasses
import math
from enum import StrEnum
from typing import Final, NamedTuple

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.physics.mass import solid
from ligament.physics.shapes import Box, Capsule, Cylinder, Hull, Mesh, Sphere

FittedShape = Sphere | Box | Capsule | Cylinder | Hull | Mesh

STRAIGHT: Final = 1e-5
"""Angle [rad] below which the axes of a shape count as aligned with its node."""

CENTRED: Final = 1e-5
"""Offset from its node, relative to the extent, below which a shape counts as centred on it."""

IDENTITY: Final = (0.0, 0.0, 0.0, 1.0)


class Kind(StrEnum):
    """The kinds of shapes to fit."""

    AUTO = "auto"
    """The simplest of sphere, box, capsule and cylinder that fits, else a hull."""

    SPHERE = "sphere"
    BOX = "box"
    """In any orientation."""

    CAPSULE = "capsule"
    CYLINDER = "cylinder"
    """Tapered, up to a cone, where that is smaller."""

    HULL = "hull"
    DECOMPOSED = "decomposed"
    """Several hulls that follow a concave surface; needs the extra `decompose`."""

    MESH = "mesh"
    """The surface itself, which engines accept for bodies that do not move."""


class Misfit(NamedTuple):
    """The error of a fitted shape.

    `excess` is its volume in excess of the convex hull of the points, relative to the hull: 0.05
    is five per cent too large. `distance` [m] is the largest distance between its surface and that
    of the hull. `hollow` is the fraction of the hull that a closed surface does not fill, 0 for a
    convex one (self-overlaps count twice); None where no closed surface was given. For a
    decomposed surface, the excess is that of all parts together, below 0 where they follow
    concavities, and the distance is how far the surface protrudes from them.
    """

    excess: float
    distance: float
    hollow: float | None = None


@dataclasses.dataclass(frozen=True, eq=False)
class Fit:
    """A shape in the space of the given points: rotated by `rotation` (4,), then translated [m].

    Hulls and meshes are in that space already and need neither. A `simplified` hull has fewer
    corners than the hull of the points. `fits` are the parts of a decomposed surface; the shape is
    then the hull of all of them.
    """

    kind: Kind
    shape: FittedShape
    translation: Floats
    rotation: Floats
    error: Misfit
    fits: tuple[Fit, ...] = ()
    simplified: bool = False

    @property
    def parts(self) -> tuple[Fit, ...]:
        """The fits to make colliders of: the parts of a decomposed surface, else this one."""
        return self.fits or (self,)

    @property
    def volume(self) -> float:
        """The volume [m³] of the closed surface that this was fitted to, else of the shape."""
        own = sum(solid(part.shape).volume for part in self.parts)
        if self.error.hollow is None or self.error.excess <= -1:
            return own
        return own / (1 + self.error.excess) * (1 - self.error.hollow)


def straightened(found: Fit, extent: float) -> Fit:
    """Drop rotations that change nothing about a shape, and offsets that are rounding errors."""
    shape, rotation = found.shape, found.rotation
    offset = np.where(np.abs(found.translation) > CENTRED * extent, found.translation, 0.0)
    match shape:
        case Sphere():
            rotation = np.array(IDENTITY)
        case Box(size):
            shape, rotation = _reordered(np.array(size), rotation)
        case Capsule() | Cylinder():
            rotation = _upright(rotation)
        case Hull() | Mesh():
            return found
    return dataclasses.replace(
        found, shape=shape, translation=np.asarray(offset), rotation=rotation
    )


def shortened(shape: FittedShape) -> FittedShape:
    """Round the sizes of a shape to single precision, in which files store points."""
    match shape:
        case Sphere(radius):
            return Sphere(short(radius))
        case Box((x, y, z)):
            return Box((short(x), short(y), short(z)))
        case Capsule(height, bottom, top):
            return Capsule(short(height), short(bottom), short(top))
        case Cylinder(height, bottom, top):
            return Cylinder(short(height), short(bottom), short(top))
    return shape


def short(value: float) -> float:
    """Round a number to seven digits."""
    return float(f"{value:.7g}")


def _reordered(size: Floats, rotation: Floats) -> tuple[Box, Floats]:
    """Permute the sizes of a box whose rotation only permutes the axes of its node."""
    axes = np.abs(np.asarray(tf.to_matrix(rotation)))
    order = axes.argmax(axis=1)
    off = axes - np.eye(3)[order]
    if len(set(order.tolist())) == 3 and np.abs(off).max() < STRAIGHT:
        size, rotation = size[order], np.array(IDENTITY)
    x, y, z = size.tolist()
    return Box((x, y, z)), rotation


def _upright(rotation: Floats) -> Floats:
    """Return the smallest rotation that maps Y to the same axis: the twist does not matter."""
    up = np.array([0.0, 1.0, 0.0])
    along = np.asarray(tf.rotate(rotation, up))
    if along[1] > 0 and math.hypot(along[0], along[2]) < STRAIGHT:
        return np.array(IDENTITY)
    return np.asarray(tf.between(up, along))
