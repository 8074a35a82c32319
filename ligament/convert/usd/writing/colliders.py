"""Colliders as prims of their own below the nodes, with surfaces and groups."""

from __future__ import annotations

from itertools import combinations
from typing import Any, Final

import numpy as np
from pxr import Usd, UsdGeom, UsdPhysics, UsdShade

from ligament.convert.usd.writing.shapes import form_of
from ligament.convert.usd.writing.values import place_by_matrix
from ligament.convert.usd.writing.world import Placed, World, is_singular, relationship
from ligament.extensions.declarations import Material, MotionKind
from ligament.physics.filters import compile_filters
from ligament.physics.materials import Surface, combine
from ligament.physics.scene import Collider

PHYSICS_PURPOSE: Final = "physics"
_SAME: Final = 1e-12


class Colliders:
    """Writes the colliders of a scene; `paths` are those of their prims, in the same order."""

    def __init__(self, world: World) -> None:
        self.world, self.source = world, world.source
        self.colliders = world.source.scene.colliders
        self.paths: list[str] = []
        self._surfaces: dict[Material, Any] = {}

    def write(self) -> None:
        """Write all colliders, their surfaces, and who meets whom."""
        for collider in self.colliders:
            self.paths.append(self._collider(collider))
        self._write_groups()
        self._tell_combining()

    def of_body(self, body: int) -> list[str]:
        """Return the paths of the solid colliders of a body."""
        pairs = zip(self.colliders, self.paths, strict=True)
        return [path for each, path in pairs if each.body == body and not each.is_sensor]

    def _collider(self, collider: Collider) -> str:
        is_fixed = self.source.scene.bodies[collider.body].kind is MotionKind.STATIC
        form = form_of(self.source, collider, is_fixed=is_fixed)
        holder = self._holder(collider)
        name = "trigger" if collider.is_sensor else "collider"
        prim = self.world.define(form.kind, holder.path, name, name)
        form.fill(prim)
        wanted = self.world.rigid(collider.node) @ form.offset
        within = np.asarray(np.linalg.solve(holder.matrix, wanted), np.float64)
        if np.abs(within - np.eye(4)).max() > _SAME:
            place_by_matrix(prim, within)
        UsdGeom.Imageable(prim).CreatePurposeAttr(UsdGeom.Tokens.guide)
        api = UsdPhysics.CollisionAPI.Apply(prim)
        form.collide(prim)
        if collider.is_sensor:
            api.CreateCollisionEnabledAttr(False)
            prim.SetCustomDataByKey("ligament", {"trigger": True})
        else:
            self._bind(prim, collider.material)
        self._tell(collider)
        return str(prim.GetPath())

    def _holder(self, collider: Collider) -> Placed:
        """Return the prim of a node, or of its body where the node's own scale is 0."""
        holder = self.world.holders[collider.node]
        if not is_singular(holder.matrix[:3, :3]):
            return holder
        return self.world.bodies[self.source.scene.bodies[collider.body].node]

    def _tell(self, collider: Collider) -> None:
        pointer = self.source.collider_pointer(collider.node)
        if collider.is_sensor:
            effect = "its shape is there, switched off, and reports nothing"
            self.source.lose(pointer, "a trigger", "UsdPhysics has none", effect)
        elif collider.moves:
            reason = "engines read the place of a collider in its body once"
            effect = "it is seen to move, and touches where it was at the start"
            self.source.lose(pointer, "a collider that an animation moves", reason, effect)

    # --- surfaces ---

    def _bind(self, prim: Any, material: Material) -> None:
        if material not in self._surfaces:
            self._surfaces[material] = self._surface(material)
        UsdShade.MaterialBindingAPI.Apply(prim).Bind(
            self._surfaces[material],
            UsdShade.Tokens.weakerThanDescendants,
            PHYSICS_PURPOSE,
        )

    def _surface(self, material: Material) -> Any:
        scope = self.world.scope("PhysicsMaterials")
        prim = self.world.define("Material", scope, "surface", "surface")
        api = UsdPhysics.MaterialAPI.Apply(prim)
        api.CreateStaticFrictionAttr(material.static_friction)
        api.CreateDynamicFrictionAttr(material.dynamic_friction)
        api.CreateRestitutionAttr(material.restitution)
        return UsdShade.Material(prim)

    def _tell_combining(self) -> None:
        """Say where two surfaces make something else than the mean of both."""
        first: dict[Material, Collider] = {}
        for collider in self.colliders:
            if not collider.is_sensor:
                first.setdefault(collider.material, collider)
        worst: dict[Material, tuple[float, Surface, Surface]] = {}
        for a, b in [*combinations(first, 2), *((each, each) for each in first)]:
            wanted, mean = combine(a, b), _mean(a, b)
            miss = float(np.abs(np.subtract(wanted, mean)).max())
            if miss > 0 and miss > worst.get(a, (0.0,))[0]:
                worst[a] = (miss, wanted, mean)
        for material, (_, wanted, mean) in worst.items():
            self.source.lose(
                self.source.collider_pointer(first[material].node),
                "how its surface combines with others",
                "UsdPhysics has no modes, and engines take the mean",
                f"{_told(mean)} instead of {_told(wanted)} at worst",
            )

    # --- groups ---

    def _write_groups(self) -> None:
        """Write a group for every class of filters that does not meet everybody."""
        masks = compile_filters([None if c.is_sensor else c.filter for c in self.colliders])
        picky = [int(k) for k in np.flatnonzero(~masks.matrix.all(axis=1))]
        if not picky:
            return
        scope = self.world.scope("CollisionGroups")
        groups = {k: self.world.define("PhysicsCollisionGroup", scope, "group", "") for k in picky}
        for k, prim in groups.items():
            apart = [
                str(groups[int(other)].GetPath()) for other in np.flatnonzero(~masks.matrix[k])
            ]
            group = UsdPhysics.CollisionGroup(prim)
            relationship(prim, group.CreateFilteredGroupsRel().GetName(), apart)
            members = [
                path
                for path, of, each in zip(self.paths, masks.classes, self.colliders, strict=True)
                if of == k and not each.is_sensor
            ]
            included = Usd.CollectionAPI(prim, "colliders").CreateIncludesRel()
            relationship(prim, included.GetName(), members)


def _mean(a: Material, b: Material) -> Surface:
    return Surface(
        (a.static_friction + b.static_friction) / 2,
        (a.dynamic_friction + b.dynamic_friction) / 2,
        (a.restitution + b.restitution) / 2,
    )


def _told(surface: Surface) -> str:
    friction = f"friction {surface.static_friction:g}"
    if surface.dynamic_friction != surface.static_friction:
        friction += f" and {surface.dynamic_friction:g}"
    return f"{friction}, restitution {surface.restitution:g}"
