"""What a stage does not hold at all: cameras, lights, constraints, extensions that USD lacks."""

from __future__ import annotations

from typing import Final

from ligament.convert.source import Source
from ligament.extensions import registry, vrmc_node_constraint
from ligament.extensions.registry import Family

_WRITTEN: Final = (
    *registry.PHYSICS,
    *registry.names(Family.NODE_CONSTRAINTS, Family.ENCODINGS),
    "KHR_materials_",
    "KHR_texture_transform",
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
