"""Static sides of joints: the static colliders whose contacts with the joined body are off.

A frame without a body belongs to the collider on its own node. Without one there, it belongs to a
collider that the joined body meets at the start: of the object at and below the nearest collider
above the frame, the one that is nearest to the frame; if the body meets none of these, of the next
collider further up. A body meets what it overlaps, and what it touches at a frame whose origin the
joint holds, such as a flap that is hinged to an edge. What stands on a collider does not meet it.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats, Ints
from ligament.extensions import rigid_bodies as declared
from ligament.extensions.rigid_bodies import Joint, Limit, MotionKind
from ligament.extensions.shapes import Sphere
from ligament.gltf.tree import below, nearest
from ligament.physics.collision.convex import convex
from ligament.physics.collision.surface import Surface
from ligament.physics.collision.tracker import OverlapTracker, overlap
from ligament.physics.filters import collide
from ligament.physics.mass import FIXED
from ligament.physics.materials import DEFAULT
from ligament.physics.placement import ORIGIN, Placement
from ligament.physics.scene import Body, Collider, Pose, Scene
from ligament.physics.shapes import Mesh, Shape, has_extent, scaled

OVERLAP_MIN: Final = 0.01
"""Part of its size by which a body must overlap a static collider: what rests on it does not.
A body and a collider touch at a frame if both are within this distance of it."""

_FEW: Final = 8
"""Pairs below which testing each costs less than a tracker of all."""


class StaticSides:
    """Finds the static side of joints among the `colliders` of a file, by node.

    `owner` (N,) is the node of the body that every node belongs to, -1 for none; `shape` returns
    the shape of a collider in the scale of its node, None if it is unusable.
    """

    def __init__(
        self,
        placement: Placement,
        owner: Ints,
        colliders: Mapping[int, declared.Collider],
        shape: Callable[[int], Shape | None],
    ) -> None:
        self._placement, self._tree, self._owner = placement, placement.tree, owner
        self._colliders, self._shape = colliders, shape
        self._overlapped: dict[int, list[int]] = {}

    def of(self, joint: Joint, node: int, body: int) -> tuple[int, ...]:
        """Return the static colliders that the frame on a node without a body belongs to.

        There is one at most, or the parts of a compound; `body` is the node of the joined body.
        """
        own = self._colliders.get(node)
        if own is None:
            return self.beside(joint, self.above(node), self._placement.translation[node], body)
        if own.geometry is not None:
            return (node,)
        parts = np.flatnonzero(below(self._tree, [node]) & (self._owner < 0)).tolist()
        return tuple(part for part in parts if part in self._colliders)

    def above(self, node: int) -> int:
        """Return the node of the nearest collider at or above a node, -1 for none."""
        return int(self._nearest[node])

    def beside(self, joint: Joint, above: int, point: Floats, body: int) -> tuple[int, ...]:
        """Return the side of a frame at a point (3,) [m] with a collider above it (-1 for none)."""
        ranks = dict[int, int]()
        while above >= 0:
            ranks[above] = len(ranks)
            parent = int(self._tree.parents[above])
            above = int(self._nearest[parent]) if parent >= 0 else -1
        met = set[int]()
        if ranks and body >= 0:
            met.update(self._overlapped_by(body))
            met.update(self._touched_by(body, point) if _holds_point(joint.limits) else ())
        ranked = [(self._rank(node, ranks), node) for node in met]
        keys = [
            (rank, *self._static.distance(node, point), node) for rank, node in ranked if rank >= 0
        ]
        return (min(keys)[-1],) if keys else ()

    def _rank(self, node: int, ranks: Mapping[int, int]) -> int:
        """Return how far up a collider's object is from the frame; -1 where it has none."""
        chain = (node, *self._tree.ancestors(node))
        return next((ranks[above] for above in chain if above in ranks), -1)

    @cached_property
    def _nearest(self) -> Ints:
        return nearest(self._tree, self._colliders)

    @cached_property
    def _static(self) -> _Boxes:
        return _Boxes(self._placement, self._pieces(-1))

    @cached_property
    def _of_bodies(self) -> dict[int, list[int]]:
        nodes: dict[int, list[int]] = {}
        for node in self._colliders:
            nodes.setdefault(int(self._owner[node]), []).append(node)
        return nodes

    def _pieces(self, body: int, size: float = 1.0) -> dict[int, Shape]:
        """Return the usable shapes of a body, or (-1) of all static colliders, by node."""
        shapes = ((node, self._shape(node)) for node in self._of_bodies.get(body, ()))
        usable = {node: shape for node, shape in shapes if shape is not None and has_extent(shape)}
        if size == 1.0:
            return usable
        resized = ((node, scaled(shape, np.eye(3) * size)) for node, shape in usable.items())
        return {node: shape for node, shape in resized if shape is not None}

    def _overlapped_by(self, body: int) -> list[int]:
        """Return the static colliders that a body overlaps at the start."""
        if body not in self._overlapped:
            pieces = self._pieces(body, 1.0 - OVERLAP_MIN)
            near = self._static.near(*_Boxes(self._placement, pieces).corners)
            probes = [self._collider(node, shape, is_sensor=True) for node, shape in pieces.items()]
            self._overlapped[body] = _overlapped(probes, self._at(near))
        return self._overlapped[body]

    def _touched_by(self, body: int, point: Floats) -> list[int]:
        """Return the static colliders that a body touches at a point (3,) [m]."""
        pieces = self._pieces(body)
        reach = OVERLAP_MIN * _Boxes(self._placement, pieces).size
        near = self._static.near(point[None] - reach, point[None] + reach) if pieces else []
        if not near:
            return []
        ball = functools.partial(
            Collider,
            body=0,
            shape=Sphere(reach),
            pose=Pose(point, ORIGIN.rotation),
            material=DEFAULT,
            is_sensor=True,
        )
        own = [
            dataclasses.replace(self._collider(node, shape), filter=None)
            for node, shape in pieces.items()
        ]
        probes = [
            ball(node=node, filter=self._colliders[node].filter)
            for node in _overlapped([ball(node=-1)], own)
        ]
        return _overlapped(probes, self._at(near))

    def _at(self, nodes: Iterable[int]) -> list[Collider]:
        return [self._collider(node, self._static.shapes[node]) for node in nodes]

    def _collider(self, node: int, shape: Shape, *, is_sensor: bool = False) -> Collider:
        return Collider(
            node=node,
            body=0 if is_sensor else 1,
            shape=shape,
            pose=self._placement.of(node),
            material=DEFAULT,
            filter=self._colliders[node].filter,
            is_sensor=is_sensor,
        )


def _holds_point(limits: Iterable[Limit]) -> bool:
    """Tell whether limits lock the origins of both frames to each other."""
    held = set[int]()
    for limit in limits:
        is_lock = limit.maximum <= 0 and (len(limit.linear_axes) > 1 or limit.minimum >= 0)
        if is_lock and math.isinf(limit.stiffness):
            held.update(limit.linear_axes)
    return held == {0, 1, 2}


def _overlapped(probes: Sequence[Collider], solids: Sequence[Collider]) -> list[int]:
    """Return the nodes of the solids that probes overlap."""
    if not (probes and solids):
        return []
    is_convex = not any(isinstance(each.shape, Mesh) for each in (*probes, *solids))
    if is_convex and len(probes) * len(solids) <= _FEW:
        meets = (b.node for b in solids for a in probes if _meet(a, b))
        return sorted(set(meets))
    still = np.zeros(3)
    bodies = tuple(
        Body(
            node=-1,
            kind=kind,
            pose=ORIGIN,
            mass=FIXED,
            linear_velocity=still,
            angular_velocity=still,
        )
        for kind in (MotionKind.DYNAMIC, MotionKind.STATIC)
    )
    colliders = (*probes, *solids)
    tracker = OverlapTracker(Scene(bodies=bodies, colliders=colliders))
    tracker.update(0, np.tile(np.concatenate((ORIGIN.translation, ORIGIN.rotation)), (2, 1)))
    return sorted({colliders[overlap.b].node for overlap in tracker.take()})


def _meet(a: Collider, b: Collider) -> bool:
    return collide(a.filter, b.filter) and overlap(a, b)


class _Boxes:
    """Boxes around `shapes`, by node."""

    def __init__(self, placement: Placement, shapes: Mapping[int, Shape]) -> None:
        self.shapes, self._place = dict(shapes), {node: i for i, node in enumerate(shapes)}
        measures = np.array([_measure(shape) for shape in shapes.values()]).reshape(-1, 2, 3)
        self._center, self._half = measures[:, 0], measures[:, 1]
        nodes = np.fromiter(shapes, np.int64, len(shapes))
        self._rotation = placement.rotation[nodes]
        self._translation = placement.translation[nodes]
        center = self._translation + tf.rotate(self._rotation, self._center)
        reach = np.einsum("nij,nj->ni", np.abs(tf.to_matrix(self._rotation)), self._half)
        self.corners = self._low, self._high = center - reach, center + reach
        self.size = float(np.linalg.norm(self._half, axis=1).max(initial=0.0))

    def near(self, lows: Floats, highs: Floats) -> list[int]:
        """Return the nodes whose boxes touch one of the boxes between corners (n, 3) [m]."""
        nodes, touches = [*self.shapes], np.zeros(len(self.shapes), bool)
        for low, high in zip(lows, highs, strict=True):
            touches |= (self._low <= high).all(axis=1) & (self._high >= low).all(axis=1)
        return [nodes[index] for index in np.flatnonzero(touches).tolist()]

    def distance(self, node: int, point: Floats) -> tuple[float, float]:
        """Return the distance [m] of a point (3,) from the box of a node, and the box's size."""
        i = self._place[node]
        local = tf.rotate(tf.conjugate(self._rotation[i]), point - self._translation[i])
        outside = np.maximum(np.abs(local - self._center[i]) - self._half[i], 0.0)
        return float(np.linalg.norm(outside)), float(np.linalg.norm(self._half[i]))


def _measure(shape: Shape) -> tuple[Floats, Floats]:
    """Return the centre and the half extents [m] of a box around a shape."""
    form = Surface(shape, is_solid=False) if isinstance(shape, Mesh) else convex(shape)
    return np.array(form.center), np.array(form.half) + form.margin
