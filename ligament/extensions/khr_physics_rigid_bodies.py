"""KHR_physics_rigid_bodies: bodies, colliders, triggers, joints, materials and filters.

Seed draft of March 2024 (`collider.shape`), October 2024 (`collider.geometry.shape` or `.node`)
and January 2026 (`collider.geometry.mesh`). One writer spells the node's key
`KHR_physics_rigid_body`; what it holds counts in the arrays of the right name. Reading them is
the task of `rigid_bodies.khr`, apart from here so that the table stays cheap to import.
"""

from __future__ import annotations

from ligament.gltf import references

NAME = "KHR_physics_rigid_bodies"
NODE_KEYS = (NAME, "KHR_physics_rigid_body")

_ROOT = f"/extensions/{NAME}"
_COLLISION = "/extensions/KHR_collision_shapes/shapes"
_IMPLICIT = "/extensions/KHR_implicit_shapes/shapes"
_SEED_SHAPES = f"{_COLLISION} | {_IMPLICIT} | /shapes"
_SHAPES = f"{_IMPLICIT} | /shapes | {_COLLISION}"


def _node_table(key: str) -> dict[str, str]:
    node = f"/nodes/*/extensions/{key}"
    return {
        f"{node}/collider!/shape": _SEED_SHAPES,
        f"{node}/collider!/shape/shape": _SEED_SHAPES,
        f"{node}/collider!/geometry/shape": _SHAPES,
        f"{node}/collider!/geometry/node": "/nodes",
        f"{node}/collider!/geometry/mesh": "/meshes",
        f"{node}/collider/physicsMaterial": f"{_ROOT}/physicsMaterials",
        f"{node}/collider/collisionFilter": f"{_ROOT}/collisionFilters",
        f"{node}/trigger!/shape": _SEED_SHAPES,
        f"{node}/trigger!/shape/shape": _SEED_SHAPES,
        f"{node}/trigger!/geometry/shape": _SHAPES,
        f"{node}/trigger!/geometry/node": "/nodes",
        f"{node}/trigger!/geometry/mesh": "/meshes",
        f"{node}/trigger+/nodes/*": "/nodes",
        f"{node}/trigger/collisionFilter": f"{_ROOT}/collisionFilters",
        f"{node}/joint!/connectedNode": "/nodes",
        f"{node}/joint!/joint": f"{_ROOT}/physicsJoints",
    }


for _key in NODE_KEYS:
    references.register(_key, _node_table(_key))
