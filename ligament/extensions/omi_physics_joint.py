"""OMI_physics_joint: `constraints` between nodeA and nodeB (2023), `physicsJoints` (2024-11).

-1 stands for none throughout the OMI extensions. `omi.joints` reads them.
"""

from __future__ import annotations

from ligament.gltf import references

NAME = "OMI_physics_joint"

_NODE = f"/nodes/*/extensions/{NAME}"
_ROOT = f"/extensions/{NAME}"

references.register(
    NAME,
    {
        f"{_NODE}!/nodeA": "/nodes",
        f"{_NODE}!/nodeB": "/nodes",
        f"{_NODE}+/constraints/*": f"{_ROOT}/constraints",
        f"{_NODE}!/connectedNode": "/nodes",
        f"{_NODE}!/joint": f"{_ROOT}/physicsJoints",
    },
)
