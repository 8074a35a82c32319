"""Plans of colliders: everything about them that does not depend on the bodies that forces move."""

from __future__ import annotations

import dataclasses

from ligament.physics.engines.rapier.world.shapes import ShapeBuilder
from ligament.physics.engines.rapier.world.surfaces import SurfacePlan, plan_surfaces
from ligament.physics.engines.rapier.world.tiles import MakeTile, find_tiles
from ligament.physics.filters import Masks, compile_filters
from ligament.physics.scene import Body, Collider, Scene


@dataclasses.dataclass(frozen=True, eq=False)
class ColliderPlan:
    """Filters, surfaces, tiles and shapes of the colliders of a scene.

    Worlds whose scenes differ in other parts share one.
    """

    scene: Scene
    masks: Masks
    surfaces: SurfacePlan
    tiles: dict[int, MakeTile]
    shapes: ShapeBuilder


def plan_colliders(scene: Scene, like: ColliderPlan | None = None) -> ColliderPlan:
    """Return the plan of a scene; what is the same in another scene is taken from its plan."""
    if like is None or not _has_same_geometry(scene, like.scene):
        masks = compile_filters([c.filter for c in scene.colliders])
        surfaces, tiles = plan_surfaces(scene, masks), find_tiles(scene, masks)
        return ColliderPlan(scene, masks, surfaces, tiles, ShapeBuilder())
    pairs = zip(scene.colliders, like.scene.colliders, strict=True)
    if all(a.material is b.material for a, b in pairs):
        return like
    surfaces = plan_surfaces(scene, like.masks)
    return dataclasses.replace(like, scene=scene, surfaces=surfaces)


def _has_same_geometry(scene: Scene, other: Scene) -> bool:
    """Tell whether two scenes differ at most in materials and in bodies that forces move."""
    if len(scene.bodies) != len(other.bodies) or len(scene.colliders) != len(other.colliders):
        return False
    bodies = zip(scene.bodies, other.bodies, strict=True)
    colliders = zip(scene.colliders, other.colliders, strict=True)
    return all(_is_same_body(a, b) for a, b in bodies) and (
        scene.colliders is other.colliders or all(_is_same_shape(a, b) for a, b in colliders)
    )


def _is_same_body(a: Body, b: Body) -> bool:
    return a is b or (a.is_free and b.is_free)


def _is_same_shape(a: Collider, b: Collider) -> bool:
    if a is b:
        return True
    is_same = a.shape is b.shape and a.pose is b.pose and a.filter is b.filter
    flags = (a.body, a.is_sensor, a.moves, a.changes)
    return is_same and flags == (b.body, b.is_sensor, b.moves, b.changes)
