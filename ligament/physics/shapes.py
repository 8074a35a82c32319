"""Shapes of rigid bodies: those that a file declares, hulls and surfaces, and how scale acts."""

from __future__ import annotations

import dataclasses
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ligament.extensions.declarations import Box, Capsule, Cylinder, ImplicitShape, Plane, Sphere

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True, eq=False)
class Hull:
    """The convex hull of points (P, 3) [m]; it may be flat."""

    points: Floats


@dataclasses.dataclass(frozen=True, eq=False)
class Mesh:
    """A thin surface: points (P, 3) [m] and triangles (T, 3), counter-clockwise from outside."""

    points: Floats
    triangles: Ints


Shape: TypeAlias = Sphere | Box | Capsule | Cylinder | Plane | Hull | Mesh

__all__ = [
    "Box",
    "Capsule",
    "Cylinder",
    "Hull",
    "ImplicitShape",
    "Mesh",
    "Plane",
    "Shape",
    "Sphere",
    "scaled",
]


def scaled(shape: Shape, stretch: Floats) -> Shape | None:
    """Apply a linear map (3, 3) in the shape's own frame; None where nothing is left of it."""
    raise NotImplementedError
