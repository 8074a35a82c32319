"""What a stage does not hold at all: cameras, lights, constraints, extensions that USD lacks."""

from __future__ import annotations

from typing import Final

from ligament.convert.source import Source
from ligament.extensions import vrmc_node_constraint

_WRITTEN: Final = (
    "KHR_implicit_shapes",
    "KHR_collision_shapes",
    "KHR_physics_rigid_bodies",
    "KHR_rigid_bodies",
    "MSFT_",
    "OMI_collider",
    "OMI_physics_",
    "KHR_draco_mesh_compression",
    "KHR_mesh_quantization",
    "KHR_meshopt_compression",
    "EXT_meshopt_compression",
    "KHR_materials_",
    "KHR_texture_transform",
    vrmc_node_constraint.NAME,
)
"""Extensions that are written, or whose losses are told where they stand."""


def tell_unwritten(source: Source) -> None:
    """Say what is left out."""
    document = source.document
    for index in range(len(document.array("cameras"))):
        source.lose(f"/cameras/{index}", "a camera", "it is not written", "it is left out")
    used = document.json.get("extensionsUsed")
    for index, name in enumerate(used if isinstance(used, list) else ()):
        if isinstance(name, str) and not name.startswith(_WRITTEN):
            pointer, effect = f"/extensionsUsed/{index}", "what it says is left out"
            source.lose(pointer, f"the extension {name[:80]}", "USD has no place for it", effect)
    for constraint in source.stage.constraints.constraints:
        pointer = f"/nodes/{constraint.destination}/extensions/{vrmc_node_constraint.NAME}"
        reason = "UsdPhysics has none"
        effect = "what it does to animations is written; what physics moves, nothing follows"
        source.lose(pointer, "a node constraint", reason, effect)
