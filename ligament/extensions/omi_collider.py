"""OMI_collider (2023, archived): shapes in an array of the document, named by nodes.

`omi.shapes` reads them.
"""

from __future__ import annotations

from ligament.gltf import references

NAME = "OMI_collider"

_COLLIDERS = f"/extensions/{NAME}/colliders"

references.register(
    NAME,
    {
        f"/nodes/*/extensions/{NAME}!/collider": _COLLIDERS,
        f"/nodes/*/extensions/{NAME}!/mesh": "/meshes",
        f"{_COLLIDERS}/*!/mesh": "/meshes",
    },
)
