"""Fitting a collider to the mesh of a node, so that it is right under the scale of the node."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ligament import transforms as tf
from ligament.author.fitting.finding import TOLERANCE, fit
from ligament.author.fitting.hulls import MAX_POINTS
from ligament.author.fitting.result import Fit, FittedShape
from ligament.errors import ContentError
from ligament.extensions.declarations import MeshGeometry, NodeGeometry, Sphere
from ligament.gltf import objects
from ligament.gltf.document import Document
from ligament.gltf.tree import NodeTree
from ligament.physics.geometry import GeometryReader
from ligament.physics.shapes import SKEW, Hull, Mesh, is_singular, scaled

Floats = npt.NDArray[np.float64]

IDENTITY = 5e-7
"""How far [rad, or part of the extent] a place may be from the node's own and count as it."""


class Carrier(NamedTuple):
    """The transform of a node: translation (3,), rotation (4,) and scale (3,)."""

    translation: Floats
    rotation: Floats
    scale: Floats


class FittedCollider(NamedTuple):
    """A shape to declare, and the nodes to make for it.

    The first of the `carriers` is a child of the fitted node, each other one a child of the one
    before, and the last carries the collider; without any, the fitted node does.
    """

    shape: FittedShape
    carriers: tuple[Carrier, ...] = ()


@dataclasses.dataclass(frozen=True, eq=False)
class NodeFit:
    """Colliders for a node: one, or several where its mesh was decomposed.

    `fit` is what they are in the world, but for the position and rotation of the node: shapes and
    errors are in metres there, whatever the node's scale.
    """

    fit: Fit
    colliders: tuple[FittedCollider, ...]


def fit_node(
    document: Document,
    tree: NodeTree,
    node: int,
    kind: str = "auto",
    *,
    below: bool = False,
    tolerance: float = TOLERANCE,
    max_points: int = MAX_POINTS,
) -> NodeFit:
    """Fit a collider to the mesh of a node at rest; `below` includes the meshes below it.

    Scale would turn a ball into an egg, so that the shape is fitted to the scaled points, and
    nodes that undo the scale carry it. Where an uneven scale above a rotation shears, no nodes
    can undo it, and a hull stands for any other shape.

    Raises ContentError where there is no mesh, or one without triangles or without an extent.
    """
    surface = _read(document, tree, node, below=below)
    stretch = _stretch(tree, node)
    if is_singular(stretch):
        raise document.error(
            "is scaled to nothing along an axis",
            f"/nodes/{node}",
            "scale it, and what is above it, by more than 0",
        )
    seen = _stretched(surface, stretch)
    for tried in (kind, "hull"):
        try:
            found = fit(
                seen.points, seen.triangles, tried, tolerance=tolerance, max_points=max_points
            )
        except ContentError as fault:
            raise document.error(fault.message, f"/nodes/{node}", fault.remedy or "") from None
        colliders = [_carried(part, stretch, seen.points) for part in found.parts]
        if None not in colliders:
            break
    return NodeFit(found, tuple(collider for collider in colliders if collider is not None))


def _read(document: Document, tree: NodeTree, node: int, *, below: bool) -> Mesh:
    declared = document.view("nodes", node, objects.Node)
    source: MeshGeometry | NodeGeometry
    if below:
        source = NodeGeometry(node, convex=False)
    elif declared.mesh is None:
        raise document.error("has no mesh", f"/nodes/{node}", "name a node with a mesh")
    else:
        source = MeshGeometry(
            declared.mesh, convex=False, skin=declared.skin, use_node_weights=True
        )
    shape = GeometryReader(document, tree).shape(source, node)
    assert isinstance(shape, Mesh)
    return shape


def _stretch(tree: NodeTree, node: int) -> Floats:
    """Return what scale does (3, 3) to what stands on a node, seen in its own frame."""
    matrix, turn = np.eye(3), np.array([0.0, 0.0, 0.0, 1.0])
    for at in (node, *tree.ancestors(node)):
        axes = np.asarray(tf.to_matrix(tree.rotation[at]))
        matrix = axes @ np.diag(tree.scale[at]) @ matrix
        turn = np.asarray(tf.multiply(tree.rotation[at], turn))
    return np.asarray(np.asarray(tf.to_matrix(turn)).T @ matrix)


def _carried(found: Fit, stretch: Floats, points: Floats) -> FittedCollider | None:
    """Return a fit to stretched points as a collider of the node; None where no nodes can be."""
    shape, back = found.shape, np.asarray(np.linalg.inv(stretch), np.float64)
    if isinstance(shape, Mesh):
        return FittedCollider(_stretched(shape, back))
    if isinstance(shape, Hull):
        return FittedCollider(Hull(np.asarray(tf.apply_matrix(back, shape.points))))
    is_sheared = np.abs(stretch - stretch.T).max() > SKEW * np.abs(stretch).max()
    main = np.eye(3) if is_sheared or _is_diagonal(stretch) else np.linalg.eigh(stretch)[1]
    turn = _proper(main) if isinstance(shape, Sphere) else np.asarray(tf.to_matrix(found.rotation))
    place, seen = back @ found.translation, turn.T @ stretch @ turn
    smaller = scaled(shape, np.linalg.inv(seen))
    if isinstance(smaller, type(shape)):
        is_here = np.abs(found.translation).max() <= IDENTITY * np.ptp(points, axis=0).max()
        is_upright = isinstance(shape, Sphere) or np.allclose(turn, np.eye(3), atol=IDENTITY)
        needed = () if is_here and is_upright else (_carrier(place, turn, np.ones(3)),)
        return FittedCollider(smaller, needed)
    if _is_diagonal(seen):
        return FittedCollider(shape, (_carrier(place, turn, 1 / np.diag(seen)),))
    if is_sheared:
        return None
    main = _proper(main)
    undone = _carrier(place, main, 1 / np.diag(main.T @ stretch @ main))
    return FittedCollider(shape, (undone, _carrier(np.zeros(3), main.T @ turn, np.ones(3))))


def _stretched(shape: Mesh, stretch: Floats) -> Mesh:
    is_mirrored = np.linalg.det(stretch) < 0
    triangles = shape.triangles[:, ::-1] if is_mirrored else shape.triangles
    return Mesh(np.asarray(tf.apply_matrix(stretch, shape.points)), triangles)


def _carrier(translation: Floats, turn: Floats, scale: Floats) -> Carrier:
    return Carrier(translation, np.asarray(tf.from_matrix(turn)), scale)


def _proper(axes: Floats) -> Floats:
    """Return axes (3, 3), one a column, as a rotation."""
    return np.asarray(axes * [1.0, 1.0, np.sign(np.linalg.det(axes))])


def _is_diagonal(matrix: Floats) -> bool:
    rest = matrix - np.diag(np.diagonal(matrix))
    return bool(np.abs(rest).max() <= SKEW * np.abs(matrix).max())
