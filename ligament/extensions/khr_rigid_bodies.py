"""KHR_rigid_bodies (August to November 2023): the name before KHR_physics_rigid_bodies.

Joints are `physicsJointLimits`, later `physicsJoints`; shapes stand in KHR_collision_shapes.
"""

from __future__ import annotations

from ligament.gltf import references

NAME = "KHR_rigid_bodies"

_NODE = f"/nodes/*/extensions/{NAME}"
_ROOT = f"/extensions/{NAME}"
_SHAPES = "/extensions/KHR_collision_shapes/shapes"

references.register(
    NAME,
    {
        f"{_NODE}/collider!/shape": _SHAPES,
        f"{_NODE}/collider/physicsMaterial": f"{_ROOT}/physicsMaterials",
        f"{_NODE}/collider/collisionFilter": f"{_ROOT}/collisionFilters",
        f"{_NODE}/trigger!/shape": _SHAPES,
        f"{_NODE}/trigger+/nodes/*": "/nodes",
        f"{_NODE}/trigger/collisionFilter": f"{_ROOT}/collisionFilters",
        f"{_NODE}/joint!/connectedNode": "/nodes",
        f"{_NODE}/joint!/jointLimits": f"{_ROOT}/physicsJointLimits",
        f"{_NODE}/joint!/joint": f"{_ROOT}/physicsJoints",
    },
)
