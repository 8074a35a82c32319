"""Repairs of extensions: misspelt names are corrected, and all names are declared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ligament.extensions.registry import EXTENSIONS, KHR_ANIMATION_POINTER
from ligament.gltf import pointers
from ligament.repair.changes import Change, all_extensions

SPELLINGS = {name: entry.misspells for name, entry in EXTENSIONS.items() if entry.misspells}
"""Wrong name → right name; fastgltf writes the first on nodes."""


def rename_misspelt_keys(root: dict[str, Any]) -> Iterator[Change]:
    """Rename extensions, with the lists and animation pointers that refer to them.

    An object with both names stays unchanged: nothing says which of the two counts.
    """
    found = list(all_extensions(root))
    for pointer, extensions in found:
        for wrong, right in SPELLINGS.items():
            if wrong in extensions and right not in extensions:
                _rename(extensions, wrong, right)
                yield Change(pointers.join(pointer, right), f"renamed from {wrong}")
    kept = {name for _, extensions in found for name in extensions}
    spellings = {wrong: right for wrong, right in SPELLINGS.items() if wrong not in kept}
    yield from _rename_in_lists(root, spellings)
    yield from _rename_in_pointers(found, spellings)


def _rename(members: dict[str, Any], old: str, new: str) -> None:
    """Rename a member, keeping its position among the others."""
    renamed = {new if name == old else name: value for name, value in members.items()}
    members.clear()
    members.update(renamed)


def _rename_in_lists(root: dict[str, Any], spellings: dict[str, str]) -> Iterator[Change]:
    for member in ("extensionsUsed", "extensionsRequired"):
        listed = root.get(member)
        if not isinstance(listed, list):
            continue
        for wrong, right in spellings.items():
            if wrong in listed:
                instead = [] if right in listed else [right]
                place = listed.index(wrong)
                listed[place : place + 1] = instead
                yield Change(f"/{member}", f"{wrong} is now {right}")


def _rename_in_pointers(
    found: list[tuple[str, dict[str, Any]]], spellings: dict[str, str]
) -> Iterator[Change]:
    """Follow KHR_animation_pointer, whose targets are JSON pointers into the document."""
    for place, extensions in found:
        animation = extensions.get(KHR_ANIMATION_POINTER)
        target = animation.get("pointer") if isinstance(animation, dict) else None
        if not isinstance(animation, dict) or not isinstance(target, str):
            continue
        segments = [spellings.get(segment, segment) for segment in target.split("/")]
        if "/".join(segments) != target:
            animation["pointer"] = "/".join(segments)
            yield Change(f"{place}/{KHR_ANIMATION_POINTER}/pointer", f"copied from {target}")


def list_used_extensions(root: dict[str, Any]) -> Iterator[Change]:
    """Declare all extensions used, and all required ones as used (glTF 2.0, 3.12)."""
    names = [name for _, extensions in all_extensions(root) for name in extensions]
    required = root.get("extensionsRequired")
    names += [name for name in _items(required) if isinstance(name, str)]
    listed = root.get("extensionsUsed", [])
    known = {name for name in _items(listed) if isinstance(name, str)}
    missing = [name for name in dict.fromkeys(names) if name not in known]
    if not missing or not isinstance(listed, list):
        return
    root["extensionsUsed"] = [*listed, *missing]
    for index, name in enumerate(missing, start=len(listed)):
        yield Change(f"/extensionsUsed/{index}", f"added {name}")


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
