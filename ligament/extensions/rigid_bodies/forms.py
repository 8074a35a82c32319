"""The extensions of shapes, and the shapes of glTF 2.1: where they stand and what they assume."""

from __future__ import annotations

from ligament.extensions import khr_collision_shapes, khr_implicit_shapes, msft_rigid_bodies
from ligament.extensions.declarations import Capsule, Cylinder
from ligament.extensions.rigid_bodies.shapes import IMPLICIT, ROUND_MEMBERS, ShapeForm
from ligament.extensions.rigid_bodies.surfaces import FILTER_LISTS

KHR_COLLISION = ShapeForm(
    pointer=f"/extensions/{khr_collision_shapes.NAME}/shapes",
    types=(*IMPLICIT, "convex", "trimesh", "mesh"),
    compound_code="KHR_COLLISION_SHAPES_COMPOUND_SHAPE",
)

KHR_IMPLICIT = ShapeForm(
    pointer=f"/extensions/{khr_implicit_shapes.NAME}/shapes",
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
    pointer=f"/extensions/{msft_rigid_bodies.SHAPES_NAME}/colliders",
    types=(*IMPLICIT, "convex", "trimesh"),
    compound_code="KHR_COLLISION_SHAPES_COMPOUND_SHAPE",
    round_members=ROUND_MEMBERS | {"radius"},
    other_members=FILTER_LISTS,
    is_typed=False,
)
"""August 2023; before, there were no types, one radius, and a filter in every shape."""
