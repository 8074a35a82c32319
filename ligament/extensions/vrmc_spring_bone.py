"""VRMC_springBone: 1.0 and its beta; drafts name a springRoot, settings and collider nodes.

Its extended colliders (VRMC_springBone_extended_collider) and limits hold no index.
"""

from __future__ import annotations

from ligament.gltf import references

NAME = "VRMC_springBone"

_ROOT = f"/extensions/{NAME}"
_SPRINGS = f"{_ROOT}/springs"
_GROUPS = f"{_ROOT}/colliderGroups"
_COLLIDERS = f"{_ROOT}/colliders"

references.register(
    NAME,
    {
        f"{_COLLIDERS}/*!/node": "/nodes",
        f"{_GROUPS}/*+/colliders/*": _COLLIDERS,
        f"{_GROUPS}/*!/node": "/nodes",
        f"{_SPRINGS}/*/center": "/nodes",
        f"{_SPRINGS}/*+/joints/*!/node": "/nodes",
        f"{_SPRINGS}/*/colliderGroups/*": _GROUPS,
        f"{_SPRINGS}/*!/springRoot": "/nodes",
        f"{_SPRINGS}/*!/setting": f"{_ROOT}/settings",
        f"{_SPRINGS}/*/colliders/*": "/nodes",
    },
    content=(_SPRINGS,),
)
references.register("VRMC_springBone_extended_collider")
references.register("VRMC_springBone_limit")
