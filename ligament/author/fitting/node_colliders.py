"""Colliders fitted to the meshes of nodes, with carrier nodes that undo scale."""

from __future__ import annotations

import dataclasses
import hashlib
from typing import Any, NamedTuple

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats, Ints
from ligament.author.fitting.best_fit import TOLERANCE, fit
from ligament.author.fitting.convex_hulls import MAX_POINTS
from ligament.author.fitting.fitted_shapes import (
    Fit,
    FittedShape,
    Kind,
    Misfit,
    short,
    shortened,
    straightened,
)
from ligament.errors import ContentError
from ligament.extensions.rigid_bodies import NodeGeometry
from ligament.extensions.shapes import MeshGeometry, Sphere
from ligament.gltf import objects
from ligament.gltf.document import Document
from ligament.gltf.tree import NodeTree
from ligament.physics.geometry import GeometryReader
from ligament.physics.shapes import SKEW, Hull, Mesh, is_singular, scaled


class Carrier(NamedTuple):
    """The transform of a node: translation (3,), rotation (4,) and scale (3,)."""

    translation: Floats
    rotation: Floats
    scale: Floats


class FittedCollider(NamedTuple):
    """A shape to declare, and the carrier nodes that it needs.

    The first of the `carriers` is a child of the fitted node, each other one a child of the
    previous one, and the last carries the collider; without carriers, the fitted node does.
    """

    shape: FittedShape
    carriers: tuple[Carrier, ...] = ()


@dataclasses.dataclass(frozen=True, eq=False)
class NodeFit:
    """Colliders for a node: one, or several where its mesh was decomposed.

    `fit` is in world space without the node's position and rotation: its shapes and errors are in
    metres, whatever the node's scale. `mesh` is the one that was fitted, undeformed; None where
    it was posed, or where there were several.
    """

    fit: Fit
    colliders: tuple[FittedCollider, ...]
    mesh: int | None = None

    @property
    def error(self) -> Misfit:
        """The error of the colliders against the mesh."""
        return self.fit.error


def fit_node(
    document: Document,
    tree: NodeTree,
    node: int,
    kind: str = "auto",
    *,
    mesh: int | None = None,
    below: bool = False,
    tolerance: float = TOLERANCE,
    max_points: int = MAX_POINTS,
) -> NodeFit:
    """Fit a collider to the mesh of a node at rest, or to another mesh as if the node had it.

    `below` includes the meshes below the node. Scale would turn a ball into an ellipsoid, so the
    shape is fitted to the scaled points, and carrier nodes undo the scale. Where a
    non-uniform scale above a rotation causes shear, nodes cannot undo it, and a hull is used.

    Raises ContentError if there is no mesh, or one without triangles or without an extent; a hull
    needs no triangles.
    """
    source = source_of(document, node, mesh, below=below)
    return fit_source(
        document,
        GeometryReader(document, tree),
        node,
        source,
        stretch_of(tree, node),
        tree.signs(tree.scale)[node],
        kind,
        tolerance=tolerance,
        max_points=max_points,
    )


def fit_source(
    document: Document,
    reader: GeometryReader,
    node: int,
    source: MeshGeometry | NodeGeometry,
    stretch: Floats,
    signs: Floats,
    kind: str,
    *,
    tolerance: float,
    max_points: int,
    known: dict[bytes, NodeFit] | None = None,
) -> NodeFit:
    """Fit colliders to a source as a reader reads it, on a node stretched by scale (3, 3).

    `signs` (3,) are those of the node's own scale, which shapes on it ignore.
    `known` holds earlier results by their input: models repeat the same wheel or chair, often as
    meshes of their own.
    """
    if is_singular(stretch):
        raise document.error(
            "has a scale of 0 along an axis",
            f"/nodes/{node}",
            "use scales above 0 on it and its ancestors",
        )
    points, triangles = _read(reader, node, source, kind)
    known = {} if known is None else known
    key = _digest(points, triangles, stretch, signs, kind, tolerance, max_points)
    try:
        if key not in known:
            known[key] = fit_stretched(
                points, triangles, stretch, signs, kind, tolerance=tolerance, max_points=max_points
            )
    except ContentError as fault:
        raise document.error(fault.message, f"/nodes/{node}", fault.remedy or "") from None
    found = known[key]
    if isinstance(source, MeshGeometry) and not is_posed(document, node, source):
        return dataclasses.replace(found, mesh=source.mesh)
    return found


def _digest(*inputs: Any) -> bytes:
    """Return a key that equal inputs of a fit share."""
    key = hashlib.blake2b(digest_size=16)
    for item in inputs:
        is_array = isinstance(item, np.ndarray)
        key.update(repr((item.shape, item.dtype.str) if is_array else item).encode() + b"\0")
        key.update(np.ascontiguousarray(item).data if is_array else b"")
    return key.digest()


def fit_stretched(
    points: Floats,
    triangles: Ints | None,
    stretch: Floats,
    signs: Floats,
    kind: str,
    *,
    tolerance: float,
    max_points: int,
) -> NodeFit:
    """Fit colliders to points (P, 3) of a node that is stretched by a linear map (3, 3)."""
    is_mirrored = tf.determinant(stretch) < 0
    seen = np.asarray(tf.apply_matrix(stretch, points))
    corners = triangles[:, ::-1] if triangles is not None and is_mirrored else triangles
    extent = float(np.ptp(seen, axis=0).max()) if len(seen) else 0.0
    for tried in (kind, "hull"):
        found = fit(seen, corners, tried, tolerance=tolerance, max_points=max_points)
        parts = [straightened(part, extent) for part in found.parts]
        colliders = [_carried(part, stretch, signs) for part in parts]
        if None not in colliders:
            break
    whole = found if found.fits else parts[0]
    return NodeFit(whole, tuple(collider for collider in colliders if collider is not None))


def source_of(
    document: Document, node: int, mesh: int | None, *, below: bool
) -> MeshGeometry | NodeGeometry:
    """Return the geometry to fit: all meshes below a node, a given mesh, or the node's own."""
    if below:
        return NodeGeometry(node, convex=False)
    if mesh is not None:
        return MeshGeometry(mesh, convex=False)
    declared = document.element("nodes", node, objects.Node)
    if declared.mesh is None:
        raise document.error("has no mesh", f"/nodes/{node}", "name a node with a mesh")
    return MeshGeometry(declared.mesh, convex=False, skin=declared.skin, use_node_weights=True)


def is_posed(document: Document, node: int, source: MeshGeometry) -> bool:
    """Tell whether a skin or morph weights deform a mesh on a node."""
    weights = document.array("nodes")[node].get("weights") or ()
    return source.skin is not None or (source.use_node_weights and any(weights))


def _read(
    reader: GeometryReader, node: int, source: MeshGeometry | NodeGeometry, kind: str
) -> tuple[Floats, Ints | None]:
    """Return the points (P, 3) and triangles (T, 3) of a source in the space of a node."""
    try:
        shape = reader.shape(source, node)
    except ContentError:
        if kind != Kind.HULL:
            raise
        shape = reader.shape(dataclasses.replace(source, convex=True), node)
    assert isinstance(shape, Hull | Mesh)
    return shape.points, shape.triangles if isinstance(shape, Mesh) else None


def stretch_of(tree: NodeTree, node: int) -> Floats:
    """Return the stretch (3, 3) of a node by all scales at and above it, in its own frame."""
    matrix, rotation = np.eye(3), np.array([0.0, 0.0, 0.0, 1.0])
    for at in (node, *tree.ancestors(node)):
        axes = np.asarray(tf.to_matrix(tree.rotation[at]))
        matrix = axes @ np.diag(tree.scale[at]) @ matrix
        rotation = np.asarray(tf.multiply(tree.rotation[at], rotation))
    return np.asarray(np.asarray(tf.to_matrix(rotation)).T @ matrix)


def _carried(found: Fit, stretch: Floats, signs: Floats) -> FittedCollider | None:
    """Return a fit to stretched points as a collider of the node; None if that needs shear."""
    shape, back = found.shape, np.asarray(np.linalg.inv(stretch), np.float64)
    if isinstance(shape, Mesh):
        return FittedCollider(_stretched(shape, back))
    if isinstance(shape, Hull):
        return FittedCollider(Hull(np.asarray(tf.apply_matrix(back, shape.points))))
    is_sheared = np.abs(stretch - stretch.T).max() > SKEW * np.abs(stretch).max()
    main = np.eye(3) if is_sheared or _is_diagonal(stretch) else np.linalg.eigh(stretch)[1]
    turn = _proper(main) if isinstance(shape, Sphere) else np.asarray(tf.to_matrix(found.rotation))
    place, seen = back @ found.translation, turn.T @ stretch @ turn
    is_unrotated = isinstance(shape, Sphere) or np.array_equal(turn, np.eye(3))
    is_own = is_unrotated and not found.translation.any()
    smaller = scaled(shape, np.linalg.inv(seen * signs if is_own else seen))
    if isinstance(smaller, type(shape)):
        turn = np.eye(3) if isinstance(shape, Sphere) else turn
        needed = () if is_own else (_carrier(place, turn, np.ones(3)),)
        return FittedCollider(shortened(smaller), needed)
    if _is_diagonal(seen):
        return FittedCollider(shortened(shape), (_carrier(place, turn, 1 / np.diag(seen)),))
    if is_sheared:
        return None
    main = _proper(main)
    undone = _carrier(place, main, 1 / np.diag(main.T @ stretch @ main))
    turned = _carrier(np.zeros(3), main.T @ turn, np.ones(3))
    return FittedCollider(shortened(shape), (undone, turned))


def _stretched(shape: Mesh, stretch: Floats) -> Mesh:
    is_mirrored = tf.determinant(stretch) < 0
    triangles = shape.triangles[:, ::-1] if is_mirrored else shape.triangles
    return Mesh(np.asarray(tf.apply_matrix(stretch, shape.points)), triangles)


def _carrier(translation: Floats, turn: Floats, scale: Floats) -> Carrier:
    place = np.array([short(value) for value in translation.tolist()])
    return Carrier(place, np.asarray(tf.from_matrix(turn)), scale)


def _proper(axes: Floats) -> Floats:
    """Return axes (3, 3), one per column, as a rotation."""
    return np.asarray(axes * [1.0, 1.0, np.sign(tf.determinant(axes))])


def _is_diagonal(matrix: Floats) -> bool:
    rest = matrix - np.diag(np.diagonal(matrix))
    return bool(np.abs(rest).max() <= SKEW * np.abs(matrix).max())
