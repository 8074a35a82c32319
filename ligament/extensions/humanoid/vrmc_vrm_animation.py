"""VRMC_vrm_animation: the nodes of bones, expression weights and the gaze."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from ligament.extensions import registry
from ligament.extensions.humanoid.vrmc_vrm import BoneEntry, named_bones
from ligament.gltf import pointers
from ligament.gltf.document import Document

NAME: Final = registry.VRMC_VRM_ANIMATION

_ROOT = f"/extensions/{NAME}"


class ExpressionEntry(NamedTuple):
    """An expression as a file declares it: the x of its node's translation is the weight."""

    name: str
    is_preset: bool
    node: Any
    pointer: str


def human_bones(document: Document) -> list[BoneEntry]:
    """List the bones in file order; never raises."""
    return list(named_bones(document.extension(NAME), _ROOT))


def expressions(document: Document) -> list[ExpressionEntry]:
    """List the expressions, presets first, in file order; never raises."""
    entries = []
    for kind in ("preset", "custom"):
        group = pointers.find(document.extension(NAME), f"/expressions/{kind}")
        for name, entry in group.items() if isinstance(group, dict) else ():
            node = entry.get("node") if isinstance(entry, dict) else entry
            pointer = pointers.join(f"{_ROOT}/expressions/{kind}", name, "node")
            entries.append(ExpressionEntry(name, kind == "preset", node, pointer))
    return entries


def look_at_node(document: Document) -> Any:
    """Return the node whose rotation is the gaze, as written; None if there is none."""
    return pointers.find(document.extension(NAME), "/lookAt/node")
