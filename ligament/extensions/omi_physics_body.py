"""OMI_physics_body: flat on the node and without indices (2023), {motion, collider, trigger} later.

Shapes stand in OMI_physics_shape; materials and filters (2024-10) in this extension itself.
`omi.bodies` reads them.
"""

from __future__ import annotations

from ligament.gltf import references

NAME = "OMI_physics_body"

_NODE = f"/nodes/*/extensions/{NAME}"
_ROOT = f"/extensions/{NAME}"
_SHAPES = "/extensions/OMI_physics_shape/shapes"

references.register(
    NAME,
    {
        f"{_NODE}/collider!/shape": _SHAPES,
        f"{_NODE}/collider/physicsMaterial": f"{_ROOT}/physicsMaterials",
        f"{_NODE}/collider/collisionFilter": f"{_ROOT}/collisionFilters",
        f"{_NODE}/trigger!/shape": _SHAPES,
        f"{_NODE}/trigger+/nodes/*": "/nodes",
        f"{_NODE}/trigger/collisionFilter": f"{_ROOT}/collisionFilters",
    },
)
