"""Stripping: a document without the extensions whose effect keyframes replace."""

from __future__ import annotations

from typing import Any

from ligament.extensions import registry
from ligament.extensions.registry import KHR_ANIMATION_POINTER, Family
from ligament.gltf import pointers
from ligament.gltf.document import Document

STRIPPED = registry.names(
    Family.NODE_CONSTRAINTS, Family.RIGID_BODIES, Family.COLLISION_SHAPES, Family.SPRING_BONES
)
"""The extensions whose effect keyframes replace."""


def strip_extensions(document: Document) -> None:
    """Remove the extensions that baking replaces, and the channels that animate them."""
    gone = {*STRIPPED}
    if _strip_channels(document):
        gone.add(KHR_ANIMATION_POINTER)
    for owner in (document.json, *document.array("nodes")):
        extensions = owner.get("extensions")
        if isinstance(extensions, dict):
            for name in STRIPPED:
                extensions.pop(name, None)
            if not extensions:
                del owner["extensions"]
    _strip_secondary_animation(document)
    document.drop_extensions(gone)


def _strip_secondary_animation(document: Document) -> None:
    """Empty the springs of VRM 0.x; its readers expect that member of the avatar."""
    avatar = document.extension(registry.VRM)
    if avatar is not None and isinstance(avatar.get("secondaryAnimation"), dict):
        avatar["secondaryAnimation"] |= {"boneGroups": [], "colliderGroups": []}


def _strip_channels(document: Document) -> bool:
    """Remove channels that point into physics; tell whether these were the only pointers."""
    animations = document.array("animations")
    found = [pointer for animation in animations for pointer in map(_pointer, _channels(animation))]
    if not any(map(_is_stripped, found)):
        return False
    for animation in animations:
        _strip_animation(animation)
    kept = [animation for animation in animations if _channels(animation)]
    document.json["animations"] = kept
    if not kept:
        del document.json["animations"]
    return all(pointer is None or _is_stripped(pointer) for pointer in found)


def _strip_animation(animation: dict[str, Any]) -> None:
    """Remove such channels from one animation, with the samplers that no other channel uses."""
    channels, samplers = _channels(animation), animation.get("samplers", [])
    kept = [channel for channel in channels if not _is_stripped(_pointer(channel))]
    if len(kept) == len(channels):
        return
    used = sorted({channel["sampler"] for channel in kept})
    number = {old: new for new, old in enumerate(used)}
    for channel in kept:
        channel["sampler"] = number[channel["sampler"]]
    animation["channels"], animation["samplers"] = kept, [samplers[old] for old in used]


def _channels(animation: dict[str, Any]) -> list[Any]:
    return list(animation.get("channels", []))


def _pointer(channel: Any) -> str | None:
    value = pointers.find(channel, f"/target/extensions/{KHR_ANIMATION_POINTER}/pointer")
    return value if isinstance(value, str) else None


def _is_stripped(pointer: str | None) -> bool:
    return pointer is not None and not {*pointers.split(pointer)}.isdisjoint(STRIPPED)
