"""Physics conversion between all dialects, with one writer per family of extensions.

The readers of all dialects give one form (`ligament.extensions.rigid_bodies`). A writer first
changes that until its dialect can express it, which is where losses occur, and then writes it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ligament.conversion.dialects.draft import Draft
from ligament.conversion.dialects.extensions import remove_physics, rename_used
from ligament.conversion.dialects.khr import write_khr
from ligament.conversion.dialects.omi import write_omi
from ligament.conversion.dialects.omi_2023 import write_omi_2023
from ligament.errors import LigamentError
from ligament.extensions.omi.joint import StiffnessUnit
from ligament.extensions.physics import read_physics
from ligament.extensions.registry import KHR_ANIMATION_POINTER as NAME
from ligament.extensions.registry import PHYSICS, Dialect
from ligament.gltf import pointers
from ligament.gltf.document import Document
from ligament.losses import Converted, in_order

__all__ = ["WRITERS", "convert_physics"]

WRITERS: Mapping[Dialect, Callable[[Draft], None]] = {
    Dialect.KHR: lambda draft: write_khr(draft, Dialect.KHR),
    Dialect.KHR_2024_10: lambda draft: write_khr(draft, Dialect.KHR_2024_10),
    Dialect.KHR_2024_03: lambda draft: write_khr(draft, Dialect.KHR_2024_03),
    Dialect.OMI: write_omi,
    Dialect.OMI_2023: write_omi_2023,
}
"""The dialects that can be written."""


def convert_physics(
    document: Document, to: Dialect, *, omi_stiffness: StiffnessUnit = "auto"
) -> Converted:
    """Write the physics of a document in another dialect; everything else is unchanged.

    A document that is in this dialect and no other is copied. Nodes keep their indices; new ones
    follow them. Raise ContentError if the nodes do not form a tree.
    """
    physics = read_physics(document, omi_stiffness=omi_stiffness)
    if physics.dialects in ((), (to,)):
        return Converted(document.copy())
    try:
        draft = Draft(document, physics)
        remove_physics(draft.document)
        WRITERS[to](draft)
    except LigamentError as fault:
        raise fault.located(document.path) from fault.__cause__
    rename_used(draft.document)
    fix_pointers(draft)
    return Converted(draft.document, in_order([*draft.losses, *draft.leftovers.losses()]))


def fix_pointers(draft: Draft) -> None:
    """Remove channels whose pointer targets an object that no longer exists."""
    animations = draft.document.array("animations")
    emptied = [
        index
        for index, animation in enumerate(animations)
        if _fix_animation(draft, index, animation)
    ]
    if emptied:
        kept = [animation for i, animation in enumerate(animations) if i not in emptied]
        draft.document.json["animations"] = kept
        if not kept:
            del draft.document.json["animations"]


def _fix_animation(draft: Draft, index: int, animation: Any) -> bool:
    """Remove such channels of one animation; tell whether none is left."""
    channels = pointers.find(animation, "/channels")
    if not isinstance(channels, list):
        return False
    kept = []
    for place, channel in enumerate(channels):
        target = pointers.find(channel, f"/target/extensions/{NAME}/pointer")
        if not isinstance(target, str) or not _is_lost(draft, target):
            kept.append(channel)
            continue
        pointer = f"/animations/{index}/channels/{place}"
        reason = f"{target} does not exist in the dialect"
        draft.lose(pointer, "an animated member of physics", reason, "it keeps its value")
    is_emptied = bool(channels) and not kept
    channels[:] = kept
    return is_emptied


def _is_lost(draft: Draft, target: str) -> bool:
    owner = target.rpartition("/")[0]
    is_physics = not set(pointers.split(target)).isdisjoint(PHYSICS)
    return is_physics and pointers.find(draft.document.json, owner) is None
