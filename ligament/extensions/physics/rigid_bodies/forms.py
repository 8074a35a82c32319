"""The extensions of shapes, and the shapes of glTF 2.1: where they stand and what they assume."""

from __future__ import annotations

from ligament.extensions.declarations import Capsule, Cylinder
from ligament.extensions.physics.rigid_bodies.shapes import IMPLICIT, ROUND_MEMBERS, ShapeForm
from ligament.extensions.physics.rigid_bodies.surfaces import FILTER_LISTS
from ligament.extensions.registry import (
    KHR_COLLISION_SHAPES,
    KHR_IMPLICIT_SHAPES,
    MSFT_COLLISION_PRIMITIVES,
)

KHR_COLLISION = ShapeForm(
    pointer=f"/extensions/{KHR_COLLISION_SHAPES}/shapes",
    types=(*IMPLICIT, "convex", "trimesh", "mesh"),
    compound_code="KHR_COLLISION_SHAPES_COMPOUND_SHAPE",
)

KHR_IMPLICIT = ShapeForm(
    pointer=f"/extensions/{KHR_IMPLICIT_SHAPES}/shapes",
    types=(*IMPLICIT, "plane"),
    compound_code="KHR_IMPLICIT_SHAPES_COMPOUND_SHAPE",
)

CORE = ShapeForm(
    pointer="/shapes",
    types=(*IMPLICIT, "plane"),
    compound_code="KHR_IMPLICIT_SHAPES_COMPOUND_SHAPE",
    capsule=Capsule(1.0, 0.5, 0.5),
    cylinder=Cylinder(2.0, 0.5, 0.5),
    plane_members=frozenset({"sizeX", "sizeZ"}),
)
"""glTF 2.1 (a draft); planes have one side there."""

MSFT = ShapeForm(
    pointer=f"/extensions/{MSFT_COLLISION_PRIMITIVES}/colliders",
    types=(*IMPLICIT, "convex", "trimesh"),
    compound_code="KHR_COLLISION_SHAPES_COMPOUND_SHAPE",
    round_members=ROUND_MEMBERS | {"radius"},
    other_members=FILTER_LISTS,
    is_typed=False,
)
"""August 2023; before, there were no types, one radius, and a filter in every shape."""
