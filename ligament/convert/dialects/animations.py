"""Animated members of physics, which stand elsewhere in another dialect or nowhere."""

from __future__ import annotations

from typing import Any

from ligament.convert.dialects.draft import Draft
from ligament.extensions.registry import KHR_ANIMATION_POINTER as NAME
from ligament.extensions.registry import PHYSICS
from ligament.gltf import pointers


def mend_pointers(draft: Draft) -> None:
    """Take out channels whose pointer leads to an object that is no longer there."""
    animations = draft.document.array("animations")
    emptied = [
        index for index, animation in enumerate(animations) if _mend(draft, index, animation)
    ]
    if emptied:
        kept = [animation for i, animation in enumerate(animations) if i not in emptied]
        draft.document.json["animations"] = kept
        if not kept:
            del draft.document.json["animations"]


def _mend(draft: Draft, index: int, animation: Any) -> bool:
    """Take out the channels of one animation; tell whether that leaves it without any."""
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
        reason = f"{target} is nowhere in the dialect"
        draft.lose(pointer, "an animated member of physics", reason, "it keeps its value")
    is_emptied = bool(channels) and not kept
    channels[:] = kept
    return is_emptied


def _is_lost(draft: Draft, target: str) -> bool:
    owner = target.rpartition("/")[0]
    is_physics = not set(pointers.split(target)).isdisjoint(PHYSICS)
    return is_physics and pointers.find(draft.document.json, owner) is None
