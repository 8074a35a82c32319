"""Mass, centre of mass and inertia of rigid bodies."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

DENSITY = 1000.0
"""Density [kg/m³] of bodies that declare no mass."""


@dataclasses.dataclass(frozen=True, eq=False)
class MassProperties:
    """How a body resists forces.

    `mass` [kg] may be `inf`; `center` (3,) [m] is the centre of mass in the frame of the body;
    `inertia` (3,) [kg m²] holds the principal moments about it, each of which may be `inf`, along
    the axes of the body's frame turned by `orientation` (4,) xyzw.
    """

    mass: float
    center: Floats
    inertia: Floats
    orientation: Floats


@dataclasses.dataclass(frozen=True, eq=False)
class Solid:
    """A volume [m³] of density 1: its centre (3,) [m] and its inertia (3, 3) [m⁵] about that."""

    volume: float
    center: Floats
    inertia: Floats
