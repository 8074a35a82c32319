"""Avatars of VRM 0.x as VRM 1.0: the same model, turned to face +Z."""

from __future__ import annotations

from ligament.convert.losses import Converted, in_order
from ligament.convert.vrm.avatar import Avatar
from ligament.convert.vrm.body import humanoid_of, tell_materials, turn_around
from ligament.convert.vrm.face import expressions_of, first_person_of, look_at_of
from ligament.convert.vrm.meta import meta_of
from ligament.convert.vrm.springs import spring_bones_of
from ligament.errors import LigamentError
from ligament.extensions.humanoid import vrm, vrmc_vrm
from ligament.extensions.registry import VRMC_SPRING_BONE
from ligament.gltf.document import Document

__all__ = ["convert_avatar"]

_READ = frozenset(
    {
        "exporterVersion",
        "specVersion",
        "meta",
        "humanoid",
        "firstPerson",
        "blendShapeMaster",
        "secondaryAnimation",
        "materialProperties",
    }
)


def convert_avatar(document: Document, *, license_url: str | None = None) -> Converted:
    """Write an avatar of VRM 0.x as VRM 1.0; a document without one comes back as it is.

    Nodes keep their indices; a new root turns the model by half a turn. VRM 1.0 demands a licence
    of its own kind, which no conversion can choose: `license_url` is what the owner says, and
    without it its absence is a loss. Permissions become narrower where the two do not match, never
    wider.
    """
    if document.extension(vrm.NAME) is None:
        return Converted(document.copy())
    avatar = Avatar(document)
    try:
        content = {
            "specVersion": "1.0",
            "meta": meta_of(avatar, license_url),
            "humanoid": humanoid_of(avatar),
            "firstPerson": first_person_of(avatar),
            "lookAt": look_at_of(avatar),
            "expressions": expressions_of(avatar),
        }
        springs = spring_bones_of(avatar)
        turn_around(avatar)
    except LigamentError as fault:
        raise fault.located(document.path) from fault.__cause__
    tell_materials(avatar)
    avatar.tell_unread(avatar.raw, _READ, "")
    avatar.replace(vrmc_vrm.NAME, {k: v for k, v in content.items() if v is not None})
    if springs is not None:
        avatar.replace(VRMC_SPRING_BONE, springs)
    return Converted(avatar.document, in_order(avatar.losses))
