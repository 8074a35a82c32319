"""Triangle meshes as collision shapes: nearby triangles, and points inside closed ones."""

from __future__ import annotations

import math

import numpy as np

from ligament.arrays import Floats, Ints
from ligament.physics.collision.convex import Convex, Vector, polytope
from ligament.physics.shapes import Mesh, is_closed, welded

_BLOCK = 64
"""Triangles tested together where something may be near."""


class Surface:
    """A mesh in its own frame; a ball of radius `outer` [m] around `center` contains it.

    So does a box of half extents `half` [m]. `corner` is one of its points. If it is closed and
    `is_solid`, its interior counts as well.
    """

    inner = -math.inf  # its centre need not lie on it
    margin, is_box = 0.0, False

    def __init__(self, mesh: Mesh, *, is_solid: bool) -> None:
        corners = mesh.points[mesh.triangles]
        low, high = corners.min(axis=(0, 1)), corners.max(axis=(0, 1))
        size = np.maximum(high - low, np.finfo(float).tiny)
        corners = corners[_along_a_curve((corners.mean(axis=1) - low) / size)]
        x, y, z = ((low + high) / 2).tolist()
        self.center: Vector = (x, y, z)
        self.outer = float(np.linalg.norm(high - low)) / 2
        x, y, z = ((high - low) / 2).tolist()
        self.half: Vector = (x, y, z)
        self._corners, self._low, self._high = corners, corners.min(axis=1), corners.max(axis=1)
        starts = np.arange(0, len(corners), _BLOCK)
        self._block_low = np.minimum.reduceat(self._low, starts)
        self._block_high = np.maximum.reduceat(self._high, starts)
        x, y, z = corners[0, 0].tolist()
        self.corner: Vector = (x, y, z)
        self._known: dict[int, Convex] = {}
        self._holds = is_solid and is_closed(welded(mesh.points, mesh.triangles)[1])

    def near(self, low: Floats, high: Floats) -> list[Convex]:
        """Return the triangles whose boxes touch the box between two corners (3,) [m]."""
        blocks = np.flatnonzero(
            (self._block_low <= high).all(axis=1) & (self._block_high >= low).all(axis=1)
        )
        if not len(blocks):
            return []
        some = (blocks[:, None] * _BLOCK + np.arange(_BLOCK)).ravel()
        some = some[some < len(self._corners)]
        some = some[(self._low[some] <= high).all(axis=1) & (self._high[some] >= low).all(axis=1)]
        return [self._triangle(i) for i in some.tolist()]

    def _triangle(self, index: int) -> Convex:
        if index not in self._known:
            self._known[index] = polytope(self._corners[index])
        return self._known[index]

    def holds(self, point: Floats) -> bool:
        """Tell whether a point off the surface lies inside it."""
        if not self._holds or (point < self._block_low.min(axis=0)).any():
            return False
        a, b, c = np.moveaxis(self._corners - point, 1, 0)
        lengths = [np.linalg.norm(each, axis=1) for each in (a, b, c)]
        volume = np.einsum("ij,ij->i", a, np.cross(b, c))
        products = [np.einsum("ij,ij->i", p, q) for p, q in ((a, b), (b, c), (c, a))]
        below = math.prod(lengths) + sum(
            product * length
            for product, length in zip(products, (lengths[2], lengths[0], lengths[1]), strict=True)
        )
        return bool(abs(np.arctan2(volume, below).sum()) > math.pi)


def _along_a_curve(places: Floats) -> Ints:
    """Return an order of points (T, 3) in the unit cube that keeps neighbours near (Morton)."""
    cells = (places * 1023).astype(np.int64)
    keys = np.zeros(len(places), np.int64)
    for bit in range(10):
        for axis in range(3):
            keys |= ((cells[:, axis] >> bit) & 1) << (3 * bit + axis)
    return np.argsort(keys, kind="stable")
