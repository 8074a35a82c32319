"""Shapes fitted around the meshes of a document."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from ligament.errors import EditError, LigamentError
from ligament.extensions.declarations import Box, GeometrySource
from ligament.gltf.document import Document
from ligament.gltf.mesh import read_mesh

Floats = npt.NDArray[np.float64]

FITTED: Final = ("auto", "box", "sphere", "capsule", "cylinder")
"""The shapes that can be fitted around a mesh."""


class FittedMesh(NamedTuple):
    """A geometry, and where it lies in the space of the mesh."""

    source: GeometrySource
    translation: Floats
    rotation: Floats


def fit_mesh(document: Document, mesh: int, kind: str) -> FittedMesh:
    """Fit a shape around a mesh; "auto" chooses what fits best."""
    try:
        parts = read_mesh(document, mesh)
    except LigamentError as fault:
        raise EditError(
            fault.message, file=fault.file, pointer=fault.pointer, remedy=fault.remedy
        ) from None
    points = np.concatenate([np.empty((0, 3)), *(part.points[part.corners] for part in parts)])
    low, high = points.min(axis=0), points.max(axis=0)
    size = [_short(extent) for extent in high - low]
    return FittedMesh(Box((size[0], size[1], size[2])), (low + high) / 2, np.array([0, 0, 0, 1.0]))


def _short(value: float) -> float:
    """Round to what single precision holds, in which files keep their points."""
    return float(f"{value:.7g}")
