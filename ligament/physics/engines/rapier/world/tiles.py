"""Tiles: colliders that lie flush with others, found once before the first step."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Bools, Floats, Indices, Ints
from ligament.extensions.rigid_bodies import MotionKind
from ligament.extensions.shapes import Cylinder
from ligament.physics.collision.broad_phase import overlapping
from ligament.physics.engines import Vector
from ligament.physics.engines.poses import vector
from ligament.physics.engines.rapier.world.facets import Facets, Layer, Solid, facets
from ligament.physics.engines.rapier.world.hulls import MOST_POINTS
from ligament.physics.filters import Masks
from ligament.physics.scene import Body, Collider, Scene
from ligament.physics.shapes import Hull, Mesh, Shape

FLUSH: Final = 5e-4
"""Largest gap or step [m] between flush shapes."""

_PARTS: Final = (1e-3, 0.1)
"""The same, relative to the middle and to the smallest of a shape's extents."""

_LEAST: Final = 1e-5
"""The smallest such gap [m]: single precision resolves no smaller one."""

_CONTINUOUS_COSINE: Final = 0.8
"""Smallest dot product of the normals of two continuous faces: a bend of up to 37°."""

_FEW: Final = 32
"""Most triangles of a layer for which it is worth finding those that nothing covers."""

IN_PLACE: Final = 1e-5
"""Relative tolerance of coordinates within which a body is still at its start."""

_EQUAL: Final = 1e-6
"""Difference [m, or of matrix elements] up to which two pairs have the same relative pose."""

_PAIRS_EACH: Final = 32
"""Most pairs per collider that are examined: in a floor a collider touches far fewer others."""

_CANDIDATES_EACH: Final = 1024
"""Most candidates for such pairs per collider."""

Surface: TypeAlias = Solid | Layer


class Neighbour(NamedTuple):
    """The surface of a collider that touches a tile, its body, and its bounds [m]."""

    surface: Surface
    body: int
    low: Vector
    high: Vector


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class Tile:
    """A collider that lies flush with others, and everything that touches it.

    Coordinates are those of the world at the start if it `rests`, else those of the body.
    `tolerance` [m] is the distance that counts as touching; nothing covers the faces with the
    normals and offsets `bare`.
    """

    surface: Surface
    body: int
    rests: bool
    tolerance: float
    neighbours: tuple[Neighbour, ...]
    bare: tuple[tuple[Vector, float], ...]


class _Placed(NamedTuple):
    """The surface of a collider in the frame of its group, its bounds [m] and tolerance [m].

    It is exact if the engine's own surface is the same. `shape` identifies its shape, which has the
    position `place` (3,) [m] and the rotation `turn` (3, 3).
    """

    facets: Facets
    body: int
    low: Floats
    high: Floats
    tolerance: float
    is_exact: bool
    shape: int
    place: Floats
    turn: Floats


MakeTile: TypeAlias = Callable[[], Tile | None]


def find_tiles(scene: Scene, masks: Masks) -> dict[int, MakeTile]:
    """Return functions that build the tiles among the colliders of bodies that no force moves.

    Few tiles of a large floor are ever touched, so each is built on first use.
    """
    known: dict[object, Facets | None] = {}
    found: dict[int, MakeTile] = {}
    for (body, _), members in _groups(scene, masks).items():
        placed = {
            i: each
            for i in members
            if (each := _place(scene, scene.colliders[i], known, rests=body is None)) is not None
        }
        found |= _tiles(placed, rests=body is None)
    return found


def find_layers(scene: Scene, tiles: Collection[int]) -> dict[int, MakeTile]:
    """Return the meshes that lie flush with nothing, but consist of triangles that do.

    The engine drops contacts on edges between these, but not all of those of solids with faces.
    """
    found: dict[int, MakeTile] = {}
    for index, collider in enumerate(scene.colliders):
        body = scene.bodies[collider.body]
        is_fixed = not (body.is_free or collider.is_sensor or collider.moves or collider.changes)
        if is_fixed and isinstance(collider.shape, Mesh) and index not in tiles:
            found[index] = partial(_layer, scene, index)
    return found


def _layer(scene: Scene, index: int) -> Tile | None:
    collider = scene.colliders[index]
    rests = is_at_rest(scene.bodies[collider.body])
    own = _place(scene, collider, {}, rests=rests)
    return None if own is None else _tile(_Surfaces({index: own}), index, [], rests=rests)


def _groups(scene: Scene, masks: Masks) -> dict[tuple[int | None, int], list[int]]:
    """Group colliders that move as one and collide with the same others, if there are several.

    All colliders at rest in the world are one group, and so are those of each driven body.
    """
    groups: dict[tuple[int | None, int], list[int]] = {}
    for index, collider in enumerate(scene.colliders):
        body = scene.bodies[collider.body]
        if not (body.is_free or collider.is_sensor or collider.moves or collider.changes):
            frame = None if is_at_rest(body) else collider.body
            groups.setdefault((frame, int(masks.classes[index])), []).append(index)
    return {key: members for key, members in groups.items() if len(members) > 1}


def is_at_rest(body: Body) -> bool:
    """Tell whether a body that no force moves stays where it is."""
    if body.is_driven:
        return False
    moves = np.any(body.linear_velocity) or np.any(body.angular_velocity)
    return body.kind is MotionKind.STATIC or not moves


def _place(
    scene: Scene, collider: Collider, known: dict[object, Facets | None], *, rests: bool
) -> _Placed | None:
    shape: Shape = collider.shape
    key = _key(shape)
    if key not in known:
        known[key] = facets(shape)
    own = known[key]
    place, turn = collider.pose.translation, collider.pose.rotation
    if rests:
        body = scene.bodies[collider.body].pose
        place = body.translation + tf.rotate(body.rotation, place)
        turn = tf.multiply(body.rotation, turn)
    if own is None or not (np.isfinite(place).all() and np.isfinite(turn).all()):
        return None
    matrix = tf.to_matrix(turn)
    moved = own.placed(place, matrix)
    low, high = moved.corners.min(axis=0), moved.corners.max(axis=0)
    extents = np.ptp(own.corners, axis=0)
    tolerance = _tolerance(extents, is_solid=own.is_solid)
    is_exact = not isinstance(shape, Cylinder) and (
        own.is_hollow or not own.is_solid or len(own.corners) <= MOST_POINTS
    )
    return _Placed(moved, collider.body, low, high, tolerance, is_exact, id(own), place, matrix)


def _key(shape: Shape) -> object:
    """Return a key that identifies a shape; meshes are compared by value, since many are copies."""
    match shape:
        case Hull(points):
            return Hull, np.asarray(points).tobytes()
        case Mesh(points, triangles):
            return Mesh, np.asarray(points).tobytes(), np.asarray(triangles).tobytes()
    return shape


def _tolerance(extents: Floats, *, is_solid: bool) -> float:
    least, middle, _ = sorted(map(float, extents))
    thin = _PARTS[1] * least if is_solid else FLUSH
    return max(min(FLUSH, _PARTS[0] * middle, thin), _LEAST)


def _tiles(placed: Mapping[int, _Placed], *, rests: bool) -> dict[int, MakeTile]:
    numbers, members = np.array([*placed], np.int64), [*placed.values()]
    pairs = _touching(members)
    flush = np.zeros(len(members), bool)
    flush[pairs[_flush(members, pairs)]] = True
    flush &= np.array([each.is_exact for each in members], bool)
    # A collider may cover a tile without being flush with it.
    ways = np.concatenate([pairs, pairs[:, ::-1]])
    near: dict[int, list[int]] = {i: [] for i in numbers[flush].tolist()}
    for tile, other in numbers[ways[flush[ways[:, 0]]]].tolist():
        near[tile].append(other)
    asked = _Surfaces(placed)
    return {i: partial(_tile, asked, i, others, rests=rests) for i, others in near.items()}


def _touching(placed: Sequence[_Placed]) -> Ints:
    """Return the pairs (p, 2) whose bounds touch, in order; of a heap, `_PAIRS_EACH` per member."""
    count = len(placed)
    most = _PAIRS_EACH * count
    margin = np.array([each.tolerance for each in placed])[:, None]
    low = np.array([each.low for each in placed]).reshape(-1, 3) - margin
    high = np.array([each.high for each in placed]).reshape(-1, 3) + margin
    if count <= _PAIRS_EACH:  # too few for a heap
        a, b = np.triu_indices(count, 1)
        meet = ((low[a] < high[b]) & (low[b] < high[a])).all(axis=1)
        return np.column_stack([a[meet], b[meet]])
    found = np.empty(0, np.int64)
    for a, b in overlapping(low, high, most=_CANDIDATES_EACH * count):
        found = np.union1d(found, np.minimum(a, b) * count + np.maximum(a, b))[:most]
        if len(found) == most:
            break
    return np.column_stack(np.divmod(found, count))


def _flush(placed: Sequence[_Placed], pairs: Ints) -> Bools:
    """Return which pairs (p, 2) are flush; one answer serves shapes with the same relative pose."""
    shapes = np.unique([each.shape for each in placed], return_inverse=True)[1]
    places = np.array([each.place for each in placed]).reshape(-1, 3)
    turns = np.array([each.turn for each in placed]).reshape(-1, 3, 3)
    a, b = pairs.T
    offset = np.einsum("ni,nij->nj", places[b] - places[a], turns[a])
    turn = np.einsum("nji,njk->nik", turns[a], turns[b]).reshape(-1, 9)
    relations = np.column_stack([offset, turn]) / _EQUAL
    keys = np.column_stack([shapes[a], shapes[b], relations]).round() + 0.0  # no -0.0
    known: dict[bytes, bool] = {}
    rows = keys.view(f"V{keys.itemsize * keys.shape[1]}").ravel().tolist()
    for key, (i, j) in zip(rows, pairs.tolist(), strict=True):
        if key not in known:
            known[key] = _is_flush(placed[i], placed[j])
    return np.array([known[key] for key in rows], bool)


class _Faces(NamedTuple):
    """Faces near another surface: normals (F, 3), offsets (F,) [m], corners (F, P, 3) [m].

    Corners that a face lacks are NaN.
    """

    normals: Floats
    offsets: Floats
    corners: Floats

    def count_in_planes(self, own: Indices, other: _Faces, which: Indices, slack: float) -> Indices:
        """Return how many corners (n,) of own faces lie in the planes of others."""
        heights = np.einsum("ijk,ik->ij", self.corners[own], other.normals[which])
        counts: Indices = (np.abs(heights - other.offsets[which, None]) <= slack).sum(axis=1)
        return counts


def _is_flush(a: _Placed, b: _Placed) -> bool:
    """Tell whether a face of one continues a face of the other.

    They face roughly the same way, and two corners of each lie in the plane of the other.
    """
    slack = max(a.tolerance, b.tolerance)
    of_a, of_b = _faces_near(a, b, slack), _faces_near(b, a, slack)
    product = of_a.normals @ of_b.normals.T
    if not (a.facets.is_solid and b.facets.is_solid):
        product = np.abs(product)
    mine, theirs = np.nonzero(product >= _CONTINUOUS_COSINE)
    (low_a, high_a), (low_b, high_b) = _bounds(of_a.corners), _bounds(of_b.corners)
    meet = (low_a[mine] <= high_b[theirs] + slack) & (low_b[theirs] <= high_a[mine] + slack)
    mine, theirs = mine[meet.all(axis=1)], theirs[meet.all(axis=1)]
    continues = (of_a.count_in_planes(mine, of_b, theirs, slack) >= 2) & (
        of_b.count_in_planes(theirs, of_a, mine, slack) >= 2
    )
    return bool(continues.any())


def _bounds(corners: Floats) -> tuple[Floats, Floats]:
    return np.fmin.reduce(corners, axis=1), np.fmax.reduce(corners, axis=1)


def _faces_near(own: _Placed, other: _Placed, slack: float) -> _Faces:
    """Return the faces of one surface whose bounds touch those of another."""
    surface = own.facets
    if not surface.is_solid:
        which = _near(own, other, slack)
        loops = surface.corners[surface.loops[which]]
        return _Faces(surface.normals[which], surface.offsets[which], loops)
    heights = surface.normals @ surface.corners.T - surface.offsets[:, None]
    is_on = np.abs(heights) <= slack
    order = np.argsort(~is_on, axis=1, kind="stable")[:, : is_on.sum(axis=1).max()]
    corners = surface.corners[order]
    corners[~np.take_along_axis(is_on, order, axis=1)] = np.nan
    return _Faces(surface.normals, surface.offsets, corners)


def _near(own: _Placed, other: _Placed, slack: float) -> Bools:
    """Return which triangles (F,) of a layer have bounds that touch those of another surface."""
    corners = own.facets.corners[own.facets.loops]
    low, high = corners.min(axis=1), corners.max(axis=1)
    near: Bools = ((low <= other.high + slack) & (high >= other.low - slack)).all(axis=1)
    return near


class _Surfaces:
    """Surfaces for point queries, each created once."""

    def __init__(self, placed: Mapping[int, _Placed]) -> None:
        self.placed = placed
        self._solids: dict[int, Solid] = {}

    def near(self, index: int, others: Collection[int]) -> Surface:
        """Return a surface; of a layer, only the part near others if there are any."""
        own = self.placed[index]
        if not own.facets.is_solid and not others:
            return Layer(own.facets, np.arange(len(own.facets.normals)), own.tolerance, depth=0.0)
        if not own.facets.is_solid:
            near = [_near(own, self.placed[i], own.tolerance) for i in others]
            return Layer(own.facets, np.logical_or.reduce(near), own.tolerance)
        if index not in self._solids:
            self._solids[index] = Solid(own.facets, own.tolerance)
        return self._solids[index]


def _tile(asked: _Surfaces, index: int, others: list[int], *, rests: bool) -> Tile:
    own = asked.placed[index]
    neighbours = []
    for i in others:
        each = asked.placed[i]
        slack = 2 * max(each.tolerance, own.tolerance)
        low, high = vector(each.low - slack), vector(each.high + slack)
        neighbours.append(Neighbour(asked.near(i, [index]), each.body, low, high))
    bare = _bare(own, [asked.placed[i] for i in others])
    surface = asked.near(index, others)
    return Tile(surface, own.body, rests, own.tolerance, tuple(neighbours), bare)


def _bare(own: _Placed, others: Iterable[_Placed]) -> tuple[tuple[Vector, float], ...]:
    """Return the normals and offsets of faces with all other surfaces behind them."""
    normals, offsets = own.facets.normals, own.facets.offsets
    if not own.facets.is_solid:
        if len(normals) > _FEW:
            return ()
        normals, offsets = np.concatenate([normals, -normals]), np.concatenate([offsets, -offsets])
    free = np.ones(len(normals), bool)
    for other in others:
        reach = (normals @ other.facets.corners.T).max(axis=1)
        free &= reach - offsets <= own.tolerance
    planes = np.unique(np.column_stack([normals, offsets])[free], axis=0)
    return tuple((vector(plane[:3]), float(plane[3])) for plane in planes)
