"""MSFT_rigid_bodies and MSFT_collision_primitives (frozen in August 2023).

A shape is called a collider there, also where a collider or a trigger names it.
"""

from __future__ import annotations

from ligament.gltf import references

NAME = "MSFT_rigid_bodies"
SHAPES_NAME = "MSFT_collision_primitives"

_NODE = f"/nodes/*/extensions/{NAME}"
_ROOT = f"/extensions/{NAME}"
_SHAPES = f"/extensions/{SHAPES_NAME}/colliders"

references.register(
    NAME,
    {
        f"{_NODE}/collider!/collider": _SHAPES,
        f"{_NODE}/collider/physicsMaterial": f"{_ROOT}/physicsMaterials",
        f"{_NODE}/collider/collisionFilter": f"{_ROOT}/collisionFilters",
        f"{_NODE}/trigger!/collider": _SHAPES,
        f"{_NODE}/trigger+/nodes/*": "/nodes",
        f"{_NODE}/trigger/collisionFilter": f"{_ROOT}/collisionFilters",
        f"{_NODE}/joint!/connectedNode": "/nodes",
        f"{_NODE}/joint!/jointLimits": f"{_ROOT}/physicsJointLimits",
    },
)

references.register(
    SHAPES_NAME,
    {
        f"/nodes/*/extensions/{SHAPES_NAME}!/collider": _SHAPES,
        f"{_SHAPES}/*!/convex/mesh": "/meshes",
        f"{_SHAPES}/*!/trimesh/mesh": "/meshes",
    },
)
