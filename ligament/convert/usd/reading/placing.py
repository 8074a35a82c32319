"""Where prims lie: their transforms, as matrices and over time."""

from __future__ import annotations

from typing import Any

import numpy as np
from pxr import Usd, UsdGeom

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.convert.usd.reading.attributes import NOW
from ligament.convert.usd.reading.stage import Stage

SHEAR = 1e-6
"""How far a matrix may be from one of translation, rotation and scale, next to its size."""


def local_matrix(stage: Stage, prim: Any, time: Usd.TimeCode = NOW) -> Floats:
    """Return the transform (4, 4) [m] of a prim in its parent's space, all its ops applied."""
    xformable = UsdGeom.Xformable(prim)
    if not xformable:
        return np.eye(4)
    matrix = np.array(xformable.GetLocalTransformation(time), np.float64).T
    if not np.isfinite(matrix).all():
        reason = "it holds numbers that are not finite"
        stage.lose(prim, "the transform", reason, "the prim lies in the origin of its parent")
        return np.eye(4)
    return stage.units.matrix(matrix)


def resets(prim: Any) -> bool:
    """Tell whether the transforms above a prim do not count for it."""
    xformable = UsdGeom.Xformable(prim)
    return bool(xformable and xformable.GetResetXformStack())


def sample_times(prim: Any) -> list[float]:
    """Return the time codes at which the transform of a prim has samples."""
    xformable = UsdGeom.Xformable(prim)
    if not xformable or not xformable.TransformMightBeTimeVarying():
        return []
    return [float(time) for time in xformable.GetTimeSamples()]


def without_shear(matrix: Floats) -> tuple[Floats, float]:
    """Return the nearest product of translation, rotation and scale, and how far off it is."""
    parts = tf.decompose(matrix)
    nearest = np.asarray(tf.compose(*parts))
    size = np.abs(matrix[:3, :3]).max()
    off = float(np.abs(nearest - matrix).max() / size) if size > 0 else 0.0
    return nearest, off if np.isfinite(off) else 1.0
