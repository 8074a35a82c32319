"""VRMC_vrm: the avatar of VRM 1.0, its beta and its drafts (a list of expressions, mesh binds)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Literal, NamedTuple

from msgspec import field

from ligament.extensions import registry
from ligament.gltf import pointers
from ligament.gltf.document import Document
from ligament.gltf.objects import View

NAME: Final = registry.VRMC_VRM

_ROOT = f"/extensions/{NAME}"


class BoneEntry(NamedTuple):
    """A bone as a file declares it: its 1.0 name, the node as written, and its pointer."""

    bone: str
    node: Any
    pointer: str


class RangeMap(View):
    """Range of the eyes: `output_scale` at an input of `input_max_value` [degrees] and more."""

    input_max_value: float = 90.0
    output_scale: float | None = None


class LookAt(View):
    """How the gaze moves the eyes: bones rotate by degrees, expressions get weights."""

    type: Literal["bone", "expression"] = "bone"
    offset_from_head_bone: tuple[float, float, float] = (0.0, 0.0, 0.0)
    range_map_horizontal_inner: RangeMap = field(default_factory=RangeMap)
    range_map_horizontal_outer: RangeMap = field(default_factory=RangeMap)
    range_map_vertical_down: RangeMap = field(default_factory=RangeMap)
    range_map_vertical_up: RangeMap = field(default_factory=RangeMap)


def human_bones(document: Document) -> list[BoneEntry]:
    """List the bones in file order; never raises."""
    return list(named_bones(document.extension(NAME), _ROOT))


def named_bones(extension: dict[str, Any] | None, root: str) -> Iterator[BoneEntry]:
    """Yield the bones of an extension that keeps them as humanoid.humanBones: name → {node}."""
    bones = pointers.find(extension, "/humanoid/humanBones")
    for bone, entry in bones.items() if isinstance(bones, dict) else ():
        node = entry.get("node") if isinstance(entry, dict) else entry
        yield BoneEntry(bone, node, pointers.join(f"{root}/humanoid/humanBones", bone, "node"))


def expression_names(document: Document) -> list[str]:
    """List the avatar's expressions, presets first; never raises."""
    extension = document.extension(NAME)
    groups = [pointers.find(extension, f"/expressions/{kind}") for kind in ("preset", "custom")]
    return [name for group in groups if isinstance(group, dict) for name in group]


def look_at(document: Document) -> LookAt | None:
    """Read how the gaze moves the eyes, None if the file does not say."""
    return document.view_at(f"{_ROOT}/lookAt", LookAt)
