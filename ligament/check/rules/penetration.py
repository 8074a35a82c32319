"""Colliders that start inside each other.

Every collider is stood in for by balls and boxes inside it, so that what is found is never less
than told: a ball and a box are themselves; a capsule is a ball at each end and one between; a
cylinder the box in it; a hull the ball around its middle. A mesh has no inside, and a plane no
depth: they are left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ligament import transforms as tf
from ligament.check.codes import finding
from ligament.check.depths import Blocks
from ligament.check.pairs import overlapping
from ligament.check.subject import Subject
from ligament.check.world import World, is_shape
from ligament.findings import Finding
from ligament.physics.filters import collide
from ligament.physics.shapes import SKEW, Box, Capsule, Cylinder, Hull, Shape, Sphere

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

DEEP = 0.25
"""How deep is deep, as a part of the thinner of the two."""

LEAST = 1e-3
"""A depth [m] that is never deep."""

LARGEST = 1e12
"""A size [m] beyond which nothing is measured."""

PAIRS_EACH, DEEP_EACH = 200, 20
"""How many neighbours of a collider, and how many deep ones, are looked at on average at most."""


class Piece(NamedTuple):
    """A ball or a box in a shape: its centre [m], half extents or radius [m], in its frame."""

    center: tuple[float, float, float]
    half: tuple[float, float, float] = (0.0, 0.0, 0.0)
    radius: float = 0.0


def penetration_rules(subject: Subject) -> Iterator[Finding]:
    """Yield bodies with a collider deep inside another one, each once."""
    world = subject.world
    if world is None or not world.dynamic.any():
        return
    nodes, blocks = _blocks(world)
    said: set[int] = set()
    for a, b, depth in islice(_deep(world, nodes, blocks), DEEP_EACH * len(nodes)):
        unsaid = [node for node in (a, b) if world.dynamic[node] and _body(world, node) not in said]
        if unsaid and _may_meet(world, a, b):
            said.add(_body(world, unsaid[0]))
            other = b if unsaid[0] == a else a
            message = f"it starts {depth:.3g} m inside {world.tree.label(other)}"
            remedy = "move them apart, join them, or filter the pair"
            pointer = world.physics.colliders[unsaid[0]].pointer
            yield finding("PHYSICS_STARTS_INSIDE", pointer, message, remedy)


def _deep(world: World, nodes: Ints, blocks: Blocks) -> Iterator[tuple[int, int, float]]:
    """Yield pairs of nodes of different bodies, one of them moved by forces, and their depth."""
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


def _body(world: World, node: int) -> int:
    owner = int(world.owner[node])
    return owner if owner >= 0 else node


def _may_meet(world: World, a: int, b: int) -> bool:
    """Tell whether neither filters nor a joint keep two colliders apart."""
    colliders = world.physics.colliders
    if not collide(colliders[a].filter, colliders[b].filter):
        return False
    return not (_holders(world, a) & world.joined.get(_body(world, b), set())) and not (
        _holders(world, b) & world.joined.get(_body(world, a), set())
    )


def _holders(world: World, node: int) -> set[int]:
    """Return what a joint can hold that a collider is part of: its body, or static objects."""
    owner = int(world.owner[node])
    if owner >= 0:
        return {owner}
    return {node, *(n for n in world.tree.ancestors(node) if n in world.physics.colliders)}


def _blocks(world: World) -> tuple[Ints, Blocks]:
    """Return the balls and boxes of all colliders, and the node of each."""
    usable = [node for node in world.physics.colliders if world.is_usable(node)]
    stretches = world.stretches(usable)
    nodes: list[int] = []
    pieces: list[Piece] = []
    known: dict[tuple[int, bytes], list[Piece]] = {}
    for node, stretch in zip(usable, stretches, strict=True):
        shape = world.base_shapes[node]
        assert is_shape(shape)
        key = id(shape), stretch.tobytes()
        if key not in known:
            known[key] = _pieces(shape, stretch)
        for piece in known[key]:
            if max(piece.radius, min(piece.half)) > 0 and max(piece.radius, *piece.half) < LARGEST:
                nodes.append(node)
                pieces.append(piece)
    at = np.array(nodes, np.int64)
    axes = np.asarray(tf.to_matrix(world.placement.rotation[at]))
    offset = np.array([piece.center for piece in pieces], float).reshape(-1, 3)
    center = world.placement.translation[at] + np.einsum("nij,nj->ni", axes, offset)
    half = np.array([piece.half for piece in pieces], float).reshape(-1, 3)
    radius = np.array([piece.radius for piece in pieces], float)
    return at, Blocks(center, axes, half, radius)


def _pieces(shape: Shape, stretch: Floats) -> list[Piece]:
    """Return balls and boxes inside a stretched shape; none where nothing is sure to be."""
    scales = np.abs(np.diagonal(stretch))
    skew = np.abs(stretch - np.diag(np.diagonal(stretch))).max()
    least = float(np.linalg.svd(stretch, compute_uv=False)[-1])
    is_straight = skew <= SKEW * scales.max()
    x, y, z = scales.tolist()
    match shape:
        case Sphere(radius):
            return [Piece((0.0, 0.0, 0.0), radius=radius * least)]
        case Box((width, height, depth)) if is_straight:
            return [Piece((0.0, 0.0, 0.0), half=(width * x / 2, height * y / 2, depth * z / 2))]
        case Capsule(height, bottom, top) if is_straight:
            ends = ((-height / 2, bottom), (0.0, (bottom + top) / 2), (height / 2, top))
            return [Piece((0.0, at * y, 0.0), radius=r * least) for at, r in ends]
        case Cylinder(height, bottom, top) if is_straight:
            side = _middle_radius(bottom, top) / math.sqrt(2)
            return [Piece((0.0, 0.0, 0.0), half=(side * x, height * y / 4, side * z))]
        case Hull():
            return _middle_ball(shape, stretch, least)
    return []


def _middle_radius(bottom: float, top: float) -> float:
    """Return the least radius of the middle half of a cone."""
    return (3 * min(bottom, top) + max(bottom, top)) / 4


def _middle_ball(shape: Hull, stretch: Floats, least: float) -> list[Piece]:
    corners = shape.points[shape.triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(normals, axis=1)
    faces = lengths > 0
    middle = shape.points.mean(axis=0)
    inward = np.einsum("ti,ti->t", normals, corners[:, 0] - middle)[faces] / lengths[faces]
    radius = float(inward.min(initial=0.0 if not faces.any() else math.inf)) * least
    x, y, z = (stretch @ middle).tolist()
    return [Piece((x, y, z), radius=radius)]
