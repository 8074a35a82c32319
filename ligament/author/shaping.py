"""Geometry for colliders and triggers, out of what people give for a shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from ligament.author import values
from ligament.author.fitting import MAX_POINTS, TOLERANCE, Carrier, FittedCollider, Kind, NodeFit
from ligament.author.fitting.nodes import fit_source, is_posed, source_of
from ligament.author.frames import UNTURNED
from ligament.author.nodes import NodeRef
from ligament.author.objects import SHAPES, Object, shape_object
from ligament.author.workspace import Workspace
from ligament.errors import EditError, LigamentError, MissingExtraError
from ligament.extensions.declarations import (
    GeometrySource,
    ImplicitShape,
    MeshGeometry,
    NodeGeometry,
)
from ligament.gltf.tree import NodeTree
from ligament.physics.geometry import GeometryReader
from ligament.physics.mass import solid
from ligament.physics.scene import Pose
from ligament.physics.shapes import Hull, Mesh

ShapeName: TypeAlias = Literal[
    "auto", "box", "sphere", "capsule", "cylinder", "hull", "decomposed", "mesh"
]

AnyShape: TypeAlias = ImplicitShape | MeshGeometry | NodeFit | ShapeName | int
"""A shape with its sizes, a mesh (by index: its surface), what `fit` found, or the name of a kind
to be fitted around the mesh of the node."""

NAMES: Final = tuple(Kind)


class Placed(NamedTuple):
    """A shape, the nodes to make for it below its own, and its volume [m³]."""

    source: GeometrySource | Hull | Mesh
    carriers: tuple[Carrier, ...]
    volume: float


class ShapeWriter(Workspace):
    """Turns shapes into the JSON of geometry, on nodes where they lie."""

    def fit(
        self,
        node: NodeRef,
        kind: ShapeName = "auto",
        *,
        mesh: int | None = None,
        below: bool = False,
        tolerance: float = TOLERANCE,
        max_points: int = MAX_POINTS,
    ) -> NodeFit:
        """Fit a shape to the mesh of a node and tell how far it is off; changes nothing.

        `mesh` names another mesh, and `below` takes all meshes at and below the node as one.
        "auto" is the simplest shape whose volume is no more than `tolerance` above that of the
        hull, else the hull. Hulls with more than `max_points` corners are simplified.
        `add_collider` and `add_body` take the result for a shape; its `error` has the excess
        volume, the distance [m] and the hollow part (`fitting.Misfit`).
        """
        index = self._nodes.find(node)
        wanted = values.choice(kind, "the shape", NAMES)
        if below and mesh is not None:
            raise EditError("both a mesh and all below", remedy="give one of the two")
        named = None if mesh is None else self._mesh(index, mesh)
        try:
            source = source_of(self._document, index, named, below=values.flag(below, "below"))
            reader, stretch = self._reader(index, source), self._nodes.stretch(index)
            return fit_source(
                self._document,
                reader,
                index,
                source,
                stretch,
                wanted,
                tolerance=tolerance,
                max_points=max_points,
            )
        except (EditError, MissingExtraError):
            raise
        except LigamentError as fault:
            file = self._document.path
            remedy = fault.remedy or ""
            raise EditError(
                fault.message, file=file, pointer=fault.pointer, remedy=remedy
            ) from fault

    def _reader(self, node: int, source: MeshGeometry | NodeGeometry) -> GeometryReader:
        """Return what reads a source: poses and trees need the nodes as they are now."""
        if isinstance(source, MeshGeometry) and not is_posed(self._document, node, source):
            return self._bodies.geometry
        return GeometryReader(self._document, NodeTree(self._document))

    def _is_posed(self, node: int) -> bool:
        """Tell whether a node shows its mesh otherwise than the mesh itself says."""
        if "mesh" not in self._nodes.raw[node]:
            return False
        source = source_of(self._document, node, None, below=False)
        return isinstance(source, MeshGeometry) and is_posed(self._document, node, source)

    def _require_without(self, node: int, what: Literal["collider", "trigger"]) -> None:
        if self._parts.on(node, what) is not None:
            message = f"{self._nodes.label(node)} has a {what} already"
            raise self._nodes.error(message, "give the second one a node of its own (add_node)")

    def _placed(
        self, node: int, shape: Any, mesh: Any, carriers: tuple[Carrier, ...] = ()
    ) -> tuple[Placed, ...]:
        """Turn what was given for a shape into geometry at its places; changes nothing."""
        is_fitted = isinstance(shape, str) and shape in NAMES
        if is_fitted and (shape != Kind.MESH or (mesh is None and self._is_posed(node))):
            shape, mesh = self.fit(node, Kind(shape).value, mesh=mesh), None
        if isinstance(shape, NodeFit):
            if carriers or mesh is not None:
                raise EditError("a fitted shape has its own place", remedy="leave the offset out")
            return self._fitted(node, shape)
        source = self._source(node, shape, mesh)
        self._bodies.require_usable(source, node)
        return (Placed(source, carriers, self._bodies.volume_of(source, node)),)

    def _fitted(self, node: int, found: NodeFit) -> tuple[Placed, ...]:
        """Place what was fitted; of several parts each has a node of its own."""
        own = (Carrier(np.zeros(3), np.array(UNTURNED), np.ones(3)),)
        is_one = len(found.colliders) == 1
        result = []
        for collider, part in zip(found.colliders, found.fit.parts, strict=True):
            source = self._declared(found, collider)
            if isinstance(source, MeshGeometry):
                self._bodies.require_usable(source, node)
            elif isinstance(source, SHAPES):
                shape_object(source)
            carriers = collider.carriers if is_one else collider.carriers or own
            result.append(Placed(source, carriers, solid(part.shape).volume))
        return tuple(result)

    def _declared(self, found: NodeFit, collider: FittedCollider) -> GeometrySource | Hull | Mesh:
        """Name the fitted mesh itself where the shape is that, or its whole hull."""
        shape, is_whole = collider.shape, not (found.fit.fits or found.fit.simplified)
        if not isinstance(shape, Hull | Mesh) or found.mesh is None or not is_whole:
            return shape
        return MeshGeometry(found.mesh, convex=isinstance(shape, Hull))

    def _source(self, node: int, shape: Any, mesh: Any) -> GeometrySource:
        if isinstance(shape, str) and shape == Kind.MESH:
            return MeshGeometry(self._mesh(node, mesh), convex=False)
        if mesh is not None:
            raise EditError("mesh is for shapes made of one", remedy='use "mesh" or "hull"')
        if isinstance(shape, int | np.integer) and not isinstance(shape, bool):
            return MeshGeometry(int(shape), convex=False)
        if isinstance(shape, MeshGeometry):
            if shape.skin is not None or shape.weights is not None or shape.use_node_weights:
                remedy = "leave skin and weights out: the newest form has no place for them"
                raise EditError("a mesh with a pose of its own", remedy=remedy)
            return shape
        if isinstance(shape, SHAPES):
            shape_object(shape)
            return shape
        if isinstance(shape, str):
            raise values.refused("the shape", shape, values.nearest(shape, NAMES))
        valid = f"give a Sphere, Box, Capsule, Cylinder, Plane, MeshGeometry, {', '.join(NAMES)}"
        raise values.refused("the shape", shape, valid)

    def _mesh(self, node: int, mesh: Any) -> int:
        """Return the mesh that was named, or that of the node."""
        count = len(self._document.array("meshes"))
        if mesh is None:
            own = self._nodes.raw[node].get("mesh")
            if own is None:
                message = f"{self._nodes.label(node)} has no mesh"
                raise self._nodes.error(message, "name a node that has one, or give mesh")
            return int(own)
        if (
            isinstance(mesh, bool)
            or not isinstance(mesh, int | np.integer)
            or not 0 <= mesh < count
        ):
            raise values.refused("mesh", mesh, f"the document has {count}")
        return int(mesh)

    def _carrier(self, node: int, carriers: Sequence[Carrier], what: str) -> int:
        """Return the node that carries a shape, after making those that it needs below one."""
        name = f"{self._nodes.name(node)} {what}"
        for carrier in carriers:
            pose = Pose(carrier.translation, carrier.rotation)
            node = self._nodes.add(self._nodes.unused(name), node, pose, scale=carrier.scale)
        return node

    def _geometry(self, source: GeometrySource | Hull | Mesh, name: str) -> Object:
        """Write geometry; a surface that the file does not have yet is named for its node."""
        if isinstance(source, Hull | Mesh):
            convex = isinstance(source, Hull)
            source = MeshGeometry(self._parts.meshes.share(source, name), convex=convex)
        if isinstance(source, MeshGeometry):
            return {"mesh": source.mesh} | ({"convexHull": True} if source.convex else {})
        assert isinstance(source, SHAPES)
        return {"shape": self._parts.share("shapes", shape_object(source))}

    def _shared_filter(self, written: Object | None) -> Object:
        if written is None:
            return {}
        return {"collisionFilter": self._parts.share("collisionFilters", written)}
