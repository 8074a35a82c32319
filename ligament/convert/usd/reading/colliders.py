"""Solid shapes: which prims collide, and what their shapes are in glTF."""

from __future__ import annotations

from typing import Any

import numpy as np
from pxr import UsdGeom, UsdShade

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.convert.usd.reading.meshes import Meshes
from ligament.convert.usd.reading.nodes import Nodes, is_trigger, label
from ligament.convert.usd.reading.primitives import TURNS, Primitive, primitive
from ligament.convert.usd.reading.stage import Stage, has_api
from ligament.extensions.declarations import (
    Box,
    Collider,
    Combine,
    GeometrySource,
    ImplicitShape,
    Material,
    MeshGeometry,
    Plane,
    Sphere,
    Trigger,
)
from ligament.physics.shapes import scaled

_COMBINES = {
    "average": Combine.AVERAGE,
    "min": Combine.MINIMUM,
    "max": Combine.MAXIMUM,
    "multiply": Combine.MULTIPLY,
}
_APPROXIMATIONS = ("none", "convexHull", "boundingCube", "boundingSphere")


class Colliders:
    """Reads colliders and triggers by node; `prims` are those of both."""

    def __init__(self, stage: Stage, nodes: Nodes, meshes: Meshes) -> None:
        self.stage, self.nodes, self.meshes = stage, nodes, meshes
        self.prims: dict[int, Any] = {}
        self.solid: dict[int, Collider] = {}
        self.triggers: dict[int, Trigger] = {}

    def read(self) -> None:
        """Read all; those along other axes than Y get a node of their own."""
        for node, prim in self.nodes.parts:
            if not has_api(prim, "PhysicsCollisionAPI") or not self._is_on(prim):
                continue
            placed = self._placed(prim, node)
            if placed is None:
                continue
            place, geometry = placed
            if is_trigger(prim):
                self.triggers[place] = Trigger(node=place, geometry=geometry)
            else:
                self.prims[place], material = prim, self._material(prim)
                self.solid[place] = Collider(node=place, geometry=geometry, material=material)

    def _is_on(self, prim: Any) -> bool:
        is_enabled = self.stage.attributes.flag(prim, "physics:collisionEnabled", default=True)
        if is_enabled or is_trigger(prim):
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
        shape = scaled(found.shape, np.diag(self._scale(prim)))
        if not isinstance(shape, ImplicitShape):
            self.stage.lose(prim, "a collider", "it has no extent", "nothing collides with it")
            return None
        if found.axis == "Y":
            return node, shape
        turned = np.asarray(tf.compose(np.zeros(3), TURNS[found.axis]))
        return self._below(prim, node, turned), shape

    def _scale(self, prim: Any) -> Floats:
        """Return the scale (3,) of a prim that its node does not have."""
        return self.nodes.folded.get(str(prim.GetPath()), np.ones(3))

    def _of_mesh(self, prim: Any, node: int) -> tuple[int, GeometrySource] | None:
        scale = self._scale(prim)
        surface = self.meshes.surface(prim, scale)
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
        mesh = self.meshes.mesh(prim, scale)
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
