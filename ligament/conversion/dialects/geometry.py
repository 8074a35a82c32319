"""Geometry that a dialect cannot express, replaced by meshes and boxes."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

import numpy as np
from msgspec import structs

from ligament.arrays import Floats, Ints
from ligament.conversion.dialects.draft import Draft
from ligament.errors import LigamentError
from ligament.extensions.rigid_bodies import GeometrySource, NodeGeometry, Trigger
from ligament.extensions.shapes import Box, Capsule, Cylinder, MeshGeometry, Plane
from ligament.gltf.accessors import ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER, append_accessor
from ligament.gltf.references import read_index
from ligament.physics.hulls import convex_hull
from ligament.physics.shapes import Hull, Mesh, sampled

GROUND = 2e4
"""Side [m] of the box that replaces an infinite plane: the largest with precise contacts."""

DEPTH = 2e3
"""Depth [m] of that box."""

SHEET = 2e3
"""Side [m] of the mesh that replaces an infinite two-sided plane."""

TILE = 50.0
"""Longest side [m] of its triangles."""


class Meshes:
    """Makes meshes of other geometry, without duplicates."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self._made: dict[object, int] = {}
        self._nodes: dict[object, int] = {}

    def plain(self, source: GeometrySource, node: int, pointer: str) -> GeometrySource | None:
        """Return geometry that is a single undeformed mesh; other shapes are returned unchanged.

        The meshes of a node, or a mesh with its own skin or weights, become a new mesh, unless
        there is only one and nothing deforms it. None, with a loss, where there is no geometry.
        """
        if not isinstance(source, MeshGeometry | NodeGeometry):
            return source
        mesh = self._only_mesh(source)
        if mesh is not None:
            return MeshGeometry(mesh, source.convex)
        is_own = isinstance(source, MeshGeometry) and (source.skin or source.use_node_weights)
        key = (source, node if is_own else None)
        if key not in self._made:
            try:
                shape = self.draft.geometry.shape(source, node)
            except LigamentError as fault:
                effect = "it had no shape before either"
                self.draft.lose(pointer, "the geometry", fault.message, effect)
                return None
            assert isinstance(shape, Hull | Mesh)
            self._made[key] = self._add(shape.points, shape.triangles, "shape")
            self._report_pose(source, node, pointer)
        return MeshGeometry(self._made[key], source.convex)

    def of_node(self, source: GeometrySource, node: int, pointer: str) -> GeometrySource | None:
        """Return mesh geometry as geometry of a node; other shapes are returned unchanged.

        A node with exactly this mesh is used, preferably the collider's own; otherwise one is added
        outside all scenes.
        """
        if not isinstance(source, MeshGeometry):
            return source
        if source.skin is not None and not self._shows(node, source):
            plain = self.plain(source, node, pointer)
            return plain if plain is None else self.of_node(plain, node, pointer)
        if source.use_node_weights and not self._shows(node, source):
            weights = self.draft.nodes[node].get("weights")
            source = dataclasses.replace(source, weights=tuple(weights) if weights else None)
        if self._shows(node, source):
            return NodeGeometry(node, source.convex)
        key = (source.mesh, source.weights)
        if key not in self._nodes:
            raw = {"name": f"shape of mesh {source.mesh}", "mesh": source.mesh}
            raw |= {} if source.weights is None else {"weights": list(source.weights)}
            self._nodes[key] = self.draft.add_node(raw)
        return NodeGeometry(self._nodes[key], source.convex)

    def hull(self, shape: Capsule | Cylinder, node: int) -> MeshGeometry:
        """Return the hull of points on a shape of two radii, upright on its node.

        A negative scale of the node would turn the mesh over, but not the shape.
        """
        is_reversed = self.draft.signs(node)[1] < 0
        key = (shape, is_reversed)
        if key not in self._made:
            points = sampled(shape)
            points[:, 1] *= -1.0 if is_reversed else 1.0
            corners = convex_hull(points)
            self._made[key] = self._add(points, corners.triangles, "hull")
        return MeshGeometry(self._made[key], convex=True)

    def sheet(self, plane: Plane) -> MeshGeometry:
        """Return a tiled mesh that replaces a plane."""
        if plane not in self._made:
            x, z = (_cuts(SHEET if size is None else size) for size in (plane.size_x, plane.size_z))
            self._made[plane] = self._add(*_tiles(x, z), "plane")
        return MeshGeometry(self._made[plane], convex=False)

    def _only_mesh(self, source: MeshGeometry | NodeGeometry) -> int | None:
        """Return the mesh if the geometry is this mesh alone, undeformed; else None."""
        if isinstance(source, MeshGeometry):
            is_bare = source.skin is None and source.weights is None and not source.use_node_weights
            return source.mesh if is_bare else None
        raw = self.draft.original.array("nodes")[source.node]
        mesh = read_index(raw.get("mesh"))
        deformed = "skin" in raw or "weights" in raw
        return None if deformed or self._has_meshes_below(source.node) else mesh

    def _shows(self, node: int, source: MeshGeometry) -> bool:
        """Tell whether the meshes at and below a node are this geometry."""
        raw = self.draft.nodes[node]
        if read_index(raw.get("mesh")) != source.mesh or self._has_meshes_below(node):
            return False
        weights = tuple(raw["weights"]) if raw.get("weights") else None
        is_posed = source.use_node_weights or source.weights == weights
        return read_index(raw.get("skin")) == source.skin and is_posed

    def _has_meshes_below(self, node: int) -> bool:
        nodes = self.draft.original.array("nodes")
        waiting = list(nodes[node].get("children", ()))
        while waiting:
            raw = nodes[waiting.pop()]
            if "mesh" in raw:
                return True
            waiting += raw.get("children", ())
        return False

    def _report_pose(self, source: MeshGeometry | NodeGeometry, node: int, pointer: str) -> None:
        """Report that a new mesh does not follow the deformation of the old ones."""
        nodes = self.draft.original.array("nodes")
        raw = nodes[source.node] if isinstance(source, NodeGeometry) else nodes[node]
        skin = source.skin if isinstance(source, MeshGeometry) else raw.get("skin")
        if skin is not None or raw.get("weights"):
            effect = "the shape is that of the rest pose"
            self.draft.lose(pointer, "the pose of a skin or morph", "a mesh has none", effect)

    def _add(self, points: Floats, triangles: Ints, name: str) -> int:
        document = self.draft.document
        position = append_accessor(document, points, target=ARRAY_BUFFER, bounds=True)
        indices = append_accessor(document, triangles.ravel(), target=ELEMENT_ARRAY_BUFFER)
        meshes = document.growing_array("meshes")
        primitive = {"attributes": {"POSITION": position}, "indices": indices}
        meshes.append({"name": f"{name} {len(meshes)}", "primitives": [primitive]})
        return len(meshes) - 1


def replace_planes(draft: Draft, meshes: Meshes) -> None:
    """Replace planes by boxes and meshes, for dialects that have none.

    An infinite one-sided plane becomes a box below it, on a new node; a trigger made of one becomes
    a compound with the trigger on that node.
    """
    for node, collider in list(draft.colliders.items()):
        if isinstance(collider.geometry, Plane):
            place, geometry = _stand_in(draft, meshes, node, collider.geometry)
            _report_plane(draft, collider.geometry, collider.pointer)
            del draft.colliders[node]
            draft.colliders[place] = structs.replace(collider, node=place, geometry=geometry)
    for node, trigger in list(draft.triggers.items()):
        if isinstance(trigger.geometry, Plane):
            place, geometry = _stand_in(draft, meshes, node, trigger.geometry)
            _report_plane(draft, trigger.geometry, trigger.pointer)
            draft.triggers[place] = structs.replace(trigger, node=place, geometry=geometry)
            if place != node:
                members = (*trigger.nodes, place)
                draft.triggers[node] = Trigger(node=node, nodes=members, pointer=trigger.pointer)


def _stand_in(draft: Draft, meshes: Meshes, node: int, plane: Plane) -> tuple[int, GeometrySource]:
    if plane.size_x is None and plane.size_z is None and not plane.double_sided:
        below = np.eye(4)
        below[1, 3] = -DEPTH / 2 * draft.signs(node)[1]
        return draft.add_child(node, "ground", below), Box((GROUND, DEPTH, GROUND))
    return node, meshes.sheet(plane)


def _report_plane(draft: Draft, plane: Plane, pointer: str) -> None:
    endless = [size is None for size in (plane.size_x, plane.size_z)]
    reason = "the dialect has no planes"
    if all(endless) and not plane.double_sided:
        effect = f"a box that ends {GROUND / 2000:g} km away and {DEPTH / 1000:g} km below"
        draft.lose(pointer, "an infinite plane", reason, effect)
    elif any(endless):
        effect = f"a mesh that ends {SHEET / 2000:g} km away"
        draft.lose(pointer, "an infinite plane", reason, effect)
    elif not plane.double_sided:
        effect = "a mesh that also stops bodies from below"
        draft.lose(pointer, "a plane with one side", reason, effect)


def _cuts(size: float) -> Floats:
    return np.linspace(-size / 2, size / 2, math.ceil(size / TILE) + 1)


def _tiles(x: Floats, z: Floats) -> tuple[Floats, Ints]:
    """Return points (P, 3) and triangles (T, 3), facing +Y, of a sheet cut at x and z [m]."""
    grid: Sequence[Floats] = np.meshgrid(x, 0.0, z, indexing="ij")
    points = np.stack(grid, axis=-1).reshape(-1, 3)
    corner = np.arange(len(points)).reshape(len(x), len(z))
    near, right = corner[:-1, :-1].ravel(), corner[:-1, 1:].ravel()
    left, far = corner[1:, :-1].ravel(), corner[1:, 1:].ravel()
    lower, upper = np.stack([near, right, far], axis=1), np.stack([near, far, left], axis=1)
    return points, np.concatenate([lower, upper])
