"""Shapes fitted around the meshes of a document, as colliders need them."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from ligament import transforms as tf
from ligament.author.fitting import Fit, Kind, fit
from ligament.errors import EditError, LigamentError
from ligament.extensions.declarations import (
    Box,
    Capsule,
    Cylinder,
    GeometrySource,
    MeshGeometry,
    Sphere,
)
from ligament.gltf.document import Document
from ligament.gltf.mesh import read_mesh
from ligament.physics.scene import Pose

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

FITTED: Final = (Kind.AUTO, Kind.BOX, Kind.SPHERE, Kind.CAPSULE, Kind.CYLINDER)
"""The shapes that can be fitted around a mesh; "auto" may turn out to be its hull."""

CONCAVE: Final = 0.05
"""From this part of its hull on that a surface leaves empty, the hull does not stand for it."""

STRAIGHT: Final = 1e-3
"""How far the axes of a fitted box may be from those of its node [rad] to count as them."""

CENTRED: Final = 1e-5
"""How far a shape may lie off its node, as a part of its size, without a node of its own."""


class FittedMesh(NamedTuple):
    """A geometry, where it lies in the space of the mesh, and whether it hides a concave shape."""

    source: GeometrySource
    pose: Pose
    is_concave: bool


def fit_mesh(document: Document, mesh: int, kind: str) -> FittedMesh:
    """Fit a shape around a mesh; EditError where it has no surface or no extent for it."""
    try:
        points, triangles = _surface(document, mesh)
        found = fit(points, triangles if len(triangles) else None, kind)
    except LigamentError as fault:
        raise EditError(
            fault.message,
            file=document.path,
            pointer=fault.pointer or f"/meshes/{mesh}",
            remedy=fault.remedy,
        ) from None
    is_concave = (found.error.hollow or 0.0) > CONCAVE
    if isinstance(found.shape, Sphere | Box | Capsule | Cylinder):
        extent = float(np.ptp(points, axis=0).max())
        return FittedMesh(*_tidied(found.shape, found, extent), is_concave)
    still = Pose(np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0]))
    return FittedMesh(MeshGeometry(mesh, convex=True), still, is_concave)


def _surface(document: Document, mesh: int) -> tuple[Floats, Ints]:
    """Return the points (P, 3) and triangles (T, 3) of all primitives of a mesh."""
    parts = read_mesh(document, mesh)
    starts = np.cumsum([0, *(len(part.points) for part in parts)])
    corners = [part.triangles + start for part, start in zip(parts, starts, strict=False)]
    points = np.concatenate([np.empty((0, 3)), *(part.points for part in parts)])
    return points, np.concatenate([np.empty((0, 3), np.int64), *corners])


def _tidied(
    shape: Sphere | Box | Capsule | Cylinder, found: Fit, extent: float
) -> tuple[Sphere | Box | Capsule | Cylinder, Pose]:
    """Drop rotations that change nothing, and digits beyond those of the points."""
    place = np.where(np.abs(found.translation) > CENTRED * extent, found.translation, 0.0)
    place = np.array([_short(value) for value in place.tolist()])
    turn = np.asarray(found.rotation)
    match shape:
        case Sphere(radius):
            shape, turn = Sphere(_short(radius)), np.array([0.0, 0.0, 0.0, 1.0])
        case Box(size):
            shape, turn = _straightened(np.array(size), turn)
        case Capsule(height, bottom, top):
            shape, turn = Capsule(_short(height), _short(bottom), _short(top)), _upright(turn)
        case Cylinder(height, bottom, top):
            shape, turn = Cylinder(_short(height), _short(bottom), _short(top)), _upright(turn)
    return shape, Pose(place, turn)


def _straightened(size: Floats, turn: Floats) -> tuple[Box, Floats]:
    """Turn a box back whose axes are, in another order, those of its node."""
    axes = np.abs(np.asarray(tf.to_matrix(turn)))
    order = axes.argmax(axis=1)
    if len(set(order.tolist())) == 3 and axes.max(axis=1).min() > math.cos(STRAIGHT):
        size, turn = size[order], np.array([0.0, 0.0, 0.0, 1.0])
    x, y, z = (_short(extent) for extent in size.tolist())
    return Box((x, y, z)), turn


def _upright(turn: Floats) -> Floats:
    """Return the least rotation that leads Y where a rotation does: what is round needs no more."""
    up = np.array([0.0, 1.0, 0.0])
    along = np.asarray(tf.rotate(turn, up))
    return np.asarray(tf.between(up, along)) if along[1] < math.cos(STRAIGHT) else np.eye(4)[3]


def _short(value: float) -> float:
    """Round to what single precision holds, in which files keep their points."""
    return float(f"{value:.7g}")
