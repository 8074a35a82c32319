"""JSON in which every index is replaced by what it stands for, so that order does not count."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from ligament.author.diff.matching import Matches, Side
from ligament.errors import LigamentError
from ligament.gltf import pointers, references
from ligament.gltf.accessors import read_accessor
from ligament.gltf.buffer_views import read_view_bytes
from ligament.gltf.document import Document
from ligament.gltf.storage.byte_sources import DataUri, Source, is_data_uri

MATERIAL_DEFAULTS: dict[str, Any] = {
    "doubleSided": False,
    "alphaMode": "OPAQUE",
    "alphaCutoff": 0.5,
    "emissiveFactor": [0, 0, 0],
    "baseColorFactor": [1, 1, 1, 1],
    "metallicFactor": 1,
    "roughnessFactor": 1,
    "texCoord": 0,
    "scale": 1,
    "strength": 1,
}
"""What a material has where it says nothing (glTF 2.0, 5.19)."""

HOLDERS = ("pbrMetallicRoughness", "extensions")
"""Members that mean nothing where they are empty; an empty extension may mean a lot."""


def canonical(matches: Matches, side: Side) -> dict[str, Any]:
    """Return the JSON of a document with words in the place of indices."""
    twin = side.document.copy()
    texts = _Texts(matches, side)
    found = list(references.references(twin))
    words = [texts.word(reference.target.removeprefix("/"), reference.index) for reference in found]
    for reference, word in zip(found, words, strict=True):
        value = reference.holder[reference.key]
        pointed = f"{reference.target}/{reference.index}"
        reference.holder[reference.key] = (
            value.replace(pointed, f"{reference.target}/{word}", 1)
            if isinstance(value, str)
            else word
        )
    for array in references.known_arrays():
        elements = pointers.find(twin.json, array)
        if array.startswith("/extensions/") and isinstance(elements, list):
            elements.sort(key=_text)
    return twin.json


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def without_defaults(value: Any, defaults: dict[str, Any]) -> Any:
    """Return JSON without the members that say what holds without them."""
    if isinstance(value, list):
        return [without_defaults(item, defaults) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {key: without_defaults(item, defaults) for key, item in value.items()}
    empty = {key for key in HOLDERS if kept.get(key) == {}}
    usual = {key for key, item in kept.items() if key in defaults and item == defaults[key]}
    return {key: item for key, item in kept.items() if key not in empty | usual}


class _Texts:
    """Words for the elements of arrays, by name or by content."""

    def __init__(self, matches: Matches, side: Side) -> None:
        self.matches, self.side, self.document = matches, side, side.document
        self.known: dict[tuple[str, int], str] = {}

    def word(self, array: str, index: int) -> str:
        key = array, index
        if key not in self.known:
            self.known[key] = self._word(array, index)
        return self.known[key]

    def _word(self, array: str, index: int) -> str:
        try:
            match array:
                case "textures":
                    return self._texture(index)
                case "images":
                    return f"image {_image(self.document, index)}"
                case "samplers":
                    return f"sampler {sorted(self.document.array('samplers')[index].items())}"
                case "accessors":
                    return f"numbers {_digest(read_accessor(self.document, index).tobytes())}"
                case "bufferViews":
                    return f"bytes {_digest(bytes(read_view_bytes(self.document, index)))}"
        except (LigamentError, IndexError, AttributeError):
            return f"{array} {index}"
        if "/" in array:
            return _text(pointers.find(self.document.json, f"/{array}/{index}"))
        return self.matches.label(array, index, self.side)

    def _texture(self, index: int) -> str:
        raw = self.document.array("textures")[index]
        source = raw.get("source")
        for extension in raw.get("extensions", {}).values():
            source = extension.get("source", source)
        sampler = raw.get("sampler")
        image = "no image" if source is None else self.word("images", source)
        return image if sampler is None else f"{image} {self.word('samplers', sampler)}"


def _image(document: Document, index: int) -> str:
    raw = document.array("images")[index]
    uri = raw.get("uri")
    if uri is None:
        return _digest(bytes(read_view_bytes(document, raw["bufferView"])))
    source: Source = DataUri(uri) if is_data_uri(uri) else document.external(uri)
    return _digest(bytes(source.read()))


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:12]
