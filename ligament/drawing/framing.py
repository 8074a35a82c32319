"""Framing: the box that a camera shows initially, and its viewing direction.

The picture contains everything that moves, wherever it goes, and its near surroundings. Parts that
fall out of the world, or fly off, are ignored from then on. A skin counts by its vertices.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Final, NamedTuple

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Bools, Floats, Ints
from ligament.drawing.geometry import outline
from ligament.drawing.poses import NodePoses
from ligament.errors import LigamentError
from ligament.extensions.humanoid import vrm
from ligament.gltf import objects
from ligament.gltf.document import Document
from ligament.gltf.skinning import read_posed_mesh, skin_matrices
from ligament.gltf.tree import NodeTree, scene_members
from ligament.physics.scene import Collider, Scene
from ligament.physics.shapes import Hull, Mesh, Plane, Shape
from ligament.recording import Recording

DIRECTION: Final = (0.55, 0.42, 1.0)
"""Default direction to the camera: from the right, above, in front."""

FRAMES: Final = 24
"""Frames of a recording that are sampled, evenly spaced."""

VERTICES: Final = 2000
"""Vertices of a skin that are sampled, evenly spaced."""

MAX_FREE_MOTION: Final = 3.0
"""Largest relevant motion if nothing stands still, relative to the initial extent."""

MAX_GROUNDED_MOTION: Final = 20.0
"""Largest relevant motion if something stands still, relative to the initial extent."""

OUTLIER_SHARE: Final = 0.02
"""Share of the moving parts, farthest from the middle, that the picture may omit."""

SURROUNDINGS: Final = 0.1
"""Largest distance of relevant still parts from moving ones, relative to their extent."""

DEEPEST: Final = 0.3
"""Depth of a floor below which the grid lies, relative to the extent of what is on it."""

BISECTIONS: Final = 24
"""Number of bisections of the camera's position."""

STILL: Final = 1e-4
"""Displacement below which a part counts as still, relative to its extent."""

MARGIN: Final = 1.12
"""Margin around the content, relative to its size in the picture."""

SIDES: Final = np.array(list(product((-1.0, 0.0, 1.0), repeat=3)))[np.arange(27) != 13]
"""Directions in which the outermost points of a mesh are kept."""

FINE_SIDES: Final = np.array(list(product((-2.0, -1.0, 0.0, 1.0, 2.0), repeat=3)))
"""Directions in which the outermost points of a picture are kept."""

CORNERS: Final = np.array(list(product((-1.0, 1.0), repeat=3)))
"""The corners of a box, each way from its middle."""


class Framing(NamedTuple):
    """Subject and camera of a picture.

    `points` (P, 3) [m] are the outermost ones of all that is to be seen, `center` (3,) and
    `half_size` (3,) [m] the box around them; `direction` (3,) is the unit vector from there to the
    camera. `floor` is the height [m] below all of it, where a grid may lie. Y is up.
    """

    center: Floats
    half_size: Floats
    direction: Floats
    points: Floats
    floor: float

    @property
    def size(self) -> float:
        """The diagonal of the box [m]."""
        return 2 * float(np.linalg.norm(self.half_size))

    def eye(self, aspect: float, field_of_view: float) -> Floats:
        """Return the nearest position (3,) [m] from which a camera sees all points.

        `aspect` is the width of the picture by its height, `field_of_view` the vertical one [rad].
        The content is centred in the picture, horizontally and vertically.
        """
        back = self.direction
        right = _unit(np.cross([0.0, 1.0, 0.0], back))
        axes = np.stack([right, np.cross(back, right), back])
        tall = math.tan(field_of_view / 2) / MARGIN
        slopes = np.array([tall * aspect, tall])
        seen = self.points @ axes.T
        # A camera at (x, z) sees everything between its two sides if x + slope z and -x + slope z
        # are greater than those of any point.
        above = (seen[:, :2] + slopes * seen[:, 2:]).max(axis=0)
        below = (slopes * seen[:, 2:] - seen[:, :2]).max(axis=0)
        away = float(((above + below) / (2 * slopes)).max())
        away = max(away, float(seen[:, 2].max()) + 1e-3 * self.size)
        low, high = above - slopes * away, slopes * away - below  # from where all is visible
        depth = (away - seen[:, 2])[:, None]
        for _ in range(BISECTIONS):  # content moves down in the picture as the camera rises
            middle = (low + high) / 2
            across = (seen[:, :2] - middle) / depth
            is_high = across.max(axis=0) + across.min(axis=0) > 0
            low, high = np.where(is_high, middle, low), np.where(is_high, high, middle)
        return np.asarray([*(low + high) / 2, away] @ axes)


class _Part(NamedTuple):
    """Points (F, P, 3) [m] of a drawn part, at every sampled frame."""

    points: Floats
    is_free: bool = False
    """Whether it belongs to a body that forces move, though it may rest."""

    @property
    def low(self) -> Floats:
        """The smallest coordinates (F, 3)."""
        return np.asarray(self.points.min(axis=1))

    @property
    def high(self) -> Floats:
        """The largest coordinates (F, 3)."""
        return np.asarray(self.points.max(axis=1))

    @property
    def moves(self) -> bool:
        """Whether it ever leaves its first pose, or could."""
        if self.is_free:
            return True
        extent = float(np.linalg.norm(self.high[0] - self.low[0]))
        away = np.abs(self.points - self.points[:1]).max()
        return bool(away > STILL * max(extent, 1e-9))


def frame_of(
    document: Document,
    recording: Recording | None = None,
    *,
    scene: Scene | None = None,
    poses: Sequence[NodePoses] = (),
) -> Framing:
    """Return what to show of a recording, of some poses, or of a document at rest.

    `scene` is the physics of the document, by default that of the recording: its colliders count
    as meshes do.
    """
    tree = NodeTree(document)
    world = _posed(poses) if poses else _world(tree, recording)
    scene = scene or (recording.scene if recording else None) or Scene()
    parts = [*_meshes(document, tree, world), *_colliders(scene, world)]
    moving = [part for part in parts if part.moves]
    still = [part for part in parts if not part.moves]
    floor = [_height(scene, c) for c in scene.colliders if _is_floor(c)]
    points = _moving_points(moving, still, floor) if moving else _start_points(parts)
    if not len(points):  # nothing but perhaps a skeleton is drawn
        points = world[:, :, :3, 3].reshape(-1, 3)
    elif moving:
        points = np.concatenate([points, *_surroundings(points, still)])
    if not len(points):
        points = np.zeros((1, 3))
    low, high = points.min(axis=0), points.max(axis=0)
    half = np.maximum((high - low) / 2, 1e-3 * np.linalg.norm(high - low))
    if not half.any():
        half = np.full(3, 0.5)
        points = points[:1] + half * CORNERS
    facing = -1.0 if document.extension(vrm.NAME) is not None else 1.0
    direction = _unit(np.array(DIRECTION) * [facing, 1, facing])
    floor_height = _below(points, still if moving else ())
    return Framing((low + high) / 2, half, direction, _outermost(points, FINE_SIDES), floor_height)


def _unit(vector: Floats) -> Floats:
    return np.asarray(vector / np.linalg.norm(vector))


# --- drawn parts ---


def _world(tree: NodeTree, recording: Recording | None) -> Floats:
    """Return the world matrices (F, N, 4, 4) at the sampled frames."""
    if recording is None or not len(recording.times):
        return np.asarray(tree.world_matrices())[None]
    frames = _sampled_frames(len(recording.times))
    pose = []
    for rest, track in (
        (tree.translation, recording.local_translation),
        (tree.rotation, recording.local_rotation),
        (tree.scale, recording.local_scale),
    ):
        values = np.repeat(rest[None], len(frames), axis=0)
        values[:, recording.local_nodes] = track[frames]
        pose.append(values)
    return np.asarray(tree.world_matrices(*pose))


def _posed(poses: Sequence[NodePoses]) -> Floats:
    chosen = [poses[frame] for frame in _sampled_frames(len(poses)).tolist()]
    parts = (np.stack([pose[i][:-1] for pose in chosen]) for i in range(3))
    return np.asarray(tf.compose(*parts))


def _sampled_frames(count: int) -> Ints:
    """Return the sampled frames out of `count`."""
    # Evenly spaced back from the end, so that the acceleration of a fall is visible.
    step = max(1, math.ceil((count - 1) / (FRAMES - 1)))
    return np.union1d(0, np.arange(count - 1, -1, -step))


def _meshes(document: Document, tree: NodeTree, world: Floats) -> Iterator[_Part]:
    """Yield every mesh of the scene, skipping unreadable ones."""
    outermost: dict[tuple[int, tuple[float, ...] | None], Floats] = {}
    for index in sorted(scene_members(document, tree, None)):
        node = document.element("nodes", index, objects.Node)
        if node.mesh is None:
            continue
        weights = None if node.weights is None else tuple(node.weights)
        try:
            if node.skin is not None:
                yield from _finite(_skinned(document, node, world))
                continue
            if (node.mesh, weights) not in outermost:
                outermost[node.mesh, weights] = _outermost(_points(document, node))
            yield from _finite(_placed(world[:, index], outermost[node.mesh, weights]))
        except LigamentError:
            continue


def _points(document: Document, node: objects.Node, joints: Floats | None = None) -> Floats:
    assert node.mesh is not None
    posed = read_posed_mesh(document, node.mesh, weights=node.weights, joints=joints)
    used = [part.points[part.corners] for part in posed if len(part.corners)]
    return np.concatenate([np.zeros((0, 3)), *used])


def _skinned(document: Document, node: objects.Node, world: Floats) -> Floats:
    """Return sampled vertices (F, P, 3) of a skin, posed by its joints."""
    assert node.skin is not None
    frames = []
    for matrices in world:
        points = _points(document, node, skin_matrices(document, node.skin, matrices))
        frames.append(points[:: max(1, len(points) // VERTICES)])
    return np.stack(frames)


def _outermost(points: Floats, sides: Floats = SIDES) -> Floats:
    """Return the points (P, 3) that reach farthest in some direction."""
    points = points[np.isfinite(points).all(axis=1)]
    return points[np.unique(np.argmax(points @ sides.T, axis=0))] if len(points) else points


def _placed(matrices: Floats, points: Floats) -> Floats:
    """Return points (F, P, 3) under matrices (F, 4, 4)."""
    return np.asarray(points @ np.swapaxes(matrices[:, :3, :3], 1, 2) + matrices[:, None, :3, 3])


def _finite(points: Floats, *, is_free: bool = False) -> Iterator[_Part]:
    if points.shape[1] and np.isfinite(points).all():
        yield _Part(points, is_free)


def _colliders(scene: Scene, world: Floats) -> Iterator[_Part]:
    """Yield every finite collider; it keeps its size if its body's node is scaled."""
    for collider in scene.colliders:
        if not isinstance(collider.shape, Plane):
            is_free = scene.bodies[collider.body].is_free
            yield from _finite(_collider_points(scene, collider, world), is_free=is_free)


def _collider_points(scene: Scene, collider: Collider, world: Floats) -> Floats:
    body = scene.bodies[collider.body]
    points = _outermost(_shape_points(collider.shape))
    points = tf.rotate(collider.pose.rotation, points) + collider.pose.translation
    start = tf.compose(body.pose.translation, body.pose.rotation)
    points = _placed(np.asarray(start)[None], np.asarray(points))[0]
    if body.node < 0:
        return np.repeat(points[None], len(world), axis=0)
    rest = world[0, body.node]
    back = np.linalg.pinv(rest[:3, :3])
    return _placed(world[:, body.node], (points - rest[:3, 3]) @ back.T)


def _shape_points(shape: Shape) -> Floats:
    return shape.points if isinstance(shape, Hull | Mesh) else outline(shape).reshape(-1, 3)


def _is_floor(collider: Collider) -> bool:
    return isinstance(collider.shape, Plane) and not collider.is_sensor


def _height(scene: Scene, collider: Collider) -> float:
    """Return the height [m] of a plane's middle."""
    pose = scene.bodies[collider.body].pose
    return float((tf.rotate(pose.rotation, collider.pose.translation) + pose.translation)[1])


# --- relevance ---


def _moving_points(
    moving: Sequence[_Part], still: Sequence[_Part], floor: Sequence[float]
) -> Floats:
    """Return the points (P, 3) of moving parts while they are in the world."""
    lows, highs = (np.stack([getattr(p, side) for p in moving]) for side in ("low", "high"))
    counts = _in_world(lows, highs, still, floor)
    counts &= _is_near(lows, highs, counts)[:, None]
    seen = (part.points[when].reshape(-1, 3) for part, when in zip(moving, counts, strict=True))
    return np.concatenate([_outermost(points, FINE_SIDES) for points in seen])


def _in_world(lows: Floats, highs: Floats, still: Sequence[_Part], floor: Sequence[float]) -> Bools:
    """Return when (M, F) moving parts with bounds (M, F, 3) count; all do at the start."""
    start_low, start_high = lows[:, 0].min(axis=0), highs[:, 0].max(axis=0)
    bottoms = [*floor, *(float(part.low[0, 1]) for part in still)]
    extent = float(np.linalg.norm(start_high - start_low))
    if still:
        all_low = np.minimum(start_low, np.min([part.low[0] for part in still], axis=0))
        all_high = np.maximum(start_high, np.max([part.high[0] for part in still], axis=0))
        extent = float(np.linalg.norm(all_high - all_low))
    reach = (MAX_GROUNDED_MOTION if bottoms else MAX_FREE_MOTION) * extent
    middles = (lows + highs) / 2
    counts = ((middles > start_low - reach) & (middles < start_high + reach)).all(axis=2)
    if bottoms:
        bottom = min(*bottoms, float(start_low[1]))
        counts &= ~_falls(highs[..., 1], bottom)[:, None] | (highs[..., 1] > bottom)
    counts = np.logical_and.accumulate(counts, axis=1)  # parts that have left do not return
    counts[:, 0] = True
    return counts


def _falls(heights: Floats, bottom: float) -> Bools:
    """Return which parts (M,) with heights (M, F) end below a bottom and fall ever faster.

    A hanging part swings, and slows down at some time.
    """
    steps = -np.diff(heights, axis=1, prepend=heights[:, :1])
    return np.asarray((heights[:, -1] < bottom) & (steps[:, -1] >= 0.9 * steps.max(axis=1)))


def _is_near(lows: Floats, highs: Floats, counts: Bools) -> Bools:
    """Return which parts (M,) count if the few farthest ones do not."""
    middles = (lows + highs) / 2
    middle = np.median(middles[counts], axis=0)
    away = np.where(counts, np.linalg.norm(middles - middle, axis=2), 0.0).max(axis=1)
    return np.asarray(away <= np.quantile(away, 1 - OUTLIER_SHARE, method="higher"))


def _start_points(parts: Sequence[_Part]) -> Floats:
    return np.concatenate([np.zeros((0, 3)), *(part.points[0] for part in parts)])


def _below(points: Floats, still: Sequence[_Part]) -> float:
    """Return a height [m] below some points, and below their support unless that is deep."""
    bottom = float(points[:, 1].min())
    low, high = points.min(axis=0), points.max(axis=0)
    deepest = bottom - DEEPEST * float(np.linalg.norm(high - low))
    for part in still:
        is_below = (part.low[0] <= high).all() and (part.high[0] >= low - 1e-6).all()
        if is_below and part.low[0, 1] > deepest:
            bottom = min(bottom, float(part.low[0, 1]))
    return bottom


def _surroundings(points: Floats, still: Sequence[_Part]) -> Iterator[Floats]:
    """Yield the points (K, 3) of still parts that are near some points."""
    near = SURROUNDINGS * float(np.linalg.norm(np.ptp(points, axis=0)))
    for part in still:
        nearest = np.clip(points, part.low[0], part.high[0])
        yield nearest[np.linalg.norm(nearest - points, axis=1) <= near]
