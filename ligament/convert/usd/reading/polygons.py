"""Polygons cut into triangles."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ligament.arrays import Floats, Ints

MOST_CORNERS = 2000
"""Polygons with more corners than this are cut from one corner, convex or not."""


def triangulate(points: Floats, counts: Ints, corners: Ints) -> tuple[Ints, Ints]:
    """Cut polygons into triangles (T, 3) of places in `corners`, and tell each one's face (T,).

    `counts` (F,) is how many corners each face has, `corners` their points. Faces keep their order
    and triangles the direction of their face; faces of fewer than three corners have none.
    """
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)
    pieces, owners = [], []
    for count in np.unique(counts):
        faces = np.flatnonzero(counts == count)
        if count < 3:
            continue
        places = starts[faces][:, None] + np.arange(count)
        cut = _cut(points, corners, places)
        pieces.append(cut.reshape(-1, 3))
        owners.append(np.repeat(faces, count - 2))
    if not pieces:
        return np.zeros((0, 3), np.int64), np.zeros(0, np.int64)
    triangles, faces = np.concatenate(pieces), np.concatenate(owners)
    order = np.argsort(faces, kind="stable")
    return triangles[order], faces[order]


def _cut(points: Floats, corners: Ints, places: Ints) -> Ints:
    """Cut faces (F, n) of equally many corners into (F, n - 2, 3)."""
    count = places.shape[1]
    fan = np.stack([np.zeros(count - 2, int), np.arange(1, count - 1), np.arange(2, count)], axis=1)
    if count == 3 or count > MOST_CORNERS:
        return np.asarray(places[:, fan])
    shape = points[corners[places]]
    cut = places[:, fan]
    for face in np.flatnonzero(~_is_convex(shape)):
        cut[face] = places[face][_ears(shape[face])]
    return np.asarray(cut)


def _is_convex(shape: Floats) -> npt.NDArray[np.bool_]:
    """Tell which polygons (F, n, 3) turn the same way at every corner."""
    turns = np.cross(shape - np.roll(shape, 1, axis=1), np.roll(shape, -1, axis=1) - shape)
    normal = turns.sum(axis=1, keepdims=True)
    result: npt.NDArray[np.bool_] = ((turns * normal).sum(axis=-1) >= 0).all(axis=1)
    return result


def _ears(shape: Floats) -> Ints:
    """Cut one polygon (n, 3) into triangles (n - 2, 3), corner after corner."""
    flat = _flattened(shape)
    left = list(range(len(flat)))
    found = []
    while len(left) > 3:
        ear = next((i for i in range(len(left)) if _is_ear(flat, left, i)), 0)
        found.append([left[ear - 1], left[ear], left[(ear + 1) % len(left)]])
        del left[ear]
    return np.array([*found, left])


def _flattened(shape: Floats) -> Floats:
    """Return a polygon (n, 2) seen from the side on which it runs counter-clockwise."""
    following = np.roll(shape, -1, axis=0)
    normal = np.cross(shape, following).sum(axis=0)
    length = np.linalg.norm(normal)
    normal = normal / length if length > 0 else np.array([0.0, 0.0, 1.0])
    across = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
    across /= np.linalg.norm(across)
    return np.asarray(shape @ np.stack([across, np.cross(normal, across)], axis=1))


def _is_ear(flat: Floats, left: list[int], index: int) -> bool:
    """Tell whether the triangle at a corner lies inside, with no other corner in it."""
    corner = [left[index - 1], left[index], left[(index + 1) % len(left)]]
    a, b, c = flat[corner]
    if _area(a, b, c) <= 0:
        return False
    others = flat[[i for i in left if i not in corner]]
    sides = [_area(p, q, others) for p, q in ((a, b), (b, c), (c, a))]
    return not np.logical_and.reduce([side >= 0 for side in sides]).any()


def _area(a: Floats, b: Floats, c: Floats) -> Floats:
    edge, to = b - a, c - a
    return np.asarray(edge[..., 0] * to[..., 1] - edge[..., 1] * to[..., 0])
