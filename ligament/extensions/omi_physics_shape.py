"""OMI_physics_shape: flat shapes (2023-06), then a sub-object per type; `hull` became `convex`.

`omi.shapes` reads them.
"""

from __future__ import annotations

from ligament.gltf import references

NAME = "OMI_physics_shape"

_SHAPES = f"/extensions/{NAME}/shapes"

references.register(
    NAME,
    {
        f"/nodes/*/extensions/{NAME}!/shape": _SHAPES,
        f"{_SHAPES}/*!/mesh": "/meshes",
        f"{_SHAPES}/*!/hull/mesh": "/meshes",
        f"{_SHAPES}/*!/convex/mesh": "/meshes",
        f"{_SHAPES}/*!/trimesh/mesh": "/meshes",
    },
)
