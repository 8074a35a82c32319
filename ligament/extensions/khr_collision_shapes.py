"""KHR_collision_shapes: shapes of the seed draft (`convex`, `trimesh`) and of mid-2024 (`mesh`).

A shape goes away with the mesh that it is made of, and its colliders with the shape.
"""

from __future__ import annotations

from ligament.extensions.rigid_bodies.shapes import IMPLICIT, ShapeForm
from ligament.gltf import references

NAME = "KHR_collision_shapes"

_SHAPES = f"/extensions/{NAME}/shapes"

references.register(
    NAME,
    {
        f"/nodes/*/extensions/{NAME}!/shape": _SHAPES,
        f"{_SHAPES}/*!/convex/mesh": "/meshes",
        f"{_SHAPES}/*!/trimesh/mesh": "/meshes",
        f"{_SHAPES}/*!/mesh/mesh": "/meshes",
        f"{_SHAPES}/*/mesh/skin": "/skins",
    },
)

FORM = ShapeForm(
    pointer=_SHAPES,
    types=(*IMPLICIT, "convex", "trimesh", "mesh"),
    compound_code="KHR_COLLISION_SHAPES_COMPOUND_SHAPE",
)
