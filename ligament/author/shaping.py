"""Geometry for colliders and triggers, out of what people give for a shape."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from ligament.author import values
from ligament.author.fitted import FITTED, fit_mesh
from ligament.author.frames import UNTURNED
from ligament.author.objects import SHAPES, Object, shape_object
from ligament.author.workspace import Workspace
from ligament.errors import EditError
from ligament.extensions.declarations import GeometrySource, ImplicitShape, MeshGeometry
from ligament.physics.scene import Pose

ShapeName: TypeAlias = Literal["auto", "box", "sphere", "capsule", "cylinder", "hull", "mesh"]

AnyShape: TypeAlias = ImplicitShape | MeshGeometry | ShapeName | int
"""A shape with its sizes, a mesh (by index: its surface), or a name: "mesh" and "hull" of the mesh
of the node, the others fitted around that mesh."""

AT_ORIGIN = Pose(np.zeros(3), np.array(UNTURNED))


class Placed(NamedTuple):
    """A shape and where it lies on its node."""

    source: GeometrySource
    pose: Pose


class ShapeWriter(Workspace):
    """Turns shapes into the JSON of geometry, on nodes where they lie."""

    def _require_without(self, node: int, what: Literal["collider", "trigger"]) -> None:
        if self._parts.on(node, what) is not None:
            message = f"{self._nodes.label(node)} has a {what} already"
            raise self._nodes.error(message, "give the second one a node of its own (add_node)")

    def _placed(self, node: int, shape: Any, mesh: Any, pose: Pose) -> Placed:
        """Turn what was given for a shape into geometry at a place."""
        if isinstance(shape, str) and shape in FITTED:
            fit = fit_mesh(self._document, self._mesh(node, mesh), shape)
            if is_off(pose):
                raise EditError("a fitted shape has its own place", remedy="leave the offset out")
            placed = Placed(fit.source, fit.pose)
        else:
            placed = Placed(self._source(node, shape, mesh), pose)
        self._bodies.require_usable(placed.source, node)
        return placed

    def _source(self, node: int, shape: Any, mesh: Any) -> GeometrySource:
        if isinstance(shape, str) and shape in ("mesh", "hull"):
            return MeshGeometry(self._mesh(node, mesh), convex=shape == "hull")
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
        names = (*FITTED, "hull", "mesh")
        if isinstance(shape, str):
            raise values.refused("the shape", shape, values.nearest(shape, names))
        valid = f"give a Sphere, Box, Capsule, Cylinder, Plane, MeshGeometry, {', '.join(names)}"
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

    def _carrier(self, node: int, pose: Pose, what: str) -> int:
        """Return the node that carries a shape: a new one below where the shape lies off it."""
        if not is_off(pose):
            return node
        name = self._nodes.unused(f"{self._nodes.name(node)} {what}")
        return self._nodes.add(name, node, pose)

    def _geometry(self, source: GeometrySource) -> Object:
        if isinstance(source, MeshGeometry):
            return {"mesh": source.mesh} | ({"convexHull": True} if source.convex else {})
        assert isinstance(source, SHAPES)
        return {"shape": self._parts.share("shapes", shape_object(source))}

    def _shared_filter(self, written: Object | None) -> Object:
        if written is None:
            return {}
        return {"collisionFilter": self._parts.share("collisionFilters", written)}


def is_off(pose: Pose) -> bool:
    """Tell whether a shape at this pose needs a node of its own."""
    return bool(np.any(pose.translation) or np.any(pose.rotation[:3]))
