"""Convex hulls of any number of points in space, in any arrangement.

Points are rounded to a grid of integers of at most 2**19 in size, so that the volume of a
tetrahedron, which decides on which side of a face a point lies, fits in 64 bits: no test is ever
rounded, and no arrangement of the points, however degenerate, leads to a contradiction.

This is Quickhull (Barber, Dobkin, Huhdanpaa 1996) on many points at a time. Each pass takes the
outermost point above every face and inserts those whose visible faces do not touch those of a
better one. Such points do not see each other's new faces: about its outer edge a new face lies
between the face that it replaces and the face beyond that edge, and a point below these two is
below all between.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ligament import transforms as tf
from ligament.arrays import Bools, Floats, Ints

REACH = 1 << 19
"""The largest coordinate."""

TOLERANCE = 2.0
"""Points no farther outside than this do not become corners: rounding to the grid alone lifts
points of a slanting plane by almost as much above each other."""

# Of points that are equally far from a face, as those on the far side of a box are, the one
# farthest from the middle is a corner: a convex function is largest at a corner.
_OUTWARD = 1e-3 / REACH

_PAIRS_AT_ONCE = 1 << 20


def quickhull(points: Ints) -> Ints:
    """Return the triangles (T, 3) of the hull of points (P, 3), counter-clockwise from outside.

    The points must differ and must not all lie in one plane. Every vertex of the result is a
    corner: none lies on an edge or a face between others.
    """
    kept = np.arange(len(points))
    while True:
        triangles = _Surface(points[kept]).grown()
        corners = _corners(points[kept], triangles)
        if corners[triangles].all():
            return kept[triangles]
        kept = kept[corners]


class _Views(NamedTuple):
    """Faces visible from some points: pairs of viewer and face, and each viewer's horizon.

    An edge is given by the visible face that it belongs to, its place there, and the hidden face
    beyond it.
    """

    viewer: Ints
    face: Ints
    edge_viewer: Ints
    edge_face: Ints
    edge_place: Ints
    beyond: Ints


class _Surface:
    """A convex surface that grows until no point is outside.

    Edge i of a face goes from its corner i to the next; `neighbors` (F, 3) are the faces beyond.
    `outside` (M,) are the points that are still outside, `below` (M,) a face that each can see,
    and `height` (M,) their distance from its plane.
    """

    def __init__(self, points: Ints) -> None:
        self.points = points
        self.outwardness = _OUTWARD * np.einsum("ij,ij->i", points, points, dtype=np.float64)
        a, b, c, d = simplex(points)
        self.triangles = np.array([[a, b, c], [a, d, b], [b, d, c], [c, d, a]])
        self.neighbors = np.array([[1, 2, 3], [3, 2, 0], [1, 3, 0], [2, 1, 0]])
        self.normals, self.offsets, self.lengths = self._planes(self.triangles)
        self.is_alive = np.ones(4, np.bool_)
        everything, group = np.arange(len(points)), np.zeros(len(points), np.int64)
        self.outside, self.below, self.height = self._assign(everything, group, np.array([0, 4]), 0)

    def grown(self) -> Ints:
        """Insert points until none is farther outside than the tolerance."""
        while len(candidates := self._outermost()) or len(candidates := self._missed_points()):
            self._insert(candidates)
        return self.triangles[self.is_alive]

    def _outermost(self) -> Ints:
        """Return the outermost point above every face that has some, as indices into `outside`."""
        places = np.flatnonzero(self.height > TOLERANCE)
        face = self.below[places]
        score = self.height[places] + self.outwardness[self.outside[places]]
        best = np.full(len(self.triangles), -np.inf)
        np.maximum.at(best, face, score)
        rows = np.flatnonzero(score == best[face])
        # Neighbours mostly see each other's faces: only the best of them is considered.
        rows = rows[(best[self.neighbors[face[rows]]] <= score[rows, None]).all(axis=1)]
        first = np.unique(face[rows], return_index=True)[1]
        return np.asarray(places[rows[first]])

    def _missed_points(self) -> Ints:
        """Return points near the plane of their own face, but far from others."""
        if not len(self.outside):
            return self.outside
        views = self._views(self.outside, self.below)
        heights = self._volumes(self.outside[views.viewer], views.face) / self.lengths[views.face]
        highest = np.zeros(len(self.outside))
        np.maximum.at(highest, views.viewer, heights)
        return np.flatnonzero(highest > TOLERANCE)

    def _insert(self, candidates: Ints) -> None:
        apex = self.outside[candidates]
        views = self._views(apex, self.below[candidates])
        score = self.height[candidates] + self.outwardness[apex]
        is_inserted = _independent(views, score, len(self.triangles))
        rows = np.flatnonzero(is_inserted[views.edge_viewer])
        rows = rows[np.argsort(views.edge_viewer[rows], kind="stable")]
        new, group = self._cone(apex, views, rows), views.edge_viewer[rows]
        seen = is_inserted[views.viewer]
        hidden_by = np.full(len(self.triangles), -1)
        hidden_by[views.face[seen]] = views.viewer[seen]
        self.is_alive[views.face[seen]] = False
        starts = np.searchsorted(group, np.arange(len(apex) + 1))
        owner = hidden_by[self.below]
        freed = owner >= 0
        moved = self._assign(self.outside[freed], owner[freed], starts, new)
        kept = self.outside[~freed], self.below[~freed], self.height[~freed]
        self.outside, self.below, self.height = (
            np.concatenate(pair) for pair in zip(kept, moved, strict=True)
        )

    def _views(self, viewers: Ints, start: Ints) -> _Views:
        """Walk from a face that each viewer sees to all other faces that it sees."""
        count = len(self.triangles)
        seen = front = np.arange(len(viewers)) * count + start
        while len(front):
            viewer, face = np.divmod(front, count)
            keys = _unique(((viewer * count)[:, None] + self.neighbors[face]).ravel())
            keys = keys[~_contains(seen, keys)]
            viewer, face = np.divmod(keys, count)
            front = keys[self._volumes(viewers[viewer], face) > 0]
            seen = np.sort(np.concatenate([seen, front]), kind="stable")
        viewer, face = np.divmod(seen, count)
        beyond = self.neighbors[face]
        is_edge = ~_contains(seen, ((viewer * count)[:, None] + beyond).ravel()).reshape(-1, 3)
        row, place = np.nonzero(is_edge)
        return _Views(viewer, face, viewer[row], face[row], place, beyond[row, place])

    def _cone(self, apex: Ints, views: _Views, rows: Ints) -> int:
        """Join the horizon edges to the points that see them; return the first new face."""
        face, place, group = views.edge_face[rows], views.edge_place[rows], views.edge_viewer[rows]
        a, b = self.triangles[face, place], self.triangles[face, (place + 1) % 3]
        beyond, start = views.beyond[rows], len(self.triangles)
        new = start + np.arange(len(rows))
        # The edges form one ring around each apex: each begins where another one ends.
        begins, ends = group * len(self.points) + a, group * len(self.points) + b
        order = np.argsort(begins)
        after = order[np.searchsorted(begins, ends, sorter=order)]
        before = np.empty_like(after)
        before[after] = np.arange(len(after))
        triangles = np.stack([a, b, apex[group]], axis=1)
        neighbors = np.stack([beyond, new[after], new[before]], axis=1)
        self.neighbors[beyond, np.argmax(self.triangles[beyond] == b[:, None], axis=1)] = new
        self.triangles = np.concatenate([self.triangles, triangles])
        self.neighbors = np.concatenate([self.neighbors, neighbors])
        self.is_alive = np.concatenate([self.is_alive, np.ones(len(rows), np.bool_)])
        normals, offsets, lengths = self._planes(triangles)
        self.normals = np.concatenate([self.normals, normals])
        self.offsets = np.concatenate([self.offsets, offsets])
        self.lengths = np.concatenate([self.lengths, lengths])
        return start

    def _assign(
        self, points: Ints, group: Ints, starts: Ints, first: int
    ) -> tuple[Ints, Ints, Floats]:
        """Find the face of a group that each point is highest above; drop points above none.

        Group g has the faces from `first + starts[g]` up to `first + starts[g + 1]`.
        """
        parts = []
        sizes = np.diff(starts)[group]
        for chunk in _chunks(sizes, _PAIRS_AT_ONCE):
            size, ends = sizes[chunk], np.cumsum(sizes[chunk])
            begins = ends - size
            row = np.repeat(np.arange(len(size)), size)
            face = first + starts[group[chunk]][row] + np.arange(len(row)) - begins[row]
            height = self._volumes(points[chunk][row], face) / self.lengths[face]
            highest = np.maximum.reduceat(height, begins)
            at = np.flatnonzero((height == highest[row]) & (height > 0))
            at = at[np.diff(row[at], prepend=-1) > 0]
            parts.append((points[chunk][row[at]], face[at], height[at]))
        if not parts:
            return points, group, np.zeros(0)
        outside, below, height = (np.concatenate(part) for part in zip(*parts, strict=True))
        return outside, below, height

    def _planes(self, triangles: Ints) -> tuple[Ints, Ints, Floats]:
        """Return normals (T, 3), their products with points of the planes, and their lengths."""
        a, b, c = (self.points[triangles[:, i]] for i in range(3))
        normals = np.cross(b - a, c - a)
        lengths = np.sqrt((normals.astype(np.float64) ** 2).sum(axis=1))
        return normals, (normals * a).sum(axis=1), lengths

    def _volumes(self, points: Ints, faces: Ints) -> Ints:
        """Return six times the signed volumes between points and faces, exactly."""
        products = np.einsum("ij,ij->i", self.normals[faces], self.points[points])
        return np.asarray(products - self.offsets[faces])


def simplex(points: Ints) -> tuple[int, int, int, int]:
    """Return four points far apart, in the order in which the fourth is below the others."""
    axis = np.argmax(np.ptp(points, axis=0))
    a, b = int(np.argmin(points[:, axis])), int(np.argmax(points[:, axis]))
    across = np.cross(points[b] - points[a], points - points[a])
    c = int(np.argmax((across.astype(np.float64) ** 2).sum(axis=1)))
    volumes = (points - points[a]) @ across[c]
    d = int(np.argmax(np.abs(volumes)))
    return (a, b, c, d) if volumes[d] < 0 else (a, c, b, d)


def _independent(views: _Views, score: Floats, faces: int) -> Bools:
    """Choose viewers, best first, such that none sees or borders on what another one sees."""
    rank = np.empty(len(score), np.int64)
    rank[np.argsort(-score, kind="stable")] = np.arange(len(score))
    best = np.full(faces, len(score))
    np.minimum.at(best, views.face, rank[views.viewer])
    is_chosen = np.ones(len(score), np.bool_)
    is_chosen[views.viewer[best[views.face] < rank[views.viewer]]] = False
    is_chosen[views.edge_viewer[best[views.beyond] < rank[views.edge_viewer]]] = False
    return is_chosen


def _corners(points: Ints, triangles: Ints) -> Bools:
    """Tell which points are corners: those whose faces point in directions of all three axes."""
    a, b, c = (points[triangles[:, i]] for i in range(3))
    normals = np.cross(b - a, c - a).astype(np.float64)
    normals /= np.sqrt((normals**2).sum(axis=1))[:, None]
    spread = np.zeros((len(points), 3, 3))
    np.add.at(spread, triangles, (normals[:, :, None] * normals[:, None, :])[:, None])
    # Faces that differ by the least angle on this grid have a spread of about 1e-12.
    is_corner: Bools = np.linalg.eigvalsh(spread)[:, 0] > 1e-14
    return is_corner


def _unique(values: Ints) -> Ints:
    ordered = np.sort(values)
    return ordered[np.diff(ordered, prepend=-1) > 0]


def _contains(ordered: Ints, values: Ints) -> Bools:
    at = np.minimum(np.searchsorted(ordered, values), len(ordered) - 1)
    return np.asarray(ordered[at] == values)


def _chunks(sizes: Ints, limit: int) -> list[slice]:
    """Split rows into runs of about `limit` elements."""
    cuts = np.searchsorted(np.cumsum(sizes), np.arange(limit, sizes.sum() + 1, limit))
    edges = np.unique([0, *cuts, len(sizes)]).tolist()
    return [slice(i, j) for i, j in pairwise(edges)]


FLATNESS = 1e-6
"""Relative thickness below which points are flat, on a line, or one point."""

_SLANTED_THICKNESS = 0.01


class ConvexHull(NamedTuple):
    """The corners (C,) of a hull, as indices of the points, and its triangles (T, 3) of these.

    Triangles are counter-clockwise from outside and index the points too. `dimension` is 3 for a
    solid; 2 for a flat hull, which has triangles on both sides and its corners in order around
    it; 1 for the two ends of a line; 0 for a single point.
    """

    corners: Ints
    triangles: Ints
    dimension: int


def convex_hull(points: npt.ArrayLike) -> ConvexHull:
    """Find the hull of finite points (P, 3), P > 0.

    All points are inside, up to four millionths of the extent of the hull; points that stick out
    less than that may be left out, so that noise on flat faces does not become corners.
    """
    places = np.asarray(points, np.float64)
    frame = _frame(places)
    if len(frame) < 2:
        ends = _ends(places, frame)
        return ConvexHull(ends, np.empty((0, 3), np.int64), len(frame))
    cells, chosen = _gridded(places @ frame.T)
    if len(frame) == 2:
        return _flat(cells, chosen)
    triangles = chosen[quickhull(cells)]
    return ConvexHull(np.unique(triangles), triangles, 3)


def hull_points(points: npt.ArrayLike) -> Floats:
    """Reduce points (P, 3) to the corners (C, 3) of their hull."""
    places = np.asarray(points, np.float64)
    return places[convex_hull(places).corners]


def _frame(points: Floats) -> Floats:
    """Return as many directions (D, 3) as the points have dimensions, to measure along.

    These are the axes of space, for what is aligned with them to stay so, unless the points are
    flat or hug a slanting plane or line, which the grid along the axes would not resolve.
    """
    axes, thickness = _simplex_axes(points)
    noise = 1e-13 * float(np.abs(points).max())
    length = thickness[0]
    dimension = int(np.count_nonzero(thickness > max(FLATNESS * length, noise)))
    if dimension < 3:
        return axes[:dimension]
    extent = np.ptp(points, axis=0)
    _, relative = _simplex_axes(points / extent)
    return np.eye(3) if relative[2] > _SLANTED_THICKNESS else axes


def _simplex_axes(points: Floats) -> tuple[Floats, Floats]:
    """Return right-handed directions (3, 3) by decreasing extent, and approximate extents (3,)."""
    offsets = points - points[np.argmin(points[:, np.argmax(np.ptp(points, axis=0))])]
    axes, extents = [], []
    for _ in range(3):
        distances = np.sqrt((offsets**2).sum(axis=1))
        farthest = int(np.argmax(distances))
        extents.append(float(distances[farthest]))
        axis = offsets[farthest] / (extents[-1] or 1.0)
        axes.append(axis)
        offsets = offsets - (offsets @ axis)[:, None] * axis
    if tf.determinant(axes) < 0:
        axes[2] = -axes[2]
    return np.array(axes), np.array(extents)


def _ends(points: Floats, frame: Floats) -> Ints:
    if not len(frame):
        return np.zeros(1, np.int64)
    along = points @ frame[0]
    return np.array([np.argmin(along), np.argmax(along)])


def _gridded(coordinates: Floats) -> tuple[Ints, Ints]:
    """Round coordinates (P, D) to the grid; return the occupied cells and a point in each."""
    low, high = coordinates.min(axis=0), coordinates.max(axis=0)
    unit = (coordinates - low) / (high - low) * 2 - 1
    cells = np.rint(unit * REACH).astype(np.int64)
    bits = REACH.bit_length() + 1
    keys = np.zeros(len(cells), np.int64)
    for column in cells.T:
        keys = (keys << bits) + column + REACH
    _, chosen = np.unique(keys, return_index=True)
    return cells[chosen], chosen


def _flat(cells: Ints, chosen: Ints) -> ConvexHull:
    """Find a flat hull: the base of the pyramid with an apex above it."""
    base = np.column_stack([cells, np.full(len(cells), -REACH)])
    pyramid = np.concatenate([base, [[0, 0, REACH]]])
    corners = np.unique(quickhull(pyramid))[:-1]
    angle = np.arctan2(*(cells[corners] - cells[corners].mean(axis=0)).T[::-1])
    ring = chosen[corners[np.argsort(angle)]]
    first, second, third = np.broadcast_to(ring[0], len(ring) - 2), ring[1:-1], ring[2:]
    above, below = np.stack([first, second, third], 1), np.stack([first, third, second], 1)
    return ConvexHull(ring, np.concatenate([above, below]), 2)
