"""Rules about colliders that penetrate each other at the start.

Every collider is approximated from inside by balls and boxes, so that reported depths are lower
bounds: balls and boxes are exact; a capsule is a ball at each end and one between; a cylinder its
inscribed box; a hull the ball around its middle. Meshes have no inside and planes no depth: both
are left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats, Ints
from ligament.checker.colliders import Group, Shapes
from ligament.checker.overlaps import Blocks
from ligament.checker.subject import Subject
from ligament.checker.world import World
from ligament.findings import Finding, finding
from ligament.physics.collision.broad_phase import overlapping
from ligament.physics.filters import collide
from ligament.physics.shapes import SKEW, Box, Capsule, Cylinder, Hull, Sphere

DEEP = 0.25
"""Depth that counts as deep, relative to the thinner of the two."""

LEAST = 1e-3
"""Depth [m] that never counts as deep."""

LARGEST = 1e12
"""Size [m] above which nothing is measured."""

PAIRS_EACH, DEEP_EACH = 200, 20
"""Most neighbours of a collider, and most deep ones, examined on average."""


class Pieces(NamedTuple):
    """Balls or boxes inside the shapes of a group, with their items (n,) and poses.

    `center` (n, 3) [m] is in the frames of their nodes; `half` (n, 3) [m] are the half extents of
    boxes, 0 for balls; `radius` (n,) [m] is that of balls, 0 for boxes.
    """

    items: Ints
    center: Floats
    half: Floats
    radius: Floats


def penetration_rules(subject: Subject) -> Iterator[Finding]:
    """Yield bodies with a collider deep inside another, each once."""
    world = subject.world
    if world is None or not world.dynamic.any():
        return
    nodes, blocks = _blocks(world)
    said: set[int] = set()
    for a, b, depth in islice(_deep(world, nodes, blocks), DEEP_EACH * len(nodes)):
        unsaid = [node for node in (a, b) if world.dynamic[node] and world.body(node) not in said]
        if unsaid and _may_meet(world, a, b):
            said.add(world.body(unsaid[0]))
            other = b if unsaid[0] == a else a
            message = f"it starts {depth:.3g} m inside {world.tree.label(other)}"
            remedy = "move them apart, join them, or filter the pair"
            pointer = world.physics.colliders[unsaid[0]].pointer
            yield finding("PHYSICS_STARTS_INSIDE", pointer, message, remedy)


def _deep(world: World, nodes: Ints, blocks: Blocks) -> Iterator[tuple[int, int, float]]:
    """Yield pairs of nodes of different bodies, at least one of them dynamic, and their depth."""
    low, high = blocks.bounds()
    owner = np.where(world.owner[nodes] >= 0, world.owner[nodes], nodes)
    dynamic, thickness = world.dynamic[nodes], blocks.thickness
    for first, second in overlapping(low, high, most=PAIRS_EACH * len(nodes)):
        concerned = (owner[first] != owner[second]) & (dynamic[first] | dynamic[second])
        a, b = first[concerned], second[concerned]
        depth = blocks.depth(a, b)
        deep = depth > np.maximum(LEAST, DEEP * np.minimum(thickness[a], thickness[b]))
        yield from zip(
            nodes[a[deep]].tolist(), nodes[b[deep]].tolist(), depth[deep].tolist(), strict=True
        )


def _may_meet(world: World, a: int, b: int) -> bool:
    """Tell whether neither filters nor a joint prevent a collision of two colliders."""
    colliders = world.physics.colliders
    if not collide(colliders[a].filter, colliders[b].filter):
        return False
    return world.body(a) not in world.joined.get(world.body(b), ())


def _blocks(world: World) -> tuple[Ints, Blocks]:
    """Return the balls and boxes of all colliders, and the node of each."""
    shapes = world.shapes
    pieces = [piece for group in shapes.groups for piece in _pieces(_solid(shapes, group))]
    none = Pieces(np.empty(0, np.int64), np.empty((0, 3)), np.empty((0, 3)), np.empty(0))
    items, offset, half, radius = (
        np.concatenate(parts) for parts in zip(none, *pieces, strict=True)
    )
    sizes = np.maximum(radius, half.min(axis=1, initial=np.inf))
    kept = (sizes > 0) & (np.maximum(radius, half.max(axis=1, initial=0)) < LARGEST)
    nodes = shapes.nodes[items[kept]]
    axes = np.asarray(tf.to_matrix(world.placement.rotation[nodes]))
    center = world.placement.translation[nodes] + np.einsum("nij,nj->ni", axes, offset[kept])
    return nodes, Blocks(center, axes, half[kept], radius[kept])


def _solid(shapes: Shapes, group: Group) -> Group:
    """Return the usable colliders of a group."""
    kept = shapes.usable[group.items] & (group.items < shapes.collider_count)
    return Group(group.shape, group.items[kept], group.stretch[kept])


def _pieces(group: Group) -> Iterator[Pieces]:
    """Yield balls and boxes inside stretched shapes; none if nothing is certain."""
    shape, count = group.shape, len(group.items)
    if isinstance(shape, Sphere):
        radii = shape.radius * _least(group.stretch)
        yield Pieces(group.items, np.zeros((count, 3)), np.zeros((count, 3)), radii)
    elif isinstance(shape, Hull):
        middle, radius = _middle_ball(shape)
        centers = group.stretch @ middle
        yield Pieces(group.items, centers, np.zeros((count, 3)), radius * _least(group.stretch))
    elif isinstance(shape, Box | Capsule | Cylinder):
        yield from _upright(shape, _straight(group))


def _upright(shape: Box | Capsule | Cylinder, group: Group) -> Iterator[Pieces]:
    """Yield the pieces of shapes scaled along their own axes."""
    along = np.diagonal(group.stretch, axis1=1, axis2=2)
    scales = np.abs(along)
    nothing, no_radius = np.zeros_like(scales), np.zeros(len(scales))
    match shape:
        case Box(size):
            yield Pieces(group.items, nothing, np.array(size) / 2 * scales, no_radius)
        case Cylinder(height, bottom, top):
            side = _middle_radius(bottom, top) / math.sqrt(2)
            half = np.array([side, height / 4, side]) * scales
            yield Pieces(group.items, nothing, half, no_radius)
        case Capsule(height, bottom, top):
            ends = ((-height / 2, bottom), (0.0, (bottom + top) / 2), (height / 2, top))
            for at, radius in ends:
                center = np.array([0.0, at, 0.0]) * along
                yield Pieces(group.items, center, nothing, radius * scales.min(axis=1))


def _straight(group: Group) -> Group:
    """Return the items of a group that are not sheared."""
    along = np.diagonal(group.stretch, axis1=1, axis2=2)
    skew = np.abs(group.stretch - np.eye(3) * along[:, None]).max(axis=(1, 2))
    kept = skew <= SKEW * np.abs(along).max(axis=1)
    return Group(group.shape, group.items[kept], group.stretch[kept])


def _least(stretch: Floats) -> Floats:
    """Return the smallest factor (n,) by which linear maps (n, 3, 3) scale any direction."""
    along = np.diagonal(stretch, axis1=1, axis2=2)
    least = np.abs(along).min(axis=1, initial=np.inf)
    mixed = (stretch != np.eye(3) * along[:, None]).any(axis=(1, 2))
    least[mixed] = np.linalg.svd(stretch[mixed], compute_uv=False)[:, -1]
    return np.asarray(least)


def _middle_radius(bottom: float, top: float) -> float:
    """Return the smallest radius of the middle half of a cone."""
    return (3 * min(bottom, top) + max(bottom, top)) / 4


def _middle_ball(shape: Hull) -> tuple[Floats, float]:
    """Return the ball around the middle of a hull that touches its nearest face."""
    corners = shape.points[shape.triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(normals, axis=1)
    faces = lengths > 0
    middle = shape.points.mean(axis=0)
    inward = np.einsum("ti,ti->t", normals, corners[:, 0] - middle)[faces] / lengths[faces]
    return middle, float(inward.min()) if faces.any() else 0.0
