"""Animated members of physics, which stand elsewhere in another dialect or nowhere."""

from __future__ import annotations

from ligament.convert.dialects.draft import Draft
from ligament.convert.dialects.extensions import PHYSICS
from ligament.extensions.khr_animation_pointer import NAME
from ligament.gltf import pointers


def mend_pointers(draft: Draft) -> None:
    """Take out channels whose pointer leads to an object that is no longer there."""
    document = draft.document
    animations = document.array("animations")
    for index, animation in enumerate(animations):
        for place, channel in enumerate(list(animation.get("channels", ()))):
            target = pointers.find(channel, f"/target/extensions/{NAME}/pointer")
            if not isinstance(target, str) or not _is_lost(draft, target):
                continue
            animation["channels"].remove(channel)
            pointer = f"/animations/{index}/channels/{place}"
            reason = f"{target} is nowhere in the dialect"
            draft.lose(pointer, "an animated member of physics", reason, "it keeps its value")
    if any(not animation.get("channels", ()) for animation in animations):
        document.json["animations"] = [a for a in animations if a.get("channels", True)]
        if not document.json["animations"]:
            del document.json["animations"]


def _is_lost(draft: Draft, target: str) -> bool:
    owner = target.rpartition("/")[0]
    is_physics = not set(pointers.split(target)).isdisjoint(PHYSICS)
    return is_physics and pointers.find(draft.document.json, owner) is None
