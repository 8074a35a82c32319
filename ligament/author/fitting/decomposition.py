"""Cutting a concave surface into parts that are nearly convex; the only place that needs coacd."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

import numpy as np

from ligament.arrays import Floats
from ligament.errors import ContentError, MissingExtraError
from ligament.physics.shapes import Mesh

# What coacd accepts as the largest concavity of a part, relative to the extent.
_LEAST, _MOST = 0.01, 1.0

# Half of what coacd does unless told: a few parts more or fewer, in a third of the time.
_EFFORT = {"mcts_iterations": 60, "mcts_nodes": 12, "resolution": 1000, "preprocess_resolution": 30}

_FLAT = 1e-4


def has_coacd() -> bool:
    """Tell whether surfaces can be decomposed here."""
    return importlib.util.find_spec("coacd") is not None


def decompose(surface: Mesh, *, concavity: float) -> list[Floats]:
    """Cut a surface into parts, each given by points (P, 3) whose hull it is.

    `concavity` is how far a part may be from its hull, relative to the extent. The same surface
    is always cut in the same way. One that is not closed counts as a thin shell: that makes many
    parts, and takes a minute or more.
    """
    coacd = _package()
    coacd.set_log_level("error")
    parts = coacd.run_coacd(
        coacd.Mesh(surface.points, surface.triangles.astype(np.int32)),
        threshold=min(max(concavity, _LEAST), _MOST),
        seed=0,
        **_EFFORT,
    )
    places = [np.asarray(points, np.float64) for points, _ in parts]
    extent = float(np.ptp(surface.points, axis=0).max())
    solid = [points for points in places if _is_solid(points, extent)]
    if not solid:
        raise ContentError("the surface has no parts with a volume", remedy="fit a hull or a mesh")
    return solid


def _is_solid(points: Floats, extent: float) -> bool:
    """Tell a part from a chip that cutting left over."""
    if len(points) < 4:
        return False
    sizes = np.linalg.svd(points - points.mean(axis=0), compute_uv=False) / len(points) ** 0.5
    return bool(sizes[2] > _FLAT * extent)


def _package() -> Any:
    try:
        return importlib.import_module("coacd")
    except ImportError as fault:
        raise MissingExtraError(
            f"decomposing a surface needs the package coacd ({fault})",
            remedy="pip install 'ligament[decompose]'",
        ) from fault
