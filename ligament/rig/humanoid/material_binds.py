"""Material binds of expressions: animatable colours and texture transforms.

glTF's object model lists the factors of core materials and of KHR_texture_transform; those of other
shaders have no pointer that players know.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ligament.arrays import Floats
from ligament.gltf import pointers
from ligament.gltf.document import Document

TEXTURE_TRANSFORM = "KHR_texture_transform"

COLORS = {
    "color": "pbrMetallicRoughness/baseColorFactor",
    "emissionColor": "emissiveFactor",
}
"""VRM colours that core materials have, and their pointers."""

DEFAULTS: dict[str, tuple[float, ...]] = {
    "baseColorFactor": (1.0, 1.0, 1.0, 1.0),
    "emissiveFactor": (0.0, 0.0, 0.0),
    "offset": (0.0, 0.0),
    "scale": (1.0, 1.0),
}

TEXTURES = (
    "pbrMetallicRoughness/baseColorTexture",
    "pbrMetallicRoughness/metallicRoughnessTexture",
    "normalTexture",
    "occlusionTexture",
    "emissiveTexture",
)


class MaterialBind(NamedTuple):
    """A property of a material: its value in the file, and at full expression.

    `pointer` is None if no animation can change it; `what` then names it.
    """

    pointer: str | None
    base: Floats
    target: Floats
    what: str


def read_material_binds(document: Document, expression: dict[str, Any]) -> Iterator[MaterialBind]:
    """Yield the colours and texture transforms that an expression of VRM 1.0 binds."""
    for bind in _objects(expression.get("materialColorBinds")):
        place, target = _material(document, bind), _numbers(bind.get("targetValue"))
        if place is None or target is None:
            continue
        kind = str(bind.get("type"))
        if kind not in COLORS:
            yield MaterialBind(None, np.zeros(0), np.zeros(0), f"{kind} of {place}")
            continue
        name = COLORS[kind]
        default = DEFAULTS[name.rpartition("/")[2]]
        base = _numbers(pointers.find(document.json, f"{place}/{name}"))
        start = np.array(default) if base is None or len(base) != len(default) else base
        if len(target) >= len(start):
            yield MaterialBind(f"{place}/{name}", start, target[: len(start)], name)
    for bind in _objects(expression.get("textureTransformBinds")):
        place = _material(document, bind)
        if place is not None:
            yield from _transforms(document, place, bind)


def _transforms(document: Document, place: str, bind: dict[str, Any]) -> Iterator[MaterialBind]:
    textures = [
        t for t in TEXTURES if isinstance(pointers.find(document.json, f"{place}/{t}"), dict)
    ]
    if not textures:
        yield MaterialBind(
            None, np.zeros(0), np.zeros(0), f"the textures of {place}, of which it has none"
        )
    for texture in textures:
        for name, default in (("offset", [0.0, 0.0]), ("scale", [1.0, 1.0])):
            pointer = f"{place}/{texture}/extensions/{TEXTURE_TRANSFORM}/{name}"
            base = _numbers(pointers.find(document.json, pointer))
            target = _numbers(bind.get(name, default))
            start = np.array(default) if base is None or len(base) != 2 else base
            if target is not None and len(target) == 2 and (target != start).any():
                yield MaterialBind(pointer, start, target, name)


def define(document: Document, pointer: str) -> None:
    """Write the default of a property to be animated, if it is omitted."""
    owner: Any = document.json
    *path, name = pointers.split(pointer)
    for depth, segment in enumerate(path, 1):
        owner = owner[int(segment)] if isinstance(owner, list) else owner.setdefault(segment, {})
        if not isinstance(owner, dict | list):
            here, found = pointers.join("", *path[:depth]), pointers.found(owner)
            raise document.error(f"found {found}", here, "it must be an object")
        if segment == TEXTURE_TRANSFORM:
            document.use_extension(TEXTURE_TRANSFORM)
    owner.setdefault(name, [*DEFAULTS[name]])


def _material(document: Document, bind: dict[str, Any]) -> str | None:
    index, count = bind.get("material"), len(document.array("materials"))
    is_index = isinstance(index, int) and not isinstance(index, bool) and 0 <= index < count
    return f"/materials/{index}" if is_index else None


def _numbers(value: Any) -> Floats | None:
    is_list = isinstance(value, list) and all(
        isinstance(item, int | float) and not isinstance(item, bool) for item in value
    )
    try:
        return np.array(value, float) if is_list else None
    except OverflowError:  # whole numbers have any length
        return None


def _objects(raw: Any) -> list[dict[str, Any]]:
    return [item for item in raw if isinstance(item, dict)] if isinstance(raw, list) else []
