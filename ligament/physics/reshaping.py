"""Reshaping: collider shapes and derived masses that change with animated nodes."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TypeVar

import msgspec
import numpy as np

from ligament.arrays import Floats
from ligament.errors import LigamentError, LimitError
from ligament.extensions import rigid_bodies as declared
from ligament.extensions.rigid_bodies import GeometrySource, NodeGeometry, Physics
from ligament.extensions.shapes import MeshGeometry
from ligament.gltf import objects
from ligament.gltf.animation import Pose
from ligament.gltf.document import Document
from ligament.gltf.tree import NodeTree, below, nearest
from ligament.physics.geometry import GeometryReader
from ligament.physics.mass import MassProperties, Part, is_mass_known, mass_properties
from ligament.physics.placement import Ownership
from ligament.physics.scene import Body, Collider, Scene
from ligament.physics.shapes import NOTHING, Shape, scaled

_Part = TypeVar("_Part", declared.Collider, declared.Trigger)


class Changes:
    """The colliders that an animation reshapes."""

    def __init__(self, document: Document, ownership: Ownership) -> None:
        self._document, self._ownership = document, ownership
        self._tree, self._animated = ownership.placement.tree, ownership.animated
        self._changed = self._animated.moved | self._animated.scaled
        self._below: dict[int, bool] = {}

    def followed(self, physics: Physics) -> Physics:
        """Return declarations in which mesh colliders use the meshes as their own nodes show them.

        This applies where an animation or another body deforms the mesh.
        """
        return dataclasses.replace(
            physics,
            colliders={n: self._as_shown(part) for n, part in physics.colliders.items()},
            triggers={n: self._as_shown(part) for n, part in physics.triggers.items()},
        )

    def _as_shown(self, part: _Part) -> _Part:
        source, node = part.geometry, part.node
        if not isinstance(source, MeshGeometry) or source.weights or source.skin is not None:
            return part
        shown = self._document.element("nodes", node, objects.Node)
        if shown.mesh != source.mesh:
            return part
        skin = shown.skin if shown.skin is not None and self._is_bent(shown.skin, node) else None
        by_weights = source.use_node_weights or node in self._animated.weighted
        if skin is None and by_weights is source.use_node_weights:
            return part
        geometry = dataclasses.replace(source, use_node_weights=by_weights, skin=skin)
        return msgspec.structs.replace(part, geometry=geometry)

    def reach(self, source: GeometrySource | None, node: int) -> bool:
        """Tell whether the shape of a collider on a node changes."""
        return bool(self._ownership.stretched[node]) or self.deforms(source, node)

    def deforms(self, source: GeometrySource | None, node: int) -> bool:
        """Tell whether the surface of a collider on a node is deformed, not only scaled."""
        if isinstance(source, MeshGeometry):
            is_morphed = source.use_node_weights and source.weights is None
            by_weights = is_morphed and node in self._animated.weighted
            return by_weights or (source.skin is not None and self._is_bent(source.skin, node))
        if isinstance(source, NodeGeometry):
            if source.node not in self._below:
                self._below[source.node] = self._is_animated_below(source.node)
            return self._below[source.node]
        return False

    def _is_animated_below(self, root: int) -> bool:
        if not (self._changed or self._animated.weighted or self._document.array("skins")):
            return False
        for node in np.flatnonzero(below(self._tree, [root])).tolist():
            if node in self._animated.weighted or (node in self._changed and node != root):
                return True
            skin = self._document.element("nodes", node, objects.Node).skin
            if skin is not None and self._is_bent(skin, root):
                return True
        return False

    def _is_bent(self, skin: int, node: int) -> bool:
        """Tell whether joints of a skin move relative to a node.

        They may be animated, or belong to another simulated body.
        """
        tree, changed = self._tree, self._changed
        movers = nearest(tree, [*changed, *self._ownership.simulated])
        joints = self._document.element("skins", skin, objects.Skin).joints
        found = {int(movers[joint]) for joint in joints if joint < len(tree)} - {-1}
        return bool(found - {int(movers[node])}) or any(joint in changed for joint in joints)


class Reshaping:
    """Changing shapes and masses of the colliders of a scene.

    `colliders` are their indices, `sources` their declared geometries, `deforming` those whose
    surface changes by more than a scale, `joints` the nodes that skins of these follow, and
    `weighed` the bodies whose mass, centre or inertia follows from shapes that change.
    """

    def __init__(
        self,
        document: Document,
        tree: NodeTree,
        physics: Physics,
        scene: Scene,
        *,
        geometry: GeometryReader,
        changes: Changes,
    ) -> None:
        self._document, self._tree, self._geometry = document, tree, geometry
        chosen = [(i, c) for i, c in enumerate(scene.colliders) if c.changes]
        self.sources = {i: _source(physics, collider) for i, collider in chosen}
        self.colliders = tuple(self.sources)
        self.deforming = frozenset(i for i, c in chosen if changes.deforms(self.sources[i], c.node))
        self.joints = frozenset(
            joint for i in self.deforming for joint in self._joints_of(self.sources[i])
        )
        solid = {c.body for _, c in chosen if not c.is_sensor and scene.bodies[c.body].is_free}
        self.weighed = tuple(sorted(solid))
        self._motions = {i: physics.motions[scene.bodies[i].node] for i in self.weighed}
        self._masses = {i: scene.bodies[i].mass for i in self.weighed}
        self._reported: set[int] = set()

    def _joints_of(self, source: GeometrySource | None) -> list[int]:
        """List the joint nodes that a surface follows."""
        if isinstance(source, MeshGeometry):
            skins = [source.skin]
        elif isinstance(source, NodeGeometry):
            nodes = np.flatnonzero(below(self._tree, [source.node])).tolist()
            skins = [self._document.element("nodes", node, objects.Node).skin for node in nodes]
        else:
            return []
        views = [self._document.element("skins", s, objects.Skin) for s in skins if s is not None]
        return [joint for view in views for joint in view.joints]

    def posed(self, pose: Pose, weights: Mapping[int, Floats]) -> GeometryReader:
        """Return a mesh reader for a pose (N, …) and morph target weights."""
        return GeometryReader(self._document, self._tree, pose=pose, weights=weights)

    def shape(
        self,
        index: int,
        node: int,
        stretch: Floats,
        reader: GeometryReader | None,
        source: GeometrySource | None = None,
    ) -> Shape:
        """Return the shape of a collider under a stretch (3, 3), from a `reader` if it deforms.

        It is made from the declared geometry, or from another `source`.
        """
        source = source or self.sources[index]
        if source is None:
            return NOTHING
        try:
            deformed = reader if reader is not None and index in self.deforming else self._geometry
            return scaled(deformed.shape(source, node), stretch) or NOTHING
        except LimitError:
            raise
        except LigamentError as fault:
            if index not in self._reported:
                self._reported.add(index)
                label = self._tree.label(node)
                message = f"{label} is disabled while it has this shape: {fault.message}"
                self._document.warn(message, fault.pointer or f"/nodes/{node}")
            return NOTHING

    def unscaled(self, scene: Scene) -> dict[int, Shape]:
        """Return the unscaled shapes of all changing colliders, by index."""
        return {i: self.shape(i, scene.colliders[i].node, np.eye(3), None) for i in self.colliders}

    def mass(
        self, index: int, body: Body, stretch: Floats, parts: Sequence[Part]
    ) -> MassProperties | None:
        """Return the mass properties of a body with these solid parts.

        None if unknown, or if the body was given another mass than the file's.
        """
        motion = self._motions[index]
        if body.mass is not self._masses[index] or not is_mass_known(motion, parts):
            return None
        return mass_properties(motion, stretch, parts)


def _source(physics: Physics, collider: Collider) -> GeometrySource | None:
    declared = physics.triggers if collider.is_sensor else physics.colliders
    return declared[collider.node].geometry
