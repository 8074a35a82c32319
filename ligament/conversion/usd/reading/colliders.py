"""Colliders and triggers: their shapes, surfaces and collision filters.

Groups and filtered pairs become filters: colliders in the same groups and pairs form a class, each
class is a separate system, and its filter names the systems that it does not collide with. That
expresses every rule of UsdPhysics exactly.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Any

import numpy as np
from msgspec import structs
from pxr import Sdf, UsdGeom, UsdPhysics, UsdShade

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.conversion.usd.reading.meshes import Meshes
from ligament.conversion.usd.reading.nodes import Nodes, is_trigger, label
from ligament.conversion.usd.reading.primitives import TURNS, Primitive, primitive
from ligament.conversion.usd.reading.stage import Stage, has_api
from ligament.extensions.rigid_bodies import (
    Collider,
    CollisionFilter,
    Combine,
    GeometrySource,
    Material,
    Trigger,
)
from ligament.extensions.shapes import Box, ImplicitShape, MeshGeometry, Plane, Sphere
from ligament.physics.shapes import scaled

_COMBINES = {
    "average": Combine.AVERAGE,
    "min": Combine.MINIMUM,
    "max": Combine.MAXIMUM,
    "multiply": Combine.MULTIPLY,
}
_APPROXIMATIONS = ("none", "convexHull", "boundingCube", "boundingSphere")
_ROOT = Sdf.Path.absoluteRootPath
MOST_CLASSES = 1000
"""Most classes that get filters; each may name all others."""


class Colliders:
    """Reads colliders and triggers by node; `prims` are those of the colliders."""

    def __init__(self, stage: Stage, nodes: Nodes, meshes: Meshes) -> None:
        self.stage, self.nodes, self.meshes = stage, nodes, meshes
        self.prims: dict[int, Any] = {}
        self.solid: dict[int, Collider] = {}
        self.triggers: dict[int, Trigger] = {}

    def read(self) -> None:
        """Read all colliders; those along other axes than Y get their own node."""
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
        self.stage.lose(prim, "a collider", reason, "it is left out")
        return False

    def _placed(self, prim: Any, node: int) -> tuple[int, GeometrySource] | None:
        """Return the node of a collider and its geometry; None, with a loss, if it has none."""
        if prim.IsA(UsdGeom.Mesh):
            return self._of_mesh(prim, node)
        found = primitive(self.stage, prim)
        if found is None:
            reason = f"there are no shapes of type {prim.GetTypeName() or 'none'} in glTF"
            self.stage.lose(prim, "a collider", reason, "nothing collides with it")
            return None
        if isinstance(found.shape, Plane):  # infinite in UsdPhysics, whatever its visible size
            found = Primitive(Plane(), found.axis)
        shape = scaled(found.shape, np.diag(self._scale(prim)))
        if not isinstance(shape, ImplicitShape):
            self.stage.lose(prim, "a collider", "it has no extent", "nothing collides with it")
            return None
        # A shape ignores the signs of its own node's scale, and is mirrored with those above it.
        is_mirrored = min(self.nodes.raw[node].get("scale", (1.0,))) < 0
        if found.axis == "Y" and not is_mirrored:
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
        """Tell whether a mesh collides by its hull; report approximations that glTF lacks."""
        if wanted == "convexDecomposition":
            reason = "glTF has no decomposition of meshes"
            self.stage.lose(prim, wanted, reason, "one convex hull is used instead")
        elif wanted not in _APPROXIMATIONS:
            reason = "glTF has no such approximation"
            self.stage.lose(prim, wanted, reason, "the mesh itself is used")
        return wanted in ("convexHull", "convexDecomposition")

    def _below(self, prim: Any, node: int, matrix: Any) -> int:
        return self.nodes.add(node, f"{label(prim)} shape", matrix)

    def _material(self, prim: Any) -> Material | None:
        """Return the physics material of a prim; None where it declares none."""
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


# --- filters ---


@dataclasses.dataclass(frozen=True)
class _Class:
    """The groups of a collider, and the pairs that it is on one side of (number, side)."""

    groups: frozenset[str] = frozenset()
    sides: frozenset[tuple[int, int]] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.groups or self.sides)


class Filters:
    """Filters of all colliders."""

    def __init__(self, stage: Stage, nodes: Nodes) -> None:
        self.stage = stage
        self.groups = {
            str(prim.GetPath()): UsdPhysics.CollisionGroup(prim)
            .GetCollidersCollectionAPI()
            .ComputeMembershipQuery()
            for prim in stage.prims()
            if prim.IsA(UsdPhysics.CollisionGroup)
        }
        self.groups_at: dict[Any, list[str]] = {}
        for name, query in self.groups.items():
            has_rules = query.UsesPathExpansionRuleMap()  # else an expression
            for path in query.GetAsPathExpansionRuleMap() if has_rules else [_ROOT]:
                self.groups_at.setdefault(path, []).append(name)
        self.sides: dict[Any, list[tuple[tuple[int, int], Any]]] = {}
        for number, pair in enumerate(_pairs(stage, nodes)):
            for side, member in enumerate(pair):
                self.sides.setdefault(member.GetPath(), []).append(((number, side), member))
        if self.groups:
            self.table = UsdPhysics.CollisionGroup.ComputeCollisionGroupTable(stage.raw)

    def apply(self, colliders: dict[int, Collider], prims: dict[int, Any]) -> dict[int, Collider]:
        """Return colliders with filters; `prims` are theirs by node."""
        if not self.groups and not self.sides:
            return colliders
        classes = {node: self._class(prims[node]) for node in colliders}
        distinct = list(dict.fromkeys(each for each in classes.values() if each))
        if len(distinct) > MOST_CLASSES:
            what = f"collision filters of {len(distinct)} kinds of colliders"
            reason = f"up to {MOST_CLASSES} are written"
            self.stage.lose("/", what, reason, "everything collides with everything")
            return colliders
        filters = self._filters(distinct)
        return {
            node: structs.replace(collider, filter=filters.get(classes[node]))
            for node, collider in colliders.items()
        }

    def _class(self, prim: Any) -> _Class:
        path = prim.GetPath()
        prefixes = [_ROOT, *path.GetPrefixes()]
        named = {name for prefix in prefixes for name in self.groups_at.get(prefix, ())}
        groups = frozenset(name for name in named if self.groups[name].IsPathIncluded(path))
        above = _body_above(prim)
        sides = frozenset(
            side
            for prefix in prefixes
            for side, member in self.sides.get(prefix, ())
            if not _is_body(member) or member == above
        )
        return _Class(groups, sides)

    def _filters(self, classes: list[_Class]) -> dict[_Class, CollisionFilter]:
        names = {each: self._name(each, number) for number, each in enumerate(classes)}
        barred = {
            each: frozenset(names[other] for other in classes if not self._meet(each, other))
            for each in classes
        }
        named = frozenset().union(*barred.values())
        return {
            each: CollisionFilter(frozenset([names[each]]), None, barred[each] or None)
            for each in classes
            if barred[each] or names[each] in named
        }

    def _meet(self, a: _Class, b: _Class) -> bool:
        if any((number, 1 - side) in b.sides for number, side in a.sides):
            return False
        return all(
            self.table.IsCollisionEnabled(Sdf.Path(x), Sdf.Path(y))
            for x in a.groups
            for y in b.groups
        )

    def _name(self, each: _Class, number: int) -> str:
        names = [path.rpartition("/")[2] for path in sorted(each.groups)]
        others = {path.rpartition("/")[2] for path in self.groups if path not in each.groups}
        is_plain = len(set(names)) == len(names) and others.isdisjoint(names)
        shown = "+".join(names) if is_plain and names else "class"
        return shown if is_plain and names and not each.sides else f"{shown} {number}"


def _pairs(stage: Stage, nodes: Nodes) -> Iterator[tuple[Any, Any]]:
    """Yield pairs of prims whose colliders do not collide, each pair once.

    Pairs excluded by a joint are left out: joints exclude them in both formats.
    """
    known = {frozenset(pair) for pair in _joined(stage, nodes)}
    for prim in stage.prims():
        if not has_api(prim, "PhysicsFilteredPairsAPI"):
            continue
        for path in prim.GetRelationship("physics:filteredPairs").GetTargets():
            target = stage.raw.GetPrimAtPath(path)
            if not target:
                reason = f"there is no {path}"
                stage.lose(prim, "a filtered pair", reason, "no motion changes")
                continue
            pair = frozenset(str(each.GetPath()) for each in (prim, target))
            if pair not in known:
                known.add(pair)
                yield prim, target


def _joined(stage: Stage, nodes: Nodes) -> Iterator[tuple[str, str]]:
    """Yield the paths excluded by joints: bodies, and colliders on the nodes that they name."""
    solid = cache(lambda path: tuple(_solid(stage.raw.GetPrimAtPath(path), nodes)))
    for prim in stage.prims():
        if not prim.IsA(UsdPhysics.Joint):
            continue
        is_on = stage.attributes.flag(prim, "physics:jointEnabled", default=True)
        meet = stage.attributes.flag(prim, "physics:collisionEnabled", default=False)
        ends = [prim.GetRelationship(f"physics:body{end}").GetTargets()[:1] for end in (0, 1)]
        prims = [stage.raw.GetPrimAtPath(path) for end in ends for path in end]
        if is_on and not meet and len(prims) == 2 and all(prims):
            yield from product(*(solid(each.GetPath()) for each in prims))


def _solid(prim: Any, nodes: Nodes) -> Iterator[str]:
    if _is_body(prim) or has_api(prim, "PhysicsCollisionAPI"):
        yield str(prim.GetPath())
    for child in prim.GetChildren():
        path = str(child.GetPath())
        if path in nodes.folded and has_api(child, "PhysicsCollisionAPI"):
            yield path


def _body_above(prim: Any) -> Any:
    """Return the nearest body at or above a prim, None where there is none."""
    while prim and not _is_body(prim):
        prim = prim.GetParent()
    return prim or None


def _is_body(prim: Any) -> bool:
    return has_api(prim, "PhysicsRigidBodyAPI")
