"""Shapes from meshes: morphed, skinned and posed, in the collider's space."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.extensions.rigid_bodies import GeometrySource, NodeGeometry
from ligament.extensions.shapes import MeshGeometry
from ligament.gltf import objects
from ligament.gltf.animation import Pose
from ligament.gltf.document import Document
from ligament.gltf.mesh import Geometry, count_vertices
from ligament.gltf.skinning import read_posed_mesh, skin_matrices
from ligament.gltf.tree import NodeTree, below
from ligament.physics.hulls import convex_hull
from ligament.physics.mass import LARGEST
from ligament.physics.shapes import Hull, Mesh, Shape, has_area, welded


class GeometryReader:
    """Converts declared geometry to shapes, each once however many colliders use it.

    `pose` holds the local transforms (N, …) of all nodes, `weights` those of morph targets by node;
    omitted values default to the file's rest pose.
    """

    def __init__(
        self,
        document: Document,
        tree: NodeTree,
        *,
        pose: Pose | None = None,
        weights: Mapping[int, Floats] | None = None,
    ) -> None:
        self.document, self._tree = document, tree
        self._pose = Pose(tree.translation, tree.rotation, tree.scale) if pose is None else pose
        self._weights = {} if weights is None else weights
        self._shapes: dict[tuple[MeshGeometry | NodeGeometry, int | None], Shape] = {}
        self._points = 0

    def shape(self, source: GeometrySource, node: int) -> Shape:
        """Return the unscaled shape of a collider on a node, in the space of that node.

        Raise ContentError if a mesh has no surface or no hull, or cannot be read.
        """
        if not isinstance(source, MeshGeometry | NodeGeometry):
            return source
        key = (source, node if _depends_on_node(source) else None)
        if key not in self._shapes:
            self._shapes[key] = self._read(source, node)
        return self._shapes[key]

    def _read(self, source: MeshGeometry | NodeGeometry, node: int) -> Hull | Mesh:
        if isinstance(source, MeshGeometry):
            parts, pointer = self._of_mesh(source, node), f"/meshes/{source.mesh}"
        else:
            parts, pointer = self._below(source.node), f"/nodes/{source.node}"
        if not all((np.abs(part.points) <= LARGEST).all() for part in parts):
            message = f"has points that are not finite in its pose, or beyond {LARGEST:g} m"
            raise self.document.error(message, pointer, "use smaller numbers")
        return self._hull(parts, pointer) if source.convex else self._surface(parts, pointer)

    def _hull(self, parts: Sequence[Geometry], pointer: str) -> Hull:
        used = [part.points[np.unique(part.corners)] for part in parts]
        points = np.concatenate([np.empty((0, 3)), *used])
        if len(points) < 4:
            message = f"has {len(points)} points, too few for a hull"
            raise self.document.error(message, pointer, "a convex hull needs four points")
        hull = convex_hull(points)
        if hull.dimension < 2:
            message = "has all points on one line"
            raise self.document.error(message, pointer, "a convex hull needs an extent")
        return Hull.around(points, hull)

    def _surface(self, parts: Sequence[Geometry], pointer: str) -> Mesh:
        starts = np.cumsum([0, *(len(part.points) for part in parts)])
        triangles = [part.triangles + start for part, start in zip(parts, starts, strict=False)]
        corners = np.concatenate([np.empty((0, 3), np.int64), *triangles])
        points = np.concatenate([np.empty((0, 3)), *(part.points for part in parts)])
        if not len(corners) or not has_area(points, corners).any():
            raise self.document.error(
                "has no triangle with an area",
                pointer,
                "give it triangles, or use its convex hull",
            )
        return Mesh(*welded(points, corners))

    def _of_mesh(self, source: MeshGeometry, node: int) -> list[Geometry]:
        weights = source.weights
        if weights is None and source.use_node_weights:
            weights = self._weights_of(node)
        joints = None if source.skin is None else self._joints(source.skin, node)
        self._require_room(source.mesh)
        return read_posed_mesh(self.document, source.mesh, weights=weights, joints=joints)

    def _require_room(self, mesh: int) -> None:
        """Raise LimitError if a mesh, which is read next, has too many points or indices."""
        self._points += count_vertices(self.document, mesh)
        limits, place = self.document.limits, f"/meshes/{mesh}"
        limits.require("shape_points", self._points, "points in shapes", pointer=place)

    def _weights_of(self, node: int) -> tuple[float, ...] | None:
        """Return the weights of a node's morph targets, None to use those of its mesh."""
        if node in self._weights:
            return tuple(self._weights[node].tolist())
        declared = self.document.element("nodes", node, objects.Node).weights
        return None if declared is None else tuple(declared)

    def _below(self, root: int) -> list[Geometry]:
        """Read all meshes at and below a node, in its space."""
        parts = []
        for node in np.flatnonzero(below(self._tree, [root])).tolist():
            declared = self.document.element("nodes", node, objects.Node)
            if declared.mesh is not None:
                self._require_room(declared.mesh)
                parts += read_posed_mesh(
                    self.document,
                    declared.mesh,
                    weights=self._weights_of(node),
                    place=self._relative(node, root),
                    joints=None if declared.skin is None else self._joints(declared.skin, root),
                )
        if not parts:
            message, remedy = "has no mesh, nor has a node below it", "name a node with a mesh"
            raise self.document.error(message, f"/nodes/{root}", remedy)
        return parts

    def _relative(self, node: int, root: int) -> Floats:
        """Return the matrix (4, 4) from a node's space to an ancestor's, which may be singular.

        The transform of the ancestor itself is not included.
        """
        pose, matrix = self._pose, np.eye(4)
        while node != root:
            local = tf.compose(pose.translation[node], pose.rotation[node], pose.scale[node])
            matrix, node = local @ matrix, int(self._tree.parents[node])
        return matrix

    def _joints(self, skin: int, node: int) -> Floats:
        """Return the matrices (J, 4, 4) of a skin, in the space of a node."""
        place, into = self._world[node], np.eye(4)
        # A scale of zero has no inverse, but what it would flatten is flat already.
        into[:3, :3] = np.linalg.pinv(place[:3, :3])
        into[:3, 3] = -into[:3, :3] @ place[:3, 3]
        return np.asarray(into @ skin_matrices(self.document, skin, self._world))

    @cached_property
    def _world(self) -> Floats:
        return np.asarray(self._tree.world_matrices(*self._pose))


def _depends_on_node(source: MeshGeometry | NodeGeometry) -> bool:
    return isinstance(source, MeshGeometry) and (source.skin is not None or source.use_node_weights)
