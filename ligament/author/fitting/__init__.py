"""Colliders that fit: balls, boxes, capsules, cylinders, cones, hulls, and how far they are off.

>>> import numpy as np
>>> from ligament.author.fitting import fit
>>> corners = np.array([(x, y, z) for x in (0, 4) for y in (0, 2) for z in (0, 1)], float)
>>> found = fit(corners)
>>> str(found.kind), sorted(round(side, 6) for side in found.shape.size)
('box', [1.0, 2.0, 4.0])
"""

from ligament.author.fitting.decomposition import has_coacd
from ligament.author.fitting.finding import TOLERANCE, fit
from ligament.author.fitting.hulls import MAX_POINTS, Simplified, simplified
from ligament.author.fitting.meshes import append_collider_mesh
from ligament.author.fitting.nodes import Carrier, FittedCollider, NodeFit, fit_node
from ligament.author.fitting.result import Fit, Kind, Misfit

__all__ = [
    "MAX_POINTS",
    "TOLERANCE",
    "Carrier",
    "Fit",
    "FittedCollider",
    "Kind",
    "Misfit",
    "NodeFit",
    "Simplified",
    "append_collider_mesh",
    "fit",
    "fit_node",
    "has_coacd",
    "simplified",
]
