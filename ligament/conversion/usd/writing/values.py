"""USD values: quaternions begin with w, matrices act on row vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from pxr import Gf, UsdGeom, Vt

from ligament import transforms as tf
from ligament.arrays import Floats

EXACT = 1e-12
"""Relative difference up to which a matrix is the product of its parts."""


def vector(values: npt.ArrayLike) -> Any:
    """Return three numbers in double precision."""
    return Gf.Vec3d(*_listed(values))


def short_vector(values: npt.ArrayLike) -> Any:
    """Return three numbers in single precision."""
    return Gf.Vec3f(*_listed(values))


def quaternion(rotation: npt.ArrayLike) -> Any:
    """Return a rotation xyzw in double precision."""
    x, y, z, w = _listed(tf.normalize(np.asarray(rotation, np.float64)))
    return Gf.Quatd(w, x, y, z)


def short_quaternion(rotation: npt.ArrayLike) -> Any:
    """Return a rotation xyzw in single precision."""
    return Gf.Quatf(quaternion(rotation))


def matrix(columns: Floats) -> Any:
    """Return a matrix (4, 4) that acts on columns as one that acts on rows."""
    return Gf.Matrix4d(columns.T.tolist())


def points(values: npt.NDArray[Any]) -> Any:
    """Return vectors (P, 3) in single precision."""
    return Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(values, np.float32))


def extent(values: npt.NDArray[Any]) -> Any:
    """Return the corners of the box around points (P, 3)."""
    if not len(values):
        return points(np.zeros((2, 3)))
    return points(np.stack([values.min(axis=0), values.max(axis=0)]))


def indices(values: npt.NDArray[Any]) -> Any:
    """Return whole numbers, of any shape, as one list."""
    return Vt.IntArray.FromNumpy(np.ascontiguousarray(values.reshape(-1), np.int32))


def place(prim: Any, translation: Floats, rotation: Floats, scale: Floats) -> None:
    """Place a prim in its parent by translation, rotation and scale, as glTF does."""
    xformable = UsdGeom.Xformable(prim)
    double = UsdGeom.XformOp.PrecisionDouble
    xformable.AddTranslateOp(double).Set(vector(translation))
    xformable.AddOrientOp(double).Set(quaternion(rotation))
    xformable.AddScaleOp(double).Set(vector(scale))


def place_by_matrix(prim: Any, columns: Floats) -> None:
    """Place a prim in its parent by a matrix (4, 4), decomposed where that is exact."""
    parts = tf.decompose(columns)
    size = max(1.0, float(np.abs(columns).max()))
    if np.abs(tf.compose(*parts) - columns).max() <= EXACT * size:
        place(prim, *(np.asarray(part) for part in parts))
    else:
        UsdGeom.Xformable(prim).AddTransformOp(UsdGeom.XformOp.PrecisionDouble).Set(matrix(columns))


def _listed(values: npt.ArrayLike) -> list[float]:
    return [float(value) for value in np.asarray(values, np.float64)]
