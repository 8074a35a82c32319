"""Geometry of colliders and triggers: named, sized or fitted shapes, placed on nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from ligament.author import arguments
from ligament.author.editing.joint_recipes import IDENTITY
from ligament.author.editing.nodes import NodeRef
from ligament.author.editing.serialization import SHAPES, Object, shape_object
from ligament.author.editing.workspace import Workspace
from ligament.author.fitting import MAX_POINTS, TOLERANCE, Carrier, FittedCollider, Kind, NodeFit
from ligament.author.fitting.node_colliders import fit_source, is_posed, source_of
from ligament.errors import EditError, LigamentError, MissingExtraError, nearest
from ligament.extensions.rigid_bodies import GeometrySource, NodeGeometry
from ligament.extensions.shapes import ImplicitShape, MeshGeometry
from ligament.gltf.tree import NodeTree
from ligament.physics.geometry import GeometryReader
from ligament.physics.mass import solid
from ligament.physics.scene import Pose
from ligament.physics.shapes import Hull, Mesh

ShapeName: TypeAlias = Literal[
    "auto", "box", "sphere", "capsule", "cylinder", "hull", "decomposed", "mesh"
]

AnyShape: TypeAlias = ImplicitShape | MeshGeometry | NodeFit | ShapeName | int
"""A shape with its sizes, a mesh (by index: its surface), a result of `fit`, or the name of a kind
to be fitted around the mesh of the node."""

NAMES: Final = tuple(Kind)


class PlacedShape(NamedTuple):
    """A shape, the carrier nodes to add for it, and its volume [m³]."""

    source: GeometrySource | Hull | Mesh
    carriers: tuple[Carrier, ...]
    volume: float


class Geometry:
    """Fits, checks and writes the shapes that nodes carry."""

    def __init__(self, workspace: Workspace) -> None:
        self.document = workspace.document
        self.nodes, self.parts, self.bodies = workspace.nodes, workspace.parts, workspace.bodies
        self._fits: dict[bytes, NodeFit] = {}

    def fit(
        self,
        node: NodeRef,
        kind: str,
        mesh: int | None,
        *,
        below: bool = False,
        tolerance: float = TOLERANCE,
        max_points: int = MAX_POINTS,
    ) -> NodeFit:
        """Fit a shape to the mesh of a node without changing the document."""
        index = self.nodes.find(node)
        wanted = arguments.choice(kind, "the shape", NAMES)
        if below and mesh is not None:
            raise EditError("mesh and below are both given", remedy="give one of the two")
        named = None if mesh is None else self._mesh(index, mesh)
        try:
            source = source_of(self.document, index, named, below=arguments.flag(below, "below"))
            reader, stretch = self._reader(index, source), self.nodes.stretch(index)
            return fit_source(
                self.document,
                reader,
                index,
                source,
                stretch,
                self.nodes.signs(index),
                wanted,
                tolerance=tolerance,
                max_points=max_points,
                known=self._fits,
            )
        except (EditError, MissingExtraError):
            raise
        except LigamentError as fault:
            file = self.document.path
            remedy = fault.remedy or ""
            raise EditError(
                fault.message, file=file, pointer=fault.pointer, remedy=remedy
            ) from fault

    def fit_with(self, node: int, shape: Any, mesh: Any, **options: Any) -> NodeFit | None:
        """Fit a named shape with the given options; return None if there are none."""
        given = {name: value for name, value in options.items() if value is not None}
        if not given:
            return None
        if not (isinstance(shape, str) and shape in NAMES):
            raise EditError(
                f"{', '.join(given)} only applies to fitted shapes",
                remedy=f"use one of {', '.join(NAMES)}, or leave it out",
            )
        return self.fit(node, shape, mesh, **given)

    def place(
        self, node: int, shape: Any, mesh: Any, carriers: tuple[Carrier, ...] = ()
    ) -> tuple[PlacedShape, ...]:
        """Resolve a given shape to placed geometry without changing the document."""
        is_fitted = isinstance(shape, str) and shape in NAMES
        if is_fitted and (shape != Kind.MESH or (mesh is None and self._is_posed(node))):
            shape, mesh = self.fit(node, Kind(shape).value, mesh), None
        if isinstance(shape, NodeFit):
            if carriers or mesh is not None:
                raise EditError("a fitted shape has its own pose", remedy="leave the offset out")
            return self._fitted(node, shape)
        source = self._source(node, shape, mesh)
        self.bodies.require_usable(source, node)
        return (PlacedShape(source, carriers, self.bodies.volume_of(source, node)),)

    def require_without(self, node: int, what: Literal["collider", "trigger"]) -> None:
        """Refuse a second part of one kind on a node."""
        if self.parts.on(node, what) is not None:
            message = f"{self.nodes.label(node)} has a {what} already"
            raise self.nodes.error(message, "put the second one on a new node (add_node)")

    def carrier(self, node: int, carriers: Sequence[Carrier], what: str) -> int:
        """Add the carrier nodes of a shape below a node; return the one that carries it."""
        name = f"{self.nodes.name(node)} {what}"
        for carrier in carriers:
            pose = Pose(carrier.translation, carrier.rotation)
            node = self.nodes.add(self.nodes.unused(name), node, pose, scale=carrier.scale)
        return node

    def reference(self, source: GeometrySource | Hull | Mesh, name: str) -> Object:
        """Write the `geometry` member; a surface that is new to the file becomes mesh `name`."""
        if isinstance(source, Hull | Mesh):
            convex = isinstance(source, Hull)
            source = MeshGeometry(self.parts.meshes.share(source, name), convex=convex)
        if isinstance(source, MeshGeometry):
            hull = {"convexHull": True} if source.convex else {}
            return {"geometry": {"mesh": source.mesh} | hull}
        assert isinstance(source, SHAPES)
        return {"geometry": {"shape": self.parts.share("shapes", shape_object(source))}}

    def _reader(self, node: int, source: MeshGeometry | NodeGeometry) -> GeometryReader:
        """Return a reader for a source: poses and trees need the nodes as they are now."""
        if isinstance(source, MeshGeometry) and not is_posed(self.document, node, source):
            return self.bodies.geometry
        return GeometryReader(self.document, NodeTree(self.document))

    def _is_posed(self, node: int) -> bool:
        """Tell whether a skin or morph targets deform the mesh of a node."""
        if "mesh" not in self.nodes.raw[node]:
            return False
        source = source_of(self.document, node, None, below=False)
        return isinstance(source, MeshGeometry) and is_posed(self.document, node, source)

    def _fitted(self, node: int, found: NodeFit) -> tuple[PlacedShape, ...]:
        """Place a fitted shape; each of several parts gets its own node."""
        own = (Carrier(np.zeros(3), np.array(IDENTITY), np.ones(3)),)
        is_one = len(found.colliders) == 1
        result = []
        for collider, part in zip(found.colliders, found.fit.parts, strict=True):
            source = _declared(found, collider)
            if isinstance(source, MeshGeometry):
                self.bodies.require_usable(source, node)
            elif isinstance(source, SHAPES):
                shape_object(source)
            carriers = collider.carriers if is_one else collider.carriers or own
            result.append(PlacedShape(source, carriers, solid(part.shape).volume))
        return tuple(result)

    def _source(self, node: int, shape: Any, mesh: Any) -> GeometrySource:
        if isinstance(shape, str) and shape == Kind.MESH:
            return MeshGeometry(self._mesh(node, mesh), convex=False)
        if mesh is not None:
            raise EditError(
                "mesh only applies to shapes made from one", remedy='use "mesh" or "hull"'
            )
        if isinstance(shape, int | np.integer) and not isinstance(shape, bool):
            return MeshGeometry(int(shape), convex=False)
        if isinstance(shape, MeshGeometry):
            if shape.skin is not None or shape.weights is not None or shape.use_node_weights:
                remedy = "leave skin and weights out: the newest dialect cannot store them"
                raise EditError("a mesh shape cannot have a skin or weights", remedy=remedy)
            return shape
        if isinstance(shape, SHAPES):
            shape_object(shape)
            return shape
        if isinstance(shape, str):
            raise arguments.refused("the shape", shape, nearest(shape, NAMES))
        valid = f"give a Sphere, Box, Capsule, Cylinder, Plane, MeshGeometry, {', '.join(NAMES)}"
        raise arguments.refused("the shape", shape, valid)

    def _mesh(self, node: int, mesh: Any) -> int:
        """Return the index of the given mesh, or of the mesh of the node."""
        count = len(self.document.array("meshes"))
        if mesh is None:
            own = self.nodes.raw[node].get("mesh")
            if own is None:
                message = f"{self.nodes.label(node)} has no mesh"
                raise self.nodes.error(message, "name a node that has one, or give mesh")
            return int(own)
        if (
            isinstance(mesh, bool)
            or not isinstance(mesh, int | np.integer)
            or not 0 <= mesh < count
        ):
            raise arguments.refused("mesh", mesh, f"the document has {count}")
        return int(mesh)


def offset_carriers(translation: Any, rotation: Any) -> tuple[Carrier, ...]:
    """Return the carrier that a shape needs if it is offset from its node or rotated."""
    offset = (0, 0, 0) if translation is None else arguments.vector(translation, "the translation")
    turned = IDENTITY if rotation is None else arguments.rotation(rotation, "the rotation")
    if not (any(offset) or any(turned[:3])):
        return ()
    return (Carrier(np.array(offset, float), np.array(turned, float), np.ones(3)),)


def _declared(found: NodeFit, collider: FittedCollider) -> GeometrySource | Hull | Mesh:
    """Refer to the fitted mesh itself where the shape is that mesh or its whole hull."""
    shape, is_whole = collider.shape, not (found.fit.fits or found.fit.simplified)
    if not isinstance(shape, Hull | Mesh) or found.mesh is None or not is_whole:
        return shape
    return MeshGeometry(found.mesh, convex=isinstance(shape, Hull))
