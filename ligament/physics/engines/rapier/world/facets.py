"""Surfaces of static shapes as planes and triangles, for queries of points on or behind them.

Contacts are judged one point at a time, for which plain tuples are ten times as fast as arrays.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import rapier3d as rp

from ligament.arrays import Bools, Floats, Indices, Ints
from ligament.extensions.shapes import Box, Cylinder, Plane
from ligament.physics.engines import Vector
from ligament.physics.engines.poses import dot, vector
from ligament.physics.engines.rapier.workarounds.panics import is_panic
from ligament.physics.engines.rapier.world.shapes import DEPTH, REACH
from ligament.physics.shapes import Hull, Mesh, Shape, is_closed, sampled, welded

HIDING_DEPTH: Final = 0.01
"""Depth [m] behind a single layer of triangles up to which the layer hides a contact."""

OFF: Final = 2.0
"""Distance at which points are tested in front of a surface, as a multiple of the tolerance."""

_SAME: Final = 1e-5
"""Difference of normals, and of offsets relative to the size, up to which two faces are one."""

SAME_DIRECTION: Final = 1 - 1e-5
"""Dot product of normals above which they agree (0.26°)."""

_STRICT: Final = 1e-3
"""Fraction of the tolerance by which a point in front of a face may be past its edges."""


_FEW: Final = 64
"""Triangles up to which a closed convex mesh is queried as a solid, which is faster."""

_DENSE: Final = 16
"""Triangles near a point above which a seam between detailed meshes is left to the engine: each
contact would cost more than the step."""

_CELLS: Final = 20_000
"""Most cells of a layer whose triangles are cached."""

_RISING_SLOPE: Final = 0.005
"""Slope above which a surface rises: contacts at 0.3° count as level."""


class Face(NamedTuple):
    """The outward normal of a flat part of a surface, its offset [m] along it, and its index."""

    normal: Vector
    offset: float
    number: int


class Facets(NamedTuple):
    """A surface of flat faces: normals (F, 3), offsets (F,) [m], corners (P, 3) [m].

    `loops` (F, 3) are three corners of each face. `is_solid` distinguishes a convex solid from a
    layer of triangles. The normals of a layer that `is_closed` point outwards. A solid that
    `is_hollow` is a closed convex mesh, which other bodies may be inside of.
    """

    normals: Floats
    offsets: Floats
    corners: Floats
    loops: Ints
    is_solid: bool
    is_closed: bool
    is_hollow: bool = False

    def placed(self, translation: Floats, rotation: Floats) -> Facets:
        """Return the surface moved by a pose, its rotation as a matrix (3, 3)."""
        normals = self.normals @ rotation.T
        corners = self.corners @ rotation.T + translation
        offsets = self.offsets + normals @ translation
        return self._replace(normals=normals, offsets=offsets, corners=corners)


def facets(shape: Shape) -> Facets | None:
    """Return the surface of a shape in its own frame; None if it has no faces or no extent."""
    match shape:
        case Hull(points):
            return _solid(points)
        case Mesh(points, triangles):
            return _surface(np.asarray(points, np.float64), np.asarray(triangles))
        case Plane(None, None, False, side):
            ground = np.array(Box((2 * REACH, 2 * DEPTH, 2 * REACH)).size)
            return _solid(sampled(Box(tuple(ground))) - [0.0, side * DEPTH, 0.0])
        case Plane(size_x, size_z, _, side):
            x, z = (size_x or 2 * REACH) / 2, (size_z or 2 * REACH) / 2
            points = np.array([[-x, 0, -z], [-x, 0, z], [x, 0, z], [x, 0, -z]], np.float64)
            return _layer(points[::side], np.array([[0, 1, 2], [0, 2, 3]]))
        case Box() | Cylinder():
            return _solid(sampled(shape))
    return None


def _surface(points: Floats, triangles: Ints) -> Facets | None:
    if not len(triangles) or triangles.min() < 0 or triangles.max() >= len(points):
        return None
    places, joined = welded(points, triangles)
    if not len(joined) or not is_closed(joined):
        return _layer(points, triangles)
    inward = _enclosed_volume(places, joined) < 0
    layer = _layer(places, joined[:, ::-1] if inward else joined)
    if layer is None:
        return None
    solid = _solid(places) if len(joined) <= _FEW and _is_convex(layer) else None
    return layer._replace(is_closed=True) if solid is None else solid._replace(is_hollow=True)


def _is_convex(layer: Facets) -> bool:
    """Tell whether a surface has all of its corners behind each of its faces."""
    beyond = (layer.normals @ layer.corners.T).max(axis=1) - layer.offsets
    return bool((beyond <= _SAME * np.ptp(layer.corners, axis=0).max()).all())


def _layer(points: Floats, triangles: Ints) -> Facets | None:
    a, b, c = (points[triangles[:, i]] for i in range(3))
    normals = np.cross(b - a, c - a)
    size = np.linalg.norm(normals, axis=1)
    real = size > 0
    normals = normals[real] / size[real, None]
    if not len(normals):
        return None
    offsets = np.einsum("ij,ij->i", normals, a[real])
    return Facets(
        normals,
        offsets,
        points,
        triangles[real].astype(np.int64),
        is_solid=False,
        is_closed=False,
    )


def _solid(points: Floats) -> Facets | None:
    """Return the hull of points, with the triangles of one plane as one face."""
    try:
        hull = rp.SharedShape.convex_hull(np.asarray(points, np.float64)).as_convex_polyhedron()
    except BaseException as error:
        if isinstance(error, rp.RapierError) or is_panic(error):
            return None
        raise
    if hull is None:
        return None
    corners = np.array(hull.points, np.float64).reshape(-1, 3)
    layer = _layer(corners, np.array(hull.indices, np.int64).reshape(-1, 3))
    if layer is None:
        return None
    extent = float(np.ptp(corners, axis=0).max())
    planes = np.column_stack([layer.normals, layer.offsets / extent])
    _, first = np.unique((planes / _SAME).round().astype(np.int64), axis=0, return_index=True)
    normals, offsets = layer.normals[first], layer.offsets[first]
    return Facets(normals, offsets, corners, layer.loops[first], is_solid=True, is_closed=True)


def _is_beyond(corner: Vector, point: Vector, normal: Vector) -> bool:
    x, y, z = corner[0] - point[0], corner[1] - point[1], corner[2] - point[2]
    along = x * normal[0] + y * normal[1] + z * normal[2]
    return along > 0 and along * along > _RISING_SLOPE * _RISING_SLOPE * (x * x + y * y + z * z)


class Solid:
    """A convex solid for point queries; `tolerance` [m] is the distance that counts as touching."""

    has_inside: Final = True
    is_whole: Final = True

    def __init__(self, surface: Facets, tolerance: float) -> None:
        rows = np.column_stack([surface.normals, surface.offsets]).tolist()
        self._planes: list[tuple[float, float, float, float]] = [tuple(row) for row in rows]
        self._corners: list[Vector] = [vector(corner) for corner in surface.corners]
        self._tolerance, self.is_hollow = tolerance, surface.is_hollow

    def faces_at(self, point: Vector, center: Vector) -> Iterator[Face]:
        """Yield the faces that a point of the surface lies on."""
        x, y, z = point
        for i, (a, b, c, d) in enumerate(self._planes):
            if abs(a * x + b * y + c * z - d) <= self._tolerance:
                yield Face((a, b, c), d, i)

    def holds(self, point: Vector) -> bool:
        """Tell whether a point is inside a hollow solid."""
        x, y, z = point
        return self.is_hollow and all(a * x + b * y + c * z < d for a, b, c, d in self._planes)

    def rises(self, point: Vector, normal: Vector) -> bool:
        """Tell whether the solid extends beyond the plane with a normal through a point of it."""
        return any(_is_beyond(corner, point, normal) for corner in self._corners)

    def is_on(self, face: Face, point: Vector) -> bool:
        """Tell whether a point in front of a face projects onto it."""
        x, y, z = point
        slack = _STRICT * self._tolerance
        return all(
            a * x + b * y + c * z - d <= slack
            for i, (a, b, c, d) in enumerate(self._planes)
            if i != face.number
        )

    def exits(self, point: Vector, center: Vector) -> list[Vector] | None:
        """Return the nearest points just outside the faces towards `center`; None if outside."""
        x, y, z = point
        found = []
        for a, b, c, d in self._planes:
            beyond = a * x + b * y + c * z - d
            if beyond > self._tolerance:
                return None
            if a * center[0] + b * center[1] + c * center[2] > d:
                shift = OFF * self._tolerance - beyond
                found.append((x + a * shift, y + b * shift, z + c * shift))
        return found


class _Triangle(NamedTuple):
    """A triangle of a layer: its index, normal, offset [m], and the planes through its edges."""

    number: int
    normal: Vector
    offset: float
    across: tuple[tuple[Vector, float], ...]


class _Cell(NamedTuple):
    """A cube of space of a size [m], and the indices of the triangles that are near it.

    It has smaller `parts`, or else triangles and their planes. If it is dense it has no triangles:
    contacts on edges in it are left to the engine.
    """

    which: Indices
    size: float
    parts: dict[tuple[int, int, int], _Cell] | None
    triangles: tuple[_Triangle, ...]
    planes: tuple[tuple[Vector, float], ...]
    is_dense: bool


class Layer:
    """A layer of triangles for point queries; only those in `which` are near other surfaces.

    Points up to `depth` [m] behind it are found.
    """

    is_hollow: Final = True

    is_whole: Final = False

    def __init__(
        self, surface: Facets, which: Bools | Indices, tolerance: float, depth: float = HIDING_DEPTH
    ) -> None:
        self._normals, self._offsets = surface.normals[which], surface.offsets[which]
        self._corners = corners = surface.corners[surface.loops[which]]
        edges = np.roll(corners, -1, axis=1) - corners
        across = np.cross(edges, self._normals[:, None])
        self._across = across / np.maximum(np.linalg.norm(across, axis=2, keepdims=True), 1e-30)
        self._reach = np.einsum("fij,fij->fi", self._across, corners)
        self._tolerance = tolerance
        self.has_inside = surface.is_closed
        margin = depth + OFF * tolerance
        self._low, self._high = corners.min(axis=1) - margin, corners.max(axis=1) + margin
        spread = np.ptp(corners.reshape(-1, 3), axis=0).max() if len(corners) else 1.0
        usual = float((self._high - self._low).mean()) if len(corners) else 1.0
        self._margin, self._spread = margin, max(float(spread), margin)
        self._size = self._spread * 0.5 ** max(math.ceil(math.log2(self._spread / usual)), 0)
        self._clear()

    def _clear(self) -> None:
        """Forget all cells but the one that is all of space."""
        self._root, self._count = self._cell(np.arange(len(self._low)), self._spread), 1
        self._near: dict[tuple[int, int, int], _Cell] = {}

    def _at(self, point: Vector) -> _Cell:
        """Return the triangles near a point, cached for every cell of space."""
        x, y, z = point
        size = self._size
        key = math.floor(x / size), math.floor(y / size), math.floor(z / size)
        cell = self._near.get(key)
        if cell is None:
            self._near[key] = cell = self._down(self._root, point, size)
        return cell if cell.parts is None else self._down(cell, point, 0.0)

    def _down(self, cell: _Cell, point: Vector, least: float) -> _Cell:
        """Return the part of a cell at a point, the smallest one or the first of that size."""
        x, y, z = point
        while (parts := cell.parts) is not None and cell.size > least:
            size = cell.size / 2
            key = math.floor(x / size), math.floor(y / size), math.floor(z / size)
            found = parts.get(key)
            if found is None:
                found = self._part(cell, key, size)
            cell = found
        return cell

    def _part(self, cell: _Cell, key: tuple[int, int, int], size: float) -> _Cell:
        if self._count >= _CELLS:
            self._clear()
        start = np.array(key) * size
        low, high = self._low[cell.which], self._high[cell.which]
        here = ((low <= start + size) & (high >= start)).all(axis=1)
        found = self._cell(cell.which[here], size)
        self._count += 1
        if cell.parts is not None:
            cell.parts[key] = found
        return found

    def _cell(self, which: Indices, size: float) -> _Cell:
        if len(which) > _DENSE and size > self._margin:
            return _Cell(which, size, {}, (), (), is_dense=False)
        if len(which) > _DENSE:
            return _Cell(which, size, None, (), self._planes(which), is_dense=True)
        triangles = tuple(self._triangle(each) for each in which.tolist())
        planes = {(each.normal, each.offset) for each in triangles}
        return _Cell(which, size, None, triangles, tuple(planes), is_dense=False)

    def _planes(self, which: Indices) -> tuple[tuple[Vector, float], ...]:
        """Return the planes of triangles if they are few, else none."""
        rows = np.column_stack([self._normals[which], self._offsets[which]])
        _, first = np.unique((rows / _SAME).round(), axis=0, return_index=True)
        if len(first) > _DENSE:
            return ()
        return tuple((vector(row[:3]), float(row[3])) for row in rows[first])

    def _triangle(self, number: int) -> _Triangle:
        across = [vector(each) for each in self._across[number]]
        return _Triangle(
            number,
            vector(self._normals[number]),
            float(self._offsets[number]),
            tuple(zip(across, self._reach[number].tolist(), strict=True)),
        )

    def _above(self, point: Vector, slack: float, reach: float) -> Iterator[_Above]:
        """Yield the triangles that a point is over or under, by up to `reach` [m]."""
        for number, normal, offset, across in self._at(point).triangles:
            height = dot(normal, point) - offset
            if abs(height) <= reach and all(dot(out, point) - r <= slack for out, r in across):
                yield number, normal, offset, height

    def faces_at(self, point: Vector, center: Vector) -> Iterator[Face]:
        """Yield the faces that a point of the surface lies on, as seen from `center`."""
        for index, normal, offset, _ in self._above(point, self._tolerance, self._tolerance):
            sign = self._side(normal, offset, center)
            x, y, z = normal
            yield Face((sign * x, sign * y, sign * z), sign * offset, index)

    def continues(self, point: Vector, normal: Vector, center: Vector) -> bool:
        """Tell whether a triangle near a point lies in the plane through it across a normal."""
        a, b, c = normal
        x, y, z = point
        d = a * x + b * y + c * z
        is_seen = a * center[0] + b * center[1] + c * center[2] >= d
        for (p, q, r), offset in self._at(point).planes:
            along = a * p + b * q + c * r
            # Seen from behind, a layer without an outside has the opposite normal.
            if (
                abs(p * x + q * y + r * z - offset) <= self._tolerance
                and (along >= SAME_DIRECTION or (along <= -SAME_DIRECTION and not self.has_inside))
                and (is_seen or self.has_inside)
            ):
                return True
        return False

    def normals_at(self, point: Vector, center: Vector) -> list[Vector] | None:
        """Return the normals of faces at a point, as seen from `center`; None if unknown.

        Where triangles are too many to inspect, those of all planes near the point count.
        """
        cell = self._at(point)
        if not cell.is_dense:
            return [face.normal for face in self.faces_at(point, center)]
        return (
            [
                normal
                if self._side(normal, offset, center) > 0
                else (-normal[0], -normal[1], -normal[2])
                for normal, offset in cell.planes
                if abs(dot(normal, point) - offset) <= self._tolerance
            ]
            if cell.planes
            else None
        )

    def holds(self, point: Vector) -> bool:
        """Return False: points inside of a layer are not found."""
        return False

    def rises(self, point: Vector, normal: Vector) -> bool:
        """Tell whether a triangle at a point extends beyond the plane with a normal through it."""
        return any(
            _is_beyond(vector(corner), point, normal)
            for index, *_ in self._above(point, self._tolerance, self._tolerance)
            for corner in self._corners[index]
        )

    def _side(self, normal: Vector, offset: float, center: Vector) -> float:
        return 1.0 if self.has_inside or dot(normal, center) >= offset else -1.0

    def is_on(self, face: Face, point: Vector) -> bool:
        """Tell whether a point in front of a face is over a triangle parallel to it."""
        off = OFF * self._tolerance
        return any(
            abs(abs(height) - off) <= self._tolerance and abs(dot(normal, face.normal)) >= 1 - _SAME
            for _, normal, _, height in self._above(
                point, _STRICT * self._tolerance, off + self._tolerance
            )
        )

    def exits(self, point: Vector, center: Vector) -> list[Vector] | None:
        """Return the points in front of the triangles that a point is just behind; None if none.

        The front of an open layer is the side of `center`.
        """
        found: list[Vector] = []
        for _, (a, b, c), offset, height in self._above(point, self._tolerance, HIDING_DEPTH):
            sign = self._side((a, b, c), offset, center)
            if sign * height <= self._tolerance:
                shift = sign * (OFF * self._tolerance - sign * height)
                found.append((point[0] + a * shift, point[1] + b * shift, point[2] + c * shift))
        return found or None


_Above: TypeAlias = tuple[int, Vector, float, float]
"""A triangle that a point is over or under: its index, normal, offset, and the height [m]."""


def _enclosed_volume(points: Floats, triangles: Ints) -> float:
    """Return the volume [m³] in a closed surface, negative where it is inside out."""
    a, b, c = (points[triangles[:, i]] for i in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)
