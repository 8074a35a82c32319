"""Non-convex surfaces as convex plates, since MuJoCo only collides convex shapes.

Coplanar triangles that form a convex polygon are one plate. A plate lies behind its face, as thick
as the solid allows there.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

import numpy as np

from ligament.arrays import Floats, Ints
from ligament.physics.hulls import convex_hull
from ligament.physics.mass import SHEET
from ligament.physics.shapes import Mesh, has_area, welded

_FLAT: Final = 1e-5
"""Distance, relative to a surface's size, within which faces are coplanar."""

_THICK: Final = 0.05
"""Thickness of plates with nothing behind them, relative to the size of the surface."""

_INSIDE: Final = 0.45
"""Fraction of the solid behind a face that its plate takes: the other side has a plate too."""

_BLOCK: Final = 1 << 22


_PRISM: Final = np.array(
    [(0, 1, 2), (3, 5, 4), (0, 3, 1), (1, 3, 4), (1, 4, 2), (2, 4, 5), (2, 5, 0), (0, 5, 3)]
)
"""Triangles of the solid between a triangle and the same one behind it."""


@lru_cache(maxsize=64)
def plates(mesh: Mesh, most: int) -> list[tuple[Floats, Ints]] | None:
    """Return plates as points (P, 3) [m] and triangles (T, 3); None if there are too many.

    They are cached: one scene is modelled several times, for its losses, its steps and its run.
    """
    triangles = mesh.triangles[has_area(mesh.points, mesh.triangles)]
    if not len(triangles) or len(triangles) > most:
        return None
    points, triangles = welded(mesh.points, triangles)
    corners = points[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = np.linalg.norm(normals, axis=1)
    normals /= areas[:, None]
    size = float(np.ptp(points, axis=0).max())
    depths = _depths(corners, normals, size)
    made = []
    for faces in _faces(points, triangles, normals, areas, size):
        is_single = len(faces) == 1
        outline = corners[faces[0]] if is_single else points[np.unique(triangles[faces])]
        depth = max(float(depths[faces].min()), SHEET)
        solid = np.concatenate([outline, outline - depth * normals[faces[0]]])
        hull = _PRISM if is_single else convex_hull(solid).triangles
        made.append(welded(solid, hull))
    return made


def _faces(
    points: Floats, triangles: Ints, normals: Floats, areas: Floats, size: float
) -> Iterator[list[int]]:
    """Yield the triangles of each plate: coplanar ones if they are convex, else a single one."""
    offsets = np.einsum("ij,ij->i", normals, points[triangles[:, 0]]) / size
    keys = np.round(np.concatenate([normals, offsets[:, None]], axis=1) / _FLAT / 10)
    _, plane = np.unique(keys, axis=0, return_inverse=True)
    for group in np.split(np.argsort(plane, kind="stable"), np.cumsum(np.bincount(plane))[:-1]):
        for faces in _connected(triangles, group.tolist()):
            if len(faces) == 1 or _is_convex(points[np.unique(triangles[faces])], areas[faces]):
                yield faces
            else:
                yield from ([face] for face in faces)


def _is_convex(outline: Floats, areas: Floats) -> bool:
    """Tell whether faces, of twice these areas (F,) [m²], fill the hull of their corners (P, 3)."""
    hull = convex_hull(outline)
    whole = _area(outline, hull.triangles) / (2 if hull.dimension == 2 else 1)
    return bool(whole <= 0.5 * areas.sum() * (1 + 1e-6))


def _connected(triangles: Ints, group: list[int]) -> Iterator[list[int]]:
    """Yield the connected parts of a group of triangles."""
    at: dict[tuple[int, int], list[int]] = {}
    for face in group:
        for edge in _edges(triangles[face].tolist()):
            at.setdefault(edge, []).append(face)
    left = dict.fromkeys(group)
    while left:
        waiting, found = [next(iter(left))], []
        del left[waiting[0]]
        while waiting:
            face = waiting.pop()
            found.append(face)
            for edge in _edges(triangles[face].tolist()):
                for other in at[edge]:
                    if other in left:
                        del left[other]
                        waiting.append(other)
        yield sorted(found)


def _edges(corners: list[int]) -> list[tuple[int, int]]:
    a, b, c = corners
    return [(min(p, q), max(p, q)) for p, q in ((a, b), (b, c), (c, a))]


def _area(points: Floats, triangles: Ints) -> float:
    a, b, c = (points[triangles[:, i]] for i in range(3))
    return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2)


def _depths(corners: Floats, normals: Floats, size: float) -> Floats:
    """Return the largest thickness (T,) [m] of the plate behind each triangle."""
    middles = corners.mean(axis=1)
    nearest = np.full(len(corners), _THICK * size / _INSIDE)
    rows = max(1, _BLOCK // max(1, len(corners)))
    for start in range(0, len(corners), rows):
        chosen = slice(start, start + rows)
        hits = _hits(middles[chosen], -normals[chosen], corners, 1e-6 * size)
        nearest[chosen] = np.minimum(nearest[chosen], hits)
    return _INSIDE * nearest


def _hits(origins: Floats, directions: Floats, corners: Floats, least: float) -> Floats:
    """Return the distance (n,) [m] from each origin to the first triangle in its direction."""
    a, ab, ac = corners[:, 0], corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    across = np.cross(directions[:, None], ac)
    scale = np.einsum("tj,ntj->nt", ab, across)
    with np.errstate(divide="ignore", invalid="ignore"):
        offset = origins[:, None] - a
        u = np.einsum("ntj,ntj->nt", offset, across) / scale
        around = np.cross(offset, ab)
        v = np.einsum("nj,ntj->nt", directions, around) / scale
        far = np.einsum("tj,ntj->nt", ac, around) / scale
        is_hit = (u >= 0) & (v >= 0) & (u + v <= 1) & (far > least)
    return np.asarray(np.where(is_hit, far, np.inf).min(axis=1))
