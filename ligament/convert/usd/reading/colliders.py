"""Solid shapes: which prims collide, and what their shapes are in glTF."""

from __future__ import annotations

from typing import Any

import numpy as np
from pxr import UsdGeom, UsdShade

from ligament import transforms as tf
from ligament.convert.usd.reading.meshes import Meshes
from ligament.convert.usd.reading.nodes import Nodes, label
from ligament.convert.usd.reading.primitives import TURNS, Primitive, primitive
from ligament.convert.usd.reading.stage import Stage, has_api
from ligament.extensions.declarations import (
    Box,
    Collider,
    Combine,
    GeometrySource,
    Material,
    MeshGeometry,
    Plane,
    Sphere,
)

_COMBINES = {
    "average": Combine.AVERAGE,
    "min": Combine.MINIMUM,
    "max": Combine.MAXIMUM,
    "multiply": Combine.MULTIPLY,
}
_APPROXIMATIONS = ("none", "convexHull", "boundingCube", "boundingSphere")


class Colliders:
    """Reads colliders; `prims` are theirs by node."""

    def __init__(self, stage: Stage, nodes: Nodes, meshes: Meshes) -> None:
        self.stage, self.nodes, self.meshes = stage, nodes, meshes
        self.prims: dict[int, Any] = {}

    def read(self) -> dict[int, Collider]:
        """Return all colliders by node; those along other axes than Y get a node of their own."""
        found: dict[int, Collider] = {}
        for node, prim in enumerate(self.nodes.prims):
            if not has_api(prim, "PhysicsCollisionAPI") or not self._is_on(prim):
                continue
            placed = self._placed(prim, node)
            if placed is None:
                continue
            place, geometry = placed
            self.prims[place] = prim
            found[place] = Collider(node=place, geometry=geometry, material=self._material(prim))
        return found

    def _is_on(self, prim: Any) -> bool:
        if self.stage.attributes.flag(prim, "physics:collisionEnabled", default=True):
            return True
        reason = "it is switched off, and glTF has no switch"
        self.stage.lose(prim, "a collider", reason, "it is left out, as if it were not there")
        return False

    def _placed(self, prim: Any, node: int) -> tuple[int, GeometrySource] | None:
        """Return a geometry and the node that it lies on; None, with a loss, where it has none."""
        if prim.IsA(UsdGeom.Mesh):
            return self._of_mesh(prim, node)
        found = primitive(self.stage, prim)
        if found is None:
            reason = f"there are no shapes of type {prim.GetTypeName() or 'none'} in glTF"
            self.stage.lose(prim, "a collider", reason, "nothing collides with it")
            return None
        if isinstance(found.shape, Plane):  # endless in UsdPhysics, whatever is seen of it
            found = Primitive(Plane(), found.axis)
        if found.axis == "Y":
            return node, found.shape
        turned = np.asarray(tf.compose(np.zeros(3), TURNS[found.axis]))
        return self._below(prim, node, turned), found.shape

    def _of_mesh(self, prim: Any, node: int) -> tuple[int, GeometrySource] | None:
        surface = self.meshes.surface(prim)
        if surface is None:
            return None
        wanted = "none"
        if has_api(prim, "PhysicsMeshCollisionAPI"):
            wanted = self.stage.attributes.token(prim, "physics:approximation", "none")
        if wanted in ("boundingCube", "boundingSphere"):
            points = surface.points[np.unique(surface.triangles)]
            low, high = points.min(axis=0), points.max(axis=0)
            place = np.eye(4)
            place[:3, 3] = (low + high) / 2
            shape: Box | Sphere = Box(tuple((high - low).tolist()))
            if wanted == "boundingSphere":
                shape = Sphere(float(np.linalg.norm(points - place[:3, 3], axis=1).max()))
            return self._below(prim, node, place), shape
        mesh = self.meshes.mesh(prim)
        assert mesh is not None  # it has a surface
        return node, MeshGeometry(mesh, convex=self._is_convex(prim, wanted))

    def _is_convex(self, prim: Any, wanted: str) -> bool:
        """Tell whether the hull of a mesh stands for it; told where neither is what was wanted."""
        if wanted == "convexDecomposition":
            reason = "glTF has no decomposition of meshes"
            self.stage.lose(prim, wanted, reason, "one convex hull takes its place")
        elif wanted not in _APPROXIMATIONS:
            reason = "glTF has no such approximation"
            self.stage.lose(prim, wanted, reason, "the mesh itself takes its place")
        return wanted in ("convexHull", "convexDecomposition")

    def _below(self, prim: Any, node: int, matrix: Any) -> int:
        return self.nodes.add(node, f"{label(prim)} shape", matrix)

    def _material(self, prim: Any) -> Material | None:
        """Return what a prim is made of; None where nothing says it, which is up to the player."""
        material = physics_material(prim)
        if material is None:
            return None
        attributes = self.stage.attributes
        dynamic = attributes.number(material, "physics:dynamicFriction", 0.0, least=0)
        return Material(
            static_friction=attributes.number(material, "physics:staticFriction", 0.0, least=0),
            dynamic_friction=dynamic,
            restitution=attributes.number(material, "physics:restitution", 0.0, least=0),
            friction_combine=self._combine(material, "physxMaterial:frictionCombineMode"),
            restitution_combine=self._combine(material, "physxMaterial:restitutionCombineMode"),
        )

    def _combine(self, material: Any, name: str) -> Combine | None:
        return _COMBINES.get(self.stage.attributes.token(material, name, "", tuple(_COMBINES)))


def physics_material(prim: Any) -> Any:
    """Return the prim of the physics material that is bound to a prim, or None."""
    bound = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial("physics")[0]
    material = bound.GetPrim() if bound else None
    return material if material and has_api(material, "PhysicsMaterialAPI") else None
