"""Bodies of a document: their nodes, colliders, motion and joints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ligament import transforms as tf
from ligament.author.editing.nodes import Nodes
from ligament.author.editing.parts import Parts
from ligament.author.editing.serialization import Object
from ligament.errors import EditError, LigamentError
from ligament.extensions.fields import Fields
from ligament.extensions.rigid_bodies import GeometrySource, MotionKind
from ligament.extensions.shapes import CORE_SHAPE, IMPLICIT_SHAPE, MeshGeometry
from ligament.extensions.tables.arrays import Arrays
from ligament.extensions.vrmc_node_constraint import NAME as CONSTRAINT
from ligament.gltf.mesh import TRIANGLE_FAN, TRIANGLE_STRIP, TRIANGLES
from ligament.physics.geometry import GeometryReader
from ligament.physics.mass import solid
from ligament.physics.shapes import Shape, scaled

WORLD = -1
"""The owner of nodes that belong to no body."""


class Piece(NamedTuple):
    """A collider of a body: its node, its scaled shape, and the world pose of the shape."""

    node: int
    shape: Shape
    translation: Any
    rotation: Any


class Bodies:
    """Queries about bodies, answered from the current JSON."""

    def __init__(self, nodes: Nodes, parts: Parts) -> None:
        self.nodes, self.parts, self.document = nodes, parts, parts.document
        self._known: tuple[object, GeometryReader] | None = None

    def owner(self, node: int) -> int:
        """Return the node of the body that a node belongs to, WORLD if none."""
        with_motion = (n for n in self.nodes.upward(node) if self.parts.on(n, "motion") is not None)
        return next(with_motion, WORLD)

    def kind(self, body: int) -> MotionKind:
        """Return how the body on a node moves; a dynamic one that is driven counts as kinematic."""
        declared = self.declared_kind(body)
        is_driven = declared is MotionKind.DYNAMIC and self.is_driven(body)
        return MotionKind.KINEMATIC if is_driven else declared

    def declared_kind(self, body: int) -> MotionKind:
        """Return how the body on a node moves unless an animation or constraint drives it."""
        motion = None if body == WORLD else self.parts.on(body, "motion")
        if motion is None:
            return MotionKind.STATIC
        is_kinematic = motion.get("isKinematic") is True
        return MotionKind.KINEMATIC if is_kinematic else MotionKind.DYNAMIC

    def is_driven(self, node: int) -> bool:
        """Tell whether an animation or a node constraint moves a node."""
        return node in self._animated or self.is_constrained(node)

    def is_constrained(self, node: int) -> bool:
        """Tell whether a node follows another by a node constraint."""
        return CONSTRAINT in self.nodes.raw[node].get("extensions", {})

    @cached_property
    def _animated(self) -> frozenset[int]:
        """The nodes that an animation moves or rotates; cached, since edits add none."""
        channels = (c for a in self.document.array("animations") for c in a.get("channels", ()))
        targets = (channel.get("target", {}) for channel in channels)
        moving = ("translation", "rotation")
        return frozenset(t["node"] for t in targets if "node" in t and t.get("path") in moving)

    def members(self, body: int) -> Iterator[int]:
        """Yield the node of a body and the descendants that belong to it."""
        pending = [body]
        while pending:
            node = pending.pop()
            if node == body or self.parts.on(node, "motion") is None:
                yield node
                pending += self.nodes.raw[node].get("children", ())

    def pieces(self, body: int) -> Iterator[Piece]:
        """Yield the colliders of a body, or the static ones at and below a node."""
        for node in self.members(body):
            collider = self.parts.on(node, "collider")
            source = None if collider is None else self.source(collider)
            shape = None if source is None else self.scaled_shape(source, node)
            if shape is not None:
                position, rotation = self.nodes.matrix(node)[:3, 3], self.nodes.rotation(node)
                yield Piece(node, shape, position, rotation)

    def volume(self, body: int) -> float:
        """Return the volume [m³] of all colliders of a body."""
        return sum(solid(piece.shape).volume for piece in self.pieces(body))

    def has_volume(self, pieces: Iterable[Piece]) -> bool:
        """Tell whether a mass can be computed from pieces."""
        return any(solid(piece.shape).volume > 0 for piece in pieces)

    def volume_of(self, source: GeometrySource, node: int) -> float:
        """Return the volume [m³] of a geometry on a node."""
        shape = self.scaled_shape(source, node)
        return 0.0 if shape is None else solid(shape).volume

    def needs_volume(self, body: int) -> bool:
        """Tell whether the mass of a body is computed from its colliders."""
        motion = None if body == WORLD else self.parts.on(body, "motion")
        return motion is not None and "mass" not in motion and "isKinematic" not in motion

    def joints_of(self, body: int) -> list[int]:
        """List the nodes of the joints of a body."""
        return [node for node, *ends in self._joints() if body in ends]

    def useless_joints(self) -> list[int]:
        """List the nodes of joints within one body, or without a dynamic body."""
        return [
            node
            for node, a, b in self._joints()
            if a == b or MotionKind.DYNAMIC not in (self.kind(a), self.kind(b))
        ]

    def _joints(self) -> Iterator[tuple[int, int, int]]:
        """Yield the node of every joint and its two bodies."""
        for node in self.parts.nodes_with("joint"):
            joint = self.parts.on(node, "joint")
            if joint is not None and "connectedNode" in joint:
                yield node, self.owner(node), self.owner(joint["connectedNode"])

    def source(self, part: Object) -> GeometrySource | None:
        """Read the geometry of a collider or trigger."""
        geometry = part.get("geometry", {})
        if "mesh" in geometry:
            return MeshGeometry(geometry["mesh"], convex=geometry.get("convexHull", False))
        if "shape" not in geometry:
            return None
        raw = self.parts.shared("shapes", geometry["shape"])
        form = CORE_SHAPE if "shapes" in self.document.json else IMPLICIT_SHAPE
        shape: GeometrySource | None = form.read(Fields(raw, "", []), Arrays(self.document))
        return shape

    def scaled_shape(self, source: GeometrySource, node: int) -> Shape | None:
        """Return the shape of a source, scaled by a node; raise EditError if the mesh has none."""
        try:
            shape = self.geometry.shape(source, node)
        except LigamentError as fault:
            raise EditError(
                fault.message, file=self.document.path, pointer=fault.pointer, remedy=fault.remedy
            ) from None
        return scaled(shape, self.nodes.stretch(node, source))

    def require_usable(self, source: GeometrySource, node: int) -> None:
        """Raise EditError if a source on a node would not collide, or only partly."""
        if isinstance(source, MeshGeometry):
            self._require_triangles(source)
        if self.scaled_shape(source, node) is None:
            message = f"{self.nodes.label(node)} has a scale of 0"
            raise self.nodes.error(message, "use scales above 0 on it and its ancestors")

    def _require_triangles(self, source: MeshGeometry) -> None:
        meshes = self.document.array("meshes")
        if not 0 <= source.mesh < len(meshes):
            remedy = f"the document has {len(meshes)}"
            raise self.nodes.error(f"there is no mesh {source.mesh}", remedy)
        modes = {p.get("mode", TRIANGLES) for p in meshes[source.mesh].get("primitives", ())}
        if not source.convex and not modes <= {TRIANGLES, TRIANGLE_STRIP, TRIANGLE_FAN}:
            raise EditError(
                "the mesh has points or lines instead of triangles",
                file=self.document.path,
                pointer=f"/meshes/{source.mesh}",
                remedy='use another mesh, or "hull"',
            )

    @property
    def geometry(self) -> GeometryReader:
        """A reader that caches meshes; replaced when removals may have changed their indices."""
        state = self.parts.meshes.dropped
        if self._known is None or self._known[0] != state:
            self._known = state, GeometryReader(self.document, self.nodes.tree)
        return self._known[1]


def placed(piece: Piece, points: Any) -> Any:
    """Return points (P, 3) of a piece in the world."""
    return np.asarray(tf.rotate(piece.rotation, points) + piece.translation)
