"""KHR_collision_shapes: shapes of the seed draft (`convex`, `trimesh`) and of mid-2024 (`mesh`).

A shape goes away with the mesh that it is made of, and its colliders with the shape.
`rigid_bodies.shapes` reads them.
"""

from __future__ import annotations

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
