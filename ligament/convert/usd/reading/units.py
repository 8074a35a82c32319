"""Units and axes of a stage, in metres, kilograms and Y up."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
from pxr import UsdGeom, UsdPhysics

from ligament.arrays import Floats
from ligament.errors import ContentError


@dataclasses.dataclass(frozen=True, eq=False)
class Units:
    """How long [m] and how heavy [kg] a unit is, and the turn (4, 4) that brings Y up."""

    length: float
    mass: float
    upright: Floats

    @classmethod
    def of(cls, stage: Any) -> Units:
        """Read the units of a stage; USD's defaults are a centimetre and a kilogram."""
        length = float(UsdGeom.GetStageMetersPerUnit(stage))
        mass = float(UsdPhysics.GetStageKilogramsPerUnit(stage))
        for name, value in (("metersPerUnit", length), ("kilogramsPerUnit", mass)):
            if not (math.isfinite(value) and value > 0):
                raise ContentError(
                    f"{name} is {value}", pointer="/", remedy="it must be a number above 0"
                )
        upright = np.eye(4)
        if UsdGeom.GetStageUpAxis(stage) == UsdGeom.Tokens.z:
            upright[:3, :3] = [[1, 0, 0], [0, 0, 1], [0, -1, 0]]
        return cls(length, mass, upright)

    def matrix(self, matrix: Floats) -> Floats:
        """Return a transform (4, 4) with its translation in metres."""
        result = matrix.copy()
        result[:3, 3] *= self.length
        return result

    @property
    def inertia(self) -> float:
        """What a moment of inertia of one unit is [kg m²]."""
        return self.mass * self.length**2

    @property
    def density(self) -> float:
        """What a density of one unit is [kg/m³]."""
        return self.mass / self.length**3

    @property
    def force(self) -> float:
        """What a force of one unit is [N]."""
        return self.mass * self.length
