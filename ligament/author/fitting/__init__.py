"""Collider fitting: spheres, boxes, capsules, cylinders, cones and hulls, with their errors.

>>> import numpy as np
>>> from ligament.author.fitting import fit
>>> corners = np.array([(x, y, z) for x in (0, 4) for y in (0, 2) for z in (0, 1)], float)
>>> found = fit(corners)
>>> str(found.kind), sorted(round(side, 6) for side in found.shape.size)
('box', [1.0, 2.0, 4.0])
"""

from ligament.author.fitting.best_fit import TOLERANCE, fit
from ligament.author.fitting.convex_hulls import MAX_POINTS, Simplified, has_coacd, simplified
from ligament.author.fitting.fitted_shapes import Fit, Kind, Misfit
from ligament.author.fitting.node_colliders import Carrier, FittedCollider, NodeFit, fit_node

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
    "fit",
    "fit_node",
    "has_coacd",
    "simplified",
]
