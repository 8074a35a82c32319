"""Metadata of an avatar: authors, permissions and licence."""

from __future__ import annotations

from typing import Any

from ligament.conversion.vrm.avatar import Avatar
from ligament.gltf import pointers
from ligament.gltf.references import read_index

_PLACE = "/meta"
_PERSONS = {
    "OnlyAuthor": "onlyAuthor",
    "ExplicitlyLicensedPerson": "onlySeparatelyLicensedPerson",
    "Everyone": "everyone",
}
_ALLOWANCES = {
    "violentUssageName": "allowExcessivelyViolentUsage",
    "sexualUssageName": "allowExcessivelySexualUsage",
}
_ALLOWED = {"Allow": True, "Disallow": False}
_READ = frozenset(
    {
        *("title", "author", "version", "contactInformation", "reference", "texture"),
        *("allowedUserName", "commercialUssageName", "licenseName"),
        *("otherLicenseUrl", "otherPermissionUrl", *_ALLOWANCES),
    }
)


def meta_of(avatar: Avatar, license_url: str | None) -> dict[str, Any]:
    """Return `meta`; required members that the file lacks are losses, never invented."""
    raw = avatar.part("meta")
    avatar.report_unread(raw, _READ, _PLACE)
    meta: dict[str, Any] = {}
    for old, new in (
        ("title", "name"),
        ("version", "version"),
        ("contactInformation", "contactInformation"),
    ):
        if _text(raw, old):
            meta[new] = raw[old]
    if _text(raw, "author"):
        meta["authors"] = [raw["author"]]
    if _text(raw, "reference"):
        meta["references"] = [raw["reference"]]
    if license_url is not None:
        meta["licenseUrl"] = license_url
    for member, old in (("name", "title"), ("authors", "author"), ("licenseUrl", "licenseName")):
        if member not in meta:
            effect = "the file is not valid VRM 1.0 until its owner sets it"
            reason = "VRM 1.0 requires it, and only the owner can choose it"
            avatar.lose(f"{_PLACE}/{old}", member, reason, effect)
    _add_thumbnail(avatar, raw, meta)
    _add_permissions(avatar, raw, meta)
    return meta


def _text(raw: dict[str, Any], name: str) -> bool:
    return isinstance(raw.get(name), str) and bool(raw[name])


def _add_thumbnail(avatar: Avatar, raw: dict[str, Any], meta: dict[str, Any]) -> None:
    """Add the image of the avatar's thumbnail texture."""
    texture = read_index(raw.get("texture"))
    source = pointers.find(avatar.original.json, f"/textures/{texture}/source")
    if texture is not None and read_index(source) is not None:
        meta["thumbnailImage"] = read_index(source)


def _add_permissions(avatar: Avatar, raw: dict[str, Any], meta: dict[str, Any]) -> None:
    """Add permissions: the same, or VRM 1.0's defaults, which are the narrowest."""
    person = avatar.read(raw, "allowedUserName", str, "", _PLACE)
    if person in _PERSONS:
        meta["avatarPermission"] = _PERSONS[person]
    for old, new in _ALLOWANCES.items():
        allowance = avatar.read(raw, old, str, "", _PLACE)
        if allowance in _ALLOWED:
            meta[new] = _ALLOWED[allowance]
    if raw.get("commercialUssageName") == "Disallow":
        meta["commercialUsage"] = "personalNonProfit"
    elif raw.get("commercialUssageName") == "Allow":
        reason = "VRM 1.0 asks whether persons or companies may"
        effect = "not allowed until its owner allows it"
        avatar.lose(f"{_PLACE}/commercialUssageName", "commercial use", reason, effect)
    urls = [raw[n] for n in ("otherLicenseUrl", "otherPermissionUrl") if _text(raw, n)]
    if urls:
        meta["otherLicenseUrl"] = urls[0]
    if len(set(urls)) > 1:
        reason, effect = "VRM 1.0 has one URL", f"{urls[1]} is not named"
        avatar.lose(f"{_PLACE}/otherPermissionUrl", "terms of use", reason, effect)
    if _text(raw, "licenseName"):
        reason = "VRM 1.0 identifies licences by URL"
        effect = "read the old file, or set otherLicenseUrl"
        what = f"the licence {raw['licenseName']}"
        avatar.lose(f"{_PLACE}/licenseName", what, reason, effect)
