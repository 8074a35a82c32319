"""What comes out of fitting: a shape, where it lies, and how well it fits."""

from __future__ import annotations

import dataclasses
from enum import StrEnum
from typing import NamedTuple

from ligament.arrays import Floats
from ligament.physics.mass import solid
from ligament.physics.shapes import Box, Capsule, Cylinder, Hull, Mesh, Sphere

FittedShape = Sphere | Box | Capsule | Cylinder | Hull | Mesh


class Kind(StrEnum):
    """What to fit."""

    AUTO = "auto"
    """The simplest of sphere, box, capsule and cylinder that fits, else a hull."""

    SPHERE = "sphere"
    BOX = "box"
    """Turned as it likes."""

    CAPSULE = "capsule"
    CYLINDER = "cylinder"
    """Tapered, up to a cone, where that is smaller."""

    HULL = "hull"
    DECOMPOSED = "decomposed"
    """Several hulls that follow a concave surface; needs the extra `decompose`."""

    MESH = "mesh"
    """The surface itself, which engines take for bodies that do not move."""


class Misfit(NamedTuple):
    """How far a shape is from what it was fitted to.

    `excess` is the volume that it has more than the convex hull of the points, relative to the
    hull: 0.05 is five per cent too large. `distance` [m] is the largest distance between its
    surface and that of the hull. `hollow` is the part of the hull that a closed surface does not
    fill, 0 for a convex one (what overlaps in it counts twice); None where no closed surface was
    given. Of what was decomposed, the excess is that of all parts together, less than 0 where they
    follow hollows, and the distance is how far the surface sticks out of them.
    """

    excess: float
    distance: float
    hollow: float | None = None


@dataclasses.dataclass(frozen=True, eq=False)
class Fit:
    """A shape in the space of the given points, turned by `rotation` (4,), then moved by (3,) [m].

    Hulls and meshes are in that space themselves and need neither. A hull that is `simplified` has
    fewer corners than that of the points. `fits` are the parts of what was decomposed; the shape
    is the hull of all of them then.
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
        """What to make colliders of: the parts of what was decomposed, else this one."""
        return self.fits or (self,)

    @property
    def volume(self) -> float:
        """The volume [m³] within a closed surface that this was fitted to, else of the shape."""
        own = sum(solid(part.shape).volume for part in self.parts)
        if self.error.hollow is None or self.error.excess <= -1:
            return own
        return own / (1 + self.error.excess) * (1 - self.error.hollow)
