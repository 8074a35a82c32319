"""Poses prepared for updates: joints, colliders and centers with springs at rest.

Sites without a joint above are known in the world for all frames; the others are known by their
coordinates in that joint's frame, which seldom change and are then computed once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Bools, Floats
from ligament.extensions.spring_bones import Collider
from ligament.gltf.tree import NodeTree
from ligament.rig.springs.devices import constant, take, zeros
from ligament.rig.springs.families import Family, World, make_family
from ligament.rig.springs.kernels import carried, put
from ligament.rig.springs.plan import Plan
from ligament.transforms.components import Array, on_host

EVEN = 1e-6
"""Relative difference of scales along the axes above which it is not rounding."""


Kind: TypeAlias = Literal["joint", "collider", "center"]

POINTS: dict[Kind, int] = {"joint": 3, "collider": 0, "center": 3}
"""Which of the vectors of a site is a point."""


class Pose(NamedTuple):
    """Local transforms (avatars, frames, nodes, …) of all nodes; None: at rest."""

    translation: Array | None
    rotation: Array
    scale: Array | None


class Posed:
    """Poses of some frames, decomposed for the updates.

    `shape` is (avatars, frames); `rest[level]` is (frames, free joints, 4, 3, avatars): the axes of
    their frames at rest, and their heads; `relation[level]` has the coordinates of the others in
    the frames that they hang on, (joints, 4, 3, 1), or (frames, joints, 4, 3, avatars) where they
    change.
    """

    def __init__(
        self, plan: Plan, colliders: Sequence[Collider], tree: NodeTree, pose: Pose
    ) -> None:
        self.plan, self.colliders, self.tree, self.pose = plan, colliders, tree, pose
        self.xp = tf.namespace(pose.rotation)
        self.shape = tuple(pose.rotation.shape[:2])
        sites = [*plan.nodes.tolist(), *(c.node for c in colliders), *plan.centers.tolist()]
        self.family = make_family(tree, sites)
        self._is_bone = np.zeros(len(tree) + 1, bool)
        self._is_bone[plan.nodes] = True
        self._find_fixed()
        self._colliders: dict[int, Array] = {}
        self._lengths: Array | None = None

    # --- what changes ---

    def _find_fixed(self) -> None:
        """Find which nodes move, the nearest of them at or above every node, and what is fixed.

        `_is_fixed` (N + 1,) tells whether a node is still as seen from the joint above it. Where
        scales change, or JAX may be tracing, all that is not known in advance.
        """
        count = len(self.tree)
        self._is_known = not (self._scales_change or hasattr(self.pose.rotation, "at"))
        self._is_fixed, self._carrier = np.zeros(count + 1, bool), np.full(count + 1, -1)
        if not self._is_known:
            return
        moves = np.zeros(count, bool)
        moves[self.family.nodes] = self._changes(self.pose.translation)
        turns = self._changes(self.pose.rotation)
        moves[self.family.nodes] |= turns & ~self._is_bone[self.family.nodes]
        self._is_fixed[-1] = True
        for level in self.tree.levels:
            above = self.tree.parents[level]
            self._is_fixed[level] = ~moves[level] & (self._is_fixed[above] | self._is_bone[above])
            self._carrier[level] = np.where(moves[level], level, self._carrier[above])
        self._moving = np.unique(np.append(self._carrier[self.family.nodes], -1))

    def _changes(self, values: Array | None) -> Bools:
        """Return which nodes of the family have values that differ between frames or avatars."""
        xp, nodes = self.xp, self.family.nodes
        if values is None or not len(nodes):
            return np.zeros(len(nodes), bool)
        rows = xp.reshape(values, (-1, values.shape[-2] * values.shape[-1]))
        differs = on_host(xp.any(rows != rows[:1, ...], axis=0))
        return np.asarray(differs.reshape(values.shape[-2:]).any(axis=1))[nodes]

    @cached_property
    def _scales_change(self) -> bool:
        """Tell whether scales change or are non-uniform, so that nothing is known in advance."""
        scale = self.pose.scale
        if scale is None:
            own = self.tree.scale[self.family.nodes]
        elif hasattr(scale, "at"):
            return True
        else:
            if bool(self._changes(scale).any()):
                return True
            own = on_host(take(self.xp, scale, self.family.nodes, -2)[0, 0, ...])
        return not is_even(own)

    # --- node poses ---

    @cached_property
    def _first(self) -> World:
        """Return all nodes in the first frame of the first avatar."""
        pose = Pose(*(None if part is None else part[:1, :1, ...] for part in self.pose))
        return self._world(self.family, pose)

    def _known(self, node: int, anchor: int) -> bool:
        """Tell whether a site keeps its coordinates in the frame of its joint."""
        return anchor >= 0 and (bool(self._is_fixed[node]) or node == self.plan.nodes[anchor])

    def _world(self, family: Family, pose: Pose) -> World:
        """Compute world transforms with all spring joints at their rest rotations."""
        xp, tree = self.xp, self.tree
        like = pose.rotation
        parts: list[tuple[Array, Array]] = []
        for nodes, above in family.levels:
            rotation = take(xp, like, nodes, -2)
            held = self._is_bone[nodes]
            if held.any():
                fixed = constant(xp, like, tree.rotation[nodes])
                rotation = xp.where(constant(xp, like, held)[:, None], fixed, rotation)
            given = (
                constant(xp, like, rest[nodes]) if part is None else take(xp, part, nodes, -2)
                for part, rest in ((pose.translation, tree.translation), (pose.scale, tree.scale))
            )
            translation, scale = given
            local = tf.compose(translation, rotation, scale)
            if parts:
                matrices, turns = parts[-1]
                local = tf.multiply_matrices(take(xp, matrices, above, -3), local)
                rotation = tf.multiply(take(xp, turns, above, -2), rotation)
            parts.append((local, rotation))
        size = tuple(like.shape[:2])
        matrices = [xp.broadcast_to(m, (*size, *m.shape[-3:])) for m, _ in parts]
        turns = [xp.broadcast_to(q, (*size, *q.shape[-2:])) for _, q in parts]
        identity = xp.broadcast_to(constant(xp, like, np.eye(4)[None]), (*size, 1, 4, 4))
        still = xp.broadcast_to(constant(xp, like, np.array([[0.0, 0, 0, 1]])), (*size, 1, 4))
        return World(
            family, xp.concat([*matrices, identity], axis=-3), xp.concat([*turns, still], axis=-2)
        )

    # --- sites ---

    @cached_property
    def rest(self) -> list[Any]:
        """Return axes and heads of the free joints of every level, None if it has none."""
        return [
            self._free("joint", list(range(level.first, level.first + level.free)))
            for level in self.plan.levels
        ]

    @cached_property
    def relation(self) -> list[Any]:
        """Return coordinates of the other joints of every level, None if it has none."""
        parts = [range(level.first + level.free, level.last) for level in self.plan.levels]
        whole, found, first = self.fixed_relation, [], 0
        for part in parts:
            if whole is None or not len(part):
                found.append(self._site_coordinates("joint", list(part)))
            else:
                found.append(whole[first : first + len(part), ...])
            first += len(part)
        return found

    @cached_property
    def fixed_relation(self) -> Any:
        """Return coordinates of all joints below others, None if some of them change."""
        nodes, anchors = self.plan.nodes, self.plan.anchor
        hung = np.flatnonzero(anchors >= 0).tolist()
        if not hung or not all(self._known(int(nodes[slot]), anchors[slot]) for slot in hung):
            return None
        return self._site_coordinates("joint", hung)

    @cached_property
    def table(self) -> Any:
        """Return colliders (frames, C, 3, 3, avatars); zeros for those carried by a joint."""
        free = np.flatnonzero(self.plan.anchored < 0).tolist()
        count = len(self.colliders)
        if not count:
            return None
        xp = self.xp
        avatars, frames = self.shape
        found = self._free("collider", free)
        if found is not None and len(free) == count:
            return found
        zero = zeros(xp, self.pose.rotation, (frames, 1, 3, 3, avatars))
        rows = np.full(count, -1)
        rows[free] = np.arange(len(free))
        parts = [zero] if found is None else [found, zero]
        return take(xp, xp.concat(parts, axis=1), rows % (len(free) + 1), 1)

    def hung_collider(self, index: int) -> Array:
        """Return the coordinates of a collider in the frame of the joint that carries it."""
        if index not in self._colliders:
            self._colliders[index] = self._site_coordinates("collider", [index])
        return self._colliders[index]

    @cached_property
    def centers(self) -> list[Any]:
        """Return axes and position of every center: in the world, or in its joint's frame."""
        anchors = self.plan.center_anchor
        return [
            self._free("center", [i]) if anchors[i] < 0 else self._site_coordinates("center", [i])
            for i in range(len(anchors))
        ]

    def lengths(self, frame: int) -> Array:
        """Return lengths of all bones (J, avatars or 1) [m], measured in a frame."""
        if self._lengths is not None:
            return self._lengths
        world, at = (self._all, frame) if self._scales_change else (self._first, 0)
        matrices, _ = world.at(self.plan.nodes)
        ends = tf.apply_matrix(matrices[:, at, :, :3, :3], self.plan.tail)
        length = self.xp.matrix_transpose(self.xp.sqrt(self.xp.sum(ends * ends, axis=-1)))
        if not self._scales_change:
            self._lengths = length
        return length

    def _free(self, kind: Kind, items: list[int]) -> Any:
        """Return world vectors of sites (frames, items, rows, 3, avatars).

        Sites fixed below a moving node are computed once and carried by that node.
        """
        if not items:
            return None
        if not self._is_known:
            return _frames_first(self.xp, self._rows(self._all, kind, items))
        carriers = self._carrier[[self._node(kind, item) for item in items]]
        matrices, rotations = self._first.at(carriers)
        axes, place = tf.to_matrix(rotations), matrices[..., :3, 3]
        rows = self._seen(self._rows(self._first, kind, items), axes, place, POINTS[kind])
        frames, places = self._carried
        moving = np.searchsorted(self._moving, carriers)
        if (moving == moving[0]).all():  # a single carrier, without copying it
            moving = moving[:1]
        frames, places = (take(self.xp, part, moving, 1) for part in (frames, places))
        constants, point = _frames_first(self.xp, rows)[0, ...], POINTS[kind]
        found = carried(self.xp, constants, frames)
        head = found[:, :, point, ...] + places
        return put(found, (slice(None), slice(None), point), head)

    @cached_property
    def _carried(self) -> tuple[Array, Array]:
        """Return axes (frames, n, 3, 3, avatars) and positions of the moving nodes, world first."""
        moving = self._moving[1:].tolist()
        matrices, rotations = self._world(make_family(self.tree, moving), self.pose).at(
            [-1, *moving]
        )
        axes = self.xp.matrix_transpose(tf.to_matrix(rotations))
        return _frames_first(self.xp, axes), _frames_first(self.xp, matrices[..., :3, 3])

    def _seen(self, rows: Array, axes: Array, place: Array, point: int) -> Array:
        """Return vectors (…, rows, 3), one of them a point, in frames with the axes as columns."""
        xp = self.xp
        offset = rows[..., point : point + 1, :] - place[..., None, :]
        rows = xp.concat([rows[..., :point, :], offset, rows[..., point + 1 :, :]], axis=-2)
        return xp.sum(rows[..., :, :, None] * axes[..., None, :, :], axis=-2)

    def _site_coordinates(self, kind: Kind, items: list[int]) -> Any:
        """Return the vectors of sites as coordinates in the frames of their joints."""
        if not items:
            return None
        anchors = {
            "joint": self.plan.anchor,
            "collider": self.plan.anchored,
            "center": self.plan.center_anchor,
        }[kind][items]
        nodes = [self._node(kind, item) for item in items]
        known = all(self._known(n, a) for n, a in zip(nodes, anchors, strict=True))
        world = self._first if known else self._all
        frames = self._rows(world, "joint", anchors.tolist())
        axes = self.xp.matrix_transpose(frames[..., :3, :])
        rows = self._rows(world, kind, items)
        arranged = _frames_first(self.xp, self._seen(rows, axes, frames[..., 3, :], POINTS[kind]))
        return arranged[0, ...] if known else arranged

    @cached_property
    def _all(self) -> World:
        """Return all nodes in all frames."""
        return self._world(self.family, self.pose)

    def _node(self, kind: str, item: int) -> int:
        if kind == "joint":
            return int(self.plan.nodes[item])
        return self.colliders[item].node if kind == "collider" else int(self.plan.centers[item])

    def _rows(self, world: World, kind: str, items: Sequence[int]) -> Array:
        """Return the vectors (…, items, rows, 3) of sites in the world.

        A joint has three axes and its head, a center its three columns and its place, a collider
        those of the table.
        """
        xp = self.xp
        matrices, rotations = world.at([self._node(kind, item) for item in items])
        if kind == "joint":
            axes = tf.to_matrix(tf.multiply(rotations, self.plan.align[items]))
            parts = [axes[..., i] for i in range(3)] + [matrices[..., :3, 3]]
        elif kind == "center":
            parts = [matrices[..., :3, i] for i in range(4)]
        else:
            parts = self._collider(matrices, [self.colliders[item] for item in items])
        return xp.stack(parts, axis=-2)

    def _collider(self, matrices: Array, shapes: Sequence[Collider]) -> list[Array]:
        xp = self.xp
        like = matrices
        origin = tf.apply_matrix(matrices, np.array([shape.offset for shape in shapes]))
        end = tf.apply_matrix(matrices, np.array([shape.tail for shape in shapes]))
        segment = end - origin
        square = xp.sum(segment * segment, axis=-1)[..., None]
        over = xp.where(square > 0, segment / xp.where(square > 0, square, 1.0), 0.0)
        is_plane = np.array([shape.kind == "plane" for shape in shapes])
        if is_plane.any():
            normals = np.array([shape.normal for shape in shapes])
            normal = _normals(xp, matrices[..., :3, :3], constant(xp, like, normals))
            segment = xp.where(constant(xp, like, is_plane)[:, None], normal, segment)
        return [origin, segment, over]


def is_even(scale: Floats) -> bool:
    """Tell whether scales (…, 3) are uniform."""
    x, y, z = (scale[..., i] for i in range(3))
    least = np.minimum(np.minimum(x, y), z)
    spread = np.maximum(np.maximum(x, y), z) - least
    return not bool((spread > EVEN * np.maximum(spread + least, -least)).any())


def _normals(xp: Any, linear: Array, normals: Array) -> Array:
    """Return unit normals (…, 3) under the inverse transpose of matrices (…, 3, 3)."""
    columns = [linear[..., :, i] for i in range(3)]
    crossed = [_cross(xp, columns[(i + 1) % 3], columns[(i + 2) % 3]) for i in range(3)]
    along = sum(normals[..., i : i + 1] * crossed[i] for i in range(3))
    sign = xp.where(xp.sum(columns[0] * crossed[0], axis=-1) < 0, -1.0, 1.0)[..., None]
    size = xp.sqrt(xp.sum(along * along, axis=-1))[..., None]
    return sign * along / xp.where(size > 0, size, 1.0)


def _cross(xp: Any, a: Array, b: Array) -> Array:
    x, y, z = (a[..., i] * b[..., j] - a[..., j] * b[..., i] for i, j in ((1, 2), (2, 0), (0, 1)))
    return xp.stack([x, y, z], axis=-1)


def _frames_first(xp: Any, rows: Array) -> Array:
    """Convert (avatars, frames, …) to (frames, …, avatars), contiguous in memory."""
    moved = xp.moveaxis(rows, 0, -1)
    return np.ascontiguousarray(moved) if xp is np else moved
